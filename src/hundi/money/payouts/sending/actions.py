"""The actions of payouts on their way: send, ask, and ask another provider where nothing left."""

from dataclasses import dataclass
from datetime import datetime

import structlog

from hundi.acquirers.port.answers import BankAccount, Unknown
from hundi.acquirers.port.payouts import PayoutOrder, PaysOut
from hundi.acquirers.registry import Registry, UnknownConnectorError
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.records import replace
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.payouts import rules, store
from hundi.money.payouts.actions import PayoutContext, settle
from hundi.money.payouts.answers import rules as answers
from hundi.money.payouts.balances import store as balances
from hundi.money.payouts.balances.rules import FRESH_FOR
from hundi.money.payouts.rules import GATEWAY, Gaps, PayoutState, PayoutTry, PayoutWay

NARRATION = "Settlement"
"""What the account's statement says, before the number of the payout."""
_log = structlog.get_logger(__name__)


async def work_on(context: PayoutContext, payout: PayoutTry, now: datetime) -> bool:
    """Send or inquire about a claimed payout; return False if the inquiry could not be sent.

    The claim has moved its `due_at` (a lease): after a crash the payout is inquired about, never
    sent again blindly.
    """
    if payout.state in rules.TO_SEND:
        await _send_first(context, payout, now)
        return True
    connector = _connector(context.connectors, payout.provider)
    if connector is None:
        _log.error("payout_without_connector", **_named(payout))
        return True
    answer = await connector.inquire_payout(payout.reference)
    if isinstance(answer, Unknown) and not answer.sent:
        # An inquiry that could not be sent tells nothing about the payout.
        return False
    gaps = _gaps(connector)
    if answers.sends_again(payout, answer, gaps, now):
        await _send_again(context, connector, payout, now)
    else:
        await settle(context.db, payout, answer, gaps, now)
    return True


async def _send_again(
    context: PayoutContext, connector: PaysOut, payout: PayoutTry, now: datetime
) -> None:
    """Send a payout that its provider does not know, or end it where its account was replaced."""
    account, gaps = await _account(context, payout), _gaps(connector)
    way = PayoutWay(payout.provider, payout.sent_rail or payout.rail)
    sent = await send(context.db, payout, way, now) if account else None
    if account is not None and sent is not None:
        order = _order(sent, account)
        await settle(context.db, sent, await connector.pay_out(order), gaps, now)
    elif account is not None and await accounts.is_replaced(context.db, *_account_key(payout)):
        _log.warning("payout_to_replaced_account", **_named(payout))
        if answers.is_lost(payout, now):
            await settle(context.db, payout, answers.LOST, gaps, now)
    elif await _is_as_read(context.db, payout):
        _log.error("payout_not_backed", **_named(payout))


async def _is_as_read(db: Database, payout: PayoutTry) -> bool:
    """Return whether nobody changed a payout since it was read: a webhook may have been faster."""
    current = await store.select(db, payout.merchant_id, payout.payout_id)
    return current is not None and current.revision == payout.revision


async def _send_first(context: PayoutContext, payout: PayoutTry, now: datetime) -> None:
    """Send a payout that was never sent, by the first provider that takes it.

    The next one is asked only where nothing left and nothing can: each intention is committed
    before its call, and a process that dies asks the provider of the last one.
    """
    route = await context.router.route(context.db, context.connectors, payout, now)
    if not route.ways:
        await _wait(context.db, payout, route.why, now)
        return
    account = await _account(context, payout)
    if account is None:
        # The books or the account were changed: nothing is sent, and the audit names what is wrong.
        _log.error("payout_not_backed", **_named(payout))
        return
    start = await _start(context.db, payout, route.ways, now)
    if start is None:
        return
    sent, left = start.payout, start.left
    while True:
        connector = _connector(context.connectors, sent.sent_by)
        assert connector is not None, "the way names a connector of the registry"
        answer = await connector.pay_out(_order(sent, account))
        following = (
            await _pass_on(context.db, sent, answer, left, now)
            if left and answers.certainly_not_taken(answer)
            else None
        )
        if following is None:
            await settle(context.db, sent, answer, _gaps(connector), now)
            return
        sent, left = following.payout, following.left


async def _wait(db: Database, payout: PayoutTry, why: str, now: datetime) -> None:
    """Write that a payout waits for a provider, unless it was changed meanwhile."""
    change = rules.waits(payout, PayoutState.AWAITING_PROVIDER, why, now)
    async with db.transaction() as conn:
        if await store.write(conn, payout, change, now) and change.after.state is not payout.state:
            _log.error("payout_without_provider", why=why, **_named(payout))


@dataclass(frozen=True, slots=True)
class SentPayout:
    """A payout whose intention is written. left: the ways that are tried after this one."""

    payout: PayoutTry
    left: tuple[PayoutWay, ...]


async def _start(
    db: Database, payout: PayoutTry, ways: tuple[PayoutWay, ...], now: datetime
) -> SentPayout | None:
    """Write that a payout is sent by the first way whose balance suffices.

    None where it waits for a balance, or the books do not show its cause.
    """
    async with db.transaction() as conn:
        locked = await store.lock(conn, payout.merchant_id, payout.payout_id)
        if locked is None or locked.revision != payout.revision:
            return None
        if not await store.lock_cause(conn, payout):
            _log.error("payout_not_backed", **_named(payout))
            return None
        place, short_paise = await _first_covered(conn, payout, ways, now)
        if place is None:
            why = f"{ways[0].connector} has {max(short_paise, 0)} paise left"
            change = rules.waits(payout, PayoutState.AWAITING_BALANCE, why, now)
            await store.write(conn, payout, change, now)
            return None
        change = rules.sent(payout, ways[place], now)
        await store.write(conn, payout, change, now)
    return SentPayout(_after(payout, change), ways[place + 1 :])


async def _pass_on(
    db: Database,
    sent: PayoutTry,
    answer: rules.PayoutWord,
    ways: tuple[PayoutWay, ...],
    now: datetime,
) -> SentPayout | None:
    """Write that a payout is sent by another provider, None where no other balance suffices."""
    async with db.transaction() as conn:
        locked = await store.lock(conn, sent.merchant_id, sent.payout_id)
        if locked is None or locked.revision != sent.revision:
            return None
        place, _ = await _first_covered(conn, locked, ways, now)
        if place is None:
            return None
        back = answers.not_taken(locked, answer)
        await store.write(conn, locked, back, now)
        returned = _after(locked, back)
        change = rules.sent(returned, ways[place], now)
        await store.write(conn, returned, change, now)
    _log.warning("payout_passed_on", by=sent.sent_by, to=ways[place].connector, **_named(sent))
    return SentPayout(_after(returned, change), ways[place + 1 :])


async def _first_covered(
    conn: Connection, payout: PayoutTry, ways: tuple[PayoutWay, ...], now: datetime
) -> tuple[int | None, int]:
    """Take a payout's amount off the first balance that suffices, and return the way's place.

    None where none does, with the paise that the first way has.
    """
    first_left: int | None = None
    for place, way in enumerate(ways):
        left_paise = await balances.take(conn, way.connector, payout.amount_paise, now - FRESH_FOR)
        if left_paise is None:
            return place, 0
        first_left = left_paise if first_left is None else first_left
    return None, first_left or 0


async def send(
    db: Database, payout: PayoutTry, way: PayoutWay, now: datetime, by: str = GATEWAY
) -> PayoutTry | None:
    """Write that a payout is sent, with its posting; None if the books do not show its cause."""
    async with db.transaction() as conn:
        if not await store.lock_cause(conn, payout):
            return None
        change = rules.sent(payout, way, now, by)
        if not await store.write(conn, payout, change, now):
            return None
    return _after(payout, change)


def _after(before: PayoutTry, change: rules.PayoutChange) -> PayoutTry:
    """Return a payout as it is after a change that was written."""
    is_event = change.after.state is not before.state
    return replace(change.after, revision=before.revision + is_event)


def _order(payout: PayoutTry, account: tuple[BankAccount, str]) -> PayoutOrder:
    narration = f"{NARRATION} {payout.payout_id}"
    return PayoutOrder(
        payout.reference, payout.amount, payout.sent_rail, account[0], account[1], narration
    )


async def _account(context: PayoutContext, payout: PayoutTry) -> tuple[BankAccount, str] | None:
    """Return a payout's account with its holder; None if its row was changed from outside."""
    account = await accounts.select(context.db, *_account_key(payout))
    if account is None or not await bank_accounts.is_proved(context.db, context.vault, account):
        return None
    bank_account = bank_accounts.opened(context.vault, account)
    return (bank_account, account.holder) if bank_account else None


def _account_key(payout: PayoutTry) -> tuple[int, str, int]:
    return payout.merchant_id, payout.beneficiary, payout.account_no


def _connector(connectors: Registry, name: str) -> PaysOut | None:
    try:
        connector = connectors.get(name)
    except UnknownConnectorError:
        return None
    return connector if isinstance(connector, PaysOut) else None


def _gaps(connector: PaysOut) -> Gaps:
    return Gaps(connector.payout_gaps_s, connector.returned_gaps_s, connector.payout_grace_s)


def _named(payout: PayoutTry) -> dict[str, int]:
    return {"merchant_id": payout.merchant_id, "payout_id": payout.payout_id}
