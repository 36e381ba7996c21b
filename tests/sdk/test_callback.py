"""Returns and notifications.

Every form that is genuine is read, everything else is refused by name.
"""

import base64
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.sdk import Callbacks, Event, errors
from hundi.wire import cipher
from tests.sdk.gateway_double import CREDENTIALS, PAID, changed
from tests.sdk.told import browser_return, notification

NOW = 1_795_000_000
EXPECTED = {"order_id": "ORD-1001", "amount_paise": 149_950}
FORMS = ["json-encrypted", "json", "form"]
NEW_KEY = "whsec_" + base64.b64encode(b"the newer key of the merchant...").decode()


def callbacks(at: float = NOW, **settings: object) -> Callbacks:
    return Callbacks(replace(CREDENTIALS, **settings), clock=lambda: at)


def test_a_genuine_return_is_read() -> None:
    told = callbacks().read_return(browser_return(PAID, at=NOW), **EXPECTED)
    assert told.webhook_id == "msg_r1"
    assert told.transaction.is_paid
    assert told.transaction.customer_vpa == "asha+1@hundi"


def test_nothing_outside_response_is_believed() -> None:
    form = browser_return(
        changed(PAID, transaction_status=400, transaction_payment_status="FAIL"), at=NOW
    )
    lies = {
        "TRANSACTIONSTATUS": "200",
        "AMOUNT": "1.00",
        "TRANSACTIONID": "ORD-9",
        "merchant_id": "1",
        "data": "{}",
    }
    told = callbacks().read_return(form | lies, **EXPECTED)
    assert told.transaction.is_failed
    assert told.transaction.order_id == "ORD-1001"
    assert callbacks().claimed_order_id(form | lies) == "ORD-1001"


def test_a_plus_that_became_a_space_is_repaired() -> None:
    form = browser_return(PAID, at=NOW)
    damaged = form | {"response": form["response"].replace("+", " ")}
    assert callbacks().read_return(damaged, **EXPECTED).transaction.is_paid


@pytest.mark.parametrize(
    ("expected", "field"),
    [
        ({"order_id": "ORD-2"}, "orderid"),
        ({"amount_paise": 149_951}, "amount"),
        ({"currency": "USD"}, "currency_code"),
    ],
)
def test_a_return_about_something_else_is_a_mismatch(
    expected: dict[str, object], field: str
) -> None:
    with pytest.raises(errors.MismatchError) as caught:
        callbacks().read_return(browser_return(PAID, at=NOW), **(EXPECTED | expected))
    assert caught.value.field == field


@pytest.mark.parametrize("age_s", [901, -901, 10**6])
def test_an_old_or_future_return_is_stale(age_s: int) -> None:
    with pytest.raises(errors.StaleError):
        callbacks().read_return(browser_return(PAID, at=NOW - age_s), **EXPECTED)


@pytest.mark.parametrize("age_s", [899, -299])
def test_a_clock_that_is_a_little_wrong_is_forgiven(age_s: int) -> None:
    assert callbacks().read_return(browser_return(PAID, at=NOW - age_s), **EXPECTED)


@pytest.mark.parametrize("age_s", [301, -301])
def test_a_notification_travels_without_a_person_and_has_less_time(age_s: int) -> None:
    with pytest.raises(errors.StaleError):
        callbacks().read_notification(*notification(PAID, at=NOW - age_s))


@pytest.mark.parametrize(
    "damage",
    [
        {"webhook_signature": "v1,AAAA"},
        {"webhook_signature": "v1"},
        {"webhook_signature": "v1,आ"},
        {"webhook_signature": ""},
        {"webhook_id": "msg_other"},
        {"webhook_timestamp": str(NOW + 1)},
        {"webhook_timestamp": "9" * 30},
        {"webhook_timestamp": "-1"},
    ],
)
def test_a_damaged_signature_is_refused(damage: dict[str, str]) -> None:
    with pytest.raises(errors.SignatureError):
        callbacks().read_return(browser_return(PAID, at=NOW) | damage, **EXPECTED)


def test_a_return_whose_iv_was_changed_is_refused() -> None:
    form = browser_return(PAID, at=NOW)
    flipped = ("b" if form["response"][0] == "a" else "a") + form["response"][1:]
    with pytest.raises(errors.SignatureError):
        callbacks().read_return(form | {"response": flipped}, **EXPECTED)


@pytest.mark.parametrize("response", ["", "short", "x" * 300_000, "0123456789abcdef" + "A" * 64])
def test_an_unreadable_response_is_refused(response: str) -> None:
    with pytest.raises(errors.UntrustedError):
        callbacks().read_return(browser_return(PAID, at=NOW) | {"response": response}, **EXPECTED)
    with pytest.raises(errors.UnreadableCallbackError):
        callbacks().claimed_order_id({"response": response})


def test_another_merchants_return_is_refused() -> None:
    other = replace(CREDENTIALS, password="another")
    with pytest.raises(errors.UnreadableCallbackError):
        callbacks().read_return(browser_return(PAID, credentials=other, at=NOW), **EXPECTED)


def test_a_return_without_a_record_is_refused() -> None:
    sealed = cipher.seal(CREDENTIALS.encryption_key, b'{"status_code":"400","data":[]}')
    with pytest.raises(errors.UnreadableCallbackError, match="no transaction record"):
        callbacks().claimed_order_id({"response": sealed})


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_notification_is_read_alike(form: str) -> None:
    headers, body = notification(PAID, form, at=NOW)
    told = callbacks().read_notification(headers, body)
    assert told.webhook_id == "msg_n1"
    assert told.sent_at.timestamp() == NOW
    assert told.event == ("" if form == "form" else "paid")
    record = told.transaction
    assert record.is_paid
    assert (
        record.order_id,
        record.amount_paise,
        record.rrn,
        record.customer_vpa,
        record.channel,
    ) == (
        "ORD-1001",
        149_950,
        "632512345678",
        "asha+1@hundi",
        "upi",
    )
    assert record.created_at is not None
    assert record.created_at.isoformat() == "2026-11-20T14:05:06+05:30"


@pytest.mark.parametrize("form", FORMS)
def test_a_changed_body_is_refused(form: str) -> None:
    headers, body = notification(PAID, form, at=NOW)
    with pytest.raises(errors.SignatureError):
        callbacks().read_notification(headers, body + b" ")


@pytest.mark.parametrize("form", FORMS)
def test_during_a_rotation_both_keys_count(form: str) -> None:
    headers, body = notification(PAID, form, at=NOW, key=NEW_KEY)
    with pytest.raises(errors.SignatureError):
        callbacks().read_notification(headers, body)
    both = callbacks(webhook_keys=(NEW_KEY, *CREDENTIALS.webhook_keys))
    assert both.read_notification(headers, body)
    older, older_body = notification(PAID, form, at=NOW)
    assert both.read_notification(older, older_body)


def test_several_signatures_in_one_header_are_tried() -> None:
    headers, body = notification(PAID, at=NOW)
    headers["Webhook-Signature"] = f"v1a,other v1,AAAA {headers['Webhook-Signature']}"
    assert callbacks().read_notification(headers, body)


@pytest.mark.parametrize(
    ("event", "changes", "question"),
    [
        (
            Event.AUTHORISED,
            {"transaction_payment_status": "AUTHORIZE", "transaction_type": 310},
            "is_authorised",
        ),
        (
            Event.CAPTURED,
            {"transaction_payment_status": "CAPTURE", "transaction_type": 330},
            "is_paid",
        ),
        (
            Event.VOIDED,
            {
                "transaction_status": 400,
                "transaction_payment_status": "VOIDED",
                "transaction_type": 420,
            },
            "is_voided",
        ),
        (Event.REFUND_DONE, {"transaction_type": 340, "amount": "10.50"}, "is_refund"),
        (Event.REFUND_FAILED, {"transaction_type": 340, "amount": "10.50"}, "is_refund"),
    ],
)
def test_what_follows_a_payment_is_announced(
    event: Event, changes: dict[str, object], question: str
) -> None:
    told = Callbacks(CREDENTIALS).read_notification(
        *notification(changed(PAID, **changes), event=event.value)
    )
    assert told.event == event
    assert getattr(told.transaction, question)
    assert told.transaction.is_paid == (event is Event.CAPTURED)


def test_a_word_of_a_newer_gateway_is_kept() -> None:
    assert (
        Callbacks(CREDENTIALS).read_notification(*notification(PAID, event="chargeback")).event
        == "chargeback"
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_signed_notification_whose_hash_is_wrong_is_refused(form: str) -> None:
    headers, body = notification(changed(PAID, keep_hash=True, amount="1.00"), form, at=NOW)
    with pytest.raises(errors.SecureHashError):
        callbacks().read_notification(headers, body)


@pytest.mark.parametrize("form", FORMS)
def test_a_notification_for_another_merchant_is_refused(form: str) -> None:
    headers, body = notification(changed(PAID, merchant_id="54321"), form, at=NOW)
    with pytest.raises(errors.MismatchError, match="merchant_id"):
        callbacks().read_notification(headers, body)


def test_a_refund_is_told_apart() -> None:
    refund = changed(PAID, transaction_type=340, amount="100.00")
    told = callbacks().read_notification(*notification(refund, at=NOW)).transaction
    assert told.is_refund
    assert not told.is_paid


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"{", b"[1]", b"hello", b'{"response":"x"}', b"x" * 300_000]
)
def test_nonsense_is_refused(body: bytes) -> None:
    headers, _ = notification(PAID, at=NOW)
    with pytest.raises(errors.UntrustedError):
        callbacks().read_notification(headers, body)


@given(
    headers=st.dictionaries(st.text(max_size=20), st.text(max_size=40)),
    body=st.binary(max_size=200),
)
def test_no_notification_raises_anything_undeclared(headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(errors.UntrustedError):
        callbacks().read_notification(headers, body)


def test_the_form_dress_survives_a_form_parser() -> None:
    # What the signature covers is the body; a merchant that re-encodes it would have to keep every
    # byte.
    headers, body = notification(PAID, "form", at=NOW)
    assert urlencode(parse_qsl(body.decode(), keep_blank_values=True)).encode() == body
    assert callbacks().read_notification(headers, body)
