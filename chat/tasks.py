"""The work of the `chat` queue."""

from celery import shared_task

from chat.answering import answer_run


@shared_task(name="chat.tasks.answer")
def answer(run_id: int) -> None:
    answer_run(run_id)
