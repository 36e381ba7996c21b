"""The connector of RazorpayX: payouts, their balance, checks of bank accounts and webhooks.

docs/razorpayx.md lists what its documents say, and what they leave open.
"""

import time
from collections.abc import Callable

from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.calls.first_calls import first_call
from hundi.acquirers.calls.own_words import OwnWords
from hundi.acquirers.calls.razorpay_wire import (
    SIGNATURE,
    RazorpayRefusal,
    decoded,
    refused,
    signed_by,
    unusable,
)
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payouts import PayoutBalance, PayoutOrder, TakesNoPayments
from hundi.acquirers.razorpayx import rules, webhooks
from hundi.acquirers.razorpayx.api import KEY, RazorpayxAccount, RazorpayxApi
from hundi.acquirers.razorpayx.messages import RazorpayxPayout
from hundi.acquirers.razorpayx.rails import rails_at
from hundi.kernel.records import replace

PAYOUT_GAPS_S = (10, 20, 30, 60, 120, 300, 600, 1_800)
RETURNED_GAPS_S = (3_600, 21_600, 57_600, *(86_400,) * 9)
"""Ten days: a processed payout may be reversed within three working days, and holidays follow each
other (x/payouts/best-practices.md)."""
GRACE_S = 3_600
"""Seconds after which a payout that is not found was never made (errors/x.md)."""
KEY_KEPT_S = 6 * 86_400
"""Seconds in which the same key is sent blindly. RazorpayX keeps keys for seven days."""
EVENT_ID = "x-razorpay-event-id"
EVENT_ID_MAX = 64
PAYOUT = "payout"
"""The word in the memory that is RazorpayX's number of a payout."""


class RazorpayxConnector(TakesNoPayments):
    """One account at RazorpayX, one instance a process. now: returns Unix seconds."""

    payout_gaps_s = PAYOUT_GAPS_S
    returned_gaps_s = RETURNED_GAPS_S
    payout_grace_s = GRACE_S

    def __init__(
        self,
        name: str,
        account: RazorpayxAccount,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        simulated: its keys move no money.
        """
        self.name, self.simulated = name, simulated
        self.payout_rails = rails_at(account.bank)
        self._account, self._now = account, now
        self._memory = OwnWords(memory, name)
        self._api = RazorpayxApi(account, timeouts)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._api.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self._api.reachable()

    async def pay_out(
        self, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Pay out by one call, which also makes the recipient known to RazorpayX.

        The same key and body are the same payout for a week; later it is looked for first.
        """
        begun_s = await first_call(self._memory, order.reference, self._now())
        age_s = 0 if begun_s is None else self._now() - begun_s
        if age_s > KEY_KEPT_S:
            standing = await self._api.payout_of(order.reference)
            if not isinstance(standing, NothingThere):
                return self._answered(standing, order)
        account = self._account
        answer = await self._api.send(
            "/payouts",
            rules.payout_request(order, account.number, account.purpose, queues=account.queues),
            {KEY: order.reference},
        )
        if isinstance(answer, Unknown):
            # An earlier call may have been accepted, whatever became of this one.
            return answer if begun_s is None else replace(answer, sent=True)
        if not answer[0]:
            refusal = refused(answer[1])
            is_new = begun_s is None or age_s >= GRACE_S
            return await self._refused(order, refusal, is_new=is_new) if refusal else unusable()
        payout = decoded(RazorpayxPayout, answer[1])
        if payout is None or not rules.is_of(payout, order):
            return unusable()
        await self._memory.keep(order.reference, {PAYOUT: payout.id})
        return rules.payout_outcome(payout)

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Underway | Unknown | NothingThere:
        """Return how a payout stands: by RazorpayX's number, else by our reference."""
        payout_id = (await self._memory.known(reference)).get(PAYOUT)
        found = (
            await self._api.payout(payout_id, reference)
            if payout_id
            else await self._api.payout_of(reference)
        )
        return rules.payout_outcome(found) if isinstance(found, RazorpayxPayout) else found

    async def payout_balance(self) -> PayoutBalance | Unknown:
        """Return the balance of the account that payouts leave."""
        balances = await self._api.balances()
        if isinstance(balances, Unknown):
            return balances
        return rules.balance_of(balances, self._account.number)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (a webhook that comes late asks late)
        """Return the trigger of an authenticated webhook."""
        keys = tuple(each.encode() for each in self._account.webhook_secrets)
        if not signed_by(keys, headers.get(SIGNATURE, ""), body):
            return None
        references = webhooks.references(body)
        event_id = headers.get(EVENT_ID, "")[:EVENT_ID_MAX]
        return None if references is None else Trigger(event_id, references)

    async def _refused(
        self, order: PayoutOrder, refusal: RazorpayRefusal, *, is_new: bool
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Return the meaning of a refused call.

        It is certain where no earlier call can have made the payout. is_new: there was none, or it
        would be seen by now.
        """
        if rules.is_other_order(refusal):
            return Unknown("other_order", "another payout was ordered under this reference")
        standing = await self._api.payout_of(order.reference)
        if isinstance(standing, RazorpayxPayout):
            return self._answered(standing, order)
        may_be_there = isinstance(standing, Unknown) and standing.code == "several_payouts"
        if may_be_there or not is_new:
            return rules.doubt(refusal)
        return rules.never_accepted(refusal)

    @staticmethod
    def _answered(
        standing: RazorpayxPayout | Unknown, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        if isinstance(standing, Unknown):
            return replace(standing, sent=True)
        return rules.payout_outcome(standing) if rules.is_of(standing, order) else unusable()
