"""The sources of key-encryption keys: a file, the environment, or a command.

Keys are text, one a line: `id:base64 of 32 bytes`, the sealing key first. `id:next:base64` is a key
that processes must know before it seals. `id:derive:base64` is the rest of a retired key: it still
makes derived keys, and opens nothing.
"""

import base64
import binascii
import fcntl
import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cryptography.hazmat.primitives import hmac
from cryptography.hazmat.primitives.hashes import SHA256

from hundi.infra.errors import OperatorError
from hundi.infra.secrets.private_files import open_lock, write_new
from hundi.infra.settings import PREFIX, Settings
from hundi.kernel.records import replace

KEY_BYTES = 32
FILE_POLL_S = 1.0
"""How often a process checks its key file for changes."""
_COMMAND_POLL_S = 60.0
_COMMAND_S_MAX = 10.0
_COMMAND_BYTES_MAX = 64 * 1024
_DERIVING, _NEXT = "derive", "next"
RESTORE = "restore the key file from its backup; nothing was changed"


class VaultError(OperatorError):
    """A sealed value cannot be opened, or the keys cannot be used."""


class LostKeyError(VaultError):
    """The key that sealed the values in the database is missing."""


@dataclass(frozen=True, slots=True, repr=False)
class EncryptionKey:
    """A key-encryption key.

    secret: seals and opens, None for a retired key. root: the source of all derived keys. is_next:
    it is known, and does not seal yet.
    """

    secret: bytes | None
    root: bytes
    is_next: bool = False

    @classmethod
    def of(cls, secret: bytes) -> "EncryptionKey":
        """Return the key of these 32 bytes.

        Its root, HKDF's first half (RFC 5869), does not reveal them.
        """
        extract = hmac.HMAC(bytes(KEY_BYTES), SHA256())
        extract.update(secret)
        return cls(secret, extract.finalize())

    def retired(self) -> "EncryptionKey":
        """Return the rest of the key once it opens nothing any more."""
        return EncryptionKey(None, self.root)


class KeySource(Protocol):
    """A source of keys that is read again while a process runs."""

    @property
    def origin(self) -> str:
        """Return its name, for people."""
        ...

    @property
    def poll_s(self) -> float | None:
        """Return how often to read it again, in seconds; None if it never changes."""
        ...

    @property
    def is_quick(self) -> bool:
        """Return whether reading is as quick as a file, so that a waiting request may read it."""
        ...

    def read(self) -> dict[str, EncryptionKey]:
        """Return the keys, the sealing one first. Raises VaultError."""
        ...


@dataclass(frozen=True, slots=True)
class GivenKeys:
    """Keys in the environment, which do not change until the process ends."""

    text: str
    origin: str = "HUNDI_KEYS"
    poll_s: float | None = None
    is_quick: bool = True

    def read(self) -> dict[str, EncryptionKey]:
        """Return the keys."""
        return parse(self.text.replace(",", "\n"), self.origin)


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file that only its owner may read."""

    path: Path
    poll_s: float | None = FILE_POLL_S
    is_quick: bool = True

    @property
    def origin(self) -> str:
        """Return the file's path."""
        return str(self.path)

    def read(self) -> dict[str, EncryptionKey]:
        """Return the keys."""
        try:
            if self.path.stat().st_mode & 0o077:
                message = f"{self.path} can be read by others; run: chmod 600 {self.path}"
                raise VaultError(message)
            return parse(self.path.read_text("ascii"), self.origin)
        except FileNotFoundError:
            message = f"there is no key file {self.path}, and the database holds secrets: {RESTORE}"
            raise LostKeyError(message) from None
        except (OSError, UnicodeDecodeError) as error:
            message = f"the key file {self.path} cannot be read: {error}"
            raise VaultError(message) from error

    def write(self, keys: Mapping[str, EncryptionKey]) -> None:
        """Replace the file.

        The new one is on disk before it gets the name: a lost key loses every secret.
        """
        self._beside(keys).replace(self.path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the file against changes by others during the block.

        Raises VaultError if it is locked. Two concurrent changes could bring back a retired key, or
        lose a new one.
        """
        try:
            holder = open_lock(self.path.with_name(f"{self.path.name}.lock"))
        except OSError as error:
            message = f"{self.path}.lock cannot be used: {error.strerror}"
            raise VaultError(message) from error
        try:
            fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            message = (
                f"another command is changing {self.path}: wait until it has ended, then run this"
                " again"
            )
            raise VaultError(message) from None
        finally:
            os.close(holder)

    def write_first(self) -> None:
        """Create the file with one key.

        Of several processes at once, one wins and all use its key.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._beside({new_id(1): new_key()})
        try:
            os.link(fresh, self.path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()

    def _beside(self, keys: Mapping[str, EncryptionKey]) -> Path:
        fresh = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
        # An operator who is root makes and rotates keys for the user that the services run as.
        folder = self.path.parent.stat()
        owner = (folder.st_uid, folder.st_gid) if os.geteuid() == 0 else None
        write_new(fresh, "".join(_line(*item) + "\n" for item in keys.items()), owner)
        return fresh


@dataclass(frozen=True, slots=True)
class KeyCommand:
    """A command whose output are the keys: a program of a cloud or vault, run without a shell."""

    command: str
    origin: str = "HUNDI_KEYS_COMMAND"
    poll_s: float | None = _COMMAND_POLL_S
    seconds_max: float = _COMMAND_S_MAX
    is_quick: bool = False

    def read(self) -> dict[str, EncryptionKey]:
        """Return the keys.

        The command gets nothing of ours, has 10 s, and may print 64 kB.
        """
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(PREFIX)
        }
        try:
            result = subprocess.run(  # noqa: S603 (the operator's own command)
                shlex.split(self.command),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.seconds_max,
                check=False,
                env=environment,
            )
        except (OSError, ValueError) as error:
            message = f"{self.origin} cannot be run: {error}"
            raise VaultError(message) from error
        except subprocess.TimeoutExpired:
            message = f"{self.origin} did not end within {self.seconds_max:.0f} s"
            raise VaultError(message) from None
        if result.returncode != 0:
            reason = result.stderr.decode(errors="replace").strip()[-300:]
            message = f"{self.origin} ended with status {result.returncode}: {reason}"
            raise VaultError(message)
        if len(result.stdout) > _COMMAND_BYTES_MAX:
            message = (
                f"{self.origin} printed more than {_COMMAND_BYTES_MAX} bytes: these are no keys"
            )
            raise VaultError(message)
        return parse(result.stdout.decode("ascii", "replace"), self.origin)


def key_source(settings: Settings) -> KeySource:
    """Return the source of keys in these settings."""
    if settings.keys:
        return GivenKeys(settings.keys)
    if settings.keys_command:
        return KeyCommand(settings.keys_command)
    return KeyFile(settings.key_file or settings.data_dir / "kek")


def new_key() -> EncryptionKey:
    """Return a new random key."""
    return EncryptionKey.of(secrets.token_bytes(KEY_BYTES))


def new_id(number: int) -> str:
    """Return an id for this key's number that no other key has."""
    return f"k{number}-{secrets.token_hex(3)}"


def parse(text: str, origin: str) -> dict[str, EncryptionKey]:
    """Return the keys in a text. Raises VaultError, which reveals nothing of them."""
    keys: dict[str, EncryptionKey] = {}
    for number, line in enumerate(text.split(), 1):
        key_id, _, encoded = line.partition(":")
        kind, colon, rest = encoded.partition(":")
        try:
            value = base64.b64decode(rest if colon else encoded, validate=True)
        except binascii.Error:
            value = b""
        if len(value) != KEY_BYTES or (colon and kind not in {_DERIVING, _NEXT}):
            message = f"{origin}, key {number}: not of the form id:base64 of {KEY_BYTES} bytes"
            raise VaultError(message)
        key = EncryptionKey(None, value) if kind == _DERIVING and colon else EncryptionKey.of(value)
        keys[key_id] = replace(key, is_next=bool(colon) and kind == _NEXT)
    return keys


def _line(key_id: str, key: EncryptionKey) -> str:
    if key.secret is None:
        return f"{key_id}:{_DERIVING}:{base64.b64encode(key.root).decode()}"
    return f"{key_id}:{_NEXT + ':' if key.is_next else ''}{base64.b64encode(key.secret).decode()}"
