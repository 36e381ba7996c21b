"""A merchant's payouts: the list with its filters, its sums and its file."""

from collections.abc import Sequence
from typing import Any

from asyncpg import Record

from hundi.console import list_tables
from hundi.console.assets import PREFIX
from hundi.console.list_pages import ListKind
from hundi.console.list_tables import (
    AMOUNT,
    AMOUNTS,
    ListCell,
    ListColumn,
    ListField,
    ListTable,
    column_of,
    names_of,
    state_field,
    tag,
)
from hundi.console.lists import ListAddress
from hundi.console.payouts import bank_words, beneficiary_words
from hundi.console.queries import payouts as queries
from hundi.console.queries.payouts import PayoutFilters
from hundi.console.settlements import tone_of_payout
from hundi.console.visits import ALL, ConsoleVisit
from hundi.money.payouts.rules import PayoutState
from hundi.money.reports.rules import cell
from hundi.staff.people.rules import Permission


def _payout(row: dict[str, Any]) -> ListCell:
    settlement = ListCell(text="its settlement", href=f"settlements/{row['settlement_id']}")
    number = str(row["payout_id"])
    return ListCell(text=number, is_code=True, href=row["href"], under=(settlement,))


def _state(row: Record) -> ListCell:
    said = bank_words(row["bank_code"], row["bank_message"])
    under = (ListCell(text=said),) if said else ()
    return tag(row["state"], *under, tone=tone_of_payout(row["state"]))


def _to(row: Record) -> ListCell:
    rail = f", {row['rail'].upper()}" if row["rail"] else ""
    account = ListCell(text=f"ending {row['last4']}{rail}")
    return ListCell(text=beneficiary_words(row["beneficiary"], is_own=True), under=(account,))


_COLUMNS = (
    ListColumn(
        head="Payout",
        cell=_payout,
        file={
            "payout_id": lambda row: str(row["payout_id"]),
            "settlement_id": lambda row: str(row["settlement_id"]),
        },
    ),
    ListColumn(
        head="State",
        cell=_state,
        file={
            "state": lambda row: row["state"],
            "bank_code": lambda row: cell(row["bank_code"]),
            "bank_message": lambda row: cell(row["bank_message"]),
        },
    ),
    ListColumn(
        head="To",
        cell=_to,
        file={
            "beneficiary": lambda row: cell(row["beneficiary"]),
            "account_last4": lambda row: row["last4"],
            "rail": lambda row: row["rail"],
        },
    ),
    ListColumn(
        head="Prepared",
        cell=lambda row: ListCell(at=row["created_at"]),
        file={
            "prepared_ist": column_of("created_at"),
            "sent_ist": column_of("sent_at"),
            "ended_ist": column_of("settled_at"),
        },
        order="time",
    ),
    ListColumn(
        head="UTR",
        cell=lambda row: ListCell(text=row["utr"], is_code=True),
        file={"utr": lambda row: cell(row["utr"])},
    ),
    AMOUNT,
)
_FIELDS = (
    state_field(PayoutState),
    ListField(name="utr", label="UTR", hint="whole"),
)


def _filters_of(address: ListAddress) -> PayoutFilters:
    return PayoutFilters(
        state=address.one_of("state", PayoutState), utr=address.text("utr"), **address.narrowed
    )


async def _linked(visit: ConsoleVisit, rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the rows with the page of each payout, which only the operator has."""
    one = f"{PREFIX}{ALL}/across/payouts/{visit.merchant_id}/" if visit.is_operator else ""
    return [{**row, "href": f"{one}{row['payout_id']}" if one else ""} for row in rows]


_TABLE = ListTable(
    kind=ListKind(
        path="payouts",
        noun=("payout", "payouts"),
        filters=names_of(_FIELDS, *AMOUNTS),
        key=("payout_id",),
        select_page=queries.select_page,
        select_sums=queries.select_sums,
        sums={"amount_paise": "in all", "paid_paise": "paid"},
        by_amount=True,
    ),
    title="Payouts",
    noun="payout",
    columns=_COLUMNS,
    fields=_FIELDS,
    filters_of=_filters_of,
    empty=(
        "No payout in these days. Each share of a settlement is paid out once its bank account is"
        " verified and two people have released it."
    ),
    prepared=_linked,
)


ROUTES = list_tables.routes_of(_TABLE, Permission.MONEY_SEE)
