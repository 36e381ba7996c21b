"""Files of any length, sealed with AES-256-GCM in chunks, so that no file has to fit in memory.

Form: a line that names the format, one byte length of the key's id, the id, 32 bytes of salt; then
chunks of 1 MiB, each with its tag. A file's key is derived from the salt and the file's name, so no
nonce is used twice, and no file can replace another. The nonce is the chunk's number and whether it
is the last, so none can be moved, left out or cut off. (This is the STREAM construction, as in
`age`.)
"""

import io
import secrets
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hundi.infra.errors import OperatorError

CHUNK_BYTES = 1024 * 1024
_FORMAT = b"hundi sealed file 1\n"
_SALT_BYTES = 32
_TAG_BYTES = 16
_KEY_BYTES = 32
_COUNTER_BYTES = 11
_LEVEL = (
    1  # of compression: the log of a database is mostly empty pages, and any level finds that out
)


class SealedFileError(OperatorError):
    """A sealed file was changed, cut off or renamed, or is not a sealed file."""


class StreamKeys(Protocol):
    """The source of the keys of sealed files."""

    @property
    def newest_id(self) -> str:
        """Return the id of the sealing key."""
        ...

    def derive_of(self, key_id: str, purpose: str) -> bytes:
        """Return 32 bytes for one purpose, from one key."""
        ...


def seal(source: BinaryIO, target: BinaryIO, name: str, keys: StreamKeys) -> None:
    """Write the rest of source to target, compressed and sealed under a file's name."""
    key_id = keys.newest_id
    header = _FORMAT + bytes((len(key_id),)) + key_id.encode() + secrets.token_bytes(_SALT_BYTES)
    cipher = _cipher(keys, key_id, header, name)
    target.write(header)
    number, waiting = 0, bytearray()
    for piece in _compressed(source):
        waiting += piece
        while len(waiting) > CHUNK_BYTES:
            target.write(
                cipher.encrypt(_nonce(number, last=False), bytes(waiting[:CHUNK_BYTES]), header)
            )
            del waiting[:CHUNK_BYTES]
            number += 1
    target.write(cipher.encrypt(_nonce(number, last=True), bytes(waiting), header))


def unseal(source: BinaryIO, name: str, keys: StreamKeys) -> Iterator[bytes]:
    """Yield the content of a sealed file; each piece is authenticated before it is yielded.

    name: the one it was sealed under. Raises SealedFileError, and the keys' error for a missing
    key.
    """
    header, key_id = _read_header(source, name)
    cipher = _cipher(keys, key_id, header, name)
    unpack = zlib.decompressobj()
    number, chunk = 0, source.read(CHUNK_BYTES + _TAG_BYTES)
    while True:
        after = source.read(CHUNK_BYTES + _TAG_BYTES)
        try:
            packed = cipher.decrypt(_nonce(number, last=not after), chunk, header)
        except (InvalidTag, ValueError) as error:
            raise SealedFileError(
                f"{name} was changed, cut off or renamed, or was sealed under another key"
            ) from error
        while packed:
            yield unpack.decompress(packed, CHUNK_BYTES)
            packed = unpack.unconsumed_tail
        if not after:
            break
        number, chunk = number + 1, after
    yield unpack.flush()


class Reader(io.RawIOBase):
    """The content of a sealed file as a file that can be read once, from front to back."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        """Read what `unseal` yields."""
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Fill the buffer with the next bytes; 0 at the end."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _compressed(source: BinaryIO) -> Iterator[bytes]:
    pack = zlib.compressobj(_LEVEL)
    while piece := source.read(CHUNK_BYTES):
        yield pack.compress(piece)
    yield pack.flush()


def _read_header(source: BinaryIO, name: str) -> tuple[bytes, str]:
    start = source.read(len(_FORMAT) + 1)
    if len(start) <= len(_FORMAT) or not start.startswith(_FORMAT):
        raise SealedFileError(f"{name} is no sealed file")
    rest = source.read(start[-1] + _SALT_BYTES)
    if len(rest) < start[-1] + _SALT_BYTES:
        raise SealedFileError(f"{name} was cut off")
    return start + rest, rest[: start[-1]].decode("ascii", "replace")


def _cipher(keys: StreamKeys, key_id: str, header: bytes, name: str) -> AESGCM:
    secret = keys.derive_of(key_id, "backup")
    return AESGCM(
        HKDF(
            SHA256(), _KEY_BYTES, salt=header[-_SALT_BYTES:], info=b"file " + name.encode()
        ).derive(secret)
    )


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(_COUNTER_BYTES) + bytes((last,))
