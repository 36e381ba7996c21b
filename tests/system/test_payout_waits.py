"""Payouts that no provider may carry, at a running gateway: seen, taken back, sent otherwise."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.payout_providers import south
from tests.system.running import RunningGateway
from tests.system.test_console_acquirer_money import words_of
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_payouts import GOOD, Operators

WHY = "rule by-rtgs: no provider carries the amount over rtgs"
BY_RTGS = """
[[rules]]
name = "by-rtgs"
use = [{ acquirer = "sandbox" }]
rails = ["rtgs"]
"""
CHECKS_ALONE = {
    "environment": "sandbox",
    "client_id": "client",
    "client_secret": "secret of a client",
    "product_instance_id": "product",
    "check_cost_paise": 100,
}
"""The fields of an account that checks bank accounts, and pays nothing out."""
NEVER = f"{BY_RTGS}when = {{ up_to_paise = 100000 }}\n"


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone, with plans of its own."""
    with RunningGateway(new_folder("payout_waits")) as running:
        yield running


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.77") as browser:
        yield browser


@pytest.fixture
def operators(gateway: RunningGateway, server: MerchantServer) -> Iterator[Operators]:
    for shop in open_shop(gateway, server, "payee"):
        people = Operators(shop)
        people.add_account(GOOD)
        yield people


def plan_of(gateway: RunningGateway, document: str) -> Path:
    (file := gateway.data_dir / "payouts.toml").write_text(document)
    return file


def waiting(gateway: RunningGateway) -> float:
    text = httpx.get(f"{gateway.base_url}/metrics", trust_env=False).text
    name = "hundi_payouts_awaiting_provider "
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name))


def shown(operators: Operators, payout: dict[str, Any]) -> dict[str, Any]:
    return operators.operate("payout", "show", operators.merchant_id, payout["payout_id"])


def test_a_rule_by_which_nothing_can_leave_is_refused(gateway: RunningGateway) -> None:
    ended = gateway.invoke(
        "payout", "plan", "set", str(plan_of(gateway, NEVER)), "--by", "asha", "--json"
    )
    assert ended.exit_code == 2
    (fault,) = json.loads(ended.stdout)
    assert (fault["code"], fault["rule"], fault["field"]) == ("carries_nothing", "by-rtgs", "rails")


def test_what_no_provider_carries_is_seen_and_leaves_in_a_file(
    gateway: RunningGateway, operators: Operators, operator: Console
) -> None:
    gateway.operate("payout", "plan", "set", str(plan_of(gateway, BY_RTGS)), "--by", "asha")
    gateway.kill_part("worker")  # the next one knows the plan at its start
    with Browser() as browser:
        operators.settle(browser)
    payout = operators.waits_for("prepared")
    assert payout["provider"] == "", "it is chosen when it leaves"
    operators.release(payout)
    operators.waits_for("awaiting_provider")
    assert shown(operators, payout)["events"][-1]["note"] == WHY
    page = words_of(operator.get("all/across/payouts").text)
    assert f"Awaiting provider {WHY} not chosen yet" in page
    assert "Not chosen yet" in words_of(operator.get("all/acquirers").text)
    assert waiting(gateway) == 1
    merchant, number = operators.merchant_id, payout["payout_id"]
    address = f"all/across/payouts/{merchant}/{number}/cancel"
    place = {"seen_at": "all/across/payouts"}
    assert operator.post(address, **place, reason="").status_code == 409
    done = operator.post(address, **place, reason="it goes in a file")
    assert (done.status_code, done.headers["location"].endswith("payout_cancelled")) == (303, True)
    cancelled = shown(operators, payout)
    assert (cancelled["state"], cancelled["events"][-1]["note"]) == (
        "held_back",
        "cancelled: it goes in a file",
    )
    assert waiting(gateway) == 0
    assert operators.at_bank(payout) == []
    again = operators.operate("payout", "retry", merchant, number, "--by", "file", "--as", "Meera")
    assert (again["state"], again["by"], again["share_id"]) == (
        "proposed",
        "file",
        payout["share_id"],
    )
    entries = "SELECT act FROM trail_entries WHERE merchant_id = $1 AND about = $2"
    acts = [each["act"] for each in gateway.rows(entries, int(merchant), number)]
    assert acts.count("payout.cancel") == 1
    assert gateway.audit()["holds"]


def test_a_plan_that_cannot_be_read_stops_payouts_until_another_is_set(
    gateway: RunningGateway, operators: Operators
) -> None:
    gateway.rows(
        "INSERT INTO payout_plans SELECT max(version) + 1, 'rules = 1', 'asha', now()"
        " FROM payout_plans"
    )
    gateway.kill_part("worker")
    with Browser() as browser:
        operators.settle(browser)
    payout = operators.waits_for("prepared")
    operators.release(payout)
    operators.waits_for("awaiting_provider")
    assert "cannot be read: rules: " in shown(operators, payout)["events"][-1]["note"]
    assert operators.at_bank(payout) == []
    document = BY_RTGS.replace('["rtgs"]', '["imps"]')
    gateway.operate("payout", "plan", "set", str(plan_of(gateway, document)), "--by", "asha")
    gateway.rows("UPDATE payouts SET due_at = now() WHERE state = 'awaiting_provider'")
    gateway.kill_part("worker")
    done = operators.waits_for("done")
    assert (done["payout_id"], done["provider"]) == (payout["payout_id"], "sandbox")
    key = (operators.merchant_id, payout["payout_id"])
    late = gateway.invoke("payout", "cancel", *key, "--reason", "too late", "--as", "Meera")
    assert late.exit_code == 2


def test_an_account_of_one_merchant_pays_out_for_it_alone(
    gateway: RunningGateway, operators: Operators, server: MerchantServer
) -> None:
    gateway.operate("payout", "plan", "set", str(plan_of(gateway, "rules = []")), "--by", "asha")
    mine = ("--merchant", operators.merchant_id, "--paid-to", "operator")
    with south(gateway, *mine) as own:
        gateway.kill_part("worker")  # the next one knows account and plan at its start
        for shop in open_shop(gateway, server, "neighbour"):
            neighbour = Operators(shop)
            neighbour.add_account(GOOD)
            with Browser() as browser:
                for each in (operators, neighbour):
                    each.settle(browser)
            for each in (operators, neighbour):
                each.release(each.waits_for("prepared"))
            sent = operators.waits_for("processing")
            assert sent["provider"] == "south", shown(operators, sent)["events"]
            assert own.times(f"{operators.merchant_id}-P{sent['payout_id']}") == 1
            assert neighbour.waits_for("done")["provider"] == "sandbox"


def test_a_rule_names_acquirers_that_pay_out(gateway: RunningGateway) -> None:
    acquirer(gateway, "add", "names_alone", "setu", fields=CHECKS_ALONE)
    document = BY_RTGS.replace("sandbox", "names_alone")
    ended = gateway.invoke(
        "payout", "plan", "set", str(plan_of(gateway, document)), "--by", "asha", "--json"
    )
    assert ended.exit_code == 2
    (fault,) = json.loads(ended.stdout)
    assert (fault["code"], fault["rule"], fault["field"]) == ("unknown_value", "by-rtgs", "use")
    received, allowed = fault["words"].split("; allowed: ")
    assert received == "received names_alone"
    assert "sandbox" in allowed.split(", ")
    assert "names_alone" not in allowed.split(", ")
