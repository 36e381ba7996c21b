"""The operator's pages of acquirers and routing.

How each does, switching one, plans by the person and the version seen.
"""

import json
import re
from collections.abc import Iterator

import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did, untold
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, scan
from tests.system.test_console_operator import OWNER, READER
from tests.system.test_console_payments import OPERATOR, SECOND, session_of

KEY, NOWHERE = "k" * 40, "http://127.0.0.1:9"
SPARE, OWN, LINKS = "spare", "own", "links"
FORM = "all/routing/new"
PLAN = """
note = "most at the bank"

[[rules]]
name = "large-cards"
use = [{ acquirer = "sandbox", weight = 75 }, { acquirer = "spare", weight = 25 }]

[rules.when]
channels = ["pg"]
networks = ["Visa"]
above_paise = 100000
hours = [22, 6]
weekdays = ["sun", "mon"]

[[rules]]
name = "all-upi"
when = { channels = ["upi"] }
use = [{ acquirer = "spare" }]
then = ["sandbox"]
prefer = "cost"

[[costs]]
acquirer = "spare"
channel = "upi"
fixed_paise = 125
"""
WRITTEN = {"document": PLAN, "seen": "0"}
STATE = "SELECT state FROM acquirer_accounts WHERE name = $1"


@pytest.fixture(scope="module")
def routed(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway with the simulated bank, and an account at an acquirer whom nobody reaches."""
    with RunningGateway(new_folder("acquirers")) as gateway:
        spare = {"url": NOWHERE, "key": KEY, "methods": ["upi_qr", "card"]}
        gateway.operate("acquirer", "add", SPARE, "sandbox", text=json.dumps(spare))
        links = {
            "mode": "test",
            "key_id": "rzp_test_south",
            "methods": ["upi_link"],
            "url": NOWHERE,
        }
        links |= {"key_secret": KEY, "webhook_secret": KEY}
        gateway.operate("acquirer", "add", LINKS, "razorpay", text=json.dumps(links))
        yield gateway


@pytest.fixture(scope="module")
def operator(routed: RunningGateway) -> Iterator[Console]:
    with session_of(routed, OPERATOR, "198.51.100.81") as browser:
        yield browser


@pytest.fixture(scope="module")
def shop(routed: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(routed, server, "acquired")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


def test_an_account_tells_its_facts_and_never_a_secret(
    routed: RunningGateway, operator: Console
) -> None:
    listed = operator.get("all/acquirers").text
    assert listed.index(">sandbox</a>") < listed.index(f">{SPARE}</a>"), (
        "those of the settings serve first"
    )
    page = operator.get(f"all/acquirers/{SPARE}").text
    for told in (
        NOWHERE,
        "upi_qr, card",
        f"{routed.base_url}/callbacks/{SPARE}",
        "a secret, shown to nobody",
    ):
        assert told in page
    assert "Fields: key, methods, url" in page, "its history is the trail's"
    of_settings = operator.get("all/acquirers/sandbox").text
    assert "The gateway's settings" in of_settings
    assert "/disable" not in of_settings, "what is in the settings is not switched here"
    for secret in (KEY, (routed.data_dir / "acquirer_key").read_text().strip()):
        assert secret not in listed + page + of_settings
    for unknown in ("nobody", "Sandbox", "a" * 40, "sandbox'--"):
        assert operator.get(f"all/acquirers/{unknown}").status_code == 404


def test_attempts_are_told_by_how_they_ended(
    routed: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(routed, shop.open_page(browser, order_id).upi_link)
    shop.becomes(order_id, 200)
    assert "UPI QR 1 of 1" in operator.get("all/acquirers").text
    own = {"url": NOWHERE, "key": KEY, "methods": ["card"]}
    whose = ("--merchant", str(shop.merchant.number), "--paid-to", "operator")
    routed.operate("acquirer", "add", OWN, "sandbox", *whose, text=json.dumps(own))
    page = f"all/acquirers/{OWN}"
    until(
        lambda: "Takes payments" in operator.get(page).text,
        "the account to be taken up",
        every_s=0.5,
    )
    assert "The acquired" in operator.get("all/acquirers").text
    order_id = new_order_id()
    # Not above ₹1,000: on a Sunday night the plan below would move a part of such cards.
    pay_card(browser, shop.open_page(browser, order_id, 90_000))
    assert shop.becomes(order_id, 200, 90_000).is_paid
    payment_id = routed.value("SELECT payment_id FROM payments WHERE order_id = $1", order_id)
    told = operator.get(page).text
    assert f"/console/{shop.merchant.number}/payments/{payment_id}" in told, (
        "the attempt that met trouble"
    )
    assert '<td class="number" data-label="Met trouble">1</td>' in told
    story = operator.get(f"{shop.merchant.number}/payments/{payment_id}").text
    assert (
        story.index("Created") < story.index("Routed to sandbox") < story.index("Authenticating")
    ), "with its reason"
    assert "Too few to say" in told


def test_an_account_is_disabled_and_taken_back_with_a_reason(
    routed: RunningGateway, operator: Console
) -> None:
    page = f"all/acquirers/{SPARE}"
    assert operator.post(f"{page}/disable", seen_at=page, reason=" ").status_code == 409
    with untold(routed, "acquirer.disable", 0):
        assert operator.post(f"{page}/disable", seen_at=page, reason="declines").status_code == 500
    assert routed.value(STATE, SPARE) == "active"
    answer = operator.post(f"{page}/disable", seen_at=page, reason="declines too much")
    assert answer.headers["location"] == f"/console/{page}?said=acquirer_disabled"
    assert routed.value(STATE, SPARE) == "disabled"
    again = operator.post(f"{page}/disable", seen_at=page, reason="declines too much")
    assert (again.status_code, "it is disabled already" in again.text) == (409, True)
    assert "Reason: declines too much" in operator.get(page).text
    until(lambda: "Disabled" in operator.get("all/acquirers").text, "every process to hear of it")
    assert operator.post(f"{page}/enable", seen_at=page, reason="mended").status_code == 303
    assert routed.value(STATE, SPARE) == "active"
    assert did(routed, 0)[-2:] == ["acquirer.disable", "acquirer.enable"]
    entries = routed.rows("SELECT person, detail FROM trail_entries WHERE act = 'acquirer.enable'")
    ((person, detail),) = ((each["person"], json.loads(each["detail"])) for each in entries)
    assert (person, detail["reason"], detail["revision"]) == ("Omkar Desai", "mended", 3)
    assert {*detail} == {"reason", "revision", "acquirer_before", "acquirer_sha256"}
    assert (
        operator.post("all/acquirers/sandbox/disable", seen_at=page, reason="x").status_code == 409
    )


def test_an_account_whose_row_was_bent_is_not_taken_back(
    routed: RunningGateway, operator: Console
) -> None:
    page = f"all/acquirers/{SPARE}"
    routed.operate("acquirer", "disable", SPARE, "--reason", "we look into it")
    assert "Reason: we look into it" in operator.get(page).text
    bend = (
        "UPDATE acquirer_accounts SET fields = jsonb_set(fields, '{url}', to_jsonb($1::text))"
        " WHERE name = $2"
    )
    routed.rows(bend, "http://127.0.0.1:10", SPARE)
    try:
        refused = operator.post(f"{page}/enable", seen_at=page, reason="mended")
        assert (refused.status_code, routed.value(STATE, SPARE)) == (409, "disabled")
    finally:
        routed.rows(bend, NOWHERE, SPARE)
    assert operator.post(f"{page}/enable", seen_at=page, reason="mended").status_code == 303


def test_an_acquirer_is_asked_what_moves_nothing(routed: RunningGateway, operator: Console) -> None:
    for name, outcome in (("sandbox", "Passed"), (SPARE, "Failed")):
        page = f"all/acquirers/{name}"
        told = operator.post(f"{page}/check", seen_at=page)
        assert told.status_code == 200
        assert re.search(rf'Inquiry</th><td><span class="tag \w+">{outcome}</span>', told.text), (
            name
        )
    until(
        lambda: "Last call that failed" in operator.get(f"all/acquirers/{SPARE}").text,
        "the process to keep it",
    )
    assert "Last call that failed" not in operator.get("all/acquirers/sandbox").text
    (entry,) = routed.rows(
        "SELECT detail FROM trail_entries WHERE act = 'acquirer.check' AND about = $1", SPARE
    )
    # Only what needs no call: an unsigned webhook is not believed.
    assert json.loads(entry["detail"])["passed"].startswith("1 of ")
    assert operator.post("all/acquirers/nobody/check").status_code == 404


def test_what_nobody_else_takes_is_said_before_it_is_disabled(
    routed: RunningGateway, operator: Console
) -> None:
    alone = "Nobody else takes UPI link for everybody"
    page = f"all/acquirers/{LINKS}"
    until(lambda: alone in operator.get(page).text, "the account to be taken up", every_s=0.5)
    assert "Nobody else takes" not in operator.get(f"all/acquirers/{SPARE}").text
    assert operator.post(f"{page}/disable", seen_at=page, reason="over").status_code == 303
    until(lambda: "Disabled" in operator.get(page).text, "the process to hear of it")
    assert alone not in operator.get(page).text


def versions(routed: RunningGateway) -> list[tuple[int, str]]:
    rows = routed.rows("SELECT version, published_by FROM routing_plans ORDER BY version")
    return [(row["version"], row["published_by"]) for row in rows]


def test_a_plan_is_tried_on_the_past_and_changes_nothing(
    routed: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    assert "There is no plan" in operator.get("all/routing").text
    assert operator.field(FORM, "seen") == "0"
    order_id = new_order_id()
    scan(routed, shop.open_page(browser, order_id, 70_000).upi_link)
    shop.becomes(order_id, 200, 70_000)
    told = operator.post("all/routing/try", seen_at=FORM, days="1", **WRITTEN)
    assert told.status_code == 200
    head = re.search(
        r"([0-9]+) of ([0-9]+) attempts? would have gone to another acquirer", told.text
    )
    assert head
    assert 1 <= int(head[1]) < int(head[2]), "UPI, and not the cards"
    assert (
        'data-label="Cost with it">₹1.25</td>' in told.text
        or 'data-label="Cost with it">₹2.50</td>' in told.text
    )
    assert "most at the bank" in told.text, "the form has what was written"
    wrong = operator.post(
        "all/routing/try", seen_at=FORM, document=PLAN.replace("spare", "axis"), seen="0"
    )
    assert (wrong.status_code, "large-cards, use: received axis" in wrong.text) == (409, True)
    for odd in ({"document": PLAN, "seen": "x"}, {"document": "#" * 70_000, "seen": "0"}):
        assert operator.post("all/routing/try", seen_at=FORM, **odd).status_code == 409
    assert versions(routed) == []


def test_a_plan_is_published_by_who_saw_the_one_in_force(
    routed: RunningGateway, operator: Console
) -> None:
    with untold(routed, "routing.publish", 0):
        assert operator.post("all/routing", seen_at=FORM, **WRITTEN).status_code == 500
    assert versions(routed) == []
    wrong = operator.post("all/routing", seen_at=FORM, document="rules = 1", seen="0")
    assert (wrong.status_code, "not in order" in wrong.text) == (409, True)
    published = operator.post("all/routing", seen_at=FORM, **WRITTEN)
    assert published.headers["location"] == "/console/all/routing?said=plan_published"
    stale = operator.post("all/routing", seen_at=FORM, **(WRITTEN | {"document": "rules = []"}))
    assert stale.status_code == 409
    assert "version 1 was published by Omkar Desai after version 0 was looked at" in stale.text
    assert 'name="seen" value="1"' in stale.text, "who has read that may send it again"
    assert "Publish over version 1</button>" in stale.text
    assert "rules = []" in stale.text
    assert versions(routed) == [(1, "Omkar Desai")]
    shown = operator.get("all/routing").text
    for words in (
        "most at the bank",
        "above ₹1,000.00",
        "22:00 to 06:00 IST, over midnight",
        "Sunday or Monday",
        "75 %",
        "The cheapest of",
    ):
        assert words in shown
    assert f"{SPARE}</a>" in shown
    assert "<code>large-cards</code>" in operator.get(f"all/acquirers/{SPARE}").text
    assert did(routed, 0)[-1] == "routing.publish"
    assert "routing.publish" in operator.get("all/trail", act="routing.publish", about="1").text


def test_versions_are_compared_and_one_is_brought_back(
    routed: RunningGateway, operator: Console
) -> None:
    (file := routed.data_dir / "plan.toml").write_text(PLAN.replace("weight = 75", "weight = 60"))
    assert routed.operate("route", "set", str(file), "--by", "asha", "--seen", "1")["version"] == 2
    second = operator.get("all/routing/2").text
    assert "weight = 75 }, { acquirer = &#34;spare&#34;, weight = 25 }]</del>" in second
    assert "weight = 60 }, { acquirer = &#34;spare&#34;, weight = 25 }]</ins>" in second
    assert "asha (command line)" in second
    assert "weight = 60" not in operator.get("all/routing/1", against="1").text
    assert "It is the first one." in operator.get("all/routing/1").text
    for unknown in ("3", "0", "99999999999999999999"):
        assert operator.get(f"all/routing/{unknown}").status_code == 404
    assert operator.get(FORM, version="3").status_code == 404
    again = operator.get(FORM, version="1").text
    assert "weight = 75" in again
    assert 'name="seen" value="2"' in again
    assert operator.post("all/routing", seen_at=FORM, document=PLAN, seen="2").status_code == 303
    assert versions(routed) == [(1, "Omkar Desai"), (2, "asha (command line)"), (3, "Omkar Desai")]


def test_the_payments_page_tells_plan_and_rule_of_each_attempt(
    routed: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    published = routed.value("SELECT max(version) FROM routing_plans")
    order_id = new_order_id()
    shop.open_page(browser, order_id)
    payment_id = routed.value("SELECT payment_id FROM payments WHERE order_id = $1", order_id)
    told = re.sub(
        r"<[^>]*>", " ", operator.get(f"{shop.merchant.number}/payments/{payment_id}").text
    )
    assert re.search(
        rf"Routed to {SPARE}.*?Because\s+cost.*?Plan\s+{published}\s+Rule\s+all-upi",
        told,
        re.DOTALL,
    )
    assert re.search(rf"Acquirer\s+{SPARE}", told)


def test_who_may_not_change_acquirers_looks_or_sees_nothing(routed: RunningGateway) -> None:
    acts = (
        f"acquirers/{SPARE}/check",
        f"acquirers/{SPARE}/disable",
        f"acquirers/{SPARE}/enable",
        "routing/try",
        "routing",
    )
    with session_of(routed, SECOND, "198.51.100.82") as finance:
        assert [
            finance.get(f"all/{each}").status_code for each in ("acquirers", "routing", "routing/1")
        ] == [200] * 3
        assert "routing/new" not in finance.get("all/routing").text
        assert finance.get("all/routing/new").status_code == 403
        assert "Reason, for the trail" not in finance.get(f"all/acquirers/{SPARE}").text
        assert {finance.post(f"all/{act}", reason="x", **WRITTEN).status_code for act in acts} == {
            403
        }
    for email, address in ((READER, "198.51.100.83"), (OWNER, "198.51.100.84")):
        with session_of(routed, email, address) as other:
            assert {
                other.get(f"all/{each}").status_code
                for each in ("acquirers", "routing", "routing/new")
            } == {404}
            assert {
                other.post(f"all/{act}", reason="x", **WRITTEN).status_code for act in acts
            } == {404}
            place = routed.demo["merchants"][0]["merchant_id"]
            assert other.get(f"{place}/acquirers").status_code == 404
            assert other.get(f"{place}/routing").status_code == 404
    assert routed.value(STATE, SPARE) == "active"


def test_a_plan_that_names_a_disabled_account_says_so(
    routed: RunningGateway, operator: Console
) -> None:
    words = f"{SPARE} is disabled: it takes no new payments until it is enabled"
    assert words not in operator.get("all/routing").text
    routed.operate("acquirer", "disable", SPARE)
    assert words in operator.get("all/routing").text
    assert words in operator.post("all/routing/try", seen_at=FORM, days="1", **WRITTEN).text
    routed.operate("acquirer", "enable", SPARE)
