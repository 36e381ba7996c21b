"""A merchant's terms of settlement: the next settlement, its prices, its bank accounts.

See docs/spec/payment-interfaces.md#terms-operations.
"""

from datetime import date, datetime

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation


@message()
class OwnTerms:
    """No fields: the terms are the sender's own."""


@message()
class NextSettlement:
    """The next settlement, as far as it is known now, in paise.

    day, due_at: None where nothing waits. net_paise, splits_paise: what would be paid out.
    carried_paise: what would be left; may be below zero. held: nothing is settled until an operator
    allows it.
    """

    day: date | None = sent(kinds.DAY, "settlement_day", "Empty when nothing waits")
    due_at: datetime | None = sent(kinds.MOMENT, meaning="Empty when nothing waits")
    items: int = sent(kinds.WHOLE)
    net_paise: int = sent(kinds.MONEY, "net_amount")
    splits_paise: int = sent(kinds.MONEY, "splits_amount")
    carried_paise: int = sent(kinds.BALANCE, "carried_amount", "What would be left, with its sign")
    currency: str = sent(kinds.NAME, "iso_currency", default="INR")
    held: bool = sent(kinds.FLAG)


@message()
class Price:
    """One price. Empty tuples mean everything; None is no bound.

    basis_points: hundredths of a per cent. above_paise: exclusive. up_to_paise: inclusive.
    """

    rule: str = sent(kinds.NAME)
    channels: tuple[str, ...] = sent(kinds.TEXTS, default=())
    networks: tuple[str, ...] = sent(kinds.TEXTS, default=())
    not_networks: tuple[str, ...] = sent(kinds.TEXTS, default=())
    card_types: tuple[str, ...] = sent(kinds.TEXTS, default=())
    not_card_types: tuple[str, ...] = sent(kinds.TEXTS, default=())
    above_paise: int | None = sent(kinds.LIMIT, "above_amount", "Itself left out", default=None)
    up_to_paise: int | None = sent(kinds.LIMIT, "up_to_amount", "Itself included", default=None)
    # Hundredths are to a per cent what paise are to a rupee.
    basis_points: int = sent(kinds.MONEY, "percent")
    fixed_paise: int = sent(kinds.MONEY, "fixed_amount")
    minimum_paise: int | None = sent(kinds.LIMIT, "minimum_amount", default=None)
    maximum_paise: int | None = sent(kinds.LIMIT, "maximum_amount", default=None)


@message()
class PriceList:
    """The prices in force today.

    plan_no: 0 and no prices where none were agreed: then payments cost nothing.
    """

    plan_no: int = sent(kinds.WHOLE)
    first_day: date | None = sent(kinds.DAY)
    prices: tuple[Price, ...] = sent(kinds.objects(Price))


@message()
class BankAccount:
    """An account that receives payouts.

    account: the last four characters of its number. state: it gets payouts only if verified.
    """

    beneficiary: str = sent(kinds.NAME)
    holder: str = sent(kinds.WORDS)
    account: str = sent(kinds.NAME)
    ifsc: str = sent(kinds.NAME)
    state: str = sent(kinds.NAME)
    added_at: datetime | None = sent(kinds.MOMENT)


@message()
class BankAccounts:
    """The accounts that receive payouts."""

    accounts: tuple[BankAccount, ...] = sent(kinds.objects(BankAccount))


_SECTION = "payment-interfaces.md#terms-operations"
NEXT = Operation(
    "settlement/next",
    "nextSettlement",
    "next_settlement",
    "Show the next settlement",
    _SECTION,
    ("settlement/next/",),
    OwnTerms,
    NextSettlement,
    "read",
    words="Payments of the last minutes may be missing. Safe to repeat.",
)
PRICES = Operation(
    "fees",
    "priceList",
    "price_list",
    "List the prices in force",
    _SECTION,
    ("fees/",),
    OwnTerms,
    PriceList,
    "read",
    words="Safe to repeat.",
)
ACCOUNTS = Operation(
    "bankaccount/list",
    "listBankAccounts",
    "bank_accounts",
    "List the accounts that are paid out to",
    _SECTION,
    ("bankaccount/list/",),
    OwnTerms,
    BankAccounts,
    "read",
    words="Safe to repeat. Only an operator changes them.",
    gives="accounts",
)
