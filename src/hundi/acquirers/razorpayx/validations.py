"""RazorpayX's checks of bank accounts, which it calls fund account validations.

Nothing says that RazorpayX makes one check of two calls with one reference, and it finds a check by
its own number alone: a lost one is looked for in the list of all checks.
"""

import time
from collections.abc import Callable

from hundi.acquirers.calls.check_tries import CheckStanding, CheckTry, TriesChecks
from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE, decoded, refused, unusable
from hundi.acquirers.port.answers import BankAccount, NothingThere, Unknown
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.razorpayx import rules
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.connector import RazorpayxConnector
from hundi.acquirers.razorpayx.messages import RazorpayxValidation
from hundi.kernel.money import Money
from hundi.kernel.records import replace

CLOCKS_DIFFER_S = 300
"""How far RazorpayX's clock may be behind ours, in seconds."""
_PATH = "/fund_accounts/validations"


class RazorpayxChecks(TriesChecks, RazorpayxConnector):
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

    async def begin_check(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> CheckStanding | Unknown:
        """Call for a validation; a refused one did not begin."""
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
        if validation is None or validation.reference_id != attempt.name:
            return unusable()
        return _standing(validation, account)

    async def find_check(
        self, attempt: CheckTry, name: str, account: BankAccount
    ) -> CheckStanding | NothingThere | Unknown:
        """Return a validation by RazorpayX's number, else from the list of those since the call."""
        found = (
            await self._api.validation(name)
            if name
            else await self._api.validation_of(attempt.name, attempt.asked_s - CLOCKS_DIFFER_S)
        )
        return _standing(found, account) if isinstance(found, RazorpayxValidation) else found


def _standing(validation: RazorpayxValidation, account: BankAccount) -> CheckStanding:
    if not rules.shows(validation.fund_account, account):
        other = Unknown("other_account", "another account was checked under this reference")
        return CheckStanding(other, validation.id)
    failed = validation.status == "failed"
    return CheckStanding(rules.check_outcome(validation), validation.id, failed)
