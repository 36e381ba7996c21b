"""Every column of the tables of payouts is bent.

The audit names each lie, or docs/audit-limits.md lists it.
"""

from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    PayoutStage,
    ProviderFee,
    SentBack,
    Underway,
    Unknown,
)
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.money.audit import store as audit
from hundi.money.audit.chain.store import CHECKS as CHAIN
from hundi.money.audit.due.store import CHECKS as DUE
from hundi.money.audit.payouts.store import CHECKS
from hundi.money.audit.rules import Violation
from hundi.money.audit.trail.store import CHECKS as OF_TRAIL
from hundi.money.bank_accounts.papers import actions as papers
from hundi.money.bank_accounts.papers.rules import PaperKind
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.chain import actions as chain
from hundi.money.payouts import actions
from hundi.money.payouts.files import actions as files
from hundi.money.payouts.files.rules import FileForm, PayingAccount
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import Gaps, PayoutState
from tests.bent import REFUSED, columns_of, here, key_of, lies, spot_of, take_checks_off
from tests.documents import pdf
from tests.money.payouts.till import CHECKER, MAKER, open_till
from tests.recording import paper_recording
from tests.shop import NOW, VAULT

TRAIL = {Violation.ACCOUNT_UNTOLD: OF_TRAIL[Violation.ACCOUNT_UNTOLD]}
SOON, LATER = NOW + timedelta(minutes=2), NOW + timedelta(days=2)
PDF = pdf("A statement")
TABLES = {
    "account_checks": "outcome",
    "account_papers": "kind",
    "accepted_names": "person",
    "bank_accounts": "account_no",
    "payout_approvals": "person",
    "payout_fees": "kind",
    "payout_batches": "format",
    "payout_events": "state",
    "payouts": "state",
    "shares_to_pay": "beneficiary",
}
"""The tables with what tells rows apart, of which one each is bent."""
_NEVER_PAID = (
    "of a version that nothing was paid out to: the others are sealed, and decides nothing"
)
_COUNT = "counts questions, and decides only when the next one is asked"
_OPEN = "what the bank said so far"
_PAPER = "of a paper: whoever accepts it compares it with what the trail tells of it"
_OF_PAPERS = (
    *("account_no", "added_by", "beneficiary", "digest", "kind", "media_type"),
    *("merchant_id", "name", "paper_id", "sealed_content", "size_bytes"),
)
_HELD_BACK = "of a payout that never left: those of the others are sealed, or told by the payout"
UNSEEN = {
    **{f"account_papers.{column}": _PAPER for column in _OF_PAPERS},
    "account_papers -": (
        "of an account that nobody accepted by papers: an entry of the trail says that it was added"
    ),
    "bank_accounts.asked_of": "who is asked about a check: what was said has a row of its own",
    "bank_accounts.check_id": _NEVER_PAID,
    "bank_accounts.checked_at": _NEVER_PAID,
    "bank_accounts.hastened_at": "when a webhook last asked: decides only when the next one may",
    "bank_accounts.inquiries": _COUNT,
    "bank_accounts.sealed_number": (
        "opened by the worker alone: by the fingerprint nothing is sent to such an account"
    ),
    "payout_events.actor": _HELD_BACK,
    "payout_events.at": _HELD_BACK,
    "payout_events.note": _HELD_BACK,
    "payouts.bank_code": _OPEN,
    "payouts.bank_message": _OPEN,
    "payouts.connector": (
        "of a payout that has not left: it leaves by a connector of ours, or not at all"
    ),
    "payouts.due_at": "of a done payout: it is asked about for some days, because it may come back",
    "payouts.hastened_at": "when a webhook last asked: decides only when the next one may",
    "payouts.inquiries": _COUNT,
    "payouts.wait_reason": "for people, of a payout that waits: each look writes it anew",
}
"""`table.column`, or `table -` for a row less, of which at least one row's lie nobody can name, and
why.
"""


@pytest.fixture
async def books(db: Database) -> AsyncIterator[asyncpg.Connection]:
    """Books with a sealed payout in every state, without triggers and constraints."""
    till = await open_till(db)
    bank = till.bank
    done, _refused, _returned = (
        await till.approved(),
        await till.approved(20_000),
        await till.approved(30_000),
    )
    bank.payouts.extend([Unknown(), Declined("AC04"), Unknown()])
    await till.work(NOW)
    bank.payout_inquiries.extend([SentBack("AC01"), SentBack("AC06")])
    await till.work(SOON)
    del done
    await till.approved(40_000)
    await till.work(SOON)
    late = await till.approved(90_000)
    bank.payouts.extend([Declined("U30"), Underway(PayoutStage.DEEMED, "", "debited")])
    await till.work(SOON)
    fee = ProviderFee(Money(590), Money(90))
    paid = Approved(Money(90_000), "UTR9", provider_fee=fee)
    await actions.settle(db, await till.again(late), paid, Gaps((3,), (60,)), SOON)
    await till.approved(95_000)
    await till.work(SOON)
    costly = await till.approved(45_000)
    bank.payouts.append(Approved(Money(45_000), "UTR10", provider_fee=fee))
    await till.work(SOON)
    back = SentBack("AC06", fee_back=True)
    await actions.settle(db, await till.again(costly), back, Gaps(), SOON)
    by_file = await till.approved(50_000, PayoutChannel.FILE)
    exported = await files.export(db, VAULT, FileForm.CSV, PayingAccount(), CHECKER, SOON)
    assert exported is not None
    assert (exported.payouts, exported.left) == (1, 0)
    assert (await till.again(by_file)).state is PayoutState.SENT
    held = await till.prepared(60_000)
    await till.approve(held, MAKER)
    await till.add_account("60200054321111", now=SOON)
    key, recording = (db, VAULT, till.merchant_id, PRIMARY), paper_recording(till.merchant_id, SOON)
    await papers.add(*key, (PaperKind.STATEMENT, "s.pdf", PDF), MAKER, SOON, recording)
    await till.check_accounts(SOON)
    await till.approved(70_000, now=SOON)
    await till.prepared(80_000, now=SOON)
    # The chain finds merchants by the events of their payments.
    await db.execute(
        "INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)"
        " VALUES ($1, 1, 1, $2, 'created', 'open', 'merchant')",
        *(till.merchant_id, NOW),
    )
    assert await chain.seal(db, VAULT, LATER)
    assert await till.broken(LATER) == set()
    async with db.transaction() as conn:
        await take_checks_off(conn)
        for table in TABLES:
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield conn


async def named(conn: asyncpg.Connection, change: str, *values: object) -> bool:
    """Return whether anything is named when a row is changed so, or nothing can be changed.

    Nothing stays.
    """
    undone = conn.transaction()
    await undone.start()
    try:
        if (await conn.execute(change, *values)).endswith(" 0"):
            return True
        checks = (CHECKS | DUE | CHAIN | TRAIL).items()
        return any(
            [
                (await audit.check(conn, violation, query, LATER)).count
                for violation, query in checks
            ]
        )
    except REFUSED:
        return True
    finally:
        await undone.rollback()


@pytest.mark.parametrize("table", TABLES)
async def test_each_lie_about_payouts_is_named(books: asyncpg.Connection, table: str) -> None:
    columns = await columns_of(books, table)
    order = ", ".join((TABLES[table], *await key_of(books, table, 0)))
    query = (
        f"SELECT DISTINCT ON ({TABLES[table]}) {spot_of(columns)}, {TABLES[table]} FROM {table}"
        f" ORDER BY {order}"
    )
    places = {row[0]: row[1] for row in await books.fetch(query)}
    row_there = here(columns)
    changes = {f"{table} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        changes[f"{table}.{column}"] = [
            (
                f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS DISTINCT"
                f" FROM {lie}"
            )
            for lie in lies(column, kind, domain)
        ]
    unseen: dict[str, list[str]] = {}
    for place, tries in changes.items():
        for row, apart in places.items():
            if not all([await named(books, each, row) for each in tries]):
                unseen.setdefault(place, []).append(str(apart))
    assert sorted(unseen) == sorted(
        place for place in UNSEEN if place.startswith((f"{table}.", f"{table} "))
    )


async def test_the_states_of_the_books_are_all_bent(books: asyncpg.Connection) -> None:
    rows = await books.fetch(
        "SELECT state::text, channel::text, amount_paise, bank_code FROM payouts"
    )
    seen = {row["state"] for row in rows}
    wanted = {
        "paid_late",
        "deemed",
        "prepared",
        "approved",
        "sent",
        "done",
        "refused",
        "returned",
        "held_back",
    }
    assert seen >= wanted, [tuple(row) for row in rows]
