"""Payouts worked through in the console: one with all its facts, cancelled, retried, released."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import untold
from tests.system.running import RunningGateway
from tests.system.test_console_acquirer_money import words_of
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_payouts import GOOD, Operators

READER = "reader@demo.example"


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone."""
    with RunningGateway(new_folder("console_payouts")) as running:
        yield running


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.78") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, SECOND, "198.51.100.79") as browser:
        yield browser


@pytest.fixture
def operators(gateway: RunningGateway, server: MerchantServer) -> Iterator[Operators]:
    for shop in open_shop(gateway, server, "payee"):
        people = Operators(shop)
        people.add_account(GOOD)
        with Browser() as browser:
            people.settle(browser)
        yield people


def page_of(operators: Operators, payout: dict[str, Any]) -> str:
    return f"all/across/payouts/{operators.merchant_id}/{payout['payout_id']}"


def ids(payouts: list[dict[str, Any]]) -> list[str]:
    return [each["payout_id"] for each in payouts]


def acts(gateway: RunningGateway, merchant_id: str) -> list[str]:
    query = "SELECT act FROM trail_entries WHERE merchant_id = $1 AND act LIKE 'payout.%'"
    return [each["act"] for each in gateway.rows(f"{query} ORDER BY entry_no", int(merchant_id))]


def test_a_payout_is_cancelled_proposed_anew_and_approved_on_its_page(
    gateway: RunningGateway, operators: Operators, operator: Console, second: Console
) -> None:
    payout = operators.waits_for("prepared")
    page = page_of(operators, payout)
    assert page.removeprefix("all/") in operator.get("all/across/payouts").text
    assert page.removeprefix("all/") in operator.get(f"{operators.merchant_id}/payouts").text
    shown = words_of(operator.get(page).text)
    for told in ("Propose it", "Cancel it", "Asha Stores, ending 9999, HDFC0000001 (verified)"):
        assert told in shown
    assert GOOD not in shown
    assert "Pay its share anew" not in shown
    done = operator.post(f"{page}/cancel", seen_at=page, reason="to another bank")
    assert done.headers["location"] == f"/console/{page}?said=payout_cancelled"
    shown = words_of(operator.get(page).text)
    assert "It was not sent" in shown
    assert "Its share is owed again." in shown
    assert "Cancelled: to another bank" in shown
    with untold(gateway, "payout.propose", operators.merchant_id):
        assert operator.post(f"{page}/retry", seen_at=page).status_code == 500
    token = operator.token(page)
    form = {"form_token": token, "by": "file"}
    with ThreadPoolExecutor(4) as pool:
        sent = [
            pool.submit(operator.http.post, f"/console/{page}/retry", data=form) for _ in range(4)
        ]
        codes = sorted(each.result().status_code for each in sent)
    assert codes == [303, 409, 409, 409], "one form proposes one payout"
    (again,) = operators.payouts("proposed")
    assert (again["by"], again["try_no"], again["share_id"]) == ("file", 2, payout["share_id"])
    told = words_of(operator.get(page).text)
    assert f"Payout {again['payout_id']} pays its share now" in told
    anew = page_of(operators, again)
    assert "You proposed it. Another person approves it." in words_of(operator.get(anew).text)
    alone = operator.post(f"{anew}/release", seen_at=anew, seen="proposed", at="one")
    assert alone.status_code == 409
    renamed = operator.post_called_otherwise(OPERATOR, f"{anew}/release", seen="proposed")
    assert renamed.status_code == 409
    assert f"Payout {payout['payout_id']} Held back Try 1" in words_of(second.get(anew).text)
    answer = second.post(f"{anew}/release", seen_at=anew, seen="proposed", at="one")
    assert answer.headers["location"] == f"/console/{anew}?said=payout_released"
    assert acts(gateway, operators.merchant_id) == [
        "payout.cancel",
        "payout.propose",
        "payout.approve",
    ]
    assert gateway.audit()["holds"]


def test_the_way_is_chosen_by_who_proposes_and_the_page_tells_what_became_of_it(
    gateway: RunningGateway, operators: Operators, operator: Console, second: Console
) -> None:
    payout = operators.waits_for("prepared")
    page = page_of(operators, payout)
    wrong = operator.post(f"{page}/release", seen_at=page, seen="prepared", by="pigeon")
    assert wrong.status_code == 409
    assert ids(operators.payouts("prepared")) == ids([payout])
    proposed = operator.post(f"{page}/release", seen_at=page, seen="prepared", at="one", by="api")
    assert proposed.status_code == 303
    assert second.post(f"{page}/release", seen_at=page, seen="proposed").status_code == 303
    done = operators.waits_for("done")
    told = words_of(operator.get(page).text)
    for part in (done["utr"], "By a provider", "Provider sandbox", "Rail IMPS", "Payout sent"):
        assert part in told, part
    assert "Nothing is to be done now" in told
    assert "of the settlement of" in told
    for act in ("cancel", "retry"):
        late = operator.post(f"{page}/{act}", seen_at="you", reason="too late")
        assert late.status_code == 409
    assert len(operators.payouts("done")) == 1


def test_who_may_not_release_reads_and_does_nothing(
    gateway: RunningGateway, operators: Operators, second: Console
) -> None:
    payout = operators.waits_for("prepared")
    page = page_of(operators, payout)
    with session_of(gateway, READER, "198.51.100.80") as reader:
        assert reader.get(page).status_code == 404, "of a merchant, not of the operator"
        assert reader.post(f"{page}/cancel", reason="no").status_code == 404
    forged = second.http.post(f"/console/{page}/cancel", data={"reason": "forged"})
    assert forged.status_code == 403
    for unknown in ("999999999999999", "1"):
        assert (
            second.get(f"all/across/payouts/{operators.merchant_id}/{unknown}").status_code == 404
        )
    assert second.get(f"{operators.merchant_id}/{page.removeprefix('all/')}").status_code == 404
    assert ids(operators.payouts("prepared")) == ids([payout])
