from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0008_version_removed_at"),
    ]

    operations = [
        migrations.AddField(
            model_name="parsedfile",
            name="tokenizer",
            field=models.PositiveSmallIntegerField(
                default=1, help_text="Edition of `documents.chunks.tokens` that made the terms."
            ),
        ),
    ]
