"""What leaves by each provider, as the operator's pages of acquirers tell it."""

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_payouts import GOOD, Operators
from tests.system.test_subscriptions import approved

PROVIDER = "sandbox"
PLAN = """
[[rules]]
name = "by-the-simulator"
use = [{ acquirer = "sandbox" }]
"""
ASK_NO_MORE = "UPDATE schedules SET due_at = '2099-01-01' WHERE name = 'read_payout_balances'"
"""The worker would put the provider's own words in place of the next."""
BALANCE = """
INSERT INTO payout_balances VALUES ($1, 5000000, 100, now() - $2 * interval '1 minute',
    now() - $2 * interval '1 minute')
ON CONFLICT (connector) DO UPDATE SET left_paise = excluded.left_paise,
    counted_at = excluded.counted_at, read_at = excluded.read_at
"""


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone, whose payouts are counted."""
    with RunningGateway(new_folder("acquirer_money")) as running:
        yield running


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.75") as browser:
        yield browser


@pytest.fixture
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "payee")


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_payouts_balances_and_checks_are_told_by_provider(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    operators = Operators(shop)
    operators.add_account(GOOD)
    with Browser() as browser:
        operators.settle(browser)
    payout = operators.waits_for("prepared")
    own = f"all/acquirers/{PROVIDER}"
    waiting = r"Not chosen yet chosen when they leave Prepared 1 \(₹[0-9,.]+\)"
    assert re.search(waiting, words_of(operator.get("all/acquirers").text))
    for page in ("all/acquirers", own):
        assert "Name confirmed 1" in operator.get(page).text
    told = operator.get(own).text
    assert "Prepared" not in words_of(told), "another provider may get it"
    assert "Payouts Pays out, Tells balance, Checks accounts" in words_of(told)
    assert "Mandates" not in words_of(operator.get("all/acquirers").text).partition("Money out")[2]
    assert payout["payout_id"] not in operator.get(f"{own}/payouts", state="prepared").text
    assert "None." in operator.get(f"{own}/payouts", state="done").text
    for wrong in ("", "paid", "'"):
        assert operator.get(f"{own}/payouts", state=wrong).status_code == 409
    operators.release(payout)
    operators.waits_for("done")
    assert re.search(r"Done 1 \(₹[0-9,.]+\)</a>", operator.get(own).text)
    utr = operators.payouts("done")[0]["utr"]
    assert utr in operator.get(f"{own}/payouts", state="done").text


def test_a_balance_is_told_with_its_age_and_what_waits_for_it(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    gateway.rows(ASK_NO_MORE)
    gateway.rows(BALANCE, PROVIDER, 20)
    told = words_of(operator.get(f"all/acquirers/{PROVIDER}").text)
    assert "₹1.00 told" in told
    assert "asked 20 min ago: too old to decide" in told
    assert "after 15 minutes decides nothing" in told
    gateway.rows(BALANCE, PROVIDER, 1)
    operators = Operators(shop)
    operators.add_account(GOOD)
    with Browser() as browser:
        operators.settle(browser)
    payout = operators.waits_for("prepared")
    gateway.rows(BALANCE, PROVIDER, 1)  # making the payment may have taken minutes
    operators.release(payout)
    operators.waits_for("awaiting_balance")
    told = words_of(operator.get("all/acquirers").text)
    assert re.search(r"₹[0-9,.]+ waits to leave, its provider not chosen yet ₹[0-9,.]+ short", told)
    assert re.search(r"Awaiting balance 1 \(₹[0-9,.]+\)", told)


def test_rules_of_payouts_that_name_a_provider_are_listed(
    gateway: RunningGateway, operator: Console
) -> None:
    assert "Rules of payouts" not in operator.get(f"all/acquirers/{PROVIDER}").text
    (file := gateway.data_dir / "payouts.toml").write_text(PLAN)
    gateway.operate("payout", "plan", "set", str(file), "--by", "asha")
    told = words_of(operator.get(f"all/acquirers/{PROVIDER}").text)
    assert "Rules of payouts that name it by-the-simulator" in told


def test_mandates_are_told_by_standing(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    assert "Mandates by standing" not in operator.get("all/acquirers").text
    with httpx.Client(trust_env=False, timeout=30) as http:
        number = int(approved(Sender(gateway.base_url, http), shop)["ap_transactionid"])
    assert "sandbox Active 1" in words_of(operator.get("all/acquirers").text)
    assert re.search(r"Mandates Active 1", words_of(operator.get(f"all/acquirers/{PROVIDER}").text))
    gateway.operate("subscription", "cancel", str(shop.merchant.number), str(number))
