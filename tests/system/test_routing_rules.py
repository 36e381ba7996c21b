"""Rules of hour, weekday, cost, bank and weight between two acquirers, and their health."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from hundi.infra.postgres.database import open_database
from hundi.infra.secrets.vault import known_keys
from hundi.infra.settings import load_settings
from hundi.kernel.clock import ist, utc_now
from hundi.payments.routing import store
from hundi.payments.routing.actions import OPERATOR
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.bending_proxy import BendingProxy, respond
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import RUPAY, VISA, Shop, enter_card, new_order_id, settled

NORTH, BANK = "north", "sandbox"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
INSIDE, OUTSIDE, TODAY, OTHER_DAYS, CHEAP, SHARED, HURT = (
    "HDFC",
    "ICIC",
    "SBIN",
    "UTIB",
    "KKBK",
    "YESB",
    "PUNB",
)
"""The bank that a customer chooses is what chooses the rule."""
DRAWN = 40
SMALL, LARGE = 50_000, 149_950
"""Below and above the amount at which the one acquirer's fixed cost is what the other's part of it
is.
"""
TO_NORTH = {"use": [{"acquirer": NORTH}], "then": [BANK]}
EITHER = {"use": [{"acquirer": BANK}, {"acquirer": NORTH}]}
COSTS = [
    {"acquirer": NORTH, "channel": "nb", "fixed_paise": 1_500},
    {"acquirer": BANK, "channel": "nb", "basis_points": 200},
    {"acquirer": NORTH, "channel": "pg", "basis_points": 100},
    {"acquirer": BANK, "channel": "pg", "basis_points": 180},
    {"acquirer": BANK, "channel": "pg", "network": "RuPay"},
]


def plan_at(now: datetime) -> dict[str, Any]:
    """Return a plan whose rules of hour and weekday hold now, or not, for an hour at least."""
    hour, day = ist(now).hour, ist(now).weekday()
    first, end = (hour - 1) % 24, (hour + 3) % 24
    midnight = 24  # the hour that a range ends with, where it ends at the day's end
    today = [DAYS[day], DAYS[(day + 1) % 7]]

    def of_bank(name: str, bank: str, more: dict[str, Any], **when: object) -> dict[str, Any]:
        return {"name": name, "when": {"channels": ["nb"], "banks": [bank], **when}, **more}

    return {
        "rules": [
            of_bank("these-hours", INSIDE, TO_NORTH, hours=[first, end or midnight]),
            of_bank("other-hours", OUTSIDE, TO_NORTH, hours=[end, first or midnight]),
            of_bank("today", TODAY, TO_NORTH, weekdays=today),
            of_bank(
                "other-days",
                OTHER_DAYS,
                TO_NORTH,
                weekdays=[each for each in DAYS if each not in today],
            ),
            of_bank("cheapest", CHEAP, {**EITHER, "prefer": "cost"}),
            of_bank(
                "shared", SHARED, {"use": [{"acquirer": NORTH, "weight": 3}, {"acquirer": BANK}]}
            ),
            of_bank("hurt", HURT, TO_NORTH),
            {"name": "cards", "when": {"channels": ["pg"]}, **EITHER, "prefer": "cost"},
        ],
        "costs": COSTS,
    }


class NorthBank(BendingProxy):
    """Another acquirer, which has its books at the simulated bank.

    When it is full, it turns every call away.
    """

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    def forward(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        if self.full:
            respond(request, b"", 429)
        else:
            super().forward(request, body)


@pytest.fixture(scope="module")
def north() -> Iterator[NorthBank]:
    with NorthBank() as running:
        yield running


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plan") / "plan.json"
    file.write_text(json.dumps(plan_at(datetime.now(UTC))))
    return file


@pytest.fixture(scope="module")
def fork(new_folder: NewFolder, north: NorthBank, plan: Path) -> Iterator[RunningGateway]:
    """A gateway with the simulated bank, an account at another acquirer, and a plan for both."""
    with RunningGateway(new_folder("rules")) as running:
        north.target = running.simbank_url
        fields = {"url": north.url, "key": running.acquirer_key}
        running.operate("acquirer", "add", NORTH, "sandbox", text=json.dumps(fields))
        assert running.operate("route", "set", str(plan)) == {
            "version": 1,
            "rules": 8,
            "warnings": 0,
        }
        yield running
        assert running.operate("audit", "--without-acquirer", NORTH)["holds"]


@pytest.fixture(scope="module")
def mall(fork: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    for shop in open_shop(fork, server, "rules", channels="pg_nb"):
        until(lambda: chosen(shop, TODAY)[0] == NORTH, "the account to be taken up", every_s=0.5)
        yield shop


def chosen(shop: Shop, bank: str, paise: int = LARGE) -> tuple[str, str]:
    """Send a customer to a bank, and return the acquirer and the rule that chose it."""
    order_id = new_order_id()
    with Browser() as browser:
        go(browser, shop.open_page(browser, order_id, paise), NB, bank)
    return told(shop, order_id)


def by_card(shop: Shop, browser: Browser, number: str = VISA) -> tuple[str, str]:
    """Type a card, and return at which acquirer and by which rule it is charged."""
    order_id = new_order_id()
    enter_card(browser, shop.open_page(browser, order_id), number)
    return told(shop, order_id)


def told(shop: Shop, order_id: str) -> tuple[str, str]:
    """Return the acquirer and the rule of an order's only attempt."""
    story = shop.gateway.operate("payment", "show", shop.merchant.merchant_id, order_id)
    (attempt,) = shop.attempts(order_id)
    rules = [each["rule"] for each in story["routing"]]
    assert [each["acquirer"] for each in story["routing"]] in ([], [attempt["connector"]])
    return attempt["connector"], rules[0] if rules else ""


@pytest.mark.parametrize(
    ("bank", "at"),
    [
        (INSIDE, (NORTH, "these-hours")),
        (OUTSIDE, (BANK, "")),
        (TODAY, (NORTH, "today")),
        (OTHER_DAYS, (BANK, "")),
        ("BARB", (BANK, "")),
    ],
)
def test_bank_hour_and_weekday_decide(mall: Shop, bank: str, at: tuple[str, str]) -> None:
    assert chosen(mall, bank) == at


@pytest.mark.parametrize(("paise", "at"), [(SMALL, BANK), (LARGE, NORTH)])
def test_the_cheaper_one_for_the_amount_takes_it(mall: Shop, paise: int, at: str) -> None:
    assert chosen(mall, CHEAP, paise) == (at, "cheapest")


@pytest.mark.parametrize(("number", "at"), [(VISA, NORTH), (RUPAY, BANK)])
def test_the_cheaper_one_for_a_cards_network_takes_it(
    mall: Shop, browser: Browser, number: str, at: str
) -> None:
    assert by_card(mall, browser, number) == (at, "cards")


def test_weights_share_attempts_out_and_a_dry_run_shares_them_out_alike(
    fork: RunningGateway, mall: Shop, plan: Path
) -> None:
    shares = Counter(chosen(mall, SHARED)[0] for _ in range(DRAWN))
    # Three of four: further from it are less than one run in a thousand.
    assert shares[NORTH] + shares[BANK] == DRAWN
    assert DRAWN / 2 <= shares[NORTH] < DRAWN
    again = fork.operate("route", "try", str(plan), "--days", "1")
    by_rule = {each["rule"]: each["attempts"] for each in again["rules"]}
    assert by_rule["shared"] == DRAWN
    # Those that were made before the account was known to every process.
    early = fork.value(
        "SELECT count(*) FROM attempts WHERE bank = $1 AND connector = $2", TODAY, BANK
    )
    assert again["elsewhere"] == early, "each draw is the same again"


def test_a_dry_run_warns_of_what_setting_warns_of(fork: RunningGateway, tmp_path: Path) -> None:
    file = tmp_path / "uncosted.json"
    file.write_text(json.dumps({"rules": plan_at(datetime.now(UTC))["rules"]}))
    tried = fork.invoke("route", "try", str(file))
    assert tried.exit_code == 0
    assert "warning no_cost: cheapest, prefer: no cost of sandbox is known for nb" in tried.output


def test_attempts_that_come_to_nothing_move_the_next_ones_away(
    fork: RunningGateway, mall: Shop, north: NorthBank
) -> None:
    for _ in range(3):
        order_id = new_order_id()
        with Browser() as browser:
            settled(
                browser,
                pay_there(browser, go(browser, mall.open_page(browser, order_id), NB, HURT), NB),
            )
        assert mall.becomes(order_id, 200).is_paid
        assert told(mall, order_id) == (NORTH, "hurt")
    north.full = True
    orders, stories = list[str](), list[dict[str, Any]]()

    def moved() -> bool:
        orders.append(new_order_id())
        with Browser() as browser:
            go(browser, mall.open_page(browser, orders[-1]), NB, HURT)
        stories.append(fork.operate("payment", "show", mall.merchant.merchant_id, orders[-1]))
        return [each["acquirer"] for each in stories[-1]["routing"]] == [BANK]

    until(moved, "an attempt that goes to the other acquirer at once", every_s=0.1)
    # Until then each was turned away, and went on to the other one, where the customer is now.
    for order_id in orders[:-1]:
        assert [each["connector"] for each in mall.attempts(order_id)] == [NORTH, BANK]
    assert len(orders) > 2, "two of five are too many, one of four are too few to tell"
    failed = len(orders) - 1
    told_so = {
        f"{NORTH}: {n} of its last {n + 3} attempts came to nothing" for n in range(2, failed + 1)
    }
    assert stories[-1]["routing"][0]["passed"] in told_so
    where = Counter(_path(mall) for _ in range(20))
    assert set(where) <= {(BANK,), (NORTH, BANK)}
    # One in 20 goes there nevertheless: more than five of 20 are less than one run in a thousand.
    assert where[NORTH, BANK] <= 5
    north.full = False


def _path(shop: Shop) -> tuple[str, ...]:
    order_id = new_order_id()
    with Browser() as browser:
        go(browser, shop.open_page(browser, order_id), NB, HURT)
    return tuple(each["connector"] for each in shop.attempts(order_id))


async def published_elsewhere(gateway: RunningGateway, document: str) -> None:
    """Write a plan as a release published it that knew a condition which this one does not."""
    now = utc_now()
    db = await open_database(gateway.database_url(), pool_size=1)
    try:
        async with db.transaction() as conn:
            await store.insert_plan(conn, 2, document, "asha", now)
            digest = sha256(document.encode()).hexdigest()
            who = Who(0, "asha", known_keys(load_settings(data_dir=str(gateway.data_dir))))
            await trail.record(
                conn, OPERATOR, who, "routing.publish", 2, now, rules=1, sha256=digest
            )
    finally:
        await db.close()


def test_a_plan_that_this_release_cannot_read_leaves_the_configured_order(
    fork: RunningGateway, mall: Shop, browser: Browser
) -> None:
    assert by_card(mall, browser) == (NORTH, "cards")
    document = 'rules = [{name = "moon", use = [{acquirer = "north"}], when = {moon = "full"}}]'
    asyncio.run(published_elsewhere(fork, document))
    fork.rows("NOTIFY hundi_routing_plans, ''")
    until(lambda: by_card(mall, browser) == (BANK, ""), "the configured order", every_s=0.2)
    assert "routing_plan_not_read" in fork.logged()
    assert "the configured order counts" in fork.invoke("route", "show").output
