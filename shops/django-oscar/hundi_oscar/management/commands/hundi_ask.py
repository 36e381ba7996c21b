"""Asks the gateway about orders that still wait, for notifications that never came."""

from datetime import timedelta

from django.core.management.base import BaseCommand
from django.utils import timezone

from hundi.sdk.errors import HundiError
from hundi_oscar import books


class Command(BaseCommand):
    """`manage.py hundi_ask`, every quarter of an hour by cron."""

    help = "Asks Hundi about orders of the last week that still wait for their payment."

    def handle(self, *_args: object, **_options: object) -> None:
        """Ask about each, and print how it stands."""
        now = timezone.now()
        waiting = books.Source.objects.filter(
            source_type__name=books.HUNDI,
            amount_debited=0,
            order__date_placed__range=(now - timedelta(days=7), now - timedelta(minutes=1)),
        ).exclude(transactions__txn_type=books.FAILED)
        for source in waiting.select_related("order"):
            try:
                told = books.ask(source).payment_status
            except HundiError as error:
                told = str(error)
            self.stdout.write(f"{source.reference}: {told}")
