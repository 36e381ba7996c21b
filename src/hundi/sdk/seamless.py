"""Payments that the merchant's own server begins, answered by the customer's next step.

See docs/spec/payment-interfaces.md#seamless.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.sdk.order import Order
from hundi.wire.merchant.seamless import BEGIN, CardFields, SeamlessRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card as its holder typed it. Store it nowhere: it has no readable form. expiry: `MM/YY`."""

    number: str = field(repr=False)
    expiry: str = field(repr=False)
    cvv: str = field(repr=False)
    holder: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectPayment:
    """An order, and its customer's way to pay; needs a merchant enabled for it.

    pay_by: `upi`, `nb`, `ppc`, `payltr` or `pg`. vpa: of a request to a UPI app; without it the
    reply has a link. bank_code: of a bank, wallet or lender. customer_ip, customer_agent: address
    and User-Agent of the customer's device, for risk rules.
    """

    order: Order
    pay_by: str
    vpa: str = ""
    bank_code: str = ""
    card: Card | None = None
    customer_ip: str = ""
    customer_agent: str = ""

    @property
    def asked(self) -> SeamlessRequest:
        """The message that begins it. Raises InvalidOrderError for an impossible order."""
        _ = self.order.fields()
        order, card = self.order.asked, self.card
        of_order: dict[str, Any] = {
            each.name: getattr(order, each.name) for each in fields(order) if each.name != "vpa"
        }
        return SeamlessRequest(
            **of_order,
            pay_by=self.pay_by,
            vpa=self.vpa,
            bank_code=self.bank_code,
            card=card
            and CardFields(
                number=card.number, expiry=card.expiry, cvv=card.cvv, holder=card.holder
            ),
            customer_ip=self.customer_ip,
            customer_agent=self.customer_agent,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """The customer's next step.

    action: `redirect` (send the browser to `redirect_url`), `form` (let it post `redirect_fields`
    there), `upi_link` (open `link`, or show it as a QR), `wait` (they approve in an app), or
    `none`: nothing is under way, and bank_code says why. payable_paise: what they pay,
    surcharge_paise included; 0 where nothing is under way. status_code, payment_status: of the
    order.
    """

    action: str
    redirect_url: str
    link: str
    transaction_id: str
    order_id: str
    payable_paise: int
    surcharge_paise: int
    status_code: int
    payment_status: str
    bank_code: str
    bank_message: str
    redirect_fields: Mapping[str, str] = field(default_factory=dict[str, str])


def begin(calls: Calls, payment: DirectPayment) -> Steps[NextStep]:
    """Begin a payment. It is sent once: a second request may find the first one under way."""
    reply = yield from perform(calls, BEGIN, payment.asked)
    return NextStep(
        action=reply.action,
        redirect_url=reply.redirect_url,
        link=reply.link,
        transaction_id=reply.transaction_id,
        order_id=reply.order_id,
        payable_paise=reply.payable_paise,
        surcharge_paise=reply.surcharge_paise,
        status_code=reply.status_code,
        payment_status=reply.payment_status,
        bank_code=reply.bank_code,
        bank_message=reply.bank_message,
        redirect_fields=dict(reply.redirect_fields),
    )
