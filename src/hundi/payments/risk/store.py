"""All SQL of risk: rule sets, the counts of tries, and what was blocked."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.payments.risk.conditions import COUNT_MAX
from hundi.payments.risk.counting.rules import Tally, hour_of, minute_of
from hundi.payments.risk.rules import OPERATOR, Counts, Facts, RiskCount, RiskRecord, Subject

STRIPES = 16
"""Rows over which the tries of a whole merchant are spread."""

SELECT_LIVE = """
SELECT version, document, published_by, published_at FROM risk_rule_sets
WHERE merchant_id = $1 ORDER BY version DESC LIMIT 1
"""
SELECT_VERSION = """
SELECT version, document, published_by, published_at FROM risk_rule_sets WHERE merchant_id = $1
    AND version = $2
"""
SELECT_OPERATORS_LIVE = """
SELECT version, document, published_by, published_at FROM operator_rule_sets
ORDER BY version DESC LIMIT 1
"""
SELECT_OPERATORS_VERSION = """
SELECT version, document, published_by, published_at FROM operator_rule_sets WHERE version = $1
"""
LOCK_RULE_SETS = "SELECT pg_advisory_xact_lock(7125530420)"
"""Serialises publications: each rule set gets a version of its own."""
NEXT_VERSION = "SELECT coalesce(max(version), 0) + 1 FROM risk_rule_sets WHERE merchant_id = $1"
INSERT_RULE_SET = """
INSERT INTO risk_rule_sets (merchant_id, version, document, published_by, published_at)
    VALUES ($1, $2, $3, $4, $5)
"""
NEXT_OPERATORS_VERSION = "SELECT coalesce(max(version), 0) + 1 FROM operator_rule_sets"
INSERT_OPERATORS_RULE_SET = """
INSERT INTO operator_rule_sets (version, document, published_by, published_at)
    VALUES ($1, $2, $3, $4)
"""
COUNT_TRY = "SELECT count_risk_try($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
COUNT_DECLINE = "SELECT count_risk_decline($1, $2, $3, $4, $5, $6, $7, $8)"
INSERT_BLOCK = """
INSERT INTO risk_blocks (merchant_id, payment_id, event_no, at, method, bank, upi_address, risk)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
SELECT_BLOCKS = """
SELECT event_no, at, method, bank, upi_address, risk FROM risk_blocks
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no
"""
SELECT_TRIES = """
SELECT a.created_at AS at, a.method, a.bank, a.payer_vpa AS upi_address, a.risk, a.state,
    a.settled_at, p.payment_id, p.order_id, p.amount_paise, p.currency, p.kind, p.buyer, p.channels
FROM attempts a JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id
WHERE a.merchant_id = $1 AND a.created_at >= $2 AND a.state <> 'offered'
    AND NOT (a.method IN ('upi_qr', 'upi_link') AND a.state IN ('expired', 'unknown'))
UNION ALL
SELECT b.at, b.method, b.bank, b.upi_address, b.risk, 'blocked', NULL,
    p.payment_id, p.order_id, p.amount_paise, p.currency, p.kind, p.buyer, p.channels
FROM risk_blocks b JOIN payments p ON p.merchant_id = b.merchant_id AND p.payment_id = b.payment_id
WHERE b.merchant_id = $1 AND b.at >= $2
ORDER BY at LIMIT $3
"""
"""Attempts and blocked tries, without the QRs that nobody scanned."""
SWEEP_COUNTS = "DELETE FROM risk_counts WHERE began_at < $1"
SWEEP_CARDS = "DELETE FROM risk_cards WHERE tried_at < $1"

Hashes = Mapping[Subject, bytes]
"""The keyed hashes of a try's subjects."""


async def select_live(db: Database, owner: int) -> Record | None:
    """Return the newest rule set of an owner."""
    if owner == OPERATOR:
        return await db.fetchrow(SELECT_OPERATORS_LIVE)
    return await db.fetchrow(SELECT_LIVE, owner)


async def select_version(db: Database, owner: int, version: int) -> Record | None:
    """Return one version of an owner's rule set."""
    if owner == OPERATOR:
        return await db.fetchrow(SELECT_OPERATORS_VERSION, version)
    return await db.fetchrow(SELECT_VERSION, owner, version)


async def insert_rule_set(conn: Queries, owner: int, document: str, by: str, now: datetime) -> int:
    """Write the next version of an owner's rule set and return its number."""
    await conn.execute(LOCK_RULE_SETS)
    if owner == OPERATOR:
        version = await conn.fetchval(NEXT_OPERATORS_VERSION)
        await conn.execute(INSERT_OPERATORS_RULE_SET, version, document, by, now)
    else:
        version = await conn.fetchval(NEXT_VERSION, owner)
        await conn.execute(INSERT_RULE_SET, owner, version, document, by, now)
    return version


async def count_try(
    db: Database, tally: Tally, facts: Facts, hashes: Hashes, now: datetime
) -> Counts:
    """Add a try to the counts and return the counts asked for, in one round trip."""
    counted = await db.fetchval(
        COUNT_TRY,
        *_added(tally, facts, hashes, now),
        [hashes[each.by] for each in tally.rule_counts],
        [each.metric for each in tally.rule_counts],
        [_span(by_the_minute=each.by_the_minute) for each in tally.rule_counts],
        [_since(each, now) for each in tally.rule_counts],
        COUNT_MAX + 1,
    )
    return dict(zip(tally.rule_counts, counted or (), strict=True))


async def count_decline(
    db: Database, tally: Tally, facts: Facts, hashes: Hashes, now: datetime
) -> None:
    """Add a decline to the counts."""
    await db.execute(COUNT_DECLINE, *_added(tally, facts, hashes, now))


def _added(tally: Tally, facts: Facts, hashes: Hashes, now: datetime) -> tuple[object, ...]:
    return (
        int(facts.merchant),
        now,
        facts.amount_paise,
        bytes.fromhex(facts.card) if tally.cards else b"",
        [hashes[subject] for subject, _ in tally.spans],
        [_span(by_the_minute=by_the_minute) for _, by_the_minute in tally.spans],
        [
            secrets.randbelow(STRIPES) if subject is Subject.MERCHANT else 0
            for subject, _ in tally.spans
        ],
        [hashes[subject] for subject in tally.cards],
    )


def _span(*, by_the_minute: bool) -> str:
    return "minute" if by_the_minute else "hour"


def _since(count: RiskCount, now: datetime) -> datetime:
    """Return the start of the counted rows: the whole minute or hour in which the time began."""
    return minute_of(count.since(now)) if count.by_the_minute else hour_of(count.since(now))


class RiskTry(Protocol):
    """The fields that a blocked try shares with an attempt, which it never becomes."""

    @property
    def merchant_id(self) -> int: ...  # noqa: D102 (the protocol's docstring says it)
    @property
    def payment_id(self) -> int: ...  # noqa: D102
    @property
    def method(self) -> str: ...  # noqa: D102
    @property
    def bank(self) -> str: ...  # noqa: D102
    @property
    def payer_vpa(self) -> str: ...  # noqa: D102
    @property
    def risk(self) -> RiskRecord: ...  # noqa: D102


async def insert_block(conn: Connection, event_no: int, blocked: RiskTry, now: datetime) -> None:
    """Write a blocked try beside its event of the payment."""
    values = blocked.method, blocked.bank, blocked.payer_vpa, blocked.risk
    await conn.execute(
        INSERT_BLOCK, blocked.merchant_id, blocked.payment_id, event_no, now, *values
    )


async def select_blocks(db: Database, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the blocked tries of a payment, oldest first."""
    return await db.fetch(SELECT_BLOCKS, merchant_id, payment_id)


async def select_tries(db: Database, merchant_id: int, since: datetime, limit: int) -> list[Record]:
    """Return the tries of a merchant, oldest first."""
    return await db.fetch(SELECT_TRIES, merchant_id, since, limit)


async def sweep(db: Database, counts_before: datetime, cards_before: datetime) -> None:
    """Delete counts that no rule needs any more, of every merchant."""
    await db.execute(SWEEP_COUNTS, counts_before)
    await db.execute(SWEEP_CARDS, cards_before)
