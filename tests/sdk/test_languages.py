"""Generated files of `sdks` are as the table of operations has them, vectors as Python answers."""

import json

import pytest

from tools.sdks import model, vectors
from tools.sdks.check import is_right
from tools.sdks.peer import answer
from tools.sdks.write import PAGES, ROOT


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_file_is_as_the_table_has_it(page: str) -> None:
    # Go's own formatter aligns: only spaces may differ.
    assert (ROOT / page).read_text("utf-8").split() == PAGES[page]().split(), (
        "run: make sdks-written"
    )


@pytest.mark.parametrize("name", vectors.FILES)
def test_a_file_of_vectors_is_as_python_answers(name: str) -> None:
    kept = (vectors.FOLDER / f"{name}.json").read_text("utf-8")
    assert kept == vectors.written(name), "run: make sdks-written"


def test_python_answers_the_vectors_that_were_made_by_hand() -> None:
    cases = json.loads((vectors.FOLDER / "handmade.json").read_text("utf-8"))["cases"]
    assert len(cases) > 10
    for case in cases:
        assert is_right(answer(case), {"gives": case["gives"]}), case["name"]


def test_every_operation_is_written_and_no_message_twice() -> None:
    names = [message.name for message in model.messages()]
    assert len(names) == len(set(names))
    assert {each.request for each in model.operations()} <= set(names)
    assert {each.reply for each in model.operations()} <= set(names)


def test_a_pattern_of_refused_beginnings_is_split() -> None:
    assert model.split_pattern("^(?!approval-|link-)[a-z]+$") == (
        "^[a-z]+$",
        ("approval-", "link-"),
    )
    assert model.split_pattern("^[a-z]+$") == ("^[a-z]+$", ())
