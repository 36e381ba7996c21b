"""The operator's pages across merchants: what is shown, what is changed, and who may not."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import PLAN, did, pay, untold
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_subscription_year import clock_of

READER, OWNER = "reader@demo.example", "asha@demo.example"
NOUNS = (
    "",
    "merchants",
    "across/payments",
    "across/disputes",
    "across/complaints",
    "across/payouts",
    "payout-routing",
    "reviews",
    "reconciliation",
)
HOLD = """
[[rules]]
name = "large"
action = "hold"
when = [{ field = "amount_paise", above = 5000000 }]
"""


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.61") as browser:
        yield browser


@pytest.fixture
def shop(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(operated, server, "operated")


def test_a_merchant_is_added_found_suspended_and_brought_back(
    operated: RunningGateway, operator: Console
) -> None:
    form = {
        "name": "Chandni Lights",
        "mode": "live",
        "act_id": operator.field("all/merchants", "act_id"),
    }
    named = "SELECT merchant_id, state FROM merchants WHERE name = 'Chandni Lights'"
    with untold(operated, "merchant.add", 0):
        assert operator.post("all/merchants", **form).status_code == 500
    assert operated.rows(named) == []
    added = operator.post("all/merchants", seen_at="all/merchants", **form)
    assert "shown only now" in added.text
    (row,) = operated.rows(named)
    number = row["merchant_id"]
    assert "Chandni Lights" in operator.get("all/merchants", name="chandni").text
    assert "Asha Handlooms" not in operator.get("all/merchants", name="chandni").text
    page = f"all/merchants/{number}"
    assert "nothing is paid out" in operator.get(page).text
    assert operator.post(f"{page}/suspend", seen_at=page, reason="").status_code == 409
    with untold(operated, "merchant.suspend", number):
        assert (
            operator.post(f"{page}/suspend", seen_at=page, reason="no contract").status_code == 500
        )
    assert operated.value("SELECT state FROM merchants WHERE merchant_id = $1", number) == "active"
    assert operator.post(f"{page}/suspend", seen_at=page, reason="no contract").status_code == 303
    assert (
        operated.value("SELECT state FROM merchants WHERE merchant_id = $1", number) == "suspended"
    )
    assert operator.post(f"{page}/resume", seen_at=page, reason="signed").status_code == 303
    assert operated.value("SELECT state FROM merchants WHERE merchant_id = $1", number) == "active"
    assert did(operated, number)[-2:] == ["merchant.suspend", "merchant.resume"]
    assert did(operated, 0)[-3:] == ["merchant.add", "merchant.suspend", "merchant.resume"]


def test_a_form_sent_many_times_adds_one_merchant(
    operated: RunningGateway, operator: Console
) -> None:
    form = {
        "name": "Twice Pressed",
        "mode": "sandbox",
        "act_id": operator.field("all/merchants", "act_id"),
    }
    token = operator.token("you")
    with ThreadPoolExecutor(8) as pool:
        sent = [
            pool.submit(
                operator.http.post, "/console/all/merchants", data=form | {"form_token": token}
            )
            for _ in range(8)
        ]
        answers = [each.result() for each in sent]
    (number,) = (
        row["merchant_id"]
        for row in operated.rows("SELECT merchant_id FROM merchants WHERE name = 'Twice Pressed'")
    )
    assert sorted(each.status_code for each in answers) == [200] + [303] * 7, (
        "the secrets are shown once"
    )
    led = {each.headers["location"] for each in answers if each.status_code == 303}
    assert led == {f"/console/all/merchants/{number}?said=merchant_added_before"}
    assert "replace what is lost" in operator.http.get(led.pop()).text
    other = operator.post("all/merchants", **(form | {"name": "Another Name"}))
    assert (other.status_code, "act_id was" in other.text) == (409, True)
    assert operator.post("all/merchants", name="No Number", mode="live").status_code == 409
    assert operated.rows("SELECT FROM merchants WHERE name IN ('Another Name', 'No Number')") == []
    alike = operator.post(
        "all/merchants", **(form | {"act_id": operator.field("all/merchants", "act_id")})
    )
    assert "shown only now" in alike.text, "two shops may have one name"
    assert did(operated, 0).count("merchant.add") == operated.value(
        "SELECT count(DISTINCT about) FROM trail_entries WHERE merchant_id = 0 AND act ="
        " 'merchant.add'"
    )


def test_payments_of_all_merchants_are_listed_and_found_by_their_ids(
    operated: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    order_id = pay(operated, shop, browser, 123_400)
    told = shop.becomes(order_id, 200, 123_400)
    listed = operator.get("all/across/payments").text
    assert order_id in listed
    assert "The operated" in listed
    assert order_id not in operator.get("all/across/payments", state="failed").text
    day_before = str((clock_of(operated) - timedelta(days=9)).date())
    assert (
        order_id not in operator.get("all/across/payments", since=day_before, until=day_before).text
    )
    for known in (order_id, told.transaction_id, told.rrn):
        answer = operator.get("all/across/search", q=known)
        assert answer.headers["location"].endswith(
            f"/{shop.merchant.number}/payments/{told.transaction_id}"
        )
    assert "Nothing is called" in operator.get("all/across/search", q="nobody's").text


def test_a_held_payment_is_released_or_rejected_with_a_reason(
    operated: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    (rules := operated.data_dir / "hold.toml").write_text(HOLD)
    operated.operate(
        "risk", "publish", str(rules), "--merchant", str(shop.merchant.number), "--by", "asha"
    )
    states = {}
    for decision, status in (("release", "paid"), ("reject", "failed")):
        order_id = pay(operated, shop, browser, 6_000_000)
        query = (
            "SELECT payment_id, state::text FROM payments WHERE merchant_id = $1 AND order_id = $2"
        )

        def held(order_id: str = order_id, query: str = query) -> dict[str, object] | None:
            (row,) = operated.rows(query, shop.merchant.number, order_id)
            return row if row["state"] == "under_review" else None

        number = until(held, "the payment to be held")["payment_id"]
        assert order_id in operator.get("all/reviews").text
        path = f"all/reviews/{shop.merchant.number}/{number}"
        assert (
            operator.post(path, seen_at="all/reviews", decision=decision, reason="").status_code
            == 409
        )
        with untold(
            operated,
            "review.released" if decision == "release" else "review.rejected",
            shop.merchant.number,
        ):
            assert (
                operator.post(
                    path, seen_at="all/reviews", decision=decision, reason="we called"
                ).status_code
                == 500
            )
        assert operated.rows(query, shop.merchant.number, order_id)[0]["state"] == "under_review"
        answer = operator.post(
            path, seen_at="all/reviews", decision=decision, reason="we called them"
        )
        assert "said=review_" in answer.headers["location"]
        states[status] = operated.rows(query, shop.merchant.number, order_id)[0]["state"]
        assert order_id not in operator.get("all/reviews").text
    assert states["paid"] == "paid"
    assert states["failed"] != "under_review"
    assert did(operated, shop.merchant.number)[-2:] == ["review.released", "review.rejected"]


def test_an_open_dispute_stands_by_its_deadline(
    operated: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    order_id = pay(operated, shop, browser, 70_000)
    shop.becomes(order_id, 200, 70_000)
    reference = operated.value(
        (
            "SELECT merchant_id || '-' || attempt_id FROM attempts WHERE merchant_id = $1 AND"
            " state = 'paid'"
        ),
        shop.merchant.number,
    )
    asked = {"reference": reference, "reason": "13.1"}
    assert operated.bank.post("/control/dispute", json=asked).status_code == 200
    until(lambda: "13.1" in operator.get("all/across/disputes").text, "the dispute")


def test_nobody_else_sees_or_does_any_of_it(operated: RunningGateway, operator: Console) -> None:
    place = operated.demo["merchants"][0]["merchant_id"]
    acts = (f"merchants/{place}/suspend", "merchants", f"reviews/{place}/1", "reconciliation/retry")
    for email, seen, address in ((READER, 404, "198.51.100.63"), (OWNER, 404, "198.51.100.64")):
        with session_of(operated, email, address) as other:
            assert {other.get(f"all/{noun}").status_code for noun in NOUNS} == {seen}
            assert {other.post(f"all/{act}", reason="x").status_code for act in acts} == {404}
            assert (
                other.post(f"{place}/price-plan", document=PLAN, reason="x", act_id="1").status_code
                == 403
            )
    with session_of(operated, READER, "198.51.100.65") as other:
        assert other.post(f"{place}/bank-account", holder="x", act_id="1").status_code == 403
    assert {operator.get(f"all/{noun}").status_code for noun in NOUNS} == {200}


def test_the_operators_reader_looks_and_changes_nothing(operated: RunningGateway) -> None:
    place = operated.demo["merchants"][0]["merchant_id"]
    # By the command: a role that SQL wrote opens nothing.
    operated.invoke("staff", "role", SECOND, "operator_reader")
    try:
        with session_of(operated, SECOND, "198.51.100.66") as reader:
            assert {reader.get(f"all/{noun}").status_code for noun in NOUNS} == {200}
            for act in (
                f"merchants/{place}/suspend",
                f"reviews/{place}/1",
                "reconciliation/retry",
                "merchants",
            ):
                assert reader.post(f"all/{act}", reason="x").status_code == 403
            assert "Add a merchant" not in reader.get("all/merchants").text
    finally:
        operated.invoke("staff", "role", SECOND, "operator_finance")
