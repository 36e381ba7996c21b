"""Keep payments that this process has just opened, for the page and callback that follow.

See decision 0023.
"""

from cachetools import TTLCache

from hundi.kernel.clock import ticks_s
from hundi.payments.orders.rules import PaymentView

KEPT_MAX = 2_000
"""Payments kept at once, some 4 kB each; the oldest is dropped first."""
FOR_CALLBACK_S = 600.0
"""Seconds; a little longer than a QR is shown."""
FOR_PAGE_S = 2.0
"""Seconds from the form to the page that it leads to."""

_Key = tuple[int, int]


class RecentViews:
    """Payments as this process wrote them.

    Each is handed out once; a second look reads the database.

    Another process may have changed it since. So it may be shown only before its customer has seen
    anything of it, and decided on only where a step follows in any case: the step is written only
    if the revision is still the same.
    """

    def __init__(self, most: int = KEPT_MAX) -> None:
        """Start empty. most: payments kept at once."""
        self._for_page: TTLCache[_Key, PaymentView] = TTLCache(most, FOR_PAGE_S, timer=ticks_s)
        self._for_callback: TTLCache[_Key, PaymentView] = TTLCache(
            most, FOR_CALLBACK_S, timer=ticks_s
        )

    def keep(self, view: PaymentView) -> PaymentView:
        """Keep a payment that was just opened, and return it."""
        merchant_id = view.payment.merchant_id
        self._for_page[merchant_id, view.payment.payment_id] = view
        for attempt in view.attempts:
            self._for_callback[merchant_id, attempt.attempt_id] = view
        return view

    def for_page(self, merchant_id: int, payment_id: int) -> PaymentView | None:
        """Return a payment for the first look at its page."""
        return self._for_page.pop((merchant_id, payment_id), None)

    def forget(self, old: PaymentView) -> None:
        """Forget a payment that this process changes."""
        self._for_page.pop((old.payment.merchant_id, old.payment.payment_id), None)

    def for_callback(self, merchant_id: int, attempt_id: int) -> PaymentView | None:
        """Return a payment for the bank's first answer about its QR."""
        return self._for_callback.pop((merchant_id, attempt_id), None)
