"""The words of each turn, by which conversations are found: of its title, question and answer."""

from chat.models import Conversation, Turn, TurnWords
from citations.segments import TextSegment, segments_from_json
from documents.chunks.tokens import keyword_tokens


def keep_words(turn: Turn) -> None:
    """Whatever changes a turn's question, answer or title calls this in the same transaction."""
    parts = (turn.conversation.title, turn.question, answer_text(turn))
    terms = sorted(set(keyword_tokens("\n".join(parts))))
    TurnWords.objects.update_or_create(turn=turn, defaults={"terms": terms})


def keep_words_of(conversation: Conversation) -> None:
    """After its title changed."""
    for turn in conversation.turns.select_related("conversation", "answer"):
        keep_words(turn)


def answer_text(turn: Turn) -> str:
    """What an answer says, a blank where it cites."""
    if turn.answer is None:
        return ""
    segments = segments_from_json(turn.answer.segments)
    return "".join(each.text if isinstance(each, TextSegment) else " " for each in segments)
