"""What Cashfree publishes about payouts and checks is read as its documents say it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hundi.acquirers.calls.aggregators import read_object
from hundi.acquirers.cashfree_payouts import rules
from hundi.acquirers.port.answers import (
    AccountFault,
    Approved,
    BankAccount,
    Declined,
    NotRegistered,
    PayoutStage,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
)
from hundi.kernel.money import Money
from tests.acquirers.cashfree_payouts import published
from tests.acquirers.paid_out import CHECK, GOOD, PAYOUT, order

NOW = datetime(2021, 11, 24, 14, tzinfo=UTC)


def read(said: dict[str, Any], **changes: Any) -> dict[str, Any]:
    fields = read_object(json.dumps(said | changes).encode())
    assert fields is not None
    return fields


def outcome(said: dict[str, Any], **changes: Any) -> object:
    return rules.payout_outcome(read(said, **changes), NOW)


def test_references_have_no_hyphen_there() -> None:
    assert rules.cashfree_id(PAYOUT) == "10001_P215000000000001"
    for reference in (PAYOUT, CHECK):
        assert rules.own_reference(rules.cashfree_id(reference)) == reference


def test_a_success_is_paid_once_the_credit_is_confirmed() -> None:
    paid = outcome(published.COMPLETED)
    assert isinstance(paid, Approved)
    assert (paid.amount, paid.rrn, paid.code) == (
        Money(1_00),
        published.COMPLETED["transfer_utr"],
        "COMPLETED",
    )
    sent = published.SENT["data"]
    assert outcome(sent, added_on="2021-11-24T13:39:25Z") == Underway(
        PayoutStage.DEEMED, "SENT_TO_BENEFICIARY", utr=sent["transfer_utr"]
    )


def test_a_bank_that_confirms_nothing_is_waited_for_only_so_long() -> None:
    added = NOW - rules.DEEMED_FOR
    sent = published.SENT["data"]
    assert isinstance(outcome(sent, added_on=added.isoformat()), Approved)
    later = added + timedelta(seconds=1)
    assert isinstance(outcome(sent, added_on=later.isoformat()), Underway)
    assert isinstance(outcome(sent, added_on="2021-11-19T13:00:00"), Approved)
    assert isinstance(outcome(sent, added_on="yesterday"), Underway)
    assert isinstance(outcome(sent), Underway)


def test_a_success_without_utr_or_amount_is_not_paid() -> None:
    assert outcome(published.COMPLETED, transfer_utr=None) == Underway(
        PayoutStage.PROCESSING,
        "COMPLETED",
        published.COMPLETED.get("status_description", ""),
    )
    for amount in (None, 0, "1.001", -1):
        assert isinstance(outcome(published.COMPLETED, transfer_amount=amount), Unknown)


@pytest.mark.parametrize(
    ("status", "code", "stage"),
    [
        ("RECEIVED", "RECEIVED", PayoutStage.PROCESSING),
        ("PENDING", "SENT_TO_BANK", PayoutStage.PROCESSING),
        ("PENDING", "INSUFFICIENT_BALANCE", PayoutStage.QUEUED),
        ("QUEUED", "QUEUED", PayoutStage.QUEUED),
        ("APPROVAL_PENDING", "VELOCITY_CHECK_FAILED", PayoutStage.APPROVAL),
        ("APPOVAL_PENDING", "APPROVAL_PENDING", PayoutStage.APPROVAL),
    ],
)
def test_a_transfer_waits_where_its_status_says(status: str, code: str, stage: PayoutStage) -> None:
    answer = outcome(published.RECEIVED, status=status, status_code=code)
    assert isinstance(answer, Underway)
    assert (answer.stage, answer.code) == (stage, code)


def test_nothing_left_and_what_came_back_have_their_codes() -> None:
    failed, rejected = outcome(published.FAILED), outcome(published.REJECTED)
    assert isinstance(failed, Declined)
    assert isinstance(rejected, Declined)
    assert (failed.code, rejected.code) == ("IMPS_MODE_FAIL", "INVALID_MODE_FOR_PYID")
    assert not failed.never_accepted
    assert isinstance(outcome(published.RECEIVED, status="MANUALLY_REJECTED"), Declined)
    back = outcome(published.REVERSED)
    assert isinstance(back, SentBack)
    assert back.code == "INVALID_ACCOUNT_FAIL"
    assert outcome(published.TOLD_REVERSED["data"]) == SentBack("INVALID_ACCOUNT_FAIL")


def test_a_status_that_nobody_published_is_unknown() -> None:
    assert outcome({"status": "SLEEPING"}) == Unknown("SLEEPING")
    assert outcome({"status": 7}) == Unknown("7")
    assert outcome({}) == Unknown()


def test_an_order_has_everything_that_the_call_demands() -> None:
    request = rules.transfer_request(order(), "CASHFREE_1")
    assert bytes(request.pop("transfer_amount")) == b"1499.50"
    assert request == {
        "transfer_id": "10001_P215000000000001",
        "transfer_currency": "INR",
        "transfer_mode": "imps",
        "beneficiary_details": {
            "beneficiary_name": "CHAI HOUSE",
            "beneficiary_instrument_details": {
                "bank_account_number": "50100012349999",
                "bank_ifsc": "HDFC0000001",
            },
        },
        "transfer_remarks": "Settlement 215000000000001",
        "fundsource_id": "CASHFREE_1",
    }
    plain = rules.transfer_request(order(narration=""), "")
    assert not {"transfer_remarks", "fundsource_id"} & set(plain)


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        ("Asha & Sons, Pune", "Asha and Sons Pune"),
        ("24/7 Chai (North) Pvt. Ltd.", "Chai North Pvt Ltd"),
        ("O'Brien", "OBrien"),
        ("247", "Account holder"),
    ],
)
def test_a_holder_is_named_in_letters(holder: str, name: str) -> None:
    assert rules.holder_name(holder) == name


def test_another_account_is_not_ours() -> None:
    instrument = {"bank_account_number": GOOD.number, "bank_ifsc": GOOD.ifsc}
    details = {"beneficiary_instrument_details": instrument}
    ours = published.RECEIVED | {
        "transfer_id": rules.cashfree_id(PAYOUT),
        "transfer_amount": 1499.5,
        "beneficiary_details": details,
    }
    assert rules.is_of(read(ours), order(), shown=True)
    by_schema = {"bank_account_number": GOOD.number, "ifsc": GOOD.ifsc}
    named = {"beneficiary_instrument_details": by_schema}
    assert rules.is_of(read(ours, beneficiary_details=named), order(), shown=True)
    other = order(account=BankAccount("50100012340002", GOOD.ifsc))
    assert not rules.is_of(read(ours), other, shown=False)
    assert not rules.is_of(read(ours, transfer_amount=1499.51), order(), shown=False)
    assert not rules.is_of(read(ours, transfer_id="10001_P1"), order(), shown=False)
    masked = {"beneficiary_instrument_details": instrument | {"bank_account_number": "XX**9999"}}
    for hidden in ({"beneficiary_id": "JOHN18011"}, masked, None):
        shown = read(ours, beneficiary_details=hidden)
        assert rules.is_of(shown, order(), shown=False)
        assert not rules.is_of(shown, order(), shown=True)


@pytest.mark.parametrize(
    ("status", "answer", "is_certain"),
    [
        (400, {"code": "transfer_amount_invalid", "message": "m"}, True),
        (403, {"code": "apis_not_enabled", "message": "m"}, True),
        (422, {"code": "beneficiary_account_same_as_source", "message": "m"}, True),
        (400, {"code": "transfer_id_already_exists", "message": "m"}, False),
        (409, {"code": "transfer_id_already_exists", "message": "m"}, False),
        (401, {"code": "authentication_failed", "message": "m"}, False),
    ],
)
def test_a_refusal_means_nothing_left_only_where_it_says_so(
    status: int, answer: dict[str, Any], *, is_certain: bool
) -> None:
    code = answer["code"]
    if is_certain:
        assert rules.never_accepted(status, answer) == Declined(code, "m", never_accepted=True)
    else:
        assert rules.never_accepted(status, answer) == Unknown(code, "m")


def test_a_check_says_the_name_and_its_score() -> None:
    assert rules.check_standing(published.VALID["data"]).answer == RegisteredName("John Doe", 90)
    nameless = rules.check_standing(published.VALID["data"] | {"name_at_bank": None})
    assert nameless.answer == Unknown("no_name", "the bank named no holder")
    assert not nameless.failed


@pytest.mark.parametrize(
    ("status", "code", "fault"),
    [
        ("INVALID", "INVALID_ACCOUNT_FAIL", AccountFault.ABSENT),
        ("INVALID", "INVALID_IFSC_FAIL", AccountFault.ABSENT),
        ("INVALID", "ACCOUNT_BLOCKED", AccountFault.FROZEN),
        ("INVALID", "NRE_ACCOUNT_FAIL", AccountFault.NOT_PAYABLE),
        ("REJECTED", "FRAUD_ACCOUNT", AccountFault.FROZEN),
        ("INVALID", "SOMETHING_NEW", AccountFault.OTHER),
    ],
)
def test_an_account_that_takes_no_money_has_a_fault(
    status: str, code: str, fault: AccountFault
) -> None:
    check = {"account_status": status, "account_status_code": code}
    assert rules.check_standing(check).answer == NotRegistered(fault, code)


@pytest.mark.parametrize(
    "code",
    [
        "FAILED_AT_BANK",
        "IMPS_MODE_FAIL",
        "BENE_BANK_DECLINED",
        "CONNECTION_TIMEOUT",
        "NPCI_UNAVAILABLE",
        "SOURCE_BANK_DECLINED",
        "BENEFICIARY_BANK_OFFLINE",
    ],
)
def test_a_bank_that_is_down_says_nothing_of_the_account(code: str) -> None:
    check = {"account_status": "FAILED", "account_status_code": code}
    standing = rules.check_standing(check)
    assert (standing.answer, standing.failed) == (Unknown(code), True)


def test_a_check_that_was_rejected_is_tried_again() -> None:
    standing = rules.check_standing(published.CHECK_REJECTED["data"])
    assert (standing.answer, standing.failed) == (Unknown("INSUFFICIENT_BALANCE"), True)
    for status in ("RECEIVED", "IN_PROCESS", "PROCESSING", "APPROVAL_PENDING"):
        assert not rules.check_standing({"account_status": status}).failed


def test_a_check_is_asked_in_the_characters_that_are_taken() -> None:
    request = rules.check_request(f"{CHECK}-2", GOOD, "Asha's & Sons, Pune")
    assert request == {
        "bank_account": "50100012349999",
        "ifsc": "HDFC0000001",
        "name": "Ashas & Sons Pune",
        "user_id": "10001_V215000000000001_2",
    }
    assert "name" not in rules.check_request(CHECK, GOOD, "()")
