"""The actions of bank accounts: add, change, check the holder, accept a name that differs."""

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from hundi.acquirers.port.answers import BankAccount, NotRegistered, RegisteredName, Unknown
from hundi.acquirers.port.payouts import ChecksAccounts
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import new_id, parse_check_reference
from hundi.kernel.money import Money
from hundi.kernel.names import is_same_person
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse, wrong_state
from hundi.merchants.directory import store as merchants
from hundi.money.bank_accounts import rules, store
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState, PayoutAccount
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who, at_worker
from hundi.staff.trail.rules import RowKind

DUE_CHANNEL = "bank_accounts_due"
"""NOTIFY channel that wakes the checks once an account to check is committed."""
SEAL_PURPOSE = "bank-account-number"
_LINKED_SEAL_PURPOSE = "linked-account-number"
_NOUN = "bank_account"
_log = structlog.get_logger(__name__)

Replaced = Callable[[Connection, int, str, str, datetime], Awaitable[object]]
"""Called in the transaction that changes an account: merchant, beneficiary and person's name."""


def fingerprint(vault: Vault, number: str, ifsc: str) -> bytes:
    """Return a keyed hash of an account that reveals a changed row, but not the number."""
    key = vault.derive_oldest(SEAL_PURPOSE)
    return hmac.new(key, f"{number} {ifsc}".encode(), hashlib.sha256).digest()


def opened(vault: Vault, account: PayoutAccount) -> BankAccount | None:
    """Return an account with its number, or None if the row was changed since it was added."""
    number = vault.open(account.sealed_number, SEAL_PURPOSE, *_key(account)).decode()
    holds = hmac.compare_digest(fingerprint(vault, number, account.ifsc), account.fingerprint)
    return BankAccount(number, account.ifsc) if holds and number.endswith(account.last4) else None


def _key(account: PayoutAccount) -> tuple[int, str, int]:
    return account.merchant_id, account.beneficiary, account.account_no


def about(account: PayoutAccount) -> str:
    """Return the name of an account in its merchant's trail."""
    return f"{account.beneficiary} {account.account_no}"


async def is_proved(source: Queries, vault: Vault, account: PayoutAccount) -> bool:
    """Return whether the trail proves an account as it was read.

    So gateways that have the key added, checked and accepted it.
    """
    digest = await trail.newest_told(
        source, vault, account.merchant_id, RowKind.ACCOUNT, about(account)
    )
    return digest == rules.digest_of(account)


async def record_account(
    source: Queries, by: Who, act: str, account: PayoutAccount, now: datetime, **more: object
) -> None:
    """Record an account's new contents in the merchant's trail. act: a verb. more: its details."""
    detail = {
        **more,
        "account_ending": account.last4,
        "state": account.state,
        **trail.told(RowKind.ACCOUNT, rules.digest_of(account)),
    }
    await trail.record(
        source, account.merchant_id, by, f"{_NOUN}.{act}", about(account), now, **detail
    )


async def add(
    db: Database,
    merchant_id: int,
    beneficiary: str,
    given: tuple[str, str, str],
    added_by: str,
    by: Who,
    now: datetime,
    replaced: Replaced,
) -> PayoutAccount:
    """Add or change an account of a merchant or a linked account, and have it checked.

    given: holder, number, IFSC; each "" stands for the linked account's own. added_by: the name
    stored with the account. by: the same person, for the trail. Raises Refused: FIELD_INVALID.
    """
    vault = by.vault
    holder, number, ifsc = given
    linked = None if beneficiary == PRIMARY else await store.linked(db, merchant_id, beneficiary)
    if linked is not None and not number:
        bound = merchant_id, linked["identifier"], linked["name"], linked["ifsc"]
        number = vault.open(linked["sealed_number"], _LINKED_SEAL_PURPOSE, *bound).decode()
        holder, ifsc = holder or linked["name"], ifsc or linked["ifsc"]
    exists = beneficiary == PRIMARY or linked is not None
    rules.check_account(beneficiary if exists else "", holder, number, ifsc, added_by)
    new = PayoutAccount(
        merchant_id=merchant_id,
        beneficiary=beneficiary,
        account_no=1,
        holder=holder,
        sealed_number=b"",
        last4=number[-4:],
        fingerprint=fingerprint(vault, number, ifsc),
        ifsc=ifsc,
        added_by=added_by,
        added_at=now,
        state=BankAccountState.UNVERIFIED,
        check_id=new_id(now),
        due_at=now,
    )
    async with db.transaction() as conn:
        if await merchants.lock(conn, merchant_id) is None:
            raise refuse(RefusalCode.MERCHANT_UNKNOWN, received=str(merchant_id))
        before = await store.replace(conn, merchant_id, beneficiary, now)
        if before:
            await replaced(conn, merchant_id, beneficiary, added_by, now)
        sealed = vault.seal(number.encode(), SEAL_PURPOSE, merchant_id, beneficiary, before + 1)
        new = replace(new, account_no=before + 1, sealed_number=sealed)
        await store.insert(conn, new)
        await record_account(conn, by, "add", new, now)
    db.wake(DUE_CHANNEL)
    return new


async def verify_again(
    db: Database, merchant_id: int, beneficiary: str, by: Who, now: datetime
) -> PayoutAccount:
    """Have an account checked again, or sooner. Raises Refused: NO_RECORDS, STATE_FORBIDS."""
    async with db.transaction() as conn:
        account = await locked(conn, merchant_id, beneficiary)
        if account.state is BankAccountState.VERIFIED:
            others = (each for each in BankAccountState if each is not BankAccountState.VERIFIED)
            raise _wrong(account, *others)
        after = rules.checked_anew(account, new_id(now), now)
        await change(conn, by, "verify", account, after, now)
    db.wake(DUE_CHANNEL)
    return after


async def accept_name(
    db: Database, merchant_id: int, beneficiary: str, accepted_by: str, by: Who, now: datetime
) -> PayoutAccount:
    """Accept a name that differs; not by the person who added the account. Raises Refused."""
    account = await newest(db, merchant_id, beneficiary)
    if account.state is not BankAccountState.NAME_DIFFERS:
        raise _wrong(account, BankAccountState.NAME_DIFFERS)
    if is_same_person(accepted_by, account.added_by) or not rules.PERSON.match(accepted_by):
        allowed = f"another person than {account.added_by}"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="as", received=accepted_by[:64], allowed=allowed
        )
    after = replace(
        account, state=BankAccountState.VERIFIED, accepted_by=accepted_by, checked_at=now
    )
    async with db.transaction() as conn:
        await store.insert_accepted(conn, after, now)
        await change(conn, by, "accept_name", account, after, now)
    return after


async def newest(db: Queries, merchant_id: int, beneficiary: str) -> PayoutAccount:
    """Return a beneficiary's current account. Raises Refused (NO_RECORDS)."""
    return _present(await store.newest(db, merchant_id, beneficiary), beneficiary)


async def locked(conn: Connection, merchant_id: int, beneficiary: str) -> PayoutAccount:
    """Return a beneficiary's current account, which nobody else changes until the transaction ends.

    Raises Refused (NO_RECORDS).
    """
    return _present(await store.lock_newest(conn, merchant_id, beneficiary), beneficiary)


def _present(account: PayoutAccount | None, beneficiary: str) -> PayoutAccount:
    if account is None:
        raise refuse(RefusalCode.NO_RECORDS, field="beneficiary", received=beneficiary)
    return account


async def change(
    conn: Connection,
    by: Who,
    act: str,
    before: PayoutAccount,
    after: PayoutAccount,
    now: datetime,
    **more: object,
) -> None:
    """Write a change and its entry in the trail. more: details of the entry.

    Raises Refused (STATE_FORBIDS), also for a row that the trail does not prove.
    """
    if not await is_proved(conn, by.vault, before):
        allowed = "an account as the trail tells it: add it anew"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="account", received="written by SQL", allowed=allowed
        )
    if not await store.update(conn, before, after):
        raise _wrong(before, before.state)
    await record_account(conn, by, act, after, now, **more)


def _wrong(account: PayoutAccount, *allowed: BankAccountState) -> Exception:
    refusal = wrong_state("bank account", account.state, *allowed)
    return refuse(
        refusal.code, field=refusal.field, received=refusal.received, allowed=refusal.allowed
    )


async def ask_now(db: Database, connector: str, reference: str, now: datetime) -> None:
    """Ask a provider about a check now, as its proven webhook asks. It is stored on return.

    connector: the sender; checks that other providers have stay as they are.
    """
    key = parse_check_reference(reference)
    if key is not None and await store.hasten(db, *key, connector, now):
        db.wake(DUE_CHANNEL)


async def work_on(
    db: Database, vault: Vault, connectors: Registry, account: PayoutAccount, now: datetime
) -> bool:
    """Ask a claimed account's bank for its holder; return False if the call was not sent.

    The next provider is asked only where the one before certainly began no check: its first call
    about this check was not sent. It is written down who is asked, before each call.
    """
    providers = _providers(connectors, account)
    number = opened(vault, account)
    if not providers:
        # Papers may verify it; a provider that is configured later is asked.
        await store.update(db, account, rules.after_check(account, Unknown(), now))
        return True
    if number is None or not await is_proved(db, vault, account):
        _log.error(
            "account_not_checked", merchant_id=account.merchant_id, beneficiary=account.beneficiary
        )
        return True
    for name, connector in providers.items():
        asked = replace(account, asked_of=name)
        if name != account.asked_of and not await store.update(db, account, asked):
            return True  # changed meanwhile: a newer version is claimed by itself
        answer = await connector.check_account(asked.reference, number, asked.holder)
        if isinstance(answer, Unknown) and not answer.sent:
            continue
        cost = connector.check_cost
        await _take_answer(db, vault, asked, answer, cost, now)
        return True
    if not account.asked_of:
        # None has the check: the next look begins with the first provider again.
        await store.update(db, account, account)
    return False


def _providers(connectors: Registry, account: PayoutAccount) -> dict[str, ChecksAccounts]:
    """Return the providers to ask about an account, in their order; one that was asked alone."""
    return {
        each.connector.name: each.connector
        for each in connectors.members
        if isinstance(each.connector, ChecksAccounts)
        and (
            account.asked_of == each.connector.name
            if account.asked_of
            else each.takes_new and not each.merchants
        )
    }


async def _take_answer(
    db: Database,
    vault: Vault,
    account: PayoutAccount,
    answer: RegisteredName | NotRegistered | Unknown,
    cost: Money,
    now: datetime,
) -> None:
    """Write what a provider said of an account. cost: of a check whose answer does not say it."""
    after = rules.after_check(account, answer, now)
    async with db.transaction() as conn:
        if not isinstance(answer, Unknown):
            check = rules.record_of(account, answer, account.asked_of, cost, now)
            await store.insert_check(conn, check)
        if await store.update(conn, account, after) and after.state is not account.state:
            await record_account(conn, at_worker(vault), "check", after, now)


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every account number with the newest key, and return how many were changed."""
    old = [
        row
        for row in await store.sealed_numbers(db)
        if not vault.is_sealed_with_newest(row["sealed_number"])
    ]
    for row in old:
        bound = SEAL_PURPOSE, row["merchant_id"], row["beneficiary"], row["account_no"]
        await store.reseal(db, row, vault.seal(vault.open(row["sealed_number"], *bound), *bound))
    return len(old)
