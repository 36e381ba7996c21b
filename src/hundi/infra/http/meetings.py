"""What calls show of the servers that they meet: the time there, or why nothing was reached."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from hundi.kernel.clock import world_now


@dataclass(frozen=True, slots=True)
class ServerMeeting:
    """What a call showed of the other server itself.

    date: its own time, None where it told none. asked_at, answered_at: ours, before and after.
    reason: of the client's NoAnswerError, "" for an answer.
    """

    scheme: str
    host: str
    port: int
    asked_at: datetime
    answered_at: datetime
    date: datetime | None
    reason: str


_MEETINGS: ContextVar[list[ServerMeeting] | None] = ContextVar("meetings", default=None)


@contextmanager
def meetings() -> Iterator[list[ServerMeeting]]:
    """Yield what the calls within the block show of the servers, complete at its end."""
    met: list[ServerMeeting] = []
    token = _MEETINGS.set(met)
    try:
        yield met
    finally:
        _MEETINGS.reset(token)


def meet(url: str, asked_at: datetime, date: str | None, reason: str) -> None:
    """Keep what a call showed, if a block asks for it. date: the header, as it was sent."""
    met = _MEETINGS.get()
    if met is None:
        return
    parts, told = urlsplit(url), None
    with suppress(ValueError):
        told = parsedate_to_datetime(date) if date else None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    answered_at = world_now()
    met.append(
        ServerMeeting(parts.scheme, parts.hostname or "", port, asked_at, answered_at, told, reason)
    )
