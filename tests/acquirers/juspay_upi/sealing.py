"""JWS and JWE of the UPI merchant stack: what merchants sign, and what banks sign and encrypt."""

import base64
import json
import secrets
from functools import cache

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.acquirers.stage import Document

MERCHANT_KID, JUSPAY_KID = "kid-of-the-merchant", "kid-of-juspay"
PSS = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.MAX_LENGTH)
_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
_TAG = 16


@cache
def key(_owner: str) -> rsa.RSAPrivateKey:
    """Return the private key of "merchant" or "juspay"."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def envelope(said: Document, kid: str = MERCHANT_KID, owner: str = "merchant") -> Document:
    """Return a JWS in its three parts: the body of a call, or what an answer encrypts."""
    head = json.dumps({"alg": "RS256", "kid": kid}).encode()
    protected, payload = url64(head), url64(json.dumps(said).encode())
    text = f"{protected}.{payload}".encode()
    signed = key(owner).sign(text, padding.PKCS1v15(), hashes.SHA256())
    return {"protected": protected, "payload": payload, "signature": url64(signed)}


def opened(body: Document, kid: str = MERCHANT_KID, owner: str = "merchant") -> Document:
    """Return what a JWS says; anything is raised when it does not hold."""
    head = json.loads(unurl64(body["protected"]))
    if (head["alg"], head["kid"]) != ("RS256", kid):
        raise ValueError("another key")
    text = f"{body['protected']}.{body['payload']}".encode()
    public = key(owner).public_key()
    public.verify(unurl64(body["signature"]), text, padding.PKCS1v15(), hashes.SHA256())
    return json.loads(unurl64(body["payload"]))


def sealed(said: Document) -> Document:
    """Return an answer as banks encrypt it: a JWS of Juspay in a JWE for the merchant."""
    head = {"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": MERCHANT_KID}
    protected = url64(json.dumps(head).encode())
    once, iv = AESGCM.generate_key(256), secrets.token_bytes(12)
    text = json.dumps(envelope(said, JUSPAY_KID, "juspay")).encode()
    both = AESGCM(once).encrypt(iv, text, protected.encode())
    return {
        "cipherText": url64(both[:-_TAG]),
        "encryptedKey": url64(key("merchant").public_key().encrypt(once, _OAEP)),
        "iv": url64(iv),
        "protected": protected,
        "tag": url64(both[-_TAG:]),
    }


def unsealed(body: Document) -> Document:
    """Return what an encrypted answer says to the merchant."""
    once = key("merchant").decrypt(unurl64(body["encryptedKey"]), _OAEP)
    both = unurl64(body["cipherText"]) + unurl64(body["tag"])
    text = AESGCM(once).decrypt(unurl64(body["iv"]), both, body["protected"].encode())
    return opened(json.loads(text), JUSPAY_KID, "juspay")


def url64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def unurl64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
