"""How a payment is shared, to the paisa; pure (docs/spec/payment-interfaces.md#split-rounding)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hundi.instruments.bank_names import is_ifsc
from hundi.kernel.money import rupees
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import PaymentState, SplitKind
from hundi.money.ledger.chart.rules import PAYABLE_LINKED
from hundi.payments.direct_shares.rules import LinkedParty, part_left
from hundi.payments.orders.rules import Payment, PaymentView

WHOLE = 100_00
"""100.00 per cent in hundredths of a per cent."""
SHAREABLE = frozenset({PaymentState.PAID, PaymentState.CAPTURED})
PRIMARY = "primary"
"""Another name of the merchant's own account, beside its merchant id.

See docs/spec/payment-interfaces.md#split-flat.
"""
LEDGER_ACCOUNT = PAYABLE_LINKED.code
"""The chart's line from which linked accounts are paid.

Each has its own account of it, by number.
"""
NAME_LENGTH_MAX = 100
_NUMBER = re.compile(r"[0-9A-Z]{9,18}\Z")
_PARTY = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class SharePart:
    """One linked account's share. value: paise, or hundredths of a per cent."""

    identifier: str
    value: int


@dataclass(frozen=True, slots=True)
class SplitOrder:
    """A merchant's request to share a payment.

    primary_value: what stays with the merchant, in the unit of the parts.

    rrn, primary_identifier: "" when not given. content_hash: 32 bytes over all of it, tells a
    repeat from a change.
    """

    payment_id: int
    request_id: str
    kind: SplitKind
    primary_value: int
    parts: tuple[SharePart, ...]
    content_hash: bytes
    rrn: str = ""
    primary_identifier: str = ""


@dataclass(frozen=True, slots=True)
class Shares:
    """Everybody's amount in paise: parts in the order of the request; the sum is the base."""

    primary_paise: int
    parts_paise: tuple[int, ...]


def check_target(view: PaymentView | None, request: SplitOrder, merchant_id: int) -> PaymentView:
    """Return the payment, if it matches the request.

    Raises Refused: NO_RECORDS, FIELD_INVALID.
    """
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    # An unpaid payment has no RRN to compare; it is refused for being unpaid.
    if view.success is not None and request.rrn != view.success.rrn:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="rrn",
            received=request.rrn,
            allowed="the RRN of this transaction",
        )
    if request.primary_identifier not in {"", PRIMARY, str(merchant_id)}:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="PRIACCT_IDENTIFIER",
            received=request.primary_identifier,
            allowed=f"{PRIMARY} or {merchant_id}",
        )
    return view


def check_shareable(payment: Payment, *, settled: bool) -> None:
    """Refuse when there is nothing left to share.

    Raises Refused (STATE_FORBIDS, CHANNEL_NOT_ENABLED).
    """
    if payment.amount.currency != "INR":
        received = payment.amount.currency
        raise refuse(
            RefusalCode.CHANNEL_NOT_ENABLED,
            field="currency_code",
            received=received,
            allowed="INR for splits",
        )
    settled, left = settled or payment.settled_at is not None, payment.remaining.paise
    if payment.state not in SHAREABLE or settled or left <= 0:
        state = "settled" if settled else payment.state if left > 0 else "refunded whole"
        raise Refused(wrong_state("payment", state, *sorted(SHAREABLE)))


def shares(request: SplitOrder, base_paise: int) -> Shares:
    """Return the shares of an amount; paise left by rounding go to the primary account.

    Raises Refused (FIELD_INVALID) when amounts do not add up to it.
    """
    if request.kind is SplitKind.PERCENTAGE:
        parts = tuple(base_paise * part.value // WHOLE for part in request.parts)
        return Shares(base_paise - sum(parts), parts)
    total = request.primary_value + sum(part.value for part in request.parts)
    if total != base_paise:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="splits",
            received=f"{rupees(total)} in all",
            allowed=f"amounts that add up to {rupees(base_paise)}, what was captured less refunds",
        )
    return Shares(request.primary_value, tuple(part.value for part in request.parts))


def reduced(standing: Shares, base_paise: int) -> Shares:
    """Return the shares after refunds, in proportion.

    Paise left by rounding go to the primary account.

    base_paise: what is left of the payment. If it is more than was shared, because a refund failed,
    the primary gets the rest.
    """
    before = standing.primary_paise + sum(standing.parts_paise)
    parts = tuple(part_left(paise, before, base_paise) for paise in standing.parts_paise)
    return Shares(base_paise - sum(parts), parts)


def check_identifiers(request: SplitOrder, identifiers: Sequence[str]) -> None:
    """Raise Refused (FIELD_INVALID) naming the first part without a linked account."""
    for part in request.parts:
        if part.identifier not in identifiers:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="identifier",
                received=part.identifier,
                allowed="a linked account of this merchant",
            )


def check_linked_account(
    merchant_id: int, identifier: str, name: str, number: str, ifsc: str
) -> None:
    """Raise Refused naming the first fault of an account to link."""
    if identifier in {PRIMARY, str(merchant_id)}:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="identifier",
            received=identifier,
            allowed="another name: this one is the merchant's own account",
        )
    for field, value, right, allowed in (
        (
            "identifier",
            identifier,
            bool(_IDENTIFIER.match(identifier)),
            "1 to 64 of A-Z a-z 0-9 - _ .",
        ),
        ("name", name, is_name(name, NAME_LENGTH_MAX), name_words(NAME_LENGTH_MAX)),
        ("ifsc", ifsc, is_ifsc(ifsc), "an IFSC such as HDFC0000001 of a bank that exists"),
    ):
        if not right:
            raise refuse(
                RefusalCode.FIELD_INVALID, field=field, received=value[:64], allowed=allowed
            )
    if not _NUMBER.match(number):
        # The account number stays out of every answer.
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="number",
            received="(not shown)",
            allowed="9 to 18 of 0-9 A-Z",
        )


def check_party(party: LinkedParty) -> None:
    """Raise Refused (FIELD_INVALID) for what cannot be an acquirer's name of a linked account."""
    if not _PARTY.match(party.party):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="party",
            received=party.party[:64],
            allowed="1 to 64 of A-Z a-z 0-9 - _ .",
        )
