"""Providers come from entry points.

What cannot be opened is said in words that name it and tell no secret.
"""

from pathlib import Path

import pytest

from hundi.partners.registers.plugins import ProviderConfigurationError, open_providers

ENTRY_POINTS = """
[hundi.registers]
state_gst = plugged_registers:open_provider
broken = plugged_registers:broken
absent = no_such_module:open_provider
"""
PLUGGED_IN = """
class StateGst:
    async def close(self):
        pass

def open_provider():
    return StateGst()

def broken():
    raise RuntimeError("the secret is s3cret")
"""


@pytest.fixture(autouse=True)
def _plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plugged_registers.py").write_text(PLUGGED_IN)
    described = tmp_path / "plugged_registers-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: plugged-registers\nVersion: 1\n"
    )
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_named_providers_are_opened_in_their_order_and_no_other() -> None:
    assert open_providers(()) == []
    assert [(name, type(each).__name__) for name, each in open_providers(("state_gst",))] == [
        ("state_gst", "StateGst")
    ]


@pytest.mark.parametrize("name", ["nobody", "broken", "absent"])
def test_what_cannot_be_opened_is_named_without_its_words(name: str) -> None:
    with pytest.raises(ProviderConfigurationError, match=name) as raised:
        open_providers(("state_gst", name))
    assert "s3cret" not in str(raised.value)


def test_an_unknown_name_is_told_what_is_installed() -> None:
    with pytest.raises(ProviderConfigurationError, match="absent, broken, state_gst"):
        open_providers(("nobody",))
