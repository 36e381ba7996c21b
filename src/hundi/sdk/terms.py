"""What you are settled by, by the SDK: the next settlement, prices, bank accounts.

See docs/spec/payment-interfaces.md#terms-operations.
"""

from dataclasses import dataclass
from datetime import date, datetime

from hundi.sdk import incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.errors import UnreadableReplyError
from hundi.sdk.incoming import Record

_PATH = "/gateway/pay/v4/api/{}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSettlement:
    """The next settlement, out of what is known now.

    day, due_at: None where nothing waits.
    """

    day: date | None
    due_at: datetime | None
    items: int
    net_paise: int
    splits_paise: int
    carried_paise: int
    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One price. Empty tuples mean everything; None is no bound. basis_points: hundredths of a per cent."""

    rule: str
    channels: tuple[str, ...]
    networks: tuple[str, ...]
    not_networks: tuple[str, ...]
    card_types: tuple[str, ...]
    not_card_types: tuple[str, ...]
    above_paise: int | None
    up_to_paise: int | None
    basis_points: int
    fixed_paise: int
    minimum_paise: int | None
    maximum_paise: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """The prices in force today; plan_no 0 and none where none were agreed."""

    plan_no: int
    first_day: date | None
    prices: tuple[Price, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BankAccount:
    """An account that is paid out to.

    account: the last four characters of its number. state: paid only if verified.
    """

    beneficiary: str
    holder: str
    account: str
    ifsc: str
    state: str
    added_at: datetime | None


def next_settlement(calls: Calls) -> Steps[NextSettlement]:
    """Return the next settlement as it would come out."""
    envelope = yield from calls.ask(_PATH.format("settlement/next"), {})
    record = incoming.data(envelope, "settlement/next")
    return NextSettlement(
        day=incoming.day(record, "settlement_day"),
        due_at=incoming.moment(incoming.text(record, "due_at"), "due_at"),
        items=incoming.whole(record, "items"),
        net_paise=incoming.paise(incoming.demanded(record, "net_amount"), "net_amount"),
        splits_paise=incoming.paise(incoming.demanded(record, "splits_amount"), "splits_amount"),
        carried_paise=incoming.signed_paise(record, "carried_amount"),
        held=record.get("held") is True,
    )


def price_list(calls: Calls) -> Steps[PriceList]:
    """Return the prices in force today."""
    envelope = yield from calls.ask(_PATH.format("fees"), {})
    record = incoming.data(envelope, "fees")
    return PriceList(
        plan_no=incoming.whole(record, "plan_no"),
        first_day=incoming.day(record, "first_day"),
        prices=tuple(map(_price, incoming.records(record.get("prices"), "fees"))),
    )


def bank_accounts(calls: Calls) -> Steps[tuple[BankAccount, ...]]:
    """Return the accounts that are paid out to."""
    envelope = yield from calls.ask(_PATH.format("bankaccount/list"), {})
    listed = incoming.data(envelope, "bankaccount/list").get("accounts")
    return tuple(map(_account, incoming.records(listed, "bankaccount/list")))


def _price(record: Record) -> Price:
    def bound(name: str) -> int | None:
        written = incoming.text(record, name)
        return incoming.paise(written, name) if written else None

    return Price(
        rule=incoming.demanded(record, "rule"),
        channels=_words(record, "channels"),
        networks=_words(record, "networks"),
        not_networks=_words(record, "not_networks"),
        card_types=_words(record, "card_types"),
        not_card_types=_words(record, "not_card_types"),
        above_paise=bound("above_amount"),
        up_to_paise=bound("up_to_amount"),
        basis_points=incoming.paise(incoming.demanded(record, "percent"), "percent"),
        fixed_paise=incoming.paise(incoming.demanded(record, "fixed_amount"), "fixed_amount"),
        minimum_paise=bound("minimum_amount"),
        maximum_paise=bound("maximum_amount"),
    )


def _words(record: Record, name: str) -> tuple[str, ...]:
    found = record.get(name)
    if not isinstance(found, list):
        message = f"{name} of a reply is no list"
        raise UnreadableReplyError(message)
    return tuple(map(str, found))


def _account(record: Record) -> BankAccount:
    return BankAccount(
        beneficiary=incoming.demanded(record, "beneficiary"),
        holder=incoming.text(record, "holder"),
        account=incoming.demanded(record, "account"),
        ifsc=incoming.demanded(record, "ifsc"),
        state=incoming.demanded(record, "state"),
        added_at=incoming.moment(incoming.text(record, "added_at"), "added_at"),
    )
