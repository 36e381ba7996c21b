"""Authentication codes, by vectors that others published."""

import pytest

from hundi.acquirers.iso8583.mac import Seal, aes_cmac, retail_mac
from hundi_testbed.switch import sealing

# ISO/IEC 9797-1:2011, B.4 (algorithm 3, padding 1), as the Rust crate retail-mac quotes it;
# BouncyCastle's ISO9797Alg3MacTest.
RETAIL = [
    ("0123456789ABCDEFFEDCBA9876543210", b"Now is the time for all ", "A1C72E74EA3FA9B6"),
    ("0123456789ABCDEFFEDCBA9876543210", b"Now is the time for it", "2E2B1428CC78254F"),
    ("7CA110454A1A6E570131D9619DC1376E", b"Hello World !!!!", "F09B856213BAB83B"),
]
# RFC 4493, section 4: examples 1, 2 and 4, of which 8 bytes are sent.
_RFC_KEY = "2b7e151628aed2a6abf7158809cf4f3c"
_RFC_TEXT = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
CMAC = [
    ("", "bb1d6929e9593728"),
    (_RFC_TEXT[:32], "070a16b46b4d4144"),
    (_RFC_TEXT, "51f0bebf7e3b9d92"),
]


@pytest.mark.parametrize(("key", "text", "mac"), RETAIL)
def test_the_retail_mac_is_the_published_one(key: str, text: bytes, mac: str) -> None:
    assert retail_mac(bytes.fromhex(key), text) == bytes.fromhex(mac)
    assert sealing.code("x9.19", bytes.fromhex(key), text) == mac


@pytest.mark.parametrize(("text", "mac"), CMAC)
def test_the_cmac_is_the_published_one(text: str, mac: str) -> None:
    assert aes_cmac(bytes.fromhex(_RFC_KEY), bytes.fromhex(text)) == bytes.fromhex(mac)
    assert sealing.code("aes-cmac", bytes.fromhex(_RFC_KEY), bytes.fromhex(text)) == mac.upper()


@pytest.mark.parametrize("algorithm", ["x9.19", "aes-cmac"])
def test_a_code_of_the_key_before_holds_and_one_of_another_key_does_not(algorithm: str) -> None:
    new, before, other = (bytes([value]) * 15 + b"\x01" for value in (0x10, 0x20, 0x30))
    seal, older = Seal(algorithm, (new, before)), Seal(algorithm, (before,))
    assert seal.holds(b"text", seal.of(b"text"))
    assert seal.holds(b"text", older.of(b"text"))
    assert not seal.holds(b"text", Seal(algorithm, (other,)).of(b"text"))
    assert not seal.holds(b"texu", seal.of(b"text"))
    assert not seal.holds(b"text", seal.of(b"text")[:-1])
