"""The actions of approvals: one person asks, another decides, and then the act is done.

How another room uses it, for example refunds above a limit:

1. Name a kind once, where the act is known (`hundi.console` and above), and add it to `KINDS` of
   `hundi/console/approvals.py`. `perform` gets the approved request and does the act; it returns a
   sentence for people and raises `Refused` where the act is refused (then the request has failed).
   It may be called again after a crash, so it must do the act once: `approval.approval_id` is its
   idempotency key.

       async def make_refund(context: GatewayContext, approval: Approval) -> str:
           ...
           return "Refund 123 of ₹1,499.50 was made."

       REFUND = ApprovalKind(
           "refund", "Refund", Permission.REFUNDS_APPROVE, Permission.REFUNDS_MAKE, make_refund)

2. Ask for it in place of doing it. The payload is JSON: ids as text, amounts as paise.

       approval_id = await approvals.ask(
           visit.db, visit.merchant_id, "refund", f"Refund of {amount} to order {order}",
           {"payment_id": str(payment_id), "amount_paise": paise}, visit.who, reason, visit.now)

3. Send the person to `visit.href(f"approvals/{approval_id}")`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from hundi.infra.postgres.database import Beside, Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.staff.approvals import rules, store
from hundi.staff.approvals.rules import Approval
from hundi.staff.people import actions as people
from hundi.staff.people.history.actions import history_of
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import OPERATOR, PERMISSIONS, Permission, Role
from hundi.staff.people.telling.actions import tell_approval
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

Context = TypeVar("Context")
PERFORMING_MAX = timedelta(minutes=5)
"""How long an act has alone; after a crash it can be repeated then."""
_TITLE_LENGTH_MAX = 200
_ASKED_HERE = "a request that was asked for and approved here: ask again"
_NOBODYS = "Who asked has no role here any more."
_LESS = "Who asked has another role here now, which includes less."
_STILL_ALLOWED = "a request of somebody who may still ask for it: the person's role has changed"
_AT_WORK = "one try at a time: this is being done now, so look again in some minutes"


@dataclass(frozen=True, slots=True)
class ApprovalKind(Generic[Context]):
    """A kind of request. perform: does the act, once.

    permission: needed to decide about it. asks: needed to ask for it, and still needed when it is
    approved and done. perform is None if the maker does the act: nobody else may see the secret
    that it makes.
    """

    name: str
    title: str
    permission: Permission
    asks: Permission
    perform: Callable[[Context, Approval], Awaitable[str]] | None = None


async def ask(  # noqa: PLR0913 (what a request says)
    db: Database,
    merchant_id: int,
    kind: str,
    title: str,
    payload: Mapping[str, Any],
    by: Who,
    reason: str,
    now: datetime,
    act_id: str = "",
    beside: Beside | None = None,
) -> int:
    """Write a request and return its id.

    act_id: the number of the form: sent again, it returns the existing request. beside: also
    written in the transaction of a new request. Raises Refused: FIELD_INVALID for a bad reason,
    REQUEST_ID_REUSED for a form that was used for something else.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= rules.REASON_LENGTH_MAX:
        allowed = f"1 to {rules.REASON_LENGTH_MAX} characters"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="reason", received=reason[:64], allowed=allowed
        )
    approval = Approval(
        merchant_id=merchant_id,
        approval_id=0,
        kind=kind,
        title=title[:_TITLE_LENGTH_MAX],
        payload=dict(payload),
        state="waiting",
        made_by=by.person_id,
        maker=by.name,
        reason=reason,
        made_at=now,
        ends_at=now + rules.LIFE,
        act_id=act_id,
    )
    async with db.transaction() as conn:
        for _ in range(ID_TRIES_MAX):
            approval = replace(approval, approval_id=new_id(now))
            if await store.insert(conn, approval):
                await _record(conn, by, "approval.ask", approval, now)
                maker = by.person_id, by.name
                await tell_approval(
                    conn, merchant_id, approval.approval_id, approval.title, maker, now
                )
                if beside is not None:
                    await beside(conn, approval.approval_id)
                return approval.approval_id
            standing = await of_act(conn, merchant_id, kind, act_id, payload)
            if standing is not None:
                return standing.approval_id
    message = "no free id for an approval"
    raise AssertionError(message)


async def of_act(
    source: Queries, merchant_id: int, kind: str, act_id: str, payload: Mapping[str, Any]
) -> Approval | None:
    """Return the existing request of a form, or None.

    Raises Refused (REQUEST_ID_REUSED) if that was for something else.
    """
    approval = await store.of_act(source, merchant_id, kind, act_id)
    if approval is not None and approval.payload != payload:
        raise refuse(RefusalCode.REQUEST_ID_REUSED, field="act_id", received=act_id)
    return approval


async def decide(
    db: Database,
    kind: ApprovalKind[Any],
    merchant_id: int,
    approval_id: int,
    by: Who,
    now: datetime,
    *,
    approved: bool,
    note: str = "",
) -> Approval:
    """Write a second person's decision and return the request.

    `perform` is next for an approved one. Raises Refused: NO_RECORDS; STATE_FORBIDS for the
    request's maker, for a request that is decided or over, and for an approval of one whose maker
    may not ask for it any more.
    """
    async with db.transaction() as conn:
        approval = await store.lock(conn, merchant_id, approval_id)
        if approval is None:
            raise refuse(RefusalCode.NO_RECORDS, field="approval", received=str(approval_id))
        if not await is_proved(conn, by.vault, approval, "approval.ask", approval.made_by):
            raise refuse(
                RefusalCode.STATE_FORBIDS,
                field="approval",
                received="written by SQL",
                allowed=_ASKED_HERE,
            )
        fault = rules.decision_fault(
            approval, by.person_id, (await history_of(conn, by.vault, by.person_id)).linkers(), now
        )
        if fault is not None:
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="approval", received=approval.state, allowed=fault
            )
        if approved:
            await _check_maker(conn, by.vault, kind, approval)
        state: rules.ApprovalState = "approved" if approved else "rejected"
        note = note.strip()[: rules.REASON_LENGTH_MAX]
        await store.decide(conn, approval, state, by.person_id, by.name, now, note)
        act = "approval.approve" if approved else "approval.reject"
        await _record(conn, by, act, approval, now)
    return replace(
        approval, state=state, decided_by=by.person_id, checker=by.name, decided_at=now, note=note
    )


async def _check_maker(
    source: Queries, vault: Vault, kind: ApprovalKind[Any], approval: Approval
) -> None:
    """Refuse a request whose maker may not ask for it any more. Raises Refused (STATE_FORBIDS)."""
    roles = await _roles_of(source, vault, approval.made_by)
    if kind.asks not in _permissions(roles, approval.merchant_id):
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="approval", received="maker", allowed=_STILL_ALLOWED
        )


async def _roles_of(source: Queries, vault: Vault, person_id: int) -> Mapping[int, Role]:
    members = await proofs.memberships_of(source, vault, person_id)
    return {each.merchant_id: each.role for each in members}


def _permissions(roles: Mapping[int, Role], merchant_id: int) -> frozenset[Permission]:
    """Return what a person may do at a place; the operator's role counts where they have no own."""
    role = roles.get(merchant_id) or roles.get(OPERATOR)
    return PERMISSIONS[role] if role else frozenset()


async def check_approved(source: Queries, vault: Vault, approval: Approval) -> None:
    """Refuse a request without proof that one person made it and another approved it.

    Raises Refused (STATE_FORBIDS).
    """
    is_asked = await is_proved(source, vault, approval, "approval.ask", approval.made_by)
    if not is_asked or not await is_proved(
        source, vault, approval, "approval.approve", approval.decided_by
    ):
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="approval",
            received="written by SQL",
            allowed=_ASKED_HERE,
        )


async def is_proved(
    source: Queries, vault: Vault, approval: Approval, act: str, person_id: int | None
) -> bool:
    """Return whether the trail proves that a person made, or approved, this request."""
    digest = await store.digest(source, approval)
    entries = await trail.proved_about(
        source, vault, approval.merchant_id, "approval", approval.approval_id
    )
    return any(
        (entry.act, entry.person_id, trail.detail_of(entry).get("content_sha256"))
        == (act, person_id, digest)
        for entry in entries
    )


async def change_role(
    db: Database, merchant_id: int, person_id: int, role: Role, by: Who, now: datetime
) -> None:
    """Give a person another role, and end their waiting requests where it includes less.

    Raises Refused, as `people.change_role` does.
    """
    async with db.transaction() as conn:
        waiting = await _lock_waiting(conn, person_id, merchant_id)
        before = await _roles_of(conn, by.vault, person_id)
        await people.change_role(conn, merchant_id, person_id, role, by, now)
        await _withdraw(conn, waiting, before, person_id, by, now)


async def remove_person(
    db: Database, merchant_id: int, person_id: int, by: Who, now: datetime
) -> None:
    """Remove a person's role at a merchant or with the operator, and end their waiting requests.

    Raises Refused, as `people.remove` does.
    """
    async with db.transaction() as conn:
        waiting = await _lock_waiting(conn, person_id, merchant_id)
        before = await _roles_of(conn, by.vault, person_id)
        await people.remove(conn, merchant_id, person_id, by, now)
        await _withdraw(conn, waiting, before, person_id, by, now)


async def end_person(
    db: Database, merchant_id: int, person_id: int, by: Who, now: datetime, *, across: bool = False
) -> None:
    """End a person who left for good, everywhere and at once, and their waiting requests.

    merchant_id, across: as for `people.end`. Raises Refused, as that does.
    """
    async with db.transaction() as conn:
        waiting = await _lock_waiting(conn, person_id, OPERATOR)
        await people.end(conn, merchant_id, person_id, by, now, across=across)
        await _withdraw(conn, waiting, {}, person_id, by, now)


async def _lock_waiting(conn: Connection, person_id: int, merchant_id: int) -> list[Approval]:
    """Return and lock a person's waiting requests at a merchant; OPERATOR: everywhere.

    Requests are locked before the first entry of the trail, as in a decision.
    """
    waiting: list[Approval] = []
    for owner_id, approval_id in await store.waiting_of(conn, person_id):
        if merchant_id in {OPERATOR, owner_id}:
            approval = await store.lock(conn, owner_id, approval_id)
            waiting += [approval] if approval and approval.state == "waiting" else []
    return waiting


async def _withdraw(
    conn: Connection,
    waiting: list[Approval],
    before: Mapping[int, Role],
    person_id: int,
    by: Who,
    now: datetime,
) -> None:
    """End a person's requests at places where they may do less than before, or nothing.

    Which permission a kind needs is known above this room, so any that is lost ends them.
    """
    after = await _roles_of(conn, by.vault, person_id)
    for each in waiting:
        left = _permissions(after, each.merchant_id)
        if not left or _permissions(before, each.merchant_id) - left:
            await store.withdraw(conn, each, _LESS if left else _NOBODYS)
            await _record(conn, by, "approval.withdraw", each, now)


async def _record(conn: Connection, by: Who, act: str, approval: Approval, now: datetime) -> None:
    """Write an entry bound to the request's content: the audit compares the two."""
    digest = await store.digest(conn, approval)
    detail = {"kind": approval.kind, "title": approval.title, "content_sha256": digest}
    await trail.record(conn, approval.merchant_id, by, act, approval.approval_id, now, **detail)


async def perform(
    db: Database, vault: Vault, kind: ApprovalKind[Context], context: Context, approval: Approval
) -> Approval:
    """Do the act of an approved request and write its result.

    The decision is committed before: after a crash in between it stays approved, and this is called
    again, by one caller at a time. Raises Refused (STATE_FORBIDS), also for a decision that the
    trail does not prove, and while another caller does it.
    """
    if approval.state != "approved":
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="approval", received=approval.state, allowed="approved"
        )
    await check_approved(db, vault, approval)
    if kind.perform is None:
        return approval
    now = world_now()
    until = now + PERFORMING_MAX
    if not await store.claim(db, approval, now, until):
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="approval", received="claimed", allowed=_AT_WORK
        )
    try:
        await _check_maker(db, vault, kind, approval)
        result, state = await kind.perform(context, approval), "done"
    except Refused as refused:
        result, state = (
            f"It was refused: {refused.refusal.code}. {refused.refusal.allowed or ''}".strip(),
            "failed",
        )
    except Exception:
        # This try has ended, so a person may repeat it at once.
        await store.release(db, approval, until)
        raise
    await store.finish(db, approval.merchant_id, approval.approval_id, state, result)
    return replace(approval, state=state, result=result)
