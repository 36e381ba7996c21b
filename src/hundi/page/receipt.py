"""The receipt of a paid order as PDF, for everyone who has the session's address."""

import asyncio

from litestar import Response

from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.kernel.money import shown
from hundi.merchants.directory.rules import Merchant
from hundi.page import endings
from hundi.page.assets import page_headers
from hundi.page.rules import charged
from hundi.page.sessions import AnyRequest, NoPaymentError, opened_at
from hundi.page.texts import DEFAULT_LANGUAGE, speaker
from hundi.payments.orders.rules import PaymentView

TITLE = "Receipt"
REFUNDS = "This receipt says what was paid. Money that went back later is not on it."
PDF = "application/pdf"


async def download(request: AnyRequest) -> Response[bytes]:
    """Return the receipt of a session's order. Raises NoPaymentError if nothing was paid."""
    opened = await opened_at(request)
    if not endings.has_receipt(opened.view):
        raise NoPaymentError
    # Loaded with the first receipt: other pages do not need the large library.
    from hundi.money.reports.pages import receipt_pdf  # noqa: PLC0415

    paid = opened.view.success
    simulated = paid is not None and opened.gateway.connectors.get(paid.connector).simulated
    pdf = await asyncio.to_thread(
        receipt_pdf, TITLE, rows(opened.view, opened.merchant), notes(simulated=simulated)
    )
    name = f"receipt-{opened.payment.payment_id}.pdf"
    headers = {**page_headers(()), "content-disposition": f'attachment; filename="{name}"'}
    return Response(pdf, media_type=PDF, headers=headers)


def rows(view: PaymentView, merchant: Merchant) -> list[tuple[str, str]]:
    """Return the rows of a receipt: only what the result page shows."""
    say = speaker(DEFAULT_LANGUAGE)
    lines = [("Paid to", merchant.name), (say("amount"), shown(charged(view)))]
    if view.success is not None:
        lines.append(("Paid by", CHANNEL_OF_METHOD[view.success.method].title))
    return lines + [(each.label, each.value) for each in endings.references(view, say)]


def notes(*, simulated: bool) -> list[str]:
    """Return the sentences below a receipt. simulated: no real money moved."""
    return [REFUNDS, *([speaker(DEFAULT_LANGUAGE)("simulated")] if simulated else [])]
