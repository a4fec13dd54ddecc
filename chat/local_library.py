"""What the extractive answerer asks of the library: pages, exact places, words and meanings."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from chat.cosine_ranges import positions
from chat.extractive import Library
from chat.naming import Named, spells, stem_pattern
from chat.quotable import PageText, Quotable
from chat.relevance import Measures
from chat.standing_out import prominence
from citations.locating import locate_quote
from citations.pages import searchable_pages
from documents.chunks.tokens import content_tokens
from documents.models import Page, Version
from documents.pages.page_text import Block, BlockKind
from documents.vectors.embedding import EmbedderUnavailableError
from projects.models import Project
from retrieval.evidence import Evidence, Scope, ScopedVersion
from retrieval.keyword_index import keyword_index
from retrieval.planning import key_terms


def local_library(scope: Scope) -> Library:
    """The library of one run. What it loads is kept for the run."""
    return Library(
        page_texts=lru_cache(maxsize=None)(_page_texts),
        paper_text=lru_cache(maxsize=None)(_paper_text),
        is_mentioned=partial(_is_mentioned, scope),
        is_matched=_is_matched,
        measures=Measures(_similarity, _content_tokens, _weights_in(scope)),
        measures_across=Measures(_similarity_across, _content_tokens, _weights_in(scope)),
        prominence=lambda question, language: prominence(question, scope, language),
        papers=len({version.document_id for version in scope.versions}),
        languages=_languages(scope),
    )


def _languages(scope: Scope) -> tuple[str, ...]:
    """The languages of the papers, the commonest first."""
    counted = Counter(each.language[:2] for each in scope.versions if each.language)
    return tuple(language for language, _ in counted.most_common())


def _page_texts(evidence: Evidence) -> Mapping[int, PageText]:
    numbers = {span.page for span in evidence.spans}
    rows = Page.objects.filter(parsed_id=evidence.version.parsed_id, number__in=numbers)
    return {
        number: PageText(
            text,
            tuple(Block(BlockKind(kind), start, end, level) for kind, start, end, level in blocks),
        )
        for number, text, blocks in rows.values_list("number", "text", "blocks")
    }


def _paper_text(version: ScopedVersion) -> str:
    """The title and the text of all pages."""
    pages = Page.objects.filter(parsed_id=version.parsed_id).order_by("number")
    return "\n".join([version.title, *pages.values_list("text", flat=True)])


def _is_mentioned(scope: Scope, named: Named) -> bool:
    """Whether any paper has the name, in its title or on a page."""
    if any(spells(version.title, named) for version in scope.versions):
        return True
    pages = Page.objects.filter(
        parsed_id__in=[version.parsed_id for version in scope.versions],
        text__iregex=stem_pattern(named),
    )
    texts = pages.order_by("pk").values_list("text", flat=True).iterator(chunk_size=20)
    return any(spells(text, named) for text in texts)


def _is_matched(evidence: Evidence, sentence: Quotable) -> bool:
    """Whether the sentence, as it is shown, stands exactly once on its page."""
    version = Version.objects.get(public_id=evidence.version.file_id)
    first, last = sentence.spans[0].page, sentence.spans[-1].page
    pages = searchable_pages(version, numbers=range(first, last + 1))
    return locate_quote(sentence.text, pages, page=first).status == "matched"


def _similarity(question: str, sentences: Sequence[str]) -> Sequence[float]:
    """How near they come; all zero when no embedder answers, so that words alone decide."""
    try:
        return positions(question, sentences)
    except EmbedderUnavailableError:
        return [0.0] * len(sentences)


def _similarity_across(question: str, sentences: Sequence[str]) -> Sequence[float]:
    """The same with the question carried over to the other language."""
    try:
        return positions(question, sentences, across=True)
    except EmbedderUnavailableError:
        return [0.0] * len(sentences)


def _content_tokens(text: str) -> Sequence[str]:
    """Keyword tokens without the words that only make a question a question."""
    return content_tokens(key_terms(text)) or content_tokens(text)


def _weights_in(scope: Scope) -> Callable[[Sequence[str]], Sequence[float]]:
    index = keyword_index(Project.objects.get(pk=scope.project_id))

    def weights(tokens: Sequence[str]) -> Sequence[float]:
        return [index.idf(int(term)) for term in index.vocabulary.find(tokens)]

    return weights
