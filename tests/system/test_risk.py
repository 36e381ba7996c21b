"""Risk rules through the running gateway.

Card testing, rules that an operator publishes, and what the story tells.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hundi.instruments.card import luhn_holds
from hundi.sdk import Buyer, QrOrder
from hundi.sdk.errors import RefusedError
from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    ASHA,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
    settled,
)

TRIES_MAX = 20
"""Cards that somebody who tests them may get to the bank."""
BLOCKED = "This payment cannot be accepted."
WRONG_OTP = "000000"


@pytest.fixture(scope="module")
def guarded(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway with its own rules, behind a proxy that says where a customer comes from."""
    with RunningGateway(new_folder("guarded"), HUNDI_TRUSTED_PROXIES="127.0.0.0/8") as running:
        yield running
        running.audit()


@pytest.fixture
def shop(
    guarded: RunningGateway, server: MerchantServer, request: pytest.FixtureRequest
) -> Iterator[Shop]:
    """A merchant for each test: counts are of one merchant."""
    yield from open_shop(guarded, server, request.node.name[:40].replace("[", "-").replace("]", ""))


@pytest.fixture(scope="module")
def bazaar(guarded: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with more channels, and rules of its own."""
    yield from open_shop(guarded, server, "reviewed", channels="upi_pg_nb")


def numbers() -> Iterator[str]:
    """Yield different cards of the simulated bank."""
    for place in range(10**6):
        body = f"411111{place:09d}"
        yield next(body + last for last in "0123456789" if luhn_holds(body + last))


def buyer(number: int) -> Buyer:
    """Return one of many customers."""
    return Buyer(
        first_name="A", last_name="B", email=f"c{number}@example.in", phone=f"98{number:08d}"
    )


def try_card(browser: Browser, screen: Screen, number: str) -> Screen:
    """Try a card as somebody does who has its number and not its one-time passwords."""
    after = enter_card(browser, screen, number)
    return enter_otp(browser, after, WRONG_OTP) if "/3ds/" in after.path else after


def cards_at_bank(shop: Shop) -> int:
    """Return how many cards of a merchant got as far as the bank."""
    (row,) = shop.gateway.rows(
        (
            "SELECT count(DISTINCT risk -> 'seen' ->> 'card') AS cards FROM attempts WHERE"
            " merchant_id = $1 AND method = 'card'"
        ),
        shop.merchant.number,
    )
    return row["cards"]


def test_cards_are_not_tested_on_one_order(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    for number, _ in zip(numbers(), range(30), strict=False):
        after = try_card(browser, screen, number)
    assert BLOCKED in after.text
    assert "No money has left your account." in after.text
    assert 0 < cards_at_bank(shop) < TRIES_MAX
    assert "risk_blocked" in shop.events(order_id)
    assert "risk" not in after.text.lower()


@pytest.mark.parametrize("same", ["browser", "email", "phone"])
def test_cards_are_not_tested_on_many_orders(shop: Shop, same: str) -> None:
    for place, number in zip(range(30), numbers(), strict=False):
        who = buyer(place)
        if same != "browser":
            kept = {same: getattr(buyer(0), same)}
            who = Buyer(
                first_name="A", last_name="B", **({"email": who.email, "phone": who.phone} | kept)
            )
        address = "203.0.113.7" if same == "browser" else f"198.51.{place}.1"
        with Browser(**{"x-forwarded-for": address}) as browser:
            after = try_card(browser, shop.open_page(browser, new_order_id(), buyer=who), number)
    assert BLOCKED in after.text
    assert 0 < cards_at_bank(shop) < TRIES_MAX


def test_cards_are_not_tested_all_at_once(shop: Shop) -> None:
    """Before the bank has declined the first, the others are under way."""
    found = numbers()
    tries = [(place, next(found)) for place in range(40)]

    def one(tried: tuple[int, str]) -> str:
        place, number = tried
        with Browser(**{"x-forwarded-for": "203.0.113.7", "user-agent": f"Bot {place}"}) as browser:
            return try_card(
                browser, shop.open_page(browser, new_order_id(), buyer=buyer(place)), number
            ).text

    with ThreadPoolExecutor(12) as pool:
        shown = list(pool.map(one, tries))
    assert 0 < cards_at_bank(shop) < TRIES_MAX
    assert sum(BLOCKED in each for each in shown) > len(tries) - TRIES_MAX


def test_a_customer_who_mistypes_pays_in_the_end(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    for number in ("4000000000000002", "4000000000009995", "4111111111111111"):
        screen = pay_card(browser, screen, number)
    assert screen.at == "result"
    assert shop.verify(order_id).status_code == 200


def test_the_story_of_a_payment_says_which_rule_blocked_it(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    for number, _ in zip(numbers(), range(7), strict=False):
        try_card(browser, screen, number)
    story = shop.gateway.operate("payment", "show", shop.merchant.merchant_id, order_id)
    blocked = story["risk"][-1]
    assert (blocked["action"], blocked["rule"], blocked["rule_set"]) == (
        "block",
        "card-testing-order",
        "operator, version 0",
    )
    assert "cards by order within 1d at least 6 (it is" in blocked["because"]
    assert "risk_blocked" in [each["event"] for each in story["events"]]
    assert "411111" not in json.dumps(story).replace(shop.merchant.merchant_id, "")


# --- rules that an operator publishes ---


def publish(shop: Shop, tmp_path: Path, *rules: str) -> None:
    """Put rules of a merchant's own into force, by the operator's command."""
    file = tmp_path / "rules.toml"
    written = (
        "\n".join(f'[[rules]]\nname = "r{place}"\n{each}' for place, each in enumerate(rules))
        or "rules = []"
    )
    file.write_text(written, "utf-8")
    published = shop.gateway.operate(
        "risk", "publish", str(file), "--merchant", shop.merchant.merchant_id
    )
    assert published["version"] >= 1


HOLD = 'action = "hold"\nwhen = [{field = "amount_paise", above = 100000}]'


def review(shop: Shop, order_id: str, verb: str) -> dict[str, str]:
    (row,) = [
        each for each in shop.gateway.operate("review", "list") if each["orderid"] == order_id
    ]
    assert row["rule"] == "r0"
    transaction = row["ap_transactionid"]
    return shop.gateway.operate(
        "review", verb, shop.merchant.merchant_id, transaction, "--reason", "we called them"
    )


def paid(shop: Shop, browser: Browser, order_id: str, way: str) -> Screen:
    """Pay an order, by card, by QR or at a bank's own page, and return the last screen."""
    screen = shop.open_page(browser, order_id)
    if way == "card":
        return pay_card(browser, screen)
    if way == "qr":
        scan(shop.gateway, screen.upi_link)
        return settled(browser, screen) if screen.at == "waiting" else browser.get(screen.url)
    return settled(browser, pay_there(browser, go(browser, screen, NB), NB))


@pytest.mark.parametrize("way", ["card", "qr", "bank"])
def test_a_held_payment_is_told_and_released(
    bazaar: Shop, browser: Browser, tmp_path: Path, way: str
) -> None:
    publish(bazaar, tmp_path, HOLD)
    order_id = new_order_id()
    screen = paid(bazaar, browser, order_id, way)
    until(lambda: bazaar.verify(order_id).payment_status == "RISK", "the payment to be held")
    assert bazaar.verify(order_id).status_code == 211
    assert "is being checked" in browser.get(screen.url).text
    assert bazaar.hears_event(order_id, "under_review").transaction.payment_status == "RISK"
    assert review(bazaar, order_id, "release")["state"] == "paid"
    told = bazaar.becomes(order_id, 200)
    assert told.payment_status == "SUCCESS"
    assert bazaar.hears_event(order_id, "paid").transaction.status_code == 200


def test_a_rejected_payment_goes_back(bazaar: Shop, browser: Browser, tmp_path: Path) -> None:
    publish(bazaar, tmp_path, HOLD)
    order_id = new_order_id()
    screen = paid(bazaar, browser, order_id, "card")
    assert review(bazaar, order_id, "reject")["state"] == "failed"
    assert bazaar.becomes(order_id, 400).payment_status == "FAIL"
    bazaar.hears_event(order_id, "excess_refunded")
    assert bazaar.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]
    again = browser.get(screen.url)
    assert "goes back to where it came from" in again.text
    assert "No money has left your account" not in again.text


def test_published_rules_are_in_force_at_once_and_a_qr_is_not_offered(
    bazaar: Shop, browser: Browser, tmp_path: Path
) -> None:
    publish(bazaar, tmp_path, 'action = "block"\nwhen = [{field = "channel", is = "upi"}]')

    def without_qr() -> bool:
        return not bazaar.open_page(browser, new_order_id()).offers("/upi/app")

    until(without_qr, "the rules to be in force in every process")
    with pytest.raises(RefusedError) as refused:
        bazaar.client.generate_qr(
            QrOrder(order_id=new_order_id(), amount_paise=AMOUNT_PAISE, buyer=ASHA)
        )
    assert refused.value.code == "146"
    publish(bazaar, tmp_path)
    until(lambda: not without_qr(), "the rules to be gone")


def test_a_rule_set_is_tried_on_what_was_paid(
    bazaar: Shop, browser: Browser, tmp_path: Path
) -> None:
    publish(bazaar, tmp_path)
    order_id = new_order_id()
    assert paid(bazaar, browser, order_id, "card").at == "result"
    file = tmp_path / "draft.toml"
    file.write_text(
        '[[rules]]\nname = "all-cards"\naction = "block"\nwhen = [{field = "card_bin", is ='
        ' "411111"}]'
    )
    tried = bazaar.gateway.operate(
        "risk", "try", str(file), "--merchant", bazaar.merchant.merchant_id
    )
    assert tried["paid_and_would_be_blocked"] == tried["rules"][0]["paid"] >= 1
    assert order_id in tried["rules"][0]["orders"]
    assert bazaar.verify(order_id).status_code == 200


def test_a_rule_set_with_a_mistake_is_refused_with_its_place(
    guarded: RunningGateway, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(
        '[[rules]]\nname = "a"\naction = "block"\nwhen = [{field = "colour", is = "red"}]'
    )
    for verb, *more in (
        ("check",),
        ("publish", "--data-dir", guarded.data_dir),
        ("try", "--data-dir", guarded.data_dir),
    ):
        done = guarded.command("risk", verb, str(file), *map(str, more))
        assert done.returncode == 2
        assert "unknown_value: a, when[0].field" in done.stderr
