import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0002_readings"),
        ("retrieval", "0003_shelved_readings"),
    ]

    operations = [
        migrations.CreateModel(
            name="LibraryTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("term", models.CharField(max_length=80)),
                ("meaning", models.CharField(max_length=200)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="library_terms",
                        to="projects.project",
                    ),
                ),
            ],
            options={
                "ordering": ["term", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "term"), name="one_meaning_per_term")
                ],
            },
        ),
    ]
