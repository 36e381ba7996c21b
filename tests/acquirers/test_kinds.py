"""Acquirers come from settings and entry points; what cannot be opened is said in words that name it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hundi.acquirers.kinds import AcquirerConfigurationError, kind_of, open_registry
from hundi.acquirers.memory import ShortMemory
from hundi.acquirers.sandbox.connector import SandboxConnector

GOOD = {"kind": "sandbox", "url": "http://127.0.0.1:9", "key": "k" * 16}
ENTRY_POINTS = """
[hundi.acquirers]
absent = no_such_module:KIND
unfit = plugged_in:NOT_A_KIND
renamed = plugged_in:RENAMED
live = plugged_in:LIVE
"""
PLUGGED_IN = """
from hundi.acquirers.kinds import AcquirerKind
from hundi.acquirers.sandbox.kind import SandboxSettings
from hundi.acquirers.memory import ShortMemory
from hundi.acquirers.sandbox.connector import SandboxConnector

NOT_A_KIND = object()
class Live(SandboxConnector):
    simulated = False

LIVE = AcquirerKind(SandboxSettings, lambda name, own, _context: Live(own.url, b"", name=name))
RENAMED = AcquirerKind(SandboxSettings, lambda _name, own, _context: SandboxConnector(own.url, b"", name="other"))
"""


def callback_url(name: str) -> str:
    return f"https://pay.example.in/callbacks/{name}"


@pytest.fixture
def _plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a distribution with plug-ins that are broken in one way each."""
    (tmp_path / "plugged_in.py").write_text(PLUGGED_IN)
    described = tmp_path / "plugged_in-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-in\nVersion: 1\n")
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return


async def test_several_of_one_kind_each_with_settings_of_its_own() -> None:
    north = GOOD | {"url": "http://127.0.0.1:1"}
    registry = open_registry({"north": north, "south": GOOD}, callback_url, ShortMemory())
    assert [each.name for each in registry.all()] == ["north", "south"]
    assert registry.browser_origins == ("http://127.0.0.1:1", "http://127.0.0.1:9")
    await registry.close()


def test_the_first_that_serves_a_method_does_unless_it_is_restricted_to_others() -> None:
    registry = open_registry(
        {"north": GOOD | {"methods": ["card", "netbanking"]}, "south": GOOD}, callback_url, ShortMemory()
    )
    chosen = {method: registry.default_for(method) for method in ("card", "netbanking", "upi_qr", "wallet")}
    assert {method: each and each.name for method, each in chosen.items()} == {
        "card": "north",
        "netbanking": "north",
        "upi_qr": "south",
        "wallet": "south",
    }


def test_methods_may_be_one_text_as_variables_hold_it() -> None:
    registry = open_registry({"north": GOOD | {"methods": "card, wallet"}}, callback_url, ShortMemory())
    assert registry.channels == {"pg", "ppc"}


def test_none_is_no_fault() -> None:
    assert open_registry({}, callback_url, ShortMemory()).all() == ()


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("north", {"kind": ""}, r"acquirers\.north: kind is missing; installed are: .*sandbox"),
        ("north", {"kind": "nobody"}, r"acquirers\.north: kind nobody is not installed; installed are: .*sandbox"),
        (
            "north",
            {"colour": "red"},
            "north: colour: not a field of this kind, which has kind, methods, url",
        ),
        ("north", {"key": "short"}, r"acquirers\.north: .*length >= 16.*key"),
        ("north", {"url": "bank"}, r"acquirers\.north: .*url"),
        ("north", {"methods": ["cash"]}, r"acquirers\.north: methods: it cannot do cash; it can do upi_qr"),
        ("north", {"methods": 4}, r"acquirers\.north: methods: a list of names"),
        ("North", {}, r"acquirers\.North: a name is of small letters"),
        ("a__b", {}, r"acquirers\.a__b: a name is of small letters"),
    ],
)
def test_what_cannot_be_used_is_said(name: str, change: dict[str, object], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=words):
        open_registry({name: GOOD | change}, callback_url, ShortMemory())


def test_a_missing_field_is_named() -> None:
    with pytest.raises(AcquirerConfigurationError, match=r"acquirers\.north: .*missing required field `key`"):
        open_registry({"north": {"kind": "sandbox", "url": "http://127.0.0.1:9"}}, callback_url, ShortMemory())


@pytest.mark.usefixtures("_plugged_in")
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("absent", "no_such_module:KIND cannot be loaded: ModuleNotFoundError"),
        ("unfit", "plugged_in:NOT_A_KIND is no AcquirerKind"),
        ("renamed", "its plug-in calls it other"),
    ],
)
def test_a_broken_plug_in_is_named(kind: str, words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=words):
        open_registry({"north": GOOD | {"kind": kind}}, callback_url, ShortMemory())


def test_the_simulator_keeps_the_name_that_its_attempts_are_stored_with() -> None:
    assert SandboxConnector("http://127.0.0.1:9", b"k").name == "sandbox"


@pytest.mark.usefixtures("_plugged_in")
def test_a_simulated_acquirer_beside_a_live_one_is_refused() -> None:
    with pytest.raises(AcquirerConfigurationError, match="sandbox only simulates payments and north takes real money"):
        open_registry({"sandbox": GOOD, "north": GOOD | {"kind": "live"}}, callback_url, ShortMemory())


@pytest.mark.parametrize("kind", ["cashfree", "payu", "phonepe", "razorpay"])
def test_a_real_acquirer_says_what_to_try_before_money_moves(kind: str) -> None:
    checks = kind_of("one", {"kind": kind}).checks
    assert len({each.name for each in checks}) == len(checks) > 5
    assert all(each.called and each.expected for each in checks)
    assert any(each.paid for each in checks)
