"""Sealed values open for their purpose only, survive rotation, and show tampering."""

import asyncio
import base64
import concurrent.futures
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from hundi.infra.secrets.key_sources import (
    EncryptionKey,
    KeyCommand,
    KeyFile,
    LostKeyError,
    VaultError,
    new_id,
    new_key,
)
from hundi.infra.secrets.vault import UnknownKeyError, Vault, open_vault
from hundi.infra.settings import Settings
from hundi.kernel.records import replace


def add_key(path: Path) -> None:
    """Put a new key before the others in a key file."""
    file = KeyFile(path)
    file.write({new_id(2): new_key(), **file.read()})


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


@pytest.mark.parametrize(
    "text", [b"", b"\x01", b"\x01\x01", b"\x01\x01a", b"\x02\x01a" + b"0" * 40]
)
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


def test_a_retired_key_derives_as_before_and_opens_nothing() -> None:
    before, after = Vault({"a": OLD}), Vault({"b": NEW, "a": EncryptionKey.of(OLD).retired()})
    assert after.derive_all("p") == (Vault({"b": NEW}).derive("p"), before.derive("p"))
    assert after.derive_of("a", "p") == before.derive("p")
    with pytest.raises(UnknownKeyError):
        after.open(before.seal(b"x", "p"), "p")
    with pytest.raises(VaultError, match="retired"):
        Vault({"a": EncryptionKey.of(OLD).retired()})


def test_the_next_key_is_known_and_changes_nothing_yet() -> None:
    before = Vault({"a": OLD})
    announced = Vault({"a": OLD, "b": replace(EncryptionKey.of(NEW), is_next=True)})
    after = Vault({"b": NEW, "a": OLD})
    assert announced.open(after.seal(b"x", "p"), "p") == b"x"
    assert before.open(announced.seal(b"x", "p"), "p") == b"x"
    assert after.derive("p") in announced.derive_all("p")
    assert (
        before.derive("p")
        == announced.derive("p")
        == announced.derive_oldest("p")
        == after.derive_oldest("p")
    )
    with pytest.raises(VaultError, match="next"):
        Vault({"b": replace(EncryptionKey.of(NEW), is_next=True), "a": OLD})


def test_a_file_says_what_each_key_is_for(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "kek")
    keys = {
        "b": EncryptionKey.of(NEW),
        "c": replace(EncryptionKey.of(OLD), is_next=True),
        "a": EncryptionKey.of(OLD).retired(),
    }
    file.write(keys)
    assert file.read() == keys
    assert (tmp_path / "kek").stat().st_mode & 0o777 == 0o600
    assert base64.b64encode(OLD).decode() not in (tmp_path / "kek").read_text().splitlines()[2]


def test_derived_keys_are_those_of_earlier_versions() -> None:
    """Addresses and hashes that were made before are still read: HKDF in one piece, as it was."""
    whole = HKDF(SHA256(), 32, salt=None, info=b"hundi derive sessions").derive(OLD)
    assert Vault({"a": OLD}).derive("sessions") == whole


def test_a_key_that_the_file_has_by_now_opens_at_once(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, key_file=tmp_path / "kek")
    running = open_vault(settings)
    before = running.derive("p")
    add_key(tmp_path / "kek")
    other = open_vault(settings)
    assert running.open(other.seal(b"x", "p"), "p") == b"x"
    assert running.newest_id == other.newest_id
    assert running.derive_all("p") == (other.derive("p"), before)


async def test_a_process_follows_its_key_file(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "kek", poll_s=0.01)
    file.write({"a": EncryptionKey.of(OLD)})
    vault = Vault(file.read(), file)
    following = asyncio.create_task(vault.follow())
    file.write({"b": EncryptionKey.of(NEW), "a": EncryptionKey.of(OLD)})
    await _until(lambda: vault.newest_id == "b")
    (tmp_path / "kek").write_text("nonsense")
    await asyncio.sleep(0.05)
    assert vault.newest_id == "b", "what cannot be read changes nothing"
    (tmp_path / "kek").unlink()
    await asyncio.sleep(0.05)
    file.write({"a": EncryptionKey.of(OLD)})
    await _until(lambda: vault.newest_id == "a")
    following.cancel()


async def _until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not look():
            await asyncio.sleep(0.01)


def _command(tmp_path: Path, program: str) -> Settings:
    script = tmp_path / "keys.py"
    script.write_text(program)
    return Settings(data_dir=tmp_path, keys_command=f"{sys.executable} -IS '{script}'")


def test_keys_from_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUNDI_ACQUIRER_KEY", "canary")
    encoded = base64.b64encode(NEW).decode()
    program = (
        f"import os; print('b:{encoded}' if not any(n.startswith('HUNDI_') for n in os.environ)"
        " else 'told')"
    )
    vault = open_vault(_command(tmp_path, program))
    assert vault.derive("p") == Vault({"b": NEW}).derive("p")
    assert not (tmp_path / "kek").exists()
    with pytest.raises(LostKeyError, match="HUNDI_KEYS_COMMAND does not hold"):
        open_vault(_command(tmp_path, program), [Vault({"a": OLD}).seal(b"x", "p")])


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('no such secret')", "ended with status 1: no such secret"),
        ("print('sorry')", "not of the form id:base64"),
        ("print('x' * 70000)", "more than 65536 bytes"),
        ("import time; time.sleep(60)", "did not end within"),
    ],
)
def test_a_command_that_brings_no_keys(tmp_path: Path, program: str, said: str) -> None:
    settings = _command(tmp_path, program)
    with pytest.raises(VaultError, match=said):
        KeyCommand(settings.keys_command, seconds_max=0.5).read()


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    for command in ("/nowhere/keys", "'"):
        with pytest.raises(VaultError, match="HUNDI_KEYS_COMMAND cannot be run"):
            open_vault(Settings(data_dir=tmp_path, keys_command=command))


def test_what_is_sealed_for_a_row_opens_in_no_other() -> None:
    vault = Vault({"a": OLD})
    sealed = vault.seal(b"secret", "p", 7, "x")
    assert vault.open(sealed, "p", 7, "x") == b"secret"
    for row in ((), (7,), (8, "x"), (7, "x", "")):
        with pytest.raises(VaultError):
            vault.open(sealed, "p", *row)


def test_what_is_older_than_the_rows_is_taken_over_on_purpose_alone() -> None:
    vault = Vault({"a": OLD})
    older, bound = vault.seal(b"secret", "p"), vault.seal(b"secret", "p", 7)
    with pytest.raises(VaultError):
        vault.open(older, "p", 7)
    taking = vault.opening_unbound()
    assert taking.open(older, "p", 7) == taking.open(bound, "p", 7) == b"secret"
    assert not taking.is_sealed_with_newest(older), "all is sealed anew"
    with pytest.raises(VaultError):
        taking.open(bound, "p", 8)
