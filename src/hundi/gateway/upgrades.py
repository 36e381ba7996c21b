"""One-time steps of an upgrade: secrets without a row, and rows that the trail does not prove."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory import store as merchant_store
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as bank_account_store
from hundi.money.bank_accounts.papers import actions as papers
from hundi.money.bank_accounts.rules import PayoutAccount
from hundi.money.fees import actions as fees
from hundi.money.fees import store as fee_store
from hundi.money.reconciliation.uploads import actions as uploads
from hundi.money.settlements import store as settlement_store
from hundi.money.settlements.terms import actions as settlements_terms
from hundi.notifications.endpoints import actions as endpoints
from hundi.partners.directory import actions as partners
from hundi.partners.directory import store as partner_store
from hundi.partners.identity.keys import actions as keys
from hundi.partners.leads import actions as leads
from hundi.partners.leads.actions import LeadContext
from hundi.partners.offers import actions as offers
from hundi.payments.acquirer_accounts import actions as acquirer_accounts
from hundi.payments.acquirer_accounts import store as acquirer_store
from hundi.payments.acquirer_accounts.seals import actions as acquirer_seals
from hundi.payments.disputes.documents import actions as evidence
from hundi.payments.splits import actions as splits
from hundi.payments.splits import store as split_store
from hundi.staff.people import actions as people
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.proofs.actions import UnprovedPerson
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

_VERB = "take_over"
_RESEALED = f"keys.{_VERB}"
_Record = Callable[[Connection, Who, datetime], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class UnprovedRow:
    """A row about which the trail proves nothing.

    merchant_id: of the trail that should prove it, 0 for the operator's. what: the row, for people.
    record: writes an entry for the row as it is.
    """

    kind: RowKind
    merchant_id: int
    what: str
    record: _Record


async def reseal(db: Database, by: Who, now: datetime) -> dict[str, int]:
    """Seal again, row by row, each in its own short transaction: requests wait for one row at most.

    The trail records each such row with its new seal. Returns how many values of each kind were
    under an older key.
    """
    vault = by.vault
    return {
        "merchants": await merchants.reseal(db, vault, now, trail.recording_seals(by, now)),
        "acquirers": await acquirer_seals.reseal(db, by, now),
        "bank_accounts": await bank_accounts.reseal(db, vault),
        "account_papers": await papers.reseal(db, vault),
        "statement_uploads": await uploads.reseal(db, vault),
        "linked_accounts": await splits.reseal(db, by, now),
        "evidence": await evidence.reseal(db, vault),
        "identity": await keys.reseal(db, vault),
        "offers": await offers.reseal(db, vault),
        "leads": await leads.reseal(LeadContext(db, vault)),
        "partners": await partners.reseal(db, by, now),
        "endpoints": await endpoints.reseal(db, vault),
        "people": await people.reseal(db, vault),
    }


async def reseal_older(db: Database, by: Who, now: datetime) -> dict[str, int]:
    """Bind older sealed values to their rows, once; an interrupted run is repeated.

    Raises Refused (STATE_FORBIDS).
    """
    if await trail.was_done(db, by.vault, OPERATOR, _RESEALED):
        allowed = "nothing: what opens in no row now was moved by SQL"
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="older",
            received="sealed for their rows before",
            allowed=allowed,
        )
    counts = await reseal(db, replace(by, vault=by.vault.opening_unbound()), now)
    await trail.record(db, OPERATOR, by, _RESEALED, "secrets", now, **counts)
    return counts


async def unproved_rows(db: Database, vault: Vault) -> list[UnprovedRow]:
    """Return the rows about which the trail proves nothing, of every kind that it records."""
    return [
        row
        async for row, about in _rows(db)
        if await trail.newest_told(db, vault, row.merchant_id, row.kind, about) is None
    ]


async def _rows(db: Database) -> AsyncIterator[tuple[UnprovedRow, str | None]]:
    """Yield every row that the trail must record, and the subject of its entries.

    None for the merchant.
    """
    owners = await merchant_store.select_all(db)
    for row in owners:
        number, name = row["merchant_id"], row["name"]
        for kind, what in (
            (RowKind.MERCHANT, f"{row['state']}, settings"),
            (RowKind.KEYS, "secrets"),
        ):
            yield (
                UnprovedRow(
                    kind, number, f"{name}: {what}", partial(_record_merchant, kind, number)
                ),
                None,
            )
    for account in await bank_account_store.select_all(db):
        record = partial(_record_account, account)
        yield (
            UnprovedRow(RowKind.ACCOUNT, account.merchant_id, _words(account), record),
            bank_accounts.about(account),
        )
    for number, plan_no in await fee_store.numbers(db):
        record = partial(_record_plan, number, plan_no)
        yield UnprovedRow(RowKind.PLAN, number, f"price plan {plan_no}", record), str(plan_no)
    for number in [row["merchant_id"] for row in owners]:
        for terms in await settlement_store.terms_of(db, number):
            record, terms_no = partial(_record_terms, number, terms.terms_no), str(terms.terms_no)
            yield (
                UnprovedRow(RowKind.TERMS, number, f"settlement terms {terms_no}", record),
                terms_no,
            )
    for row in await split_store.sealed_numbers(db):
        number, identifier = row["merchant_id"], row["identifier"]
        what = f"linked account {identifier}: {row['name']}, {row['ifsc']}"
        yield (
            UnprovedRow(RowKind.LINKED, number, what, partial(_record_linked, number, identifier)),
            identifier,
        )
    for row in await partner_store.select_all(db):
        affiliate = row["affiliate"]
        what = f"partner {affiliate}: {row['name']}, {row['state']}, settings, secrets"
        yield (
            UnprovedRow(RowKind.PARTNER, OPERATOR, what, partial(_record_partner, affiliate)),
            affiliate,
        )
    for account in await acquirer_store.select_all(db):
        what = f"acquirer {account.name}: {account.kind}, {account.state}"
        yield (
            UnprovedRow(RowKind.ACQUIRER, OPERATOR, what, partial(_record_acquirer, account.name)),
            account.name,
        )


def _words(account: PayoutAccount) -> str:
    replaced = "replaced, " if account.replaced_at else ""
    words = f"{account.holder}, …{account.last4}, {account.ifsc}"
    return (
        f"account {account.account_no} of {account.beneficiary}: {words}, {replaced}{account.state}"
    )


async def _record_merchant(
    kind: RowKind, merchant_id: int, conn: Connection, by: Who, now: datetime
) -> None:
    # One kind alone: if it is the secrets, an entry about the merchant itself would prove what SQL
    # wrote since.
    detail = trail.told(kind, (await merchant_store.digests(conn, merchant_id))[kind])
    await trail.record(conn, merchant_id, by, f"merchant.{_VERB}", merchant_id, now, **detail)


async def _record_account(account: PayoutAccount, conn: Connection, by: Who, now: datetime) -> None:
    await bank_accounts.record_account(conn, by, _VERB, account, now)


async def _record_plan(
    merchant_id: int, plan_no: int, conn: Connection, by: Who, now: datetime
) -> None:
    await fees.record_plan(conn, by, _VERB, merchant_id, plan_no, now)


async def _record_terms(
    merchant_id: int, terms_no: int, conn: Connection, by: Who, now: datetime
) -> None:
    await settlements_terms.record_terms(conn, by, _VERB, merchant_id, terms_no, now)


async def _record_linked(
    merchant_id: int, identifier: str, conn: Connection, by: Who, now: datetime
) -> None:
    await splits.record_account(conn, by, _VERB, merchant_id, identifier, "", now)


async def _record_partner(affiliate: str, conn: Connection, by: Who, now: datetime) -> None:
    await partners.record_partner(conn, by, _VERB, affiliate, "", now)


async def _record_acquirer(name: str, conn: Connection, by: Who, now: datetime) -> None:
    await acquirer_accounts.record_account(conn, by, _VERB, name, "", now)


async def take_over(
    db: Database,
    people: Collection[UnprovedPerson],
    rows: Collection[UnprovedRow],
    by: Who,
    now: datetime,
) -> list[UnprovedRow]:
    """Take over the shown people and rows, once, and return which rows.

    Rows of a kind that an earlier version took over already are left out: SQL wrote them since.
    Raises Refused (STATE_FORBIDS) if nothing is left.
    """
    async with db.transaction() as conn:
        kinds = await proofs.kinds_taken_over(conn, by.vault)
        if kinds and set(RowKind) - kinds:
            await proofs.close_take_over(conn, by, now)
        else:
            await proofs.take_over(conn, people, by, now)
        new_rows = [row for row in rows if row.kind not in kinds]
        for row in new_rows:
            await row.record(conn, by, now)
    return new_rows


async def take_over_demo(db: Database, by: Who, now: datetime) -> None:
    """Take over everything of an older demo without a review: it has no real money."""
    if not await trail.was_done(db, by.vault, OPERATOR, _RESEALED):
        await reseal_older(db, by, now)
    # Separate: a start that ended between the two steps continues here.
    if set(RowKind) - await proofs.kinds_taken_over(db, by.vault):
        await take_over(
            db, await proofs.unproved(db, by.vault), await unproved_rows(db, by.vault), by, now
        )
