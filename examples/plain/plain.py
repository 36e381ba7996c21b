"""The plain interface from Python's own library: what docs/v1.md shows, one call after another."""

# [ask]
import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(method: str, path: str, body: dict | None = None, **headers: str) -> tuple[int, dict]:
    """Return the status and the answer of one call."""
    request = Request(
        f"{os.environ['BASE_URL']}/v1/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "authorization": f"Bearer {os.environ['BEARER_KEY']}",
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
    )
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        return refused.code, json.load(refused)


# [end]

# [create]
buyer = {
    "email": "asha@example.in",
    "phone": "9876543210",
    "firstname": "Asha",
    "lastname": "Rao",
}
order = {"order_id": os.environ["NEW_ORDER_ID"], "amount_paise": 149950, "buyer": buyer}
status, created = ask("POST", "orders", order)
print(created["page_url"])  # send the customer's browser there
# [end]

# [show]
status, order = ask("GET", f"orders/{os.environ['ORDER_ID']}")
deliver = order["state"] == "paid" and order["amount_paise"] == 149950  # of your own books
print(order["state"], order["amount_paise"])
# [end]

# [refusal]
wrong = {"transaction_id": os.environ["TRANSACTION_ID"], "amount_paise": "1499.50"}
status, problem = ask("POST", "refunds", wrong, idempotency_key="wrong")
print(status, problem["field"])
# [end]

# [refund]
part = {"transaction_id": os.environ["TRANSACTION_ID"], "amount_paise": 100}
name = os.environ["NEW_ORDER_ID"] + "-R"  # of your own books: sent again, it refunds once
status, refund = ask("POST", "refunds", part, idempotency_key=name)
print(status, refund["amount_paise"])
# [end]

# [events]
status, events = ask("GET", "events")
print(len(events["items"]))
later = f"events?cursor={events['next_cursor']}"  # keep it, and ask for this path next time
# [end]

# [webhook]
import base64
import hmac
import sys
import time


def is_ours(headers: dict[str, str], body: bytes) -> bool:
    """Return whether the gateway signed a webhook within the past five minutes."""
    key = base64.b64decode(os.environ["WEBHOOK_KEY"].removeprefix("whsec_"))
    stamp = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{stamp}.".encode() + body
    mac = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    given = headers["webhook-signature"].split(" ")
    is_signed = any(hmac.compare_digest(f"v1,{mac}", each) for each in given)
    return len(key) >= 24 and is_signed and abs(time.time() - int(stamp)) <= 300


# [end]
names = ("webhook-id", "webhook-timestamp", "webhook-signature")
received = {name: os.environ["HTTP_" + name.upper().replace("-", "_")] for name in names}
print("believed" if is_ours(received, sys.stdin.buffer.read()) else "not believed")
