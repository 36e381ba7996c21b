"""The zip that the standard library opens, and the hashes of contacts."""

import io
import zipfile
import zlib
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)
from signxml.exceptions import InvalidSignature
from signxml.signer import XMLSigner
from signxml.verifier import XMLVerifier

from hundi.partners.identity import document
from hundi.partners.identity.signing import actions as signing

NOW = datetime(2026, 11, 21, 18, 45, 59, tzinfo=UTC)
C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"


@given(st.binary(max_size=4_000), st.binary(min_size=1, max_size=20))
def test_whatever_is_zipped_the_standard_library_opens_with_the_password(
    content: bytes, password: bytes
) -> None:
    archive = zipfile.ZipFile(io.BytesIO(document.encrypted_zip(content, password, NOW)))
    (entry,) = archive.infolist()
    assert (entry.filename, entry.flag_bits & 1, entry.file_size) == (
        document.FILE_NAME,
        1,
        len(content),
    )
    assert entry.date_time == (2026, 11, 22, 0, 15, 58)
    assert archive.read(entry, pwd=password) == content


def test_a_document_is_signed_as_the_signature_library_signs_it() -> None:
    signer = signing.read_key(*signing.new_key(NOW))
    for text in ("", "Asha & <Kumari>", "\u0906\u0936\u093e"):
        root = etree.Element("OfflinePaperlessKyc", referenceId="1234")
        etree.SubElement(etree.SubElement(root, "UidData"), "Poi", name=text).text = text or None
        theirs = XMLSigner(
            signature_algorithm="rsa-sha256", digest_algorithm="sha256", c14n_algorithm=C14N
        ).sign(root, key=signer.key, cert=[signer.certificate])
        signed = document.signed(root, signer)
        assert signed == etree.tostring(
            theirs, xml_declaration=True, encoding="UTF-8", standalone=False
        )
        XMLVerifier().verify(signed, x509_cert=signer.certificate)
        with pytest.raises(InvalidSignature):
            XMLVerifier().verify(signed.replace(b"1234", b"1235", 1), x509_cert=signer.certificate)


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
