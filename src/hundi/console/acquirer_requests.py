"""Requests for accounts at acquirers: sealed when asked for, done when approved."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Response

from hundi.acquirers.kinds import AcquirerConfigurationError, AcquirerKind, kind_of, secret_fields
from hundi.api.context import GatewayContext
from hundi.console.visits import ConsoleVisit
from hundi.infra.secrets.vault import VaultError
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.acquirer_accounts import actions, store
from hundi.payments.acquirer_accounts.rules import EVERYBODY, AcquirerAccount
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals import store as requests
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission
from hundi.staff.trail.actions import Who

SOON = "10 to 13 seconds"
"""When an added account serves: known after 10 s, and processes look every 3 s."""
SOONER = "3 seconds"
"""When every process has a changed account."""
_SEAL_PURPOSE = "approval-acquirer-account"
_SEALED = "account_sealed"
_HIDDEN = "…"
_CHANGED_SINCE = "the account as it was when this was asked for: ask again"
_NAME_FREE = "a name that no account has: ask again"
_AS_ASKED = "a request as it was asked for: ask again"


class AccountRequest(msgspec.Struct, frozen=True):
    """The sealed part of a request: what is written when a second person agrees.

    fields: all of a new account, or those that change. revision: of the account that changes, 0
    for a new one.
    """

    name: str
    kind: str
    fields: dict[str, Any]
    serves: int = EVERYBODY
    revision: int = 0


@dataclass(frozen=True, slots=True)
class AskedAccount:
    """A request as its form made it. shown: what the second person reads, without a secret."""

    title: str
    shown: Mapping[str, str]
    request: AccountRequest
    reason: str
    act_id: str


async def ask(visit: ConsoleVisit, kind: str, asked: AskedAccount) -> Response[Any]:
    """Ask a second person, once however often the form is sent. Raises Refused."""
    act_id = asked.act_id
    standing = await requests.of_act(visit.db, visit.merchant_id, kind, act_id)
    if standing is not None:
        # Sealed texts of one value differ, so the values are compared.
        if _opened(visit.gateway, standing) != asked.request:
            raise refuse(RefusalCode.REQUEST_ID_REUSED, field="act_id", received=act_id)
        return visit.see(f"approvals/{standing.approval_id}", "asked")
    sealed = visit.gateway.vault.seal(
        msgspec.json.encode(asked.request), _SEAL_PURPOSE, visit.merchant_id, act_id
    )
    payload = {**asked.shown, _SEALED: base64.b64encode(sealed).decode()}
    what = kind, asked.title, payload, visit.who, asked.reason
    approval_id = await approvals.ask(visit.db, visit.merchant_id, *what, visit.now, act_id)
    return visit.see(f"approvals/{approval_id}", "asked")


def _opened(gateway: GatewayContext, approval: Approval) -> AccountRequest:
    sealed = base64.b64decode(approval.payload[_SEALED])
    try:
        content = gateway.vault.open(sealed, _SEAL_PURPOSE, approval.merchant_id, approval.act_id)
    except VaultError:
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="account", received="another seal", allowed=_AS_ASKED
        ) from None
    return msgspec.json.decode(content, type=AccountRequest)


def _stored(gateway: GatewayContext, account: AcquirerAccount) -> dict[str, Any]:
    try:
        return actions.fields_of(gateway.vault, account)
    except VaultError:
        return {}


def _maker(gateway: GatewayContext, approval: Approval) -> Who:
    return Who(approval.made_by, approval.maker, gateway.vault)


async def add(gateway: GatewayContext, approval: Approval) -> str:
    """Add the account that a second person approved."""
    request = _opened(gateway, approval)
    accounts = {each.name: each for each in await store.select_all(gateway.db)}
    standing = accounts.get(request.name)
    if standing is not None:
        # An earlier run added it and ended before it could record the result.
        is_same = (standing.kind, standing.serves) == (request.kind, request.serves)
        is_ours = is_same and standing.added_at >= approval.made_at
        if not is_ours or _stored(gateway, standing) != request.fields:
            raise refuse(RefusalCode.STATE_FORBIDS, field="name", allowed=_NAME_FREE)
    else:
        account = request.name, request.kind, request.serves, request.fields
        try:
            await actions.add(gateway.accounts, *account, _maker(gateway, approval), utc_now())
        except AcquirerConfigurationError as error:
            raise refuse(RefusalCode.STATE_FORBIDS, allowed=_told(error, request)) from None
    return f"{request.name} was added. It serves in {SOON}, when every process knows it."


ADDITION: ApprovalKind[GatewayContext] = ApprovalKind(
    "acquirer_add",
    "Another account at an acquirer",
    Permission.ACQUIRERS_APPROVE,
    Permission.ACQUIRERS_CHANGE,
    add,
)


async def change(gateway: GatewayContext, approval: Approval) -> str:
    """Change the account as a second person approved it."""
    request = _opened(gateway, approval)
    accounts = {each.name: each for each in await store.select_all(gateway.db)}
    account = accounts.get(request.name)
    if account is None:
        raise refuse(RefusalCode.NO_RECORDS, field="acquirer", received=request.name)
    if account.revision != request.revision:
        # An earlier run changed it and ended before it could record the result.
        stored = _stored(gateway, account)
        if any(stored.get(name) != value for name, value in request.fields.items()):
            raise refuse(RefusalCode.STATE_FORBIDS, field="acquirer", allowed=_CHANGED_SINCE)
    else:
        by = _maker(gateway, approval)
        try:
            await actions.rotate(gateway.accounts, request.name, request.fields, by, utc_now())
        except (AcquirerConfigurationError, VaultError) as error:
            raise refuse(RefusalCode.STATE_FORBIDS, allowed=_told(error, request)) from None
    return (
        f"{request.name} was changed. Every process has it within {SOONER}; webhooks under the"
        " secrets before are believed for 24 hours."
    )


CHANGE: ApprovalKind[GatewayContext] = ApprovalKind(
    "acquirer_change",
    "Other settings of an account at an acquirer",
    Permission.ACQUIRERS_APPROVE,
    Permission.ACQUIRERS_CHANGE,
    change,
)


def without_secrets(error: Exception, kind: AcquirerKind[Any], fields: Mapping[str, Any]) -> str:
    """Return the words of an error about settings without a secret that they may quote."""
    text = str(error)
    for name in secret_fields(kind):
        secret = str(fields.get(name) or "").strip()
        text = text.replace(secret, _HIDDEN) if secret else text
    return text


def _told(error: Exception, request: AccountRequest) -> str:
    try:
        kind = kind_of(request.name, {"kind": request.kind})
    except AcquirerConfigurationError as missing:
        return str(missing)
    return without_secrets(error, kind, request.fields)
