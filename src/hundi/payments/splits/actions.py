"""The actions of splits: link an account, and configure how a payment is shared."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.kernel.states import Actor, EventKind
from hundi.merchants.directory import store as merchants
from hundi.money.settlements import store as settlements
from hundi.payments.direct_shares import actions as direct
from hundi.payments.direct_shares import store as direct_shares
from hundi.payments.direct_shares.actions import SplitToBegin
from hundi.payments.direct_shares.rules import LinkedParty
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import write_locked
from hundi.payments.orders.rules import Step
from hundi.payments.splits import rules, store
from hundi.payments.splits.rules import Shares, SplitOrder
from hundi.payments.splits.store import NewAccount
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

_SEAL_PURPOSE = "linked-account-number"


@dataclass(frozen=True, slots=True)
class Configured:
    """A split configuration. stands: no later request has replaced it."""

    shares: Shares
    stands: bool = True


async def configure(
    db: Database, merchant_id: int, request: SplitOrder, now: datetime
) -> Configured:
    """Share a payment, in place of how it was shared before.

    The same request again gets the same answer.

    Raises Refused: NO_RECORDS, STATE_FORBIDS, FIELD_INVALID, REQUEST_ID_REUSED.
    """
    async with db.transaction() as conn:
        locked = await payments.lock_view(conn, merchant_id, request.payment_id)
        view = rules.check_target(locked, request, merchant_id)
        earlier = await store.known(conn, merchant_id, request.request_id)
        if earlier is not None and earlier.content_hash != request.content_hash:
            raise refuse(
                RefusalCode.REQUEST_ID_REUSED, field="split_request_id", received=request.request_id
            )
        if earlier is not None:
            return Configured(
                await store.shares_of(conn, merchant_id, request.request_id), stands=earlier.stands
            )
        settled = await settlements.is_settled(
            conn, merchant_id, request.payment_id
        ) or await direct_shares.has_left(conn, merchant_id, request.payment_id)
        rules.check_shareable(view.payment, settled=settled)
        shares = rules.shares(request, view.payment.remaining.paise)
        accounts = await store.open_accounts(
            conn, merchant_id, [part.identifier for part in request.parts]
        )
        rules.check_identifiers(request, list(accounts))
        try:
            await store.configure(conn, merchant_id, request, shares, accounts, now)
        except UniqueViolationError:
            # The id was used for another payment at this very moment.
            raise refuse(
                RefusalCode.REQUEST_ID_REUSED, field="split_request_id", received=request.request_id
            ) from None
        await direct.take_back(conn, merchant_id, request.payment_id, now)
        base_paise = shares.primary_paise + sum(shares.parts_paise)
        parts = zip((each.identifier for each in request.parts), shares.parts_paise, strict=True)
        split = SplitToBegin(request.request_id, base_paise, dict(parts))
        begun = await direct.begin(conn, view, split, now)
        configured = Step(EventKind.SPLIT_CONFIGURED, Actor.MERCHANT, view.payment)
        await write_locked(conn, view, configured, now)
    if begun:
        db.wake(direct.DUE_CHANNEL)
    return Configured(shares)


async def link_account(
    db: Database,
    by: Who,
    merchant_id: int,
    identifier: str,
    name: str,
    number: str,
    ifsc: str,
    now: datetime,
) -> None:
    """Link a bank account that payments can be shared with. Raises Refused: FIELD_INVALID."""
    rules.check_linked_account(merchant_id, identifier, name, number, ifsc)
    sealed = by.vault.seal(number.encode(), _SEAL_PURPOSE, merchant_id, identifier, name, ifsc)
    new = NewAccount(identifier, name, sealed, number[-4:], ifsc)
    async with db.transaction() as conn:
        if await merchants.lock(conn, merchant_id) is None:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="merchant_id",
                received=str(merchant_id),
                allowed="a known merchant",
            )
        try:
            await store.insert_account(conn, merchant_id, new, now)
        except UniqueViolationError:
            allowed = "an identifier that was not used before"
            raise refuse(
                RefusalCode.FIELD_INVALID, field="identifier", received=identifier, allowed=allowed
            ) from None
        await record_account(conn, by, "link", merchant_id, identifier, "", now)


async def record_account(
    conn: Connection,
    by: Who,
    verb: str,
    merchant_id: int,
    identifier: str,
    before: str,
    now: datetime,
) -> None:
    """Record the new digest of a linked account in the merchant's trail.

    before: its digest until now, "" for a new one.
    """
    entry = trail.told(
        RowKind.LINKED, await direct_shares.digest(conn, merchant_id, identifier), before
    )
    await trail.record(conn, merchant_id, by, f"linked_account.{verb}", identifier, now, **entry)


async def close_account(
    db: Database, by: Who, merchant_id: int, identifier: str, now: datetime
) -> None:
    """Close a linked account: earlier shares stay, no new ones are made.

    Raises Refused.
    """
    async with db.transaction() as conn:
        before = await store.lock_account(conn, merchant_id, identifier)
        if not await store.close_account(conn, merchant_id, identifier, now):
            raise _no_open_account(identifier)
        await record_account(conn, by, "close", merchant_id, identifier, before, now)


async def name_party(
    db: Database,
    by: Who,
    merchant_id: int,
    party: LinkedParty,
    now: datetime,
) -> None:
    """Let an acquirer settle a linked account's shares of the payments that it takes.

    Raises Refused: FIELD_INVALID.
    """
    rules.check_party(party)
    account_key = merchant_id, party.identifier
    async with db.transaction() as conn:
        before = await store.lock_account(conn, *account_key)
        if not await store.open_accounts(conn, merchant_id, [party.identifier]):
            raise _no_open_account(party.identifier)
        await direct_shares.end_party(conn, *account_key, party.connector, now)
        try:
            await direct_shares.insert_party(conn, merchant_id, party, by.name, now)
        except UniqueViolationError:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="party",
                received=party.party,
                allowed="a party of no other linked account",
            ) from None
        await record_account(conn, by, "party_set", *account_key, before, now)


async def end_party(
    db: Database, by: Who, merchant_id: int, identifier: str, connector: str, now: datetime
) -> None:
    """Pay a linked account's shares at an acquirer by payouts again, from the next split on.

    Raises Refused: FIELD_INVALID.
    """
    account_key = merchant_id, identifier
    async with db.transaction() as conn:
        before = await store.lock_account(conn, *account_key)
        if not await direct_shares.end_party(conn, *account_key, connector, now):
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="connector",
                received=connector,
                allowed="an acquirer where this linked account has a party",
            )
        await record_account(conn, by, "party_end", *account_key, before, now)


def _no_open_account(identifier: str) -> Refused:
    return refuse(
        RefusalCode.FIELD_INVALID,
        field="identifier",
        received=identifier,
        allowed="an open linked account",
    )


async def reseal(db: Database, by: Who, now: datetime) -> int:
    """Seal every account number with the newest key.

    Return how many were sealed with an older one.
    """
    vault = by.vault
    old = [
        row
        for row in await store.sealed_numbers(db)
        if not vault.is_sealed_with_newest(row["sealed_number"])
    ]
    for row in old:
        whose = row["merchant_id"], row["identifier"]
        bound = _SEAL_PURPOSE, *whose, row["name"], row["ifsc"]
        sealed = vault.seal(vault.open(row["sealed_number"], *bound), *bound)
        async with db.transaction() as conn:
            before = await store.lock_account(conn, *whose)
            is_told = (
                await trail.newest_told(conn, vault, whose[0], RowKind.LINKED, whose[1]) == before
            )
            await store.reseal(conn, row, sealed)
            if is_told:
                await record_account(conn, by, "reseal", *whose, before, now)
    return len(old)
