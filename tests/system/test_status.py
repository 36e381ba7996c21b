"""The status page of a running gateway: states, their past, what is said, what is never told."""

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from hundi.kernel.clock import INDIA
from hundi.status.history.rules import DAYS
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did, untold
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, enter_card, new_order_id
from tests.system.test_console_operator import READER
from tests.system.test_console_payments import OPERATOR, session_of

BANK = "acquirer-simulated-bank"
FLOOD = 400
READS = """
SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'status_names'
"""
"""How often the names were read: by nobody but the page."""
BACK_AFTER_S = 6 * 60
"""Then the attempts that failed show nothing any more."""


def read(gateway: RunningGateway, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{gateway.base_url}{path}", headers=headers, trust_env=False, timeout=30)


def told(gateway: RunningGateway) -> dict[str, Any]:
    return read(gateway, "/status.json").raise_for_status().json()


def states(gateway: RunningGateway) -> dict[str, str]:
    return {each["id"]: each["status"] for each in told(gateway)["components"]}


def becomes(gateway: RunningGateway, component: str, *wanted: str) -> str:
    """Wait until a component is in one of some states, and return it."""

    def look() -> str | None:
        state = states(gateway).get(component)
        return state if state in wanted else None

    return until(look, f"{component} to be {wanted}", every_s=1)


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.91") as browser:
        yield browser


@pytest.fixture
def shop(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(operated, server, "seen")


def test_everybody_reads_that_everything_works(operated: RunningGateway) -> None:
    for component in ("payments", "notifications", "settlements", "method-upi", BANK):
        becomes(operated, component, "operational")
    document = told(operated)
    assert document["status"] == {"indicator": "none", "description": "Everything works"}
    assert {len(each["days"]) for each in document["components"]} == {DAYS}
    assert document["components"][0]["days"][-1] == "operational"
    page = read(operated, "/status")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "public, max-age=15"
    assert "script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "set-cookie" not in page.headers
    assert "Everything works" in page.text
    document_headers = read(operated, "/status.json", origin="https://shop.example").headers
    assert document_headers["access-control-allow-origin"] == "*"
    assert read(operated, "/status/static/other.css").status_code == 404


def test_nothing_private_stands_there(operated: RunningGateway, shop: Shop) -> None:
    own = {"url": "http://127.0.0.1:9", "key": "k" * 40}
    whose = shop.merchant.merchant_id
    operated.operate(
        "acquirer",
        "add",
        "of_the_seen",
        "sandbox",
        *("--merchant", whose, "--paid-to", "operator"),
        text=json.dumps(own),
    )
    operated.operate("acquirer", "add", "secret_deal", "sandbox", text=json.dumps(own))
    until(lambda: f"{BANK}-2" in states(operated), "the second account of the brand", every_s=1)
    assert f"{BANK}-3" not in states(operated)
    for path in ("/status", "/status.json"):
        text = read(operated, path).text
        private = [
            *(row["name"] for row in operated.rows("SELECT name FROM merchants")),
            *(
                str(row["merchant_id"])
                for row in operated.rows("SELECT merchant_id FROM merchants")
            ),
            *("of_the_seen", "secret_deal", "sandbox", "₹", "paise"),
        ]
        assert [each for each in private if each in text] == [], path
    operated.operate("acquirer", "disable", "secret_deal")
    until(lambda: f"{BANK}-2" not in states(operated), "a disabled account to be gone", every_s=1)


def test_a_bank_in_trouble_turns_and_comes_back_and_the_times_are_kept(
    operated: RunningGateway, shop: Shop
) -> None:
    becomes(operated, BANK, "operational")
    operated.inject_faults(lose_request=1.0)
    try:
        for _ in range(6):
            with Browser() as customer:
                enter_card(customer, shop.open_page(customer, new_order_id("ST")))
        trouble = becomes(operated, BANK, "degraded_performance", "partial_outage", "major_outage")
        document = told(operated)
        assert document["status"]["description"].startswith("The gateway works; there is trouble")
        assert document["component_impacts"][0]["end_at"] is None
    finally:
        operated.inject_faults()
    answer = operated.bank.post("/control/clock", json={"advance_s": BACK_AFTER_S}, timeout=300)
    assert answer.status_code == 200
    becomes(operated, BANK, "operational")
    impacts = [each for each in told(operated)["component_impacts"] if each["component_id"] == BANK]
    assert {each["component_status"] for each in impacts} >= {trouble}
    assert all(each["start_at"] < each["end_at"] for each in impacts)
    (bank,) = (each for each in told(operated)["components"] if each["id"] == BANK)
    assert bank["days"][-1] != "operational"


def test_the_operator_announces_maintenance_and_ends_it(
    operated: RunningGateway, operator: Console
) -> None:
    begins = (datetime.now(INDIA) - timedelta(minutes=1)).strftime("%Y-%m-%d %H:%M")
    form = {"sentence": "Disks are <changed>.", "begins": begins, "minutes": "30"}
    announce = "all/verbs/status/maintenance"
    with untold(operated, "status.maintenance", 0):
        assert operator.post(announce, seen_at=announce, **form).status_code == 500
    assert operated.rows("SELECT FROM status_announcements") == []
    said = operator.post(announce, seen_at=announce, **form, component="settlements")
    assert "Disks are &lt;changed&gt;." in said.text
    becomes(operated, "settlements", "under_maintenance")
    page = until(lambda: _with(operated, "Disks are"), "the sentence", every_s=1)
    assert "Maintenance: Settlements and books" in page
    assert f"{begins[-5:]} IST <small>(" in page
    (planned,) = told(operated)["scheduled_maintenances"]
    assert (planned["status"], planned["components"]) == ("in_progress", ["settlements"])
    assert "Disks are" in operator.get("all/verbs/status/list", asked="1").text
    with session_of(operated, READER, "198.51.100.92") as reader:
        assert reader.get(announce).status_code == 404
    ended = operated.operate("status", "end", planned["id"])
    assert ended["kind"] == "maintenance"
    becomes(operated, "settlements", "operational")
    again = operated.invoke("status", "end", planned["id"])
    assert again.exit_code != 0
    assert "is left to end" in again.output
    assert did(operated, 0)[-2:] == ["status.maintenance", "status.end"]


def _with(gateway: RunningGateway, words: str) -> str | None:
    page = read(gateway, "/status").text
    return page if words in page else None


def test_an_incident_at_an_acquirer_stands_under_its_public_name(
    operated: RunningGateway,
) -> None:
    operated.operate("status", "name", "sandbox", "Coop & Sons")
    said = operated.operate(
        "status", "incident", "Cards of 4111111111111111 fail.", "--component", "sandbox"
    )
    assert "4111111111111111" not in said["sentence"]
    becomes(operated, "acquirer-coop-sons", "degraded_performance")
    page = until(lambda: _with(operated, "Incident, identified · Coop &amp; Sons"), "it", every_s=1)
    assert "4111111111111111" not in page
    operated.operate("status", "hide", "sandbox")
    until(lambda: "acquirer-coop-sons" not in states(operated), "it to be hidden", every_s=1)
    assert "Coop" not in read(operated, "/status").text
    assert operated.operate("status", "names") == [
        {"acquirer": "sandbox", "public_name": "(hidden)"}
    ]
    operated.operate("status", "end", said["announcement"])
    operated.operate("status", "name", "sandbox", "Simulated bank")
    for wrong in (
        ("name", "nobody", "Bank"),
        ("hide", "nobody"),
        ("incident", "Tea.", "--component", "nobody"),
        ("maintenance", "Tea.", "--begins", "tomorrow", "--minutes", "5"),
        ("maintenance", "Tea.", "--begins", "2020-01-01 00:00", "--minutes", "5"),
    ):
        assert operated.invoke("status", *wrong).exit_code != 0, wrong


def test_a_flood_of_readers_is_no_load(operated: RunningGateway) -> None:
    states(operated)
    before, began = operated.value(READS), time.monotonic()
    with httpx.Client(base_url=operated.base_url, trust_env=False, timeout=30) as reader:
        answers = [reader.get(("/status", "/status.json")[n % 2]) for n in range(FLOOD)]
    assert {each.status_code for each in answers} == {200}
    # The server adds up what its connections did a second later.
    time.sleep(2)
    reads = operated.value(READS) - before
    assert before > 0
    assert reads <= 2 + (time.monotonic() - began) / 15


def test_an_operator_has_no_page_if_none_is_wanted(new_folder: NewFolder) -> None:
    with RunningGateway(new_folder("silent"), HUNDI_STATUS_PAGE="off") as gateway:
        for path in ("/status", "/status.json", "/status/static/status.css"):
            assert read(gateway, path).status_code == 404
        assert gateway.value("SELECT count(*) FROM status_spells") == 0
