"""Messages about holders of documents, and what a partner hears of them."""

import re
from typing import Any

from tests.system.partners import BAAS, PartnerSender
from tests.system.running import RunningGateway

XML, VERIFICATION = "aadhaar-xml", "aadhaar-verification"

FAILED = {"message": "Failed", "data": ""}

CONSENT = "I agree that my number is checked for opening an account."


class Holders:
    """Hands out holders whom no other test uses, because passwords are limited."""

    def __init__(self, people: list[dict[str, Any]]) -> None:
        self._left = iter(each for each in people if each["mobile"])

    def next(self) -> dict[str, Any]:
        return next(self._left)


def texts(gateway: RunningGateway, mobile: str) -> list[str]:
    found = (
        gateway.bank.get("/phones/messages", params={"mobile": mobile}).raise_for_status().json()
    )
    return [each["words"] for each in found]


def otp_of(gateway: RunningGateway, mobile: str) -> str:
    match = re.match(r"([0-9]{6}) is your one-time password", texts(gateway, mobile)[0])
    assert match is not None
    return match[1]


def begin(partner: PartnerSender, holder: dict[str, Any], **headers: str) -> dict[str, Any]:
    return partner.ask(XML, {"type": "otp", "aadhaarNo": holder["number"]}, **headers)


def finish(
    partner: PartnerSender, begun: dict[str, Any], otp: str, **changes: Any
) -> dict[str, Any]:
    asked = {
        "type": "file",
        "requestId": begun["requstId"],
        "otp": otp,
        "gateway_txn_id": begun["gateway_txn_id"],
    }
    return partner.ask(XML, asked | changes)


def wrong(otp: str) -> str:
    return f"{(int(otp) + 1) % 10**6:06d}"


def verify(partner: PartnerSender, **fields: Any) -> dict[str, Any]:
    values = {
        "name": fields.pop("name"),
        "consentText": fields.pop("consentText", CONSENT),
        **fields,
    }
    headers = partner.headers([str(each) for each in values.values()])
    return partner.http.post(
        partner.gateway.base_url + BAAS + VERIFICATION, json=values, headers=headers
    ).json()
