"""Files, modules and classes have names and first sentences that say what they are for."""

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from tests.house.source import Source, assert_kept, everything, ours

VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)")


def vague_name(source: Source) -> Iterator[str]:
    """Find a file with a meaningless name."""
    if VAGUE_NAMES.search(source.stem):
        yield f" {source.stem} says nothing"


def no_opening(source: Source) -> Iterator[str]:
    """Find a module without a sentence that says what it is for."""
    if not ast.get_docstring(source.tree):
        yield "1 no sentence says what this module is for"


ELSEWHERE = re.compile(r"src/hundi/acquirers/(?!port/|calls/|contract/)\w+/")
"""The package of one acquirer's connector, which uses its acquirer's words."""
SEVERAL = {
    "BankAccount": "of a payout, and what the SDK shows of it",
    "Buyer": "as it is sent, as an order keeps it, and the SDK's",
    "DisputePhase": "its name, and what the SDK shows of one",
    "RefundResult": "of the wire; the SDK's adds an error",
    "Subscription": "as it is kept, and the SDK's",
    "TerminalSale": "as an acquirer tells it, and as a partner does",
}
"""Names of several classes, and what each class is."""
ANYTHING = {
    *("Asked", "Said", "Told", "Taken", "Made", "Given", "Kept", "Wanted", "Found", "Done"),
    *("Moved", "Named", "Known", "Issued", "Decided", "Checked", "Compared", "Account", "Filters"),
}
"""Names that could mean anything."""


def classes(sources: Iterable[Source]) -> Iterator[tuple[str, str]]:
    """Yield the name of each class of a module, and its file."""
    for source in sources:
        yield from (
            (each.name, source.name) for each in source.tree.body if isinstance(each, ast.ClassDef)
        )


def of_several(sources: Iterable[Source]) -> dict[str, list[str]]:
    """Return the names of several classes, with their files.

    Connectors of several acquirers may share a name; one acquirer's package has it once, and no
    class outside has it too.
    """
    files_of: dict[str, list[str]] = {}
    for name, file in classes(sources):
        if not name.startswith("_"):
            files_of.setdefault(name, []).append(file)
    return {name: files for name, files in files_of.items() if not _are_of_acquirers(files)}


def _are_of_acquirers(files: list[str]) -> bool:
    """Return whether classes of one name are each the only one, or of acquirers of their own."""
    packages = [found[0] for file in files if (found := ELSEWHERE.match(file))]
    return len(files) == 1 or len({*packages}) == len(files)


def test_a_class_has_a_name_of_its_own() -> None:
    assert {name: where for name, where in of_several(ours()).items() if name not in SEVERAL} == {}
    assert {*SEVERAL} == {*of_several(ours())}, "names that are unique by now"


def test_no_class_is_named_for_anything() -> None:
    named = [found for found in classes(ours()) if not ELSEWHERE.match(found[1])]
    assert [found for found in named if found[0] in ANYTHING] == []


def test_there_is_something_to_check() -> None:
    assert len(ours()) > 50
    assert len(everything()) > len(ours())


def test_no_vague_names() -> None:
    assert_kept(vague_name, everything())


def test_a_module_opens_with_one_sentence() -> None:
    assert_kept(no_opening, ours())


# --- the rules find what they are for ---


@pytest.mark.parametrize(
    "stem", ["utils", "http_util", "helpers_of_tests", "card_manager", "misc", "common"]
)
def test_a_vague_name_is_found(stem: str) -> None:
    assert list(vague_name(Source(f"src/{stem}.py", ""))) == [f" {stem} says nothing"]


def test_other_names_are_left_alone() -> None:
    assert list(vague_name(Source("src/utilisation.py", ""))) == []


def test_a_module_without_a_sentence_is_found() -> None:
    assert list(no_opening(Source("a.py", "import os\n"))) == [
        "1 no sentence says what this module is for"
    ]
    assert list(no_opening(Source("a.py", '"""Cards."""\nimport os\n'))) == []


def test_a_name_of_two_classes_is_found() -> None:
    two = [
        Source("src/hundi/a.py", "class Line: ..."),
        Source("src/hundi/b.py", "class Line: ...\nclass _Own: ..."),
    ]
    assert of_several(two) == {"Line": ["src/hundi/a.py", "src/hundi/b.py"]}
    ours_and_theirs = [*two[:1], Source("src/hundi/acquirers/payu/a.py", "class Line: ...")]
    assert of_several(ours_and_theirs) == {
        "Line": ["src/hundi/a.py", "src/hundi/acquirers/payu/a.py"]
    }


def test_acquirers_may_share_a_name_and_one_has_it_once() -> None:
    payu, paytm, twice = (
        Source(f"src/hundi/acquirers/{file}.py", "class Line: ...")
        for file in ("payu/a", "paytm/a", "payu/b")
    )
    assert of_several([payu, paytm]) == {}
    assert [*of_several([payu, paytm, twice])] == ["Line"]
    assert [*of_several([payu, Source("src/hundi/acquirers/port/a.py", "class Line: ...")])] == [
        "Line"
    ]
