"""What the shop's own books need beside Oscar's sources and transactions."""

from django.db import models


class HandledNotification(models.Model):
    """A notification that was handed over; it is delivered at least once."""

    webhook_id = models.CharField(max_length=255, unique=True)
    event = models.CharField(max_length=64, blank=True)
    handled_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        """Return what the admin shows."""
        return f"{self.event} {self.webhook_id}"


class Refund(models.Model):
    """One refund: written before it is asked for, so that a retry asks for the same one.

    is_answered: the staff has read what became of it.
    """

    class State(models.TextChoices):
        """ASKED: no answer yet. BEGUN: accepted. The others are the bank's word."""

        ASKED = "asked"
        BEGUN = "begun"
        DONE = "done"
        FAILED = "failed"

    source = models.ForeignKey(
        "payment.Source", on_delete=models.CASCADE, related_name="hundi_refunds"
    )
    request_id = models.CharField(max_length=64, unique=True)
    amount = models.DecimalField(decimal_places=2, max_digits=12)
    state = models.CharField(max_length=8, choices=State.choices, default=State.ASKED)
    is_answered = models.BooleanField(default=False)
    asked_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        """Return what the admin shows."""
        return f"{self.amount} {self.state} {self.request_id}"
