"""The receipt of a paid order as PDF, for everyone who has the session's address."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litestar import Response

from hundi.api.addresses import WHERE_PAGE
from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.kernel.money import Money, rupees, shown
from hundi.kernel.registrations import STATES
from hundi.merchants.directory.rules import Merchant
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices.rules import Party
from hundi.page import endings
from hundi.page.assets import page_headers
from hundi.page.rules import charged
from hundi.page.sessions import AnyRequest, NoPaymentError, Opened, opened_at
from hundi.page.texts import Say, speaker
from hundi.payments.links import actions as linking
from hundi.payments.links.items.rules import LinkItem, items_sum
from hundi.payments.links.rules import link_of
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunding
from hundi.payments.refunds.rules import Refund

PDF = "application/pdf"
Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a receipt says, in the customer's language.

    payee: name, address, registration, contact. facts: labels with values. items: what was bought,
    with amounts. sums: from the order's amount to what is paid after refunds. logo: PNG or JPEG of
    the payee, b"" for none.
    """

    title: str
    when: str
    payee: tuple[str, ...]
    facts: tuple[Line, ...]
    sums: tuple[Line, ...]
    notes: tuple[str, ...]
    items: tuple[Line, ...] = ()
    logo: bytes = b""

    @property
    def texts(self) -> Iterator[str]:
        """Yield every text of the receipt but the title."""
        yield from (*self.payee, *self.notes)
        for pair in (*self.facts, *self.items, *self.sums):
            yield from pair


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What a receipt is made of. party: as the operator wrote it for invoices, None for none.

    description: what was paid for, "" if nobody said. refunds: of the payment, oldest first.
    simulated: no real money moved. items: what was paid for, line by line. where: the address at
    which the payer asks where the money is, "" for none.
    """

    view: PaymentView
    merchant: Merchant
    party: Party | None = None
    description: str = ""
    refunds: Sequence[Refund] = ()
    simulated: bool = False
    items: Sequence[LinkItem] = ()
    where: str = ""


async def download(request: AnyRequest) -> Response[bytes]:
    """Return the receipt of a session's order. Raises NoPaymentError if nothing was paid."""
    return await pdf_of(await opened_at(request))


async def pdf_of(opened: Opened) -> Response[bytes]:
    """Return the receipt of an order. Raises NoPaymentError if nothing was paid."""
    if not endings.has_receipt(opened.view):
        raise NoPaymentError
    # Loaded with the first receipt: other pages do not need the large library.
    from hundi.page.receipt_drawing import receipt_pdf  # noqa: PLC0415

    say = speaker(opened.language)
    receipt = receipt_of(await _facts(opened), say)
    pdf = await asyncio.to_thread(receipt_pdf, receipt, say)
    name = f"receipt-{opened.payment.payment_id}.pdf"
    headers = {**page_headers(()), "content-disposition": f'attachment; filename="{name}"'}
    return Response(pdf, media_type=PDF, headers=headers)


async def _facts(opened: Opened) -> ReceiptFacts:
    context, payment, paid = opened.gateway.payments, opened.payment, opened.view.success
    link_id = link_of(payment)
    link = (
        await linking.find(context, payment.merchant_id, opened.now, link_id=link_id)
        if link_id is not None
        else None
    )
    return ReceiptFacts(
        opened.view,
        opened.merchant,
        await invoices.party_of(opened.gateway.db, payment.merchant_id),
        link.link.description if link else "",
        await refunding.of_payment(context, payment) if payment.refunds else (),
        simulated=paid is not None and opened.gateway.connectors.get(paid.connector).simulated,
        items=link.link.items if link else (),
        where=opened.gateway.settings.payment_page_url + WHERE_PAGE,
    )


def receipt_of(facts: ReceiptFacts, say: Say) -> Receipt:
    """Return what a receipt says. The same facts give the same receipt on every day."""
    view, merchant = facts.view, facts.merchant
    paid = view.success
    notes = [say("receipt_no_invoice", merchant=merchant.name), say("receipt_later")]
    notes += [f"{say('where_title')} {facts.where}"] if facts.where else []
    notes += [say("simulated")] if facts.simulated else []
    return Receipt(
        title=say("receipt_title"),
        when=say.moment((paid and paid.settled_at) or view.payment.created_at),
        payee=_payee(facts, say),
        facts=tuple(_facts_of(facts, say)),
        sums=tuple(_sums(facts, say)),
        notes=tuple(notes),
        items=tuple(_items(facts, say)),
    )


def _items(facts: ReceiptFacts, say: Say) -> Iterator[Line]:
    """Yield what was bought, where all of it was paid: a part of a link pays no single line."""
    is_whole = items_sum(facts.items) == facts.view.payment.amount.paise
    for item in facts.items if is_whole else ():
        many = f" {say('link_quantity', quantity=str(item.quantity))}" if item.quantity > 1 else ""
        yield f"{item.description}{many}", rupees(item.amount_paise)


def _payee(facts: ReceiptFacts, say: Say) -> tuple[str, ...]:
    party, support = facts.party, facts.merchant.settings.support
    lines = [facts.merchant.name]
    if party is not None:
        lines += [party.name] if party.name != facts.merchant.name else []
        lines += [party.address, STATES[party.state]]
        lines += [f"GSTIN {party.gstin}"] if party.gstin else []
    return (*lines, *([say("help", support=support)] if support else []))


def _facts_of(facts: ReceiptFacts, say: Say) -> Iterator[Line]:
    if facts.description:
        yield say("receipt_for"), facts.description
    if facts.view.success is not None:
        channel = CHANNEL_OF_METHOD[facts.view.success.method]
        yield say("receipt_by"), say(channel.form or channel.code)
    yield from ((each.label, each.value) for each in endings.references(facts.view, say))


def _sums(facts: ReceiptFacts, say: Say) -> Iterator[Line]:
    total, paid = charged(facts.view), facts.view.success
    if paid is not None and paid.surcharge_paise:
        fee = Money(paid.surcharge_paise, total.currency)
        yield say("receipt_order"), shown(total - fee)
        yield say("receipt_fee"), shown(fee)
    yield say("receipt_total"), shown(total)
    left = total
    for refund in facts.refunds:
        if not endings.stands_for_merchant(refund):
            continue
        left -= refund.amount
        label = (
            say(
                "receipt_refund",
                when=refund.settled_at,
                reference=refund.rrn or refund.reference,
            )
            if refund.settled_at
            else say("receipt_refund_begun")
        )
        yield label, shown(Money(-refund.amount.paise, total.currency))
    if left != total:
        yield say("receipt_left"), shown(left)
