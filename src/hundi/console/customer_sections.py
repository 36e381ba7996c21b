"""The tables of a customer's page: each kind of row, its columns, and where its rows lead."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from asyncpg import Record

from hundi.console.letters import CHANNELS, tone_of_letter
from hundi.console.link_rows import tone_of_link
from hundi.console.list_tables import ListCell, ListColumn, money, tag
from hundi.console.lists import words
from hundi.console.names import method_name
from hundi.console.queries.bounded import read_in_time
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.letters.rules import masked_address
from hundi.payments.customers import store
from hundi.payments.customers.actions import FOUND_MAX
from hundi.payments.customers.rules import CustomerMarks

SHOWN_MAX = FOUND_MAX
"""Payments, links and letters of a customer's page: the newest."""


@dataclass(frozen=True, slots=True)
class CustomerInside:
    """What a customer's page reads by: marks, and the newest payments."""

    merchant_id: int
    marks: CustomerMarks
    payment_ids: Sequence[int]
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerSection:
    """One table of a customer's page. read: its rows. empty: the sentence for none."""

    title: str
    read: Callable[[Connection, CustomerInside], Awaitable[Sequence[Record]]]
    columns: Sequence[ListColumn]
    empty: str


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A section with its cells; None where they were not read in time."""

    section: CustomerSection
    rows: Sequence[Sequence[ListCell]] | None
    is_cut: bool


def _named(
    head: str, path: str, key: str, text: Callable[[Record], str] | None = None
) -> ListColumn:
    """Return the first column: it leads to the row's page."""

    def cell(row: Record) -> ListCell:
        return ListCell(text=text(row) if text else str(row[key]), href=f"{path}/{row[key]}")

    return ListColumn(head=head, cell=cell)


def _when(head: str, name: str) -> ListColumn:
    return ListColumn(head=head, cell=lambda row: ListCell(at=row[name]))


def _amount(head: str = "Amount", name: str = "amount_paise") -> ListColumn:
    return ListColumn(head=head, cell=lambda row: money(row[name], row["currency"]), is_number=True)


def _plain(head: str, text: Callable[[Record], str]) -> ListColumn:
    return ListColumn(head=head, cell=lambda row: ListCell(text=text(row)))


_STATE = ListColumn(head="State", cell=lambda row: tag(row["state"]))


def _how(row: Record) -> str:
    """Return how a customer agreed; words that people typed may name anybody, so none are shown."""
    return "On a page of ours" if row["language"] else "As your people say"


def _of_payments(
    read: Callable[..., Awaitable[list[Record]]],
) -> Callable[[Connection, CustomerInside], Awaitable[Sequence[Record]]]:
    """Return a reader of what hangs on the customer's payments."""
    return lambda conn, inside: read(conn, inside.merchant_id, inside.payment_ids)


SECTIONS = (
    CustomerSection(
        title="Payments",
        read=_of_payments(store.payments),
        columns=(
            _named("Order", "payments", "payment_id", lambda row: row["order_id"]),
            _STATE,
            _plain("Method", lambda row: method_name(row["method"]) if row["method"] else ""),
            _when("Started", "created_at"),
            _amount("Refunded", "refunded_paise"),
            _amount(),
        ),
        empty="No payment: only a payment link names this customer.",
    ),
    CustomerSection(
        title="Refunds",
        read=_of_payments(store.refunds),
        columns=(
            _named("Refund", "refunds", "refund_id"),
            _STATE,
            _plain("Cause", lambda row: words(row["cause"])),
            _when("Asked for", "created_at"),
            _amount(),
        ),
        empty="No refund.",
    ),
    CustomerSection(
        title="Mandates",
        read=_of_payments(store.subscriptions),
        columns=(
            _named("Subscription", "subscriptions", "subscription_id", lambda row: row["order_id"]),
            _STATE,
            _plain("Way", lambda row: method_name(row["channel"]) if row["channel"] else ""),
            _when("Began", "created_at"),
            _amount("Each time"),
        ),
        empty="No mandate.",
    ),
    CustomerSection(
        title="Saved cards",
        read=lambda conn, inside: store.cards(conn, inside.merchant_id, inside.marks.reference),
        columns=(
            _named(
                "Card",
                "payments",
                "payment_id",
                lambda row: f"{row['card_scheme'] or 'Card'} ending {row['card_ending']}",
            ),
            _plain("Issued by", lambda row: row["card_issuer"] or ""),
            _when("Agreed", "agreed_at"),
        ),
        empty="No saved card. Cards are saved under your own name of the customer.",
    ),
    CustomerSection(
        title="Payment links",
        read=lambda conn, inside: store.links(
            conn, inside.merchant_id, inside.marks, inside.now, SHOWN_MAX
        ),
        columns=(
            _named("For", "links", "link_id", lambda row: row["description"]),
            ListColumn(
                head="State",
                cell=lambda row: tag(row["state"], tone=tone_of_link(row["state"])),
            ),
            _when("Until", "expires_at"),
            _amount("Paid", "paid_paise"),
            _amount(),
        ),
        empty="No payment link.",
    ),
    CustomerSection(
        title="Letters",
        read=lambda conn, inside: store.letters(
            conn, inside.merchant_id, inside.marks, inside.payment_ids, SHOWN_MAX
        ),
        columns=(
            _named("Letter", "letters", "letter_id", lambda row: words(row["kind"])),
            ListColumn(
                head="State",
                cell=lambda row: tag(row["state"], tone=tone_of_letter(row["state"])),
            ),
            _plain("By", lambda row: CHANNELS[row["channel"]]),
            _plain("To", lambda row: masked_address(row["address"])),
            _when("Written", "created_at"),
        ),
        empty="No letter in the last 365 days.",
    ),
    CustomerSection(
        title="Consents",
        read=lambda conn, inside: store.consents(conn, inside.merchant_id, inside.marks.phone),
        columns=(
            _plain(
                "For", lambda row: f"{CHANNELS[row['channel']]} to {masked_address(row['address'])}"
            ),
            _plain("How", _how),
            _when("Given", "given_at"),
            ListColumn(
                head="Taken back",
                cell=lambda row: (
                    ListCell(at=row["withdrawn_at"]) if row["withdrawn_at"] else ListCell(text="no")
                ),
            ),
        ),
        empty="No consent to WhatsApp messages.",
    ),
)
"""What a customer's page shows, in its order."""


async def filled(visit: ConsoleVisit, inside: CustomerInside) -> list[FilledSection]:
    """Return the tables of a customer's page."""
    return [await _filled(visit, inside, each) for each in SECTIONS]


async def _filled(
    visit: ConsoleVisit, inside: CustomerInside, section: CustomerSection
) -> FilledSection:
    async def read(inside: CustomerInside, conn: Connection) -> Sequence[Record]:
        return await section.read(conn, inside)

    rows: Any = await read_in_time(visit.db, partial(read, inside))
    if rows is None:
        return FilledSection(section, None, is_cut=False)
    cells = [[column.cell(row) for column in section.columns] for row in rows[:SHOWN_MAX]]
    return FilledSection(section, cells, is_cut=len(rows) >= SHOWN_MAX)
