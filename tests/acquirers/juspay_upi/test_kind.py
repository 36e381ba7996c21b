"""What an operator says of an account at a bank with Juspay's stack, and what is refused."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hundi.acquirers.kinds import AcquirerConfigurationError, AcquirerContext, open_member
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.juspay_upi.opened import fields, private_pem, public_pem
from tests.acquirers.shared import CALLBACK

EC_PEM = (
    ec.generate_private_key(ec.SECP256R1())
    .public_key()
    .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    .decode()
)


def opened(**change: Any) -> Any:
    named = {"kind": "juspay_upi", **fields(), **change}
    return open_member("bank", named, AcquirerContext(CALLBACK, ShortMemory())).connector


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"environment": "uat"},
        {"bank": "yes", "url": "https://upi.yes.example/api/n2"},
        {"refund_type": "offline", "refund_vpa": ""},
        {"answers": "plain", "callback_text": "body", "callback_algorithm": "RS256"},
    ],
)
async def test_an_account_opens(change: dict[str, Any]) -> None:
    connector = opened(**change)
    assert connector.simulated is (change.get("environment") == "uat")
    await connector.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bank": "yes"}, "url: the address of yes is not published"),
        ({"bank": "sbi"}, "bank"),
        ({"refund_vpa": ""}, "refund_vpa: online refunds leave a UPI address of yours"),
        ({"private_key": public_pem()}, "private_key: it is no RSA key of 2048 bits"),
        ({"stack_public_pem": EC_PEM}, "stack_public_pem: it is no RSA key in PEM"),
        ({"request_prefix": "axb"}, "request_prefix"),
        ({"refund_reason": "1065"}, "refund_reason"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=words) as error:
        opened(**change)
    assert private_pem() not in str(error.value)
