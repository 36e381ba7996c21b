"""What two people of the operator change together: accounts, prices, payouts, corrections."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import PLAN, did, pay, untold
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_subscription_year import advance, days_on


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
    for words in ("<dt>Payee</dt><dd>Asha Stores", "ends with</dt><dd>5678", '/bank-account">'):
        assert words in shown, words
    assert "sealed" not in shown
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
    shown = second.get(page).text
    assert "What changes" in shown
    assert "<ins>+ banks: 1.25 % (Net banking)</ins>" in shown
    assert "basis_points" not in shown
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
