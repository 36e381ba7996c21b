"""A plan of payouts by its form: rows, faults at their fields, tried, compared and published."""

import html
import re
from collections.abc import Iterator

import pytest

from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.test_console_integration import OPERATOR
from tests.system.test_console_payments import session_of

PATH = "all/payout-routing"
LARGE = {"r1_name": "large", "r1_use_sandbox": "3", "r1_above_paise": "200000"}


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.80") as browser:
        yield browser


def published(operator: Console, page: str) -> str:
    """Publish the plan that a page shows, and return the page that follows."""
    document = re.search(r"<textarea[^>]*>\s*(.*?)</textarea>", page, re.DOTALL)
    seen = re.search(r'name="seen" value="(\d+)"', page)
    assert document
    assert seen
    answer = operator.post(PATH, document=html.unescape(document[1]), seen=seen[1])
    assert answer.status_code == 303, answer.text[:2_000]
    return operator.get(PATH).text


def test_a_plan_of_payouts_is_made_in_its_form_and_compared_before_it_counts(
    gateway: RunningGateway, operator: Console
) -> None:
    form = f"{PATH}/form"
    assert 'id="r1_rails_neft"' in operator.get(form).text
    grown = operator.post(form, **LARGE, act="add c").text
    assert 'id="c1_rail"' in grown
    wrong = operator.post(form, **LARGE, r1_rails_pigeon="1", act="review")
    assert wrong.status_code == 409
    assert 'id="r1_rails-fault"' in wrong.text
    first = operator.post(form, **LARGE, r1_rails_neft="1", seen="0", act="review").text
    assert "On the payouts of the last 30 days" in first
    assert "Changed from version" not in first, "there is none in force"
    assert "large" in published(operator, first)
    typed = {**LARGE, "r1_rails_neft": "2", "r1_rails_rtgs": "1", "seen": "1"}
    again = html.unescape(operator.post(form, **typed, act="review").text)
    assert "Changed from version 1" in again
    assert '<ins>+ rails = ["rtgs", "neft"]</ins>' in again
    assert "Version 2 is in force" in published(operator, again)
    assert "rtgs" in str(gateway.operate("payout", "plan", "show"))
