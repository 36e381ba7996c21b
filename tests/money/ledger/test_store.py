"""Postings and balances under random work and open transactions, against a test's books."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.money import Money
from hundi.money.ledger import actions, store
from hundi.money.ledger.rules import Posting, PostingKind
from tests.moves import move

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
SIDES = {
    PostingKind.PAYMENT: ("receivable:sandbox", "payable"),
    PostingKind.OVERPAID: ("receivable:sandbox", "owed_back"),
    PostingKind.LATE_REFUND_DUE: ("payable", "owed_back"),
    PostingKind.CAPTURE: ("receivable:sandbox", "payable"),
    PostingKind.REFUND_BEGUN: ("payable", "refunds_in_flight"),
    PostingKind.REFUND_DONE: ("refunds_in_flight", "receivable:sandbox"),
    PostingKind.REFUND_FAILED: ("refunds_in_flight", "payable"),
    PostingKind.REFUND_REVERSED: ("receivable:sandbox", "payable"),
    PostingKind.REVIEW_HELD: ("receivable:sandbox", "held_for_review"),
    PostingKind.REVIEW_RELEASED: ("held_for_review", "payable"),
    PostingKind.REVIEW_REJECTED: ("held_for_review", "owed_back"),
    PostingKind.SETTLEMENT_FEE: ("payable", "fee_income"),
    PostingKind.SETTLEMENT_TAX: ("payable", "tax_payable"),
    PostingKind.RESERVE_HELD: ("payable", "reserve"),
    PostingKind.RESERVE_RELEASED: ("reserve", "payable"),
    PostingKind.SHARE_DUE: ("payable", "settlement_due"),
    PostingKind.PAYOUT_SENT: ("settlement_due", "payouts_in_flight"),
    PostingKind.PAYOUT_DONE: ("payouts_in_flight", "escrow"),
    PostingKind.PAYOUT_RETURNED: ("payouts_in_flight", "settlement_due"),
    PostingKind.PAYOUT_REVERSED: ("escrow", "settlement_due"),
    PostingKind.PAYOUT_LATE: ("settlement_due", "escrow"),
    PostingKind.PAYOUT_TWICE: ("paid_twice", "escrow"),
    PostingKind.PAYOUT_RECOVERED: ("payable", "paid_twice"),
    PostingKind.PAYOUT_RECOVERED_BACK: ("paid_twice", "payable"),
    PostingKind.PAYOUT_FEE: ("acquirer_cost", "provider_due"),
    PostingKind.PAYOUT_FEE_BACK: ("provider_due", "acquirer_cost"),
    PostingKind.CHECK_COST: ("acquirer_cost", "provider_due"),
    PostingKind.DIRECT_BEGUN: ("payable", "direct_shares"),
    PostingKind.DIRECT_REDUCED: ("direct_shares", "payable"),
    PostingKind.DIRECT_DONE: ("direct_shares", "receivable:sandbox"),
    PostingKind.DIRECT_RETURNED: ("direct_shares", "payable"),
    PostingKind.DIRECT_REVERSED: ("receivable:sandbox", "payable"),
    PostingKind.HANDED_OVER: ("escrow", "receivable:sandbox"),
    PostingKind.ACQUIRER_FEE: ("acquirer_cost", "receivable:sandbox"),
    PostingKind.CORRECTION: ("owed_back", "payable"),
    PostingKind.DISPUTE_HELD: ("payable", "disputed"),
    PostingKind.DISPUTE_WON: ("disputed", "payable"),
    PostingKind.DISPUTE_LOST: ("disputed", "receivable:sandbox"),
    PostingKind.DISPUTE_FEE: ("payable", "fee_income"),
    PostingKind.DISPUTE_TAX: ("payable", "tax_payable"),
}


def posting(
    merchant_id: int, attempt_id: int, kind: PostingKind = PostingKind.PAYMENT, paise: int = 100
) -> Posting:
    debit, credit = SIDES[kind]
    return Posting(merchant_id, attempt_id, kind, debit, credit, Money(paise), AT)


async def post(conn: Connection, postings: Sequence[Posting]) -> None:
    """Append postings, without the payments that they come from."""
    for each in postings:
        await conn.execute(
            "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit,"
            " amount_paise, currency, at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            each.merchant_id,
            each.cause_id,
            each.kind,
            each.debit,
            each.credit,
            each.amount.paise,
            each.amount.currency,
            each.at,
        )


class Auditor:
    """Books of the test's own, kept with nothing of the ledger: signed sums an account."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.sums: dict[tuple[int, str], int] = defaultdict(int)

    def note(self, merchant_id: int, kind: PostingKind, paise: int) -> None:
        debit, credit = SIDES[kind]
        self.sums[merchant_id, debit] += paise
        self.sums[merchant_id, credit] -= paise

    async def agree(self, db: Database, merchants: set[int]) -> None:
        for merchant_id in merchants:
            found = {
                each.account: each.debit_paise - each.credit_paise
                for each in await store.balances(db, merchant_id)
            }
            kept = {
                account: paise
                for (owner, account), paise in self.sums.items()
                if owner == merchant_id
            }
            assert {account: paise for account, paise in found.items() if paise} == {
                account: paise for account, paise in kept.items() if paise
            }
            assert sum(found.values()) == 0


async def test_postings_are_kept_as_made_and_read_back(db: Database) -> None:
    made = (
        posting(1, 5),
        posting(1, 5, PostingKind.LATE_REFUND_DUE),
        posting(1, 6, PostingKind.OVERPAID, 7),
    )
    async with db.transaction() as conn:
        await post(conn, made)
    assert await store.postings_of(db, 1, [5, 6]) == made
    assert await store.postings_of(db, 2, [5, 6]) == ()


async def test_nothing_is_posted_twice(db: Database) -> None:
    async with db.transaction() as conn:
        await post(conn, [posting(1, 5)])
    with pytest.raises(asyncpg.UniqueViolationError):
        async with db.transaction() as conn:
            await post(conn, [posting(1, 6), posting(1, 5)])
    assert await store.postings_of(db, 1, [6]) == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_postings SET amount_paise = 1",
        "DELETE FROM ledger_postings",
        "TRUNCATE ledger_postings",
    ],
)
async def test_the_database_refuses_to_change_what_is_posted(db: Database, statement: str) -> None:
    async with db.transaction() as conn:
        await post(conn, [posting(1, 5)])
    with pytest.raises(asyncpg.RestrictViolationError, match="append-only"):
        await db.execute(statement)


@pytest.mark.parametrize(
    ("debit", "credit", "paise"),
    [
        ("payable", "payable", 1),
        ("payable", "owed_back", 0),
        ("payable", "owed_back", -1),
        ("", "payable", 1),
    ],
)
async def test_the_database_refuses_what_the_rules_refuse(
    db: Database, debit: str, credit: str, paise: int
) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await db.execute(
            "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit,"
            " amount_paise, currency, at)"
            " VALUES (1, 1, 'payment', $1, $2, $3, 'INR', now())",
            debit,
            credit,
            paise,
        )


async def test_a_posting_still_in_flight_when_others_are_rolled_up_is_counted_later(
    db: Database,
) -> None:
    async with db.transaction() as slow:
        await post(slow, [posting(1, 1, paise=1_000)])
        async with db.transaction() as quick:
            await post(quick, [posting(1, 2, paise=10)])
        assert await actions.roll_checkpoints(db, AT) == 0, (
            "the open transaction is older than everything committed"
        )
        assert [each.paise for each in await store.balances(db, 1)] == [10, 10]
    assert [each.paise for each in await store.balances(db, 1)] == [1_010, 1_010]
    assert await actions.roll_checkpoints(db, AT) == 2
    assert await actions.roll_checkpoints(db, AT) == 0
    assert [each.paise for each in await store.balances(db, 1)] == [1_010, 1_010]


async def test_two_roll_ups_at_once_count_nothing_twice(db: Database) -> None:
    for attempt_id in range(1, 30):
        async with db.transaction() as conn:
            await post(conn, [posting(1, attempt_id)])
    rolled = await asyncio.gather(*(actions.roll_checkpoints(db, AT) for _ in range(3)))
    assert sum(rolled) == 29
    assert [each.paise for each in await store.balances(db, 1)] == [2_900, 2_900]


async def test_checkpoints_of_another_cluster_are_not_believed(db: Database) -> None:
    async with db.transaction() as conn:
        await post(conn, [posting(1, 1, paise=40)])
    await actions.roll_checkpoints(db, AT)
    await db.execute("UPDATE ledger_rolls SET through = '9000000000000'")
    async with db.transaction() as conn:
        await post(conn, [posting(1, 2, paise=2)])
    assert [each.paise for each in await store.balances(db, 1)] == [42, 42]
    assert await actions.roll_checkpoints(db, AT) == 2
    assert [each.paise for each in await store.balances(db, 1)] == [42, 42]


async def test_postings_of_another_node_count_when_the_merchant_is_back(db: Database) -> None:
    async with db.transaction() as conn:
        await post(conn, [posting(1, 1, paise=40)])
    await actions.roll_checkpoints(db, AT)
    async with db.transaction() as conn:
        await post(conn, [posting(1, 2, paise=2)])
        await conn.execute("ALTER TABLE ledger_postings DISABLE TRIGGER USER")
        await conn.execute("UPDATE ledger_postings SET xact = '4' WHERE cause_id = 2")
    await move(db, "ledger_rolls")
    assert [each.paise for each in await store.balances(db, 1)] == [42, 42]
    assert await actions.roll_checkpoints(db, AT) == 2
    assert await actions.roll_checkpoints(db, AT) == 0
    assert [each.paise for each in await store.balances(db, 1)] == [42, 42]


work = st.lists(
    st.tuples(
        st.sampled_from(["post", "post", "post", "roll_back", "roll_up"]),
        st.integers(1, 3),
        st.sampled_from(list(PostingKind)),
        st.integers(1, 10**12),
    ),
    max_size=40,
)


@given(work=work)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_checkpoint_and_tail_equal_the_auditors_books_whatever_happens_in_between(
    db: Database, work: list[tuple[str, int, PostingKind, int]]
) -> None:
    auditor, merchants = Auditor(), set[int]()
    # Examples share the database, so each has merchants of its own.
    postings = await db.fetchval("SELECT count(*) FROM ledger_postings")
    base = 10 * (postings + await db.fetchval("SELECT count(*) FROM ledger_rolls"))
    for attempt_id, (deed, merchant, kind, paise) in enumerate(work, start=1):
        merchant_id = base + merchant
        if deed == "roll_up":
            await actions.roll_checkpoints(db, AT)
            continue
        merchants.add(merchant_id)
        try:
            async with db.transaction() as conn:
                await post(conn, [posting(merchant_id, attempt_id, kind, paise)])
                if deed == "roll_back":
                    raise ConnectionAbortedError  # noqa: TRY301 (what rolls a transaction back)
        except ConnectionAbortedError:
            continue
        auditor.note(merchant_id, kind, paise)
    await auditor.agree(db, merchants)


async def test_readers_see_every_committed_posting_once_while_others_post_and_roll_up(
    db: Database,
) -> None:
    """Six writers, a roller and a reader at once.

    Every reading lies between what was committed before and after it.
    """
    begun, committed, stop = 0, 0, asyncio.Event()

    async def write(writer: int) -> None:
        nonlocal begun, committed
        for number in range(40):
            begun += 1
            async with db.transaction() as conn:
                await post(conn, [posting(1, writer * 1_000 + number, paise=1)])
                await asyncio.sleep(0.001 * (number % 3))
            committed += 1

    async def roll() -> int:
        rolled = 0
        while not stop.is_set():
            rolled += await actions.roll_checkpoints(db, AT)
        return rolled

    async def read() -> None:
        while not stop.is_set():
            least = committed
            found = await store.balances(db, 1)
            assert least <= sum(each.paise for each in found) / 2 <= begun

    rolling, reading = asyncio.create_task(roll()), asyncio.create_task(read())
    await asyncio.gather(*(write(writer) for writer in range(1, 7)))
    stop.set()
    await reading
    rolled = await rolling + await actions.roll_checkpoints(db, AT)
    assert rolled == 240
    assert [each.paise for each in await store.balances(db, 1)] == [240, 240]
