"""Workers that are killed while they pay out or take disputes in.

Nothing is paid twice, nothing is lost.
"""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import psutil
import pytest

from hundi.kernel.clock import ist
from tests.conftest import NewFolder
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, assert_settled, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_subscription_year import advance

DAYS, ORDERS_A_DAY = 5, 3
DAY_S = 86_400
KILLS = 4
LOST = {
    "seed": 11,
    "delay_ms": [50, 400],
    "lose_request": 0.15,
    "lose_reply": 0.25,
    "duplicate_callback": 0.3,
}


@pytest.fixture
def shop(
    request: pytest.FixtureRequest, new_folder: NewFolder, server: MerchantServer
) -> Iterator[Shop]:
    """A merchant with a bank account, at a gateway of its own whose clock can be moved."""
    with RunningGateway(
        new_folder(request.node.name[5:30]), HUNDI_SIMBANK_PENDING_SECONDS="1"
    ) as gateway:
        if ist(datetime.now(UTC)).hour >= 22:
            advance(gateway, timedelta(hours=4).total_seconds())
        for shop in open_shop(gateway, server, "payout-kills", multiple_partial_refunds="on"):
            who = str(shop.merchant.merchant_id)
            own = (
                "--holder",
                "Asha Stores",
                "--ifsc",
                "HDFC0000001",
                "--number",
                "50100012349999",
                "--as",
                "asha",
            )
            gateway.operate("bank-account", "add", who, *own)
            yield shop


def kill_while(gateway: RunningGateway, parts: tuple[str, ...], act: Callable[[], object]) -> int:
    """Act, kill the parts in turn meanwhile, and return how many processes were killed."""
    killed, draw = 0, Random(5)  # noqa: S311 (how long to wait)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act)
        for number in range(KILLS):
            time.sleep(draw.uniform(0.2, 1.2))
            victims = gateway.part(parts[number % len(parts)])
            for each in victims:
                try:
                    each.send_signal(signal.SIGKILL)
                except psutil.NoSuchProcess:
                    continue
                killed += 1
            if victims:
                until(partial(gateway.part, parts[number % len(parts)]), "another process")
        acting.result()
    return killed


def operate(shop: Shop, noun: str, *arguments: str) -> Any:
    return shop.gateway.operate(noun, *arguments)


def prepared(shop: Shop) -> list[dict[str, Any]]:
    """Return the payouts of some days' settlements, none of them released."""
    who = str(shop.merchant.merchant_id)
    for _ in range(DAYS):
        at_once(crowd := customers(shop, ORDERS_A_DAY, (BY_UPI, BY_CARD)))
        assert_settled(crowd)
        advance(shop.gateway, DAY_S)
    advance(shop.gateway, 3 * DAY_S)
    operate(shop, "settlement", "run", "--merchant", who)

    def found() -> list[dict[str, Any]]:
        listed = operate(shop, "payout", "list", "--merchant", who)
        owed = shop.gateway.value(
            "SELECT count(*) FROM settlement_shares WHERE merchant_id = $1", int(who)
        )
        return listed if len(listed) == owed >= 2 else []

    return until(found, "payouts of every share")


def test_workers_killed_while_they_pay_out_pay_nothing_twice(shop: Shop) -> None:
    gateway, who = shop.gateway, str(shop.merchant.merchant_id)
    payouts = prepared(shop)
    for each in payouts:
        operate(shop, "payout", "approve", who, each["payout_id"], "--as", "meera")
    gateway.inject_faults(**LOST)

    def release() -> None:
        for each in payouts:
            operate(shop, "payout", "approve", who, each["payout_id"], "--as", "chetan")

    killed = kill_while(gateway, ("worker",), release)
    gateway.inject_faults()
    assert killed >= KILLS // 2

    def all_done() -> bool:
        listed = operate(shop, "payout", "list", "--merchant", who)
        return Counter(each["state"] for each in listed) == {"done": len(payouts)}

    until(all_done, "every payout to be done", within_s=150, every_s=1.0)
    paid = [
        each
        for each in gateway.bank_entries()
        if each["kind"] == "payout" and each["state"] == "done"
    ]
    assert Counter(each["reference"] for each in paid) == {
        f"{who}-P{each['payout_id']}": 1 for each in payouts
    }
    shared = gateway.value(
        "SELECT sum(amount_paise)::bigint FROM settlement_shares WHERE merchant_id = $1", int(who)
    )
    assert sum(each["amount_paise"] for each in paid) == shared
    assert gateway.audit()["holds"]


def test_workers_killed_while_people_cancel_send_a_payout_or_never_do(shop: Shop) -> None:
    gateway, who = shop.gateway, str(shop.merchant.merchant_id)
    payouts = prepared(shop)
    for each in payouts:
        operate(shop, "payout", "approve", who, each["payout_id"], "--as", "meera")
    gateway.inject_faults(**LOST)

    def release_and_cancel() -> None:
        for each in payouts:
            operate(shop, "payout", "approve", who, each["payout_id"], "--as", "chetan")
            key = (who, each["payout_id"])
            gateway.invoke("payout", "cancel", *key, "--reason", "otherwise", "--as", "meera")

    assert kill_while(gateway, ("worker",), release_and_cancel)
    gateway.inject_faults()

    def ended() -> dict[str, str] | None:
        listed = operate(shop, "payout", "list", "--merchant", who)
        states = {each["payout_id"]: each["state"] for each in listed}
        return states if set(states.values()) <= {"done", "held_back"} else None

    states = until(ended, "every payout to be over", within_s=150, every_s=1.0)
    paid = Counter(
        each["reference"]
        for each in gateway.bank_entries()
        if each["kind"] == "payout" and each["state"] == "done"
    )
    assert paid == {f"{who}-P{each}": 1 for each, state in states.items() if state == "done"}
    owed = gateway.value("SELECT count(*) FROM shares_to_pay WHERE merchant_id = $1", int(who))
    assert owed == list(states.values()).count("held_back")
    assert gateway.audit()["holds"]


def test_processes_killed_while_disputes_come_in_lose_none_and_hold_each_once(shop: Shop) -> None:
    gateway, who = shop.gateway, str(shop.merchant.merchant_id)
    at_once(crowd := customers(shop, 8, (BY_UPI, BY_CARD)))
    assert_settled(crowd)
    attempts = gateway.rows(
        (
            "SELECT merchant_id || '-' || attempt_id AS reference FROM attempts WHERE merchant_id"
            " = $1 AND state = 'paid'"
        ),
        int(who),
    )
    references = [each["reference"] for each in attempts]

    def raise_all() -> None:
        for each in references:
            answer = gateway.bank.post(
                "/control/dispute", json={"reference": each, "reason": "10.4"}
            )
            assert answer.status_code == 200, answer.text
            time.sleep(0.4)

    assert kill_while(gateway, ("worker", "api"), raise_all)
    # Whatever callback met a dead process, the list of disputes tells of it: every ten minutes by
    # the gateway's clock.
    gateway.run_now("look_for_disputes")

    def opened() -> list[dict[str, Any]]:
        listed = operate(shop, "dispute", "list", who, "--state", "open")
        return listed if len(listed) == len(references) else []

    listed = until(opened, "every dispute", within_s=150, every_s=1.0)

    def accept_all() -> None:
        for each in listed:
            operate(shop, "dispute", "accept", who, each["dispute_id"])

    assert kill_while(gateway, ("worker",), accept_all)

    def ended() -> bool:
        return len(operate(shop, "dispute", "list", who, "--state", "accepted")) == len(references)

    until(ended, "every dispute to be over", within_s=300, every_s=1.0)
    taken = [
        each
        for each in gateway.bank_entries()
        if each["kind"] == "chargeback" and each["state"] == "done"
    ]
    assert Counter(each["reference"] for each in taken) == dict.fromkeys(references, 1)
    held = gateway.rows(
        (
            "SELECT kind, count(*) AS times FROM ledger_postings WHERE merchant_id = $1 AND kind"
            " LIKE 'dispute%' GROUP BY 1"
        ),
        int(who),
    )
    assert {each["kind"]: each["times"] for each in held} == dict.fromkeys(
        ("dispute_held", "dispute_lost"), len(references)
    )
    assert gateway.audit()["holds"]
