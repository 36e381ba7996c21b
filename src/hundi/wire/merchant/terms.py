"""Messages about prices, bank accounts and the next settlement, and `data` of their replies.

See docs/spec/payment-interfaces.md#terms-operations.
"""

import msgspec

from hundi.wire.merchant.values import Values, refuse_page_fields


class NextSettlementData(msgspec.Struct, frozen=True, kw_only=True):
    """The next settlement as it would come out of what is known now.

    settlement_day: ISO 8601, "" where nothing waits; due_at: ISO 8601, India. net_amount, splits_amount: what would be
    paid out; carried_amount: what would be left, with a sign. held: nothing is settled until an operator allows it.
    """

    settlement_day: str
    due_at: str
    items: int
    net_amount: str
    splits_amount: str
    carried_amount: str
    iso_currency: str = "INR"
    held: bool


class PriceData(msgspec.Struct, frozen=True, kw_only=True):
    """One price.

    An empty list is everything, and an empty amount no bound; above is left out, up_to is included.
    """

    rule: str
    channels: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    not_networks: tuple[str, ...] = ()
    card_types: tuple[str, ...] = ()
    not_card_types: tuple[str, ...] = ()
    above_amount: str = ""
    up_to_amount: str = ""
    percent: str
    fixed_amount: str
    minimum_amount: str = ""
    maximum_amount: str = ""


class PriceListData(msgspec.Struct, frozen=True, kw_only=True):
    """The prices in force today.

    plan_no: 0 and no prices where none were agreed: then payments cost nothing.
    """

    plan_no: int
    first_day: str
    prices: tuple[PriceData, ...]


class BankAccountData(msgspec.Struct, frozen=True, kw_only=True):
    """An account that is paid out to.

    account: the last four characters of its number. added_at: ISO 8601, India.
    """

    beneficiary: str
    holder: str
    account: str
    ifsc: str
    state: str
    added_at: str


def parse_nothing(values: Values) -> None:
    """Check a message that has no fields of its own. Raises FieldError."""
    refuse_page_fields(values, "no field")
