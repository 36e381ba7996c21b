"""Payouts leave a running gateway by real providers' interfaces, whatever these say and send."""

from collections.abc import Iterator
from typing import Any

import pytest

from hundi.money.payouts.rails.rules import Rail
from hundi.payments.acquirer_accounts.rules import KNOWN_AFTER
from tests.acquirers.stage import Document
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import running_apart
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.payout_providers import PLAN, PayoutProvider, south, west
from tests.system.running import RunningGateway, until
from tests.system.shop import new_order_id, scan
from tests.system.test_payouts import GOOD, Operators

OTHERS = {"south": "west", "west": "south"}
TAKE_NEW = "SELECT count(*) = 2 FROM acquirer_accounts WHERE added_at <= now() - $1::interval"
"""A payout that is released before goes to another provider than its plan's."""


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own, to which two providers of payouts are added."""
    with running_apart(new_folder("payout-providers"), *OTHERS) as running:
        yield running


@pytest.fixture(scope="module")
def providers(
    gateway: RunningGateway, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, PayoutProvider]]:
    """The providers by their names, with a plan that shares payouts out by their amounts."""
    plan = tmp_path_factory.mktemp("plan") / "plan.toml"
    plan.write_text(PLAN)
    with south(gateway) as first, west(gateway) as second:
        gateway.operate("payout", "plan", "set", str(plan), "--by", "Chetan")
        until(lambda: gateway.value(TAKE_NEW, KNOWN_AFTER), "both to take new payouts")
        gateway.kill_part("worker")  # the next one knows both at its start
        yield {each.name: each for each in (first, second)}


@pytest.fixture(params=OTHERS)
def provider(
    request: pytest.FixtureRequest, providers: dict[str, PayoutProvider]
) -> PayoutProvider:
    """Each provider."""
    return providers[request.param]


@pytest.fixture
def other(provider: PayoutProvider, providers: dict[str, PayoutProvider]) -> PayoutProvider:
    """The other provider."""
    return providers[OTHERS[provider.name]]


def payers(gateway: RunningGateway, server: MerchantServer) -> Iterator["Payers"]:
    for shop in open_shop(gateway, server, "payee"):
        people = Payers(shop)
        people.add_account(GOOD)
        yield people


@pytest.fixture
def operators(gateway: RunningGateway, server: MerchantServer) -> Iterator["Payers"]:
    """Two people who work for a merchant with a verified account."""
    yield from payers(gateway, server)


@pytest.fixture
def neighbours(gateway: RunningGateway, server: MerchantServer) -> Iterator["Payers"]:
    """The same for another merchant."""
    yield from payers(gateway, server)


class Payers(Operators):
    """The two people, who pay out by providers."""

    def reference(self, payout: dict[str, Any]) -> str:
        """Return our reference of a payout."""
        return f"{self.merchant_id}-P{payout['payout_id']}"

    def send(self, provider: PayoutProvider, browser: Browser) -> dict[str, Any]:
        """Release a new share, and return its payout as soon as the provider works on it."""
        order_id = new_order_id()
        link = self.shop.open_page(browser, order_id, provider.paise).upi_link
        scan(self.gateway, link)
        self.shop.becomes(order_id, 200, provider.paise)
        self.operate("settlement", "run", "--merchant", self.merchant_id, "--instant")
        payout = self.waits_for("prepared")
        self.release(payout)
        sent = until(lambda: self.taken(payout), "a provider to have the payout", every_s=0.25)
        assert (sent["state"], sent["provider"]) == ("processing", provider.name), sent
        assert sent["rail"] == Rail.IMPS
        return sent

    def taken(self, payout: dict[str, Any]) -> dict[str, Any] | None:
        """Return a payout as soon as its provider said something of it."""
        shown = self.show(payout)
        return None if shown["state"] in {"approved", "sent", "unknown"} else shown

    def show(self, payout: dict[str, Any]) -> dict[str, Any]:
        """Return a payout with its events."""
        return self.operate("payout", "show", self.merchant_id, payout["payout_id"])

    def becomes(self, payout: dict[str, Any], state: str) -> dict[str, Any]:
        """Return a payout as soon as it is in a state."""

        def look() -> dict[str, Any] | None:
            shown = self.show(payout)
            return shown if shown["state"] == state else None

        return until(look, f"the payout to be {state}", every_s=0.25)

    def doubted(self, payout: dict[str, Any], words: str) -> None:
        """Wait until people can read why a payout stays open."""
        until(lambda: self.show(payout)["message"] == words, f"the doubt {words!r}", every_s=0.25)
        assert self.show(payout)["state"] == "processing"

    def hastened(self, payout: dict[str, Any]) -> bool:
        """Return whether a webhook made the gateway ask about a payout."""
        query = "SELECT hastened_at FROM payouts WHERE merchant_id = $1 AND payout_id = $2"
        found = self.gateway.value(query, int(self.merchant_id), int(payout["payout_id"]))
        return found is not None

    def posted(self, payout: dict[str, Any]) -> list[str]:
        """Return the kinds of everything that a payout posted."""
        query = (
            "SELECT kind::text FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2"
            " ORDER BY at, xact, kind"
        )
        key = (int(self.merchant_id), int(payout["payout_id"]))
        return [row["kind"] for row in self.gateway.rows(query, *key)]


def test_a_forged_webhook_asks_nothing_and_a_true_one_asks(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    reference = operators.reference(payout)
    told = provider.settle(reference)
    for forged in provider.forged(told):
        assert provider.tell(operators.gateway, forged) == 401
    assert not operators.hastened(payout)
    assert provider.tell(operators.gateway, told) == 200
    assert operators.becomes(payout, "done")["utr"] == provider.payout(reference).utr
    assert operators.hastened(payout)


def test_webhooks_that_come_twice_and_in_another_order_book_once(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    reference, gateway = operators.reference(payout), operators.gateway
    paid = provider.settle(reference)
    assert [provider.tell(gateway, paid) for _ in range(4)] == [200] * 4
    operators.becomes(payout, "done")
    back = provider.reverse(reference)
    for webhook in (paid, back, paid, back, paid):
        assert provider.tell(gateway, webhook) == 200
    shown = operators.becomes(payout, "reversed")
    assert [each["state"] for each in shown["events"]][-3:] == ["processing", "done", "reversed"]
    kinds = ["payout_sent", "payout_done", "payout_reversed", *provider.fee]
    assert sorted(operators.posted(payout)) == sorted(kinds)
    assert [each["kind"] for each in shown["fees"]] == provider.fee
    assert provider.times(reference) == 1


def test_a_payout_that_comes_back_before_any_webhook_is_returned(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    reference, gateway = operators.reference(payout), operators.gateway
    paid = provider.settle(reference)
    back = provider.reverse(reference)
    for webhook in (back, paid, back):
        assert provider.tell(gateway, webhook) == 200
    operators.becomes(payout, "returned")
    assert operators.posted(payout) == ["payout_sent", "payout_returned"]


def test_a_webhook_of_another_provider_or_about_another_merchant_asks_nothing(
    operators: Payers,
    neighbours: Payers,
    provider: PayoutProvider,
    other: PayoutProvider,
    browser: Browser,
) -> None:
    gateway = operators.gateway
    theirs, ours = neighbours.send(other, browser), operators.send(provider, browser)
    reference = operators.reference(ours)
    told = provider.settle(reference)
    number = reference.partition("-")[2]
    names = (
        neighbours.reference(theirs),
        f"{neighbours.merchant_id}-{number}",
        "999999-P215000000000001",
    )
    for name in names:
        assert provider.tell(gateway, provider.about(told, reference, name)) == 200
    assert not neighbours.hastened(theirs)
    assert not operators.hastened(ours)
    assert provider.tell(gateway, told) == 200
    operators.becomes(ours, "done")
    assert neighbours.show(theirs)["state"] == "processing"


def test_a_provider_that_names_another_amount_settles_nothing(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    reference = operators.reference(payout)
    told = provider.settle(reference)

    def one_more(said: Document) -> Document:
        key = "amount" if provider.name == "south" else "transfer_amount"
        return said | {key: said[key] + 1}

    provider.call = provider.call or f"GET /v1/payouts/{provider.payout(reference).id}"
    provider.says(one_more)
    assert provider.tell(operators.gateway, told) == 200
    more = 1 if provider.name == "south" else 100
    operators.doubted(payout, f"the bank speaks of {payout['amount_paise'] + more} INR")
    assert operators.posted(payout) == ["payout_sent"]
    assert provider.tell(operators.gateway, told) == 200
    operators.becomes(payout, "done")
    assert provider.times(reference) == 1


def test_a_utr_of_another_payout_settles_nothing(
    operators: Payers, neighbours: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    first, second = neighbours.send(provider, browser), operators.send(provider, browser)
    told = provider.settle(neighbours.reference(first))
    assert provider.tell(operators.gateway, told) == 200
    utr = neighbours.becomes(first, "done")["utr"]
    told = provider.settle(operators.reference(second), utr)
    assert provider.tell(operators.gateway, told) == 200
    operators.doubted(second, f"the bank names the UTR of {neighbours.reference(first)}")
    assert operators.posted(second) == ["payout_sent"]
    provider.utr(operators.reference(second), f"{utr}9")
    assert provider.tell(operators.gateway, told) == 200
    assert operators.becomes(second, "done")["utr"] == f"{utr}9"
    assert operators.posted(second)[:2] == ["payout_sent", "payout_done"]


def test_an_account_that_was_closed_meanwhile_is_owed_again(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    told = provider.fail(operators.reference(payout), provider.closed)
    assert provider.tell(operators.gateway, told) == 200
    refused = operators.becomes(payout, "refused")
    assert refused["code"] == provider.closed
    assert operators.posted(payout) == ["payout_sent", "payout_returned"]
    again = operators.operate(
        "payout", "retry", operators.merchant_id, payout["payout_id"], "--as", "Meera"
    )
    assert (again["share_id"], again["try_no"]) == (payout["share_id"], 2)


def test_fees_are_summed_as_an_invoice_has_them(
    operators: Payers, provider: PayoutProvider, browser: Browser
) -> None:
    payout = operators.send(provider, browser)
    told = provider.settle(operators.reference(payout))
    assert provider.tell(operators.gateway, told) == 200
    operators.becomes(payout, "done")
    days = ("2026-01-01", "2026-12-31")
    listed = {each["provider"]: each for each in operators.operate("payout", "fees", *days)}
    paid = operators.gateway.value(
        "SELECT count(*) FROM payout_fees WHERE connector = $1 AND kind = 'payout_fee'",
        provider.name,
    )
    each_paise, tax_paise = (590, 90) if provider.name == "south" else (118, 18)
    line = listed[provider.name]
    assert (line["payouts"], line["fee_paise"], line["tax_paise"]) == (
        paid,
        paid * each_paise,
        paid * tax_paise,
    )
