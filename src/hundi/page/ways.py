"""Which ways to pay a page shows, in which order, which is open, why others are absent; pure."""

from collections.abc import Iterator, Sequence

from hundi.instruments import limits
from hundi.instruments.methods import CARDS, CHANNELS, EMI, SCANNED, UPI
from hundi.instruments.surcharge import surcharges
from hundi.kernel.money import rupees
from hundi.merchants.directory.rules import Merchant
from hundi.page import methods
from hundi.page.facts import Drawn, Lists, Typed
from hundi.page.screens import Upi
from hundi.page.texts import Say
from hundi.payments.availability.use.rules import rare_ways
from hundi.payments.orders.rules import Payment, PaymentView
from hundi.payments.routing.needs.rules import RUPEES

_CHANNEL_OF_ROW = {each.form: code for code, each in CHANNELS.items() if each.form} | {
    "vpa": UPI.code
}


def rows_of(channels: Sequence[str], lists: Lists) -> tuple[str, ...]:
    """Return the channels with a row, in the merchant's order but for a customer's saved cards.

    Instalments need an allowed amount, or to be the only row. Saved cards come first: they are the
    quickest way.
    """
    codes = tuple(code for code in channels if code in CHANNELS)
    if not lists.emi.any and codes != (EMI.code,):
        codes = tuple(code for code in codes if code != EMI.code)
    if lists.saved and CARDS.code in codes:
        return (CARDS.code, *(code for code in codes if code != CARDS.code))
    return codes


def open_row(
    view: PaymentView, typed: Typed, order: Sequence[str], upi: Upi | None, lists: Lists
) -> str:
    """Return the row that is open at first, "" for none.

    The first of these: a form that came back; an account or voucher that waits for money; the way
    that failed last; saved cards; a QR that was asked for; the first row.
    """
    before = typed.form or methods.waiting_row(view) or methods.failed_row(view)
    if before:
        return before
    if lists.saved and CARDS.code in order:
        return CARDS.form
    if upi is not None and upi.asked:
        # A customer who asked for a QR sees it; opening the row asks for it.
        return UPI.code if upi.qr else ""
    return CHANNELS[order[0]].form or order[0] if order else ""


def folded(order: Sequence[str], row: str, drawn: Drawn, lists: Lists) -> tuple[str, ...]:
    """Return the channels to fold; never the open one, nor one whose account or voucher waits.

    row: the one that is open.
    """
    waiting = {*drawn.accounts, *(("cash",) if drawn.voucher else ())}
    return rare_ways(order, lists.uses, {_CHANNEL_OF_ROW.get(row, row), *waiting})


def absent(payment: Payment, merchant: Merchant, order: Sequence[str], say: Say) -> Iterator[str]:
    """Yield why ways that this merchant offers cannot pay this amount."""
    if payment.amount.currency != RUPEES:
        return
    if EMI.code in payment.channels and EMI.code not in order:
        yield say("way_no_plan", way=say(EMI.code))
    settings = merchant.settings
    missing = [code for code in settings.channels if code not in payment.channels]
    if UPI.code in missing:
        # The other codes to scan have the same limit: one sentence is enough.
        missing = [code for code in missing if code == UPI.code or code not in SCANNED]
    for code in missing:
        paise = payment.amount.paise
        charged = paise + sum(surcharges(settings.surcharges, (code,), paise))
        way = say(CHANNELS[code].form or code)
        least, most = limits.minimum(code), limits.maximum(code, settings.mcc)
        if least is not None and charged < least:
            yield say("way_least", way=way, least=rupees(least))
        if most is not None and charged > most:
            yield say("way_most", way=way, most=rupees(most))
