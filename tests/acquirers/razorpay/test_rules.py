"""Razorpay's published words mean what they say, and whatever is doubtful means Unknown."""

import hashlib
import hmac
from typing import Any

import msgspec
import pytest

from hundi.acquirers.calls.razorpay_wire import decoded, refused, signed_by
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import BankEntry, Charge
from hundi.acquirers.razorpay import messages, questions, rules, webhooks
from hundi.acquirers.razorpay.reasons import CANCELLED, DOUBTFUL, REFUSED
from hundi.acquirers.razorpay.rules import RazorpayWay, Terms
from hundi.instruments.card import CardFacts, CardNumber
from hundi.kernel.money import Money
from tests.acquirers.razorpay import published

NOW_S = 1_701_688_800
"""Shortly after the published payments began."""
LONG_AFTER_S = NOW_S + 3_600
ONCE, LINK, PAGE = (
    Terms(way, hold=False, until_s=NOW_S + 300)
    for way in (RazorpayWay.ONCE, RazorpayWay.LINK, RazorpayWay.PAGE)
)
HELD = Terms(RazorpayWay.PAGE, hold=True, until_s=NOW_S + 300)
CHARGE = Charge("10001-2", Money(100))


def payments(*said: dict[str, Any]) -> tuple[messages.RazorpayPayment, ...]:
    found = decoded(messages.RazorpayPayments, published.body({"items": said}))
    assert found is not None
    return found.items


def failed(reason: str, **more: object) -> dict[str, Any]:
    return {**published.FAILED, "error_reason": reason, **more}


def test_a_paid_try_counts_after_a_failed_one() -> None:
    answer = rules.outcome(payments(published.FAILED, published.PAID), PAGE, NOW_S)
    assert answer == Approved(Money(100), "267567962619", payer_vpa="success@razorpay")
    assert answer == rules.outcome(payments(published.PAID, published.FAILED), PAGE, NOW_S)


def test_the_facts_of_a_card_are_told() -> None:
    answer = rules.outcome(payments(published.CARD_PAID), ONCE, NOW_S)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.approval_code, answer.rrn) == (
        Money(9900),
        "299196",
        "pay_L0nSsccovt6zyp",
    )
    assert answer.card == CardFacts("0153", "Visa", "debit", country="IN")


def test_two_paid_tries_are_said_as_all_that_moved() -> None:
    answer = rules.outcome(payments(published.PAID, {**published.PAID, "id": "pay_2"}), PAGE, NOW_S)
    assert isinstance(answer, Approved)
    assert answer.amount == Money(200)
    foreign = {**published.PAID, "id": "pay_2", "currency": "USD"}
    assert isinstance(rules.outcome(payments(published.PAID, foreign), PAGE, NOW_S), Unknown)


def test_the_amount_is_what_razorpay_says() -> None:
    answer = rules.outcome(
        payments({**published.PAID, "amount": 99, "currency": "USD"}), PAGE, NOW_S
    )
    assert isinstance(answer, Approved)
    assert answer.amount == Money(99, "USD")


def test_a_refunded_payment_was_paid_unless_it_was_never_captured() -> None:
    refunded = {**published.PAID, "status": "refunded", "amount_refunded": 100}
    assert isinstance(rules.outcome(payments(refunded), PAGE, NOW_S), Approved)
    without = {name: value for name, value in refunded.items() if name != "captured"}
    assert isinstance(rules.outcome(payments(without), PAGE, NOW_S), Approved)
    assert isinstance(rules.outcome(payments({**refunded, "captured": False}), HELD, NOW_S), Voided)


def test_an_authorised_payment_is_a_hold_only_where_we_wanted_one() -> None:
    authorised = {**published.PAID, "status": "authorized", "captured": False}
    answer = rules.outcome(payments(authorised), HELD, NOW_S)
    assert isinstance(answer, Approved)
    assert answer.authorised_only
    assert isinstance(rules.outcome(payments(authorised), PAGE, LONG_AFTER_S), Unknown)
    assert isinstance(
        rules.outcome(payments(authorised, {**authorised, "id": "pay_2"}), HELD, NOW_S), Unknown
    )


def test_a_try_that_is_under_way_waits_for_its_customer() -> None:
    begun = {**published.PAID, "status": "created"}
    for terms in (ONCE, LINK, PAGE):
        assert rules.outcome(payments(published.FAILED, begun), terms, LONG_AFTER_S) == Unknown(
            awaiting_customer=True
        )


@pytest.mark.parametrize("reason", published.REASONS)
def test_a_published_reason_is_a_no_or_a_doubt(reason: str) -> None:
    assert (reason in REFUSED) is not (reason in DOUBTFUL)
    answer = rules.outcome(payments(failed(reason)), ONCE, NOW_S)
    assert isinstance(answer, Declined if reason in REFUSED else Unknown)
    assert answer.code == reason


def test_what_was_never_published_is_a_doubt() -> None:
    for said in (failed("brand_new_reason"), {**published.PAID, "status": "settled"}):
        assert isinstance(rules.outcome(payments(said), ONCE, NOW_S), Unknown)


@pytest.mark.parametrize("terms", [LINK, PAGE, HELD])
def test_where_a_customer_may_try_again_a_failed_try_decides_nothing_yet(terms: Terms) -> None:
    said = payments(failed("insufficient_funds"))
    assert isinstance(rules.outcome(said, terms, NOW_S), Unknown)
    over_s = terms.until_s + 60 * rules.CAPTURED_WITHIN_MIN + rules.GRACE_S
    assert isinstance(rules.outcome(said, terms, over_s - 1), Unknown)
    assert isinstance(rules.outcome(said, terms, over_s), Declined)


def test_a_doubtful_failure_is_a_no_once_a_late_authorisation_is_not_captured_any_more() -> None:
    said = payments(failed("payment_timed_out"))
    begun_s = published.FAILED["created_at"]
    over_s = begun_s + 60 * rules.CAPTURED_WITHIN_MIN + rules.GRACE_S
    assert isinstance(rules.outcome(said, ONCE, over_s - 1), Unknown)
    assert rules.outcome(said, ONCE, over_s) == Declined(
        "payment_timed_out", published.FAILED["error_description"]
    )


def test_a_customer_who_cancelled_has_left_once_that_is_sure() -> None:
    said = payments({**published.CARD_LEFT, "created_at": NOW_S})
    assert isinstance(rules.outcome(said, ONCE, NOW_S), Unknown)
    answer = rules.outcome(said, ONCE, LONG_AFTER_S)
    assert isinstance(answer, Declined)
    assert answer.left
    assert answer.code == CANCELLED


def test_a_link_that_nobody_opened_has_expired_and_was_not_refused() -> None:
    said = payments(failed("payment_timed_out"))
    assert rules.outcome(said, LINK, NOW_S) == Unknown(awaiting_customer=True)
    answer = rules.outcome(said, LINK, LONG_AFTER_S)
    assert isinstance(answer, Declined)
    assert answer.left


def test_an_order_that_nobody_tried_to_pay() -> None:
    for terms in (ONCE, LINK, PAGE):
        assert rules.outcome((), terms, NOW_S) == Unknown(awaiting_customer=True)
    assert rules.outcome((), ONCE, LONG_AFTER_S) == NothingThere()
    answer = rules.outcome((), PAGE, LONG_AFTER_S)
    assert isinstance(answer, Declined)
    assert answer.left


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (published.TOO_LITTLE, Declined),
        (published.WRONG_OTP, Declined),
        (published.WRONG_KEY, Unknown),
        (published.OTHER_BODY, Unknown),
        ({"error": {"code": "GATEWAY_ERROR", "reason": "insufficient_funds"}}, Unknown),
        (
            {"error": {"code": "SERVER_ERROR", "reason": "server_error", "description": None}},
            Unknown,
        ),
        (
            {
                "error": {
                    "code": "BAD_REQUEST_ERROR",
                    "description": "The amount is invalid",
                    "field": "amount",
                }
            },
            Unknown,
        ),
        ({"error": {}}, Unknown),
    ],
)
def test_only_a_published_reason_refuses_a_call(said: dict[str, Any], kind: type) -> None:
    refusal = refused(published.body(said))
    assert refusal is not None
    assert isinstance(rules.declined(refusal), kind)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b"null", b"<html>", b'{"error":"no"}', b'{"error":', b"\xff"]
)
def test_garbage_is_no_refusal_and_no_answer(body: bytes) -> None:
    assert refused(body) is None
    for kind in (
        messages.RazorpayOrder,
        messages.Orders,
        messages.RazorpayPayments,
        messages.RazorpayRefund,
        messages.RazorpayRefunds,
        messages.PaymentStart,
    ):
        assert decoded(kind, body) is None


def test_an_amount_that_is_no_whole_number_is_no_answer() -> None:
    for amount in (1.5, "100", -1, True, 10**14):
        assert (
            decoded(
                messages.RazorpayPayments,
                published.body({"items": [{**published.PAID, "amount": amount}]}),
            )
            is None
        )


def test_an_order_is_ours_by_receipt_amount_and_currency() -> None:
    order = decoded(messages.RazorpayOrder, published.body(published.ORDER))
    assert order is not None
    assert rules.same_order(order, "receipt#1", Money(5000))
    for other in (
        ("receipt#2", Money(5000)),
        ("receipt#1", Money(5001)),
        ("receipt#1", Money(5000, "USD")),
    ):
        assert not rules.same_order(order, *other)


def test_a_refund_is_what_its_status_says() -> None:
    made = decoded(messages.RazorpayRefund, published.body(published.REFUND))
    assert made is not None
    assert rules.refund_outcome(made, Money(500_100)) == Approved(
        Money(500_100), "rfnd_FP8QHiV938haTz"
    )
    assert isinstance(rules.refund_outcome(made, Money(500_000)), Unknown)
    for status, kind in (
        ("pending", Unknown),
        ("failed", Declined),
        ("created", Unknown),
        ("", Unknown),
    ):
        assert isinstance(rules.refund_outcome(msgspec.structs.replace(made, status=status)), kind)


def test_links_are_taken_as_they_are_and_only_for_our_amount() -> None:
    begun = decoded(messages.PaymentStart, published.body(published.UPI_LINK))
    assert begun is not None
    assert rules.link_of(begun, Money(100)) == published.UPI_LINK["link"]
    assert rules.link_of(begun, Money(101)) == ""
    steps = decoded(messages.PaymentStart, published.body(published.UPI_STEPS))
    assert steps is not None
    assert rules.link_of(steps, Money(10_000)).startswith("upi://pay?pa=upi@razopay")
    elsewhere = msgspec.structs.replace(begun, link="https://shop.test/pay?am=1")
    assert rules.link_of(elsewhere, Money(100)) == ""
    for odd in ("upi://pay?pa=a@b&am=1e9999999", "upi://pay?am=one", "upi://[pay?am=1"):
        assert rules.link_of(msgspec.structs.replace(begun, link=odd), Money(100)) == ""


def test_steps_are_found_by_their_name() -> None:
    begun = decoded(messages.PaymentStart, published.body(published.CARD_STEPS))
    assert begun is not None
    assert (
        begun.url("redirect") == "https://api.razorpay.com/v1/payments/PSix5yL6ycr4oI/authenticate"
    )
    assert begun.url("intent") == ""


def test_banks_wallets_and_lenders_are_listed_once_and_by_ifsc_code() -> None:
    methods = decoded(messages.Methods, published.body(published.METHODS))
    assert methods is not None
    listed = questions.choices(methods)
    assert listed["netbanking", "BARB"] == (
        "BARB_R",
        BankEntry("netbanking", "BARB", "Bank of Baroda - Retail Banking"),
    )
    assert listed["netbanking", "DLXB_C"][0] == "DLXB_C"
    assert listed["wallet", "MBKW"] == ("mobikwik", BankEntry("wallet", "MBKW", "MobiKwik"))
    assert listed["pay_later", "HDFC"][0] == "hdfc"
    assert {code for method, code in listed if method == "wallet"} == {"MBKW", "PAYZ"}
    assert questions.choices(messages.Methods(netbanking=[], wallet=[], paylater=None)) == {}
    odd = messages.Methods(netbanking={"HDFCX": "A bank", "hdfc": "A bank", "HDFC": 1})
    assert questions.choices(odd) == {}


def test_an_order_says_when_it_is_captured_or_how_long_it_is_held() -> None:
    assert questions.order(CHARGE, hold=False)["payment"] == {
        "capture": "automatic",
        "capture_options": {
            "automatic_expiry_period": 12,
            "manual_expiry_period": 12,
            "refund_speed": "normal",
        },
    }
    held = questions.order(CHARGE, hold=True)["payment"]
    assert held == {
        "capture": "manual",
        "capture_options": {"manual_expiry_period": 4_320, "refund_speed": "normal"},
    }


def test_a_card_is_sent_as_the_documents_write_it() -> None:
    typed = CardNumber("4386289407660153", 3, 2030, "100", "Gaurav")
    asked = questions.card(
        CHARGE, "order_1", Customer(email="a@b.in", phone="9"), typed, "https://pay.test/back"
    )
    card = {
        "number": "4386289407660153",
        "name": "Gaurav",
        "expiry_month": "03",
        "expiry_year": "30",
        "cvv": "100",
    }
    assert asked["card"] == card
    assert asked["callback_url"] == "https://pay.test/back"


def test_razorpay_writes_to_the_customer_or_else_to_the_merchant() -> None:
    asha = Customer("Asha", "asha@example.in", "9876543210")
    assert questions.reachable_at(asha, "", "") == asha
    nobody = Customer("Asha", email=f"{'a' * 60}@example.in")
    assert questions.reachable_at(nobody, "", "9000090000") is None
    written = questions.reachable_at(nobody, "shop@example.in", "9000090000")
    assert written is not None
    assert (written.email, written.phone) == ("shop@example.in", "9000090000")


def test_the_published_webhook_is_signed_with_its_secret() -> None:
    secret = published.WEBHOOK_SECRET.encode()
    assert signed_by((secret,), published.WEBHOOK_SIGNATURE, published.WEBHOOK)
    assert signed_by((b"another", secret), published.WEBHOOK_SIGNATURE, published.WEBHOOK)
    assert not signed_by((), published.WEBHOOK_SIGNATURE, published.WEBHOOK)
    assert not signed_by(
        (b"",), hmac.new(b"", published.WEBHOOK, hashlib.sha256).hexdigest(), published.WEBHOOK
    )
    assert not signed_by((secret,), published.WEBHOOK_SIGNATURE, published.WEBHOOK.rstrip())
    assert not signed_by((secret,), "\u00e9", published.WEBHOOK)


def test_a_webhook_names_receipts_and_notes() -> None:
    told = webhooks.read_event(published.WEBHOOK)
    assert told is not None
    assert webhooks.references(told) == ()
    ours = published.body(published.REFUND_WEBHOOK).replace(
        b'"receipt": null', b'"receipt": "10001-9"'
    )
    ours = ours.replace(b'"notes": []', b'"notes": {"hundi_reference": "10001-2"}')
    event = webhooks.read_event(ours)
    assert event is not None
    assert webhooks.references(event) == ("10001-2", "10001-9")


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"event":"x","payload":[]}', b'{"event":"x"}', b"<html>"]
)
def test_garbage_is_no_webhook(body: bytes) -> None:
    assert webhooks.read_event(body) is None


def test_a_webhook_about_nothing_of_ours_names_nothing() -> None:
    for payload in (
        {"payment": None},
        {"payment": {"entity": []}},
        {"order": {"entity": {"receipt": 5}}},
        {},
    ):
        event = webhooks.read_event(published.body({"event": "payment.failed", "payload": payload}))
        assert event is not None
        assert webhooks.references(event) == ()
