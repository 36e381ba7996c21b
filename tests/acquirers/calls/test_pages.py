"""The connector of any aggregator with a page: what it stores, asks and refuses by itself."""

from collections.abc import Mapping
from typing import Any

from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    HiddenValue,
    PageAggregator,
    PageVisit,
    PaymentAnswer,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
    amount_asked,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.shared import LIFE_S, RETURN, Clock, charge, page_of

PAID, REFUND = Money(100_000), RefundOrder("10001-R5", "10001-1", Money(500))


class Someone(PageAggregator):
    """An aggregator without an interface; its answers are set by a test."""

    acquirer, refund_names = "Someone", frozenset({"number"})
    inquiry_schedule = refund_schedule = InquirySchedule((10,))

    def __init__(self, memory: ShortMemory, clock: Clock) -> None:
        client: AcquirerClient[Any] = AcquirerClient(
            "http://127.0.0.1:1", lambda *_: {}, lambda _: 1
        )
        super().__init__(ConnectorSetup("someone", memory, now_s=clock), (client,), ())
        self.payment: PaymentAnswer = NothingThere()
        self.names: Mapping[str, str] = {"number": "7"}
        self.sent: Approved | Declined | Unknown | UnlessRecorded = Unknown("PENDING")
        self.recorded: RefundAnswer = NothingThere()
        self.done: list[tuple[str, str]] = []

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        self.done.append(("asked", reference))
        return PaymentRecord(self.payment, self.names)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect:
        self.done.append(("opened", charge.reference))
        return Redirect(visit.return_url, charge.reference)

    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"of": paid["number"], "order": order.original}

    async def _give_back(
        self, order: RefundOrder, _paid: Mapping[str, str], words: Mapping[str, str], /
    ) -> Approved | Declined | Unknown | UnlessRecorded:
        assert words["of"] == "7"
        self.done.append(("sent", order.reference))
        return self.sent

    async def _refund_record(self, reference: str, _words: Mapping[str, str], /) -> RefundAnswer:
        self.done.append(("asked", reference))
        return self.recorded


async def test_a_reference_has_one_use(memory: ShortMemory, clock: Clock) -> None:
    one = Someone(memory, clock)
    page = Redirect(RETURN, "10001-1")
    assert await page_of(one, charge()) == page
    assert await page_of(one, charge()) == page
    assert isinstance(await page_of(one, charge(1)), Unknown), "another amount"
    words = await memory.known("10001-1")
    assert amount_asked(words) == PAID
    assert amount_asked({}) is None


async def test_what_it_cannot_do_is_refused_without_a_call(
    memory: ShortMemory, clock: Clock
) -> None:
    one = Someone(memory, clock)
    codes = [
        await page_of(one, charge(), method="emi"),
        await page_of(one, charge(), capture=False),
        await page_of(one, Charge("10001-1", Money(1, "USD"))),
        await one.refund(RefundOrder("10001-R5", "10001-1", Money(1, "USD"))),
    ]
    assert [each.code for each in codes] == [
        "HUNDI-METHOD",
        "HUNDI-HOLD",
        "HUNDI-CURRENCY",
        "HUNDI-CURRENCY",
    ]
    assert one.done == []


async def test_a_failed_try_ends_nothing_while_its_page_is_open(
    memory: ShortMemory, clock: Clock
) -> None:
    one = Someone(memory, clock)
    await page_of(one, charge())
    one.payment = Declined("51")
    assert await one.inquire("10001-1") == Unknown("51", awaiting_customer=True)
    clock.now_s += LIFE_S
    assert await one.inquire("10001-1") == Declined("51")


async def test_a_refund_is_sent_only_for_a_captured_payment(
    memory: ShortMemory, clock: Clock
) -> None:
    one = Someone(memory, clock)
    for answer, code in (
        (NothingThere(), "HUNDI-STATE"),
        (Declined("51"), "HUNDI-STATE"),
        (Approved(PAID, "1", authorised_only=True), "HUNDI-STATE"),
        (Unknown("PENDING"), "PENDING"),
    ):
        one.payment = answer
        refused = await one.refund(REFUND)
        assert not isinstance(refused, Approved)
        assert refused.code == code
    one.payment, one.names = Approved(PAID, "1"), {}
    nameless = await one.refund(REFUND)
    assert isinstance(nameless, Unknown)
    assert not nameless.sent
    assert ("sent", "10001-R5") not in one.done
    assert await one.inquire_refund("10001-R5") == NothingThere()


async def test_the_record_of_a_refused_refund_counts(memory: ShortMemory, clock: Clock) -> None:
    one = Someone(memory, clock)
    one.payment, one.sent = Approved(PAID, "1"), UnlessRecorded(Declined("105"))
    assert await one.refund(REFUND) == Declined("105"), "it has no record"
    one.recorded = Approved(Money(500), "2")
    assert await one.refund(REFUND) == one.recorded
    one.recorded = Unknown("QUEUED")
    assert await one.refund(REFUND) == one.recorded
    one.recorded = Approved(Money(700), "2")
    assert isinstance(await one.refund(REFUND), Unknown), "another amount"
    assert one.done.count(("asked", "10001-1")) == 1, "its names are stored"


def test_a_hidden_value_has_no_readable_form() -> None:
    assert repr(HiddenValue()) == "HiddenValue(****)"
