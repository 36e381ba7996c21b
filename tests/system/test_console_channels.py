"""Terminals, leads and channels in the console: what each shows, to whom, and whose it is not."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from hundi.console.channels import trouble_since
from hundi.payments.routing.health.rules import LOOKED_BACK, Outcomes
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import NewPartner
from tests.system.console import Console
from tests.system.lead_messages import lead, send
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, settled
from tests.system.test_console_payments import OPERATOR, demo_shop, place, session_of

__all__ = ["demo_shop", "place"]


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.46") as browser:
        yield browser


# --- terminals ---


def test_terminals_tell_their_day_and_each_sale(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    gateway.operate("pos", "register", place, "K1", "Kitchen <1>")
    for rupees, more in (
        ("149.50", ["--table", "7", "--mobile", "9876543210"]),
        ("80.00", ["--edited", "100.00"]),
    ):
        gateway.operate("pos", "sell", place, "K1", rupees, *more, "--reference", f"k-{rupees}")
    gateway.operate(
        "pos", "sell", place, "K1", "20.00", "--kind", "REFUND", "--reference", "k-back"
    )
    page = operator.get(f"{place}/terminals").text
    for words in (
        "Kitchen &lt;1&gt;",
        "₹249.50",
        "voided or refunded ₹20.00",
        f"/console/{place}/terminals/K1",
    ):
        assert words in page, words
    one = f"{place}/terminals/K1"
    page = operator.get(one).text
    for words in ("k-149.50", "XXXXXX3210", "₹100.00", "₹80.00 at first"):
        assert words in page, words
    for fits, other in (
        ({"kind": "REFUND"}, "k-80.00"),
        ({"from": "100", "upto": "100"}, "k-149.50"),
    ):
        assert other not in operator.get(one, **fits).text, fits
    assert "k-back" in operator.get(one, reference="k-back").text
    assert "k-back" not in operator.get(one, until="2020-01-01", since="2020-01-01").text
    rows = list(csv.DictReader(io.StringIO(operator.get(f"{one}/export").text)))
    assert {row["reference"]: row["amount"] for row in rows} == {
        "k-149.50": "149.50",
        "k-80.00": "80.00",
        "k-back": "20.00",
    }
    newest = gateway.value(
        "SELECT (extract(epoch FROM at) * 1000000)::bigint || '-' || transaction_id FROM pos_sales"
        " WHERE merchant_id = $1 AND terminal_id = 'K1' ORDER BY at DESC, transaction_id DESC"
        " LIMIT 1",
        int(place),
    )
    below = operator.get(one, before=newest).text
    assert [each in below for each in ("k-back", "k-80.00", "k-149.50")] == [False, True, True]
    for odd in ({"before": "x"}, {"before": "9" * 40}, {"before": "9" * 16}, {"kind": "nonsense"}):
        assert operator.get(one, **odd).status_code == 200, odd
    elsewhere = gateway.demo["merchants"][1]["merchant_id"]
    assert operator.get(f"{elsewhere}/terminals/K1").status_code == 404
    with session_of(gateway, "reader@demo.example", "198.51.100.47") as reader:
        assert reader.get(one).status_code == 200
        assert reader.get(f"{one}/export").status_code == 403


# --- leads ---


def test_a_lead_is_listed_and_told_masked_until_somebody_says_why(
    gateway: RunningGateway, operator: Console, new_partner: NewPartner
) -> None:
    partner = new_partner("Console leads", interfaces="leads")
    assert send(partner, lead())["status"] == 200
    affiliate = partner.keys.affiliate
    number = gateway.value("SELECT lead_id FROM leads WHERE affiliate = $1", affiliate)
    assert f"leads/{affiliate}/{number}" in operator.get("all/leads").text
    assert "Asha &amp; Co" in operator.get("all/leads", state="lead", partner=affiliate).text
    for other in ({"state": "approved"}, {"partner": "NOBODY1"}, {"before": str(number)}):
        assert f"{affiliate}/{number}" not in operator.get("all/leads", **other).text, other
    one = f"all/leads/{affiliate}/{number}"
    page = operator.get(one).text
    for words in ("Asha Textiles Ltd", "Pune", "•••6789", "Created"):
        assert words in page, words
    secrets = ("50100123456789", "9876543210", "asha@shop.example", "ABCPR1234F", "31-01-1980")
    for secret in secrets:
        assert secret not in page, secret
    assert operator.post(f"{one}/reveal", reason="x").status_code == 409
    revealed = operator.post(f"{one}/reveal", reason="the bank asks for the account").text
    for secret in secrets:
        assert secret in revealed, secret
    assert gateway.value("SELECT count(*) FROM trail_entries WHERE act = 'lead.reveal'") == 1
    assert operator.get(f"all/leads/{affiliate}/1").status_code == 404
    assert operator.get(f"all/leads/NOBODY1/{number}").status_code == 404


def test_leads_are_for_the_operator_alone(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    assert operator.get(f"{place}/leads").status_code == 404, "not at a merchant's place"
    with session_of(gateway, "asha@demo.example", "198.51.100.48") as owner:
        for path in ("all/leads", f"{place}/leads"):
            assert owner.get(path).status_code == 404, path
    with session_of(gateway, "operator.finance@demo.example", "198.51.100.49") as finance:
        assert finance.get("all/leads").status_code == 403
        assert (
            finance.post("all/leads/NOBODY1/1/reveal", reason="curious about it").status_code == 403
        )


# --- channels ---


def test_trouble_began_with_the_first_span_that_no_good_one_followed() -> None:
    now = datetime(2026, 11, 23, 6, tzinfo=UTC)
    bad, good, few = Outcomes(10, 8), Outcomes(10, 1), Outcomes(2, 2)
    ago = [now - LOOKED_BACK * (n + 1) for n in range(4)]
    assert trouble_since({}) is None
    assert trouble_since({ago[0]: good, ago[1]: bad}) is None
    assert trouble_since({ago[0]: bad}) == ago[0]
    assert trouble_since({ago[0]: bad, ago[1]: bad, ago[2]: good, ago[3]: bad}) == ago[1]
    assert trouble_since({ago[0]: bad, ago[2]: bad}) == ago[0], (
        "nothing is known of the time between"
    )
    assert trouble_since({ago[0]: bad, ago[1]: few}) == ago[0], "too few to say"


def test_channels_tell_how_banks_do_and_since_when(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    bank = "UBIN"
    for number in range(6):
        order_id = new_order_id("B")
        there = go(browser, demo_shop.open_page(browser, order_id), NB, bank)
        settled(browser, pay_there(browser, there, NB, "decline" if number else "approve"))
        if number:
            # A code of the bank's own trouble; what a customer declines is none.
            gateway.rows(
                "UPDATE attempts SET bank_code = '91' FROM payments p WHERE p.merchant_id ="
                " attempts.merchant_id"
                " AND p.payment_id = attempts.payment_id AND p.order_id = $1 AND bank = $2",
                *(order_id, bank),
            )

    def row_of(where: str) -> str:
        page = operator.get(f"{where}/channels").text
        return next((each for each in page.split("<tr>") if f"<code>{bank}</code>" in each), "")

    for where in (place, "all"):
        # Health is asked for now and then: an earlier answer knows fewer of these attempts.
        until(
            lambda where=where: "83 % of all attempts lately" in row_of(where), "the bank's trouble"
        )
        page, row = operator.get(f"{where}/channels").text, row_of(where)
        assert ">Down<" in row
        assert re.search(r'data-label="Since">\d+ \w+ 20\d\d', row)
        assert re.search(r'data-label="Attempts">6<.*>5 \(83 %\)<', row)
        assert re.search(r'data-label="Last paid">\d+ ', row)
        for words in ("UPI", ">Up<", "Acquirer <code>"):
            assert words in page, words


def test_a_merchant_is_told_no_other_merchants_numbers(gateway: RunningGateway, place: str) -> None:
    with session_of(gateway, "reader@demo.example", "198.51.100.50") as reader:
        page = reader.get(f"{place}/channels").text
        assert ">Up<" in page
        assert "Acquirer" not in page
        assert reader.get("all/channels").status_code == 404
    with session_of(gateway, "bharat@demo.example", "198.51.100.51") as other:
        other_place = gateway.demo["merchants"][1]["merchant_id"]
        paid = gateway.value(
            "SELECT count(*) FROM attempts WHERE merchant_id = $1", int(other_place)
        )
        page = other.get(f"{other_place}/channels").text
        assert paid or "No attempt in the last 24 hours" in page
        assert other.get(f"{place}/channels").status_code == 404


def test_a_span_is_as_long_as_health_looks_back() -> None:
    assert timedelta(minutes=15) == LOOKED_BACK
