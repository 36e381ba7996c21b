"""Paying out: many shares prepared and sent, each by a process on a server of its own.

`python -m hundi_testbed.bench.payouts --url ADDRESS --part prepare` (or `send`) is that process: it
prints seconds and memory. The provider answers in the process, so that its network costs nothing.
"""

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median

import asyncpg

from hundi.acquirers.port.answers import Approved, BankAccount, NothingThere, RegisteredName
from hundi.acquirers.port.payouts import PayoutOrder, RailTerms, TakesNoPayments
from hundi.acquirers.registry import Registry
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import migrate
from hundi.infra.secrets.vault import Vault
from hundi.kernel.money import Money
from hundi.money.audit.payouts.store import CHECKS
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import jobs as account_jobs
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.payouts import actions, jobs
from hundi.money.payouts.actions import PayoutContext
from hundi.money.payouts.routing.document import read
from hundi.money.payouts.routing.rules import PayoutCase, PayoutProvider, decide
from hundi.staff.trail.actions import at_command_line
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

DATABASE = "payouts"
MERCHANTS = 100
FIRST_MERCHANT = 30_000
AT = datetime(2026, 11, 17, 6, tzinfo=UTC)
POOL = 8
RULES, DECISIONS = 100, 2_000
_FIRST_PART = 10
"""The memory of the sending process is read after this part of the payouts, too."""
_KIBIBYTE, _MEGABYTE, _MS = 1024, 1_000_000, 1_000

_MERCHANTS = """
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
SELECT n, 'live', 'Asha', '', '{}', $3, $3 FROM generate_series($1::bigint, $2::bigint) AS n
"""
# A settlement of one payment with one share, each on a day of its own.
_MADE = f"""
CREATE TEMPORARY TABLE made AS
SELECT {FIRST_MERCHANT} + n % {MERCHANTS} AS merchant_id, n / {MERCHANTS} + 1 AS place,
    217000000000000 + n * 10 AS id, 10000 + n * 7919 % 4000000 AS paise,
    $2::date + (n / {MERCHANTS})::int AS day, $3::timestamptz AS at
FROM generate_series(0::bigint, $1::bigint - 1) AS n
"""
_ROWS = (
    """
    INSERT INTO settlements (merchant_id, settlement_id, settlement_no, day, kind, at, terms_no,
        items, carried_in_paise, gross_paise, refunds_paise, other_paise, fee_paise, tax_paise,
        price_paise, price_tax_paise, reserve_held_paise, reserve_released_paise, net_paise,
        splits_paise, carried_paise, linked_carried, digest)
    SELECT merchant_id, id, place, day, 'daily', at, 0, 1, 0, paise, 0, 0, 0, 0, 0, 0, 0, 0, paise,
        0, 0, '{}', sha256('items') FROM made
    """,
    """
    INSERT INTO settlement_items (merchant_id, cause_id, kind, at, ready_on, gross_paise, fee_paise,
        tax_paise, net_paise, rule, plan_no, terms_no, settlement_id)
    SELECT merchant_id, id + 2, 'payment', at, day, paise, 0, 0, paise, 'no_plan', 0, 0, id FROM
        made
    """,
    """
    INSERT INTO settlement_shares (merchant_id, share_id, settlement_id, beneficiary, amount_paise,
        created_at)
    SELECT merchant_id, id + 1, id, 'primary', paise, at FROM made
    """,
    """
    INSERT INTO shares_to_pay (merchant_id, share_id, beneficiary, account_no)
    SELECT merchant_id, id + 1, 'primary', 0 FROM made
    """,
    """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
        at)
    SELECT merchant_id, id + 1, 'share_due', 'payable', 'settlement_due', paise, 'INR', at FROM made
    """,
    "DROP TABLE made",
)
# What two people do is not measured.
_RELEASED = tuple(
    statement
    for person, before, after in (
        ("Meera", "prepared", "proposed"),
        ("Chetan", "proposed", "approved"),
    )
    for statement in (
        f"""
        INSERT INTO payout_approvals (merchant_id, payout_id, person_key, person, amount_paise,
            account_no, at)
        SELECT merchant_id, payout_id, '{person.lower()}', '{person}', amount_paise, account_no,
            $1 FROM payouts WHERE state = '{before}'
        """,
        f"""
        INSERT INTO payout_events (merchant_id, payout_id, event_no, at, state, actor, note)
        SELECT merchant_id, payout_id, revision + 1, $1, '{after}', '{person}', '' FROM payouts
        WHERE state = '{before}'
        """,
        f"""
        UPDATE payouts SET state = '{after}', revision = revision + 1,
            {"maker" if after == "proposed" else "checker"} = '{person}', due_at = $1
        WHERE state = '{before}'
        """,
    )
)
_COUNT = "SELECT state::text, count(*) FROM payouts GROUP BY state"


class NotPaidOutError(Exception):
    """Not every share was paid out, or the audit of payouts found something."""


class NearProvider(TakesNoPayments):
    """Pays out and checks accounts at once, in this process."""

    name, simulated, check_cost = "near", True, Money(1_00)
    payout_rails = (RailTerms("imps", 1, 5_00_000_00), RailTerms("neft"))
    payout_gaps_s = returned_gaps_s = ()
    payout_grace_s = 60

    async def pay_out(self, order: PayoutOrder) -> Approved:
        """Pay out under a UTR of its own."""
        return Approved(order.amount, f"NEAR{order.reference[-15:]}")

    async def inquire_payout(self, reference: str) -> NothingThere:  # noqa: ARG002 (the port's shape)
        """Return that there is nothing: each call had its answer."""
        return NothingThere()

    async def check_account(
        self,
        reference: str,  # noqa: ARG002 (the port's shape)
        account: BankAccount,  # noqa: ARG002
        holder: str,
    ) -> RegisteredName:
        """Return the holder that was given."""
        return RegisteredName(holder)

    def reachable(self) -> bool:
        """Return that it answers."""
        return True

    async def close(self) -> None:
        """Have nothing to close."""


async def measure(folder: Path, payouts: int, step: Step) -> dict[str, list[Run]]:
    """Return the cost of preparing and sending so many payouts. Raises NotPaidOutError."""
    with embedded_postgres.start(folder / "payouts", databases=[DATABASE]) as server:
        url = server.url(DATABASE)
        await migrate(url)
        step(f"payouts: filling in {payouts:,} shares")
        await _fill(url, payouts)
        step("payouts: preparing")
        prepared = await _part(url, "prepare")
        await _run(url, _RELEASED, AT)
        step("payouts: sending")
        sent = await _part(url, "send")
        step("payouts: auditing")
        await _audit(url, payouts)
    figures = {
        "payout_prepared_rate": payouts / prepared["seconds"],
        "payout_prepared_memory": prepared["memory_mb"],
        "payout_sent_rate": payouts / sent["seconds"],
        "payout_sent_memory": sent["memory_mb"],
        "payout_memory_ratio": sent["memory_mb"] / sent["first_memory_mb"],
        "payout_route_decide": _decisions(),
    }
    return {"payouts": [Run(figures)]}


async def _fill(url: str, payouts: int) -> None:
    await _run(url, (_MERCHANTS,), FIRST_MERCHANT, FIRST_MERCHANT + MERCHANTS - 1, AT)
    async with await open_database(url, pool_size=POOL) as db:
        context = _context(db)
        by = at_command_line("bench", context.vault)
        for merchant_id in range(FIRST_MERCHANT, FIRST_MERCHANT + MERCHANTS):
            given = ("Asha Stores", "50100012349999", "HDFC0000001")
            key = (merchant_id, PRIMARY)
            await bank_accounts.add(db, *key, given, "Asha", by, AT, replaced=actions.hold_back)
        checks = account_jobs.checks(db, context.vault, context.connectors)
        while await checks.once(AT):
            pass
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(_MADE, payouts, date(2020, 1, 1), AT)
        for rows in _ROWS:
            await conn.execute(rows)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()


async def _run(url: str, statements: tuple[str, ...], *values: object) -> None:
    conn = await asyncpg.connect(url)
    try:
        async with conn.transaction():
            for statement in statements:
                await conn.execute(statement, *(values if "$1" in statement else ()))
    finally:
        await conn.close()


async def _part(url: str, part: str) -> Mapping[str, float]:
    """Do a part in a process of its own, and return its figures."""
    arguments = ("-m", "hundi_testbed.bench.payouts", "--url", url, "--part", part)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        message = f"the process that had to {part} ended with {process.returncode}"
        raise NotPaidOutError(message)
    return json.loads(output.splitlines()[-1])  # what the gateway logs comes before


async def _audit(url: str, payouts: int) -> None:
    conn = await asyncpg.connect(url)
    try:
        counts = {row["state"]: row["count"] for row in await conn.fetch(_COUNT)}
        if counts != {"done": payouts}:
            message = f"{payouts} shares were paid out as {counts}"
            raise NotPaidOutError(message)
        await conn.execute("SET work_mem = '64MB'; SET enable_nestloop = off")
        for violation, query in CHECKS.items():
            if row := await conn.fetchrow(query):
                message = f"{violation}: {dict(row)}"
                raise NotPaidOutError(message)
    finally:
        await conn.close()


def _decisions() -> float:
    """Return the milliseconds in which a plan of 100 rules chooses, of which the last one holds."""
    written = "".join(
        f'[[rules]]\nname = "rule-{place}"\nuse = [{{ acquirer = "a", weight = 3 }},'
        ' { acquirer = "b" }]\nrails = ["imps", "neft"]\nprefer = "cost"\nwhen = { merchants ='
        f" [{7 if place == RULES - 1 else 1_000_000 + place}], hours = [0, 24] }}\n"
        for place in range(RULES)
    )
    costs = "".join(f'[[costs]]\nacquirer = "{name}"\nfixed_paise = 300\n' for name in "ab")
    plan = read(written + costs, dict.fromkeys("ab", NearProvider.payout_rails))
    if isinstance(plan, tuple):
        message = f"the plan of the measurement is not in order: {plan[0]}"
        raise NotPaidOutError(message)
    providers = tuple(PayoutProvider(name, NearProvider.payout_rails) for name in "ab")
    took: list[float] = []
    for number in range(DECISIONS):
        case = PayoutCase(7, number + 1, 149_950, AT)
        began = time.perf_counter()
        decide(plan, case, providers)
        took.append(time.perf_counter() - began)
    return median(took) * _MS


def _context(db: Database) -> PayoutContext:
    return PayoutContext(db, Vault({"bench": bytes(32)}), Registry([NearProvider()]))


async def _prepare(context: PayoutContext) -> dict[str, float]:
    while await actions.prepare(context, AT):
        pass
    return {}


async def _send(context: PayoutContext) -> dict[str, float]:
    """Send what is released, and return the memory after the first part."""
    (waiting,) = await context.db.fetch("SELECT count(*) FROM payouts WHERE state = 'approved'")
    loop, sent, first_mb = jobs.payouts(context), 0, 0.0
    while count := await loop.once(AT):
        sent += count
        if not first_mb and sent >= waiting["count"] // _FIRST_PART:
            first_mb = _memory_mb()
    return {"first_memory_mb": first_mb}


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE / _MEGABYTE


async def _work(url: str, part: str) -> None:
    began = time.monotonic()
    async with await open_database(url, pool_size=POOL) as db:
        figures = await {"prepare": _prepare, "send": _send}[part](_context(db))
    figures |= {"seconds": time.monotonic() - began, "memory_mb": _memory_mb()}
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--part", choices=("prepare", "send"), required=True)
    options = parser.parse_args()
    asyncio.run(_work(options.url, options.part))
