"""What RazorpayX is asked, and what its answers mean; pure.

docs/razorpayx.md names the sources. When in doubt the answer is Unknown.
"""

import re
from datetime import UTC, datetime
from typing import Any

from hundi.acquirers.calls.check_tries import score_of
from hundi.acquirers.calls.razorpay_wire import MESSAGE_MAX, REFERENCE_NOTE, RazorpayRefusal
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
from hundi.acquirers.port.payouts import PayoutBalance, PayoutOrder
from hundi.acquirers.razorpayx.messages import (
    BankingBalances,
    FundAccount,
    RazorpayxPayout,
    RazorpayxValidation,
    StatusDetails,
    ValidationResult,
)
from hundi.kernel.money import Money

CONTACT_TYPE = "vendor"
"""RazorpayX's class of people who are paid; one of those that every account has."""
HOLDER_MIN, HOLDER_MAX = 4, 120
CONTACT_MAX = 50
_NO_END = " -_/()"
"""Characters with which a contact's name does not end."""
_UNFIT = re.compile(r"[^A-Za-z0-9 _/().-]+")
ADDRESS_WORDS = "this ip"
"""In the refusal of a call from an address that is not listed (errors/x.md)."""
OTHER_BODY_WORDS = "different request body"
"""In the refusal of another order under a key that was used (errors/x.md)."""
DEEMED = "beneficiary_bank_confirmation_pending"
"""The reason of a payout that was debited, and whose credit the other bank has not confirmed."""
STAGES = {
    "pending": PayoutStage.APPROVAL,
    "queued": PayoutStage.QUEUED,
    "scheduled": PayoutStage.QUEUED,
    "processing": PayoutStage.PROCESSING,
}
NOTHING_LEFT = frozenset({"cancelled", "rejected", "failed"})
"""Ends without money. A failed one may still turn reversed: then it was debited and came back."""
ENDED = NOTHING_LEFT | {"reversed"}
GOOD_ACCOUNT = frozenset({"active", "valid"})
"""RazorpayX's list of values has the first, some of its samples the second."""
_FAULTS = {
    "bank_account_closed": AccountFault.CLOSED,
    "bank_account_frozen": AccountFault.FROZEN,
    "bank_account_invalid": AccountFault.ABSENT,
    "beneficiary_account_invalid": AccountFault.ABSENT,
    "invalid_ifsc_code": AccountFault.ABSENT,
    "beneficiary_account_dormant": AccountFault.NOT_PAYABLE,
    "imps_not_allowed": AccountFault.NOT_PAYABLE,
}


def holder_name(holder: str) -> str:
    """Return a holder's name in the characters and lengths that RazorpayX takes."""
    spelled = holder.replace("&", " and ").replace("'", "")
    name = " ".join(_UNFIT.sub(" ", spelled).split())
    return (name if len(name) >= HOLDER_MIN else f"Account of {name}".strip())[:HOLDER_MAX]


def fund_account(account: BankAccount, holder: str) -> dict[str, Any]:
    """Return an account with its holder; RazorpayX finds the ones it has by their contents."""
    name = holder_name(holder)
    return {
        "account_type": "bank_account",
        "bank_account": {
            "name": name,
            "ifsc": account.ifsc,
            "account_number": account.number,
        },
        "contact": {"name": name[:CONTACT_MAX].rstrip(_NO_END), "type": CONTACT_TYPE},
    }


def payout_request(
    order: PayoutOrder, source: str, purpose: str, *, queues: bool
) -> dict[str, Any]:
    """Return the request for a payout. source: the number of the account that it leaves."""
    narration = {"narration": order.narration} if order.narration else {}
    return {
        "account_number": source,
        "amount": order.amount.paise,
        "currency": order.amount.currency,
        "mode": order.rail.upper(),
        "purpose": purpose,
        "fund_account": fund_account(order.account, order.holder),
        "queue_if_low_balance": queues,
        "reference_id": order.reference,
        **narration,
        "notes": {REFERENCE_NOTE: order.reference},
    }


def is_of(payout: RazorpayxPayout, order: PayoutOrder) -> bool:
    """Return whether a payout is the one that was ordered."""
    return (
        payout.reference_id == order.reference
        and Money(payout.amount, payout.currency) == order.amount
        and shows(payout.fund_account, order.account)
    )


def shows(fund: FundAccount | None, account: BankAccount) -> bool:
    """Return whether RazorpayX speaks of this account, or shows none."""
    shown = fund.bank_account if fund else None
    return shown is None or (
        shown.account_number in {None, account.number} and shown.ifsc in {None, account.ifsc}
    )


def payout_outcome(
    payout: RazorpayxPayout,
) -> Approved | Declined | SentBack | Underway | Unknown:
    """Return how a payout stands.

    One without a UTR is not paid yet: RazorpayX says the UTR a little later.
    """
    details = payout.status_details or StatusDetails()
    code = _word(details.reason) or payout.status
    words = _cut(details.description or payout.failure_reason)
    utr = _word(payout.utr)
    if payout.status == "processed" and utr:
        amount, fee = Money(payout.amount, payout.currency), fee_of(payout)
        return Approved(amount, utr, code=code, message=words, provider_fee=fee)
    if payout.status == "processed":
        return Underway(PayoutStage.PROCESSING, code, words)
    if payout.status == "reversed":
        return SentBack(code, words, utr, fee_back=True)
    if payout.status in NOTHING_LEFT:
        return Declined(code, words, utr)
    stage = STAGES.get(payout.status)
    if stage is None:
        return Unknown(payout.status, words)
    return Underway(PayoutStage.DEEMED if code == DEEMED else stage, code, words, utr)


def fee_of(payout: RazorpayxPayout) -> ProviderFee | None:
    """Return what RazorpayX took for a payout, None where it says nothing or takes nothing.

    A reversal gives it back (x/manage-teams/billing.md).
    """
    fees, tax = payout.fees or 0, payout.tax or 0
    return ProviderFee(Money(fees), Money(tax)) if fees and tax <= fees else None


def standing(payouts: tuple[RazorpayxPayout, ...]) -> RazorpayxPayout | Unknown:
    """Return the payout that counts of those with one reference; at least one is given.

    Nothing says that RazorpayX refuses a reference that was used. Two that did not end without
    money are for people.
    """
    alive = [each for each in payouts if each.status not in ENDED]
    if len(alive) > 1:
        return Unknown("several_payouts", "RazorpayX has several payouts of this reference")
    return alive[0] if alive else max(payouts, key=lambda each: each.created_at)


def is_address_refused(refusal: RazorpayRefusal) -> bool:
    """Return whether a call was refused because our address is not listed."""
    return ADDRESS_WORDS in (refusal.description or "").lower()


def is_other_order(refusal: RazorpayRefusal) -> bool:
    """Return whether a call was refused because its key was used for another order."""
    return OTHER_BODY_WORDS in (refusal.description or "").lower()


def never_accepted(refusal: RazorpayRefusal) -> Declined | Unknown:
    """Return the meaning of a refused call of whose reference RazorpayX has no payout."""
    words = _cut(refusal.description)
    if refusal.code != "BAD_REQUEST_ERROR":
        return Unknown(refusal.code or "refused", words)
    code = "address_not_listed" if is_address_refused(refusal) else _word(refusal.reason)
    return Declined(code or "refused", words, never_accepted=True)


def doubt(refusal: RazorpayRefusal) -> Unknown:
    """Return the meaning of a refused inquiry: it says nothing of the money."""
    code = "address_not_listed" if is_address_refused(refusal) else _word(refusal.reason)
    return Unknown(code or refusal.code or "refused", _cut(refusal.description))


def balance_of(balances: BankingBalances, source: str) -> PayoutBalance | Unknown:
    """Return the balance of our account among all of them."""
    found = [each for each in balances.items if each.account_number == source]
    if len(found) != 1 or found[0].currency != "INR":
        return Unknown("no_balance", "RazorpayX tells no balance of this account")
    available = Money(max(found[0].available_amount, 0))
    return PayoutBalance(available, datetime.fromtimestamp(found[0].refreshed_at, UTC))


def check_outcome(
    validation: RazorpayxValidation,
) -> RegisteredName | NotRegistered | Unknown:
    """Return what a check found.

    A check that failed, or named nobody, found nothing.
    """
    details = validation.status_details or StatusDetails()
    result = validation.validation_results or validation.results or ValidationResult()
    code, words = _word(details.reason) or validation.status, _cut(details.description)
    if validation.status != "completed":
        return Unknown(code, words)
    if result.account_status in GOOD_ACCOUNT:
        name = (result.registered_name or "").strip()
        if not name:
            return Unknown("no_name", "the bank named no holder")
        return RegisteredName(name[:MESSAGE_MAX], score_of(result.name_match_score))
    if result.account_status == "invalid":
        fault = _FAULTS.get(code, AccountFault.OTHER)
        return NotRegistered(fault, code, _cut(result.details) or words)
    return Unknown(code, words)


def _word(said: str | None) -> str:
    """Return a word; samples write an absent one as the word null, too."""
    return "" if said is None or said == "null" else said


def _cut(words: str | None) -> str:
    return (words or "")[:MESSAGE_MAX]
