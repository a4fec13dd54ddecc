from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0002_initial")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="draft",
            field=models.JSONField(default=dict, help_text="Segments and evidence while it runs."),
        ),
    ]
