"""The operator's pages across merchants: what is shown, what two people change, and who may not."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_subscription_year import advance, clock_of, days_on

READER, OWNER = "reader@demo.example", "asha@demo.example"
NOUNS = (
    "",
    "merchants",
    "across/payments",
    "across/disputes",
    "across/payouts",
    "reviews",
    "reconciliation",
)
HOLD = """
[[rules]]
name = "large"
action = "hold"
when = [{ field = "amount_paise", above = 5000000 }]
"""
PLAN = """
aggregator = true
turnover = "large"
[[rules]]
name = "banks"
channels = ["nb"]
basis_points = 125
[otherwise]
basis_points = 0
"""


@pytest.fixture(scope="module")
def operated(new_folder: NewFolder) -> Iterator[RunningGateway]:
    with RunningGateway(new_folder("operated")) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.61") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, SECOND, "198.51.100.62") as browser:
        yield browser


@pytest.fixture
def shop(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(operated, server, "operated")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


def pay(operated: RunningGateway, shop: Shop, browser: Browser, paise: int) -> str:
    order_id = new_order_id("OP")
    scan(operated, shop.open_page(browser, order_id, paise).upi_link)
    return order_id


def did(operated: RunningGateway, merchant_id: int | str) -> list[str]:
    rows = operated.rows(
        "SELECT act FROM trail_entries WHERE merchant_id = $1 ORDER BY entry_no", int(merchant_id)
    )
    return [row["act"] for row in rows]


@contextmanager
def untold(operated: RunningGateway, act: str, merchant_id: int | str) -> Iterator[None]:
    """Refuse the entry of an act in a trail.

    The operator's own is written first: it must go with the act, too.
    """
    before = did(operated, 0)
    operated.rows(
        "CREATE TRIGGER untold BEFORE INSERT ON trail_entries FOR EACH ROW"
        f" WHEN (NEW.act = '{act}' AND NEW.merchant_id = {int(merchant_id)}) EXECUTE FUNCTION"
        " refuse_change()"
    )
    try:
        yield
    finally:
        operated.rows("DROP TRIGGER untold ON trail_entries")
    assert did(operated, 0) == before


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


def test_a_bank_account_and_a_price_plan_are_changed_by_two_people(
    operated: RunningGateway, operator: Console, second: Console, shop: Shop
) -> None:
    place = str(shop.merchant.number)
    fields = {
        "holder": "Asha Stores",
        "number": "50100012345678",
        "ifsc": "HDFC0000001",
        "reason": "first account",
    }
    asked = operator.post(
        f"{place}/bank-account", seen_at=f"{place}/bank-account", act_id="111", **fields
    )
    again = operator.post(
        f"{place}/bank-account", seen_at=f"{place}/bank-account", act_id="111", **fields
    )
    assert asked.headers["location"] == again.headers["location"]
    assert asked.status_code == 303, asked.text
    other = fields | {"number": "50100099945678"}
    assert operator.post(f"{place}/bank-account", act_id="111", **other).status_code == 409
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    shown = second.get(page).text
    assert "ending 5678" in shown
    assert "50100012345678" not in shown
    assert "Number sealed" not in shown
    accounts = "SELECT last4, added_by FROM bank_accounts WHERE merchant_id = $1"
    own = operator.post(f"{page}/decide", decision="approve")
    assert (own.status_code, operated.rows(accounts, int(place))) == (409, [])
    assert (
        "said=approved"
        in second.post(f"{page}/decide", seen_at=page, decision="approve").headers["location"]
    )
    assert operated.rows(accounts, int(place)) == [{"last4": "5678", "added_by": OPERATOR}]

    wrong = operator.post(
        f"{place}/price-plan", seen_at=f"{place}/price-plan", act_id="222", document="x", reason="y"
    )
    assert (wrong.status_code, "not in order" in wrong.text) == (409, True)
    asked = operator.post(
        f"{place}/price-plan",
        seen_at=f"{place}/price-plan",
        act_id="333",
        document=PLAN,
        reason="agreed",
    )
    assert asked.status_code == 303, asked.text
    page = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    assert operated.rows("SELECT FROM fee_plans WHERE merchant_id = $1", int(place)) == []
    assert (
        "said=approved"
        in second.post(f"{page}/decide", seen_at=page, decision="approve").headers["location"]
    )
    assert "1.25 %" in operator.get(f"{place}/price-plan").text


def test_what_was_asked_for_before_another_change_is_not_done_after_it(
    operator: Console, second: Console, shop: Shop
) -> None:
    place = str(shop.merchant.number)

    def asked(what: str, **fields: str) -> str:
        form = f"{place}/{what}"
        answer = operator.post(form, seen_at=form, reason="agreed", **fields)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"].removeprefix("/console/").partition("?")[0]

    def said_of(page: str) -> str:
        return (
            second.post(f"{page}/decide", seen_at=page, decision="approve")
            .headers["location"]
            .partition("said=")[2]
        )

    fields = {"holder": "Asha Stores", "ifsc": "HDFC0000001"}
    accounts = [
        asked("bank-account", act_id=f"5{each}", number=f"5010001234567{each}", **fields)
        for each in range(2)
    ]
    plans = [
        asked("price-plan", act_id=f"6{each}", document=PLAN.replace("125", f"13{each}"))
        for each in range(2)
    ]
    assert [said_of(each) for each in reversed(accounts)] == ["approved", "approved_in_vain"]
    assert [said_of(each) for each in reversed(plans)] == ["approved", "approved_in_vain"]
    shown = operator.get(f"{place}/bank-account").text
    assert ("5671" in shown, "5670" in shown) == (True, False)


def test_a_payout_is_released_and_a_difference_corrected_by_two_people(
    operated: RunningGateway, operator: Console, second: Console, shop: Shop, browser: Browser
) -> None:
    place = str(shop.merchant.number)
    given = (
        "--holder",
        "Asha Stores",
        "--ifsc",
        "HDFC0000001",
        "--number",
        "50100012345679",
        "--as",
        "asha",
    )
    operated.operate("bank-account", "add", place, *given)
    until(
        lambda: operated.operate("bank-account", "list", place)[0]["state"] == "verified",
        "the account",
    )
    order_id = pay(operated, shop, browser, 200_000)
    shop.becomes(order_id, 200, 200_000)
    day = days_on(operated, 0)
    reference = operated.value(
        (
            "SELECT a.merchant_id || '-' || a.attempt_id FROM attempts a WHERE merchant_id = $1"
            " AND state = 'paid'"
        ),
        int(place),
    )
    mistake = {"date": str(day), "reference": reference, "mistake": "other_fee"}
    assert operated.bank.put("/control/statement", json=mistake).status_code == 200
    # Over the longest row of days without banks: a Friday's money is there on Monday, or later.
    advance(operated, 5 * 86_400)
    operated.operate("settlement", "run", "--merchant", place)
    query = "SELECT payout_id, state FROM payouts WHERE merchant_id = $1"
    payout = until(lambda: operated.rows(query, int(place)), "a payout")[0]["payout_id"]
    path = f"all/across/payouts/{place}/{payout}/release"
    with untold(operated, "payout.propose", place):
        assert operator.post(path, seen="prepared").status_code == 500
    assert operator.post(path, seen="prepared").status_code == 303
    assert "Another person approves it" in operator.get("all/across/payouts").text
    # One person with two addresses is one.
    answers = (
        operator.post(path, seen="proposed"),
        operator.post_called_otherwise(OPERATOR, path, seen="proposed"),
    )
    assert [answer.status_code for answer in answers] == [409, 409]
    older = second.post(path, seen="prepared")
    assert (older.status_code, "look at the list again" in older.text) == (409, True), (
        "it would have been approved"
    )
    assert 'name="seen" value="proposed"' in second.get("all/across/payouts").text
    with untold(operated, "payout.approve", place):
        assert second.post(path, seen="proposed").status_code == 500
    assert "payout_released" in second.post(path, seen="proposed").headers["location"]
    until(lambda: operated.rows(query, int(place))[0]["state"] == "done", "the payout to be done")

    (file := operated.data_dir / "statement.xml").write_bytes(
        operated.bank.get("/statement", params={"date": str(day), "format": "camt053"}).content
    )
    operated.operate(
        "reconcile",
        "import",
        str(file),
        "--format",
        "camt053",
        "--connector",
        "sandbox",
        "--as",
        "asha",
    )
    items = "SELECT item_id, state FROM reconciliation_items WHERE merchant_id = $1"
    item = until(lambda: operated.rows(items, int(place)), "the statement differs from the books")[
        0
    ]["item_id"]
    assert reference in operator.get("all/reconciliation").text
    path = f"all/reconciliation/items/{place}/{item}"
    with untold(operated, "reconciliation.propose", place):
        assert operator.post(path, reason="they keep it").status_code == 500
    answer = operator.post(path, seen_at="all/reconciliation", reason="they keep it")
    assert "said=asked" in answer.headers["location"]
    proposal = operated.value(
        "SELECT proposal_id FROM reconciliation_proposals WHERE merchant_id = $1", int(place)
    )
    path = f"all/reconciliation/proposals/{place}/{proposal}"
    answers = (
        operator.post(path, decision="approve"),
        operator.post_called_otherwise(OPERATOR, path, decision="approve"),
    )
    assert [answer.status_code for answer in answers] == [409, 409]
    with untold(operated, "reconciliation.approve", place):
        assert second.post(path, decision="approve").status_code == 500
    assert operated.rows(items, int(place)) == [{"item_id": item, "state": "open"}]
    approved = second.post(path, seen_at="all/reconciliation", decision="approve")
    assert "said=corrected" in approved.headers["location"]
    assert operated.rows(items, int(place)) == [{"item_id": item, "state": "resolved"}]
    operated.audit()


def test_a_comparison_is_told_before_it_begins(operated: RunningGateway, operator: Console) -> None:
    """It is many transactions: whatever stops it, the trail has who began it."""
    before = did(operated, 0).count("reconciliation.retry")
    with ThreadPoolExecutor(1) as pool:
        operated.rows("BEGIN")
        operated.rows("LOCK TABLE reconciliation_items IN ACCESS EXCLUSIVE MODE")
        try:
            token = operator.token("you")
            form = {"form_token": token, "connector": "sandbox"}
            retried = pool.submit(
                operator.http.post, "/console/all/reconciliation/retry", data=form
            )
            until(lambda: did(operated, 0).count("reconciliation.retry") == before + 1, "the entry")
            assert not retried.done()
        finally:
            operated.rows("COMMIT")
        assert "said=compared" in retried.result().headers["location"]


def test_a_correction_has_two_people_however_many_wait(
    operated: RunningGateway, operator: Console, shop: Shop
) -> None:
    number, email = shop.merchant.number, "tara@ops.example"
    invited = operator.post("all/people", email=email, name="Tara", role="operator_finance").text
    link = re.search(r"/console/join/[\w-]+", invited)
    assert link, invited
    operated.rows(
        "INSERT INTO reconciliation_proposals (merchant_id, proposal_id, owner_id, item_id, debit,"
        " credit,"
        " amount_paise, reason, proposed_by, proposed_at) SELECT $1, 100000000000000 + g, $1, g,"
        " 'acquirer_fees',"
        " 'payable', 100, 'x', $2, now() + g * interval '1 second' FROM generate_series(1, 101) g",
        *(number, OPERATOR),
    )
    try:
        with Console(operated, "198.51.100.67") as third:
            third.join(link[0], email)
            assert third.sign_in(email).headers["location"] == "/console/"
            for place in (1, 101):
                path = f"all/reconciliation/proposals/{number}/{100000000000000 + place}"
                answer = third.post(path, seen_at="all/reconciliation", decision="approve")
                assert "Your own link to sign in was made by who proposed it" in answer.text
    finally:
        operated.rows("DELETE FROM reconciliation_proposals WHERE merchant_id = $1", number)


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
