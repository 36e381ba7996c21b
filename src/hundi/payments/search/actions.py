"""Search for payments, and keep the index of the search apart from the writing of payments."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import first_id
from hundi.payments.orders.changes import actions as following
from hundi.payments.orders.changes import store as changes
from hundi.payments.orders.changes.rules import ChangeFollower
from hundi.payments.search import rules, store
from hundi.payments.search.rules import Meanings, PaymentTraces

PURPOSE = "search"
SHOWN_MAX = 50
"""The most payments that one search returns, newest first."""
NOT_INDEXED_YET = timedelta(minutes=2)
"""The age until which a payment is looked for in its own table.

Many times what a worker needs to index it.
"""
NEWEST_MAX = 2_000
"""Payments of that age that are looked at."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The result of a search, newest first. more: there are older payments, too."""

    payments: list[Record]
    payouts: list[Record]
    more: bool


async def search(
    db: Queries, vault: Vault, merchant_id: int, text: str, now: datetime
) -> SearchPage:
    """Return a merchant's payments and payouts that a text may mean."""
    meanings = rules.meanings_of(text)
    if not meanings.text:
        return SearchPage([], [], more=False)
    newest = sorted(await find(db, vault, merchant_id, meanings, now, SHOWN_MAX), reverse=True)
    payments = await store.shown(db, merchant_id, newest[:SHOWN_MAX]) if newest else []
    payouts = await store.payouts(db, merchant_id, meanings.text, meanings.gateway_id, SHOWN_MAX)
    return SearchPage(payments, payouts, more=len(newest) > SHOWN_MAX)


async def find(
    db: Queries, vault: Vault, merchant_id: int, meanings: Meanings, now: datetime, limit: int
) -> set[int]:
    """Return a merchant's payments that a text may mean: of each meaning one more than a limit.

    meanings: those to look for; without a text no references are looked for.
    """
    ids: set[int] = set()
    if meanings.text:
        ids |= await store.by_reference(db, merchant_id, meanings.text, limit)
    if meanings.gateway_id is not None:
        ids |= await store.by_id(db, merchant_id, meanings.gateway_id)
    secret = vault.derive_oldest(PURPOSE)
    for kind, value in meanings.keys.items():
        ids |= await store.by_key(
            db, merchant_id, kind, rules.key_of(kind, value, secret), limit + 1
        )
    since = first_id(now - NOT_INDEXED_YET)
    return ids | await store.newest_like(db, merchant_id, since, NEWEST_MAX, meanings)


# --- keeping the index ---


async def follow(db: Database, vault: Vault) -> int:
    """Bring the index up to date for every merchant, and return how many payments were read.

    It may run anywhere, several times at once, and may be killed.
    """
    secret, read = vault.derive_oldest(PURPOSE), 0
    for merchant_id in await store.behind(db):
        read += await follow_one(db, merchant_id, secret)
    return read


async def follow_one(db: Database, merchant_id: int, secret: bytes) -> int:
    """Bring one merchant's index up to date, a chunk a transaction.

    Return how many payments were read.
    """

    async def index(conn: Connection, payment_ids: list[int]) -> None:
        await _index(
            conn, merchant_id, await store.known_of(conn, merchant_id, payment_ids), secret
        )

    read = await following.follow(db, ChangeFollower.SEARCH, merchant_id, index)
    # Last: payments that are archived from here on are in the index already.
    return read + await _read_archive(db, merchant_id, secret)


async def _read_archive(db: Database, merchant_id: int, secret: bytes) -> int:
    """Read once what was archived before the index existed."""
    read = 0
    while True:
        async with db.transaction_of(merchant_id) as conn:
            await changes.lock_mark(conn, ChangeFollower.SEARCH, merchant_id)
            upto = await store.archived_upto(conn, merchant_id)
            if upto is None:
                return read
            rows = await store.archived_after(conn, merchant_id, upto, following.CHUNK)
            await _index(conn, merchant_id, rows, secret)
            read += len(rows)
            await store.move_archived(conn, merchant_id, rows[-1].payment_id if rows else None)


async def _index(
    conn: Connection, merchant_id: int, payments: list[PaymentTraces], secret: bytes
) -> None:
    keys = {
        (kind.value, key, each.payment_id)
        for each in payments
        for kind, key in rules.keys_of(each, secret)
    }
    await store.insert_keys(conn, merchant_id, sorted(keys))
