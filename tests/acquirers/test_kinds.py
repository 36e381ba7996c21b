"""Acquirers come from settings and entry points.

What cannot be opened is said in words that name it.
"""

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hundi.acquirers.kinds import GROUP, AcquirerConfigurationError, kind_of, open_registry
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import SendsToBanks
from hundi.acquirers.sandbox.connector import SandboxConnector

GOOD = {"kind": "sandbox", "url": "http://127.0.0.1:9", "key": "k" * 16}
ENTRY_POINTS = """
[hundi.acquirers]
absent = no_such_module:KIND
unfit = plugged_in:NOT_A_KIND
renamed = plugged_in:RENAMED
live = plugged_in:LIVE
quoting = plugged_in:QUOTING
"""
PLUGGED_IN = """
from hundi.acquirers.kinds import AcquirerKind
from hundi.acquirers.sandbox.kind import SandboxSettings
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.sandbox.connector import SandboxConnector

NOT_A_KIND = object()
class Live(SandboxConnector):
    simulated = False

def quote(_name, own, _context):
    raise ValueError(own.key)

QUOTING = AcquirerKind(SandboxSettings, quote)
LIVE = AcquirerKind(SandboxSettings, lambda name, own, _context: Live(own.url, b"", name=name))
RENAMED = AcquirerKind(
    SandboxSettings, lambda _name, own, _context: SandboxConnector(own.url, b"", name="other")
)
"""


def callback_url(name: str) -> str:
    return f"https://pay.example.in/callbacks/{name}"


@pytest.fixture
def _plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution with plug-ins that are broken in one way each."""
    (tmp_path / "plugged_in.py").write_text(PLUGGED_IN)
    described = tmp_path / "plugged_in-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-in\nVersion: 1\n")
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))


async def test_several_of_one_kind_each_with_settings_of_its_own() -> None:
    north = GOOD | {"url": "http://127.0.0.1:1"}
    registry = open_registry({"north": north, "south": GOOD}, callback_url, ShortMemory())
    assert [each.name for each in registry.all()] == ["north", "south"]
    assert registry.browser_origins == ("http://127.0.0.1:1", "http://127.0.0.1:9")
    await registry.close()


def test_the_first_that_serves_a_method_does_unless_it_is_restricted_to_others() -> None:
    registry = open_registry(
        {"north": GOOD | {"methods": ["card", "netbanking"]}, "south": GOOD},
        callback_url,
        ShortMemory(),
    )
    chosen = {
        method: registry.default_for(method)
        for method in ("card", "netbanking", "upi_qr", "wallet")
    }
    assert {method: each and each.name for method, each in chosen.items()} == {
        "card": "north",
        "netbanking": "north",
        "upi_qr": "south",
        "wallet": "south",
    }


def test_methods_may_be_one_text_as_variables_hold_it() -> None:
    registry = open_registry(
        {"north": GOOD | {"methods": "card, wallet"}}, callback_url, ShortMemory()
    )
    assert registry.channels == {"pg", "ppc"}


def test_none_is_no_fault() -> None:
    assert open_registry({}, callback_url, ShortMemory()).all() == ()


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("north", {"kind": ""}, r"acquirers\.north: kind is missing; installed are: .*sandbox"),
        (
            "north",
            {"kind": "nobody"},
            r"acquirers\.north: kind nobody is not installed; installed are: .*sandbox",
        ),
        (
            "north",
            {"colour": "red"},
            "north: colour: not a field of this kind, which has kind, methods, url",
        ),
        ("north", {"key": "short"}, r"acquirers\.north: .*length >= 16.*key"),
        (
            "north",
            {"url": "bank"},
            (
                r"acquirers\.north: url: it has another form than this: an address that "
                r"begins with http"
            ),
        ),
        (
            "north",
            {"methods": ["cash"]},
            r"acquirers\.north: methods: it cannot do cash; it can do upi_qr",
        ),
        ("north", {"methods": 4}, r"acquirers\.north: methods: a list of names"),
        ("North", {}, r"acquirers\.North: a name is of small letters"),
        ("a__b", {}, r"acquirers\.a__b: a name is of small letters"),
    ],
)
def test_what_cannot_be_used_is_said(name: str, change: dict[str, object], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=words):
        open_registry({name: GOOD | change}, callback_url, ShortMemory())


@pytest.mark.parametrize("kind", [each.name for each in entry_points(group=GROUP)])
def test_every_pattern_is_told_in_words(kind: str) -> None:
    fields = msgspec.structs.fields(kind_of("one", {"kind": kind}).settings)
    metas = [meta for field in fields for meta in getattr(field.type, "__metadata__", ())]
    assert [meta.pattern for meta in metas if meta.pattern and not meta.description] == []


def test_a_missing_field_is_named() -> None:
    with pytest.raises(
        AcquirerConfigurationError, match=r"acquirers\.north: .*missing required field `key`"
    ):
        open_registry(
            {"north": {"kind": "sandbox", "url": "http://127.0.0.1:9"}}, callback_url, ShortMemory()
        )


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


@pytest.mark.usefixtures("_plugged_in")
def test_a_plug_in_that_fails_with_a_secret_in_its_words_is_told_without_them() -> None:
    with pytest.raises(AcquirerConfigurationError) as error:
        open_registry({"north": GOOD | {"kind": "quoting"}}, callback_url, ShortMemory())
    assert str(error.value).endswith("its plug-in cannot open it with these fields: ValueError")


def test_the_simulator_keeps_the_name_that_its_attempts_are_stored_with() -> None:
    assert SandboxConnector("http://127.0.0.1:9", b"k").name == "sandbox"


@pytest.mark.usefixtures("_plugged_in")
def test_a_simulated_acquirer_beside_a_live_one_is_refused() -> None:
    with pytest.raises(
        AcquirerConfigurationError,
        match="sandbox only simulates payments and north takes real money",
    ):
        open_registry(
            {"sandbox": GOOD, "north": GOOD | {"kind": "live"}}, callback_url, ShortMemory()
        )


@pytest.mark.parametrize("kind", ["cashfree", "payu", "phonepe", "razorpay"])
def test_a_real_acquirer_says_what_to_try_before_money_moves(kind: str) -> None:
    checks = kind_of("one", {"kind": kind}).checks
    assert len({each.name for each in checks}) == len(checks) > 5
    assert all(each.called and each.expected for each in checks)
    assert any(each.paid for each in checks)


@pytest.mark.parametrize(
    "name", [each.name for each in entry_points(group=GROUP) if each.name != "sandbox"]
)
@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://api.bank.example", True),
        ("https://api.bank.example:8443/v1", True),
        ("http://127.0.0.1:9/v1", True),
        ("http://localhost:9", True),
        ("http://api.bank.example", False),
        ("http://127.0.0.1.bank.example", False),
        ("https://key@api.bank.example", False),
        ("https://api.bank.example/?to=", False),
        ("ftp://api.bank.example", False),
    ],
)
def test_keys_are_sent_to_nobody_in_the_clear(name: str, url: str, allowed: bool) -> None:  # noqa: FBT001 (a table)
    fields = msgspec.structs.fields(kind_of("any", {"kind": name}).settings)
    addresses = [each.type for each in fields if each.name.endswith("url")]
    assert addresses or name == "iso8583", "a switch is a host and a port, and speaks TLS"
    for each in addresses:
        try:
            taken = msgspec.convert(url, each) == url
        except msgspec.ValidationError:
            taken = False
        assert taken is allowed


@pytest.mark.parametrize("name", ["cashfree", "gateway", "phonepe"])
@pytest.mark.parametrize(
    ("site", "allowed"),
    [
        ("https://pages.bank.example", True),
        ("http://127.0.0.1:9", True),
        ("http://pages.bank.example", False),
        ("javascript://pages.bank.example", False),
        ("https://pages.bank.example/", False),
    ],
)
def test_customers_are_sent_to_sites_alone(name: str, site: str, allowed: bool) -> None:  # noqa: FBT001 (a table)
    fields = msgspec.structs.fields(kind_of("any", {"kind": name}).settings)
    sites = [each.type for each in fields if each.name.endswith("origins")]
    assert sites
    for each in sites:
        try:
            taken = msgspec.convert([site], each) == (site,)
        except msgspec.ValidationError:
            taken = False
        assert taken is allowed


@pytest.mark.parametrize(
    ("kind", "fields", "never"),
    [
        (
            "phonepe",
            {"client_id": "I", "client_secret": "s", "client_version": 1, "environment": "sandbox"},
            {"wallet", "pay_later"},
        ),
        (
            "cashfree",
            {
                "client_id": "I",
                "client_secret": "a secret of nobody",
                "environment": "sandbox",
                "phone_when_unknown": "9000090000",
            },
            {"pay_later"},
        ),
    ],
)
async def test_who_sends_to_banks_is_not_asked_for_what_its_kind_never_has(
    kind: str, fields: dict[str, Any], never: set[str]
) -> None:
    configured = {"one": {"kind": kind, **fields}}
    registry = open_registry(configured, callback_url, ShortMemory())
    (member,) = registry.members
    channels = {"netbanking": "nb", "wallet": "ppc", "pay_later": "payltr"}
    for method, channel in channels.items():
        assert (
            (method in member.methods)
            is (registry.way(channel) is not None)
            is (method not in never)
        )
    sends = registry.first(SendsToBanks)
    assert sends is not None
    listed = await sends.banks()
    assert not isinstance(listed, Unknown)
    assert not {each.method for each in listed} & never, "and its list of banks has none of them"
    configured["one"]["methods"] = sorted(never)
    with pytest.raises(
        AcquirerConfigurationError, match=r"it cannot do .*; it can do .*netbanking"
    ):
        open_registry(configured, callback_url, ShortMemory())
    await registry.close()
