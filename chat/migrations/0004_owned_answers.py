from django.db import migrations
from django.db.models import OuterRef, Subquery


def give_to_askers(apps, schema_editor):
    """The answers of a conversation are its owner's."""
    answers = apps.get_model("citations", "Answer")
    turns = apps.get_model("chat", "Turn").objects.filter(answer=OuterRef("pk"))
    answers.objects.filter(turn__isnull=False, owner=None).update(
        owner=Subquery(turns.values("conversation__user")[:1])
    )


class Migration(migrations.Migration):
    dependencies = [("chat", "0003_run_draft"), ("citations", "0004_answer_owner")]

    operations = [migrations.RunPython(give_to_askers, migrations.RunPython.noop)]
