"""What RazorpayX publishes is read as its documents say it."""

import json
from datetime import time
from typing import Any

import pytest

from hundi.acquirers.calls.razorpay_wire import decoded, refused
from hundi.acquirers.port.answers import (
    AccountFault,
    Approved,
    BankAccount,
    Declined,
    NotRegistered,
    PayoutStage,
    ProviderFee,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.payouts import PayoutBalance
from hundi.acquirers.razorpayx import rules, webhooks
from hundi.acquirers.razorpayx.messages import (
    BankingBalances,
    RazorpayxPayout,
    RazorpayxValidation,
)
from hundi.acquirers.razorpayx.rails import rails_at
from hundi.kernel.money import Money
from tests.acquirers.paid_out import CHECK, PAYOUT, order
from tests.acquirers.razorpayx import published


def payout(said: dict[str, Any], **changes: Any) -> RazorpayxPayout:
    read = decoded(RazorpayxPayout, json.dumps(said | changes).encode())
    assert read is not None
    return read


def validation(said: dict[str, Any], **changes: Any) -> RazorpayxValidation:
    read = decoded(RazorpayxValidation, json.dumps(said | changes).encode())
    assert read is not None
    return read


def test_a_payout_is_paid_once_it_has_a_utr() -> None:
    assert rules.payout_outcome(payout(published.PROCESSED)) == Underway(
        PayoutStage.PROCESSING, "processed"
    )
    assert isinstance(rules.payout_outcome(payout(published.PROCESSED, utr="null")), Underway)
    paid = rules.payout_outcome(payout(published.PROCESSED, utr="933815233814"))
    fee = ProviderFee(Money(5_90), Money(90))
    assert paid == Approved(Money(10_000_00), "933815233814", code="processed", provider_fee=fee)
    free = rules.payout_outcome(payout(published.PROCESSED, utr="933815233814", fees=0, tax=0))
    assert isinstance(free, Approved)
    assert free.provider_fee is None


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("pending", PayoutStage.APPROVAL),
        ("queued", PayoutStage.QUEUED),
        ("scheduled", PayoutStage.QUEUED),
        ("processing", PayoutStage.PROCESSING),
    ],
)
def test_a_payout_waits_where_its_status_says(status: str, stage: PayoutStage) -> None:
    assert rules.payout_outcome(payout(published.QUEUED, status=status)) == Underway(stage, status)


def test_a_debited_payout_without_a_confirmed_credit_is_deemed() -> None:
    details = {
        "description": "Confirmation of credit to the beneficiary is pending from HDFC bank.",
        "source": "beneficiary_bank",
        "reason": "beneficiary_bank_confirmation_pending",
    }
    answer = rules.payout_outcome(
        payout(published.QUEUED, status="processing", status_details=details, utr="933815233814")
    )
    assert answer == Underway(
        PayoutStage.DEEMED, details["reason"], details["description"], "933815233814"
    )


def test_nothing_left_and_what_came_back_have_their_reasons() -> None:
    words = "IMPS is not enabled on beneficiary account, Retry with different mode"
    assert rules.payout_outcome(payout(published.FAILED)) == Declined("imps_not_allowed", words)
    assert rules.payout_outcome(payout(published.CANCELLED)) == Declined(
        "amount_limit_exhausted", "The NEFT 24*7 limits for your account has been exhausted."
    )
    for status in ("rejected", "cancelled"):
        assert rules.payout_outcome(payout(published.QUEUED, status=status)) == Declined(status)
    reversed_payout = published.PAYOUT_REVERSED["payload"]["payout"]["entity"]
    assert rules.payout_outcome(payout(reversed_payout)) == SentBack(
        "beneficiary_bank_offline",
        "Beneficiary bank systems are offline, please retry after 30 min",
        "qwer12uijaaasssd",
        fee_back=True,
    )


def test_a_status_that_nobody_published_is_unknown() -> None:
    answer = rules.payout_outcome(payout(published.QUEUED, status="sleeping"))
    assert answer == Unknown("sleeping")


def test_of_several_payouts_the_one_that_may_move_money_counts() -> None:
    failed, waiting = payout(published.FAILED), payout(published.QUEUED)
    assert rules.standing((failed, waiting)) is waiting
    assert rules.standing((waiting, failed)) is waiting
    newer = payout(published.FAILED, created_at=1545383038)
    assert rules.standing((failed, newer)) is newer
    several = rules.standing((waiting, payout(published.PROCESSED)))
    assert isinstance(several, Unknown)
    assert several.code == "several_payouts"


def test_an_order_has_everything_that_the_call_demands() -> None:
    assert rules.payout_request(order(), "7878780080316316", "payout", queues=True) == {
        "account_number": "7878780080316316",
        "amount": 149_950,
        "currency": "INR",
        "mode": "IMPS",
        "purpose": "payout",
        "fund_account": {
            "account_type": "bank_account",
            "bank_account": {
                "name": "CHAI HOUSE",
                "ifsc": "HDFC0000001",
                "account_number": "50100012349999",
            },
            "contact": {"name": "CHAI HOUSE", "type": "vendor"},
        },
        "queue_if_low_balance": True,
        "reference_id": PAYOUT,
        "narration": "Settlement 215000000000001",
        "notes": {"hundi_reference": PAYOUT},
    }
    without = rules.payout_request(order(narration=""), "1", "payout", queues=False)
    assert "narration" not in without
    assert without["queue_if_low_balance"] is False


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        ("Asha & Sons, Pune", "Asha and Sons Pune"),
        ("O'Brien Traders", "OBrien Traders"),
        ("Om", "Account of Om"),
        ("A" * 130, "A" * 120),
        ("Chai (North)", "Chai (North)"),
    ],
)
def test_a_holder_is_named_in_the_characters_that_are_taken(holder: str, name: str) -> None:
    assert rules.holder_name(holder) == name


def test_a_contact_does_not_end_with_a_special_character() -> None:
    contact = rules.fund_account(order().account, "Chai (North)")["contact"]
    assert contact["name"] == "Chai (North"
    long = rules.fund_account(order().account, "A" * 49 + "-" + "B" * 30)["contact"]
    assert long["name"] == "A" * 49
    assert rules.fund_account(order().account, "Chai Co.")["contact"]["name"] == "Chai Co."


def test_a_refusal_means_nothing_left_only_where_it_says_so() -> None:
    refusal = refused(json.dumps(published.REFUSED).encode())
    assert refusal is not None
    assert rules.never_accepted(refusal) == Declined(
        "input_validation_failed", "The account number field is required", never_accepted=True
    )
    no_key = refused(json.dumps(published.NO_KEY).encode())
    assert no_key is not None
    assert rules.never_accepted(no_key).code == "refused"
    server = refused(b'{"error": {"code": "SERVER_ERROR", "description": "We are facing trouble"}}')
    assert server is not None
    assert rules.never_accepted(server) == Unknown("SERVER_ERROR", "We are facing trouble")


def test_an_address_that_is_not_listed_has_a_code() -> None:
    said = {"code": "BAD_REQUEST_ERROR", "reason": "input_validation_failed"}
    words = "Transactions from this IP are not allowed. Contact support for help."
    refusal = refused(json.dumps({"error": said | {"description": words}}).encode())
    assert refusal is not None
    assert rules.never_accepted(refusal).code == "address_not_listed"
    assert rules.doubt(refusal) == Unknown("address_not_listed", words)


def test_the_balance_is_that_of_our_account() -> None:
    balances = decoded(BankingBalances, json.dumps(published.BALANCES).encode())
    assert balances is not None
    balance = rules.balance_of(balances, "984539953520846")
    assert isinstance(balance, PayoutBalance)
    assert balance.available == Money(1_029)
    assert balance.at.isoformat() == "2024-10-25T09:14:20+00:00"
    assert isinstance(rules.balance_of(balances, "1"), Unknown)


def test_a_check_says_the_name_and_its_score() -> None:
    assert rules.check_outcome(validation(published.CHECKED)) == RegisteredName("Gaurav Kumar", 100)
    assert rules.check_outcome(validation(published.CHECKED_BY_UPI)) == RegisteredName(
        "GAURAV KUMAR", 0
    )
    older = published.CHECK_COMPLETED["payload"]["fund_account.validation"]["entity"]
    assert rules.check_outcome(validation(older)) == RegisteredName("Gaurav Kumar", 100)
    # api/x/composite-account-validation/entity.md writes another word for a good account.
    valid = published.CHECKED["validation_results"] | {"account_status": "valid"}
    assert isinstance(
        rules.check_outcome(validation(published.CHECKED, validation_results=valid)), RegisteredName
    )


def test_a_check_that_ended_without_an_answer_is_unknown() -> None:
    assert rules.check_outcome(validation(published.CHECK_FAILED)).code == "gateway_technical_error"  # type: ignore[union-attr]
    created = rules.check_outcome(validation(published.CHECKED, status="created"))
    assert isinstance(created, Unknown)
    nameless = published.CHECKED["validation_results"] | {"registered_name": " "}
    answer = rules.check_outcome(validation(published.CHECKED, validation_results=nameless))
    assert answer == Unknown("no_name", "the bank named no holder")


@pytest.mark.parametrize(
    ("reason", "fault"),
    [
        ("bank_account_closed", AccountFault.CLOSED),
        ("bank_account_frozen", AccountFault.FROZEN),
        ("invalid_ifsc_code", AccountFault.ABSENT),
        ("validation_completed", AccountFault.OTHER),
    ],
)
def test_an_invalid_account_has_a_fault(reason: str, fault: AccountFault) -> None:
    answer = rules.check_outcome(
        validation(
            published.CHECKED,
            validation_results={"account_status": "invalid", "details": "No such account."},
            status_details={"reason": reason},
        )
    )
    assert answer == NotRegistered(fault, reason, "No such account.")


def test_another_account_is_not_ours() -> None:
    shown = {"bank_account": {"ifsc": "HDFC0000001", "account_number": "50100012349999"}}
    ours = payout(published.QUEUED, reference_id=PAYOUT, amount=149_950, fund_account=shown)
    assert rules.is_of(ours, order())
    assert not rules.is_of(ours, order(account=BankAccount("1", "HDFC0000001")))
    assert not rules.is_of(ours, order(paise=149_951))
    assert not rules.is_of(payout(published.QUEUED), order())


def test_a_webhook_names_our_references() -> None:
    def read(kind: str, entity: dict[str, Any]) -> tuple[str, ...] | None:
        return webhooks.references(json.dumps(published.webhook("e", kind, entity)).encode())

    assert read("payout", published.PROCESSED | {"reference_id": PAYOUT}) == (PAYOUT,)
    noted = {"notes": {"hundi_reference": CHECK}, "reference_id": f"{CHECK}-1"}
    assert read("fund_account.validation", noted) == (CHECK,)
    assert read("payout", published.PROCESSED) == ()
    assert read("payout.downtime", {"id": "poutdown_1"}) == ()
    assert webhooks.references(json.dumps(published.PAYOUT_REVERSED).encode()) == ()
    assert webhooks.references(b"[]") is None
    assert webhooks.references(b'{"event": "e", "event": "f", "payload": {}}') is None


def test_each_bank_has_its_hours() -> None:
    by_rail = {each.rail: each for each in rails_at("icici")}
    assert (by_rail["rtgs"].opens, by_rail["rtgs"].closes) == (time(9, 30), time(17, 15))
    assert (by_rail["neft"].opens, by_rail["neft"].closes) == (time(1), time(18, 45))
    assert by_rail["imps"].opens == by_rail["imps"].closes
    assert [each.rail for each in rails_at("lite")] == ["imps", "rtgs", "neft"]
