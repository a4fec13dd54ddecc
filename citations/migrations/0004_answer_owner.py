import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("citations", "0003_followed_changes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="answer",
            name="owner",
            field=models.ForeignKey(
                help_text="Who alone may read it. Empty: everyone who may read the project.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="answer",
            name="key",
            field=models.CharField(
                help_text="What it was written for, such as a run: written again, it stays one row.",
                max_length=16,
                null=True,
                unique=True,
            ),
        ),
    ]
