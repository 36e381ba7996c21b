"""API secrets that move money: a second person approves, and the requester sees the secret once."""

from collections.abc import Collection
from typing import Any

from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console.payment_acts import merchant_of, paise_asked
from hundi.console.recording import recording, recording_keys
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.bearer_keys import actions as bearer_keys
from hundi.merchants.bearer_keys.actions import WantedKey
from hundi.merchants.bearer_keys.rules import DAYS_MAX
from hundi.merchants.directory import actions
from hundi.merchants.directory.actions import BesideChange, MerchantChange
from hundi.merchants.directory.api_keys.rules import KeyScope, checked
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals import store
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission

KEY: ApprovalKind[GatewayContext] = ApprovalKind(
    "api_secret", "API secret", Permission.REFUNDS_APPROVE, Permission.KEYS_CHANGE
)
"""The requester carries it out, because nobody else may see the secret."""
FIRST = "the first API secret"
BEARER_DAYS = "bearer_days"
"""The part of a request that only one for a bearer key has."""
_DAYS_DIGITS_MAX = 4
_MOVE_MONEY = frozenset({KeyScope.REFUND, KeyScope.MANAGE})
_ID_DIGITS_MAX = 15
_MADE = "It was made, and shown to who asked for it."


def needs_second(
    visit: ConsoleVisit, scopes: Collection[KeyScope] | None, refund_paise: int = 0
) -> bool:
    """Return whether a key could do what the person may not do alone.

    scopes: None for the first API secret, which may do everything.
    """
    settings, may_refund = merchant_of(visit).settings, visit.may(Permission.REFUNDS_MAKE)
    if scopes is None:
        return not (may_refund and settings.refund_alone_on_api)
    return bool(_MOVE_MONEY & {*scopes}) and not (
        may_refund and refund_paise <= settings.refund_alone_paise
    )


def wanted_key(visit: ConsoleVisit) -> tuple[str, tuple[KeyScope, ...], int]:
    """Return name, scopes and amount in paise of the key in a form.

    Raises Refused: FIELD_INVALID.
    """
    name, amount = visit.form.get("key_name", "").strip(), visit.form.get("amount", "").strip()
    refund_paise = paise_asked(amount) if amount else 0
    chosen = [each for each in KeyScope if visit.form.get(f"scope_{each}") == "1"]
    return name, checked(name, chosen, refund_paise), refund_paise


def wanted_days(visit: ConsoleVisit) -> int:
    """Return after how many days a bearer key in a form expires, 0 for never.

    Raises Refused: FIELD_INVALID.
    """
    days = visit.form.get("days", "").strip() or "0"
    if not (days.isascii() and days.isdigit() and len(days) <= _DAYS_DIGITS_MAX):
        allowed = f"0 to {DAYS_MAX}: 0 is without end"
        raise refuse(RefusalCode.FIELD_INVALID, field="days", received=days[:16], allowed=allowed)
    return int(days)


async def ask(
    visit: ConsoleVisit,
    name: str,
    scopes: Collection[KeyScope],
    refund_paise: int = 0,
    bearer_days: int | None = None,
) -> Response[Any]:
    """Ask a second person to approve a key.

    name: FIRST to replace the one that may do everything. bearer_days: of a bearer key.
    """
    payload: dict[str, Any] = {
        "key": name,
        "scopes": " ".join(scopes) or "everything",
        "refund_paise": refund_paise,
    }
    if bearer_days is not None:
        payload |= {BEARER_DAYS: bearer_days}
    approval_id = await approvals.ask(
        visit.db,
        visit.merchant_id,
        KEY.name,
        f"Make {name}" if name == FIRST else f"Make the key {name}",
        payload,
        visit.who,
        visit.form.get("reason", ""),
        visit.now,
        visit.form.get("act_id", "")[:_ID_DIGITS_MAX],
    )
    return visit.see(f"approvals/{approval_id}", "asked")


async def agreed(visit: ConsoleVisit) -> Approval:
    """Return the person's own request that a second person approved. Raises Refused."""
    number = visit.form.get("approval_id", "")
    sound = number.isascii() and number.isdigit() and len(number) <= _ID_DIGITS_MAX
    approval = await store.select(visit.db, visit.merchant_id, int(number)) if sound else None
    if approval is None or approval.kind != KEY.name:
        raise refuse(RefusalCode.NO_RECORDS, field="approval", received=number[:_ID_DIGITS_MAX])
    if not can_make(visit, approval):
        allowed = "approved, by who asked for it, until it ends"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="approval", received=approval.state, allowed=allowed
        )
    await approvals.check_approved(visit.db, visit.gateway.vault, approval)
    return approval


def can_make(visit: ConsoleVisit, approval: Approval) -> bool:
    """Return whether the person can carry out a request of their own now."""
    is_mine = approval.kind == KEY.name and approval.made_by == visit.person.person_id
    return is_mine and approval.state == "approved" and visit.now < approval.ends_at


def finished(visit: ConsoleVisit, approval: Approval, act: str, about: str) -> BesideChange:
    """Return a writer that ends the request together with its new key: a second form makes none."""
    record = recording_keys(visit, act, about, approval=str(approval.approval_id))

    async def write(conn: Connection, change: MerchantChange) -> None:
        await _finish(conn, approval)
        await record(conn, change)

    return write


async def _finish(conn: Connection, approval: Approval) -> None:
    if not await store.finish(conn, approval.merchant_id, approval.approval_id, "done", _MADE):
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="approval", received="done", allowed="approved"
        )


async def add_bearer(
    visit: ConsoleVisit, wanted: WantedKey, approval: Approval | None = None
) -> str:
    """Make a bearer key and return its text, which is shown this once.

    approval: the request for it, which ends with the new key.
    """
    approved = {"approval": str(approval.approval_id)} if approval else {}
    record = recording(
        visit,
        "bearer_keys.add",
        wanted.name,
        scopes=" ".join(wanted.scopes),
        refund_paise=wanted.refund_paise,
        days=wanted.days,
        **approved,
    )

    async def write(conn: Connection, merchant_id: int) -> None:
        if approval is not None:
            await _finish(conn, approval)
        await record(conn, merchant_id)

    vault, merchant_id = visit.gateway.vault, visit.merchant_id
    text, _ = await bearer_keys.make(visit.db, vault, merchant_id, wanted, visit.now, write)
    return text


async def add(
    visit: ConsoleVisit, name: str, scopes: Collection[str], refund_paise: int, beside: BesideChange
) -> str:
    """Make a key and return its secret, which is shown this once."""
    key = await actions.add_key(
        visit.db,
        visit.gateway.vault,
        visit.merchant_id,
        name,
        scopes,
        refund_paise,
        visit.now,
        beside,
    )
    return key.secret
