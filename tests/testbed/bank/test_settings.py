"""Settings of the bank: what is missing or malformed is named, and the key is shown nowhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hundi_testbed.bank.settings import BankSettingsError, load_settings, origin

KEY = "k" * 16
GOOD = {"HUNDI_SIMBANK_DATABASE_URL": "postgresql://h/d", "HUNDI_ACQUIRER_KEY": KEY}


def test_defaults() -> None:
    settings = load_settings(GOOD)
    assert settings.callback_url == "http://127.0.0.1:8080/callbacks/sandbox"
    assert settings.return_origins == ("http://127.0.0.1:8080",)
    assert (settings.timings.pending_s, settings.timings.deemed_s) == (20, 60)
    assert KEY not in repr(settings)


def test_the_key_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "acquirer_key"
    file.write_text(KEY + "\n")
    given = {
        "HUNDI_SIMBANK_DATABASE_URL": "postgresql://h/d",
        "HUNDI_SIMBANK_ACQUIRER_KEY_FILE": str(file),
    }
    assert load_settings(given).acquirer_key == KEY.encode()


def test_several_return_origins() -> None:
    given = GOOD | {"HUNDI_SIMBANK_RETURN_ORIGINS": "https://pay.example, http://127.0.0.1:8080/x"}
    assert load_settings(given).return_origins == ("https://pay.example", "http://127.0.0.1:8080")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HUNDI_SIMBANK_DATABASE_URL", ""),
        ("HUNDI_ACQUIRER_KEY", "short"),
        ("HUNDI_SIMBANK_GATEWAY_URL", "ftp://x"),
        ("HUNDI_SIMBANK_RETURN_ORIGINS", "nowhere"),
        ("HUNDI_SIMBANK_PENDING_SECONDS", "soon"),
        ("HUNDI_SIMBANK_PENDING_SECONDS", "nan"),
        ("HUNDI_SIMBANK_ACQUIRER_KEY_FILE", "/nowhere/key"),
    ],
)
def test_what_is_wrong_is_named(name: str, value: str) -> None:
    given = GOOD | {name: value}
    if name == "HUNDI_SIMBANK_ACQUIRER_KEY_FILE":
        del given["HUNDI_ACQUIRER_KEY"]
    with pytest.raises(BankSettingsError, match=name):
        load_settings(given)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Pay.Example:80/x?y", "http://pay.example"),
        ("https://pay.example:8443", "https://pay.example:8443"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://good@evil.example/", ""),
        ("javascript:alert(1)", ""),
        ("//evil.example", ""),
        ("http://x:99999/", ""),
        ("", ""),
    ],
)
def test_origins(url: str, expected: str) -> None:
    assert origin(url) == expected


def test_it_does_not_start_without_settings() -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    }
    command = [sys.executable, "-m", "hundi_testbed.bank"]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert done.returncode != 0
    assert b"HUNDI_SIMBANK_DATABASE_URL is not set" in done.stderr
