"""Subscriptions in the console: listed, told with debits and notices, paused, resumed, cancelled.

And by whom not.
"""

import csv
import io
import re
from collections.abc import Iterator

import pytest

from tests.system.console import Console
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, demo_shop, place, session_of
from tests.system.test_subscriptions import approved, in_days

__all__ = ["demo_shop", "place"]
pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.42") as browser:
        yield browser


def trail_of(gateway: RunningGateway, number: int) -> list[str]:
    rows = gateway.rows(
        "SELECT act FROM trail_entries WHERE about = $1 ORDER BY entry_no", str(number)
    )
    return [row["act"] for row in rows]


def state_of(gateway: RunningGateway, number: int) -> str:
    return gateway.value("SELECT state FROM subscriptions WHERE subscription_id = $1", number)


def test_a_subscription_is_listed_told_and_exported(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    told = approved(sender, demo_shop)
    number = int(told["ap_transactionid"])
    order_id = gateway.value(
        "SELECT order_id FROM subscriptions WHERE subscription_id = $1", number
    )
    starts = f"{in_days(10):%d %b %Y}".lstrip("0")
    for words in (order_id, "every month", "₹499.00", "0 of 12", starts):
        assert words in operator.get(f"{place}/subscriptions").text, words
    for fits in ({"state": "active"}, {"channel": "upi"}, {"from": "499", "upto": "499"}):
        assert f"subscriptions/{number}" in operator.get(f"{place}/subscriptions", **fits).text, (
            fits
        )
    for other in (
        {"state": "paused"},
        {"from": "499.01"},
        {"until": "2020-01-01"},
        {"before": str(number)},
    ):
        assert (
            f"subscriptions/{number}" not in operator.get(f"{place}/subscriptions", **other).text
        ), other
    page = operator.get(f"{place}/subscriptions/{number}").text
    for words in (
        "₹1,000.00",
        "Next debit",
        starts,
        "Valid until",
        f"payments/{number}",
        "at least 24 hours before",
    ):
        assert words in page, words
    payer = gateway.value("SELECT payer FROM subscriptions WHERE subscription_id = $1", number)
    assert payer
    assert payer not in page
    assert f"subscriptions/{number}" in operator.get(f"{place}/payments/{number}").text, (
        "the story leads here"
    )
    rows = csv.DictReader(io.StringIO(operator.get(f"{place}/subscriptions/export").text))
    found = {int(row["subscription_id"]): row for row in rows}[number]
    assert (found["amount"], found["maximum"], found["debits_in_all"]) == (
        "499.00",
        "1000.00",
        "12",
    )


def test_a_debit_is_shown_with_its_notice_and_leads_to_its_payment(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    """A row as the worker writes it: tests of a year let the worker write them."""
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    merchant_id = int(place)
    gateway.rows(
        "INSERT INTO subscription_debits (merchant_id, debit_id, subscription_id, period_no,"
        " amount_paise, currency,"
        " state, planned_at, created_at, noticed_at, settled_at)"
        " VALUES ($1, $2, $3, 1, 49900, 'INR', 'skipped', now() + interval '25 hours', now(),"
        " now(), now())",
        *(merchant_id, number + 1, number),
    )
    try:
        page = operator.get(f"{place}/subscriptions/{number}").text
        assert re.search(r"Period 1.*Skipped.*Customer told", page, re.DOTALL)
        assert "₹499.00" in page
    finally:
        gateway.rows("DELETE FROM subscription_debits WHERE debit_id = $1", number + 1)


def test_after_a_decline_the_next_debit_is_the_next_try(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    gateway.rows(
        "INSERT INTO subscription_debits (merchant_id, debit_id, subscription_id, period_no,"
        " amount_paise, currency,"
        " state, planned_at, created_at, noticed_at, due_at, tries, payment_id)"
        " VALUES ($1, $2, $3, 1, 49900, 'INR', 'retrying', '2026-10-02T00:30Z',"
        " '2026-10-01T00:20Z',"
        " '2026-10-01T00:20Z', '2099-04-05T00:30Z', 1, $4)",
        *(int(place), number + 2, number, number),
    )
    try:
        for page in ("subscriptions", f"subscriptions/{number}"):
            assert "5 Apr 2099, 06:00 IST" in operator.get(f"{place}/{page}").text, page
    finally:
        gateway.rows("DELETE FROM subscription_debits WHERE debit_id = $1", number + 2)


def test_it_is_paused_resumed_and_cancelled_with_a_fresh_factor_where_money_stops(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    one = f"{place}/subscriptions/{number}"
    session = (
        "UPDATE staff_sessions SET factor_at = factor_at {} interval '16 minutes' WHERE stage ="
        " 'complete'"
    )
    gateway.rows(session.format("-"))
    for act in ("pause", "cancel"):
        assert "Nothing was done yet" in operator.post(f"{one}/{act}", sure="yes").text, act
    gateway.rows(session.format("+"))
    assert state_of(gateway, number) == "active"
    assert operator.post(f"{one}/pause").headers["location"] == f"/console/{one}?said=paused"
    assert state_of(gateway, number) == "paused"
    assert operator.post(f"{one}/pause").status_code == 409
    assert operator.post(f"{one}/resume").headers["location"] == f"/console/{one}?said=resumed"
    assert operator.post(f"{one}/cancel").status_code == 409, "without the tick"
    assert state_of(gateway, number) == "active"
    assert (
        operator.post(f"{one}/cancel", sure="yes").headers["location"]
        == f"/console/{one}?said=cancelled"
    )
    assert state_of(gateway, number) == "cancelled"
    page = operator.get(one).text
    assert "nothing is taken any more" in page
    assert "Pause" not in page.split("<main")[1]
    assert operator.post(f"{one}/resume").status_code == 409
    assert trail_of(gateway, number) == [
        "subscription.pause",
        "subscription.resume",
        "subscription.cancel",
    ]


def test_nothing_changes_whose_entry_cannot_be_written(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    gateway.rows(
        "CREATE TRIGGER attic BEFORE INSERT ON trail_entries FOR EACH ROW WHEN (NEW.about ="
        f" '{number}')"
        " EXECUTE FUNCTION refuse_change()"
    )
    try:
        for act in ("pause", "cancel"):
            assert (
                operator.post(f"{place}/subscriptions/{number}/{act}", sure="yes").status_code
                == 500
            ), act
    finally:
        gateway.rows("DROP TRIGGER attic ON trail_entries")
    assert state_of(gateway, number) == "active"


def test_who_may_not_and_whose_it_is_not(
    gateway: RunningGateway, demo_shop: Shop, sender: Sender, operator: Console, place: str
) -> None:
    number = int(approved(sender, demo_shop)["ap_transactionid"])
    one, elsewhere = f"subscriptions/{number}", gateway.demo["merchants"][1]["merchant_id"]
    assert operator.get(f"{elsewhere}/{one}").status_code == 404
    with session_of(gateway, "reader@demo.example", "198.51.100.43") as reader:
        assert "Cancel" not in reader.get(f"{place}/{one}").text
        for act in ("pause", "resume", "cancel"):
            assert operator.post(f"{elsewhere}/{one}/{act}", sure="yes").status_code == 404, act
            assert reader.post(f"{place}/{one}/{act}", sure="yes").status_code == 403, act
        assert reader.get(f"{place}/subscriptions/export").status_code == 403
    assert state_of(gateway, number) == "active"
