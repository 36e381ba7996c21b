"""Stored secrets: AES-256-GCM under keys that are kept outside the database and can be rotated.

Sealed form: one byte of version, one byte length of the key's id, the id, 12 bytes of nonce, ciphertext and tag.
The purpose is authenticated with it, so a value sealed for one column cannot be opened as another.
"""

import base64
import binascii
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hundi.infra.errors import OperatorError
from hundi.infra.settings import Settings

KEY_BYTES = 32
_NONCE_BYTES = 12
_VERSION = 1
_RESTORE = "restore the key file from its backup; nothing was changed"
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}\Z")


class VaultError(OperatorError):
    """A sealed value cannot be opened, or the keys cannot be used."""


class UnknownKeyError(VaultError):
    """The value was sealed under a key this process was not given."""


class LostKeyError(VaultError):
    """The key that sealed what the database holds is not there."""


class Vault:
    """Seals and opens values, and derives keys. Cheap to share; safe from any thread."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """Take key-encryption keys of 32 bytes by id, newest first."""
        if not keys:
            message = "a vault needs at least one key-encryption key"
            raise VaultError(message)
        for key_id, key in keys.items():
            if not _KEY_ID.match(key_id) or len(key) != KEY_BYTES:
                message = f"a key-encryption key has an id of 1 to 32 of A-Z a-z 0-9 _ - and {KEY_BYTES} bytes"
                raise VaultError(message)
        self._newest = next(iter(keys))
        self._keys = dict(keys)
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}

    def __repr__(self) -> str:
        """Show the ids only."""
        return f"Vault({', '.join(self._keys)})"

    def seal(self, plaintext: bytes, purpose: str) -> bytes:
        """Return the plaintext sealed under the newest key, to be opened for the same purpose only."""
        header = _header(self._newest)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return header + nonce + self._ciphers[self._newest].encrypt(nonce, plaintext, header + purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """Return the plaintext. Raises UnknownKeyError; VaultError when it was changed or has another purpose."""
        key_id, header = _read_header(sealed)
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            message = f"no key-encryption key with the id {key_id}"
            raise UnknownKeyError(message)
        nonce = sealed[len(header) : len(header) + _NONCE_BYTES]
        try:
            return cipher.decrypt(nonce, sealed[len(header) + _NONCE_BYTES :], header + purpose.encode())
        except (InvalidTag, ValueError) as error:
            message = "the sealed value was changed, or sealed for another purpose"
            raise VaultError(message) from error

    def is_sealed_with_newest(self, sealed: bytes) -> bool:
        """Return whether a rotation has nothing to do for this value."""
        return _read_header(sealed)[0] == self._newest

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes for one purpose, from the newest key (HKDF-SHA256)."""
        return _derive(self._keys[self._newest], purpose)

    @property
    def newest_id(self) -> str:
        """Return the id of the key that seals."""
        return self._newest

    def derive_of(self, key_id: str, purpose: str) -> bytes:
        """Return 32 bytes for one purpose, from the key of this id. Raises UnknownKeyError."""
        if key_id not in self._keys:
            message = f"no key-encryption key with the id {key_id}"
            raise UnknownKeyError(message)
        return _derive(self._keys[key_id], purpose)

    def derive_all(self, purpose: str) -> tuple[bytes, ...]:
        """Return the bytes of every key, newest first: for checking what was made before a rotation."""
        return tuple(_derive(key, purpose) for key in self._keys.values())


def open_vault(settings: Settings, sealed: Sequence[bytes] = ()) -> Vault:
    """Return the vault of these settings. Raises VaultError.

    sealed: values that the database holds. A key file that is not there is made, with one new key, when there are none;
    a start with another key than they were sealed with would make more secrets that the lost key does not open.
    """
    origin, keys = _given_keys(settings, may_make=not sealed)
    vault = Vault(keys)
    for each in sealed:
        try:
            key_id = _read_header(each)[0]
        except VaultError:
            continue  # damaged: its reader will say so, and the key may be there
        if key_id not in keys:
            message = f"the database was sealed with the key {key_id}, which {origin} does not hold: {_RESTORE}"
            raise LostKeyError(message)
    return vault


def known_keys(settings: Settings) -> Vault:
    """Return the vault of keys that must be there; none is made. Raises VaultError."""
    return Vault(_given_keys(settings, may_make=False)[1])


def _given_keys(settings: Settings, *, may_make: bool) -> tuple[str, dict[str, bytes]]:
    """Return the keys, newest first, and where they come from."""
    if settings.keys:
        return "HUNDI_KEYS", _read_keys(settings.keys.replace(",", "\n"), "HUNDI_KEYS")
    path = settings.key_file or settings.data_dir / "kek"
    if not path.exists():
        if not may_make:
            message = f"there is no key file {path}, and the database holds secrets: {_RESTORE}"
            raise LostKeyError(message)
        _write_first(path)
    if path.stat().st_mode & 0o077:
        message = f"{path} can be read by others; run: chmod 600 {path}"
        raise VaultError(message)
    try:
        return str(path), _read_keys(path.read_text("ascii"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        message = f"the key file {path} cannot be read: {error}"
        raise VaultError(message) from error


def add_key(path: Path) -> str:
    """Put a new key before the others in a key file and return its id; from the next start on it seals."""
    known = _read_keys(path.read_text("ascii"), str(path))
    key_id = f"k{len(known) + 1}-{secrets.token_hex(3)}"
    lines = [_line(key_id, secrets.token_bytes(KEY_BYTES)), *(_line(*item) for item in known.items())]
    fresh = _written_beside(path, lines)
    fresh.replace(path)
    return key_id


def _write_first(path: Path) -> None:
    """Make a key file; of several processes that try at once, one wins and all use its key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = _written_beside(path, [_line(f"k1-{secrets.token_hex(3)}", secrets.token_bytes(KEY_BYTES))])
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _written_beside(path: Path, lines: list[str]) -> Path:
    """Write lines to a new private file beside path, on disk before it gets its name: a lost key loses every secret."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _line(key_id: str, key: bytes) -> str:
    return f"{key_id}:{base64.b64encode(key).decode()}"


def _read_keys(text: str, origin: str) -> dict[str, bytes]:
    keys: dict[str, bytes] = {}
    for number, line in enumerate(text.split(), 1):
        key_id, _, encoded = line.partition(":")
        try:
            keys[key_id] = base64.b64decode(encoded, validate=True)
        except binascii.Error as error:
            message = f"{origin}, key {number}: not of the form id:base64"
            raise VaultError(message) from error
    return keys


def _derive(key: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"hundi derive " + purpose.encode()).derive(key)


def _header(key_id: str) -> bytes:
    return bytes((_VERSION, len(key_id))) + key_id.encode()


def _read_header(sealed: bytes) -> tuple[str, bytes]:
    if len(sealed) < 2 or sealed[0] != _VERSION or len(sealed) < 2 + sealed[1]:  # noqa: PLR2004 (the two bytes read here)
        message = "this is no sealed value"
        raise VaultError(message)
    header = sealed[: 2 + sealed[1]]
    return header[2:].decode("ascii", "replace"), header
