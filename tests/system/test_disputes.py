"""Disputes of a running gateway.

Raised by its bank, told, answered at the command line, decided by the bank.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hundi.sdk import errors
from tests.documents import pdf
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan

AMOUNT = 149_950
PDF = pdf("signed for by the customer")


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs, and whose bank decides after a second."""
    with RunningGateway(new_folder("disputes"), HUNDI_SIMBANK_PENDING_SECONDS="1") as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "disputes")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as customer:
        yield customer


class DisputedOrder:
    """One paid order, its dispute, and the operator who answers."""

    def __init__(self, shop: Shop, browser: Browser) -> None:
        """Take a payment."""
        self.shop, self.gateway, self.merchant_id = (
            shop,
            shop.gateway,
            str(shop.merchant.merchant_id),
        )
        self.order_id = new_order_id("DSP")
        scan(self.gateway, shop.open_page(browser, self.order_id, AMOUNT).upi_link)
        shop.becomes(self.order_id, 200, AMOUNT)
        self.reference = self.gateway.operate("payment", "show", self.merchant_id, self.order_id)[
            "attempts"
        ][0]["reference"]

    def raised(self, **more: Any) -> dict[str, Any]:
        """Let the bank raise a dispute, and wait until the gateway has it."""
        asked = {"reference": self.reference, "amount_paise": AMOUNT, "reason": "10.4", **more}
        answer = self.gateway.bank.post("/control/dispute", json=asked)
        assert answer.status_code == 200, answer.text
        return until(lambda: self.found("open"), "the dispute to be open")

    def found(self, state: str) -> dict[str, Any] | None:
        """Return the payment's dispute when it is in a state."""
        listed = self.operate("list", self.merchant_id, "--state", state)
        payment = self.gateway.operate("payment", "show", self.merchant_id, self.order_id)[
            "payment"
        ]
        return next(
            (each for each in listed if each["ap_transactionid"] == payment["ap_transactionid"]),
            None,
        )

    def becomes(self, state: str) -> dict[str, Any]:
        """Wait until the dispute is in a state."""
        return until(lambda: self.found(state), f"the dispute to be {state}")

    def operate(self, *arguments: str) -> Any:
        """Run a command about disputes."""
        return self.gateway.operate("dispute", *arguments)

    def events(self) -> list[str]:
        """Return the events of the payment's story that are about disputes."""
        story = self.gateway.operate("payment", "show", self.merchant_id, self.order_id)
        return [each["event"] for each in story["events"] if each["event"].startswith("dispute")]

    def taken(self) -> list[int]:
        """Return what the bank's books have taken for it."""
        return [
            each["amount_paise"]
            for each in self.gateway.bank_entries(self.reference)
            if each["kind"] == "chargeback"
        ]


def holds(gateway: RunningGateway) -> None:
    """The books and the bank's agree."""
    assert gateway.audit()["holds"]


def test_a_dispute_is_contested_with_evidence_and_won(
    shop: Shop, browser: Browser, tmp_path: Path
) -> None:
    order = DisputedOrder(shop, browser)
    dispute = order.raised()
    assert (dispute["phase"], dispute["held_paise"], dispute["taken_paise"]) == (
        "chargeback",
        AMOUNT,
        0,
    )
    bill, copy = tmp_path / "bill.pdf", tmp_path / "copy.pdf"
    bill.write_bytes(PDF)
    which = (order.merchant_id, dispute["dispute_id"])
    order.operate("contest", *which, "--evidence", str(bill), "--note", "delivered")
    order.becomes("won")
    (document,) = order.operate("evidence", "list", *which)
    assert (document["name"], document["type"], document["sent_at"] is not None) == (
        "bill.pdf",
        "application/pdf",
        True,
    )
    order.operate("evidence", "export", order.merchant_id, document["evidence_id"], str(copy))
    assert copy.read_bytes() == PDF
    assert order.events() == ["dispute_opened", "dispute_contested", "dispute_won"]
    trail = "SELECT act FROM trail_entries WHERE about = $1 ORDER BY entry_no"
    acts = [row["act"] for row in order.gateway.rows(trail, dispute["dispute_id"])]
    assert acts == ["dispute.evidence", "dispute.contest"]
    assert order.taken() == []
    assert "signed for" not in order.gateway.logged()
    holds(order.gateway)


def test_a_dispute_is_accepted_wholly_or_in_part(shop: Shop, browser: Browser) -> None:
    whole, part = DisputedOrder(shop, browser), DisputedOrder(shop, browser)
    first = whole.raised()
    whole.operate("accept", whole.merchant_id, first["dispute_id"])
    whole.becomes("accepted")
    assert (whole.taken(), whole.events()) == (
        [AMOUNT],
        ["dispute_opened", "dispute_accepted", "dispute_lost"],
    )
    second = part.raised()
    given = ("--amount-paise", "50000", "--note", "one of two came back")
    part.operate("accept", part.merchant_id, second["dispute_id"], *given)
    ended = part.becomes("partly_accepted")
    assert (ended["taken_paise"], part.taken()) == (50_000, [50_000])
    holds(whole.gateway)


def test_a_merchants_own_server_answers(shop: Shop, browser: Browser) -> None:
    contested, accepted, partly = [DisputedOrder(shop, browser) for _ in range(3)]
    client = shop.client
    first, second, third = [each.raised()["dispute_id"] for each in (contested, accepted, partly)]
    # Those of one look at the bank have ids of one moment.
    newest, middle, oldest = sorted((first, second, third), reverse=True)
    assert [each.dispute_id for each in client.disputes(state="open")] == [newest, middle, oldest]
    assert [each.dispute_id for each in client.disputes(before=newest)][:2] == [middle, oldest]
    seen = client.dispute(first)
    assert (seen.order_id, seen.now.held_paise, seen.is_open) == (contested.order_id, AMOUNT, True)
    assert (seen.now.respond_by, len(seen.phases), seen.evidence) == (
        seen.phases[0].respond_by,
        1,
        (),
    )
    for content in (b"MZ an executable", PDF[:-6]):
        with pytest.raises(errors.RequestRefusedError) as refused:
            client.add_evidence(first, content)
        assert "a whole PDF, PNG or JPEG" in str(refused.value)
    with pytest.raises(errors.RequestRefusedError):
        client.contest_dispute(first)
    with pytest.raises(errors.RequestRefusedError):
        client.accept_dispute(third, amount_paise=AMOUNT + 1)
    kept = client.add_evidence(first, PDF, name="../bill.pdf")
    assert (kept.name, kept.type, kept.bytes) == ("bill.pdf", "application/pdf", len(PDF))
    assert client.add_evidence(first, PDF, name="again.pdf") == kept
    answered = client.contest_dispute(first, note="delivered")
    assert (answered.now.state, answered.evidence) == ("under_review", (kept,))
    assert client.contest_dispute(first, note="delivered").now.state in {"under_review", "won"}, (
        "the same answer"
    )
    with pytest.raises(errors.RefusedError) as late:
        client.accept_dispute(first)
    assert (late.value.code, "dispute was 'under_review'; allowed: open" in str(late.value)) == (
        "124",
        True,
    )
    with pytest.raises(errors.RefusedError) as late:
        client.add_evidence(first, PDF + b"\n%%EOF\n")
    assert late.value.code == "124"

    assert client.accept_dispute(second).now.state == "accepting"
    half = client.accept_dispute(third, amount_paise=50_000, note="one of two came back")
    assert (half.now.state, half.now.accepted_paise) == ("under_review", 50_000)
    for order, state in ((contested, "won"), (accepted, "accepted"), (partly, "partly_accepted")):
        order.becomes(state)
    assert client.dispute(first).evidence[0].sent_at
    assert [client.dispute(each).now.taken_paise for each in (first, second, third)] == [
        0,
        AMOUNT,
        50_000,
    ]
    said = (
        "SELECT actor FROM payment_events WHERE merchant_id = $1 AND payment_id = $2 AND kind ="
        " 'dispute_contested'"
    )
    assert shop.gateway.value(said, shop.merchant.number, int(seen.transaction_id)) == "merchant"
    assert "signed for" not in shop.gateway.logged()
    holds(shop.gateway)


def test_a_deadline_that_is_missed_loses(shop: Shop, browser: Browser) -> None:
    order = DisputedOrder(shop, browser)
    order.raised()
    moved = order.gateway.bank.post("/control/clock", json={"advance_s": 4 * 86_400}, timeout=300)
    assert moved.status_code == 200, moved.text
    order.becomes("lost")
    assert order.taken() == [AMOUNT]
    told = order.events()
    assert told[:2] == ["dispute_opened", "dispute_due_soon"]
    assert told[-1] == "dispute_lost"
    holds(order.gateway)
