"""BillDesk's answers, whose envelopes were opened."""

from typing import Self, cast

from hundi.acquirers.calls.aggregators import object_of, read_json
from hundi.acquirers.calls.status_answers import StatusAnswer
from hundi.infra.http.client import HttpAnswer

LISTED = "listed"
"""Our name of the field that has an answer which is a list."""


class BillDeskAnswer(StatusAnswer, frozen=True):
    """One answer of BillDesk, whose envelope was opened."""

    code_names = ("error_code", "transaction_error_code")
    word_names = ("message", "transaction_error_desc")

    @classmethod
    def read(cls, answer: HttpAnswer) -> Self | None:
        """Return an answer, a list as the only field of one; None when it is neither."""
        value = read_json(answer.body)
        body = object_of(value)
        if isinstance(value, list):
            body = {LISTED: cast("list[object]", value)}
        return None if body is None else cls(answer.status, body)
