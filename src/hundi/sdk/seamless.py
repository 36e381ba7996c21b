"""Payments that the merchant's own server begins; what the customer does next comes back.

See docs/spec/payment-interfaces.md#seamless.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.order import Order
from hundi.sdk.outgoing import checked
from hundi.wire.merchant.seamless import NEXT, parse_seamless

SEAMLESS_PATH = "/gateway/pay/v4/api/seamless/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card as its holder typed it. Keep it nowhere: it has no readable form. expiry: `MM/YY`."""

    number: str = field(repr=False)
    expiry: str = field(repr=False)
    cvv: str = field(repr=False)
    holder: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectPayment:
    """An order, and how its customer wants to pay; needs a merchant enabled for it.

    pay_by: `upi`, `nb`, `ppc`, `payltr` or `pg`. vpa: of a request to a UPI app; without it comes a
    link. bank_code: of a bank, wallet or lender. customer_ip, customer_agent: address and
    User-Agent of the customer's device, for risk rules.
    """

    order: Order
    pay_by: str
    vpa: str = ""
    bank_code: str = ""
    card: Card | None = None
    customer_ip: str = ""
    customer_agent: str = ""

    def fields(self, shop_origin: str = "") -> dict[str, str]:
        """Return the payload, checked by the gateway's own bounds.

        Raises InvalidRequestError, which repeats nothing of a card.
        """
        card = self.card
        optional = {
            "pay_by": self.pay_by,
            "vpa": self.vpa,
            "bank_code": self.bank_code,
            "card_number": card.number if card else "",
            "card_expiry": card.expiry if card else "",
            "card_cvv": card.cvv if card else "",
            "card_holder": card.holder if card else "",
            "customer_ip": self.customer_ip,
            "customer_agent": self.customer_agent,
        }
        payload = self.order.fields(shop_origin) | {
            name: value for name, value in optional.items() if value
        }
        _ = checked(parse_seamless, payload)
        return payload


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What the customer does next.

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
    fields = payment.fields(calls.shop_origin)
    told = incoming.data(
        (yield from calls.ask(SEAMLESS_PATH, fields, as_json=True, repeats=False)), "seamless"
    )
    order_id = incoming.text(told, "orderid")
    if order_id != payment.order.order_id:
        raise errors.MismatchError("orderid", payment.order.order_id, order_id)
    action, status = (
        incoming.demanded(told, "next_action"),
        incoming.text(told, "transaction_status"),
    )
    if action not in NEXT or not (status.isascii() and status.isdigit()):
        message = (
            f"the reply to seamless says next_action {action!r} and transaction_status {status!r}"
        )
        raise errors.UnreadableReplyError(message)
    return NextStep(
        action=action,
        redirect_url=incoming.text(told, "redirect_url"),
        link=incoming.text(told, "upi_link"),
        transaction_id=incoming.demanded(told, "ap_transactionid"),
        order_id=order_id,
        payable_paise=_paise(incoming.text(told, "payable_amount")),
        surcharge_paise=_paise(incoming.text(told, "surcharge_amount")),
        status_code=int(status),
        payment_status=incoming.text(told, "transaction_payment_status"),
        bank_code=incoming.text(told, "bank_response_code"),
        bank_message=incoming.text(told, "bank_response_msg"),
        redirect_fields=_form(told.get("redirect_fields")),
    )


def _form(told: object) -> dict[str, str]:
    if told is None:
        return {}
    fields = cast("dict[object, object]", told) if isinstance(told, dict) else None
    if fields is None or not all(isinstance(each, str) for pair in fields.items() for each in pair):
        message = "the reply to seamless has redirect_fields that are no form"
        raise errors.UnreadableReplyError(message)
    return cast("dict[str, str]", fields)


def _paise(written: str) -> int:
    return incoming.paise(written, "payable_amount") if written else 0
