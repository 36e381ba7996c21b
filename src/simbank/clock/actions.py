"""The bank's clock, which a demo moves on together with the gateway's; never back."""

from datetime import UTC, datetime, timedelta

from simbank.clock import store
from simbank.database import Database

_ahead = timedelta()


def now() -> datetime:
    """Return the present moment at the bank, in UTC."""
    return datetime.now(UTC) + _ahead


def ahead() -> timedelta:
    """Return how far the clock is ahead of the world's."""
    return _ahead


async def read(db: Database) -> None:
    """Set the clock to where it was when the bank was last open."""
    _set(await store.read(db))


async def move(db: Database, to: timedelta) -> None:
    """Move the clock on."""
    _set(await store.move(db, to))


def _set(to: timedelta) -> None:
    global _ahead  # noqa: PLW0603 (one clock for the one process)
    _ahead = to
