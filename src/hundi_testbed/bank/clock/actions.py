"""The bank's clock, which a demo moves forward together with the gateway's."""

from datetime import UTC, datetime, timedelta

from hundi_testbed.bank.clock import store
from hundi_testbed.bank.database import BankDatabase

_ahead = timedelta()
_apart = False


def now() -> datetime:
    """Return the present moment at the bank, in UTC."""
    return datetime.now(UTC) + _ahead


def ahead() -> timedelta:
    """Return how far the clock is ahead of real time."""
    return _ahead


async def read(db: BankDatabase) -> None:
    """Set the clock to its time when the bank was last open."""
    _set(await store.read(db))


def live_apart(to: timedelta) -> None:
    """Let this process alone live at another time, which is not stored.

    It makes the history of a demo.
    """
    global _apart  # noqa: PLW0603 (one clock for the one process)
    _apart = True
    _set(to)


def jump(to: timedelta) -> bool:
    """Set the clock of a process with its own time; return whether this is one."""
    if _apart:
        _set(to)
    return _apart


async def move(db: BankDatabase, to: timedelta) -> None:
    """Move the clock forward."""
    _set(await store.move(db, to))


def _set(to: timedelta) -> None:
    global _ahead  # noqa: PLW0603 (one clock for the one process)
    _ahead = to
