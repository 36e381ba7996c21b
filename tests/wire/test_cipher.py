"""The cipher against independent vectors, damaged messages, and the attack it cannot prevent."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import cipher

VECTORS = json.loads((Path(__file__).parent / "vectors" / "wire-v4.json").read_text())
KEY = cipher.encryption_key("demo-user", "demo-pass")
PRINTABLE_IV = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=16, max_size=16)
SEALED = cipher.seal(KEY, b'{"orderid":"ORD-1","amount":"10.00"}', "0123456789abcdef")


def test_the_key_is_32_ascii_characters_of_the_md5():
    assert KEY.decode() == VECTORS["aes_key_ascii"]


@pytest.mark.parametrize("vector", VECTORS["encdata"], ids=lambda vector: vector["iv"])
def test_vectors_seal_and_open(vector):
    assert cipher.seal(KEY, vector["plaintext"].encode(), vector["iv"]) == vector["encdata"]
    assert cipher.open_(KEY, vector["encdata"]).decode() == vector["plaintext"]
    assert cipher.open_json(KEY, vector["encdata"]) == json.loads(vector["plaintext"])


@given(st.binary(max_size=300), PRINTABLE_IV)
def test_what_was_sealed_opens(plaintext, iv):
    assert cipher.open_(KEY, cipher.seal(KEY, plaintext, iv)) == plaintext


@given(st.binary(max_size=300))
def test_without_an_iv_sixteen_random_hex_digits_are_used(plaintext):
    sealed = cipher.seal(KEY, plaintext)
    assert set(sealed[:16]) <= set("0123456789abcdef")
    assert cipher.open_(KEY, sealed) == plaintext


@given(st.binary(max_size=200))
def test_plus_signs_that_became_spaces_are_repaired(plaintext):
    sealed = cipher.seal(KEY, plaintext, "0123456789abcdef")
    assert cipher.open_(KEY, sealed.replace("+", " ")) == plaintext


def test_an_iv_that_held_plus_signs_is_repaired_with_the_rest():
    sealed = next(
        sealed
        for number in range(50)
        if "+" in (sealed := cipher.seal(KEY, b"{%d}" % number * 20, "+++++abcdefghij+"))[16:]
    )
    assert cipher.open_(KEY, sealed.replace("+", " ")) == cipher.open_(KEY, sealed)


def test_base64_broken_into_lines_opens():
    broken = "\r\n".join([SEALED[:40], SEALED[40:]]) + "\n"
    assert cipher.open_(KEY, broken) == cipher.open_(KEY, SEALED)


@given(st.text(max_size=200))
def test_any_text_opens_or_is_unreadable(text):
    for opener in (cipher.open_, cipher.open_json):
        try:
            opener(KEY, text)
        except cipher.UnreadableCipher:
            continue


@given(st.integers(0, len(SEALED) - 1), st.characters())
def test_any_changed_character_opens_or_is_unreadable(position, character):
    try:
        cipher.open_json(KEY, SEALED[:position] + character + SEALED[position + 1 :])
    except cipher.UnreadableCipher:
        return


@given(st.binary(max_size=64))
def test_any_ciphertext_opens_or_is_unreadable(ciphertext):
    try:
        cipher.open_json(KEY, "0123456789abcdef" + base64.b64encode(ciphertext).decode())
    except cipher.UnreadableCipher:
        return


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param("", id="empty"),
        pytest.param("0123456789abcdef", id="iv alone"),
        pytest.param(SEALED[:-1], id="cut"),
        pytest.param(SEALED[:-2] + "!!", id="not base64"),
        pytest.param(SEALED[:16] + "AAAA", id="not whole blocks"),
        pytest.param("\x00" + SEALED[1:], id="iv not printable"),
        pytest.param("é" + SEALED[1:], id="iv not ascii"),
        pytest.param(SEALED[:16] + "A" * 44 + SEALED[60:], id="garbled"),
        pytest.param(cipher.seal(KEY, b"[1]"), id="an array"),
        pytest.param(cipher.seal(KEY, b'{"a":1,"a":2}'), id="a key twice"),
        pytest.param(cipher.seal(KEY, b"\xff"), id="not utf-8"),
        pytest.param(cipher.seal(KEY, b""), id="nothing inside"),
        pytest.param(
            cipher.seal(cipher.encryption_key("demo-pass", "demo-user"), b"{}"), id="another key"
        ),
    ],
)
def test_every_failure_is_one_error_without_a_reason(damaged):
    with pytest.raises(cipher.UnreadableCipher) as caught:
        cipher.open_json(KEY, damaged)
    assert caught.value.args == ()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "iv", ["", "short", "0123456789abcdefg", "0123456789abcde\n", "0123456789abcdé"]
)
def test_sealing_refuses_an_iv_that_is_not_16_printable_characters(iv):
    with pytest.raises(ValueError, match="16 printable"):
        cipher.seal(KEY, b"{}", iv)


def test_numbers_keep_their_text():
    fields = cipher.open_json(KEY, cipher.seal(KEY, b'{"amount":10.50,"n":1e3}'))
    assert fields == {"amount": "10.50", "n": "1e3"}


def test_attack_a_changed_iv_changes_the_first_sixteen_bytes_unnoticed():
    """Documented weakness: a plaintext proves nothing, so our SDK puts a harmless field first."""
    plaintext = b'{"orderid":"1001","amount":"10.00"}'
    wanted = b'{"orderid":"1002'
    sealed = cipher.seal(KEY, plaintext, "0123456789abcdef")
    forged_iv = bytes(
        a ^ b ^ c for a, b, c in zip(sealed[:16].encode(), plaintext, wanted, strict=False)
    ).decode()
    assert cipher.open_json(KEY, forged_iv + sealed[16:]) == {"orderid": "1002", "amount": "10.00"}


def test_attack_one_block_can_be_forged_whole():
    """Documented weakness: the attacker chooses fifteen bytes if the IV happens to be printable."""
    plaintext = b'{"kittype":"sdk-0001","orderid":"1001"}'
    wanted = b'{"orderid":"7"}\x01'
    ivs = (hashlib.sha256(b"%d" % number).hexdigest()[:16] for number in range(100_000))
    forged = (
        (
            iv,
            bytes(
                a ^ b ^ c for a, b, c in zip(iv.encode(), plaintext, wanted, strict=False)
            ).decode("latin-1"),
        )
        for iv in ivs
    )
    iv, forged_iv = next((iv, text) for iv, text in forged if text.isascii() and text.isprintable())
    first_block = base64.b64decode(cipher.seal(KEY, plaintext, iv)[16:])[:16]
    assert cipher.open_json(KEY, forged_iv + base64.b64encode(first_block).decode()) == {
        "orderid": "7"
    }
