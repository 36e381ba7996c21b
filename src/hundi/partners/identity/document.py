"""The offline document: signed XML in an encrypted zip that the share code opens; no I/O.

Structure and hashes are those of the authority's offline paperless e-KYC. See
docs/spec/domain.md#offline-kyc and docs/spec/domain.md#contact-hash.
"""

import base64
import hashlib
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from struct import pack

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import Certificate
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)
from signxml.algorithms import CanonicalizationMethod, DigestAlgorithm, SignatureMethod
from signxml.signer import XMLSigner

from hundi.kernel.clock import ist
from hundi.partners.registers.port import Holder

FILE_NAME = "offlineaadhaar.xml"
SHARE_CODE_DIGITS = 4
"""Digits of the password that opens the zip (docs/spec/domain.md#share-code)."""
_SIGNER = XMLSigner(
    signature_algorithm=SignatureMethod.RSA_SHA256,
    digest_algorithm=DigestAlgorithm.SHA256,
    c14n_algorithm=CanonicalizationMethod.CANONICAL_XML_1_0,
)
_POA = (
    ("careof", "careof"),
    ("country", "country"),
    ("dist", "district"),
    ("house", "house"),
    ("landmark", "landmark"),
    ("loc", "location"),
    ("pc", "pincode"),
    ("po", "post_office"),
    ("state", "state"),
    ("street", "street"),
    ("subdist", "subdistrict"),
    ("vtc", "vtc"),
)


@dataclass(frozen=True, slots=True)
class Signer:
    """The key and certificate that sign documents."""

    key: RSAPrivateKey
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """A holder's document.

    file: the encrypted zip. hashes: of mobile number and e-mail address, "" for none.
    """

    generated_at: datetime
    share_code: str
    mobile_hash: str
    email_hash: str
    file: bytes


def issue(holder: Holder, last4: str, signer: Signer, now: datetime) -> SignedDocument:
    """Return a new document about a holder."""
    share_code = f"{secrets.randbelow(10**SHARE_CODE_DIGITS):0{SHARE_CODE_DIGITS}d}"
    mobile_hash, email_hash = (
        contact_hash(each, share_code, last4) for each in (holder.mobile, holder.email)
    )
    root = _xml(holder, last4, mobile_hash, email_hash, now)
    content = signed(root, signer)
    return SignedDocument(
        now, share_code, mobile_hash, email_hash, encrypted_zip(content, share_code.encode(), now)
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """The signature's text around digest and value, the same in every document of one key."""

    signed_info: tuple[bytes, bytes]
    signature: tuple[bytes, bytes, bytes]


@lru_cache(maxsize=4)
def _frame(signer: Signer) -> _Frame:
    """Return signxml's text around the digest and the value of a signature.

    One signature of signxml shows it.
    """
    signature = _SIGNER.sign(etree.Element("frame"), key=signer.key, cert=[signer.certificate])[-1]
    digest, value = (
        signature.findtext(f".//{{*}}{name}").encode() for name in ("DigestValue", "SignatureValue")
    )
    info = etree.tostring(signature.find("{*}SignedInfo"), method="c14n").split(digest)
    before, _, rest = etree.tostring(signature).partition(digest)
    between, _, after = rest.partition(value)
    return _Frame((info[0], info[1]), (before, between, after))


def signed(root: etree._Element, signer: Signer) -> bytes:
    """Return a document with its signature, byte for byte as signxml signs it.

    Half of signxml's time goes into what never changes.
    """
    frame = _frame(signer)
    digest = base64.b64encode(hashlib.sha256(etree.tostring(root, method="c14n")).digest())
    value = base64.b64encode(signer.key.sign(digest.join(frame.signed_info), PKCS1v15(), SHA256()))
    before, between, after = frame.signature
    text: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=False)
    inner, end, name = text.rpartition(b"</")
    return b"".join((inner, before, digest, between, value, after, end, name))


def contact_hash(contact: str, share_code: str, last4: str) -> str:
    """Return the hash of a mobile number or e-mail address: SHA-256, repeated by the last digit."""
    if not contact:
        return ""
    digest = contact + share_code
    for _ in range(max(1, int(last4[-1]))):
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest


def _xml(
    holder: Holder, last4: str, mobile_hash: str, email_hash: str, now: datetime
) -> etree._Element:
    stamp = ist(now).strftime("%Y%m%d%H%M%S%f")[:17]
    root = etree.Element("OfflinePaperlessKyc", referenceId=last4 + stamp)
    data = etree.SubElement(root, "UidData")
    poi = {
        "dob": holder.dob,
        "e": email_hash,
        "gender": holder.gender,
        "m": mobile_hash,
        "name": holder.name,
    }
    etree.SubElement(data, "Poi", poi)
    etree.SubElement(data, "Poa", {name: getattr(holder, own) for name, own in _POA})
    etree.SubElement(data, "Pht").text = holder.photo or None
    return root


# --- zip with traditional encryption, the only one of the standard library (decision 0009) ---

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION, _ENCRYPTED, _DEFLATED = 20, 1, 8
_HEADER_BYTES = 12


def _crc_table() -> list[int]:
    table: list[int] = []
    for low in range(256):
        value = low
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()
_ONE = [bytes((value,)) for value in range(256)]
_ALL = 0xFFFFFFFF


def _pad_byte(low: int) -> int:
    mixed = low | 2
    return mixed * (mixed ^ 1) >> 8 & 255


_PAD = bytes(_pad_byte(low ^ 0xFFFF) for low in range(0x10000))
"""The byte to mix with, by the complement of the lower half of the third key."""


def _encrypted(plain: bytes, password: bytes) -> bytes:
    """Return bytes under the cipher of APPNOTE 6.1.5, whose three keys change with every byte.

    Two of them are running checksums: `crc32` advances them faster than a table, in their
    complement.
    """
    table, one, pad, crc32 = _TABLE, _ONE, _PAD, zlib.crc32
    key0, key1, key2 = 0x12345678, 0x23456789, 0x34567890
    for byte in password:
        key0 = key0 >> 8 ^ table[(key0 ^ byte) & 255]
        key1 = ((key1 + (key0 & 255)) * 134775813 + 1) & _ALL
        key2 = key2 >> 8 ^ table[(key2 ^ key1 >> 24) & 255]
    key0, key2 = key0 ^ _ALL, key2 ^ _ALL
    pads = bytearray()
    add = pads.append
    for byte in map(one.__getitem__, plain):
        add(pad[key2 & 0xFFFF])
        key0 = crc32(byte, key0)
        key1 = (key1 + (~key0 & 255)) * 134775813 + 1 & 0xFFFFFFFF
        key2 = crc32(one[key1 >> 24], key2)
    return (int.from_bytes(plain) ^ int.from_bytes(pads)).to_bytes(len(plain))


def encrypted_zip(content: bytes, password: bytes, now: datetime) -> bytes:
    """Return a zip of one file, deflated and encrypted with a password."""
    checksum = zlib.crc32(content)
    packer = zlib.compressobj(wbits=-15)
    deflated = packer.compress(content) + packer.flush()
    # The last byte of the random head lets readers detect a wrong password.
    head = secrets.token_bytes(_HEADER_BYTES - 1) + bytes([checksum >> 24])
    body = _encrypted(head + deflated, password)
    name, moment = FILE_NAME.encode(), ist(now)
    time = moment.hour << 11 | moment.minute << 5 | moment.second // 2
    day = moment.year - 1980 << 9 | moment.month << 5 | moment.day
    common = pack(
        "<HHHHHIIIHH",
        _VERSION,
        _ENCRYPTED,
        _DEFLATED,
        time,
        day,
        checksum,
        len(body),
        len(content),
        len(name),
        0,
    )
    local = _LOCAL + common + name + body
    central = _CENTRAL + pack("<H", _VERSION) + common + pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + central + _END + pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
