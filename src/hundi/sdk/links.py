"""Payment links: amounts that customers pay at an address of their own.

See docs/spec/payment-interfaces.md#payment-links.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import Message, Payload, amount_text, checked
from hundi.wire.merchant import links as wire

_PATH = "/gateway/pay/v4/api/link/{}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPayment:
    """A payment under a link, in paise.

    counted_paise: what it adds to the link. returned_paise: what goes back of it.
    """

    order_id: str
    transaction_id: str
    amount_paise: int
    counted_paise: int
    returned_paise: int
    paid_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentLink:
    """A payment link as the gateway knows it now, in paise.

    url: send it to your customer; whoever has it can pay. state: open, partly_paid, paid, expired or cancelled.
    minimum_paise: least of one part, 0 where it is paid at once. payments: what was paid, empty in a list.
    """

    link_id: str
    reference: str
    url: str = field(repr=False)
    state: str
    amount_paise: int
    paid_paise: int
    minimum_paise: int
    description: str
    surplus: str
    created_at: datetime | None
    valid_until: datetime | None
    payments: tuple[LinkPayment, ...] = ()

    @property
    def is_paid(self) -> bool:
        """All of it is paid."""
        return self.state == "paid"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPaymentLink:
    """A link to make, in paise. reference: your own name of it; the same request under it makes one link.

    minimum_paise: lets it be paid in parts of at least so much. surplus: what becomes of money beyond the amount.
    """

    reference: str
    amount_paise: int
    description: str
    minimum_paise: int = 0
    valid_days: int = wire.DAYS
    surplus: Literal["refund", "keep"] = "refund"
    customer_email: str = ""
    customer_phone: str = ""


def create(calls: Calls, new: NewPaymentLink) -> Steps[PaymentLink]:
    """Make a link. Safe to repeat: the reference makes it one."""
    payload = {
        "link_reference": new.reference,
        "amount": amount_text(new.amount_paise),
        "description": new.description,
        "minimum": amount_text(new.minimum_paise, "minimum") if new.minimum_paise else "",
        "valid_days": str(new.valid_days),
        "surplus": new.surplus,
        "customer_email": new.customer_email,
        "customer_phone": new.customer_phone,
    }
    return (yield from _ask(calls, "create", wire.parse_new_link, _sent(payload)))


def status(calls: Calls, link_id: str, reference: str) -> Steps[PaymentLink]:
    """Return one link by either of its names."""
    payload = _sent({"link_id": link_id, "link_reference": reference})
    return (yield from _ask(calls, "status", wire.parse_link, payload))


def cancel(calls: Calls, link_id: str) -> Steps[PaymentLink]:
    """Cancel a link for good; twice is one cancellation."""
    return (yield from _ask(calls, "cancel", wire.parse_link, {"link_id": link_id}))


def listing(calls: Calls, before: str) -> Steps[tuple[PaymentLink, ...]]:
    """Return links, newest first."""
    payload = _sent({"before": before})
    _ = checked(wire.parse_list_links, payload)
    envelope = yield from calls.ask(_PATH.format("list"), payload)
    listed = incoming.data(envelope, "link/list").get("links")
    return tuple(map(_read, incoming.records(listed, "link/list")))


def _sent(fields: dict[str, str]) -> Payload:
    return {name: value for name, value in fields.items() if value}


def _ask(calls: Calls, verb: str, parse: Callable[[Payload], Message], payload: Payload) -> Steps[PaymentLink]:
    _ = checked(parse, payload)
    envelope = yield from calls.ask(_PATH.format(verb), payload)
    found = _read(incoming.data(envelope, f"link/{verb}"))
    for name, received in {"link_id": found.link_id, "link_reference": found.reference}.items():
        expected = str(payload.get(name, received))
        if expected != received:
            raise errors.MismatchError(name, expected, received)
    return found


def _read(record: Record) -> PaymentLink:
    minimum = incoming.text(record, "minimum")
    return PaymentLink(
        link_id=incoming.demanded(record, "link_id"),
        reference=incoming.demanded(record, "link_reference"),
        url=incoming.demanded(record, "url"),
        state=incoming.demanded(record, "state"),
        amount_paise=_paise(record, "amount"),
        paid_paise=_paise(record, "paid_amount"),
        minimum_paise=incoming.paise(minimum, "minimum") if minimum else 0,
        description=incoming.demanded(record, "description"),
        surplus=incoming.demanded(record, "surplus"),
        created_at=incoming.moment(incoming.text(record, "created_at"), "created_at"),
        valid_until=incoming.moment(incoming.text(record, "valid_until"), "valid_until"),
        payments=tuple(map(_payment, incoming.records(record.get("payments") or [], "link"))),
    )


def _payment(record: Record) -> LinkPayment:
    return LinkPayment(
        order_id=incoming.demanded(record, "orderid"),
        transaction_id=incoming.demanded(record, "ap_transactionid"),
        amount_paise=_paise(record, "amount"),
        counted_paise=_paise(record, "counted_amount"),
        returned_paise=_paise(record, "returned_amount"),
        paid_at=incoming.moment(incoming.text(record, "paid_at"), "paid_at"),
    )


def _paise(record: Record, name: str) -> int:
    return incoming.paise(incoming.demanded(record, name), name)
