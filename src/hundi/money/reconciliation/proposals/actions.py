"""Open items: one person proposes a posting, another decides, and an approved one is posted."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import asyncpg

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.ids import new_id
from hundi.kernel.money import Money
from hundi.kernel.names import is_same_person
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.money.reconciliation import store as reconciliation
from hundi.money.reconciliation.fetching import store as fetching
from hundi.money.reconciliation.proposals import store
from hundi.money.reconciliation.proposals.store import Proposal
from hundi.money.reconciliation.rules import MatchClass, StatementError, accounts_for
from hundi.money.reconciliation.totals import store as totals


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal of a person.

    owner_id: the item's merchant, 0 for none. merchant_id: the merchant of the posting. debit,
    credit, amount_paise: None or 0 to derive them from the item.
    """

    owner_id: int
    item_id: int
    merchant_id: int
    reason: str
    by: str
    debit: str | None = None
    credit: str | None = None
    amount_paise: int = 0


async def work(db: Database, limit: int = store.LISTED_MAX) -> dict[str, Any]:
    """Return what is left to people.

    The open items by class, open proposals, missing hand-overs, unproved totals, missing reports.
    """
    classes: dict[str, dict[str, int]] = {each: {"open": 0, "resolved": 0} for each in MatchClass}
    for row in await store.count_matches(db):
        classes[row["class"]]["resolved"] = row["lines"]
    for row in await store.count_items(db):
        classes[row["class"]][row["state"]] = row["items"]
    items = [dict(row) for row in await store.open_items(db, limit)]
    waiting = [dict(row) for row in await store.waiting(db, limit)]
    handovers = [
        {key: row[key] for key in ("connector", "utr", "last_day", "said", "arrived")}
        for row in await reconciliation.handovers(db)
        if row["said"] != row["arrived"]
    ]
    return {
        "open": sum(counts["open"] for counts in classes.values()),
        "classes": classes,
        "items": items,
        "proposals": waiting,
        "handovers": handovers[:limit],
        "totals": [
            {**asdict(each), "proof": each.proof.value} for each in await totals.unproved(db, limit)
        ],
        "reports": [asdict(each) for each in await fetching.runs(db) if each.failures],
        "account_lines_unexplained": await store.count_unexplained(db),
    }


async def unexplained(db: Database, limit: int) -> list[dict[str, Any]]:
    """Return the newest lines of our bank account that match no hand-over of an acquirer."""
    return [dict(row) for row in await store.unexplained(db, limit)]


async def find(db: Database, merchant_id: int, proposal_id: int) -> asyncpg.Record | None:
    """Return one proposal, or None."""
    return await store.select(db, merchant_id, proposal_id)


async def propose(
    db: Database, new: NewProposal, now: datetime, beside: Beside | None = None
) -> int:
    """Propose the posting that closes an item, and return the proposal's id.

    beside: also written in the transaction. Raises StatementError.
    """
    item = await store.find_item(db, new.owner_id, new.item_id)
    if item is None or item["state"] != "open":
        message = f"there is no open item {new.item_id} of {new.owner_id or 'nobody'}"
        raise StatementError(message)
    if not new.merchant_id:
        message = "a line of nobody needs the merchant whose books it is posted in: --for MERCHANT"
        raise StatementError(message)
    debit, credit, paise = _accounts(item, new)
    proposal_id = new_id(now)
    try:
        Posting(
            new.merchant_id,
            proposal_id,
            PostingKind.CORRECTION,
            debit,
            credit,
            Money(paise, "INR"),
            now,
        )
    except (KeyError, ValueError) as error:
        message = f"this cannot be posted: {error}"
        raise StatementError(message) from None
    proposal = Proposal(
        new.merchant_id,
        proposal_id,
        new.owner_id,
        new.item_id,
        debit,
        credit,
        paise,
        new.reason,
        proposed_by=new.by,
        proposed_at=now,
    )
    try:
        async with db.transaction() as conn:
            await store.insert(conn, proposal)
            if beside is not None:
                await beside(conn, proposal_id)
    except asyncpg.CheckViolationError as error:
        message = f"this cannot be proposed: {error.as_dict().get('constraint_name')}"
        raise StatementError(message) from None
    return proposal_id


def _accounts(item: Any, proposal: NewProposal) -> tuple[str, str, int]:  # noqa: ANN401 (a row)
    """Return debit, credit and paise of a proposal: as given, or derived from the line."""
    if proposal.debit and proposal.credit and proposal.amount_paise:
        return proposal.debit, proposal.credit, proposal.amount_paise
    if item["net_paise"] is None:
        message = (
            "without a line nothing follows by itself: say --debit, --credit and --amount-paise"
        )
        raise StatementError(message)
    match = MatchClass(item["class"])
    debit, credit = accounts_for(match, item["connector"], is_credit=item["is_credit"])
    paise = item["fee_paise"] if match is MatchClass.FEE_DIFFERS else item["net_paise"]
    return proposal.debit or debit, proposal.credit or credit, proposal.amount_paise or paise


async def decide(
    db: Database,
    merchant_id: int,
    proposal_id: int,
    by: str,
    now: datetime,
    *,
    approved: bool,
    beside: Beside | None = None,
) -> dict[str, Any]:
    """Approve or refuse another person's proposal; if approved, post it and resolve its item.

    beside: also written in the transaction. Raises StatementError, also if the database refuses the
    same person for both steps.
    """
    try:
        async with db.transaction() as conn:
            proposal = await store.select(conn, merchant_id, proposal_id)
            if proposal is not None and is_same_person(by, proposal["proposed_by"]):
                message = f"{by} proposed it: another person decides"
                raise StatementError(message)
            decision = "approved" if approved else "refused"
            done = await store.decide(conn, merchant_id, proposal_id, decision, by, now)
            if proposal is None or not done:
                message = f"there is no proposal {proposal_id} of merchant {merchant_id} that waits"
                raise StatementError(message)
            if approved:
                if not await store.close_item(conn, proposal, now):
                    message = "its item was resolved meanwhile"
                    raise StatementError(message)
                await store.insert_correction(conn, proposal, now)
            if beside is not None:
                await beside(conn, proposal_id)
    except asyncpg.CheckViolationError as error:
        if error.as_dict().get("constraint_name") != "reconciliation_two_people":
            raise
        message = f"{by} proposed it: another person decides"
        raise StatementError(message) from None
    return dict(proposal) | {"decision": decision, "decided_by": by}
