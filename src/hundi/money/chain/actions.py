"""Seal new events and postings into their merchant's chain, and each ended day under a root."""

from collections.abc import AsyncIterator
from datetime import date, datetime

import structlog
from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import NodeLostError
from hundi.infra.secrets.vault import Vault
from hundi.money.chain import rules, store
from hundi.money.chain.roots import store as roots_store
from hundi.money.chain.roots.store import StoredKey
from hundi.money.chain.rules import BlockLimits, Book, Root
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import at_worker

KEY_PURPOSE = "books"
"""The name of the key in `signing_keys`, and the purpose for which it is sealed."""
BLOCKS_MAX = 20
"""Blocks of one book that one run seals; the rest waits, so that no merchant delays the others."""
_log = structlog.get_logger(__name__)


async def seal(db: Database, vault: Vault, now: datetime, rows_max: int = store.ROWS_MAX) -> int:
    """Seal the new rows in every merchant's books, and return how many blocks were made.

    A day that has ended gets its root. Each block is one statement; the job may run at any time, in
    several processes, and be killed.
    """
    newest = await roots_store.newest_root(db)
    day = rules.day_of_blocks(now, newest.day if newest else None)
    sealed = 0
    limits = BlockLimits(day, now, rows_max)
    async for merchant_id in _merchants(db):
        try:
            sealed += sum([await _seal_book(db, merchant_id, book, limits) for book in Book])
        except NodeLostError as lost:
            # Only this merchant is affected: its rows are sealed once its node is back.
            _log.warning(
                "books_not_sealed", merchant_id=merchant_id, says=str(lost).partition("\n")[0]
            )
    ended = rules.day_to_root(now, newest.day if newest else None)
    if ended is not None:
        await _root(db, vault, ended, newest, now)
    return sealed


async def _merchants(db: Database, *, whole: bool = False) -> AsyncIterator[int]:
    merchant_id = await store.next_merchant(db, 0, whole=whole)
    while merchant_id is not None:
        yield merchant_id
        merchant_id = await store.next_merchant(db, merchant_id, whole=whole)


async def _seal_book(db: Database, merchant_id: int, book: Book, limits: BlockLimits) -> int:
    for sealed in range(BLOCKS_MAX):
        head = await store.head(db, merchant_id, book)
        try:
            async with db.transaction_of(merchant_id) as conn:
                links = await store.seal(conn, merchant_id, book, head, limits)
        except UniqueViolationError:
            return sealed  # another worker seals this book now
        if head.is_foreign and links is None:
            # There must be a block to make here: something in the database discarded it.
            _log.error(
                "chain_block_not_kept", merchant_id=merchant_id, book=book, cluster=head.cluster
            )
        elif head.is_foreign:
            _log.warning(
                "chain_continued_in_another_cluster",
                merchant_id=merchant_id,
                book=book,
                links=links,
            )
        if links is None:
            return sealed
    return BLOCKS_MAX


async def _root(db: Database, vault: Vault, day: date, newest: Root | None, now: datetime) -> None:
    try:
        # All merchants or none: a root without one merchant would never verify.
        merchants = [merchant_id async for merchant_id in _merchants(db, whole=True)]
    except NodeLostError:
        _log.warning("books_root_waits", day=str(day))
        return
    lines = [
        rules.line_of(merchant_id, book, *head)
        for merchant_id in merchants
        for book in Book
        if (head := await roots_store.head_of_day(db, merchant_id, book, day))
    ]
    if not lines:
        return
    root = rules.root_of(day, newest.root if newest else b"", lines)
    from hundi.money.chain.roots import actions as signing  # noqa: PLC0415 (X.509 costs every process memory; this is once a day)

    key = await _key(db, vault, now)
    signature = signing.sign(vault.open(key.sealed_key, KEY_PURPOSE), rules.signed_text(day, root))
    async with db.transaction() as conn:
        if await roots_store.insert_root(
            conn, Root(day, root, len(lines), signature, key.certificate, now)
        ):
            # The audit uses the entry to notice a root that was removed, or computed again over
            # changed books.
            await trail.record(
                conn, 0, at_worker(vault), "books.root", day, now, root=root.hex(), heads=len(lines)
            )
    # A log line stored elsewhere proves the books even against somebody with the database and the
    # key.
    _log.info("books_root", day=str(day), root=root.hex(), heads=len(lines))


async def sign(db: Database, vault: Vault, text: bytes, now: datetime) -> tuple[bytes, bytes]:
    """Return the signature of a text by the books' key, and its certificate as DER (Ed25519).

    The text must begin with words that no other kind of signed text begins with.
    """
    from hundi.money.chain.roots import actions as signing  # noqa: PLC0415 (as above)

    key = await _key(db, vault, now)
    return signing.sign(vault.open(key.sealed_key, KEY_PURPOSE), text), key.certificate


async def _key(db: Database, vault: Vault, now: datetime) -> StoredKey:
    from hundi.money.chain.roots import actions as signing  # noqa: PLC0415 (as above)

    stored = await roots_store.signing_key(db, KEY_PURPOSE)
    if stored is None:
        key, certificate = signing.new_key(now)
        await roots_store.insert_key(
            db, KEY_PURPOSE, StoredKey(vault.seal(key, KEY_PURPOSE), certificate), now
        )
        stored = await roots_store.signing_key(db, KEY_PURPOSE)
    if stored is None:
        message = "the key that roots are signed with disappeared"
        raise AssertionError(message)
    return stored
