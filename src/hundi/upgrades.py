"""What an upgrade takes over, once: secrets of no row, and rows that the trail does not prove."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory import store as merchant_store
from hundi.merchants.directory.actions import MerchantChange
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as bank_account_store
from hundi.money.bank_accounts.rules import Account
from hundi.money.fees import actions as fees
from hundi.money.fees import store as fee_store
from hundi.partners.directory import actions as partners
from hundi.partners.identity import actions as identity
from hundi.partners.leads import actions as leads
from hundi.partners.leads.actions import LeadContext
from hundi.partners.offers import actions as offers
from hundi.payments.acquirer_accounts import actions as acquirer_accounts
from hundi.payments.disputes import sealed as evidence
from hundi.payments.splits import actions as splits
from hundi.staff.people import actions as people
from hundi.staff.people import proofs
from hundi.staff.people.proofs import UnprovedPerson
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

_VERB = "take_over"
_RESEALED = f"keys.{_VERB}"
_Record = Callable[[Connection, Who, datetime], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class UnprovedRow:
    """A merchant, bank account or price plan about which the trail proves nothing.

    record: writes an entry for the row as it is.
    """

    merchant_id: int
    what: str
    record: _Record


async def reseal(db: Database, vault: Vault, now: datetime) -> dict[str, int]:
    """Seal anew, row by row, each in its own short transaction: requests wait for one row at most.

    Returns how many values of each kind were sealed under an older key.
    """
    return {
        "merchants": await merchants.reseal(db, vault, now),
        "acquirers": await acquirer_accounts.reseal(db, vault),
        "bank_accounts": await bank_accounts.reseal(db, vault),
        "linked_accounts": await splits.reseal(db, vault),
        "evidence": await evidence.reseal(db, vault),
        "identity": await identity.reseal(db, vault),
        "offers": await offers.reseal(db, vault),
        "leads": await leads.reseal(LeadContext(db, vault)),
        "partners": await partners.reseal(db, vault, now),
        "people": await people.reseal(db, vault),
    }


async def reseal_older(db: Database, by: Who, now: datetime) -> dict[str, int]:
    """Seal for its row what is older than the binding, once; interrupted, it is done again.

    Raises Refused (STATE_FORBIDS).
    """
    if await trail.was_done(db, by.vault, OPERATOR, _RESEALED):
        allowed = "nothing: what opens in no row now was moved by SQL"
        raise refuse(RefusalCode.STATE_FORBIDS, field="older", received="sealed for their rows before", allowed=allowed)
    done = await reseal(db, by.vault.opening_unbound(), now)
    await trail.record(db, OPERATOR, by, _RESEALED, "secrets", now, **done)
    return done


async def unproved_rows(db: Database, vault: Vault) -> list[UnprovedRow]:
    """Return the merchants, bank accounts and price plans about which the trail proves nothing."""
    found = list[UnprovedRow]()
    for row in await merchant_store.select_all(db):
        if not await trail.proves_merchant(db, vault, row["merchant_id"]):
            what = f"{row['name']}: {row['state']}, settings"
            found.append(UnprovedRow(row["merchant_id"], what, partial(_record_merchant, row["merchant_id"])))
    for account in await bank_account_store.select_all(db):
        if not await bank_accounts.has_entry(db, vault, account):
            found.append(UnprovedRow(account.merchant_id, _words(account), partial(_record_account, account)))
    for merchant_id, plan_no in await fee_store.numbers(db):
        if not await trail.newest_detail(db, vault, merchant_id, "fee_plan", plan_no):
            found.append(UnprovedRow(merchant_id, f"price plan {plan_no}", partial(_record_plan, merchant_id, plan_no)))
    return found


def _words(account: Account) -> str:
    replaced = "replaced, " if account.replaced_at else ""
    named = f"{account.holder}, …{account.last4}, {account.ifsc}"
    return f"account {account.account_no} of {account.beneficiary}: {named}, {replaced}{account.state}"


async def _record_merchant(merchant_id: int, conn: Connection, by: Who, now: datetime) -> None:
    await trail.recording_merchant(by, f"merchant.{_VERB}", now)(conn, MerchantChange(merchant_id))


async def _record_account(account: Account, conn: Connection, by: Who, now: datetime) -> None:
    await bank_accounts.record_account(conn, by, _VERB, account, now)


async def _record_plan(merchant_id: int, plan_no: int, conn: Connection, by: Who, now: datetime) -> None:
    await fees.record_plan(conn, by, _VERB, merchant_id, plan_no, now)


async def take_over(
    db: Database, people: Collection[UnprovedPerson], rows: Collection[UnprovedRow], by: Who, now: datetime
) -> None:
    """Let people and rows that were shown hold, once.

    Raises Refused (STATE_FORBIDS).
    """
    async with db.transaction() as conn:
        await proofs.take_over(conn, people, by, now)
        for row in rows:
            await row.record(conn, by, now)


async def take_over_demo(db: Database, by: Who, now: datetime) -> None:
    """Take over all of a demo that an earlier version made: nobody looks, and no money is in it."""
    if not await trail.was_done(db, by.vault, OPERATOR, _RESEALED):
        await reseal_older(db, by, now)
    # By itself: a start that ended between the two goes on here.
    if not await proofs.is_taken_over(db, by.vault):
        await take_over(db, await proofs.unproved(db, by.vault), await unproved_rows(db, by.vault), by, now)
