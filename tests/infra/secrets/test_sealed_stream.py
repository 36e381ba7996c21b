"""Sealed files come back whole, and any change, cut or exchange of pieces is noticed."""

import io
import os
from pathlib import Path

import pytest

from hundi.infra.secrets.sealed_stream import CHUNK_BYTES, Reader, SealedFileError, seal, unseal
from hundi.infra.secrets.vault import UnknownKeyError, Vault

KEYS = Vault({"k2": bytes(32), "k1": b"1" * 32})
CHUNK_ON_DISK = CHUNK_BYTES + 16


def _sealed(content: bytes, name: str = "a", keys: Vault = KEYS) -> bytes:
    target = io.BytesIO()
    seal(io.BytesIO(content), target, name, keys)
    return target.getvalue()


def _opened(sealed: bytes, name: str = "a", keys: Vault = KEYS) -> bytes:
    return b"".join(unseal(io.BytesIO(sealed), name, keys))


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 5])
def test_what_is_sealed_comes_back(size: int) -> None:
    content = os.urandom(size)
    assert _opened(_sealed(content)) == content
    assert (
        io.BufferedReader(Reader(unseal(io.BytesIO(_sealed(content)), "a", KEYS))).read() == content
    )


def test_nothing_is_in_the_clear_and_nothing_is_sealed_alike_twice() -> None:
    content = b"canary " * 1000
    assert b"canary" not in _sealed(content)
    assert _sealed(content) != _sealed(content)


def test_each_change_is_found() -> None:
    content = os.urandom(2 * CHUNK_BYTES + 100)
    sealed = _sealed(content)
    head = len(sealed) % CHUNK_ON_DISK  # header and last chunk; where exactly does not matter here
    for place in (25, 60, head, CHUNK_ON_DISK, len(sealed) - 1):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises((SealedFileError, UnknownKeyError)):
            _opened(bytes(changed))
    for cut in (len(sealed) - 1, len(sealed) - 120, 70, 30, 3):
        with pytest.raises(SealedFileError):
            _opened(sealed[:cut])
    with pytest.raises(SealedFileError):
        _opened(sealed, "b")
    with pytest.raises(SealedFileError):
        _opened(sealed + b"x")


def test_an_older_key_opens_and_an_unknown_one_is_named() -> None:
    older = _sealed(b"before", keys=Vault({"k1": b"1" * 32}))
    assert _opened(older) == b"before"
    with pytest.raises(UnknownKeyError, match="k1"):
        _opened(older, keys=Vault({"k2": bytes(32)}))


def test_a_chunk_left_out_is_found(tmp_path: Path) -> None:
    sealed = _sealed(os.urandom(3 * CHUNK_BYTES))
    header = len(b"hundi sealed file 1\n") + 1 + len("k2") + 32
    (tmp_path / "a").write_bytes(
        sealed[: header + CHUNK_ON_DISK] + sealed[header + 2 * CHUNK_ON_DISK :]
    )
    with pytest.raises(SealedFileError):
        _opened((tmp_path / "a").read_bytes())
