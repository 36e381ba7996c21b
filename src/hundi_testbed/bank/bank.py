"""The context of the running simulator, created once at start."""

import asyncio
import re
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from litestar import Request

from hundi_testbed.bank.bookkeeping import store as bookkeeping
from hundi_testbed.bank.callback_sender import CallbackSender
from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.fault_injection import FaultInjector
from hundi_testbed.bank.mailbox.actions import Mailbox
from hundi_testbed.bank.payees.store import Payees
from hundi_testbed.bank.providers.rules import TakenMessage
from hundi_testbed.bank.scheduler import Scheduler
from hundi_testbed.bank.settings import BankSettings, origin

_IST = timezone(timedelta(hours=5, minutes=30))
# The value becomes a header: visible ASCII only.
_ADDRESS = re.compile(r"[!-~]+\Z")
_RUNNING_NUMBERS = 100_000_000
_TAKEN_MAX = 500


class RrnSource:
    """Retrieval reference numbers, unique across restarts: year, day (IST) and a number."""

    def __init__(self, db: BankDatabase) -> None:
        """Take numbers from the database in blocks, so that most payments need no query for one."""
        self._db = db
        self._next = self._end = 0

    async def take(self, now: datetime) -> str:
        """Return an unused number (a day may use 100 million)."""
        if self._next == self._end:
            block = await bookkeeping.take_rrn_block(self._db)
            # Of two concurrent calls, the later block is used; the rest of the other stays unused.
            self._next, self._end = (
                block * bookkeeping.RRN_BLOCK,
                (block + 1) * bookkeeping.RRN_BLOCK,
            )
        number, self._next = self._next, self._next + 1
        day = now.astimezone(_IST)
        return f"{day.year % 10}{day:%j}{number % _RUNNING_NUMBERS:08d}"


@dataclass(frozen=True, slots=True)
class BankContext:
    """The context that an action needs."""

    settings: BankSettings
    db: BankDatabase
    faults: FaultInjector
    scheduler: Scheduler
    callback_sender: CallbackSender
    rrns: RrnSource
    payees: Payees
    mailbox: Mailbox = field(default_factory=Mailbox)
    taken: deque[TakenMessage] = field(default_factory=lambda: deque(maxlen=_TAKEN_MAX))
    """Messages that the providers of SMS and WhatsApp took, the newest last."""
    rounds: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during a round of due work.

    The next holder finds that work done, and its callbacks being sent.
    """

    def may_return_to(self, url: str) -> bool:
        """Return whether a browser may be redirected to this address."""
        return _ADDRESS.match(url) is not None and origin(url) in self.settings.return_origins


def bank_of(request: Request) -> BankContext:
    """Return the bank of a request."""
    return request.app.state.bank
