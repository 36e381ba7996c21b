"""Verbs that are declared once, at both doors: the command line and the running console."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from httpx import Response

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, SECOND, demo_shop, pay, place, session_of
from tests.system.test_subscriptions import approved

__all__ = ["demo_shop", "place"]
pytestmark = pytest.mark.usefixtures("books_hold")
READER = "reader@demo.example"
ADD = "all/verbs/calendar/add"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.95") as browser:
        yield browser


def trail_of(gateway: RunningGateway, about: object) -> list[tuple[str, str]]:
    """Return what was done about something, and by whom."""
    rows = gateway.rows(
        "SELECT act, person FROM trail_entries WHERE about = $1 ORDER BY merchant_id, entry_no",
        str(about),
    )
    return [(row["act"], row["person"]) for row in rows]


def test_a_command_leaves_the_trail_that_the_console_leaves(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    assert gateway.operate("subscription", "pause", place, str(number))["state"] == "paused"
    page = f"{place}/subscriptions/{number}"
    assert (
        operator.post(f"{page}/resume", seen_at=page).headers["location"].endswith("?said=resumed")
    )
    (paused, by), (resumed, _) = trail_of(gateway, number)
    assert (paused, resumed) == ("subscription.pause", "subscription.resume")
    assert "command line" in by


def test_a_day_is_written_at_the_console_and_removed_by_a_command(
    gateway: RunningGateway, operator: Console
) -> None:
    assert "Add a bank day" in operator.get("all/verbs").text
    form = {"day": "2027-03-02", "name": "Elections", "centre": "MH"}
    done = operator.post(ADD, seen_at=ADD, **form)
    assert (done.status_code, "Written" in done.text, "Elections" in done.text) == (200, True, True)
    listed = gateway.operate("calendar", "list", "--centre", "MH", "--year", "2027")
    assert {"centre": "MH", "day": "2027-03-02", "working": False, "name": "Elections"} in listed
    shown = operator.get("all/verbs/calendar/list", asked="1", centre="MH", year="2027").text
    assert "Elections" in shown
    gateway.operate("calendar", "remove", "2027-03-02", "--centre", "MH")
    assert [act for act, _ in trail_of(gateway, "MH 2027-03-02")] == [
        "calendar.add",
        "calendar.remove",
    ]
    gone = operator.post("all/verbs/calendar/remove", seen_at=ADD, day="2027-03-02", centre="MH")
    assert (gone.status_code, "is not on the list of MH" in gone.text) == (409, True)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"day": "soon", "name": "Elections"}, "a day such as"),
        ({"day": "2027-03-02", "name": ""}, "1 to 100 characters"),
        ({"day": "2027-03-02", "name": "Elections", "centre": "ZZ"}, "centre"),
    ],
)
def test_a_form_says_which_field_is_wrong_and_keeps_what_was_typed(
    operator: Console, form: dict[str, str], words: str
) -> None:
    answer = operator.post(ADD, seen_at=ADD, **form)
    assert (answer.status_code, words in answer.text) == (409, True)
    assert f'value="{form["day"]}"' in answer.text


def test_who_may_not_do_a_verb_neither_sees_nor_reaches_it(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    with session_of(gateway, READER, "198.51.100.96") as reader:
        assert "bank day" not in reader.get(f"{place}/verbs").text
        assert reader.get(ADD).status_code == 404
    assert operator.get(f"{place}/verbs/calendar/add").status_code == 404


def test_a_form_of_a_verb_has_its_token_and_a_fresh_second_factor(
    gateway: RunningGateway, operator: Console
) -> None:
    form = {"day": "2027-03-03", "name": "Elections"}
    assert operator.http.post(f"/console/{ADD}", data=form).status_code == 403
    later = "UPDATE staff_sessions SET factor_at = factor_at + $1::interval"
    gateway.rows(later, timedelta(hours=-1))
    assert "Confirm that it is you" in operator.post(ADD, **form).text
    gateway.rows(later, timedelta(hours=1))
    assert gateway.rows("SELECT FROM bank_days WHERE day = '2027-03-03'") == []


def test_terms_are_agreed_on_by_two_people(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path, terms = "all/verbs/settlement/terms-set", ("settlement", "terms", "show", place)
    form = {"merchant_id": place, "working_days": "3", "cut_off": "17:30"}
    before = gateway.operate(*terms)
    asked = operator.post(path, seen_at=path, act_id="701", reason="agreed", **form)
    assert asked.headers["location"].endswith("?said=asked")
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    assert operator.post(f"{page}/decide", decision="approve").status_code == 409
    assert gateway.operate(*terms) == before
    with session_of(gateway, SECOND, "198.51.100.97") as second:
        assert "Working days" in second.get(page).text
        done = second.post(f"{page}/decide", seen_at=page, decision="approve")
    assert "said=approved" in done.headers["location"]
    newest = gateway.operate(*terms)[-1]
    assert (newest["working_days"], newest["cut_off"]) == (3, "17:30")
    assert "settlement_terms.agree" in [act for act, _ in trail_of(gateway, newest["terms_no"])]


def test_terms_that_say_nothing_of_the_hold_leave_it(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path, terms = "all/verbs/settlement/terms-set", ("settlement", "terms", "show", place)
    gateway.operate("settlement", "terms", "set", place, "--hold")
    form = {"merchant_id": place, "working_days": "2", "act_id": "703", "reason": "agreed"}
    asked = operator.post(path, seen_at=path, **form)
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    with session_of(gateway, SECOND, "198.51.100.98") as second:
        second.post(f"{page}/decide", seen_at=page, decision="approve")
    newest = gateway.operate(*terms)[-1]
    gateway.operate("settlement", "terms", "set", place, "--no-hold")
    assert (newest["working_days"], newest["held"]) == (2, True)


def test_a_form_asks_rupees_and_offers_what_is_known(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path = "all/verbs/merchant/surcharge"
    page = operator.get(path).text
    for words in ("Fixed part in rupees", '<option value="nb">Net banking</option>', "<h1>Set a"):
        assert words in page, words
    wrong = operator.post(path, seen_at=path, merchant_id=place, channel="nb", flat_paise="ten")
    assert (wrong.status_code, "“Fixed part in rupees” was" in wrong.text) == (409, True)
    operator.post(path, seen_at=path, merchant_id=place, channel="nb", flat_paise="5.50")
    settings = gateway.operate("merchant", "show", place)["settings"]
    assert settings["surcharges"]["nb"]["flat_paise"] == 550
    operator.post(path, seen_at=path, merchant_id=place, channel="nb", remove="1")
    quoted = operator.get(
        f"{place}/verbs/fee/quote", asked="1", channel="nb", amount_paise="1,499.5"
    )
    assert "₹1,499.50" in quoted.text


def test_a_form_of_all_offers_merchants_and_says_once_what_empty_means(
    operator: Console, place: str
) -> None:
    page = operator.get("all/verbs/merchant/limits").text
    assert page.count('<datalist id="merchants">') == page.count(' list="merchants"') == 1
    assert re.search(rf'<option value="{place}">[^<]+</option>', page)
    assert page.count("stays as it is") == 1
    calendar = operator.get(ADD).text
    assert "datalist" not in calendar
    assert "stays as it is" not in calendar


def test_a_list_is_typed_as_on_a_command_line(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path = "all/verbs/merchant/frames"
    origins = "https://a.example 'https://b.example'"
    operator.post(path, seen_at=path, merchant_id=place, origins=origins)
    settings = gateway.operate("merchant", "show", place)["settings"]
    assert settings["frame_origins"] == ["https://a.example", "https://b.example"]
    open_quote = operator.post(path, seen_at=path, merchant_id=place, origins="'https://a.example")
    assert (open_quote.status_code, "words with spaces between" in open_quote.text) == (409, True)
    operator.post(path, seen_at=path, merchant_id=place, origins="")
    assert "frame_origins" not in gateway.operate("merchant", "show", place)["settings"]


def test_reconciliation_by_command_is_in_the_trail_and_shown_at_the_console(
    gateway: RunningGateway, operator: Console
) -> None:
    gateway.operate("reconcile", "retry", "sandbox")
    act, by = trail_of(gateway, "sandbox")[-1]
    assert (act, "command line" in by) == ("reconciliation.retry", True)
    for path, words in (("clocks", "To look at first"), ("unexplained", "match no hand-over")):
        assert words in operator.get(f"all/verbs/reconcile/{path}", asked="1").text
    terms = operator.get("all/verbs/reconcile/terms-show", asked="1", connector="sandbox").text
    assert "Terms of sandbox" in terms


RULES = """
[[rules]]
name = "large-{}"
action = "hold"
when = [{{ field = "amount_paise", above = 5_000_000 }}]
"""


def ask_for_rules(operator: Console, act_id: str, document: str, merchant: str = "0") -> Response:
    """Ask a second person to put a rule set into force."""
    path = "all/verbs/risk/publish"
    form = {"file": document, "merchant": merchant, "act_id": act_id, "reason": "card testing"}
    return operator.post(path, seen_at=path, **form)


def approve(gateway: RunningGateway, asked: Response, address: str) -> Response:
    """Approve a request as the second person, and return the request's page."""
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    with session_of(gateway, SECOND, address) as second:
        second.post(f"{page}/decide", seen_at=page, decision="approve")
        return second.get(page)


def versions_of(gateway: RunningGateway, place: str) -> int:
    """Return how many rule sets of its own a merchant has had."""
    sql = "SELECT count(*) AS number FROM risk_rule_sets WHERE merchant_id = $1"
    return gateway.rows(sql, int(place))[0]["number"]


def test_nobody_is_asked_to_approve_rules_that_cannot_be_read(
    gateway: RunningGateway, operator: Console
) -> None:
    answer = ask_for_rules(operator, "704", "rules = 3")
    assert (answer.status_code, "expected a list" in answer.text) == (409, True)
    assert gateway.rows("SELECT FROM approvals WHERE act_id = '704'") == []


def test_rules_are_checked_without_a_second_person(operator: Console) -> None:
    path = "all/verbs/risk/check"
    faulty = operator.post(path, seen_at=path, file="rules = 3")
    assert (faulty.status_code, "expected a list" in faulty.text) == (409, True)
    checked = operator.post(path, seen_at=path, file=RULES.format("first"))
    assert (checked.status_code, "In order" in checked.text) == (200, True)
    assert "razorpay" in operator.get("all/verbs/acquirer/kinds").text


def test_approved_rules_are_published_once_and_never_over_newer_ones(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    asked = ask_for_rules(operator, "705", RULES.format("first"), place)
    older = ask_for_rules(operator, "706", RULES.format("older"), place)
    before = versions_of(gateway, place)
    assert "Done." in approve(gateway, asked, "198.51.100.99").text
    assert versions_of(gateway, place) == before + 1
    # A process that ends between the act and its result leaves the request approved.
    lost = "UPDATE approvals SET state = 'approved', result = '' WHERE act_id = '705'"
    gateway.rows("ALTER TABLE approvals DISABLE TRIGGER USER")
    gateway.rows(lost)
    gateway.rows("ALTER TABLE approvals ENABLE TRIGGER USER")
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    operator.post(f"{page}/repeat", seen_at=page)
    assert "Done." in operator.get(page).text
    assert "came into being after this" in approve(gateway, older, "198.51.100.100").text
    assert versions_of(gateway, place) == before + 1


def test_a_form_of_a_second_person_without_a_reason_asks_nobody(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path = "all/verbs/settlement/terms-set"
    answer = operator.post(path, seen_at=path, act_id="702", merchant_id=place, working_days="4")
    assert (answer.status_code, "reason" in answer.text) == (409, True)
    assert gateway.rows("SELECT FROM approvals WHERE act_id = '702'") == []


def test_a_partner_is_added_and_suspended_at_the_console_as_by_command(
    gateway: RunningGateway, operator: Console
) -> None:
    path = "all/verbs/partner/add"
    added = operator.post(path, seen_at=path, name="Kaveri Loans").text
    (partner,) = [
        each for each in gateway.operate("partner", "list") if each["name"] == "Kaveri Loans"
    ]
    affiliate = partner["affiliate"]
    assert (affiliate in added, "Api key" in added) == (True, True)
    suspended = operator.post("all/verbs/partner/suspend", affiliate=affiliate)
    assert (suspended.status_code, "suspended" in suspended.text) == (200, True)
    assert gateway.operate("partner", "resume", affiliate)["state"] == "active"
    assert [act for act, _ in trail_of(gateway, affiliate)] == [
        "partner.add",
        "partner.suspend",
        "partner.resume",
    ]
    unknown = operator.post("all/verbs/partner/suspend", affiliate="AF999999")
    assert unknown.status_code == 409


def test_a_note_of_a_command_is_on_the_payments_page(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, 12_300)
    gateway.operate("payment", "note", place, str(number), "called the customer")
    assert "called the customer" in operator.get(f"{place}/payments/{number}").text


def test_what_the_operator_sets_is_shown_and_refused_in_words(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path = "all/verbs/merchant/limits"
    kept = operator.post(path, seen_at=path, merchant_id=place, attempts_an_hour="77")
    assert (kept.status_code, "77" in kept.text) == (200, True)
    settings = gateway.operate("merchant", "show", place)["settings"]
    assert settings["attempts_an_hour"] == 77
    wrong = operator.post(path, merchant_id=place, attempts_an_hour="0")
    assert (wrong.status_code, "attempts_an_hour" in wrong.text) == (409, True)
    assert "settings.change" in [act for act, _ in trail_of(gateway, place)]


def test_nobody_raises_the_limit_of_one_person_alone_at_the_console(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    path, names = "all/verbs/merchant/set", ("refund_alone_paise", "refund_alone_on_api")
    before = gateway.operate("merchant", "show", place)["settings"]
    limits = {"refund_alone_paise": "99999900", "refund_alone_on_api": "on"}
    answer = operator.post(path, seen_at=path, merchant_id=place, support="+91 1", **limits)
    assert (answer.status_code, "+91 1" in answer.text) == (200, True)
    after = gateway.operate("merchant", "show", place)["settings"]
    assert [after.get(name) for name in names] == [before.get(name) for name in names]
    assert not any(name in operator.get(path).text for name in names)


@pytest.mark.parametrize("amount", ["987612345679", "1.005", "ten", "", "-1"])
def test_an_amount_that_is_no_rupees_makes_no_link(
    gateway: RunningGateway, operator: Console, place: str, amount: str
) -> None:
    form = {"description": "Tea", "act_id": "218000000000001", "amount": amount}
    answer = operator.post(f"{place}/links", **form)
    assert (answer.status_code, "rupees, such as 1499.50" in answer.text) == (409, True)
    reference = f"console-{form['act_id']}"
    assert gateway.rows("SELECT FROM payment_links WHERE reference = $1", reference) == []
