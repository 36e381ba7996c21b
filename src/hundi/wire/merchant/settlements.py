"""Settlements and payouts: the operations on them and their messages.

See docs/spec/payment-interfaces.md#settlement-operations.
"""

from datetime import date, datetime

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

PAYOUT_STATES = ("waiting", "sent", "done", "refused", "returned", "reversed", "held_back")
ID = kinds.digits("A settlement, as the list names it", "217383559000000")
BEFORE = kinds.described(
    kinds.TRANSACTION_ID, "The last id that you have: the page begins after it"
)
PLACE = kinds.matching(
    r"[0-9]{1,15}-[a-z_]{1,40}", "an item_id of this list", "217383559059812-payment"
)


@message()
class SettlementsBefore:
    """Settlements, newest first.

    before: the last settlement_id that you have, for those that are older.
    """

    before: str = sent(BEFORE, default="")


@message()
class SettlementName:
    """The id of a settlement."""

    settlement_id: str = sent(ID)


@message()
class SettlementItemsAfter:
    """A settlement, whose items to list, oldest first. after: `next` of the page before."""

    settlement_id: str = sent(ID)
    after: str = sent(PLACE, meaning="The item_id after which the page begins", default="")


@message()
class PayoutsBefore:
    """Payouts, newest first. before: the last payout_id that you have, for those that are older.

    state: waiting, sent, done, refused, returned, reversed or held_back; "" for all.
    """

    state: str = sent(kinds.one_of(*PAYOUT_STATES), meaning="Only those in this state", default="")
    before: str = sent(BEFORE, default="")


@message()
class SettlementShare:
    """One bank account's share of a settlement.

    beneficiary: "primary" for your own, or a linked account. payout_id, payout_state: of the newest
    payout of the share, "" before there is one. utr: of the payout that arrived, "" until then.
    """

    beneficiary: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY, "amount")
    payout_id: str = sent(kinds.WORDS, meaning="Of the newest attempt to pay it out", default="")
    payout_state: str = sent(kinds.WORDS, default="")
    utr: str = sent(kinds.WORDS, default="")


@message()
class Settlement:
    """What you were owed on one day, in whole paise.

    kind: "daily" or "instant". items: their number. refunds_paise, other_paise (disputes and
    corrections), carried_in_paise (what the settlement before left) and carried_paise (what this
    one leaves) may be below zero. fee_paise, tax_paise: of the items. instant_fee_paise,
    instant_tax_paise: the price of settling at once. net_paise: to your own account; splits_paise:
    to linked ones. utr: of the transfer to your own account, "" until it arrived. shares: empty in
    a list.
    """

    settlement_id: str = sent(kinds.NAME)
    day: date | None = sent(kinds.DAY, "settlement_day")
    kind: str = sent(kinds.NAME)
    items: int = sent(kinds.WHOLE)
    carried_in_paise: int = sent(
        kinds.BALANCE, "carried_in_amount", "What the settlement before left, with its sign"
    )
    gross_paise: int = sent(kinds.MONEY, "gross_amount")
    refunds_paise: int = sent(kinds.BALANCE, "refunds_amount", "With its sign")
    other_paise: int = sent(
        kinds.BALANCE, "other_amount", "Disputes and corrections, with its sign"
    )
    fee_paise: int = sent(kinds.MONEY, "fee_amount", "Of the items")
    tax_paise: int = sent(kinds.MONEY, "tax_amount", "Of the items")
    instant_fee_paise: int = sent(kinds.MONEY, "instant_fee_amount", "Of settling at once")
    instant_tax_paise: int = sent(kinds.MONEY, "instant_tax_amount", "Of settling at once")
    reserve_held_paise: int = sent(kinds.MONEY, "reserve_held_amount")
    reserve_released_paise: int = sent(kinds.MONEY, "reserve_released_amount")
    net_paise: int = sent(kinds.MONEY, "net_amount", "To the merchant's own account")
    splits_paise: int = sent(kinds.MONEY, "splits_amount", "To linked accounts")
    carried_paise: int = sent(
        kinds.BALANCE, "carried_amount", "What this one leaves, with its sign"
    )
    currency: str = sent(kinds.NAME, "iso_currency", default="INR")
    utr: str = sent(kinds.WORDS)
    shares: tuple[SettlementShare, ...] = sent(kinds.objects(SettlementShare), default=())


@message()
class Settlements:
    """A page of settlements, newest first, without their shares."""

    settlements: tuple[Settlement, ...] = sent(kinds.objects(Settlement))


@message()
class SettlementItem:
    """One item of a settlement: gross less fee and tax is net.

    item_id: its place in the list. kind: "payment", "capture", "refund_begun" and so on; gross and
    net are below zero where it cost you. transaction_id, order_id: "" for an item of no payment, or
    of one in the archive. rule: of your price plan.
    """

    item_id: str = sent(kinds.NAME)
    kind: str = sent(kinds.NAME)
    transaction_id: str = sent(kinds.WORDS, "ap_transactionid")
    order_id: str = sent(kinds.WORDS, "orderid")
    at: datetime | None = sent(kinds.MOMENT)
    gross_paise: int = sent(kinds.BALANCE, "gross_amount", "With its sign")
    fee_paise: int = sent(kinds.MONEY, "fee_amount")
    tax_paise: int = sent(kinds.MONEY, "tax_amount")
    net_paise: int = sent(kinds.BALANCE, "net_amount", "With its sign")
    rule: str = sent(kinds.WORDS, "fee_rule", "Of the price plan")


@message()
class SettlementItems:
    """A page of a settlement's items. next: the `after` of the next page, "" at the end."""

    items: tuple[SettlementItem, ...] = sent(kinds.objects(SettlementItem))
    next: str = sent(kinds.WORDS)


@message()
class Payout:
    """One try to pay out a share of a settlement.

    state: waiting, sent, done, refused, returned, reversed or held_back. account: the last four
    characters of its number. utr: None until the bank gives it. reason: the bank's words where it
    refused it or sent it back. created_at, sent_at, ended_at: None before that step.
    """

    payout_id: str = sent(kinds.NAME)
    settlement_id: str = sent(kinds.NAME)
    beneficiary: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY, "amount")
    currency: str = sent(kinds.NAME, "iso_currency", default="INR")
    state: str = sent(kinds.NAME)
    rail: str = sent(kinds.WORDS)
    account: str = sent(kinds.WORDS)
    utr: str = sent(kinds.WORDS)
    reason: str = sent(kinds.WORDS)
    created_at: datetime | None = sent(kinds.MOMENT)
    sent_at: datetime | None = sent(kinds.MOMENT)
    ended_at: datetime | None = sent(kinds.MOMENT)


@message()
class Payouts:
    """A page of payouts, newest first."""

    payouts: tuple[Payout, ...] = sent(kinds.objects(Payout))


_SECTION = "payment-interfaces.md#settlement-operations"
LIST = Operation(
    "settlement/list",
    "listSettlements",
    "settlements",
    "List settlements",
    _SECTION,
    ("settlement/list/",),
    SettlementsBefore,
    Settlements,
    "read",
    words="Without their shares. Safe to repeat.",
    takes=0,
    gives="settlements",
)
STATUS = Operation(
    "settlement/status",
    "settlementStatus",
    "settlement",
    "Show a settlement",
    _SECTION,
    ("settlement/status/",),
    SettlementName,
    Settlement,
    "read",
    words="With the shares in which it was paid out. Safe to repeat. Raises NotFoundError for one "
    "that is not yours.",
    echoes=("settlement_id",),
)
ITEMS = Operation(
    "settlement/items",
    "settlementItems",
    "settlement_items",
    "List the items of a settlement",
    _SECTION,
    ("settlement/items/",),
    SettlementItemsAfter,
    SettlementItems,
    "read",
    words="Safe to repeat. Raises NotFoundError.",
)
PAYOUTS = Operation(
    "payout/list",
    "listPayouts",
    "payouts",
    "List payouts",
    _SECTION,
    ("payout/list/",),
    PayoutsBefore,
    Payouts,
    "read",
    words="Safe to repeat.",
    takes=0,
    gives="payouts",
)
