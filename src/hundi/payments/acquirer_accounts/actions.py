"""The actions of acquirer accounts: add, rotate, disable, enable and open them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from hundi.acquirers.kinds import (
    AcquirerConfigurationError,
    AcquirerContext,
    check_together,
    fixed_fields,
    kind_of,
    open_member,
    secret_fields,
)
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.registry import EarlierConnector, Member
from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.payments.acquirer_accounts import rules, store
from hundi.payments.acquirer_accounts.rules import (
    EVERYBODY,
    AccountMark,
    AcquirerAccount,
    AcquirerAccountState,
    FieldsBefore,
)
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

CHANGED_CHANNEL = "hundi_acquirer_accounts"
"""NOTIFY channel: an account was added or changed."""
NOUN = "acquirer"
"""The noun of entries about accounts in the trail."""
OPERATOR = 0
"""The owner of the trail that has these entries."""
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AccountContext:
    """Dependencies of the actions on acquirer accounts.

    configured: the acquirers of the settings, by name. callback_url: returns the address for an
    acquirer's callbacks, by its name.
    """

    db: Database
    vault: Vault
    configured: Mapping[str, Fields]
    callback_url: Callable[[str], str]
    memory: Memory

    def check_names(self, accounts: Iterable[AcquirerAccount]) -> None:
        """Refuse a name that the settings have too. Raises AcquirerConfigurationError."""
        for each in accounts:
            if each.name in self.configured:
                message = (
                    f"acquirers.{each.name}: both in the settings and an account: take it "
                    "out of the settings"
                )
                raise AcquirerConfigurationError(message)

    def of_settings(self) -> list[Member]:
        """Open the acquirers of the settings without calling them.

        Raises AcquirerConfigurationError.
        """
        return [self.opened(name, fields) for name, fields in self.configured.items()]

    def of(self, account: AcquirerAccount, mark: AccountMark) -> Member:
        """Open an account without calling it. Raises AcquirerConfigurationError, VaultError."""
        before = fields_before(self.vault, account) if mark.has_before else ()
        return replace(
            self.opened(account.name, {**fields_of(self.vault, account), "kind": account.kind}),
            merchants=() if account.serves == EVERYBODY else (account.serves,),
            takes_new=mark.takes_new,
            older=tuple(
                EarlierConnector(self.opened(account.name, each.fields).connector, each.until)
                for each in before
            ),
        )

    def opened(self, name: str, fields: Fields) -> Member:
        """Open an acquirer with these fields without calling it.

        Raises AcquirerConfigurationError.
        """
        return open_member(name, fields, AcquirerContext(self.callback_url(name), self.memory))


def fields_of(vault: Vault, account: AcquirerAccount) -> dict[str, Any]:
    """Return every field of an account, its secrets among them. Raises VaultError."""
    purpose = rules.seal_purpose(account.name, account.kind, account.serves, account.fields)
    return {**account.fields, **msgspec.json.decode(vault.open(account.sealed_secrets, purpose))}


def fields_before(vault: Vault, account: AcquirerAccount) -> tuple[FieldsBefore, ...]:
    """Return all fields of an account as they were before each of its last rotations, latest first.

    Raises VaultError.
    """
    if account.sealed_before is None:
        return ()
    content = vault.open(account.sealed_before, rules.seal_purpose_before(account.name))
    return msgspec.json.decode(content, type=tuple[FieldsBefore, ...])


async def add(
    context: AccountContext,
    name: str,
    kind: str,
    serves: int,
    fields: Fields,
    who: Who,
    now: datetime,
) -> AcquirerAccount:
    """Add an account. It takes payments once every process knows it.

    serves: the one merchant whose payments it takes, or EVERYBODY. Raises
    AcquirerConfigurationError.
    """
    new = await _new(context, name, kind, serves, fields, now)
    async with context.db.transaction() as conn:
        await _check_new(context, await store.lock_all(conn), new)
        await store.insert(conn, new)
        await _record(conn, who, "add", new, fields, "", now)
    context.db.wake(CHANGED_CHANNEL, name)
    return new


async def check_addition(
    context: AccountContext, name: str, kind: str, serves: int, fields: Fields, now: datetime
) -> AcquirerAccount:
    """Return the account that `add` would write now, and write nothing.

    Raises AcquirerConfigurationError.
    """
    new = await _new(context, name, kind, serves, fields, now)
    await _check_new(context, await store.select_all(context.db), new)
    return new


async def _new(
    context: AccountContext, name: str, kind: str, serves: int, fields: Fields, now: datetime
) -> AcquirerAccount:
    _refuse_kind(name, fields)
    simulated = await _is_simulated(context, name, {**fields, "kind": kind})
    new = AcquirerAccount(
        name, kind, serves, simulated, {}, b"", None, None, AcquirerAccountState.ACTIVE, 1, now, now
    )
    return _sealed(context.vault, new, fields)


async def _check_new(
    context: AccountContext, others: Sequence[AcquirerAccount], new: AcquirerAccount
) -> None:
    if any(each.name == new.name for each in others):
        message = (
            f"acquirers.{new.name}: there is an account of this name, and attempts are "
            "stored with it"
        )
        raise AcquirerConfigurationError(message)
    await _check(context, [*others, new], new.name)


async def rotate(
    context: AccountContext, name: str, changes: Fields, who: Who, now: datetime
) -> AcquirerAccount:
    """Change fields of an account while it is in use.

    Webhooks signed with the secrets before a rotation stay valid for WEBHOOK_GRACE. Raises
    VaultError; AcquirerConfigurationError, also for a change that would make it another account,
    and for more than BEFORE_MAX rotations in that time.
    """
    _refuse_kind(name, changes)

    def decide(account: AcquirerAccount) -> AcquirerAccount:
        return _rotated(context.vault, account, changes, now)

    return await _change(context, name, "rotate", decide, changes, who, now)


async def check_rotation(
    context: AccountContext, name: str, changes: Fields, now: datetime
) -> AcquirerAccount:
    """Return the account that `rotate` would write now, and write nothing.

    Raises AcquirerConfigurationError, VaultError.
    """
    _refuse_kind(name, changes)
    accounts = await store.select_all(context.db)
    before = _named(accounts, name)
    after = _rotated(context.vault, before, changes, now)
    await _check(context, [after if each is before else each for each in accounts], name)
    return after


def _rotated(
    vault: Vault, account: AcquirerAccount, changes: Fields, now: datetime
) -> AcquirerAccount:
    name, before = account.name, fields_of(vault, account)
    after = rules.changed(before, changes)
    if after == before:
        message = f"acquirers.{name}: it has these fields already"
        raise AcquirerConfigurationError(message)
    _refuse_another(account, before, after)
    earlier = rules.rotated(fields_before(vault, account), {**before, "kind": account.kind}, now)
    if len(earlier) > rules.BEFORE_MAX:
        hours, until = (
            rules.WEBHOOK_GRACE // timedelta(hours=1),
            earlier[-1].until.isoformat(timespec="seconds"),
        )
        message = (
            f"acquirers.{name}: {rules.BEFORE_MAX} rotations in {hours} hours, and "
            "webhooks under the secrets "
            f"before each are still believed: the next one is possible at {until}"
        )
        raise AcquirerConfigurationError(message)
    sealed = vault.seal(msgspec.json.encode(earlier), rules.seal_purpose_before(name))
    account = replace(account, sealed_before=sealed, before_until=earlier[0].until)
    return _sealed(vault, account, after)


async def disable(
    context: AccountContext, name: str, who: Who, now: datetime, reason: str = ""
) -> AcquirerAccount:
    """Stop an account from taking new payments. Raises AcquirerConfigurationError."""
    return await _switch(context, name, AcquirerAccountState.DISABLED, who, now, reason)


async def enable(
    context: AccountContext, name: str, who: Who, now: datetime, reason: str = ""
) -> AcquirerAccount:
    """Let an account take payments again. Raises AcquirerConfigurationError, VaultError."""
    return await _switch(context, name, AcquirerAccountState.ACTIVE, who, now, reason)


async def _switch(
    context: AccountContext,
    name: str,
    state: AcquirerAccountState,
    who: Who,
    now: datetime,
    reason: str,
) -> AcquirerAccount:
    def decide(account: AcquirerAccount) -> AcquirerAccount:
        if account.state is state:
            message = f"acquirers.{name}: it is {state} already"
            raise AcquirerConfigurationError(message)
        return replace(account, state=state)

    act = "enable" if state is AcquirerAccountState.ACTIVE else "disable"
    return await _change(context, name, act, decide, {}, who, now, reason)


async def _change(
    context: AccountContext,
    name: str,
    act: str,
    decide: Callable[[AcquirerAccount], AcquirerAccount],
    fields: Fields,
    who: Who,
    now: datetime,
    reason: str = "",
) -> AcquirerAccount:
    async with context.db.transaction() as conn:
        accounts = await store.lock_all(conn)
        before = _named(accounts, name)
        after = replace(decide(before), revision=before.revision + 1, changed_at=now)
        if after.state is AcquirerAccountState.ACTIVE or fields:
            # A disabled account still makes inquiries and refunds, so its fields have to open as
            # well.
            await _check(context, [after if each is before else each for each in accounts], name)
        digest = await store.digest(conn, name)
        if not await store.update(conn, before, after):
            message = f"account {name} changed under its lock"
            raise AssertionError(message)
        await _record(conn, who, act, after, fields, digest, now, reason)
    context.db.wake(CHANGED_CHANNEL, name)
    return after


def _named(accounts: Iterable[AcquirerAccount], name: str) -> AcquirerAccount:
    accounts_by_name = {each.name: each for each in accounts}
    if name not in accounts_by_name:
        names = ", ".join(accounts_by_name) or "there is none"
        message = f"acquirers.{name}: no account has this name: {names}"
        raise AcquirerConfigurationError(message)
    return accounts_by_name[name]


async def _check(context: AccountContext, accounts: Sequence[AcquirerAccount], name: str) -> None:
    """Raise unless an account can be opened beside the others and the settings' acquirers.

    Other accounts are not opened: their faults do not count. Raises AcquirerConfigurationError,
    VaultError.
    """
    context.check_names(accounts)
    account = next(each for each in accounts if each.name == name)
    acquirers = [*context.of_settings(), context.of(account, _mark(account))]
    for each in acquirers:
        await each.connector.close()
    if acquirers[-1].connector.simulated is not account.simulated:
        message = f"acquirers.{name}: an account stays simulated or real: add another one"
        raise AcquirerConfigurationError(message)
    taking = {each.connector.name: each.connector.simulated for each in acquirers[:-1]}
    check_together(
        taking
        | {
            each.name: each.simulated
            for each in accounts
            if each.state is AcquirerAccountState.ACTIVE
        }
    )


def _refuse_kind(name: str, fields: Fields) -> None:
    if "kind" in fields:
        message = (
            f"acquirers.{name}: kind is no field: an account keeps the kind that it was added with"
        )
        raise AcquirerConfigurationError(message)


def _refuse_another(account: AcquirerAccount, before: Fields, after: Fields) -> None:
    fixed = fixed_fields(kind_of(account.name, {"kind": account.kind}))
    moved = sorted(name for name in fixed if before.get(name) != after.get(name))
    if moved:
        message = (
            f"acquirers.{account.name}: {', '.join(moved)} says which account at the "
            "acquirer it is; with "
            "another one nobody could ask about earlier payments or refund them: add "
            "the other account instead"
        )
        raise AcquirerConfigurationError(message)


async def _is_simulated(context: AccountContext, name: str, fields: Fields) -> bool:
    connector = context.opened(name, fields).connector
    await connector.close()
    return connector.simulated


def _mark(account: AcquirerAccount) -> AccountMark:
    """Return the mark that an account has once every process knows it."""
    return AccountMark(
        account.name,
        account.revision,
        account.state is AcquirerAccountState.ACTIVE,
        has_before=False,
    )


def _sealed(vault: Vault, account: AcquirerAccount, fields: Fields) -> AcquirerAccount:
    """Return an account with these fields, its secrets sealed.

    Raises AcquirerConfigurationError.
    """
    names = secret_fields(kind_of(account.name, {"kind": account.kind}))
    in_the_open, secret = rules.parted(fields, names)
    purpose = rules.seal_purpose(account.name, account.kind, account.serves, in_the_open)
    return replace(
        account, fields=in_the_open, sealed_secrets=vault.seal(msgspec.json.encode(secret), purpose)
    )


async def _record(
    conn: Connection,
    who: Who,
    act: str,
    account: AcquirerAccount,
    fields: Fields,
    before: str,
    now: datetime,
    reason: str = "",
) -> None:
    """Record who did what, with the names of the changed fields and never a value."""
    detail: dict[str, object] = {"revision": account.revision}
    if reason:
        detail["reason"] = reason
    if fields:
        detail["fields"] = sorted(fields)
    if act == "add":
        detail |= {"kind": account.kind, "serves": account.serves}
    await record_account(conn, who, act, account.name, before, now, **detail)


async def record_account(
    conn: Connection, who: Who, act: str, name: str, before: str, now: datetime, **detail: object
) -> None:
    """Record the new digest of an account. before: its digest until now, "" for a new account."""
    entry = trail.told(RowKind.ACQUIRER, await store.digest(conn, name), before)
    await trail.record(conn, OPERATOR, who, f"{NOUN}.{act}", name, now, **detail, **entry)
