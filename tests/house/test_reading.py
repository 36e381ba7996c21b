"""Operators' commands that list or show read from the replica, if there is one."""

import ast

from hundi.verbs.table import all_verbs
from tests.house.source import ROOT

COMMANDS = ROOT / "src/hundi/cli"
PRIMARY = {
    "keys.list_keys": "counts what waits for a new key, just before one is retired",
}
"""Commands that list or show from the primary, and the reasons."""


def asks_the_primary(source: str) -> set[str]:
    """Return the functions of a module that list or show without `reading`."""
    names = set[str]()
    for each in ast.parse(source).body:
        if isinstance(each, ast.FunctionDef) and each.name.startswith(("list_", "show_")):
            calls = [call for call in ast.walk(each) if isinstance(call, ast.Call)]
            runs = [
                call
                for call in calls
                if isinstance(call.func, ast.Name) and call.func.id in {"run", "_run"}
            ]
            if runs and not any(word.arg == "reading" for call in runs for word in call.keywords):
                names.add(each.name)
    return names


def test_what_lists_or_shows_reads_from_the_replica() -> None:
    offences = {
        f"{path.stem}.{name}"
        for path in COMMANDS.glob("*.py")
        for name in asks_the_primary(path.read_text("utf-8"))
    }
    assert offences == set(PRIMARY)


VERBS_OF_PRIMARY = {
    "acquirer history": "what was just changed is looked at",
    "partner certificate": "makes the key that it belongs to where there is none",
    "staff list": "who may sign in counts as it is now",
    "staff sessions": "ends sessions as well",
}
"""Reading verbs that use the primary, and the reasons."""


def test_a_verb_that_looks_reads_from_the_replica() -> None:
    assert {verb.command for verb in all_verbs() if verb.primary} == set(VERBS_OF_PRIMARY)


def test_a_list_of_the_primary_is_found() -> None:
    listing = "def list_payments() -> None:\n    show(run(data_dir, act{}))\n"
    assert asks_the_primary(listing.format("")) == {"list_payments"}
    assert asks_the_primary(listing.format(", reading=True")) == set()
