"""RazorpayX's checks of bank accounts, which it calls fund account validations.

Nothing says that RazorpayX makes one check of two calls with one reference, and it searches by its
own number alone. So each try is written down before its call, and a lost one is looked for in the
list of all checks.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE, decoded, refused, unusable
from hundi.acquirers.port.answers import (
    BankAccount,
    NothingThere,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.razorpayx import rules
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.connector import GRACE_S, RazorpayxConnector
from hundi.acquirers.razorpayx.messages import RazorpayxValidation
from hundi.kernel.money import Money
from hundi.kernel.records import replace

RETRY_AFTER_S = 1_800
"""Seconds after which RazorpayX wants a check repeated that failed for technical reasons."""
FIRST_PAUSE_S = 60
"""Seconds from a call that began no check to the next; twice as long after each, up to an hour."""
CLOCKS_DIFFER_S = 300
"""How far RazorpayX's clock may be behind ours, in seconds."""
TRIES_MAX = 100
_PATH = "/fund_accounts/validations"


@dataclass(frozen=True, slots=True)
class CheckTry:
    """One try at a check. number: from 0. asked_s: when it was called for, Unix seconds."""

    reference: str
    number: int
    asked_s: int = 0

    @property
    def words(self) -> tuple[str, str, str]:
        """Return the names of its words: when asked, RazorpayX's number, why it never began."""
        tens, ones = divmod(self.number, len(ascii_lowercase))
        ending = ascii_lowercase[tens] + ascii_lowercase[ones]
        return f"asked_{ending}", f"validation_{ending}", f"void_{ending}"

    @property
    def name(self) -> str:
        """Return its reference at RazorpayX."""
        return f"{self.reference}-{self.number}" if self.number else self.reference


class RazorpayxChecks(RazorpayxConnector):
    """An account that also checks bank accounts."""

    def __init__(
        self,
        name: str,
        account: RazorpayxAccount,
        memory: Memory,
        *,
        check_cost: Money,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        check_cost: as it was agreed with RazorpayX, whose answers do not say it.
        """
        super().__init__(name, account, memory, simulated=simulated, now=now)
        self.check_cost = check_cost

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return what the account's bank says of its holder."""
        words = await self._memory.known(reference)
        latest = _latest(reference, words)
        if latest is None:
            return await self._begin(CheckTry(reference, 0), account, holder)
        age_s = self._now() - latest.asked_s
        if latest.words[2] in words:
            found = Unknown(words[latest.words[2]], "the check was not begun")
            is_over = age_s >= min(FIRST_PAUSE_S << latest.number, GRACE_S)
        else:
            found = await self._found(latest, words)
            is_over = _is_over(found, age_s)
        if is_over:
            return await self._begin(CheckTry(reference, latest.number + 1), account, holder)
        return _outcome(found, account)

    async def _begin(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Call for a check, once for each try in all processes."""
        if attempt.number >= TRIES_MAX:
            return Unknown("too_many_checks", "RazorpayX did not check this account")
        asked, named, void = attempt.words
        mark = f"{int(self._now())}.{secrets.token_hex(8)}"
        if (await self._memory.keep(attempt.reference, {asked: mark}))[asked] != mark:
            return _outcome(NothingThere(), account)
        validation = await self._called(attempt, account, holder)
        if isinstance(validation, RazorpayxValidation):
            await self._memory.keep(attempt.reference, {named: validation.id})
        elif not validation.sent:
            await self._memory.keep(attempt.reference, {void: validation.code or "not_sent"})
        return _outcome(validation, account)

    async def _called(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> RazorpayxValidation | Unknown:
        """Return a new check, or an Unknown that was never sent where there is certainly none."""
        request = {
            "source_account_number": self._account.validation_number,
            "validation_type": self._account.validation,
            "reference_id": attempt.name,
            "notes": {REFERENCE_NOTE: attempt.reference},
            "fund_account": rules.fund_account(account, holder),
        }
        answer = await self._api.send(_PATH, request)
        if isinstance(answer, Unknown):
            return answer
        if not answer[0]:
            refusal = refused(answer[1])
            return replace(rules.doubt(refusal), sent=False) if refusal else unusable()
        validation = decoded(RazorpayxValidation, answer[1])
        is_it = validation is not None and validation.reference_id == attempt.name
        return validation if validation is not None and is_it else unusable()

    async def _found(
        self, attempt: CheckTry, words: Mapping[str, str]
    ) -> RazorpayxValidation | NothingThere | Unknown:
        """Return RazorpayX's record of a try."""
        named = attempt.words[1]
        if named in words:
            return await self._api.validation(words[named])
        found = await self._api.validation_of(attempt.name, attempt.asked_s - CLOCKS_DIFFER_S)
        if isinstance(found, RazorpayxValidation):
            await self._memory.keep(attempt.reference, {named: found.id})
        return found


def _latest(reference: str, words: Mapping[str, str]) -> CheckTry | None:
    """Return the last try that was called for."""
    latest = None
    for number in range(TRIES_MAX):
        asked = words.get(CheckTry(reference, number).words[0])
        if asked is None:
            break
        latest = CheckTry(reference, number, int(asked.partition(".")[0]))
    return latest


def _is_over(found: RazorpayxValidation | NothingThere | Unknown, age_s: float) -> bool:
    """Return whether a try came to nothing, so that another one may begin.

    age_s: seconds since it was called for.
    """
    if isinstance(found, NothingThere):
        return age_s >= GRACE_S
    failed = isinstance(found, RazorpayxValidation) and found.status == "failed"
    return failed and age_s >= RETRY_AFTER_S


def _outcome(
    found: RazorpayxValidation | NothingThere | Unknown, account: BankAccount
) -> RegisteredName | NotRegistered | Unknown:
    if isinstance(found, Unknown):
        return found
    if isinstance(found, NothingThere):
        return Unknown("not_seen", "RazorpayX does not show the check yet")
    if not rules.shows(found.fund_account, account):
        return Unknown("other_account", "another account was checked under this reference")
    return rules.check_outcome(found)
