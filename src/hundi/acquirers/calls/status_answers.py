"""Answers in JSON whose HTTP status says whether a call did anything."""

from http import HTTPStatus
from typing import Any, ClassVar, Self

import msgspec

from hundi.acquirers.calls.aggregators import read_object, text_of
from hundi.acquirers.calls.pages import UnlessRecorded
from hundi.acquirers.port.answers import Declined, Unknown
from hundi.infra.http.client import HttpAnswer

READABLE = (200, 201, 400, 401, 403, 404, 409, 422)
DONE = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})
REFUSED = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})


class StatusAnswer(msgspec.Struct, frozen=True):
    """One answer. status: of HTTP. body: its fields, numbers as text.

    code_names, word_names: the fields that may have the code and the words of an error.
    """

    code_names: ClassVar[tuple[str, ...]] = ("code",)
    word_names: ClassVar[tuple[str, ...]] = ("message",)

    status: int
    body: dict[str, Any]

    @classmethod
    def read(cls, answer: HttpAnswer) -> Self | None:
        """Return an answer, or None when it is no object."""
        body = read_object(answer.body)
        return None if body is None else cls(answer.status, body)

    @property
    def is_done(self) -> bool:
        """Return whether the call was carried out."""
        return self.status in DONE

    @property
    def code(self) -> str:
        """Return the code of an error; "" where there is none."""
        return next(filter(None, (text_of(self.body.get(n), 64) for n in self.code_names)), "")

    def unknown(self) -> Unknown:
        """Return Unknown, for an answer that decides nothing."""
        words = next(filter(None, (text_of(self.body.get(n)) for n in self.word_names)), "")
        return Unknown(self.code, words)

    def refusal(self) -> Declined | Unknown:
        """Return why a call did nothing: finally, where the acquirer says a code, or perhaps."""
        unknown = self.unknown()
        is_final = self.status in REFUSED and unknown.code
        return Declined(unknown.code, unknown.message) if is_final else unknown

    def unless_recorded(self) -> UnlessRecorded:
        """Return the answer to a refused refund, unless the acquirer has a record of it."""
        return UnlessRecorded(self.refusal())

    def is_absence(self, unknown_code: str) -> bool:
        """Return whether the acquirer does not have what was asked for. unknown_code: its word."""
        return bool(unknown_code) and not self.is_done and self.code == unknown_code
