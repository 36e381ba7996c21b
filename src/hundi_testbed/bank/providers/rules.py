"""What the providers take and answer, and the numbers that trigger an outcome; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

NOBODY, BUSY = "0404", "0429"
"""The last digits of a number that gets no messages, and of one whose line is busy at present."""
_BODY_LENGTH_MAX = 2000
_SENDER = re.compile(r"[A-Za-z0-9]{6,11}\Z")
_DLT_ID = re.compile(r"[0-9]{19}\Z")


@dataclass(frozen=True, slots=True)
class TakenMessage:
    """A message that a provider took. number: ten digits. reference: the sender's."""

    at: datetime
    channel: str
    number: str
    reference: str
    template: str
    language: str
    sender: str
    words: str


@dataclass(frozen=True, slots=True)
class ProviderRefusal:
    """An answer instead of taking it. code: Meta's, 0 for none."""

    status: int
    words: str
    code: int = 0


def ten_digits(number: str) -> str:
    """Return the last ten digits of a number as a phone has them."""
    return "".join(each for each in number if each in "0123456789")[-10:]


def sms_of(form: Mapping[str, str], now: datetime) -> TakenMessage | ProviderRefusal:
    """Read `Sms/send` of https://developer.exotel.com/api/sms."""
    for name in ("From", "To", "Body", "DltEntityId"):
        if not form.get(name):
            return ProviderRefusal(400, f"Mandatory parameter {name} is missing")
    number = ten_digits(form["To"])
    if number.endswith(BUSY):
        return ProviderRefusal(429, "Too Many Requests")
    if len(number) != 10 or number.endswith(NOBODY):  # noqa: PLR2004 (digits of an Indian number)
        return ProviderRefusal(400, f"Invalid Recipient [{form['To']}]")
    if len(form["Body"]) > _BODY_LENGTH_MAX or not _SENDER.match(form["From"]):
        return ProviderRefusal(400, "Invalid Parameters")
    template = form.get("DltTemplateId", "")
    if not _DLT_ID.match(form["DltEntityId"]) or (template and not _DLT_ID.match(template)):
        return ProviderRefusal(400, "Invalid Parameters")
    reference = form.get("CustomField", "")
    return TakenMessage(now, "sms", number, reference, template, "", form["From"], form["Body"])


def whatsapp_of(body: Mapping[str, Any], now: datetime) -> TakenMessage | ProviderRefusal:
    """Read `/messages` of the Cloud API with a template."""
    if body.get("messaging_product") != "whatsapp" or body.get("type") != "template":
        return ProviderRefusal(400, "(#100) Invalid parameter", 100)
    number = ten_digits(str(body.get("to", "")))
    if number.endswith(BUSY):
        return ProviderRefusal(
            400,
            "(#131056) (Business Account, Consumer Account) pair rate limit hit",
            131056,
        )
    if number.endswith(NOBODY):
        return ProviderRefusal(400, "(#131026) Message undeliverable", 131026)
    template = body.get("template", {})
    name, language = template.get("name", ""), template.get("language", {}).get("code", "")
    if not name or not language:
        return ProviderRefusal(
            404, "(#132001) Template name does not exist in the translation", 132001
        )
    values = [
        str(parameter.get("text", ""))
        for part in template.get("components", [])
        for parameter in part.get("parameters", [])
    ]
    reference = str(body.get("biz_opaque_callback_data", ""))
    words = " · ".join([f"{name} ({language})", *values])
    return TakenMessage(now, "whatsapp", number, reference, name, language, "WhatsApp", words)
