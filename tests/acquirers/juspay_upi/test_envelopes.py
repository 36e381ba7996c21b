"""Envelopes of the UPI merchant stack: what is signed, and what is not opened."""

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from hundi.acquirers.juspay_upi import envelopes
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.records import replace
from tests.acquirers.juspay_upi import sealing
from tests.acquirers.juspay_upi.opened import callback, keys

SAID = {"status": "SUCCESS", "responseCode": "SUCCESS", "payload": {"amount": "1.00"}}


def body(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


def head(**names: str) -> str:
    return sealing.url64(json.dumps(names).encode())


def test_a_call_is_signed_as_the_stack_checks_it() -> None:
    assert sealing.opened(envelopes.signed(SAID, keys())) == SAID


def test_an_encrypted_answer_is_opened() -> None:
    opened = envelopes.opened(body(sealing.sealed(SAID)), keys())
    assert opened is not None
    assert json.loads(opened) == SAID


@pytest.mark.parametrize(
    "change",
    [
        {"tag": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"tag": "AAAA"},
        {"iv": "AAAA"},
        {"cipherText": "AAAA"},
        {"cipherText": None},
        {"encryptedKey": "AAAA"},
        {"encryptedKey": "not base64"},
        {"protected": head(alg="RSA-OAEP", enc="A256GCM")},
        {"protected": head(alg="RSA-OAEP-256", enc="A256GCM", zip="DEF")},
        {"protected": head(alg="RSA-OAEP-256", enc="A128GCM")},
        {"protected": "AAAA"},
    ],
)
def test_a_broken_envelope_is_not_opened(change: dict[str, Any]) -> None:
    assert envelopes.opened(body(sealing.sealed(SAID) | change), keys()) is None


def test_an_encrypted_answer_of_anybody_else_is_not_opened() -> None:
    forged = sealing.sealed(SAID)
    others = replace(keys(), stack=sealing.key("another").public_key())
    assert envelopes.opened(body(forged), others) is None
    assert envelopes.opened(body(forged), replace(keys(), answer_algorithm="PS256")) is None
    assert envelopes.opened(body(SAID), keys()) is None, "no envelope at all"
    assert envelopes.opened(b"[]", keys()) is not None, "the reader refuses it"


def test_a_refusal_has_no_envelope() -> None:
    refusal = body({"status": "FAILURE", "responseCode": "REQUEST_NOT_FOUND"})
    assert envelopes.opened(refusal, keys()) == refusal


def test_an_answers_signature_is_over_its_body() -> None:
    text = body(SAID)
    signature = sealing.key("juspay").sign(text, padding.PKCS1v15(), hashes.SHA256())
    for proof in (base64.b64encode(signature).decode(), sealing.url64(signature)):
        answer = HttpAnswer(200, text, 1, {"x-response-signature": proof})
        assert envelopes.is_proven(answer, keys("signed"))
        assert not envelopes.is_proven(replace(answer, body=text + b" "), keys("signed"))
    bare = HttpAnswer(200, text, 1, {})
    assert not envelopes.is_proven(bare, keys("signed"))
    assert envelopes.is_proven(bare, keys("plain"))


def test_a_callback_is_signed_as_its_bank_does_it() -> None:
    headers, text = callback(merchantRequestId="10001-1", amount="1.00")
    assert envelopes.is_of_stack(headers, text, keys())
    for other in ({"callback_text": "body"}, {"callback_algorithm": "RS256"}):
        assert not envelopes.is_of_stack(headers, text, replace(keys(), **other))
    signature = sealing.key("juspay").sign(text, padding.PKCS1v15(), hashes.SHA256())
    plain = {"x-merchant-payload-signature": base64.b64encode(signature).decode()}
    bank = replace(keys(), callback_text="body", callback_algorithm="RS256")
    assert envelopes.is_of_stack(plain, text, bank)
    twice = text.replace(b"{", b'{"amount": "2.00", ', 1)
    assert not envelopes.is_of_stack(plain, twice, bank)


def test_letters_beyond_ascii_are_signed_escaped_or_as_they_are() -> None:
    told = {"payerName": "आशा"}
    for escaped in (True, False):
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=escaped)
        signature = sealing.key("juspay").sign(text.encode(), sealing.PSS, hashes.SHA256())
        headers = {"x-merchant-payload-signature": base64.b64encode(signature).decode()}
        assert envelopes.is_of_stack(headers, body(told), keys())


def test_keys_have_no_readable_form() -> None:
    assert repr(keys()) == "StackKeys(****)"
