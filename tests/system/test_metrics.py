"""One page of metrics for every process of a machine, and who may read it."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from hundi.instruments.methods import METHODS
from tests.system.browser import Browser
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card

DECLINED = "4000000000009995"
OUTCOMES = ("approved", "declined", "redirect")

pytestmark = pytest.mark.usefixtures("books_hold")


def samples(text: str) -> list[tuple[str, dict[str, str], float]]:
    """Return the samples of a page of metrics: name, labels, value."""
    families = text_string_to_metric_families(text)
    return [(each.name, each.labels, each.value) for family in families for each in family.samples]


def counted(gateway: RunningGateway, name: str, **labels: str) -> float:
    """Return the sum of a metric's samples that have these labels."""
    page = samples(httpx.get(gateway.base_url + "/metrics", trust_env=False).text)
    return sum(value for each, has, value in page if each == name and labels.items() <= has.items())


def labelled(gateway: RunningGateway, name: str) -> list[dict[str, str]]:
    """Return the labels of a metric's samples."""
    page = samples(httpx.get(gateway.base_url + "/metrics", trust_env=False).text)
    return [has for each, has, _ in page if each == name]


def test_one_page_counts_what_every_process_did(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """A payment is opened at the gateway, paid at the bank, and announced to the shop."""
    endpoints = ("payment", "verify")
    before = [counted(gateway, "hundi_request_seconds_count", endpoint=each) for each in endpoints]
    answered = {"acquirer": gateway.simbank_url, "outcome": "answered"}
    bank = counted(gateway, "hundi_bank_call_seconds_count", **answered)
    told = counted(gateway, "hundi_work_seconds_count")
    screen = shop.open_page(browser, order_id := new_order_id())
    assert pay_card(browser, screen).at == "result"
    assert shop.hears_event(order_id, "paid").transaction.is_paid
    assert shop.verify(order_id).is_paid
    after = [counted(gateway, "hundi_request_seconds_count", endpoint=each) for each in endpoints]
    assert all(now > then for now, then in zip(after, before, strict=True))
    assert counted(gateway, "hundi_bank_call_seconds_count", **answered) > bank
    until(
        lambda: counted(gateway, "hundi_work_seconds_count", work="deliveries", outcome="done") > 0,
        "worker's count",
    )
    assert counted(gateway, "hundi_work_seconds_count") > told
    assert 0 <= counted(gateway, "hundi_overdue_seconds") < 3600


def test_each_acquirer_is_counted_by_its_name(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """One card is declined, and one pays."""
    # Other tests add accounts at acquirers; who has no account of its own pays at the first.
    names = {has["acquirer"] for has in labelled(gateway, "hundi_acquirer_reachable")}
    assert "sandbox" in names
    known = {"acquirer": "sandbox"}
    calls = {
        outcome: counted(gateway, "hundi_acquirer_calls_total", **known, outcome=outcome)
        for outcome in OUTCOMES
    }
    timed = counted(gateway, "hundi_acquirer_call_seconds_count", **known)
    paid, failed = (
        counted(gateway, "hundi_attempts_total", **known, state=each) for each in ("paid", "failed")
    )
    pay_card(browser, shop.open_page(browser, new_order_id()), number=DECLINED)
    assert pay_card(browser, shop.open_page(browser, new_order_id())).at == "result"
    until(
        lambda: counted(gateway, "hundi_attempts_total", **known, state="paid") > paid,
        "a paid attempt",
    )
    until(
        lambda: counted(gateway, "hundi_attempts_total", **known, state="failed") > failed,
        "a failed attempt",
    )
    for outcome in OUTCOMES:
        assert (
            counted(gateway, "hundi_acquirer_calls_total", **known, outcome=outcome)
            > calls[outcome]
        ), outcome
    assert counted(gateway, "hundi_acquirer_call_seconds_count", **known) > timed
    assert counted(gateway, "hundi_acquirer_reachable", **known) == 1
    methods = {has["method"] for has in labelled(gateway, "hundi_attempts_total")}
    assert methods <= set(METHODS)


def test_metrics_on_a_port_of_their_own_are_nowhere_else(new_folder: Callable[[str], Path]) -> None:
    port = free_port()
    with RunningGateway(new_folder("counted"), HUNDI_METRICS_PORT=str(port)) as gateway:
        address = f"http://127.0.0.1:{port}"
        text = httpx.get(address + "/metrics", trust_env=False).text
        parts = {
            labels["part"]: int(labels["pid"]) for name, labels, _ in samples(text) if "cpu" in name
        }
        assert set(parts) == {"api", "worker", "metrics"}
        assert httpx.get(gateway.base_url + "/metrics", trust_env=False).status_code == 404
        assert httpx.get(address + "/gateway/", trust_env=False).status_code == 404
        os.kill(parts["worker"], signal.SIGKILL)

        def workers() -> list[str]:
            seen = samples(httpx.get(address + "/metrics", trust_env=False).text)
            return [
                has["pid"]
                for name, has, _ in seen
                if name == "hundi_part_started_seconds" and has["part"] == "worker"
            ]

        until(
            lambda: len(found := workers()) == 1 and found != [str(parts["worker"])],
            "the new worker alone",
        )


def test_only_who_is_listed_finds_the_metrics(gateway: RunningGateway) -> None:
    """127.0.0.1 is a proxy of this gateway that is believed; 127.0.0.9 is none."""
    address = gateway.base_url + "/metrics"
    forwarded = {"x-forwarded-for": "203.0.113.9"}
    assert httpx.get(address, headers=forwarded, trust_env=False).status_code == 404
    assert (
        httpx.get(address, headers={"x-forwarded-for": "127.0.0.5"}, trust_env=False).status_code
        == 200
    )
    with httpx.Client(
        transport=httpx.HTTPTransport(local_address="127.0.0.9"), trust_env=False
    ) as neighbour:
        assert neighbour.get(address).status_code == 200
        assert neighbour.get(address, headers=forwarded).status_code == 404
