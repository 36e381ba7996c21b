"""Creates the table of handled events."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """The first version."""

    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = []
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.CreateModel(
            name="HandledEvent",
            fields=[
                (
                    "webhook_id",
                    models.CharField(max_length=255, primary_key=True, serialize=False),
                ),
                ("event", models.CharField(max_length=64)),
                ("order_id", models.CharField(db_index=True, max_length=64)),
                ("handled_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"db_table": "hundi_events", "ordering": ["handled_at"]},
        ),
    ]
