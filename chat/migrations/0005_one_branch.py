"""Conversations that stand have one branch: each turn follows the one before it."""

from typing import Any

from django.db import migrations


def chain(apps: Any, schema_editor: Any) -> None:
    Turn = apps.get_model("chat", "Turn")
    Conversation = apps.get_model("chat", "Conversation")
    last: dict[int, int] = {}
    for pk, conversation in (
        Turn.objects.order_by("conversation_id", "number").values_list("pk", "conversation_id")
    ).iterator():
        if conversation in last:
            Turn.objects.filter(pk=pk).update(before_id=last[conversation])
        last[conversation] = pk
    for conversation, leaf in last.items():
        Conversation.objects.filter(pk=conversation).update(leaf_id=leaf)


class Migration(migrations.Migration):
    dependencies = [("chat", "0004_branches")]

    operations = [migrations.RunPython(chain, migrations.RunPython.noop)]
