"""A small library with two people: one who may read it and one who may not."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from chat.answering import answer_run
from chat.asking import begin_run, start_conversation
from chat.models import Conversation, Run
from chat.skills.built_in import DEFAULT, built_in_skills
from llm.scripted import ScriptedEndpoint, Step
from projects.models import Membership, Project, User
from tests.retrieval.papers import add_paper, new_project

QUESTION_SKILL = built_in_skills()[DEFAULT]
FINDINGS = (
    "Buyers paid a premium of 8.1 % to sellers with a good reputation in the experiment. "
    "Sellers with a good reputation got higher prices from buyers in every month. "
    "The premium that buyers paid vanished when sellers had fewer than ten ratings. "
    "Buyers also paid higher prices to sellers whose good reputation was new."
)
REPUTATION = [
    ("text", "Introduction", "Online markets let strangers trade with each other every day."),
    ("text", "Results", FINDINGS),
    ("text", "Discussion", "We conclude that reputation systems sustain trade between strangers."),
]
USED_CARS = (
    "Sellers with a good reputation get higher prices because buyers fear lemons. "
    "Without reputation sellers of good cars leave the market, as shown before [1]. "
    "Higher prices from buyers go to sellers with a good reputation and a garage."
)
LEMONS = [
    ("text", "Model", "A lemon is a car whose poor quality only its seller knows before the sale."),
    ("text", "Results", USED_CARS),
]
BERRIES = [
    ("text", "结果", "蓝莓中的花青素含量在成熟期显著升高，储藏温度越低损失越小。"),
    ("text", "讨论", "因此，低温储藏有利于保持蓝莓果实的抗氧化能力。"),
]


@dataclass(frozen=True)
class Library:
    project: Project
    reader: User
    stranger: User

    def ask(self, question: str, conversation: Conversation | None = None) -> Run:
        """One run through the real recipe, in this process."""
        run = self.queued(question, conversation)
        answer_run(run.pk)
        return Run.objects.select_related("turn__answer", "turn__conversation__project").get(
            pk=run.pk
        )

    def queued(self, question: str, conversation: Conversation | None = None) -> Run:
        conversation = conversation or start_conversation(self.project, self.reader, question)
        return begin_run(conversation, question)


Scripted = Callable[[Sequence[Step]], AbstractContextManager[ScriptedEndpoint]]


def new_library() -> Library:
    """Two English papers and a Chinese one, read by `reader`; `stranger` sees nothing of it."""
    project = new_project()
    reader = User.objects.get(username="reader")
    Membership.objects.create(project=project, user=reader, role=Membership.Role.VIEWER)
    add_paper(project, "Reputation in online markets", REPUTATION)
    add_paper(project, "The market for lemons", LEMONS)
    add_paper(project, "蓝莓储藏研究", BERRIES)
    return Library(project, reader, User.objects.create(username="stranger"))
