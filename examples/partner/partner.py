"""What the pages of partners' interfaces show in Python, from its own library."""

# [ask]
import hashlib
import os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

env = os.environ
OWN = {
    "affiliate": env["AFFILIATE"],
    "api-key": env["API_KEY"],
    "processor-key": env["PROCESSOR_KEY"],
}


def post(path: str, body: bytes, headers: dict[str, str]) -> str:
    """Return the reply of one call, which is JSON."""
    request = Request(f"{env['BASE_URL']}/gateway/ms{path}", data=body, headers=headers)
    with urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def ask(path: str, parameters: dict[str, str], keys: dict[str, str] = OWN) -> str:
    """Call an interface with the checksum of its values."""
    text = "".join(parameters.values()) + env["PARTNER_SECRET"]
    checksum = {"checksum": hashlib.sha256(text.encode()).hexdigest()}
    return post(path, urlencode(parameters).encode(), keys | checksum)


# [end]

# [calculator]
asked = {"cost": "10000", "profit": "500", "gst": "100.50", "same_state": "Y"}
print(ask("/baas/api/gst-calculator", asked))
# [end]

# [registration]
print(ask("/baas/api/gst-verification", {"gstin": env["GSTIN"]}))
# [end]

# [holder]
consent = "I agree that my number is checked for opening an account."
holder = {"name": env["NAME"], "consentText": consent, "aadhaarNo": env["AADHAAR"]}
print(ask("/baas/api/aadhaar-verification", holder))
# [end]

# [document]
print(ask("/baas/api/aadhaar-xml", {"type": "otp", "aadhaarNo": env["AADHAAR"]}))
# [end]

# [cards]
token = {"token": env["CARD_TOKEN"]}
print(ask("/cards/api/card-details", {"entity_id": env["ENTITY_ID"]}, token))
# [end]

# [lead]
import json

from hundi.wire import cipher

key = cipher.encryption_key(env["AFFILIATE"], env["PARTNER_SECRET"])
query = cipher.seal(key, env["LEAD"].encode())
text = query + env["AFFILIATE"] + env["PARTNER_SECRET"]
headers = {
    "affiliate": env["AFFILIATE"],
    "processor-key": env["PROCESSOR_KEY"],
    "checksum": hashlib.sha256(text.encode()).hexdigest(),
    "content-type": "application/json",
}
reply = post("/leads/api/createlead", json.dumps({"query": query}).encode(), headers)
print(cipher.open_(key, json.loads(reply)["query"]).decode())
# [end]

# [sales]
terminal = {
    "mercid": env["MERCID"],
    "terminalid": env["TERMINALID"],
    "uniqueid": env["UNIQUEID"],
}
print(post("/pos/api/transaction-detail-bulk", urlencode(terminal).encode(), {}))
# [end]

# [entries]
import hmac
import time

entry = {"terminalid": env["TERMINALID"], "reference": env["REFERENCE"]}
entry |= {"amount": "149.50", "table": "7"}
body = json.dumps({"mercid": env["MERCID"], "entries": [entry]}).encode()
timestamp = str(int(time.time()))
signed = timestamp.encode() + b"." + body
headers = {
    "affiliate": env["AFFILIATE"],
    "timestamp": timestamp,
    "signature": hmac.digest(env["PARTNER_SECRET"].encode(), signed, "sha256").hex(),
    "content-type": "application/json",
}
print(post("/pos/api/transaction-entries", body, headers))
# [end]
