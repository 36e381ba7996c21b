"""Fields of kinds for forms: each has a meaning, and typed texts become what is stored."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from hundi.acquirers.kind_fields import (
    FieldProblem,
    KindField,
    fields_of_kind,
    meanings_of,
    problems_of,
)
from hundi.acquirers.kinds import (
    FIXED,
    LINES,
    MACHINE_FILE,
    SECRET,
    AcquirerKind,
    installed,
    kind_of,
)


class NorthSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account at North. See its page: configure it.

    key: names the account. secret, older: prove calls; 0: none. rails: what it carries, in order
    of trust. limit: of one payout. ratio: of failures.
    """

    key: Annotated[str, msgspec.Meta(pattern="^n_[0-9]+$", description="n_ and digits"), FIXED]
    secret: Annotated[str, msgspec.Meta(min_length=8), SECRET]
    older: Annotated[str, SECRET] = ""
    mode: Literal["live", "test"] = "live"
    rails: tuple[Annotated[str, msgspec.Meta(max_length=4)], ...] = ()
    shapes: dict[str, str] = {}
    queues: bool = True
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    ratio: float = 0.5
    pem: Annotated[str, LINES] = ""
    file: Annotated[str, MACHINE_FILE] = ""


NORTH = AcquirerKind(NorthSettings, lambda *_: None)  # type: ignore[arg-type, return-value] (is never opened)
FIELDS = {each.name: each for each in fields_of_kind(NORTH)}
GOOD = {"key": "n_1", "secret": "long enough", "mode": "live", "queues": "1"}


def test_every_field_of_every_kind_says_what_it_means() -> None:
    silent = [
        (name, field.name)
        for name in installed()
        for field in fields_of_kind(kind_of(name, {"kind": name}))
        if not field.meaning or not field.allowed
    ]
    assert silent == []


def test_every_kind_of_ours_has_a_brand() -> None:
    """A name made from the kind's own has letters that its acquirer writes otherwise."""
    kinds = {name: kind_of(name, {"kind": name}) for name in installed()}
    assert [name for name, kind in kinds.items() if not kind.brand] == []


def test_meanings_are_read_from_the_docstring() -> None:
    assert meanings_of(NorthSettings) == {
        "key": "names the account",
        "secret": "prove calls; 0: none",
        "older": "prove calls; 0: none",
        "rails": "what it carries, in order of trust",
        "limit": "of one payout",
        "ratio": "of failures",
    }


def test_a_kind_without_a_docstring_has_no_meanings() -> None:
    assert meanings_of(msgspec.defstruct("Bare", [("key", str)])) == {}


@pytest.mark.parametrize(
    ("name", "shape", "allowed"),
    [
        ("key", "text", "n_ and digits"),
        ("secret", "text", "at least 8 characters"),
        ("older", "text", "any text"),
        ("mode", "choice", "live or test"),
        ("rails", "list", "one to a line: at most 4 characters"),
        ("shapes", "table", "a JSON object"),
        ("queues", "tick", "on or off"),
        ("limit", "text", "a whole number from 1 to 100"),
        ("ratio", "text", "a number"),
        ("pem", "lines", "any text"),
        ("methods", "list", "names of methods, one to a line"),
    ],
)
def test_a_field_says_what_is_allowed(name: str, shape: str, allowed: str) -> None:
    assert (FIELDS[name].shape, FIELDS[name].allowed) == (shape, allowed)


def test_marks_of_a_kind_are_those_of_its_fields() -> None:
    def marked(mark: str) -> set[str]:
        return {name for name, field in FIELDS.items() if getattr(field, mark)}

    assert marked("is_secret") == {"secret", "older"}
    assert marked("is_fixed") == {"key"}
    assert marked("is_needed") == {"key", "secret"}
    assert marked("is_machine_file") == {"file"}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("key", " n_7 ", "n_7"),
        ("rails", "imps\r\n\r\n neft ", ["imps", "neft"]),
        ("shapes", '{"48": "ans"}', {"48": "ans"}),
        ("queues", "", False),
        ("limit", "7", 7),
        ("ratio", "0.25", 0.25),
        ("pem", "one\r\ntwo\r\n", "one\ntwo"),
    ],
)
def test_a_typed_text_becomes_what_is_stored(name: str, text: str, value: object) -> None:
    field = FIELDS[name]
    assert field.read(text) == value
    assert field.read(field.text_of(value)) == value
    assert field.normal(value) == value


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("queues", True, "on"),
        ("queues", "false", "off"),
        ("rails", ["imps", "neft"], "imps, neft"),
        ("rails", "imps, neft", "imps, neft"),
        ("limit", None, ""),
        ("limit", 7, "7"),
        ("mode", "test", "test"),
    ],
)
def test_a_stored_value_is_told_in_words(name: str, value: object, words: str) -> None:
    assert FIELDS[name].words_of(value) == words


def test_what_does_not_fit_stays_as_it_is_stored() -> None:
    assert FIELDS["limit"].normal("many") == "many"


def values_of(**typed: str) -> tuple[dict[str, Any], tuple[FieldProblem, ...]]:
    return problems_of(tuple(FIELDS.values()), GOOD | typed)


def test_defaults_are_not_stored_and_an_untaken_tick_is() -> None:
    assert values_of() == ({"key": "n_1", "secret": "long enough"}, ())
    assert values_of(queues="", ratio="0.5", mode="test", rails=" ")[0] == {
        "key": "n_1",
        "secret": "long enough",
        "queues": False,
        "mode": "test",
    }


def test_every_wrong_field_is_told_and_a_secret_never_is() -> None:
    _, problems = values_of(key="7", secret="short", limit="101", mode="lively", shapes="{")
    assert problems == (
        FieldProblem("key", "7", "n_ and digits"),
        FieldProblem("secret", "", "at least 8 characters"),
        FieldProblem("mode", "lively", "live or test"),
        FieldProblem("shapes", "{", "a JSON object"),
        FieldProblem("limit", "101", "a whole number from 1 to 100"),
    )
    assert [each.name for each in values_of(key="", secret="")[1]] == ["key", "secret"]


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("limit", "7\nmoney = simulated", "one line of printable characters"),
        ("file", "a\nmoney = simulated", "one line of printable characters"),
        ("file", "a\u2028money = simulated", "one line of printable characters"),
        ("file", "a\x1b[2K", "one line of printable characters"),
        ("file", "a\u202emoc.live", "one line of printable characters"),
        ("pem", "one\ntwo\u2028three", "lines of printable characters"),
        ("rails", "imps\n\x00", "lines of printable characters"),
    ],
)
def test_no_text_has_lines_or_signs_that_its_shape_has_not(
    name: str, text: str, allowed: str
) -> None:
    """A second person reads the settings a line each: no value may look like another setting."""
    assert values_of(**{name: text})[1] == (FieldProblem(name, text, allowed),)


def test_an_error_quotes_no_secret() -> None:
    field: KindField = FIELDS["secret"]
    with pytest.raises(ValueError, match="at least 8 characters") as error:
        field.read("hidden")
    assert "hidden" not in str(error.value)
    assert error.value.__suppress_context__
