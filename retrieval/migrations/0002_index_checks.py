from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="keywordindex",
            options={"ordering": ["pk"]},
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="checked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="chunks",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="finding",
            field=models.CharField(
                blank=True,
                choices=[
                    ("agrees", "Agrees"),
                    ("missing", "Missing"),
                    ("damaged", "Damaged"),
                    ("differs", "Differs"),
                ],
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="healed_at",
            field=models.DateTimeField(help_text="Last made anew since a check failed.", null=True),
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="problem",
            field=models.CharField(
                blank=True,
                help_text="Why its files could not be written, as things are.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="keywordindex",
            name="size",
            field=models.PositiveBigIntegerField(default=0, help_text="Bytes of its files."),
        ),
    ]
