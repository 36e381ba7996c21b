"""Failover: the next acquirer is asked only where the one before certainly took nothing."""

from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import AttemptState, PaymentKind
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.rules import SENT_GRACE
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import PaymentView
from hundi.payments.routing import actions as routing
from hundi.payments.routing.actions import Router
from hundi.staff.trail.actions import at_command_line
from tests.acquirer import Answer, ScriptedAcquirer
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.shop import CARD, NOW, Shop, inquire_due, open_shop

VAULT = Vault({"k1": bytes(32)})

NOT_SENT, SILENT = Unknown(sent=False), Unknown()
PLAN = """
[[rules]]
name = "first-then-the-others"
use = [{ acquirer = "first" }]
then = ["second", "third", "fourth"]
"""


class KilledError(BaseException):
    """Our process ends here."""


@dataclass
class Bank(ScriptedAcquirer):
    """An acquirer whose calls are answered as told; with nothing told, as always."""

    answers: deque[Approved | Declined | Redirect | Unknown] = field(default_factory=deque)
    up: bool = True
    dies: bool = False
    """Whether our process ends while it is called."""

    def reachable(self) -> bool:
        return self.up

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        if self.dies:
            raise KilledError
        usual = await super().collect(
            charge, payer_vpa=payer_vpa, payee_name=payee_name, note=note, expires_in_s=expires_in_s
        )
        answer = self.answers.popleft() if self.answers else usual
        assert isinstance(answer, Unknown | Declined)
        return answer

    async def authenticate(
        self, charge: Charge, card: CardNumber, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        usual = await super().authenticate(charge, card, return_url=return_url)
        answer = self.answers.popleft() if self.answers else usual
        assert not isinstance(answer, Approved)
        return answer

    async def charge_moto(
        self, charge: Charge, card: CardNumber, *, capture: bool
    ) -> Approved | Declined | Unknown:
        usual = await super().charge_moto(charge, card, capture=capture)
        answer = self.answers.popleft() if self.answers else usual
        assert not isinstance(answer, Redirect)
        return answer


@dataclass
class Knowing(Bank):
    """An acquirer that knows what it collected."""

    async def inquire(self, reference: str) -> Answer:
        await super().inquire(reference)
        collected = ("collect", reference) in self.calls
        return Approved(Money(149_950), "632512340003") if collected else NothingThere()


@dataclass
class Fork:
    """A shop at four acquirers, of which `first` comes first by a plan in force."""

    shop: Shop
    banks: tuple[Bank, ...]

    def tell(self, *answers: Approved | Declined | Unknown) -> None:
        """Let each acquirer answer its next call so, in their order."""
        for bank, answer in zip(self.banks, answers, strict=False):
            bank.answers.append(answer)

    def called(self) -> list[str]:
        """Return which acquirers were called about money, in the order of their names."""
        return [bank.name for bank in self.banks for _ in bank.calls]

    async def of(self, view: PaymentView) -> list[tuple[str, str, bool]]:
        """Return each called attempt's acquirer and state, and whether it replaces another."""
        found = await self.shop.again(view)
        return [
            (each.connector, each.state, bool(each.route.instead_of))
            for each in found.attempts
            if each.acted
        ]

    async def collect(self, view: PaymentView, after_s: int = 1) -> None:
        now = NOW + timedelta(seconds=after_s)
        await upi.collect(await self.shop.case(view.payment.payment_id, now), "asha@bank")


@pytest.fixture
async def fork(shop: Shop) -> Fork:
    banks = tuple(Bank(name) for name in ("fourth", "first", "second", "third"))
    router = Router(shop.db)
    version = await routing.publish(
        shop.db, PLAN, [each.name for each in banks], at_command_line("asha", VAULT), NOW
    )
    assert version == 1
    shop.context = replace(shop.context, connectors=Registry(banks), router=router)
    by_name = sorted(
        banks, key=lambda each: ("first", "second", "third", "fourth").index(each.name)
    )
    return Fork(shop, tuple(by_name))


async def test_what_certainly_was_not_taken_is_tried_at_the_next_acquirer(fork: Fork) -> None:
    view = await fork.shop.order()
    fork.tell(NOT_SENT)
    await fork.collect(view)
    assert await fork.of(view) == [("first", "failed", False), ("second", "pending", True)]
    assert fork.called() == ["first", "second"]
    failed, found = (await fork.shop.again(view)).attempts[-2:]
    assert (found.route.plan, found.route.rule) == (1, "first-then-the-others")
    assert found.route.instead_of == failed.attempt_id
    assert [reference for _, reference in fork.banks[0].calls + fork.banks[1].calls] == [
        failed.reference,
        found.reference,
    ]


async def test_three_acquirers_are_asked_at_most(fork: Fork) -> None:
    view = await fork.shop.order()
    fork.tell(NOT_SENT, NOT_SENT, NOT_SENT, NOT_SENT)
    await fork.collect(view)
    assert [name for name, _, _ in await fork.of(view)] == ["first", "second", "third"]
    assert {state for _, state, _ in await fork.of(view)} == {"failed"}
    assert (await fork.shop.again(view)).payment.state == "open", "the customer may try again"


@pytest.mark.parametrize(
    "answer", [SILENT, Unknown("U30"), Declined("51"), Declined("91"), Declined("ZM", left=True)]
)
async def test_neither_silence_nor_a_no_goes_on(fork: Fork, answer: Unknown | Declined) -> None:
    view = await fork.shop.order()
    fork.tell(answer)
    await fork.collect(view)
    assert [name for name, _, _ in await fork.of(view)] == ["first"]
    assert fork.called() == ["first"]


async def test_a_card_goes_on_too_and_is_charged_where_it_was_challenged(fork: Fork) -> None:
    view = await fork.shop.order()
    fork.tell(NOT_SENT)
    shop = fork.shop
    sent = await cards.pay(
        await shop.case(view.payment.payment_id, NOW + timedelta(seconds=1)), CARD, str
    )
    assert isinstance(sent, Redirect)
    last = (await shop.again(view)).attempts[-1]
    await authentication.finish_card(shop.context, shop.merchant, last.attempt_id, NOW)
    assert await fork.of(view) == [("first", "failed", False), ("second", "paid", True)]
    assert [call for call, _ in fork.banks[1].calls] == ["authenticate", "authorise"]


async def test_a_challenge_that_may_have_begun_goes_nowhere_else(fork: Fork) -> None:
    view = await fork.shop.order()
    fork.tell(SILENT)
    await cards.pay(await fork.shop.case(view.payment.payment_id), CARD, str)
    assert [name for name, _, _ in await fork.of(view)] == ["first"]


async def test_a_charge_without_its_holder_that_may_have_been_made_goes_nowhere_else(
    fork: Fork,
) -> None:
    settings = MerchantSettings(moto=True)
    shop = await open_shop(fork.shop.db, settings)
    fork.shop = Shop(shop.db, fork.shop.context, shop.merchant, shop.bank)
    for answer, wanted in ((SILENT, ["first"]), (NOT_SENT, ["first", "second"])):
        view = await fork.shop.order(kind=PaymentKind.MOTO)
        fork.tell(answer)
        await cards.pay(
            await payable(fork.shop.context, shop.merchant, view.payment.payment_id, NOW), CARD, str
        )
        assert [name for name, _, _ in await fork.of(view)] == wanted


async def test_the_limit_of_attempts_counts_a_try_once(fork: Fork) -> None:
    shop = fork.shop
    shop.merchant = replace(
        shop.merchant, settings=msgspec.structs.replace(shop.merchant.settings, attempts_an_hour=3)
    )
    view = await shop.order()  # its QR is the first attempt
    for after_s in (1, 2):
        fork.tell(NOT_SENT, Declined("51"))
        await fork.collect(view, after_s)
    with pytest.raises(Refused):
        await fork.collect(view, 3)
    assert [name for name, _, _ in await fork.of(view)] == ["first", "second"] * 2


async def test_one_that_pays_late_after_all_is_given_back(fork: Fork) -> None:
    """A second success, by a call that seemed never to have left, is an excess payment."""
    shop, view = fork.shop, await fork.shop.order()
    fork.tell(NOT_SENT)
    await fork.collect(view)
    first, second = (await shop.again(view)).attempts[-2:]
    paid = Approved(Money(149_950), "632512340001")
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, await shop.again(view), NOW), second, paid
    )
    late = Approved(Money(149_950), "632512340002")
    await attempts.settle(
        PaymentCase(
            shop.context, shop.merchant, await shop.again(view), NOW + timedelta(minutes=1)
        ),
        first,
        late,
    )
    assert sorted(kind for kind, _, _ in await shop.postings()) == ["overpaid", "payment"]


async def test_a_process_that_ends_between_two_acquirers_leaves_one_attempt_that_is_asked_about(
    fork: Fork,
) -> None:
    view = await fork.shop.order()
    fork.tell(NOT_SENT)
    second = fork.banks[1]
    second.dies = True
    with pytest.raises(KilledError):
        await fork.collect(view)
    assert await fork.of(view) == [("first", "failed", False), ("second", "sent", True)]
    second.inquiries = deque([Approved(Money(149_950), "632512340003")])
    await inquire_due(fork.shop.context, NOW + timedelta(seconds=5))
    assert await fork.of(view) == [("first", "failed", False), ("second", "paid", True)]


async def test_one_behind_an_open_breaker_is_passed_and_the_attempt_says_so(fork: Fork) -> None:
    fork.banks[0].up = False
    view = await fork.shop.order()
    await fork.collect(view)
    assert [name for name, _, _ in await fork.of(view)] == ["second"]
    (passed,) = (await fork.shop.again(view)).attempts[-1].route.passed
    assert (passed.acquirer, passed.why) == ("first", "it cannot be reached")


async def test_a_try_moves_money_once_whichever_call_of_a_process_is_interrupted(
    fork: Fork,
) -> None:
    """The first acquirer takes nothing; the second knows what it was asked for."""
    shop, taking = fork.shop, Knowing("second")
    fork.banks = (replace(fork.banks[0], answers=deque([NOT_SENT] * 1_000)), taking)
    shop.context = replace(shop.context, connectors=Registry(fork.banks))

    async def begin() -> Start:
        view = await shop.order()
        taking.calls.clear()

        def collects(after: timedelta) -> Step:
            async def presses(db: Database) -> None:
                on = shop_on(shop, db)
                with suppress(Refused):  # another attempt is under way, or has paid
                    await Fork(on, fork.banks).collect(view, int(after.total_seconds()))

            return presses

        def asks(since: timedelta) -> Step:
            async def works(db: Database) -> None:
                for after in (timedelta(seconds=5), SENT_GRACE + timedelta(seconds=31)):
                    await inquire_due(shop_on(shop, db).context, NOW + since + after)

            return works

        async def end() -> object:
            collected = {reference for verb, reference in taking.calls if verb == "collect"}
            after = await shop.again(view)
            there = [each for each in after.attempts if each.connector == "second"]
            begun = Counter(each.created_at for each in there if each.acted)
            news = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE payment_id = $1", view.payment.payment_id
            )
            return (
                after.payment.state,
                len(collected),
                (max(begun.values()), [each.state for each in there].count(AttemptState.PAID)),
                [row["kind"] for row in news if row["kind"] in {"paid", "excess_payment"}],
            )

        soon, again = timedelta(seconds=1), timedelta(minutes=3)
        return [collects(soon), asks(soon), collects(again), asks(again)], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        "paid",
        1,
        (1, 1),
        ["paid"],
    )
