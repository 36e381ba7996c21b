"""The audit: read the acquirers' books, check ours in one snapshot, and report."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from hashlib import sha256
from types import MappingProxyType

from hundi.acquirers.port.payments import Connector
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.money.audit import store
from hundi.money.audit.archive import store as archive
from hundi.money.audit.bank import actions as bank
from hundi.money.audit.bank import rules as bank_rules
from hundi.money.audit.bank import store as bank_store
from hundi.money.audit.bank.rules import BankBooks
from hundi.money.audit.chain import actions as chain
from hundi.money.audit.chain import store as chain_store
from hundi.money.audit.chain.rules import RootsFile
from hundi.money.audit.deliveries import store as deliveries
from hundi.money.audit.direct_shares import store as direct_shares
from hundi.money.audit.disputes import store as disputes
from hundi.money.audit.due import store as due
from hundi.money.audit.events import store as events
from hundi.money.audit.fees import store as fees
from hundi.money.audit.links import store as links
from hundi.money.audit.parts import rules as parts_rules
from hundi.money.audit.parts.rules import AuditPart, AuditParts, Days, LastDays
from hundi.money.audit.payments import store as payments
from hundi.money.audit.payouts import store as payouts
from hundi.money.audit.postings import store as postings
from hundi.money.audit.reconciliation import store as reconciliation
from hundi.money.audit.refunds import store as refunds
from hundi.money.audit.rules import BankComparison, CheckResult, Note, Report, Violation
from hundi.money.audit.settlements import store as settlements
from hundi.money.audit.since import store as since_store
from hundi.money.audit.since.scopes.store import SCOPES, narrowed
from hundi.money.audit.subscriptions import store as subscriptions
from hundi.money.audit.trail import store as trail
from hundi.money.audit.trail.actions import check_marks

CHECKS: Mapping[Violation, str] = {
    **postings.CHECKS,
    **payments.CHECKS,
    **refunds.CHECKS,
    **payouts.CHECKS,
    **direct_shares.CHECKS,
    **links.CHECKS,
    **subscriptions.CHECKS,
    **disputes.CHECKS,
    **deliveries.CHECKS,
    **events.CHECKS,
    **due.CHECKS,
    **settlements.CHECKS,
    **fees.CHECKS,
    **chain_store.CHECKS,
    **reconciliation.CHECKS,
    **trail.CHECKS,
    **archive.CHECKS,
}
"""The promises that one query can check, each with its query for rows of (subject, found)."""
_WHOLE_CHECKS: Mapping[Violation, str] = {
    **CHECKS,
    **chain_store.WHOLE_CHECKS,
    **archive.WHOLE_CHECKS,
}
STEPS = len(CHECKS) + 3

Progress = Callable[[str, int, int], None]
"""Called before each step with its name, the steps that are done, and the number of steps."""

NO_ROOTS: Mapping[date, bytes] = MappingProxyType({})


def _unseen(_name: str, _done: int, _steps: int) -> None:
    """Ignore progress."""


async def signed_roots(db: Database) -> RootsFile:
    """Return the signed root of every business day, to be kept outside the database."""
    async with db.transaction() as conn:
        return await chain.signed_roots(conn)


async def after_newest_root(db: Database) -> date | None:
    """Return the first business day without a signed root, None before the first root."""
    async with db.transaction() as conn:
        newest = await since_store.newest_root(conn)
    return None if newest is None else newest + timedelta(days=1)


async def audit(
    db: Database,
    connectors: Iterable[Connector],
    now: datetime,
    progress: Progress = _unseen,
    kept_roots: Mapping[date, bytes] = NO_ROOTS,
    *,
    whole: bool = False,
    days: Days | None = None,
    vault: Vault | None = None,
) -> Report:
    """Check every promise of the books and compare them with the acquirers'.

    The acquirers' books are read before ours. Money that moved in between is younger than the
    inquiry schedule, so it is a note and not a violation.

    kept_roots: roots of business days that were kept elsewhere; these books must have the same.
    whole: also open the archive, which takes long; otherwise its rows are only counted. days: the
    business days of which payments and settlements are checked, to today; None for all of them.
    With `LastDays` all else is checked and counted whole. vault: proves the marks of the trail;
    without it they are not checked.
    """
    progress("reading the acquirers' books", 0, STEPS)
    configured = {each.name: each for each in connectors}
    read = {name: await bank.read(each) for name, each in configured.items()}
    books = {name: found for name, found in read.items() if isinstance(found, BankBooks)}
    checked: list[CheckResult] = []
    async with db.transaction() as conn:
        await store.begin(conn, whole=whole)
        changes = await since_store.changes(conn, days) if days else None
        is_part = isinstance(days, LastDays)
        alone = None if is_part else changes
        for violation, query in (_WHOLE_CHECKS if whole else CHECKS).items():
            progress(violation, len(checked) + 1, STEPS)
            checked.append(
                await store.check(
                    conn, violation, query, now, whole=whole, since=changes, is_part=is_part
                )
            )
        progress("checking the roots", STEPS - 2, STEPS)
        checked += await (
            chain.check_roots(conn, kept_roots, alone.days.since, alone.books)
            if alone
            else chain.check_roots(conn, kept_roots)
        )
        if vault:
            checked.append(await check_marks(conn, vault))
        progress("comparing with the acquirers", STEPS - 1, STEPS)
        notes = await store.notes(conn, now, whole=whole, since=alone)
        if not vault and (marked := await trail.count_marked(conn)):
            notes[Note.TRAIL_NOT_CHECKED] = marked
        figures = await store.figures(conn, now, whole=whole, since=alone)
        acquirers = dict.fromkeys(
            await bank_store.connectors(conn), BankComparison.NOT_CONFIGURED
        ) | {
            name: BankComparison.COMPARED if isinstance(found, BankBooks) else found
            for name, found in read.items()
        }
        differences = [
            each
            for name in books
            for each in await bank.compare(conn, configured[name], books[name])
        ]
    if books:
        violations, behind = bank_rules.graded(differences, now)
        checked.extend(violations)
        figures["bank_entries"] = sum(map(len, books.values()))
        if behind:
            notes[Note.BANK_BEHIND] = behind
    not_compared = sum(each is not BankComparison.COMPARED for each in acquirers.values())
    if not_compared:
        notes[Note.BANK_NOT_COMPARED] = not_compared
    progress("done", STEPS, STEPS)
    if changes is not None:
        figures[parts_rules.CHANGED] = len(changes.payments)
    return Report(now, tuple(checked), notes, figures, acquirers, days and days.since)


def _checks_of_parts() -> str:
    said = (f"{name} {narrowed(name, CHECKS[name])}" for name in SCOPES)
    return sha256("\n".join(said).encode()).hexdigest()


async def plan_parts(db: Database, links_max: int = parts_rules.LINKS_MAX) -> AuditParts:
    """Return an audit in parts that has not begun. links_max: sealed rows of a part of days."""
    async with db.transaction() as conn:
        oldest = await since_store.oldest_block(conn)
        return parts_rules.planned(
            _checks_of_parts(), oldest, await since_store.links_by_day(conn), links_max
        )


async def why_not(db: Database, parts: AuditParts) -> str:
    """Return why an audit in parts cannot go on here, "" if it can."""
    if parts.checks != _checks_of_parts():
        return "it was begun by a Hundi with other checks"
    if not parts.is_sound(SCOPES):
        return "its parts are not those of an audit"
    async with db.transaction() as conn:
        is_here = parts.oldest == await since_store.oldest_block(conn)
    return "" if is_here else "it is of other books: their oldest block is not here"


async def check_part(
    db: Database, days: Days, now: datetime, progress: Progress = _unseen
) -> AuditPart:
    """Check what payments and settlements of some days promise, in a snapshot of its own.

    What is checked of everything at once, `audit` does with the last days.
    """
    checked: list[CheckResult] = []
    async with db.transaction() as conn:
        await store.begin(conn)
        changes = await since_store.changes(conn, days)
        for violation in SCOPES:
            progress(violation, len(checked), len(SCOPES))
            checked.append(
                await store.check(
                    conn, violation, CHECKS[violation], now, since=changes, is_part=True
                )
            )
    return AuditPart(days, now, tuple(checked))
