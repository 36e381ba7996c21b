"""Rules of signing in: how long a session lives, and when guessing has to wait; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

IDLE = timedelta(minutes=30)
"""A session that nobody used for so long is over."""
LIFE = timedelta(hours=12)
"""And every session after so long, however busy."""
HALF_LIFE = timedelta(minutes=10)
"""How long a session that has shown the password alone may wait for the second factor."""
FACTOR_FRESH = timedelta(minutes=15)
"""How long a shown second factor lets money be moved."""
SEEN_AGAIN = timedelta(minutes=1)
"""How often it is written down that a session is used."""
FAILURES_MAX = 10
"""Wrong tries for one person from browsers that are not known, in FAILURES_FOR.

Then those browsers wait.
"""
FAILURES_FOR = timedelta(minutes=15)
CODES_WRONG_MAX = 5
"""Wrong second factors of one person in FAILURES_FOR."""
NETWORK_TRIES_A_MINUTE = 30
"""Sign-ins that one network may try in a minute, in one process."""
TOTP_STEP_S = 30
BROWSER_LENGTH_MAX = 200

Stage = Literal["password", "complete"]


@dataclass(frozen=True, slots=True)
class Session:
    """A browser of a person. session_hash: of its token. factor_at: second factor shown last.

    mark, factor_mark: what proves the session, and its second factor, under a key that the database
    never holds.
    """

    session_hash: bytes
    person_id: int
    stage: Stage
    began_at: datetime
    seen_at: datetime
    ends_at: datetime
    factor_at: datetime | None
    challenge: bytes | None
    network: str
    browser: str
    mark: bytes = b""
    factor_mark: bytes = b""

    def is_over(self, now: datetime) -> bool:
        """Return whether the session is over, by its end or because nobody used it."""
        return now >= self.ends_at or now - self.seen_at >= IDLE

    def is_fresh(self, now: datetime) -> bool:
        """Return whether the second factor was shown lately enough to move money."""
        return self.factor_at is not None and now - self.factor_at < FACTOR_FRESH


def waits(failures: int, first_at: datetime, most: int, now: datetime) -> timedelta | None:
    """Return for how long a try has to wait, None when it need not.

    failures: the try among them.
    """
    left = first_at + FAILURES_FOR - now
    return left if failures > most and left > timedelta() else None


def step_of(now: datetime, back: int = 0) -> int:
    """Return the time step of a one-time password. back: how many steps before now."""
    return int(now.timestamp()) // TOTP_STEP_S - back


def browser_name(agent: str) -> str:
    """Return in a few words which browser sends a user agent, for the list of sessions."""
    system = next((shown for sign, shown in _SYSTEMS if sign in agent), "")
    name = next((shown for sign, shown in _BROWSERS if sign in agent), "")
    return " on ".join(filter(None, (name, system))) or agent[:60] or "unknown browser"


_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
