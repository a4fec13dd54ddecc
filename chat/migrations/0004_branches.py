"""Turns know the turn before them, and a conversation the branch that it shows."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0003_conversation_scope")]

    operations = [
        migrations.RemoveConstraint(model_name="turn", name="turn_numbers_unique"),
        migrations.AlterModelOptions(name="turn", options={"ordering": ("number", "pk")}),
        migrations.AlterField(
            model_name="turn",
            name="number",
            field=models.PositiveIntegerField(help_text="Its place on its branch, from 1."),
        ),
        migrations.AddField(
            model_name="turn",
            name="before",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="chat.turn",
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="leaf",
            field=models.ForeignKey(
                help_text="The last turn of the branch that is shown.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="chat.turn",
            ),
        ),
    ]
