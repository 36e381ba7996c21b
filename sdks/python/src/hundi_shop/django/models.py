"""The events that the shop has handled."""

from typing import ClassVar

from django.db import models


class HandledEvent(models.Model):
    """One event of the gateway, written in the transaction of what the shop did on it."""

    webhook_id = models.CharField(max_length=255, primary_key=True)
    event = models.CharField(max_length=64)
    order_id = models.CharField(max_length=64, db_index=True)
    handled_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """The table's name in the database."""

        db_table = "hundi_events"
        ordering: ClassVar[list[str]] = ["handled_at"]

    def __str__(self) -> str:
        """Return what it is about."""
        return f"{self.event} of {self.order_id}"
