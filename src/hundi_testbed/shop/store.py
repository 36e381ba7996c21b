"""The shop's own books: one SQLite file with its orders and the messages about them."""

import json
import sqlite3
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hundi.sdk import Buyer, Transaction
from hundi_testbed.shop.rules import OrderStatus, ShopOrder, status_after

BUSY_TIMEOUT_S = 5.0
"""Seconds that one process waits for another's write."""
_ASKED_EVERY_S = 0.01

_SCHEMA = """
create table if not exists orders (
    order_id text primary key,
    title text not null,
    amount_paise integer not null check (amount_paise > 0),
    first_name text not null,
    last_name text not null,
    email text not null,
    phone text not null,
    status text not null,
    created_at text not null
);
create table if not exists events (
    order_id text not null references orders (order_id),
    event_key text not null,
    kind text not null,
    at text not null,
    heading text not null,
    facts text not null,
    primary key (order_id, event_key)
);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One line of an order's timeline.

    event_key: the same for the same news, so that a message delivered twice is stored once. kind:
    placed, sent, return, verify, notification or refused. at: UTC.
    """

    event_key: str
    kind: str
    at: datetime
    heading: str
    facts: Mapping[str, str]


class ShopOrderBook:
    """The SQLite file; opened for each call, so that every thread and process may use it."""

    def __init__(self, path: Path) -> None:
        """Create the tables when they are missing."""
        self._path = path
        with self._open() as db:
            _use_write_ahead_log(db)
            db.executescript(_SCHEMA)

    def add(self, order: ShopOrder, event: TimelineEvent) -> None:
        """Write a new order with its first event."""
        buyer = order.buyer
        with self._open() as db:
            db.execute(
                "insert into orders values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    order.order_id,
                    order.title,
                    order.amount_paise,
                    buyer.first_name,
                    buyer.last_name,
                    buyer.email,
                    buyer.phone,
                    order.status,
                    order.created_at.isoformat(),
                ),
            )
            _write(db, order.order_id, event)

    def find(self, order_id: str) -> ShopOrder | None:
        """Return the order, or None."""
        with self._open() as db:
            row = db.execute("select * from orders where order_id = ?", (order_id,)).fetchone()
        return None if row is None else _order(row)

    def of_offer(self, offer_id: str) -> ShopOrder | None:
        """Return the order whose coupons have this id, or None."""
        with self._open() as db:
            row = db.execute(
                "select * from orders where substr(order_id, -10) = ?", (offer_id,)
            ).fetchone()
        return None if row is None else _order(row)

    def note(self, order_id: str, event: TimelineEvent, record: Transaction | None = None) -> None:
        """Write an event once, and the order's new status, in one transaction."""
        with self._open() as db:
            _write(db, order_id, event)
            if record is not None:
                status = db.execute(
                    "select status from orders where order_id = ?", (order_id,)
                ).fetchone()["status"]
                db.execute(
                    "update orders set status = ? where order_id = ?",
                    (status_after(OrderStatus(status), record), order_id),
                )

    def events(self, order_id: str) -> list[TimelineEvent]:
        """Return the timeline, oldest first."""
        with self._open() as db:
            rows = db.execute(
                (
                    "select event_key, kind, at, heading, facts from events where order_id = ?"
                    " order by at, rowid"
                ),
                (order_id,),
            ).fetchall()
        return [_event(row) for row in rows]

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        # "immediate" takes the write lock first: two messages about one order are then handled in
        # turn.
        db = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S, isolation_level="IMMEDIATE")
        db.row_factory = sqlite3.Row
        try:
            with db:
                yield db
        finally:
            db.close()


def _use_write_ahead_log(db: sqlite3.Connection) -> None:
    """Let readers and a writer work at the same time; the file keeps this mode.

    While another process writes, SQLite refuses it at once, without its busy timeout, so it is
    retried.
    """
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            db.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_ASKED_EVERY_S)
        else:
            return


def _write(db: sqlite3.Connection, order_id: str, event: TimelineEvent) -> None:
    db.execute(
        "insert into events values (?, ?, ?, ?, ?, ?) on conflict do nothing",
        (
            order_id,
            event.event_key,
            event.kind,
            event.at.isoformat(),
            event.heading,
            json.dumps(dict(event.facts)),
        ),
    )


def _order(row: sqlite3.Row) -> ShopOrder:
    return ShopOrder(
        order_id=row["order_id"],
        title=row["title"],
        amount_paise=row["amount_paise"],
        buyer=Buyer(
            first_name=row["first_name"],
            last_name=row["last_name"],
            email=row["email"],
            phone=row["phone"],
        ),
        status=OrderStatus(row["status"]),
        created_at=datetime.fromisoformat(row["created_at"]),
    )


def _event(row: sqlite3.Row) -> TimelineEvent:
    return TimelineEvent(
        event_key=row["event_key"],
        kind=row["kind"],
        at=datetime.fromisoformat(row["at"]),
        heading=row["heading"],
        facts=json.loads(row["facts"]),
    )
