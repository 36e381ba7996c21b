"""Checks of bank accounts in several tries, each under a name of its own at the provider.

A provider ends a check for technical reasons, too, and tells the same about it for ever. So a check
that failed, was lost or never began is tried again, and only then. Each try is written down before
its call.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from hundi.acquirers.calls.first_calls import called_at, first_call
from hundi.acquirers.port.answers import (
    SCORE_MAX,
    BankAccount,
    NothingThere,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.port.memory import Memory

FIRST_PAUSE_S = 60
"""Seconds from a call that began no check to the next; twice as long after each, up to an hour."""
PAUSE_S_MAX = 3_600
TRIES_MAX = 100
BEGUN_MAX = 5
"""Tries that may have begun and so cost something; the others never reached the provider."""


@dataclass(frozen=True, slots=True)
class CheckTry:
    """One try at a check. number: from 0. asked_s: when it was called for, Unix seconds."""

    reference: str
    number: int
    asked_s: int = 0

    @property
    def asked(self) -> str:
        """Return the name of the word that it was called for."""
        return f"asked_{self._ending}"

    @property
    def named(self) -> str:
        """Return the name of the word with the provider's own name of it."""
        return f"check_{self._ending}"

    @property
    def void(self) -> str:
        """Return the name of the word that says why it never began."""
        return f"void_{self._ending}"

    @property
    def name(self) -> str:
        """Return its reference at the provider: ours, and from the second try on a number."""
        return f"{self.reference}-{self.number}" if self.number else self.reference

    @property
    def _ending(self) -> str:
        tens, ones = divmod(self.number, len(ascii_lowercase))
        return ascii_lowercase[tens] + ascii_lowercase[ones]


@dataclass(frozen=True, slots=True)
class CheckStanding:
    """How a try stands. name: the provider's own. failed: for another reason than the account."""

    answer: RegisteredName | NotRegistered | Unknown
    name: str = ""
    failed: bool = False


_TOO_MANY = Unknown("too_many_checks", "the provider did not check this account")


class TriesChecks(ABC):
    """The base of a connector that checks accounts in tries.

    check_lost_s: seconds after which a try that the provider does not find was never made.
    check_retry_s: after which one that failed is tried again.
    """

    check_lost_s = 3_600
    check_retry_s = 1_800
    _memory: Memory
    _now: Callable[[], float] = time.time

    @abstractmethod
    async def begin_check(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> CheckStanding | Unknown:
        """Call for a check. An Unknown that was not sent says that none began."""

    @abstractmethod
    async def find_check(
        self, attempt: CheckTry, name: str, account: BankAccount
    ) -> CheckStanding | NothingThere | Unknown:
        """Return how a try stands. name: the provider's own, "" where its answer was lost."""

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return what the account's bank says of its holder."""
        words = await self._memory.known(reference)
        latest = _latest(reference, words)
        if latest is None:
            return await self._begin(CheckTry(reference, 0), account, holder)
        age_s = self._now() - latest.asked_s
        if latest.void in words:
            standing = Unknown(words[latest.void], "the check was not begun")
            is_over = age_s >= min(FIRST_PAUSE_S << latest.number, PAUSE_S_MAX)
        else:
            standing = await self._found(latest, words, account)
            is_over = self._is_over(standing, age_s)
        if not is_over:
            return _answer_of(standing)
        if _begun(reference, latest.number, words) >= BEGUN_MAX:
            return _TOO_MANY
        return await self._begin(CheckTry(reference, latest.number + 1), account, holder)

    async def _begin(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Call for a check, once for each try in all processes."""
        if attempt.number >= TRIES_MAX:
            return _TOO_MANY
        if await first_call(self._memory, attempt.reference, self._now(), attempt.asked):
            return _answer_of(NothingThere())
        standing = await self.begin_check(attempt, account, holder)
        if isinstance(standing, CheckStanding):
            await self._keep_name(attempt, standing)
        elif not standing.sent:
            await self._memory.keep(attempt.reference, {attempt.void: standing.code or "not_sent"})
        return _answer_of(standing)

    async def _found(
        self, attempt: CheckTry, words: Mapping[str, str], account: BankAccount
    ) -> CheckStanding | NothingThere | Unknown:
        name = words.get(attempt.named, "")
        standing = await self.find_check(attempt, name, account)
        if isinstance(standing, CheckStanding) and not name:
            await self._keep_name(attempt, standing)
        return standing

    async def _keep_name(self, attempt: CheckTry, standing: CheckStanding) -> None:
        if standing.name:
            await self._memory.keep(attempt.reference, {attempt.named: standing.name})

    def _is_over(self, standing: CheckStanding | NothingThere | Unknown, age_s: float) -> bool:
        """Return whether a try came to nothing. age_s: seconds since it was called for."""
        if isinstance(standing, NothingThere):
            return age_s >= self.check_lost_s
        failed = isinstance(standing, CheckStanding) and standing.failed
        return failed and age_s >= self.check_retry_s


def check_reference_of(name: str) -> str:
    """Return our reference of a check from a try's name at the provider."""
    merchant, _, rest = name.partition("-")
    return f"{merchant}-{rest.partition('-')[0]}"


def score_of(said: object) -> int | None:
    """Return a score of 0 to 100 from a number or its text, None for anything else."""
    if not isinstance(said, int | float | str):
        return None
    try:
        score = round(float(said))
    except (ValueError, OverflowError):
        return None
    return score if 0 <= score <= SCORE_MAX else None


def _latest(reference: str, words: Mapping[str, str]) -> CheckTry | None:
    """Return the last try that was called for."""
    latest = None
    for number in range(TRIES_MAX):
        mark = words.get(CheckTry(reference, number).asked)
        if mark is None:
            break
        latest = CheckTry(reference, number, called_at(mark))
    return latest


def _begun(reference: str, number: int, words: Mapping[str, str]) -> int:
    """Return how many tries up to a number may have begun."""
    return sum(CheckTry(reference, each).void not in words for each in range(number + 1))


def _answer_of(
    standing: CheckStanding | NothingThere | Unknown,
) -> RegisteredName | NotRegistered | Unknown:
    if isinstance(standing, NothingThere):
        return Unknown("not_seen", "the provider does not show the check yet")
    return standing.answer if isinstance(standing, CheckStanding) else standing
