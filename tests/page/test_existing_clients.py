"""Returns and notifications are read as existing clients read them.

The manners are those of docs/clients.md.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from hundi.api.merchant import ipn
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.kernel.states import RefundState
from hundi.merchants.directory.clients.rules import CLIENTS, for_client
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import Delivery, DeliveryKey
from hundi.page.returns import return_form
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.news.rules import RefundFacts
from hundi.payments.orders.rules import Buyer, PaymentView
from tests.page.views import KEYS, NOW, attempt, merchant, paid_by_card, view

TEXTS = st.text(st.sampled_from("a}{\":,\\ '/é\n"), max_size=24)
"""What a customer or a bank may write that breaks readers who do not parse."""


def notified(payment: PaymentView, to: Merchant, refund: RefundFacts | None = None) -> str:
    """Return the body of a notification."""
    facts = msgspec.to_builtins(facts_of(payment, refund))
    delivery = Delivery(
        DeliveryKey(7, payment.payment.payment_id, 3), "paid", facts, NOW, 1, 1, NOW, probe=False
    )
    return ipn.render(to, delivery).body.decode()


def unsealed(response: str) -> str:
    """Return the text inside `response`, as kits open it.

    IV of 16 characters, then base64 of AES-256-CBC.
    """
    decryptor = Cipher(
        algorithms.AES(KEYS.encryption_key), modes.CBC(response[:16].encode())
    ).decryptor()
    padded = decryptor.update(base64.b64decode(response[16:])) + decryptor.finalize()
    return padded[: -padded[-1]].decode()


def returned(payment: PaymentView, to: Merchant) -> dict[str, str]:
    form = return_form(payment, to, NOW)
    assert form is not None
    return dict(form.fields)


def opened(payment: PaymentView, to: Merchant) -> tuple[str, str]:
    """Return what is sealed into the return leg and into a notification."""
    return unsealed(returned(payment, to)["response"]), unsealed(
        json.loads(notified(payment, to))["response"]
    )


# --- the manners ---


def cut_out(text: str) -> dict[str, Any]:
    """Cut `data` out with a pattern that ends at the first closing brace."""
    found = re.search(r'"data"\s*:\s*(\{[^}]*\})', text)
    assert found
    return json.loads(found[1])


def top_only(text: str) -> dict[str, Any]:
    """Read only what stands on top."""
    return {
        name: value
        for name, value in json.loads(text).items()
        if not isinstance(value, dict | list)
    }


def parsed(text: str) -> dict[str, Any]:
    return json.loads(text)["data"]


MANNERS: tuple[Callable[[str], dict[str, Any]], ...] = (cut_out, top_only, parsed)


def said(values: Mapping[str, object]) -> tuple[str, ...]:
    names = (
        "orderid",
        "ap_transactionid",
        "amount",
        "transaction_status",
        "customvar",
        "ap_SecureHash",
        "rrn",
    )
    return tuple(str(values[name]) for name in names)


@pytest.mark.parametrize("manner", MANNERS)
@given(custom_var=TEXTS, name=TEXTS, words=TEXTS)
def test_every_manner_reads_the_same_in_return_and_notification(
    manner: Callable[[str], dict[str, Any]], custom_var: str, name: str, words: str
):
    paid = paid_by_card()
    written = view(
        P.PAID,
        *paid.attempts,
        method="pg",
        custom_var=custom_var,
        bank_message=words,
        buyer=Buyer(firstname=name),
    )
    on_return, in_notification = opened(written, merchant())
    assert (
        said(manner(on_return))
        == said(manner(in_notification))
        == said(json.loads(on_return)["data"])
    )
    assert manner(in_notification)["customvar"] == custom_var


def test_every_spelling_of_the_return_is_in_the_notification():
    on_return, in_notification = opened(paid_by_card(), merchant())
    assert set(json.loads(on_return)["data"]) == set(json.loads(in_notification)["data"])
    assert {"ap_securehash", "custom_var", "CUSTOMERVPA", "customervpa", "customer_vpa"} <= set(
        json.loads(in_notification)["data"]
    )


def test_the_form_says_what_the_sealed_forms_say():
    fields = dict(
        parse_qsl(
            notified(paid_by_card(), merchant(notification_form="form")), keep_blank_values=True
        )
    )
    sealed = json.loads(opened(paid_by_card(), merchant())[1])["data"]
    assert (fields["TRANSACTIONID"], fields["APTRANSACTIONID"]) == (
        sealed["orderid"],
        sealed["ap_transactionid"],
    )
    assert (fields["TRANSACTIONSTATUS"], fields["CUSTOMERVPA"]) == ("200", "")


@pytest.mark.parametrize(("types", "kind"), [("numbers", int), ("text", str)])
def test_a_client_gets_the_types_it_can_use(types: str, kind: type):
    for form in ("json", "json-encrypted"):
        body = notified(paid_by_card(), merchant(notification_types=types, notification_form=form))
        told = json.loads(body if form == "json" else unsealed(json.loads(body)["response"]))
        assert type(told["transaction_status"]) is type(told["data"]["transaction_status"]) is kind
    assert type(json.loads(opened(paid_by_card(), merchant())[0])["transaction_status"]) is str


# --- the hash, by both formulas that were seen ---


def hash_of(data: Mapping[str, Any], *, when_empty: bool) -> str:
    joined = [
        data[each]
        for each in ("orderid", "ap_transactionid", "amount", "transaction_status", "message")
    ]
    joined += [data["merchant_id"], KEYS.username]
    if data["chmod"] == "upi" and (when_empty or data["CUSTOMERVPA"]):
        joined.append(data["CUSTOMERVPA"])
    return str(zlib.crc32(":".join(str(each) for each in joined).encode()))


@pytest.mark.parametrize("state", P)
@pytest.mark.parametrize("payer_vpa", ["", "asha@upi"])
@pytest.mark.parametrize("when_empty", [True, False])
def test_both_formulas_of_the_hash_hold_whether_or_not_the_payer_is_known(
    state: P, payer_vpa: str, *, when_empty: bool
):
    tried = attempt("upi_qr", A.FAILED, payer_vpa=payer_vpa, bank_code="ZA")
    for text in opened(view(state, tried, method="upi"), merchant()):
        data = json.loads(text)["data"]
        assert (
            data["ap_SecureHash"] == data["ap_securehash"] == hash_of(data, when_empty=when_empty)
        )


# --- what must never be booked as a payment ---


def booked_as_paid(data: Mapping[str, Any]) -> bool:
    """Return whether a kit would book the order as paid: by its number, or by its word."""
    return (
        str(data["transaction_status"]) == "200" or data["transaction_payment_status"] == "SUCCESS"
    )


@pytest.mark.parametrize("state", [RefundState.DONE, RefundState.FAILED])
@pytest.mark.parametrize("form", ["json", "form"])
def test_a_refunds_notification_is_no_second_success(state: RefundState, form: str):
    refund = RefundFacts(215_000_000_000_009, 5_000, state, rrn="632500000009", request_id="R-1")
    body = notified(paid_by_card(), merchant(notification_form=form), refund)
    if form == "form":
        fields = dict(parse_qsl(body, keep_blank_values=True))
        data = {
            "transaction_status": fields["TRANSACTIONSTATUS"],
            "transaction_payment_status": fields["TRANSACTIONPAYMENTSTATUS"],
        }
        assert (fields["AMOUNT"], fields["TRANSACTIONTYPE"]) == ("50.00", "340")
    else:
        data = json.loads(body)["data"]
        assert (data["refund_id"], data["refund_request_id"]) == ("215000000000009", "R-1")
        assert (data["refund_status"], data["refund_rrn"], data["amount"]) == (
            state,
            "632500000009",
            "50.00",
        )
    assert not booked_as_paid(data)
    assert booked_as_paid(
        json.loads(notified(paid_by_card(), merchant(notification_form="json")))["data"]
    )


def test_an_excess_payment_is_told_with_its_own_attempt_and_is_no_second_success():
    paid = paid_by_card()
    excess = attempt(
        "upi_qr",
        A.OVERPAID,
        attempt_id=9,
        received_paise=700,
        rrn="632599999999",
        payer_vpa="b@upi",
    )
    both = view(P.PAID, *paid.attempts, excess, method="pg", captured_paise=149_950)
    facts = facts_of(both, about=9, excess=True)
    delivery = Delivery(
        DeliveryKey(7, 1, 3),
        "excess_payment",
        msgspec.to_builtins(facts),
        NOW,
        1,
        1,
        NOW,
        probe=False,
    )
    data = json.loads(ipn.render(merchant(notification_form="json"), delivery).body)["data"]
    assert (data["amount"], data["rrn"], data["customer_vpa"]) == ("7.00", "632599999999", "b@upi")
    assert not booked_as_paid(data)


# --- kinds of clients ---


@pytest.mark.parametrize("kind", CLIENTS)
def test_every_kind_of_client_chooses_settings_that_are_allowed_and_can_be_left_again(kind: str):
    chosen = for_client(merchant().settings, kind)
    assert for_client(chosen, "standard") == merchant().settings
    assert all(getattr(chosen, name) == value for name, value in CLIENTS[kind].settings.items())


def test_a_refund_is_told_with_the_code_of_its_own() -> None:
    refused = RefundFacts(
        9, 500, RefundState.FAILED, "The account takes nothing back", bank_code="57"
    )
    told = json.loads(
        unsealed(json.loads(notified(paid_by_card(), merchant(), refused))["response"])
    )["data"]
    assert (told["bank_response_code"], told["bank_response_msg"]) == (
        "57",
        "The account takes nothing back",
    )


def test_the_return_carries_what_older_shops_show() -> None:
    fields = returned(paid_by_card(), merchant())
    assert {"CUSTOMER", "CUSTOMEREMAIL", "TRANSACTIONTIME", "BANKRESPONSEMSG"} <= set(fields)
