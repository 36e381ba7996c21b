"""Upgrades from every released schema, with its data.

Nothing is refused meanwhile, nothing is told otherwise afterwards.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.migrate import is_current, migrate, with_database
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE
from hundi.sdk import Client, Gateway, RefundItem
from tests.conftest import NewFolder
from tests.released.folders import KEYS, RELEASES, facts_of, releases, restore
from tests.released.trees import behind
from tests.system.browser import Browser
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

WRITERS = 6
GATEWAYS_TIMEOUTS = {"lock_timeout": "3000", "statement_timeout": "10000"}
"""As the gateway's own connections have them: what waits longer is a payment refused."""
MOVING_ON = {
    "held": {"AUTHORIZE", "VOIDED"},
    "waiting": {"INCOMPLETE", "FAIL"},
    "failed": {"INCOMPLETE", "FAIL"},
}
"""Orders that go on by themselves, and what they may be.

A hold is given back after days, an open session ends.
"""
LATER = {"utr_no"}
"""Fields that verify fills some minutes after the money left."""

WRITES = {
    "payments": (
        {"payment_id": "$1", "order_id": "'L-' || $1"},
        "state = 'paid' ORDER BY payment_id LIMIT 1",
    ),
    "attempts": (
        {"payment_id": "$1", "attempt_id": "$1", "rrn": "''"},
        "state = 'paid' AND method = 'upi_qr' ORDER BY payment_id LIMIT 1",
    ),
    "payment_events": (
        {"payment_id": "$1"},
        (
            "payment_id = (SELECT payment_id FROM payments WHERE state = 'paid' ORDER BY"
            " payment_id LIMIT 1)"
        ),
    ),
    "ledger_postings": ({"cause_id": "$1"}, "kind = 'payment' ORDER BY cause_id LIMIT 1"),
}
"""What one payment writes: copies of rows of a paid one, with ids of its own."""


async def statements_of(connection: asyncpg.Connection) -> list[str]:
    """Return the statements of one payment, with the columns that the release knows.

    $1: the payment's id.
    """
    found: list[str] = []
    for table, (own, which) in WRITES.items():
        rows = await connection.fetch(
            "SELECT column_name AS name, data_type AS kind FROM information_schema.columns WHERE"
            " table_name = $1"
            " AND is_generated = 'NEVER' AND column_name <> 'xact' ORDER BY ordinal_position",
            table,
        )
        names = ", ".join(row["name"] for row in rows)
        values = ", ".join(
            own.get(row["name"], row["name"]).replace("$1", "$1::bigint") for row in rows
        )
        found.append(f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} WHERE {which}")
    return found


@asynccontextmanager
async def paying(url: str) -> AsyncIterator[list[int]]:
    """Write rows as payments of the release do, on several connections, until the block ends.

    Yield their ids. No process of the release runs here: `test_rolling_upgrade.py` has those.
    """
    written: list[int] = []
    stop = asyncio.Event()

    async def writer(number: int) -> None:
        connection = await asyncpg.connect(url, server_settings=GATEWAYS_TIMEOUTS)
        statements = await statements_of(connection)
        try:
            for count in range(100_000):
                if stop.is_set():
                    return
                payment_id = 900_000_000_000_000 + count * WRITERS + number
                async with connection.transaction():
                    for statement in statements:
                        assert await connection.execute(statement, payment_id) != "INSERT 0 0"
                written.append(payment_id)
        finally:
            await connection.close()

    async with asyncio.TaskGroup() as tasks:
        for number in range(WRITERS):
            tasks.create_task(writer(number))
        while len(written) < WRITERS:
            await asyncio.sleep(0.01)
        yield written
        stop.set()


async def files_of_tables(url: str) -> dict[str, int]:
    """Return the number of the file in which each table stands."""
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(
        "SELECT relname, relfilenode FROM pg_class WHERE relkind = 'r' AND relnamespace ="
        " 'public'::regnamespace"
    )
    await connection.close()
    return {row["relname"]: row["relfilenode"] for row in rows}


async def upgraded_under_load(url: str, release: str) -> None:
    """Upgrade a copy of a release's database while rows of payments are written to it.

    None may fail or be lost, and no table is written anew.
    """
    owner = await asyncpg.connect(url)
    await owner.execute("CREATE DATABASE under_load")
    await owner.close()
    load_url = with_database(url, "under_load")
    await restore(load_url, release, DATABASE)
    assert not await is_current(load_url), "there is something to upgrade"
    files = await files_of_tables(load_url)
    async with paying(load_url) as written:
        before = len(written)
        await migrate(load_url)
        meanwhile = len(written) - before
    assert await is_current(load_url)
    # A table that is written anew is locked for as long as that takes, which is long where there is
    # much in it.
    assert files.items() <= (await files_of_tables(load_url)).items()
    assert meanwhile > WRITERS, "payments went on while the schema changed"
    connection = await asyncpg.connect(load_url)
    kept = await connection.fetchval(
        "SELECT count(*) FROM payments WHERE payment_id = ANY($1)", written
    )
    posted = await connection.fetchval(
        "SELECT count(*) FROM ledger_postings WHERE cause_id = ANY($1)", written
    )
    await connection.close()
    assert (kept, posted) == (len(written), len(written))


@pytest.mark.not_on_citus("a release's data is put into the embedded server of a gateway")
@pytest.mark.parametrize("release", releases())
def test_a_release_is_upgraded_with_its_data(
    new_folder: NewFolder, server: MerchantServer, release: str
) -> None:
    folder = new_folder(f"upgraded-{release}")
    data_dir = folder / "data"
    data_dir.mkdir(parents=True)
    for name in KEYS:
        shutil.copy(RELEASES / release / name, data_dir / name)
        (data_dir / name).chmod(0o600)
    with embedded_postgres.start(data_dir, databases=(DATABASE, SIMBANK_DATABASE)) as postgres:
        for database in (DATABASE, SIMBANK_DATABASE):
            asyncio.run(restore(postgres.url(database), release, database))
        if release in behind():  # `test_some_release_is_behind` says that there is one.
            asyncio.run(upgraded_under_load(postgres.url(DATABASE), release))
    facts = facts_of(release)
    with RunningGateway(folder) as gateway:
        merchant = Merchant(**facts["merchant"])
        shop = Shop(
            gateway,
            merchant,
            Client(merchant.credentials, Gateway(base_url=gateway.base_url)),
            server.endpoint("upgraded"),
        )
        with shop.client, Browser() as browser:
            for name, order_id in facts["orders"].items():
                now = (
                    Sender(gateway.base_url, browser.http)
                    .verify(merchant, {"orderid": order_id})
                    .data
                )
                then = facts["records"][name]
                if name in MOVING_ON:
                    assert now["transaction_payment_status"] in MOVING_ON[name], name
                else:
                    same = [key for key in then if key not in LATER]
                    assert [now.get(key) for key in same] == [then[key] for key in same], name
            (card,) = shop.client.saved_cards(facts["customer"])
            assert card.number.endswith("1111")
            # What was paid before can be given back, and the next customer can pay.
            rest = RefundItem(shop.verify(facts["orders"]["upi"]).transaction_id)
            (item,) = shop.client.refund([rest], request_id=new_order_id("R"))
            assert item.accepted
            fresh = new_order_id()
            scan(gateway, shop.open_page(browser, fresh).upi_link)
            shop.becomes(fresh, 200)
        gateway.audit()
