"""Stored secrets: AES-256-GCM under keys that are kept outside the database and can be rotated.

Sealed form: one byte of version, one byte length of the key's id, the id, 12 bytes of nonce,
ciphertext and tag. The purpose is authenticated with it, so a value sealed for one column cannot be
opened as another.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from hundi.infra.logs import get_logger
from hundi.infra.secrets.key_sources import (
    KEY_BYTES,
    RESTORE,
    EncryptionKey,
    KeyFile,
    KeySource,
    LostKeyError,
    VaultError,
    key_source,
)
from hundi.infra.settings import Settings

_NONCE_BYTES = 12
_VERSION = 1
_REREAD_S_MIN = 1.0
"""Between two reads of the source for an unknown key: anybody can send a value that names one."""
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}\Z")
_log = get_logger(__name__)


class UnknownKeyError(VaultError):
    """The value was sealed under a key that this process does not have."""


@dataclass(frozen=True, slots=True, repr=False)
class _Ring:
    """The keys of one moment, replaced as a whole when the source changes."""

    newest: str
    keys: Mapping[str, EncryptionKey]
    ciphers: Mapping[str, AESGCM]
    derived: dict[str, tuple[bytes, ...]]

    @classmethod
    def of(cls, keys: Mapping[str, EncryptionKey]) -> "_Ring":
        if not keys:
            message = "a vault needs at least one key-encryption key"
            raise VaultError(message)
        for key_id, key in keys.items():
            if not _KEY_ID.match(key_id) or len(key.secret or key.root) != KEY_BYTES:
                message = (
                    f"a key-encryption key has an id of 1 to 32 of A-Z a-z 0-9 _ - and {KEY_BYTES}"
                    " bytes"
                )
                raise VaultError(message)
        newest = next(iter(keys))
        ciphers = {
            key_id: AESGCM(key.secret) for key_id, key in keys.items() if key.secret is not None
        }
        if newest not in ciphers or keys[newest].is_next:
            message = (
                f"the first key {newest} is a retired or a next one: nothing can be sealed under it"
            )
            raise VaultError(message)
        return cls(newest, dict(keys), ciphers, {})


class Vault:
    """Seals and opens values, and derives keys. Cheap to share; safe from any thread."""

    def __init__(
        self, keys: Mapping[str, bytes | EncryptionKey], source: KeySource | None = None
    ) -> None:
        """Take key-encryption keys of 32 bytes by id, newest first.

        source: where to read them again.
        """
        self._ring = _Ring.of(
            {
                name: key if isinstance(key, EncryptionKey) else EncryptionKey.of(key)
                for name, key in keys.items()
            }
        )
        self._source = source
        self._read_at = 0.0
        self._opens_unbound = False

    def __repr__(self) -> str:
        """Show the ids only."""
        return f"Vault({', '.join(self._ring.keys)})"

    def seal(self, plaintext: bytes, purpose: str, *row: object) -> bytes:
        """Return the plaintext sealed under the newest key, for this purpose and row only.

        row: the key of the row that holds it; in another row the value cannot be opened.
        """
        ring = self._ring
        header = _header(ring.newest)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return (
            header
            + nonce
            + ring.ciphers[ring.newest].encrypt(nonce, plaintext, header + _bound(purpose, row))
        )

    def open(self, sealed: bytes, purpose: str, *row: object) -> bytes:
        """Return the plaintext.

        Raises UnknownKeyError; VaultError if it was changed, or has another purpose or row.
        """
        key_id, header = _read_header(sealed)
        cipher = self._ring.ciphers.get(key_id) or self._read_again(key_id)
        if cipher is None:
            message = f"no key-encryption key with the id {key_id}"
            raise UnknownKeyError(message)
        nonce = sealed[len(header) : len(header) + _NONCE_BYTES]
        try:
            return cipher.decrypt(
                nonce, sealed[len(header) + _NONCE_BYTES :], header + _bound(purpose, row)
            )
        except (InvalidTag, ValueError) as error:
            if row and self._opens_unbound:
                return self.open(sealed, purpose)
            message = (
                "the sealed value was changed, or sealed for another purpose or row; "
                "after an upgrade: hundi keys reseal --older"
            )
            raise VaultError(message) from error

    def opening_unbound(self) -> "Vault":
        """Return a vault of the same keys that also opens values sealed without their row.

        It counts every value as due to be sealed again, which binds each to the row that holds it
        now.
        """
        vault = Vault(self._ring.keys, self._source)
        vault._opens_unbound = True
        return vault

    def is_sealed_with_newest(self, sealed: bytes) -> bool:
        """Return whether the value is sealed under the newest key."""
        return _read_header(sealed)[0] == self._ring.newest and not self._opens_unbound

    def derive(self, purpose: str) -> bytes:
        """Return 32 bytes for one purpose, from the newest key (HKDF-SHA256)."""
        return self.derive_all(purpose)[0]

    @property
    def newest_id(self) -> str:
        """Return the id of the sealing key."""
        return self._ring.newest

    def derive_of(self, key_id: str, purpose: str) -> bytes:
        """Return 32 bytes for one purpose from one key, even a retired one.

        Raises UnknownKeyError.
        """
        if key_id not in self._ring.keys:
            message = f"no key-encryption key with the id {key_id}"
            raise UnknownKeyError(message)
        return _derive(self._ring.keys[key_id], purpose)

    def derive_all(self, purpose: str) -> tuple[bytes, ...]:
        """Return the bytes of every key, newest first, to check values made before a rotation."""
        ring = self._ring
        if purpose not in ring.derived:
            ring.derived[purpose] = tuple(_derive(key, purpose) for key in ring.keys.values())
        return ring.derived[purpose]

    def derive_oldest(self, purpose: str) -> bytes:
        """Return 32 bytes for one purpose from the oldest key, for values that rotations keep."""
        ring = self._ring
        oldest = [key_id for key_id, key in ring.keys.items() if not key.is_next][-1]
        return self.derive_all(purpose)[list(ring.keys).index(oldest)]

    async def follow(self) -> None:
        """Read the source again at its interval until cancelled: a rotation needs no restart."""
        source = self._source
        while source is not None and source.poll_s is not None:
            await asyncio.sleep(source.poll_s)
            try:
                self._take(
                    source.read() if source.is_quick else await asyncio.to_thread(source.read)
                )
            except VaultError as error:
                # The present keys still seal and open; a start would fail.
                _log.warning("keys_not_read", source=source.origin, error=str(error))

    def _read_again(self, key_id: str) -> AESGCM | None:
        """Return the cipher of a key that the source may have by now."""
        now = time.monotonic()
        if self._source is None or not self._source.is_quick or now - self._read_at < _REREAD_S_MIN:
            return None
        self._read_at = now
        try:
            self._take(self._source.read())
        except VaultError as error:
            _log.warning("keys_not_read", source=self._source.origin, error=str(error))
        return self._ring.ciphers.get(key_id)

    def _take(self, keys: Mapping[str, EncryptionKey]) -> None:
        if list(keys.items()) != list(self._ring.keys.items()):
            self._ring = _Ring.of(keys)
            _log.info("keys_changed", keys=list(keys))


def open_vault(settings: Settings, sealed: Sequence[bytes] = ()) -> Vault:
    """Return the vault of these settings. Raises VaultError.

    sealed: values in the database. A missing key file is created, with one new key, only if there
    are no values: a start with a new key would make more secrets that the lost key cannot open.
    """
    source = key_source(settings)
    if isinstance(source, KeyFile) and not sealed and not source.path.exists():
        source.write_first()
    keys = source.read()
    vault = Vault(keys, source)
    for each in sealed:
        try:
            key_id = _read_header(each)[0]
        except VaultError:
            continue  # damaged: its reader will report it, and the key may exist
        if key_id not in keys or keys[key_id].secret is None:
            message = (
                f"the database was sealed with the key {key_id}, which {source.origin} does not"
                f" hold: {RESTORE}"
            )
            raise LostKeyError(message)
    return vault


def known_keys(settings: Settings) -> Vault:
    """Return the vault of existing keys; none is created. Raises VaultError."""
    return Vault(key_source(settings).read())


def _derive(key: EncryptionKey, purpose: str) -> bytes:
    return HKDFExpand(SHA256(), KEY_BYTES, info=b"hundi derive " + purpose.encode()).derive(
        key.root
    )


def _bound(purpose: str, row: tuple[object, ...]) -> bytes:
    # No text of PostgreSQL has a NUL, so parts cannot run together.
    return "\0".join((purpose, *map(str, row))).encode()


def _header(key_id: str) -> bytes:
    return bytes((_VERSION, len(key_id))) + key_id.encode()


def _read_header(sealed: bytes) -> tuple[str, bytes]:
    if len(sealed) < 2 or sealed[0] != _VERSION or len(sealed) < 2 + sealed[1]:  # noqa: PLR2004 (the two bytes read here)
        message = "this is no sealed value"
        raise VaultError(message)
    header = sealed[: 2 + sealed[1]]
    return header[2:].decode("ascii", "replace"), header
