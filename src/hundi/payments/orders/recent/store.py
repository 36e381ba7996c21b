"""Keep payments that this process has just opened, for the page and callback that follow.

See decision 0023.
"""

from hundi.kernel.clock import ticks_s
from hundi.payments.orders.rules import PaymentView

KEPT_MAX = 2_000
"""Payments kept at once, some 4 kB each; the oldest is dropped first."""
FOR_CALLBACK_S = 600.0
"""Seconds; a little longer than a QR is shown."""
FOR_PAGE_S = 2.0
"""Seconds from the form to the page that it leads to."""

_Key = tuple[int, int]


class _HandedOutOnce:
    """Payments by key for a while, oldest first."""

    def __init__(self, most: int, kept_s: float) -> None:
        self._most, self._kept_s = most, kept_s
        self._views: dict[_Key, tuple[float, PaymentView]] = {}

    def keep(self, key: _Key, view: PaymentView) -> None:
        self._views[key] = (ticks_s() + self._kept_s, view)
        if len(self._views) > self._most:
            del self._views[next(iter(self._views))]

    def take(self, key: _Key) -> PaymentView | None:
        until_s, view = self._views.pop(key, (0.0, None))
        return view if ticks_s() < until_s else None


class RecentViews:
    """Payments as this process wrote them.

    Each is handed out once; a second look reads the database.

    Another process may have changed it since. So it may be shown only before its customer has seen
    anything of it, and decided on only where a step follows in any case: the step is written only
    if the revision is still the same.
    """

    def __init__(self, most: int = KEPT_MAX) -> None:
        """Start empty. most: payments kept at once."""
        self._for_page = _HandedOutOnce(most, FOR_PAGE_S)
        self._for_callback = _HandedOutOnce(most, FOR_CALLBACK_S)

    def keep(self, view: PaymentView) -> PaymentView:
        """Keep a payment that was just opened, and return it."""
        merchant_id = view.payment.merchant_id
        self._for_page.keep((merchant_id, view.payment.payment_id), view)
        for attempt in view.attempts:
            self._for_callback.keep((merchant_id, attempt.attempt_id), view)
        return view

    def for_page(self, merchant_id: int, payment_id: int) -> PaymentView | None:
        """Return a payment for the first look at its page."""
        return self._for_page.take((merchant_id, payment_id))

    def forget(self, old: PaymentView) -> None:
        """Forget a payment that this process changes."""
        self._for_page.take((old.payment.merchant_id, old.payment.payment_id))

    def for_callback(self, merchant_id: int, attempt_id: int) -> PaymentView | None:
        """Return a payment for the bank's first answer about its QR."""
        return self._for_callback.take((merchant_id, attempt_id))
