"""All SQL about subscriptions and their debits.

A subscription is changed under the lock of the payment that registered it, and so is a debit, if
its state is still the one that was read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import AMOUNT, Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.states import DebitState, SubscriptionPeriod, SubscriptionState
from hundi.payments.subscriptions.rules import Debit, Subscription

SUBSCRIPTION = Table(
    Subscription,
    {"state": Field(SubscriptionState), "amount": AMOUNT, "period": Field(SubscriptionPeriod)},
)
DEBIT = Table(Debit, {"amount": AMOUNT, "state": Field(DebitState)})
_CHANGED = SUBSCRIPTION.only(
    "state",
    "amount_paise",
    "debits_max",
    "retries_max",
    "due_at",
    "next_period",
    "connector",
    "mandate_reference",
    "channel",
    "umrn",
    "payer",
    "activated_at",
    "ended_at",
    "notice_before",
    "ask_at",
    "paused_at_bank",
    "mandate_name",
)
_TRIED = DEBIT.only(
    "state",
    "planned_at",
    "due_at",
    "connector",
    "noticed_at",
    "payment_id",
    "tries",
    "settled_at",
    "notice_name",
    "debit_until",
)

INSERT = f"""
INSERT INTO subscriptions ({SUBSCRIPTION.listed()}) VALUES ({SUBSCRIPTION.numbered(1)})
ON CONFLICT (merchant_id, subscription_id) DO NOTHING
"""
SELECT_ONE = f"""
SELECT {SUBSCRIPTION.listed()} FROM subscriptions WHERE merchant_id = $1 AND subscription_id = $2
"""
SELECT_LIST = f"""
SELECT {SUBSCRIPTION.listed()} FROM subscriptions
WHERE merchant_id = $1 AND ($2::text IS NULL OR state = $2) AND subscription_id < $3
ORDER BY subscription_id DESC LIMIT $4
"""
UPDATE = (
    f"UPDATE subscriptions SET {_CHANGED.assigned(3)} WHERE merchant_id = $1 AND "
    "subscription_id = $2"
)
SELECT_DUE = """
SELECT merchant_id, subscription_id, connector, due_at FROM subscriptions
WHERE due_at <= $1 AND connector <> ALL ($2::text[])
UNION ALL
SELECT s.merchant_id, s.subscription_id, s.connector, NULL
FROM subscriptions s JOIN payments p ON p.merchant_id = s.merchant_id
    AND p.payment_id = s.subscription_id
WHERE s.state = 'created' AND p.state = 'paid'
ORDER BY due_at NULLS FIRST LIMIT $3
"""
"""Across merchants: the subscriptions whose next period, approval or end is due now."""
CLAIM = f"""
UPDATE subscriptions SET due_at = $4
WHERE merchant_id = $1 AND subscription_id = ANY ($2::bigint[])
    AND (due_at <= $3 OR state = 'created')
RETURNING {SUBSCRIPTION.listed()}
"""
"""The guard on due_at lets one of two workers claim a row.

An approval is written once, whoever finds it.
"""
PUT_BACK = """
UPDATE subscriptions SET due_at = $4 WHERE merchant_id = $1 AND subscription_id = $2 AND due_at = $3
"""
SELECT_NAMED = """
SELECT merchant_id, subscription_id FROM subscriptions WHERE connector = $1 AND mandate_name = $2
"""
"""Across merchants: the mandate that an acquirer's webhook names."""
SELECT_TO_ASK = """
SELECT merchant_id, subscription_id, connector, ask_at FROM subscriptions
WHERE ask_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY ask_at LIMIT $3
"""
"""Across merchants: the subscriptions whose acquirer is asked now how the mandate stands."""
CLAIM_TO_ASK = f"""
UPDATE subscriptions SET ask_at = $4
WHERE merchant_id = $1 AND subscription_id = ANY ($2::bigint[]) AND ask_at <= $3
RETURNING {SUBSCRIPTION.listed()}
"""
"""The guard on ask_at lets one of two workers claim a row."""
PUT_BACK_TO_ASK = """
UPDATE subscriptions SET ask_at = $4 WHERE merchant_id = $1 AND subscription_id = $2 AND ask_at = $3
"""
INSERT_DEBIT = f"INSERT INTO subscription_debits ({DEBIT.listed()}) VALUES ({DEBIT.numbered(1)})"
SELECT_DEBIT = (
    f"SELECT {DEBIT.listed()} FROM subscription_debits WHERE merchant_id = $1 AND debit_id = $2"
)
SELECT_DEBITS = f"""
SELECT {DEBIT.listed()} FROM subscription_debits
WHERE merchant_id = $1 AND subscription_id = $2 ORDER BY period_no DESC LIMIT $3
"""
SELECT_WAITING = f"""
SELECT {DEBIT.listed()} FROM subscription_debits
WHERE merchant_id = $1 AND subscription_id = $2 AND state IN ('announced', 'sent', 'retrying')
    ORDER BY period_no
"""
UPDATE_DEBIT = f"""
UPDATE subscription_debits SET {_TRIED.assigned(4)} WHERE merchant_id = $1 AND debit_id = $2
    AND state = $3
RETURNING debit_id
"""
SELECT_DEBITS_DUE = """
SELECT merchant_id, debit_id, connector, due_at FROM subscription_debits
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the debits to announce, to make, or to follow now."""
CLAIM_DEBITS = f"""
UPDATE subscription_debits SET due_at = $4
WHERE merchant_id = $1 AND debit_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {DEBIT.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK_DEBIT = """
UPDATE subscription_debits SET due_at = $4 WHERE merchant_id = $1 AND debit_id = $2 AND due_at = $3
"""
SELECT_NEXT_DUE = """
SELECT least(
    (SELECT min(due_at) FROM subscriptions WHERE due_at > $1),
    (SELECT min(ask_at) FROM subscriptions WHERE ask_at > $1),
    (SELECT min(due_at) FROM subscription_debits WHERE due_at > $1)) AS next_due
"""
"""Across merchants: the next due time, for the clock of a demo."""
SELECT_DUE_WITHIN = """
SELECT min(due_at) AS first, count(*) AS count FROM (
    SELECT due_at FROM subscriptions WHERE due_at > $1 AND due_at <= $2
    UNION ALL SELECT ask_at FROM subscriptions WHERE ask_at > $1 AND ask_at <= $2
    UNION ALL SELECT due_at FROM subscription_debits WHERE due_at > $1 AND due_at <= $2) AS soon
"""
"""Across merchants: what is due between two times, for the same clock."""


async def insert(db: Queries, new: Subscription) -> None:
    """Write a subscription; an existing one of its order stays as it is."""
    await db.execute(INSERT, *SUBSCRIPTION.values(new))


async def select(db: Queries, merchant_id: int, subscription_id: int) -> Subscription | None:
    """Return one subscription."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, subscription_id)
    return SUBSCRIPTION.read(row) if row else None


async def select_list(
    db: Database, merchant_id: int, state: SubscriptionState | None, before: int, limit: int
) -> list[Subscription]:
    """Return a merchant's subscriptions, newest first, from one on."""
    return [
        SUBSCRIPTION.read(row)
        for row in await db.fetch(SELECT_LIST, merchant_id, state, before, limit)
    ]


async def update(conn: Connection, after: Subscription) -> None:
    """Write a subscription's change; the caller holds the lock of its payment."""
    await conn.execute(UPDATE, after.merchant_id, after.subscription_id, *_CHANGED.values(after))


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the subscriptions to work on now, without those at some acquirers."""
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database,
    merchant_id: int,
    subscription_ids: Sequence[int],
    now: datetime,
    lease_until: datetime,
) -> list[Subscription]:
    """Claim those of a merchant's subscriptions that still are due."""
    rows = await db.fetch(CLAIM, merchant_id, subscription_ids, now, lease_until)
    return [SUBSCRIPTION.read(row) for row in rows]


async def put_back(db: Database, claimed: Subscription, due_at: datetime) -> None:
    """Release a claimed subscription for which nothing could be sent."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.subscription_id, claimed.due_at, due_at)


async def named(db: Database, connector: str, name: str) -> tuple[int, int] | None:
    """Return merchant and subscription of a mandate that an acquirer calls so."""
    row = await db.fetchrow(SELECT_NAMED, connector, name)
    return (row["merchant_id"], row["subscription_id"]) if row else None


async def to_ask(db: Database, query: DueQuery) -> list[Due]:
    """Return the subscriptions whose acquirer is to be asked now, without those at some."""
    rows = await look(db, SELECT_TO_ASK, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim_to_ask(
    db: Database,
    merchant_id: int,
    subscription_ids: Sequence[int],
    now: datetime,
    lease_until: datetime,
) -> list[Subscription]:
    """Claim those of a merchant's subscriptions that still are to be asked about."""
    rows = await db.fetch(CLAIM_TO_ASK, merchant_id, subscription_ids, now, lease_until)
    return [SUBSCRIPTION.read(row) for row in rows]


async def put_back_to_ask(db: Database, claimed: Subscription, ask_at: datetime) -> None:
    """Release a claimed subscription about which nothing could be asked."""
    key = claimed.merchant_id, claimed.subscription_id
    await db.execute(PUT_BACK_TO_ASK, *key, claimed.ask_at, ask_at)


async def insert_debit(conn: Connection, new: Debit) -> None:
    """Write the debit of a period. Raises UniqueViolationError when the period has one."""
    await conn.execute(INSERT_DEBIT, *DEBIT.values(new))


async def select_debit(db: Queries, merchant_id: int, debit_id: int) -> Debit | None:
    """Return one debit."""
    row = await db.fetchrow(SELECT_DEBIT, merchant_id, debit_id)
    return DEBIT.read(row) if row else None


async def debits(db: Queries, merchant_id: int, subscription_id: int, limit: int) -> list[Debit]:
    """Return the latest debits of a subscription, newest first."""
    return [
        DEBIT.read(row)
        for row in await db.fetch(SELECT_DEBITS, merchant_id, subscription_id, limit)
    ]


async def waiting_debits(db: Queries, merchant_id: int, subscription_id: int) -> list[Debit]:
    """Return the debits of a subscription that are not over, oldest first."""
    return [DEBIT.read(row) for row in await db.fetch(SELECT_WAITING, merchant_id, subscription_id)]


async def update_debit(conn: Connection, before: Debit, after: Debit) -> bool:
    """Write a debit's change if its state is still the one that was read."""
    values = _TRIED.values(after)
    return (
        await conn.fetchval(
            UPDATE_DEBIT, before.merchant_id, before.debit_id, before.state, *values
        )
        is not None
    )


async def debits_due(db: Database, query: DueQuery) -> list[Due]:
    """Return the debits to work on now, most overdue first, without those at some acquirers."""
    rows = await look(db, SELECT_DEBITS_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim_debits(
    db: Database, merchant_id: int, debit_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Debit]:
    """Claim those of a merchant's debits that still are due."""
    return [
        DEBIT.read(row)
        for row in await db.fetch(CLAIM_DEBITS, merchant_id, debit_ids, now, lease_until)
    ]


async def put_back_debit(db: Database, claimed: Debit, due_at: datetime) -> None:
    """Release a claimed debit for which nothing could be sent."""
    await db.execute(PUT_BACK_DEBIT, claimed.merchant_id, claimed.debit_id, claimed.due_at, due_at)


@dataclass(frozen=True, slots=True)
class DueSoon:
    """What is due between two times: how much, and the first time."""

    count: int
    first: datetime | None


async def due_within(db: Database, after: datetime, until: datetime) -> DueSoon:
    """Return what is due after a time and until another."""
    row = await db.fetchrow(SELECT_DUE_WITHIN, after, until)
    return DueSoon(row["count"], row["first"]) if row else DueSoon(0, None)


async def next_due(db: Database, after: datetime) -> datetime | None:
    """Return the next due time after a time."""
    return await db.fetchval(SELECT_NEXT_DUE, after)
