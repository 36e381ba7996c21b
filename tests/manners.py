"""Handlers of notifications as old shops write them.

The manners in which a shop books what it is told.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from hundi.wire import cipher

Book = dict[str, str]
"""What a shop believes of each of its orders."""
Handler = Callable[[bytes, bytes, Book], None]
"""Reads one notification with the encryption key, and books what it says, as some shop does."""
PAID_WORDS = {"SUCCESS", "CAPTURE", "AUTHORIZE", "Mandate Approved"}


def opened(key: bytes, body: bytes) -> dict[str, Any]:
    """Return what is sealed in a notification."""
    return json.loads(cipher.open_(key, json.loads(body)["response"]))


def sealed(key: bytes, body: bytes, book: Book) -> None:
    """Read `data`: whatever is not 200 is a failure."""
    told = opened(key, body)["data"]
    book[told["orderid"]] = "paid" if int(told["transaction_status"]) == 200 else "failed"


def top_alone(key: bytes, body: bytes, book: Book) -> None:
    """Read what stands on top, and know three states."""
    told = opened(key, body)
    book[told["orderid"]] = {200: "paid", 211: "processing"}.get(
        int(told["transaction_status"]), "failed"
    )


def cut_out(key: bytes, body: bytes, book: Book) -> None:
    """Cut `data` out with a pattern, and book the words."""
    text = cipher.open_(key, json.loads(body)["response"]).decode()
    told = json.loads("{" + text.split('"data"')[1].split("{", 1)[1].split("}")[0] + "}")
    book[told["orderid"]] = (
        "paid" if told["transaction_payment_status"] in PAID_WORDS else "initiated"
    )


def as_text(key: bytes, body: bytes, book: Book) -> None:
    """Call string functions on the status."""
    told = opened(key, body)["data"]
    book[told["orderid"]] = "paid" if told["transaction_status"].strip() == "200" else "failed"


def plain(_key: bytes, body: bytes, book: Book) -> None:
    """Read plain JSON, top level only, and a number."""
    told = json.loads(body)
    book[told["orderid"]] = "paid" if told["transaction_status"] == 200 else "failed"


def in_capitals(_key: bytes, body: bytes, book: Book) -> None:
    """Read form fields in capitals, and know 402 as cancelled."""
    told = dict(parse_qsl(body.decode(), keep_blank_values=True))
    states = {"200": "paid", "400": "failed", "402": "cancelled"}
    book[told["TRANSACTIONID"]] = states.get(told["TRANSACTIONSTATUS"], "processing")


HANDLERS: Mapping[Handler, tuple[str, ...]] = {
    sealed: ("number", "text"),
    top_alone: ("number", "text"),
    cut_out: ("number", "text"),
    as_text: ("text",),
    plain: ("json",),
    in_capitals: ("form",),
}
"""Each with the forms of a notification that it can read: names of `FORMS`."""
FORMS: Mapping[str, Mapping[str, str]] = {
    "number": {},
    "text": {"notification_types": "text"},
    "json": {"notification_form": "json"},
    "json as text": {"notification_form": "json", "notification_types": "text"},
    "form": {"notification_form": "form"},
}
"""The forms of a notification, by the merchant's settings that choose them."""
