"""Turns that stand are found by their words, too."""

from typing import Any

from django.db import migrations

from documents.chunks.tokens import keyword_tokens


def keep_words(apps: Any, schema_editor: Any) -> None:
    Turn = apps.get_model("chat", "Turn")
    TurnWords = apps.get_model("chat", "TurnWords")
    for turn in Turn.objects.select_related("conversation", "answer").iterator(chunk_size=200):
        said = [turn.conversation.title, turn.question]
        said += [part.get("text", " ") for part in (turn.answer.segments if turn.answer else [])]
        terms = sorted(set(keyword_tokens("\n".join(said[:2]) + "\n" + "".join(said[2:]))))
        TurnWords.objects.create(turn=turn, terms=terms)


class Migration(migrations.Migration):
    dependencies = [("chat", "0007_turn_words")]

    operations = [migrations.RunPython(keep_words, migrations.RunPython.noop)]
