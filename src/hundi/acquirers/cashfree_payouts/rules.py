"""What Cashfree Payouts is asked, and what its answers mean; pure.

docs/cashfree-payouts.md names the sources. When in doubt the answer is Unknown.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import msgspec

from hundi.acquirers.calls.address_checks import AddressAnswer, address_answer
from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    RUPEES,
    object_of,
    paise_of,
    rupees_text,
    text_of,
)
from hundi.acquirers.calls.check_tries import CheckStanding, score_of
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
from hundi.acquirers.port.payouts import PayoutOrder
from hundi.kernel.money import Money

Fields = Mapping[str, Any]
HOLDER_MAX = 100
HOLDER = "Account holder"
"""The name of a beneficiary whose own has no letters."""
_UNFIT_HOLDER = re.compile(r"[^A-Za-z ]+")
_UNFIT_CHECKED = re.compile(r"[^A-Za-z0-9 .&/-]+")
_WHOLE_NUMBER = re.compile(r"[A-Za-z0-9]+\Z")
DEEMED = "SENT_TO_BENEFICIARY"
"""The code of a success that says only that our account was debited."""
DEEMED_FOR = timedelta(days=5)
"""How long we wait for the other bank's confirmation: three working days, and a weekend.

Cashfree calls the transfer a success meanwhile; some banks may confirm nothing.
"""
SHORT = "INSUFFICIENT_BALANCE"
_VALID = {"VALID": True, "INVALID": False}
"""Cashfree's words for whether a UPI address exists."""
STAGES = {
    "RECEIVED": PayoutStage.PROCESSING,
    "PENDING": PayoutStage.PROCESSING,
    "QUEUED": PayoutStage.QUEUED,
    "APPROVAL_PENDING": PayoutStage.APPROVAL,
    # As the page of the call writes it.
    "APPOVAL_PENDING": PayoutStage.APPROVAL,
}
NOTHING_LEFT = frozenset({"FAILED", "REJECTED", "MANUALLY_REJECTED"})
NOT_FOUND = "transfer_id_not_found"
EXISTS = "already_exists"
"""The end of a refusal's code that says: there is one of this name."""
REFUSED_FOR_CERTAIN = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
CHECK_NOT_FOUND = "user_id_not_found"
_FAULTS = {
    "INVALID_ACCOUNT_FAIL": AccountFault.ABSENT,
    "INVALID_IFSC_FAIL": AccountFault.ABSENT,
    "ACCOUNT_BLOCKED": AccountFault.FROZEN,
    "FRAUD_ACCOUNT": AccountFault.FROZEN,
    "NRE_ACCOUNT_FAIL": AccountFault.NOT_PAYABLE,
}
"""Of an account that takes no money. Any other code of a failed check is no word about it."""
_CHECK_ENDED = frozenset({"FAILED", "REJECTED", "CANCELLED", "MANUALLY_REJECTED"})


def cashfree_id(reference: str) -> str:
    """Return our reference in the characters that Cashfree takes."""
    return reference.replace("-", "_")


def own_reference(name: str) -> str:
    """Return our reference from a name at Cashfree."""
    return name.replace("_", "-")


def holder_name(holder: str) -> str:
    """Return a holder's name in letters and blanks, all that Cashfree takes."""
    spelled = holder.replace("&", " and ").replace("'", "")
    return " ".join(_UNFIT_HOLDER.sub(" ", spelled).split())[:HOLDER_MAX].strip() or HOLDER


def transfer_request(order: PayoutOrder, source: str) -> dict[str, Any]:
    """Return the request for a transfer. source: the fund source, "" for the account's own."""
    remarks = {"transfer_remarks": order.narration} if order.narration else {}
    return {
        "transfer_id": cashfree_id(order.reference),
        "transfer_amount": msgspec.Raw(rupees_text(order.amount).encode()),
        "transfer_currency": order.amount.currency,
        "transfer_mode": order.rail,
        "beneficiary_details": {
            "beneficiary_name": holder_name(order.holder),
            "beneficiary_instrument_details": {
                "bank_account_number": order.account.number,
                "bank_ifsc": order.account.ifsc,
            },
        },
        **remarks,
        **({"fundsource_id": source} if source else {}),
    }


def is_of(transfer: Fields, order: PayoutOrder, *, shown: bool) -> bool:
    """Return whether a transfer is the one that was ordered.

    shown: it has to show its account; the answer to the first call need not.
    """
    account = _account_of(transfer)
    return (
        transfer.get("transfer_id") == cashfree_id(order.reference)
        and paise_of(transfer.get("transfer_amount")) == order.amount.paise
        and (account == order.account or (account is None and not shown))
    )


def _account_of(transfer: Fields) -> BankAccount | None:
    """Return a transfer's account, None where Cashfree does not show all of it."""
    recipient = object_of(transfer.get("beneficiary_details")) or {}
    instrument = object_of(recipient.get("beneficiary_instrument_details")) or {}
    number = text_of(instrument.get("bank_account_number"))
    # The samples have bank_ifsc, the list of fields ifsc.
    ifsc = text_of(instrument.get("bank_ifsc")) or text_of(instrument.get("ifsc"))
    return BankAccount(number, ifsc) if _WHOLE_NUMBER.match(number) and ifsc else None


def payout_outcome(
    transfer: Fields, now: datetime
) -> Approved | Declined | SentBack | Underway | Unknown:
    """Return how a transfer stands."""
    status, code = text_of(transfer.get("status")), text_of(transfer.get("status_code"))
    words, utr = text_of(transfer.get("status_description")), text_of(transfer.get("transfer_utr"))
    if status == "SUCCESS":
        return _success(transfer, code or status, words, now)
    if status == "REVERSED":
        return SentBack(code or status, words, utr)
    if status in NOTHING_LEFT:
        return Declined(code or status, words, utr)
    stage = STAGES.get(status)
    if stage is None:
        return Unknown(status, words)
    return Underway(PayoutStage.QUEUED if code == SHORT else stage, code or status, words, utr)


def _success(
    transfer: Fields, code: str, words: str, now: datetime
) -> Approved | Underway | Unknown:
    """Return what a success means: paid, debited only, or not told in full."""
    amount = Money(paise_of(transfer.get("transfer_amount")), RUPEES)
    utr = text_of(transfer.get("transfer_utr"))
    if not amount.paise:
        return Unknown(code, "Cashfree does not say the amount")
    if not utr:
        return Underway(PayoutStage.PROCESSING, code, words)
    if code == DEEMED and now - _added_at(transfer, now) < DEEMED_FOR:
        return Underway(PayoutStage.DEEMED, code, words, utr)
    return Approved(amount, utr, code=code, message=words, provider_fee=fee_of(transfer))


def fee_of(transfer: Fields) -> ProviderFee | None:
    """Return what Cashfree took for a transfer, None where it says nothing or takes nothing.

    The tax is beside the charge. Whether a reversal gives them back is not published.
    """
    charge = paise_of(transfer.get("transfer_service_charge"))
    tax = paise_of(transfer.get("transfer_service_tax"))
    return ProviderFee(Money(charge + tax), Money(tax)) if charge + tax else None


def _added_at(transfer: Fields, now: datetime) -> datetime:
    """Return when Cashfree got a transfer; now where it does not say that."""
    try:
        at = datetime.fromisoformat(text_of(transfer.get("added_on")))
    except ValueError:
        return now
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def refusal_of(status: int, answer: Fields) -> tuple[str, str]:
    """Return code and words of a refusal, in either form of Cashfree's."""
    code = text_of(answer.get("code")) or text_of(answer.get("subCode")) or f"HTTP {status}"
    return code, text_of(answer.get("message"))


def never_accepted(status: int, answer: Fields) -> Declined | Unknown:
    """Return the meaning of a refused call of whose reference Cashfree has no transfer."""
    code, words = refusal_of(status, answer)
    if status not in REFUSED_FOR_CERTAIN or code.endswith(EXISTS):
        return Unknown(code, words)
    return Declined(code, words, never_accepted=True)


def check_request(name: str, account: BankAccount, holder: str) -> dict[str, Any]:
    """Return the request for a check. name: the try's, at Cashfree."""
    spelled = " ".join(_UNFIT_CHECKED.sub(" ", holder.replace("'", "")).split())[:HOLDER_MAX]
    return {
        "bank_account": account.number,
        "ifsc": account.ifsc,
        **({"name": spelled} if spelled else {}),
        "user_id": cashfree_id(name),
    }


def check_standing(check: Fields) -> CheckStanding:
    """Return how a check stands; the bank that is down says nothing about the account."""
    status, code = text_of(check.get("account_status")), text_of(check.get("account_status_code"))
    if status == "VALID":
        name = text_of(check.get("name_at_bank")).strip()
        if not name:
            return CheckStanding(Unknown("no_name", "the bank named no holder"))
        score = score_of(check.get("name_match_score"))
        return CheckStanding(RegisteredName(name[:MESSAGE_MAX], score))
    if status == "INVALID" or (status in _CHECK_ENDED and code in _FAULTS):
        fault = _FAULTS.get(code, AccountFault.OTHER)
        return CheckStanding(NotRegistered(fault, code or status))
    return CheckStanding(Unknown(code or status), failed=status in _CHECK_ENDED)


def faulty_account(code: str, words: str) -> NotRegistered | None:
    """Return the meaning of a refused check that says what is wrong with the account."""
    fault = _FAULTS.get(code.upper())
    return NotRegistered(fault, code, words) if fault else None


def address_outcome(check: Fields, vpa: str) -> AddressAnswer:
    """Return whose a UPI address is.

    EXPIRED and NPCI_NAME_INCORRECT are not explained: they decide nothing.
    """
    status = text_of(check.get("status"))
    exists = _VALID.get(status)
    if exists is None:
        return Unknown(status, text_of(check.get("message")))
    return address_answer(
        vpa, about=check.get("vpa"), exists=exists, name=check.get("name_at_bank")
    )
