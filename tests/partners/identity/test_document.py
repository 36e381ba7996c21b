"""The zip that the standard library opens, and the hashes of contacts."""

import io
import zipfile
import zlib
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.partners.identity import document

NOW = datetime(2026, 11, 21, 18, 45, 59, tzinfo=UTC)


@given(st.binary(max_size=4_000), st.binary(min_size=1, max_size=20))
def test_whatever_is_zipped_the_standard_library_opens_with_the_password(content: bytes, password: bytes) -> None:
    archive = zipfile.ZipFile(io.BytesIO(document.encrypted_zip(content, password, NOW)))
    (entry,) = archive.infolist()
    assert (entry.filename, entry.flag_bits & 1, entry.file_size) == (document.FILE_NAME, 1, len(content))
    assert entry.date_time == (2026, 11, 22, 0, 15, 58)
    assert archive.read(entry, pwd=password) == content


def test_a_wrong_password_opens_nothing() -> None:
    content = b"secret " * 200
    archive = zipfile.ZipFile(io.BytesIO(document.encrypted_zip(content, b"1234", NOW)))
    opened = 0
    for wrong in range(300):
        try:
            opened += archive.read(document.FILE_NAME, pwd=b"w%d" % wrong) == content
        except (RuntimeError, zipfile.BadZipFile, zlib.error):
            continue
    assert opened == 0


def test_two_zips_of_one_content_differ() -> None:
    assert document.encrypted_zip(b"x", b"1", NOW) != document.encrypted_zip(b"x", b"1", NOW)


@pytest.mark.parametrize(("last4", "times"), [("0000", 1), ("0001", 1), ("0002", 2), ("1239", 9)])
def test_a_contact_is_hashed_as_often_as_the_last_digit_says(last4: str, times: int) -> None:
    digest = "98765432101234"
    for _ in range(times):
        digest = sha256(digest.encode()).hexdigest()
    assert document.contact_hash("9876543210", "1234", last4) == digest


def test_no_contact_has_no_hash() -> None:
    assert document.contact_hash("", "1234", "0016") == ""
