"""Envelopes of the UPI merchant stack: JWS in three fields, JWE in five; see docs/juspay-upi.md.

Which of them a bank uses is the account's setting. A header is compared with it, never followed.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hundi.acquirers.calls.aggregators import read_object, text_of
from hundi.acquirers.calls.jose_parts import bytes_of_part, part_of, says
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.pages import HiddenValue
from hundi.infra.http.client import HttpAnswer

Algorithm = Literal["RS256", "PS256"]
AnswerForm = Literal["encrypted", "signed", "plain"]
"""What an answer of a bank is.

A JWE around a JWS; JSON with its signature in a header; or JSON alone.
"""
CallbackText = Literal["sorted", "body"]
"""Over what a callback is signed: its JSON with sorted names, or its body as it comes."""
ANSWER_SIGNATURE, CALLBACK_SIGNATURE = "x-response-signature", "x-merchant-payload-signature"
FAILED = "FAILURE"
_SIGNED = "RS256"
_SEALED = {"alg": "RSA-OAEP-256", "enc": "A256GCM"}
_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
_PADDINGS: Mapping[str, padding.AsymmetricPadding] = {
    "RS256": padding.PKCS1v15(),
    "PS256": padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.AUTO),
}
_IV_BYTES, _TAG_BYTES = 12, 16
_PART_MAX = 64 * 1024


@dataclass(frozen=True, slots=True, repr=False)
class StackKeys(HiddenValue):
    """The keys of an account, and what its bank does with them: in memory only.

    key_id: the bank's name of our key. own: signs calls, and opens encrypted answers. stack: the
    public key of Juspay's stack at this bank.
    """

    key_id: str
    own: RSAPrivateKey
    stack: RSAPublicKey
    answers: AnswerForm = "encrypted"
    answer_algorithm: Algorithm = "RS256"
    callback_text: CallbackText = "sorted"
    callback_algorithm: Algorithm = "PS256"


def signed(request: Mapping[str, Any], keys: StackKeys) -> dict[str, Any]:
    """Return the body of a call: a JWS in its three parts."""
    head = part_of(_json({"alg": _SIGNED, "kid": keys.key_id}))
    payload = part_of(_json(request))
    signature = keys.own.sign(f"{head}.{payload}".encode(), _PADDINGS[_SIGNED], hashes.SHA256())
    return {"protected": head, "payload": payload, "signature": part_of(signature)}


def opened(body: bytes, keys: StackKeys) -> bytes | None:
    """Return what an answer says, None when an envelope does not hold.

    A refusal comes without its envelope; anything else has to have it.
    """
    if keys.answers != "encrypted":
        return body
    envelope = read_object(body)
    if envelope is None or envelope.get("status") == FAILED:
        return body
    try:
        return _verified(read_object(_decrypted(envelope, keys)) or {}, keys)
    except (ValueError, RecursionError, InvalidTag, InvalidSignature):
        return None


def is_proven(answer: HttpAnswer, keys: StackKeys) -> bool:
    """Return whether the signature in an answer's header holds, where this bank sends one."""
    if keys.answers != "signed":
        return True
    proof = answer.headers.get(ANSWER_SIGNATURE, "")
    return _holds(proof, answer.body, keys.stack, keys.answer_algorithm)


def is_of_stack(headers: Mapping[str, str], body: bytes, keys: StackKeys) -> bool:
    """Return whether a callback is signed by Juspay's stack. headers: names in small letters."""
    proof = headers.get(CALLBACK_SIGNATURE, "")
    if not proof or not is_sound(body):
        return False
    texts = _sorted_texts(body) if keys.callback_text == "sorted" else iter((body,))
    return any(_holds(proof, text, keys.stack, keys.callback_algorithm) for text in texts)


def _sorted_texts(body: bytes) -> Iterator[bytes]:
    """Yield the JSON of a body with sorted names, with letters beyond ASCII escaped or as they are.

    No document says which.
    """
    document = json.loads(body)
    for escaped in (False, True):
        text = json.dumps(
            document, sort_keys=True, separators=(",", ":"), ensure_ascii=escaped
        ).encode()
        yield text


def _decrypted(envelope: Mapping[str, Any], keys: StackKeys) -> bytes:
    head = _part(envelope, "protected")
    if not says(head, _SEALED):
        message = "another encryption"
        raise ValueError(message)
    key = keys.own.decrypt(bytes_of_part(_part(envelope, "encryptedKey")), _OAEP)
    iv, text, tag = (bytes_of_part(_part(envelope, name)) for name in ("iv", "cipherText", "tag"))
    if len(iv) != _IV_BYTES or len(tag) != _TAG_BYTES:
        message = "another length"
        raise ValueError(message)
    return AESGCM(key).decrypt(iv, text + tag, head.encode())


def _verified(envelope: Mapping[str, Any], keys: StackKeys) -> bytes:
    head, payload = _part(envelope, "protected"), _part(envelope, "payload")
    if not says(head, {"alg": keys.answer_algorithm}):
        message = "another signature"
        raise ValueError(message)
    signature = bytes_of_part(_part(envelope, "signature"))
    scheme = _PADDINGS[keys.answer_algorithm]
    keys.stack.verify(signature, f"{head}.{payload}".encode(), scheme, hashes.SHA256())
    return bytes_of_part(payload)


def _holds(proof: str, text: bytes, key: RSAPublicKey, algorithm: Algorithm) -> bool:
    """Return whether a signature in base64 holds, in either of its alphabets."""
    plain = proof.strip().rstrip("=").replace("-", "+").replace("_", "/")
    try:
        signature = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        key.verify(signature, text, _PADDINGS[algorithm], hashes.SHA256())
    except (ValueError, InvalidSignature):
        return False
    return True


def _part(envelope: Mapping[str, Any], name: str) -> str:
    """Return a part of an envelope. Raises ValueError: it is not there."""
    part = text_of(envelope.get(name), _PART_MAX)
    if not part:
        message = f"no {name}"
        raise ValueError(message)
    return part


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
