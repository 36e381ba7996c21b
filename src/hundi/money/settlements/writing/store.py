"""All SQL that writes a settlement, with its shares and postings."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import date, datetime
from typing import Any

from hundi.infra.postgres.database import Connection
from hundi.money.settlements.rules import (
    Amounts,
    CarriedBalance,
    ItemSums,
    LinkedPart,
    SettlementKind,
    SettlementTerms,
)
from hundi.money.settlements.store import STATEMENT_S_MAX

TAKE = """
UPDATE settlement_items SET settlement_id = $3 WHERE merchant_id = $1 AND settlement_id IS NULL
    AND ready_on <= $2
"""

INSERT_SETTLEMENT = """
INSERT INTO settlements (merchant_id, settlement_id, settlement_no, day, kind, at, terms_no, items,
    gross_paise, refunds_paise, other_paise, fee_paise, tax_paise, digest, carried_in_paise,
    reserve_until, reserve_held_paise, reserve_released_paise, price_paise, price_tax_paise,
    net_paise, splits_paise, carried_paise, linked_carried)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
    $21, $22, $23, $24)
"""

INSERT_SHARE = """
INSERT INTO settlement_shares (merchant_id, share_id, settlement_id, beneficiary, amount_paise,
    created_at)
VALUES ($1, $2, $3, $4, $5, $6)
"""

INSERT_OPEN = (
    "INSERT INTO shares_to_pay (merchant_id, share_id, beneficiary, account_no) VALUES ($1, $2,"
    " $3, 0)"
)

INSERT_PART = """
INSERT INTO settlement_parts (merchant_id, settlement_id, payment_id, identifier, amount_paise)
VALUES ($1, $2, $3, $4, $5)
"""

INSERT_POSTING = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""


@dataclass(frozen=True, slots=True)
class NewSettlement:
    """A settlement to write, with its parts, shares and postings.

    day: the settled day. at: when it was due, UTC. upto: items ready by that day are settled, which
    come to `sums`. shares: id, beneficiary, paise. postings: cause, kind, debit, credit, paise.
    """

    settlement_id: int
    day: date
    kind: SettlementKind
    at: datetime
    upto: date
    terms: SettlementTerms
    reserve_until: date | None
    sums: ItemSums
    before: CarriedBalance
    amounts: Amounts
    parts: Sequence[LinkedPart]
    shares: Sequence[tuple[int, str, int]]
    postings: Sequence[tuple[int, str, str, str, int]]


async def write(conn: Connection, merchant_id: int, settlement: NewSettlement) -> None:
    """Write a settlement with its items, parts, shares and postings."""
    at, settlement_id, shares = settlement.at, settlement.settlement_id, settlement.shares
    await conn.execute(
        INSERT_SETTLEMENT,
        merchant_id,
        settlement_id,
        settlement.before.settlement_no + 1,
        settlement.day,
        settlement.kind,
        at,
        settlement.terms.terms_no,
        *astuple(settlement.sums),
        settlement.before.carried_paise,
        settlement.reserve_until,
        *amounts_of(settlement.amounts),
    )
    tag = await conn.execute(
        TAKE, merchant_id, settlement.upto, settlement_id, timeout=STATEMENT_S_MAX
    )
    if int(tag.split()[-1]) != settlement.sums.items:
        message = (
            f"settlement {settlement_id} of {merchant_id} counts {settlement.sums.items} items,"
            f" and took {tag}"
        )
        raise AssertionError(message)
    if settlement.parts:
        rows = [
            (merchant_id, settlement_id, each.payment_id, each.identifier, each.due_paise)
            for each in settlement.parts
        ]
        await conn.executemany(INSERT_PART, rows)
    if shares:
        share_rows = [
            (merchant_id, number, settlement_id, name, paise, at) for number, name, paise in shares
        ]
        await conn.executemany(INSERT_SHARE, share_rows)
        await conn.executemany(
            INSERT_OPEN, [(merchant_id, number, name) for number, name, _ in shares]
        )
    if settlement.postings:
        await conn.executemany(
            INSERT_POSTING, [(merchant_id, *each, at) for each in settlement.postings]
        )


def amounts_of(amounts: Amounts) -> tuple[Any, ...]:
    """Return the amounts of a settlement in the order of their columns."""
    return (
        amounts.reserve_held_paise,
        amounts.reserve_released_paise,
        amounts.price_paise,
        amounts.price_tax_paise,
        amounts.net_paise,
        amounts.splits_paise,
        amounts.carried_paise,
        dict(amounts.linked_carried),
    )
