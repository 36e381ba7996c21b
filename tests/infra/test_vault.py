"""Sealed values open for their purpose only, survive rotation, and show tampering."""

import base64
import concurrent.futures
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.infra.settings import Settings
from hundi.infra.vault import LostKeyError, UnknownKeyError, Vault, VaultError, add_key, open_vault

OLD, NEW = b"o" * 32, b"n" * 32


@given(st.binary(max_size=300), st.text(max_size=30))
def test_round_trip(plaintext: bytes, purpose: str) -> None:
    vault = Vault({"a": OLD})
    sealed = vault.seal(plaintext, purpose)
    assert vault.open(sealed, purpose) == plaintext
    with pytest.raises(VaultError):
        vault.open(sealed, purpose + "x")


@given(st.integers(min_value=0), st.integers(1, 255))
def test_any_changed_byte_is_noticed(place: int, change: int) -> None:
    vault = Vault({"a": OLD})
    sealed = bytearray(vault.seal(b"secret", "merchant keys"))
    sealed[place % len(sealed)] ^= change
    with pytest.raises(VaultError):
        vault.open(bytes(sealed), "merchant keys")


@pytest.mark.parametrize("text", [b"", b"\x01", b"\x01\x01", b"\x01\x01a", b"\x02\x01a" + b"0" * 40])
def test_what_is_no_sealed_value(text: bytes) -> None:
    with pytest.raises(VaultError):
        Vault({"a": OLD}).open(text, "p")


def test_rotation() -> None:
    before, after = Vault({"a": OLD}), Vault({"b": NEW, "a": OLD})
    sealed = before.seal(b"secret", "p")
    assert after.open(sealed, "p") == b"secret"
    assert not after.is_sealed_with_newest(sealed)
    assert after.is_sealed_with_newest(after.seal(b"secret", "p"))
    with pytest.raises(UnknownKeyError):
        before.open(after.seal(b"secret", "p"), "p")
    assert before.derive("sessions") == after.derive_all("sessions")[1]
    assert len({before.derive("sessions"), after.derive("sessions"), after.derive("other")}) == 3


def test_key_file_is_made_once_and_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, key_file=tmp_path / "kek")
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        derived = set(threads.map(lambda _: open_vault(settings).derive("p"), range(8)))
    assert len(derived) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["kek"]
    assert (tmp_path / "kek").stat().st_mode & 0o777 == 0o600
    sealed = open_vault(settings).seal(b"x", "p")
    add_key(tmp_path / "kek")
    assert open_vault(settings).open(sealed, "p") == b"x"
    assert not open_vault(settings).is_sealed_with_newest(sealed)


def test_a_key_file_others_can_read_is_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, key_file=tmp_path / "kek")
    open_vault(settings)
    (tmp_path / "kek").chmod(0o644)
    with pytest.raises(VaultError, match="chmod 600"):
        open_vault(settings)


def test_a_lost_key_file_is_not_replaced(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, key_file=tmp_path / "kek")
    sealed = open_vault(settings).seal(b"x", "p")
    (tmp_path / "kek").rename(tmp_path / "elsewhere")
    with pytest.raises(LostKeyError, match=r"no key file .*restore the key file"):
        open_vault(settings, [sealed])
    assert not (tmp_path / "kek").exists()
    open_vault(settings)
    with pytest.raises(LostKeyError, match=r"sealed with the key k1-.*does not hold"):
        open_vault(settings, [sealed])
    (tmp_path / "elsewhere").replace(tmp_path / "kek")
    add_key(tmp_path / "kek")
    assert open_vault(settings, [sealed]).open(sealed, "p") == b"x"


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kek"
    path.write_bytes(b"\xff\xfe")
    path.chmod(0o600)
    with pytest.raises(VaultError, match=r"the key file .* cannot be read"):
        open_vault(Settings(data_dir=tmp_path, key_file=path))


def test_keys_from_the_environment() -> None:
    text = f"b:{base64.b64encode(NEW).decode()},a:{base64.b64encode(OLD).decode()}"
    assert open_vault(Settings(keys=text)).derive("p") == Vault({"b": NEW}).derive("p")
    for wrong in ("b", "b:###", f"b:{base64.b64encode(b'short').decode()}"):
        with pytest.raises(VaultError):
            open_vault(Settings(keys=wrong))


def test_a_vault_shows_no_key() -> None:
    assert repr(Vault({"a": OLD})) == "Vault(a)"
