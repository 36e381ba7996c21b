"""The terms of settlements: agreed in versions, each recorded in the trail."""

from datetime import datetime, timedelta

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.settlements import rules, store
from hundi.money.settlements.rules import SettlementTerms
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind


async def set_terms(
    db: Database, merchant_id: int, terms: SettlementTerms, by: Who, now: datetime
) -> SettlementTerms:
    """Agree on new terms from now on, and return them with their number. Raises Refused."""
    rules.check_terms(terms)
    versions = await store.terms_of(db, merchant_id)
    if not versions and not await store.is_known(db, merchant_id):
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, received=str(merchant_id))
    since = max([now, *(each.set_at + timedelta(microseconds=1) for each in versions[-1:])])
    new = replace(terms, terms_no=len(versions) + 1, set_at=since)
    async with db.transaction() as conn:
        if not await store.insert_terms(conn, merchant_id, new):
            allowed = "one change at a time: another was just made"
            raise refuse(RefusalCode.FIELD_INVALID, field="terms", allowed=allowed)
        await record_terms(conn, by, "agree", merchant_id, new.terms_no, now)
    return new


async def record_terms(
    conn: Connection, by: Who, verb: str, merchant_id: int, terms_no: int, now: datetime
) -> None:
    """Record a merchant's terms in its trail."""
    detail = trail.told(RowKind.TERMS, await store.digest(conn, merchant_id, terms_no))
    await trail.record(conn, merchant_id, by, f"settlement_terms.{verb}", terms_no, now, **detail)
