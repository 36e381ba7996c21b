"""Messages about leads, and what a partner hears of them."""

import copy
import json
import secrets
import string
from hashlib import sha256
from typing import Any

from hundi.wire import cipher
from tests.system.partners import PartnerSender

PATH = "/gateway/ms/leads/api/createlead"

SIGNATORY = {
    "signatory_name": "आशा Rao",
    "signatory_email": "asha@shop.example",
    "signatory_phone": 9876543210,
    "signatory_address": "",
    "signatory_pep": "N",
    "signatory_dob": "31-01-1980",
    "signatory_pan": "ABCPR1234F",
    "signatory_primary_contact": "Y",
    "signatory_address_proof": "1",
    "signatory_pdconsent": "Y",
    "signatory_gender": "F",
}


def pan() -> str:
    """Return a company's PAN that no other test has."""
    letters = "".join(secrets.choice(string.ascii_uppercase) for _ in range(3))
    return f"{letters}CA{secrets.randbelow(9_000) + 1_000}{secrets.choice(string.ascii_uppercase)}"


def lead(**changes: Any) -> dict[str, Any]:
    message: dict[str, Any] = {
        "basic_info": {
            "fname": "Asha",
            "lname": "Rao",
            "email": "asha@shop.example",
            "phone": "9876543210",
        },
        "company_info": {
            "company_name": "Asha & Co",
            "company_address": '1 <MG> "Road"',
            "merchant_legal_name": "Asha Textiles Ltd",
            "company_website": "https://asha.example",
            "company_cin": "U74999MH2016PTC123456",
            "company_annual_turnover": "5L - 25L",
        },
        "business_info": {
            "business_type": 1,
            "business_category": "5651",
            "business_pan": pan(),
            "business_gstin": None,
            "business_city": "Pune",
            "business_pincode": "411001",
            "business_state": "Maharashtra",
            "business_country": "India",
        },
        "bank_info": {
            "bank_account_type": "C",
            "bank_account_holder_name": "Asha Textiles Ltd",
            "bank_account_number": "50100123456789",
            "bank_ifsc_code": "HDFC0000001",
        },
        "signatory_info": {"1": dict(SIGNATORY)},
    }
    return message | changes


def put(message: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of a message with one leaf replaced; `...` leaves it out."""
    changed = copy.deepcopy(message)
    *groups, name = path.split(".")
    inside = changed
    for group in groups:
        inside = inside.setdefault(group, {})
    if value is ...:
        inside.pop(name, None)
    else:
        inside[name] = value
    return changed


def send(partner: PartnerSender, message: dict[str, Any] | bytes, **changes: Any) -> dict[str, Any]:
    """Send a lead and return the reply, opened where it is sealed."""
    keys = partner.keys
    key = cipher.encryption_key(keys.affiliate, keys.secret)
    plain = message if isinstance(message, bytes) else json.dumps(message).encode()
    query = changes.pop("query", cipher.seal(key, plain))
    own = {
        "affiliate": keys.affiliate,
        "processor-key": keys.processor_key,
        "checksum": sha256((query + keys.affiliate + keys.secret).encode()).hexdigest(),
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    headers = {name: value for name, value in own.items() if value is not None}
    answer = partner.http.post(
        partner.gateway.base_url + PATH, json={"query": query}, headers=headers
    )
    assert answer.status_code == 200
    reply = answer.json()
    return json.loads(cipher.open_(key, reply["query"])) if "query" in reply else reply


def refused(reply: dict[str, Any], code: str) -> dict[str, Any]:
    assert (reply["status"], reply["message"], reply["error_code"]) == (400, "Failed", code), reply
    return reply
