"""The connector of Cashfree Payouts; see docs/cashfree-payouts.md."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hundi.acquirers.calls.address_checks import AddressAnswer, AddressChecks
from hundi.acquirers.calls.aggregators import object_of, text_of
from hundi.acquirers.calls.cashfree_wire import proven
from hundi.acquirers.calls.check_tries import (
    CheckStanding,
    CheckTry,
    TriesChecks,
    check_reference_of,
)
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.calls.first_calls import first_call
from hundi.acquirers.calls.own_words import OwnWords
from hundi.acquirers.cashfree_payouts import rules
from hundi.acquirers.cashfree_payouts.account import CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.api import CashfreePayoutsApi, CashfreeReply
from hundi.acquirers.port.answers import (
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payouts import PayoutBalance, PayoutOrder, RailTerms, TakesNoPayments
from hundi.kernel.ids import parse_check_reference, parse_payout_reference
from hundi.kernel.money import Money
from hundi.kernel.records import replace

PAYOUT_GAPS_S = (5, 10, 20, 30, 60, 120, 300, 600, 1_800)
RETURNED_GAPS_S = (3_600, 21_600, 57_600, *(86_400,) * 9)
"""Ten days. Cashfree does not publish until when a success may be reversed."""
GRACE_S = 3_600
"""Seconds after which a transfer that is not found was never made. Not published."""
SEEN_AFTER_S = 1_800
"""Seconds from the first call after which an absent transfer may be called for again."""
RAILS = (
    RailTerms("imps", 1_00, 5_00_000_00),
    RailTerms("rtgs", 2_00_000_00, working_days=True),
    RailTerms("neft", 1_00, working_days=True),
)


class CashfreePayoutsConnector(TakesNoPayments):
    """One account at Cashfree Payouts. now: returns Unix seconds."""

    payout_rails = RAILS
    payout_gaps_s = PAYOUT_GAPS_S
    returned_gaps_s = RETURNED_GAPS_S
    payout_grace_s = GRACE_S

    def __init__(
        self,
        name: str,
        account: CashfreePayoutsAccount,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        simulated: it is of Cashfree's sandbox.
        """
        self.name, self.simulated = name, simulated
        self._account, self._now = account, now
        self._memory = OwnWords(memory, name)
        self._api = CashfreePayoutsApi(account, timeouts, now)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._api.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self._api.reachable()

    async def pay_out(
        self, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Pay out. A repeat asks first: a transfer has a name, and no key beside it."""
        begun_s = await first_call(self._memory, order.reference, self._now())
        if begun_s is not None:
            standing = await self._api.transfer_of(order.reference)
            if not isinstance(standing, NothingThere):
                return self._answered(standing, order)
            if self._now() - begun_s < SEEN_AFTER_S:
                return Unknown("not_seen", "Cashfree does not show the transfer yet")
        request = rules.transfer_request(order, self._account.source)
        answer = await self._api.transfer(request)
        if isinstance(answer, Unknown):
            # An earlier call may have been accepted, whatever became of this one.
            return answer if begun_s is None else replace(answer, sent=True)
        if not answer.done:
            return await self._refused(order, answer)
        if not rules.is_of(answer.fields, order, shown=False):
            return Unknown("unusable", "Cashfree speaks of another transfer")
        return self._outcome(answer.fields)

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Underway | Unknown | NothingThere:
        """Return how a payout stands."""
        standing = await self._api.transfer_of(reference)
        if isinstance(standing, Unknown | NothingThere):
            return standing
        return self._outcome(standing)

    async def payout_balance(self) -> PayoutBalance | Unknown:
        """Return the balance that payouts leave from, less those that are under way."""
        asked_at = datetime.fromtimestamp(self._now(), UTC)
        available = await self._api.balance()
        return available if isinstance(available, Unknown) else PayoutBalance(available, asked_at)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (a webhook that comes late asks late)
        """Return the trigger of an authentic webhook; it proves no outcome."""
        checks = self._account.checks
        secrets = self._account.keys.secrets + (checks.secrets if checks else ())
        news = proven(headers, body, secrets)
        if not news:
            return None
        data = object_of(news.get("data")) or {}
        payout = rules.own_reference(text_of(data.get("transfer_id")))
        check = check_reference_of(rules.own_reference(text_of(data.get("user_id"))))
        ours = (
            payout if parse_payout_reference(payout) else "",
            check if parse_check_reference(check) else "",
        )
        return Trigger("", tuple(filter(None, ours)))

    async def _refused(
        self, order: PayoutOrder, reply: CashfreeReply
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Return the meaning of a refused call.

        It was the first one, or no earlier one made a transfer.
        """
        standing = await self._api.transfer_of(order.reference)
        if isinstance(standing, Unknown | NothingThere):
            return rules.never_accepted(reply.status, reply.fields)
        return self._answered(standing, order)

    def _answered(
        self, standing: Mapping[str, Any] | Unknown, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        if isinstance(standing, Unknown):
            return replace(standing, sent=True)
        if not rules.is_of(standing, order, shown=True):
            return Unknown("other_order", "Cashfree has another transfer of this reference")
        return self._outcome(standing)

    def _outcome(
        self, transfer: Mapping[str, Any]
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        return rules.payout_outcome(transfer, datetime.fromtimestamp(self._now(), UTC))


class CashfreePayoutsChecks(TriesChecks, CashfreePayoutsConnector):
    """An account that also checks bank accounts, with keys of Secure ID."""

    def __init__(
        self,
        name: str,
        account: CashfreePayoutsAccount,
        memory: Memory,
        *,
        check_cost: Money,
        checks_addresses: bool = False,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        check_cost: as it was agreed with Cashfree, whose answers do not say it. checks_addresses:
        UPI addresses are checked with it.
        """
        super().__init__(name, account, memory, simulated=simulated, now=now)
        self.check_cost = check_cost
        if checks_addresses:
            addresses = AddressChecks(self._holder, simulated=simulated)
            self.check_address = addresses.check_address

    async def begin_check(
        self, attempt: CheckTry, account: BankAccount, holder: str
    ) -> CheckStanding | Unknown:
        """Call for a check; a refused one did not begin, but for a name that was used."""
        answer = await self._api.begin_check(rules.check_request(attempt.name, account, holder))
        if isinstance(answer, Unknown):
            return answer
        if answer.done:
            return rules.check_standing(answer.fields)
        code, words = rules.refusal_of(answer.status, answer.fields)
        fault = rules.faulty_account(code, words)
        if fault is not None:
            return CheckStanding(fault)
        return Unknown(code, words, sent=code.endswith(rules.EXISTS))

    async def find_check(
        self,
        attempt: CheckTry,
        name: str,  # noqa: ARG002 (Cashfree finds it by ours)
        account: BankAccount,  # noqa: ARG002 (Cashfree shows none)
    ) -> CheckStanding | NothingThere | Unknown:
        """Return how a try stands."""
        found = await self._api.check_of(attempt.name)
        if isinstance(found, Unknown | NothingThere):
            return found
        return rules.check_standing(found)

    async def _holder(self, vpa: str) -> AddressAnswer:
        check = await self._api.address(vpa)
        return check if isinstance(check, Unknown) else rules.address_outcome(check, vpa)
