"""The sandbox connector's payouts."""

import msgspec

from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import (
    AccountFault,
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    PayoutStage,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.payouts import PayoutBalance, PayoutOrder, RailTerms
from hundi.acquirers.sandbox import rules
from hundi.acquirers.sandbox.lists import decoded
from hundi.acquirers.simulator import signature_holds
from hundi.kernel.clock import utc_now
from hundi.kernel.money import Money

CALLBACK_SIGNATURE = "simbank-signature"
PAYOUT_GAPS_S = (3, 3, 5, 5, 10, 10, 20, 20, 30, 60, 60, 120, 300)
RETURNED_GAPS_S = (5, 10, 30, 120, 900, 7_200, 86_400, 86_400)
"""A payout comes back within two bank days (docs/spec/domain.md#payout-rails)."""
PAYOUT_GRACE_S = 60
PAYOUT_RAILS = (
    RailTerms("imps", 1, 5_00_000_00),
    RailTerms("rtgs", 2_00_000_00),
    RailTerms("neft"),
)


_STAGES = {str(stage): stage for stage in PayoutStage}


class _PayoutNews(msgspec.Struct, frozen=True, tag_field="kind", tag="payout"):
    """A callback that a payout has changed."""

    event_id: str
    reference: str


_PAYOUT_NEWS = msgspec.json.Decoder(_PayoutNews)


def read_payout_news(body: bytes) -> Trigger | None:
    """Return the payout that a callback is about, None for another one; its proof is not looked at.

    Most callbacks are about payments, which is seen sooner than a proof is checked.
    """
    news = decoded(_PAYOUT_NEWS, body)
    is_news = news is not None and news.reference and is_sound(body)
    return Trigger(news.event_id, (news.reference,)) if news and is_news else None


def payout_outcome(
    word: rules.BankAnswer,
) -> Approved | Declined | SentBack | Underway | Unknown | NothingThere:
    """Translate the bank's state of a payout; one that came back says why."""
    if word.status == "returned":
        return (
            SentBack(word.code, word.message, word.rrn)
            if word.code
            else Unknown(message=word.message)
        )
    if word.status == "not_taken":
        return Declined(word.code, word.message, never_accepted=True)
    if word.status in _STAGES:
        return Underway(_STAGES[word.status], word.code, word.message)
    return rules.refund_outcome(word)


def paid_out(
    word: rules.BankAnswer, order_amount: Money
) -> Approved | Declined | SentBack | Underway | Unknown:
    """Translate the answer to a call that pays out; another amount decides nothing."""
    answer = payout_outcome(word)
    if isinstance(answer, NothingThere):
        return Unknown(word.code, word.message)
    other = isinstance(answer, Approved) and answer.amount != order_amount
    return Unknown(word.code, "the bank moved another amount") if other else answer


def account_outcome(word: rules.BankAnswer) -> RegisteredName | NotRegistered | Unknown:
    """Translate the bank's answer about a bank account."""
    answer = rules.address_outcome(word)
    if isinstance(answer, NotRegistered) and word.code in set(AccountFault):
        return NotRegistered(AccountFault(word.code), word.code)
    if isinstance(answer, RegisteredName):
        return RegisteredName(answer.name, word.score)
    return answer


class SandboxPayouts:
    """The connector's calls about payouts. acquirer: signs and sends them."""

    payout_rails = PAYOUT_RAILS
    payout_gaps_s = PAYOUT_GAPS_S
    returned_gaps_s = RETURNED_GAPS_S
    payout_grace_s = PAYOUT_GRACE_S
    check_cost = Money(1_00)
    _acquirer: AcquirerClient[rules.BankAnswer]
    _key: bytes

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the payout of an authenticated webhook, None for news of anything else."""
        news = read_payout_news(body)
        proof = headers.get(CALLBACK_SIGNATURE, "")
        return news if news and signature_holds(self._key, proof, body, now_s) else None

    async def pay_out(
        self, order: PayoutOrder
    ) -> Approved | Declined | SentBack | Underway | Unknown:
        """Pay out; the same reference again moves money once."""
        request = {
            "reference": order.reference,
            "amount_paise": order.amount.paise,
            "currency": order.amount.currency,
            "rail": order.rail,
            **_named(order.account, order.holder),
        }
        answer = await self._acquirer.ask(self._acquirer.post("/acquirer/payouts", request))
        word = rules.about(order.reference, answer)
        return word if isinstance(word, Unknown) else paid_out(word, order.amount)

    async def inquire_payout(
        self, reference: str
    ) -> Approved | Declined | SentBack | Underway | Unknown | NothingThere:
        """Return the bank's state of a payout."""
        question = self._acquirer.question("/acquirer/payouts/inquire", {"reference": reference})
        word = rules.about(reference, await self._acquirer.ask(question))
        return word if isinstance(word, Unknown) else payout_outcome(word)

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        """Return the holder of an account."""
        request = {"reference": reference, **_named(account, holder)}
        answer = await self._acquirer.ask(self._acquirer.post("/acquirer/accounts/check", request))
        word = rules.about(reference, answer)
        return word if isinstance(word, Unknown) else account_outcome(word)

    async def payout_balance(self) -> PayoutBalance | Unknown:
        """Return the balance that payouts leave from."""
        asked_at = utc_now()
        question = self._acquirer.question("/acquirer/payouts/balance", {"reference": "balance"})
        word = rules.about("balance", await self._acquirer.ask(question))
        if isinstance(word, Unknown):
            return word
        if word.status != "balance" or word.amount_paise is None or word.amount_paise < 0:
            return Unknown(word.code, "the bank told no balance")
        return PayoutBalance(Money(word.amount_paise), asked_at)


def _named(account: BankAccount, holder: str) -> dict[str, str]:
    return {"account": account.number, "ifsc": account.ifsc, "holder": holder}
