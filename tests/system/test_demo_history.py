"""A demo's history: made beside a used gateway, believable, and proved by the audit."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from hundi.kernel.clock import business_day
from hundi_testbed.demo.past import HistoryProcess
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import new_order_id, pay_card

DAYS, MADE_WITHIN_S = 12, 300
HEARS_WITHIN_S = 10
"""Shorter than the history takes on any machine."""


@pytest.fixture(scope="module")
def filled(new_folder: NewFolder) -> Iterator[RunningGateway]:
    with RunningGateway(new_folder("history"), "--history", str(DAYS)) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def console(filled: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(filled, "asha@demo.example") as console:
        yield console


def charts_of(console: Console) -> str:
    """Return the home page of the first demo merchant, with its charts."""
    home = console.get(f"{console.gateway.demo['merchants'][0]['merchant_id']}/", days=30)
    assert home.status_code == 200
    return home.text


def is_being_made(gateway: RunningGateway) -> bool:
    return (gateway.data_dir / "demo_history_is_made").exists()


def test_it_is_made_while_others_pay_and_the_books_prove_themselves(
    filled: RunningGateway, console: Console, server: MerchantServer
) -> None:
    for shop in open_shop(filled, server, "meanwhile"):
        order_id = new_order_id("MEANWHILE")
        with Browser() as browser:
            pay_card(browser, shop.open_page(browser, order_id))
        assert shop.becomes(order_id, 200).is_paid
        assert shop.hears_event(order_id, "paid", within_s=HEARS_WITHIN_S).transaction.is_paid
        assert is_being_made(filled), "it was paid and told before the history was there"
    first = charts_of(console)
    assert "Nothing was paid in these days" not in first
    assert "Counting" in first
    assert is_being_made(filled), "the charts were looked at before the history was there"
    until((filled.data_dir / "demo_history").exists, "the history", within_s=MADE_WITHIN_S)
    until(lambda: not is_being_made(filled), "the history to be told")
    assert "the demo data is there" in filled.logged()
    days = filled.rows(
        "SELECT (created_at AT TIME ZONE 'Asia/Kolkata')::date AS day, count(*) AS n FROM payments"
        " GROUP BY 1"
    )
    assert len(days) >= DAYS
    states = {row["state"] for row in filled.rows("SELECT DISTINCT state::text FROM payments")}
    assert states >= {"paid", "expired", "under_review"}
    report = filled.audit()
    assert report["figures"]["payments_paid"] > 10
    assert report["figures"]["settlements"] >= DAYS - 2


def test_nothing_of_it_was_done_by_a_clock_of_the_present(filled: RunningGateway) -> None:
    """A bank whose callback failed is asked at the history's next work, within three hours."""
    late = filled.rows(
        "SELECT count(*) AS n FROM payments p JOIN attempts a USING (merchant_id, payment_id)"
        " WHERE a.state = 'paid' AND a.settled_at > p.created_at + interval '4 hours' AND a.method"
        " <> 'upi_autopay'"
    )
    assert late[0]["n"] == 0


def test_messages_of_the_past_are_on_the_phones_and_say_what_the_console_shows(
    filled: RunningGateway,
) -> None:
    sent = filled.rows(
        "SELECT said FROM letters WHERE channel = 'sms' AND state = 'sent' AND kind = 'receipt'"
        " ORDER BY sent_at DESC LIMIT 5"
    )
    phones = filled.bank.get("/phones").text
    assert len(sent) == 5
    for each in sent:
        assert each["said"].startswith("You paid Rs ")
        assert each["said"] in phones


def test_an_audit_holds_since_each_day_of_it_and_reads_what_changed(filled: RunningGateway) -> None:
    today = business_day(datetime.now(UTC))
    days = [str(today - timedelta(days=ago)) for ago in (-1, 0, 1, 2, 5, DAYS)]
    reports = [filled.audit("--since", day) for day in ("root", *days)]
    assert [each["since"] for each in reports[1:]] == days
    assert all(each["holds"] for each in reports)
    changed = [each["figures"]["payments_changed"] for each in reports[1:]]
    assert changed == sorted(changed)
    assert changed[-1] == reports[-1]["figures"]["payments"]
    for wrong in (("--since", "yesterday"), ("--since", days[0], "--archive")):
        ended = filled.command("audit", *wrong, "--data-dir", str(filled.data_dir))
        assert ended.returncode == 2
        assert "--since" in ended.stderr


def test_it_is_not_made_twice_and_the_console_says_what_it_is(
    filled: RunningGateway, console: Console
) -> None:
    assert not HistoryProcess(filled.data_dir).wanted
    home = charts_of(console)
    assert "demo data" in home
    merchant_id = filled.demo["merchants"][0]["merchant_id"]
    paid = filled.rows(
        "SELECT count(*) AS n FROM payments WHERE merchant_id = $1 AND state = 'paid'",
        int(merchant_id),
    )[0]["n"]
    assert f"in {paid} payments" in home
    assert "Counting" not in home
    assert home.count('<figure class="chart') == 4
    assert " style=" not in home


def test_success_counts_each_try_of_the_history_at_once(
    filled: RunningGateway, console: Console
) -> None:
    """The page was looked at while it was made: nothing of that is remembered."""
    merchant_id = filled.demo["merchants"][0]["merchant_id"]
    (tries,) = filled.rows(
        "SELECT count(*) AS ended, count(*) FILTER (WHERE state IN ('paid', 'authorised',"
        " 'overpaid')) AS paid FROM attempts WHERE merchant_id = $1 AND state IN ('paid',"
        " 'authorised', 'overpaid', 'failed', 'not_registered', 'expired', 'unknown')"
        " AND NOT (state = 'expired' AND method IN ('upi_qr', 'virtual_account'))",
        int(merchant_id),
    )
    page = console.get(f"{merchant_id}/success", span=30).text
    assert f"({tries['paid']} of {tries['ended']} paid)" in page
    assert "Counting" not in page
