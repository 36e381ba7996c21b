"""Cashfree's words, published examples first, mean what docs/cashfree.md says they mean."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from hundi.acquirers.cashfree import banks, questions, refunds, rules, words
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown, Voided
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.cashfree import published

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
OURS = "10001-219876543210007"
REFUND = "10001-R219876543210008"
ENDS = "2026-11-23T17:00:00+05:30"
ORDER = words.CashfreeOrder("7-1", "ACTIVE", Decimal("1499.50"), "INR", order_expiry_time=ENDS)
PAID = words.CashfreePayment(
    "7-1", "SUCCESS", Decimal("1499.50"), is_captured=True, bank_reference="632512345678"
)


def order(status: str) -> words.CashfreeOrder:
    return msgspec.structs.replace(ORDER, order_status=status)


def payment(status: str, **changes: Any) -> words.CashfreePayment:
    return msgspec.structs.replace(PAID, payment_status=status, **changes)


def of_published(text: str) -> tuple[words.CashfreeOrder, list[words.CashfreePayment]]:
    payments = words.decoded(words.CashfreeAnswer(200, text.encode()), list[words.CashfreePayment])
    assert payments
    return msgspec.structs.replace(
        ORDER, order_id=payments[0].order_id, order_status="PAID"
    ), payments


# --- published examples ---


def test_the_published_order_is_read() -> None:
    read = words.decoded(words.CashfreeAnswer(200, published.ORDER.encode()), words.CashfreeOrder)
    assert read is not None
    assert (read.order_id, read.order_status) == ("order_3242Tq4Edj9CC5RDcMeobmJOWOBJij", "ACTIVE")
    assert words.in_paise(read.order_amount, read.order_currency) == Money(2_200)
    assert rules.moment(read.order_expiry_time) == datetime(2023, 9, 9, 12, 32, 46, tzinfo=UTC)


def test_of_the_published_payments_the_paid_one_counts_and_not_the_failed_one() -> None:
    answer = rules.outcome(*of_published(published.PAYMENTS), NOW)
    assert isinstance(answer, Unknown), "its CAPTURE is PENDING in the example"
    settled = published.PAYMENTS.replace('"status": "PENDING"', '"status": "SUCCESS"')
    assert rules.outcome(*of_published(settled), NOW) == Approved(
        Money(10_000), "P78112898712", payer_vpa="rohit@xcxcx", approval_code="A898101"
    )


def test_the_published_failure_of_a_closed_order_is_declined_with_its_code() -> None:
    at_order, payments = of_published(f"[{published.FAILED}]")
    assert isinstance(
        rules.outcome(msgspec.structs.replace(at_order, order_status="ACTIVE"), payments, NOW),
        Unknown,
    )
    closed = msgspec.structs.replace(at_order, order_status="TERMINATED")
    answer = rules.outcome(closed, payments, NOW)
    assert isinstance(answer, Declined)
    assert (answer.code, answer.rrn, answer.left) == ("TRANSACTION_DECLINED", "306118259130", False)


def test_the_published_capture_is_an_approval_of_what_was_captured() -> None:
    answer = rules.outcome(*of_published(f"[{published.CAPTURED}]"), NOW)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.authorised_only, answer.rrn) == (
        Money(100),
        False,
        "519611740779",
    )
    assert answer.card is not None
    assert (answer.card.last4, answer.card.scheme, answer.card.issuer) == (
        "4738",
        "Visa",
        "KOTAK MAHINDRA BANK",
    )


def test_the_published_refund_is_pending() -> None:
    read = words.decoded(words.CashfreeAnswer(200, published.REFUND.encode()), words.CashfreeRefund)
    assert read is not None
    answer = refunds.refund_outcome(read, read.refund_id, read.order_id, "100 INR")
    assert answer == Unknown("PENDING", "In Progress")
    assert refunds.refund_outcome(read, read.refund_id, read.order_id, "101 INR").code == ""


def test_the_published_link_is_read_and_its_page_is_of_their_test_host() -> None:
    read = words.decoded(words.CashfreeAnswer(200, published.LINK.encode()), words.CashfreeLink)
    assert read is not None
    assert rules.link_fits(read, "my_link_id", Money(10_000))
    assert rules.at_origin(read.link_url, ("https://payments-test.cashfree.com",))


def test_the_published_card_payment_is_a_form_of_their_host() -> None:
    read = words.decoded(
        words.CashfreeAnswer(200, published.CARD_BEGUN.encode()), words.PaymentSession
    )
    assert read is not None
    assert rules.page(read, "7-1", ("https://sandbox.cashfree.com",)) == Redirect(
        "https://sandbox.cashfree.com/pg/view/gateway/FHsuvhayLM5mmhINoqri7ba296e2ebca8b98e6119f6223021a13",
        "7-1",
        (("name", "card"),),
    )
    assert rules.page(read, "7-1", ("https://api.cashfree.com",)) is None


def test_the_published_answer_without_a_upi_link_is_none() -> None:
    read = words.decoded(
        words.CashfreeAnswer(200, published.UPI_BEGUN.encode()), words.PaymentSession
    )
    assert read is not None
    assert rules.upi_url(read) is None


@pytest.mark.parametrize(
    ("status", "kind"), [(400, Declined), (401, Unknown), (409, Unknown), (422, Unknown)]
)
def test_published_errors_decline_only_what_was_asked_wrongly(status: int, kind: type) -> None:
    said = words.CashfreeAnswer(status, published.ERRORS[status].encode())
    assert isinstance(rules.refused(status, words.refusal(said)), kind)


# --- outcomes ---


@pytest.mark.parametrize("status", ["ACTIVE", "PAID", "TERMINATION_REQUESTED", "SOMETHING_NEW"])
@pytest.mark.parametrize(
    "tries", [(), ("FAILED",), ("USER_DROPPED", "CANCELLED"), ("PENDING",), ("FLAGGED",)]
)
def test_an_order_that_is_not_closed_declines_nothing(status: str, tries: tuple[str, ...]) -> None:
    assert isinstance(rules.outcome(order(status), [payment(each) for each in tries], NOW), Unknown)


@pytest.mark.parametrize("status", sorted(rules.CLOSED))
def test_a_closed_order_declines_when_no_try_is_open(status: str) -> None:
    assert rules.outcome(order(status), [], NOW) == Declined(
        status, "The payment was not begun in time.", left=True
    )
    dropped = rules.outcome(order(status), [payment("USER_DROPPED")], NOW)
    assert isinstance(dropped, Declined)
    assert dropped.left
    for open_one in ("PENDING", "FLAGGED", "NOT_ATTEMPTED", "SOMETHING_NEW"):
        both = [payment("FAILED"), payment(open_one)]
        assert isinstance(rules.outcome(order(status), both, NOW), Unknown), open_one


def test_a_payment_that_nobody_acted_on_is_over_an_hour_after_its_order() -> None:
    late = datetime(2026, 11, 23, 11, 30, tzinfo=UTC) + timedelta(seconds=rules.ATTEMPT_LIFE_S)
    tries = [payment("NOT_ATTEMPTED")]
    assert isinstance(rules.outcome(order("EXPIRED"), tries, late - timedelta(seconds=1)), Unknown)
    assert isinstance(rules.outcome(order("EXPIRED"), tries, late), Declined)
    assert isinstance(rules.outcome(order("EXPIRED"), [payment("PENDING")], late), Unknown)


def test_a_paid_try_counts_whatever_became_of_its_order_and_the_others() -> None:
    for status in ("ACTIVE", "PAID", "EXPIRED", "TERMINATED"):
        tries = [payment("FAILED"), PAID, payment("USER_DROPPED")]
        assert rules.outcome(order(status), tries, NOW) == Approved(Money(149_950), "632512345678")


def test_of_two_paid_tries_the_first_counts() -> None:
    first = payment(
        "SUCCESS", payment_completion_time="2026-11-23T16:00:00+05:30", bank_reference="1"
    )
    second = payment(
        "SUCCESS", payment_completion_time="2026-11-23T16:05:00+05:30", bank_reference="2"
    )
    answer = rules.outcome(order("PAID"), [second, first], NOW)
    assert isinstance(answer, Approved)
    assert answer.rrn == "1"


def test_the_last_failure_is_told_in_whatever_order_they_are_listed() -> None:
    tries = [
        payment(
            "FAILED",
            payment_time=f"2026-11-23T16:0{minute}:00+05:30",
            error_details=words.FailureReason(code),
        )
        for minute, code in ((2, "LAST"), (1, "FIRST"))
    ]
    for listed in (tries, tries[::-1]):
        answer = rules.outcome(order("TERMINATED"), listed, NOW)
        assert isinstance(answer, Declined)
        assert answer.code == "LAST"


def test_the_amount_is_what_cashfree_says() -> None:
    other = payment("SUCCESS", payment_amount=Decimal("1499.49"), payment_currency="USD")
    assert rules.outcome(order("PAID"), [other], NOW) == Approved(
        Money(149_949, "USD"), "632512345678"
    )


@pytest.mark.parametrize("amount", ["1499.505", "-1", "0", "1E+20"])
def test_an_amount_that_is_none_decides_nothing(amount: str) -> None:
    assert isinstance(
        rules.outcome(order("PAID"), [payment("SUCCESS", payment_amount=Decimal(amount))], NOW),
        Unknown,
    )


def test_a_payment_of_another_order_decides_nothing() -> None:
    assert isinstance(
        rules.outcome(order("PAID"), [payment("SUCCESS", order_id="7-2")], NOW), Unknown
    )


def test_a_hold_is_held_captured_and_voided() -> None:
    def ended(**said: Any) -> object:
        authorization = words.Authorization(**said) if said else None
        return rules.outcome(
            order("PAID"), [payment("SUCCESS", is_captured=False, authorization=authorization)], NOW
        )

    assert ended() == Approved(Money(149_950), "632512345678", authorised_only=True)
    assert ended(action="VOID", status="SUCCESS") == Voided("632512345678")
    assert isinstance(ended(action="VOID", status="PENDING"), Unknown)
    assert isinstance(ended(action="CAPTURE", status=None), Unknown)
    part = ended(action="CAPTURE", status="SUCCESS", captured_amount=Decimal("10.5"))
    assert part == Approved(Money(1_050), "632512345678")
    assert rules.outcome(order("PAID"), [payment("VOID")], NOW) == Voided("632512345678")


def test_only_an_order_whose_tries_all_failed_is_closed_by_us() -> None:
    assert rules.can_be_closed(ORDER, [payment("FAILED"), payment("USER_DROPPED")])
    for tries in ([], [payment("FAILED"), payment("PENDING")], [PAID]):
        assert not rules.can_be_closed(ORDER, tries)
    assert not rules.can_be_closed(order("PAID"), [payment("FAILED")])


@pytest.mark.parametrize(
    ("status", "said", "sent"),
    [
        (401, {"type": "authentication_error", "code": "request_failed"}, False),
        (403, {"type": "invalid_request_error", "code": "ip_not_allowed"}, False),
        (400, {"type": "authentication_error"}, False),
        (409, {"type": "invalid_request_error", "code": "order_already_exists"}, True),
        (422, {"type": "idempotency_error", "code": "request_invalid"}, True),
        (400, {"type": "api_error"}, True),
        (404, {"type": "invalid_request_error", "code": "order_not_found"}, True),
        (400, {"message": "no type"}, True),
    ],
)
def test_refusals_that_say_nothing_of_the_payment(
    status: int, said: dict[str, str], *, sent: bool
) -> None:
    answer = rules.refused(
        status, words.refusal(words.CashfreeAnswer(status, json.dumps(said).encode()))
    )
    assert isinstance(answer, Unknown)
    assert answer.sent is sent


def test_only_cashfrees_own_word_says_that_something_is_not_there() -> None:
    gone = words.CashfreeRefusal("invalid_request_error", "order_not_found", "")
    assert rules.not_found(404, gone)
    assert not rules.not_found(
        404, words.CashfreeRefusal("invalid_request_error", "request_failed", "bad URL")
    )
    assert not rules.not_found(404, None)
    assert not rules.not_found(400, gone)


# --- amounts ---


@pytest.mark.parametrize("paise", [1, 99, 100, 149_950, 10**12])
def test_amounts_are_rupees_with_two_decimals_and_come_back(paise: int) -> None:
    written = words.in_rupees(Money(paise))
    assert bytes(written) == f"{paise // 100}.{paise % 100:02d}".encode()
    assert words.in_paise(msgspec.json.decode(written, type=Decimal), "INR") == Money(paise)


def test_trailing_zeros_and_whole_rupees_are_the_same_amount() -> None:
    for text in (b"170", b"170.0", b"170.00", b"1.7e2"):
        assert words.in_paise(msgspec.json.decode(text, type=Decimal), "INR") == Money(17_000)
    assert words.in_paise(Decimal("NaN"), "INR") is None


# --- questions ---


def test_an_order_carries_reference_amount_and_a_phone() -> None:
    charge = Charge(
        "10001-219876543210007",
        Money(1_034),
        customer=Customer("Asha", "asha@example.in", "+91 98989 89898"),
    )
    terms = questions.Terms(
        mode="upi", phone="9000090000", return_url="", notify_url="https://g.in/c", ends=NOW
    )
    body = json.loads(msgspec.json.encode(questions.order(charge, terms)))
    assert body == {
        "order_id": "10001-219876543210007",
        "order_amount": 10.34,
        "order_currency": "INR",
        "customer_details": {
            "customer_id": "10001a219876543210007",
            "customer_phone": "9898989898",
            "customer_email": "asha@example.in",
            "customer_name": "Asha",
        },
        "order_meta": {"payment_methods": "upi", "notify_url": "https://g.in/c"},
        "order_expiry_time": "2026-11-23T12:00:00+00:00",
    }
    unheard = replace(terms, notify_url="http://g.in/c")
    assert "notify_url" not in questions.order(charge, unheard)["order_meta"]


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("9898989898", "9898989898"),
        ("+919898989898", "9898989898"),
        ("919898989898", "9898989898"),
        ("+1 (415) 555-2671", "+14155552671"),
        ("", "9000090000"),
        ("12345", "9000090000"),
        ("98989+89898", "9000090000"),
        ("٩٨٩٨٩٨٩٨٩٨", "9000090000"),
        ("04155552671999", "9000090000"),
    ],
)
def test_a_phone_number_is_sent_as_cashfree_takes_it_or_the_operators(
    typed: str, sent: str
) -> None:
    assert rules.phone_of(typed, "9000090000") == sent


def test_a_call_made_again_has_the_same_key_and_another_call_another_one() -> None:
    first = questions.key("POST", "/orders", "10001-219876543210007")
    assert first == questions.key("POST", "/orders", "10001-219876543210007")
    assert first != questions.key("POST", "/orders", "10001-219876543210008")
    assert len(first["x-idempotency-key"]) == 36


def test_a_card_goes_out_as_the_published_request_has_it() -> None:
    typed = CardNumber("4539578763621486", 3, 2028, "123", "Asha")
    assert questions.card(typed, "") == {
        "card": {
            "channel": "link",
            "card_number": "4539578763621486",
            "card_holder_name": "Asha",
            "card_expiry_mm": "03",
            "card_expiry_yy": "28",
            "card_cvv": "123",
        }
    }


def test_banks_have_our_codes_and_their_numbers() -> None:
    assert banks.BANK_NUMBERS["HDFC"] == 3021, "as the published request by code has it"
    assert (
        banks.BANK_NUMBERS["HDFC_C"],
        banks.BANK_NUMBERS["SBIN"],
        banks.BANK_NUMBERS["BACB"],
    ) == (3084, 3044, 3096)
    assert len(set(banks.BANK_NUMBERS.values())) == len(banks.BANK_NUMBERS) == 92
    assert len({(each.method, each.code) for each in banks.ENTRIES}) == len(banks.ENTRIES)
    assert questions.bank("netbanking", "NOBK", "") is None
    assert questions.bank("wallet", "HDFC", "") is None


@pytest.mark.parametrize(
    "url",
    ["https://api.cashfree.com.evil.in/a", "https://api.cashfree.com@evil.in/", "javascript:1"],
)
def test_nobody_is_sent_elsewhere(url: str) -> None:
    assert not rules.at_origin(url, ("https://api.cashfree.com",))
