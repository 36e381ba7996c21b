"""One name and one case for each state and method, wherever the console shows it."""

import re
from enum import StrEnum

from hundi.console.lists import words
from hundi.console.names import METHOD_NAMES, method_name
from hundi.console.trail_words import act_words
from hundi.instruments.methods import CHANNEL_OF_METHOD, CHANNELS, METHODS
from hundi.kernel import states
from hundi.verbs.table import all_verbs
from tests.house.source import ROOT

CONSOLE = ROOT / "src/hundi/console"
_MADE_BY = {"success_charts.py": "has names of its own, shorter ones beside bars"}
_RAW_METHOD = re.compile(r"\bwords\([^()]*method[^()]*\)")


def test_a_method_has_one_name_which_begins_with_that_of_its_channel() -> None:
    assert set(METHOD_NAMES) == set(METHODS)
    for method, name in METHOD_NAMES.items():
        assert name.startswith(CHANNEL_OF_METHOD[method].name), method
    for code, channel in CHANNELS.items():
        if code not in METHODS:
            assert method_name(code) == channel.name


def test_no_screen_makes_up_a_name_of_a_method() -> None:
    found = [
        f"{path.name}: {match}"
        for path in CONSOLE.glob("*.py")
        for match in _RAW_METHOD.findall(path.read_text("utf-8"))
        if path.name != "names.py" and path.name not in _MADE_BY
    ]
    assert found == []


def test_each_state_has_one_name_with_a_capital() -> None:
    codes = {
        str(member)
        for kind in vars(states).values()
        if isinstance(kind, type) and issubclass(kind, StrEnum) and kind.__name__.endswith("State")
        for member in kind
    }
    names = [words(code) for code in codes]
    assert len(set(names)) == len(codes)
    for name in names:
        assert re.fullmatch(r"[A-Z][a-z]+( [a-z]+)*", name), name


def test_each_act_of_a_verb_is_said_in_words() -> None:
    for act in {verb.trail for verb in all_verbs() if "." in verb.trail}:
        assert ":" not in act_words(act), act
        assert "." not in act_words(act), act
