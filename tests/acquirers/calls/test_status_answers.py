"""Answers whose HTTP status says whether a call did anything."""

import pytest

from hundi.acquirers.calls.pages import UnlessRecorded
from hundi.acquirers.calls.status_answers import StatusAnswer
from hundi.acquirers.port.answers import Declined, Unknown
from hundi.infra.http.client import HttpAnswer

NO = {"code": "NO_FUNDS", "message": "too much"}


@pytest.mark.parametrize(("status", "is_done"), [(200, True), (201, True), (400, False)])
def test_only_a_good_status_is_done(status: int, *, is_done: bool) -> None:
    assert StatusAnswer(status, {}).is_done is is_done


@pytest.mark.parametrize(
    ("status", "body", "refusal"),
    [
        (400, NO, Declined("NO_FUNDS", "too much")),
        (422, NO, Declined("NO_FUNDS", "too much")),
        (400, {"message": "too much"}, Unknown("", "too much")),
        (404, NO, Unknown("NO_FUNDS", "too much")),
        (409, NO, Unknown("NO_FUNDS", "too much")),
    ],
)
def test_a_refusal_is_final_only_with_a_code_and_a_status_that_refuses(
    status: int, body: dict[str, str], refusal: object
) -> None:
    answer = StatusAnswer(status, body)
    assert answer.refusal() == refusal
    assert answer.unless_recorded() == UnlessRecorded(answer.refusal())


def test_an_absence_is_told_by_a_known_code_alone() -> None:
    absent = StatusAnswer(404, {"code": "NOT_FOUND"})
    assert absent.is_absence("NOT_FOUND")
    assert not absent.is_absence("")
    assert not absent.is_absence("OTHER")
    assert not StatusAnswer(200, {"code": "NOT_FOUND"}).is_absence("NOT_FOUND")


def test_what_is_no_object_is_no_answer() -> None:
    assert StatusAnswer.read(HttpAnswer(200, b"[]", 1, {})) is None
    assert StatusAnswer.read(HttpAnswer(200, b'{"a": 1}', 1, {})) == StatusAnswer(200, {"a": "1"})
