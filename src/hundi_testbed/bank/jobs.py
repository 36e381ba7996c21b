"""The loop of due work: due payments, expired challenges and redirects, undelivered callbacks."""

import asyncio
import logging
from datetime import datetime, timedelta

from hundi_testbed.bank import advancing, card_payments, store
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.database import AWAY
from hundi_testbed.bank.disputes import actions as disputes
from hundi_testbed.bank.outbox import store as outbox
from hundi_testbed.bank.payouts import actions as payouts
from hundi_testbed.bank.payouts import store as payout_store
from hundi_testbed.bank.people import store as people
from hundi_testbed.bank.redirects import actions as redirect_actions
from hundi_testbed.bank.redirects import store as redirects
from hundi_testbed.bank.refunds import actions as refunds
from hundi_testbed.bank.refunds import store as refund_store
from hundi_testbed.bank.terminals import store as terminals

_BATCH = 100
# The scheduler wakes the loop in time; this is the longest sleep if a wake-up is missed.
_SLEEP_S_MAX = 1.0
_SLEEP_S_MIN = 0.05
_HELD_S = 0.2
_CALLBACKS_KEPT = timedelta(days=7)
_TEXTS_KEPT = timedelta(days=30)
_TEXTS_MAX = 1_000
_FORGET_EVERY = timedelta(hours=1)

_log = logging.getLogger("simbank.round")


async def once(bank: BankContext, now: datetime) -> None:
    """Do all due work, a batch of each kind."""
    async with bank.rounds:
        for payment in await store.due_payments(bank.db, now, _BATCH):
            await advancing.advance(bank, payment, now)
        for challenge in await store.stale_challenges(bank.db, now, _BATCH):
            await card_payments.end_challenge(
                bank, challenge, "N", "The confirmation page expired", now
            )
        for redirect in await redirects.stale(bank.db, now, _BATCH):
            await redirect_actions.leave(bank, redirect, now)
        await payouts.advance(bank, now, _BATCH)
        await refunds.take_back(bank, now, _BATCH)
        await disputes.end_due(bank, now, _BATCH)
        await bank.callback_sender.send_due(now)


async def forever(bank: BankContext) -> None:
    """Repeat until cancelled; while the database cannot be reached, wait for it."""
    forget_at = clock.now()
    started = False
    held_by = bank.settings.waits_for
    while held_by is not None and held_by.exists():  # noqa: ASYNC110 (one look at a file, now and then)
        await asyncio.sleep(_HELD_S)
    while True:
        now = clock.now()
        sleep_s = _SLEEP_S_MAX
        try:
            if not started:
                await outbox.make_all_callbacks_due(bank.db, now)
                started = True
            await once(bank, now)
            if now >= forget_at:
                await _forget(bank, now)
                forget_at = now + _FORGET_EVERY
            due = (
                await store.next_due(bank.db),
                await payout_store.next_due(bank.db),
                await refund_store.next_due(bank.db),
            )
            sleep_s = _until(min((each for each in due if each), default=None))
        except AWAY as problem:
            _log.warning("the books are not reachable: %s", type(problem).__name__)
        except Exception:  # noqa: BLE001  (a bug in one pass must not end the loop)
            _log.exception("a round failed")
        await bank.scheduler.wait(sleep_s)


async def _forget(bank: BankContext, now: datetime) -> None:
    """Delete old callbacks, terminal sales and phone messages."""
    # A sale without its callback would look delivered.
    await terminals.sweep(bank.db, now - _CALLBACKS_KEPT)
    await outbox.forget_callbacks(bank.db, now - _CALLBACKS_KEPT)
    await people.sweep_messages(bank.db, now - _TEXTS_KEPT, _TEXTS_MAX)


def _until(due_at: datetime | None) -> float:
    if due_at is None:
        return _SLEEP_S_MAX
    return min(max((due_at - clock.now()).total_seconds(), _SLEEP_S_MIN), _SLEEP_S_MAX)
