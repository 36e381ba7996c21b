"""Rules of signing in: the life of a session, and when guessing has to wait; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

IDLE = timedelta(minutes=30)
"""A session is over after this time without use."""
LIFE = timedelta(hours=12)
"""Every session is over after this time, however busy."""
HALF_LIFE = timedelta(minutes=10)
"""How long a session with only the password may wait for the second factor."""
FACTOR_FRESH = timedelta(minutes=15)
"""How long after a second factor money may be moved."""
SEEN_AGAIN = timedelta(minutes=1)
"""How often a session's use is written."""
FAILURES_MAX = 10
"""Wrong tries for one person from unknown browsers in FAILURES_FOR; then those browsers wait."""
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
    """A person's browser session.

    session_hash: of its token. factor_at: when a second factor was last shown. mark, factor_mark:
    prove the session, and its second factor, under a key that the database never holds.
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
        """Return whether the session is over, by its end or for lack of use."""
        return now >= self.ends_at or now - self.seen_at >= IDLE

    def is_fresh(self, now: datetime) -> bool:
        """Return whether a second factor was shown recently enough to move money."""
        return self.factor_at is not None and now - self.factor_at < FACTOR_FRESH


def waits(failures: int, first_at: datetime, most: int, now: datetime) -> timedelta | None:
    """Return how long a try has to wait, None if it need not.

    failures: including this try.
    """
    left = first_at + FAILURES_FOR - now
    return left if failures > most and left > timedelta() else None


def step_of(now: datetime, back: int = 0) -> int:
    """Return the time step of a one-time password. back: how many steps before now."""
    return int(now.timestamp()) // TOTP_STEP_S - back


def browser_name(agent: str) -> str:
    """Return the browser of a user agent in a few words, for the list of sessions."""
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
