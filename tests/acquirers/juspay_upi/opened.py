"""Accounts at the stand-in of the UPI merchant stack, and connectors that call it."""

import base64
import json
from functools import cache
from typing import Any

import msgspec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.calls.rsa_keys import private_key, public_key
from hundi.acquirers.juspay_upi.connector import JuspayUpiConnector, RefundWay, StackAccount
from hundi.acquirers.juspay_upi.envelopes import AnswerForm, StackKeys
from hundi.acquirers.juspay_upi.kind import JuspayUpiSettings
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.juspay_upi.sealing import MERCHANT_KID, PSS, key
from tests.acquirers.juspay_upi.standin import BASE, CHANNEL_ID, MERCHANT_ID, PAYEE, UpiStack
from tests.acquirers.shared import Clock

WAYS = {
    "online": RefundWay(kind="ONLINE", vpa=PAYEE["payeeVpa"]),
    "offline": RefundWay(kind="OFFLINE"),
    "udir": RefundWay(kind="UDIR", reason="1061"),
}


@cache
def private_pem(owner: str = "merchant") -> str:
    return key(owner).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@cache
def public_pem(owner: str = "juspay") -> str:
    public = key(owner).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def keys(answers: AnswerForm = "encrypted", owner: str = "merchant") -> StackKeys:
    return StackKeys(
        MERCHANT_KID, private_key(private_pem(owner)), public_key(public_pem()), answers
    )


def connector_at(
    stack: UpiStack,
    memory: ShortMemory,
    clock: Clock,
    *,
    refunds: str = "online",
    signs: StackKeys | None = None,
) -> JuspayUpiConnector:
    account = StackAccount(
        merchant_id=MERCHANT_ID,
        channel_id=CHANNEL_ID,
        keys=signs or keys(),
        refunds=WAYS[refunds],
        prefix="AXB",
    )
    setup = ConnectorSetup("juspay_upi", memory, now_s=clock)
    return JuspayUpiConnector(setup, account, stack.url + BASE)


def fields() -> dict[str, Any]:
    """Return what an operator says of an account."""
    return {
        "bank": "axis",
        "environment": "production",
        "merchant_id": MERCHANT_ID,
        "channel_id": CHANNEL_ID,
        "key_id": MERCHANT_KID,
        "private_key": private_pem(),
        "stack_public_pem": public_pem(),
        "refund_vpa": PAYEE["payeeVpa"],
    }


def settings(stack: UpiStack) -> JuspayUpiSettings:
    return msgspec.convert({**fields(), "url": stack.url + BASE}, JuspayUpiSettings)


def callback(**said: str) -> tuple[dict[str, str], bytes]:
    """Return a callback of the stack about anything."""
    told = {"merchantId": MERCHANT_ID, "merchantChannelId": CHANNEL_ID, **said}
    text = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    signature = base64.b64encode(key("juspay").sign(text, PSS, hashes.SHA256())).decode()
    return {"x-merchant-payload-signature": signature}, json.dumps(told).encode()
