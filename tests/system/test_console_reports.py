"""Finance takes a month away in the console: sums, files, who made them, schedules, by role."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import date, timedelta

import httpx
import pytest

from hundi.kernel.clock import business_day
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_letters import arrived
from tests.system.test_payouts import GOOD, Operators
from tests.system.test_subscription_year import clock_of

READER, FINANCE = "reader@demo.example", "finance@demo.example"
CSV = {"form": "csv"}


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: they move its clock."""
    with RunningGateway(new_folder("console_reports")) as running:
        yield running


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, SECOND, "198.51.100.91") as browser:
        yield browser


@pytest.fixture(scope="module")
def place(gateway: RunningGateway, server: MerchantServer) -> Iterator[str]:
    """A merchant with a settlement."""
    for shop in open_shop(gateway, server, "reported"):
        people = Operators(shop)
        people.add_account(GOOD)
        with Browser() as browser:
            people.settle(browser)
        yield people.merchant_id


def this_month(gateway: RunningGateway) -> tuple[date, date]:
    today = business_day(clock_of(gateway))
    return today.replace(day=1), today


def made(operator: Console, place: str, **fields: str) -> httpx.Response:
    """Ask for a report as a page's button does, and fetch it where the form leads."""
    answer = operator.post(f"{place}/reports", seen_at=f"{place}/reports", **fields)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"].removeprefix("/console/")
    if not where.endswith("/file"):
        # A slow machine: it is in the list as soon as it is made.
        until(lambda: "Ready" in operator.get(f"{place}/reports").text, "a report")
        found = re.search(r"reports/\d+/file", operator.get(f"{place}/reports").text)
        assert found
        where = f"{place}/{found[0]}"
    file = operator.get(where)
    assert file.status_code == 200
    return file


def test_a_month_is_taken_away_and_says_what_the_ledger_says(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    first, last = this_month(gateway)
    page = operator.get(f"{place}/settlements").text
    settlements = gateway.operate("settlement", "list", "--merchant", place)
    number = settlements[0]["settlement"].rpartition("-")[2]
    assert f"settlements/{number}" in page
    days = {"first_day": str(first - timedelta(days=31)), "last_day": str(last)}
    file = made(operator, place, kind="month", form="csv", **days)
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    assert file.headers["content-disposition"].startswith("attachment; ")
    *lines, total = csv.DictReader(io.StringIO(file.text, newline=""))
    assert len(lines) == len(settlements)
    paid_out = sum(each["net_paise"] for each in settlements)
    assert total["paid_out"] == f"{paid_out // 100}.{paid_out % 100:02}"
    due = gateway.value(
        "SELECT sum(amount_paise)::bigint FROM ledger_postings WHERE merchant_id = $1"
        " AND credit = 'settlement_due' AND kind = 'share_due'",
        int(place),
    )
    assert paid_out == due
    for kind, form, begins in (
        ("items", "xlsx", b"PK"),
        ("day_book", "pdf", b"%PDF-"),
        ("tds", "csv", b"at,entry"),
        ("payments", "csv", b"ap_transactionid"),
        ("fees", "xlsx", b"PK"),
    ):
        body = made(operator, place, kind=kind, form=form, **days).content
        assert body.startswith(begins), kind
        assert b"9876543210" not in body
        assert b"asha@example.in" not in body
    one = made(operator, place, kind="settlement", form="pdf", settlement=number)
    assert one.content.startswith(b"%PDF-")
    found = operator.get(f"{place}/settlements", q=number).text
    assert f"settlements/{number}" in found
    assert "No settlement has" in operator.get(f"{place}/settlements", q="NOSUCHUTR").text


def test_the_operator_takes_all_merchants_away_and_a_merchant_does_not(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    first, last = this_month(gateway)
    days = {"first_day": str(first - timedelta(days=31)), "last_day": str(last)}
    own = list(csv.reader(io.StringIO(made(operator, place, kind="month", **CSV, **days).text)))
    file = made(operator, "all", kind="month", **CSV, **days)
    assert '"month-all-' in file.headers["content-disposition"]
    head, *rows = csv.reader(io.StringIO(file.text, newline=""))
    assert head == ["merchant_id", "mode", "merchant", *own[0]]
    assert [row[3:] for row in rows if row[0] == place] == own[1:]
    assert [rows[-1][0], *rows[-1][2:4]] == ["", "all merchants", "total"]
    refused = operator.post("all/reports", seen_at="all/reports", kind="invoice", **CSV, **days)
    assert refused.status_code == 409, "of one merchant alone"
    page = operator.get("all/reports").text
    assert "GST invoice" not in page
    people = re.search(r'name="people" value="([^"]+)"', page)
    assert people
    scheduled = operator.post(
        "all/reports/schedules", seen_at="all/reports", kind="tds", form="xlsx", day="3",
        people=people[1],
    )  # fmt: skip
    assert scheduled.status_code == 303, scheduled.text
    assert "Schedule 1" in operator.get("all/reports").text
    ended = operator.post("all/reports/schedules/1/end", seen_at="all/reports")
    assert ended.status_code == 303, ended.text
    acts = [
        each["act"]
        for each in gateway.rows("SELECT act FROM trail_entries WHERE merchant_id = 0")
        if each["act"].startswith("report.")
    ]
    assert {"report.make", "report.fetch", "report.schedule", "report.schedule_end"} <= set(acts)
    with session_of(gateway, FINANCE, "198.51.100.94") as finance:
        assert finance.get("all/reports").status_code == 404


def test_the_list_says_what_was_made_by_whom_and_makes_it_again(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    first, last = this_month(gateway)
    days = {"first_day": str(first), "last_day": str(last)}
    before = made(operator, place, kind="ledger", form="csv", **days).content
    page = operator.get(f"{place}/reports").text
    assert "Ledger" in page
    assert "Nila Krishnan" in page
    rows = page.partition("Made so far")[2]
    newest = re.findall(r'name="(kind|form|first_day|last_day)" value="([^"]+)"', rows)[:4]
    again = dict(newest)
    assert again == {"kind": "ledger", "form": "csv", **days}
    assert made(operator, place, **again).content == before
    acts = gateway.rows(
        "SELECT act, person FROM trail_entries WHERE merchant_id = $1 AND act LIKE 'report.%'"
        " ORDER BY entry_no DESC LIMIT 2",
        int(place),
    )
    assert [(each["act"], each["person"]) for each in acts] == [
        ("report.fetch", "Nila Krishnan"),
        ("report.make", "Nila Krishnan"),
    ]
    wrong = operator.post(f"{place}/reports", kind="invoice", form="pdf", **days)
    assert wrong.status_code == 409
    assert "allowed" in wrong.text
    assert operator.get(f"{place}/reports/217000000000001/file").status_code == 404


def test_a_schedule_is_for_named_people_and_its_report_is_in_the_list(
    gateway: RunningGateway, place: str
) -> None:
    demo = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, FINANCE, "198.51.100.92") as finance:
        seen = f"{demo}/reports"
        page = finance.get(seen).text
        assert 'value="finance@demo.example"' in page
        assert 'value="developer@demo.example"' not in page, "who may not see money"
        form = {"kind": "month", "form": "xlsx", "day": "3", "people": FINANCE}
        done = finance.post(f"{demo}/reports/schedules", seen_at=seen, **form)
        assert done.headers["location"] == f"/console/{demo}/reports?said=report_scheduled"
        assert "Farhan Shaikh" in finance.get(seen).text
        nobody = {**form, "people": "developer@demo.example"}
        assert finance.post(f"{demo}/reports/schedules", seen_at=seen, **nobody).status_code == 409
        gateway.rows(
            "UPDATE report_schedules SET due_at = now() - interval '1 minute'"
            " WHERE due_at IS NOT NULL"
        )
        until(lambda: "Schedule 1</small>" in finance.get(seen).text, "the report of the schedule")
        (mail,) = arrived(gateway, FINANCE)
        assert "The report that you ordered is attached." in mail["plain"]
        ended = finance.post(f"{demo}/reports/schedules/1/end", seen_at=seen)
        assert ended.status_code == 303
        assert "No schedule." in finance.get(seen).text
        assert finance.get(f"{place}/reports").status_code == 404, "another merchant's"


def test_who_only_looks_sees_the_list_and_takes_nothing(gateway: RunningGateway) -> None:
    demo = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, READER, "198.51.100.93") as reader:
        page = reader.get(f"{demo}/reports").text
        assert "Make the report" not in page
        assert reader.get(f"{demo}/reports/217000000000001/file").status_code == 403
        asked = reader.post(f"{demo}/reports", kind="month", form="csv", first_day="2026-01-01")
        assert asked.status_code == 403


def test_the_operator_names_the_parties_of_invoices_in_the_console(
    gateway: RunningGateway,
) -> None:
    with session_of(gateway, OPERATOR, "198.51.100.94") as operator:
        form = {
            "name": "Hundi Payments",
            "address": "1 Fort, Mumbai",
            "state": "27",
            "merchant": "0",
        }
        code = operator.code(OPERATOR)
        done = operator.post("all/verbs/report/party", again_code=code, **form)
        assert done.status_code in {200, 303}, done.text
        assert (
            gateway.value("SELECT name FROM tax_parties WHERE merchant_id = 0") == "Hundi Payments"
        )
