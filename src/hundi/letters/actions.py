"""The actions of letters: write one beside its cause, send it, and send it again."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from asyncpg import UniqueViolationError

from hundi.infra.logs import get_logger
from hundi.infra.monitoring.counters import LETTERS
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.letters import rules, store
from hundi.letters.rules import (
    AT_SENDING,
    KEEPS_QUIET,
    Letter,
    LetterChannel,
    LetterKind,
    NewLetter,
    QuietHours,
    SendOutcome,
    SendVerdict,
)

DUE_CHANNEL = "letters_due"
"""NOTIFY channel (`db.wake`) that wakes the sending once a letter is committed."""
SEND_S_MAX = 30.0
"""How long a relay or provider may take for one letter."""
SENT_AGAIN_AFTER = timedelta(minutes=10)
"""The time after which a letter that was sent may be sent once more."""
LEASE = timedelta(seconds=90)
"""How long a worker holds a claimed letter; well over SEND_S_MAX."""
KEPT_FOR = timedelta(days=365)
"""How long a letter is kept."""
_NO_CARRIER = SendOutcome(
    SendVerdict.ABSENT, "This gateway has no way to send letters of this kind."
)
_QUIET = "It waits for the end of the quiet hours."
_NOT_THEIRS = "Its reader has no role any more that may read it."
_OVER = "What it tells is over: a new one takes a new question."
_FILE_GONE = "Its file is not kept any more: ask for the report again."
_BROKEN = SendOutcome(SendVerdict.REFUSED, "No try came to an end. Look into the worker's log.")
"""Of a letter whose tries raise, or end their worker: it must not be tried for ever."""
_DEAD = SendOutcome(
    SendVerdict.BOUNCED, "The address took no letter before. Correct it, or send the letter again."
)
_log = get_logger(__name__)


class Carrier(Protocol):
    """Takes letters of one channel to people: a mail relay, or a provider."""

    async def send(self, letter: Letter) -> SendOutcome:
        """Send one letter once, within SEND_S_MAX."""
        ...


class StopLinks(Protocol):
    """Knows the pages on which customers end WhatsApp messages."""

    def path_of(self, letter: Letter) -> str:
        """Return the path of the page of a letter's order, "" for a letter about no order."""
        ...

    async def path_if_agreed(self, letter: Letter) -> str:
        """Return the same, "" where the order's customer does not get such messages."""
        ...


Filler = Callable[[Letter, datetime], Awaitable[Mapping[str, str]]]
"""Makes the fact of a letter that no row holds (`AT_SENDING`); {} once it is over."""


@dataclass(frozen=True, slots=True)
class LetterContext:
    """Dependencies of sending.

    carriers: those that this gateway has, by channel. quiet: the hours without reminders.
    overtaken: says why a reminder is not sent any more, "" for one that is. may_have: says whether
    its reader may have a letter now; a role may have changed since it was written. fillers: of the
    kinds with a fact that no row holds.
    """

    db: Database
    carriers: Mapping[LetterChannel, Carrier] = field(default_factory=dict[LetterChannel, Carrier])
    quiet: QuietHours | None = None
    overtaken: Callable[[Letter, datetime], Awaitable[str]] | None = None
    may_have: Callable[[Letter], Awaitable[bool]] | None = None
    fillers: Mapping[LetterKind, Filler] = field(default_factory=dict[LetterKind, Filler])


async def write(conn: Connection, letter: NewLetter, now: datetime) -> bool:
    """Write a letter in the transaction of its cause; False when the cause wrote it before.

    After the commit the caller wakes DUE_CHANNEL.
    """
    for _ in range(ID_TRIES_MAX):
        try:
            async with conn.transaction():
                return await store.insert(conn, new_id(now), letter, now)
        except UniqueViolationError:
            continue  # a duplicate id
    message = "no free letter id found"
    raise RuntimeError(message)


async def send(context: LetterContext, letter: Letter, now: datetime) -> bool:
    """Send a claimed letter once, and record what became of it.

    A reminder waits for the end of the quiet hours instead. True: nothing else releases the letter.

    A worker that ends between the sending and the record leaves the letter claimed: it is sent
    again after its lease, with the same Message-ID.
    """
    if letter.kind in KEEPS_QUIET and context.quiet and (until := context.quiet.until(now)):
        await store.put_off(context.db, letter, until, _QUIET)
        return True
    outcome = await _outcome(context, letter, now)
    change = rules.change_by(outcome, letter.tries, now)
    async with context.db.transaction() as conn:
        await store.record(conn, letter, change, outcome.said, now)
        if outcome.verdict is SendVerdict.BOUNCED:
            await store.mark_dead(conn, letter, change.problem, now)
    LETTERS.labels(letter.channel, outcome.verdict).inc()
    if outcome.verdict is not SendVerdict.TAKEN:
        _log.warning(
            "letter_not_sent",
            merchant_id=letter.merchant_id,
            letter_id=letter.letter_id,
            verdict=outcome.verdict,
            problem=change.problem,
        )
    return True


async def _outcome(context: LetterContext, letter: Letter, now: datetime) -> SendOutcome:
    """Send a letter if it may still be sent; return what became of the try."""
    carrier = context.carriers.get(letter.channel)
    if letter.tries > rules.TRIES_MAX:
        return _BROKEN
    if carrier is None:
        return _NO_CARRIER
    if why := await _withheld(context, letter, now):
        return SendOutcome(SendVerdict.ABSENT, why)
    if await store.is_dead(context.db, letter):
        return _DEAD
    if letter.kind in AT_SENDING:
        return await _filled(context, carrier, letter, now)
    return await carrier.send(letter)


async def _filled(
    context: LetterContext, carrier: Carrier, letter: Letter, now: datetime
) -> SendOutcome:
    """Send a letter with the fact that no row holds, and keep it out of what is recorded."""
    filler = context.fillers.get(letter.kind)
    secrets = await filler(letter, now) if filler else {}
    if not secrets:
        return SendOutcome(SendVerdict.ABSENT, _OVER)
    sent = replace(letter, facts={**letter.facts, **secrets})
    return rules.without(await carrier.send(sent), secrets.values())


async def _withheld(context: LetterContext, letter: Letter, now: datetime) -> str:
    """Return why a letter is not sent any more, "" for one that is: it may have waited long."""
    if letter.kind in KEEPS_QUIET and context.overtaken is not None:
        return await context.overtaken(letter, now)
    if context.may_have is not None and not await context.may_have(letter):
        return _NOT_THEIRS
    if letter.kind is LetterKind.REPORT and not rules.has_file(letter, now):
        return _FILE_GONE
    return ""


async def sweep(db: Database, now: datetime) -> None:
    """Forget old letters, with the addresses in them, and before that their files."""
    await store.sweep(db, now - KEPT_FOR)
    await store.drop_files(db, now - rules.ATTACHMENT_KEPT_FOR)


async def resend(
    db: Database, merchant_id: int, letter_id: int, now: datetime, beside: Beside | None = None
) -> None:
    """Send one letter again, under its Message-ID. beside: also written in the transaction.

    Raises Refused: NO_RECORDS for a missing letter, STATE_FORBIDS for one that waits already, or
    was sent less than ten minutes ago.
    """
    async with db.transaction() as conn:
        if not await store.resend(conn, merchant_id, letter_id, now, now - SENT_AGAIN_AFTER):
            known = await store.select(conn, merchant_id, letter_id) is not None
            code = RefusalCode.STATE_FORBIDS if known else RefusalCode.NO_RECORDS
            allowed = "a letter that does not wait, ten minutes after it was sent" if known else ""
            raise refuse(code, field="letter_id", received=str(letter_id), allowed=allowed)
        if beside is not None:
            await beside(conn, letter_id)
    db.wake(DUE_CHANNEL)
