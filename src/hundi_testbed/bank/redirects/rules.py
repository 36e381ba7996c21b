"""The list of banks and wallets, the user ids that choose an outcome, and the pages."""

from dataclasses import dataclass
from enum import StrEnum

from hundi_testbed.bank import rules
from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.rules import PaymentDecision, PaymentTrigger, Status
from hundi_testbed.bank.settings import Timings

NETBANKING, WALLET, PAY_LATER, ENACH = "netbanking", "wallet", "pay_later", "enach"
CORPORATE = "_C"


class PageStep(StrEnum):
    """The step of a customer on the bank's pages."""

    LOGIN = "login"
    """The customer enters a user id."""
    CONFIRM = "confirm"
    """The customer sees the amount and pays or cancels."""
    CHECKER = "checker"
    """For a company's account, a second person has to approve."""
    ENDED = "ended"
    """Paid, declined or cancelled."""


@dataclass(frozen=True, slots=True)
class ListedBank:
    """A bank or wallet.

    code: four letters of its IFSC, `_C` for companies; wallets have codes of their own.
    """

    method: str
    code: str
    name: str

    @property
    def corporate(self) -> bool:
        """Whether a second person has to approve payments."""
        return self.code.endswith(CORPORATE)


LISTED_BANKS = (
    ListedBank(NETBANKING, "HDFC", "HDFC Bank"),
    ListedBank(NETBANKING, "SBIN", "State Bank of India"),
    ListedBank(NETBANKING, "ICIC", "ICICI Bank"),
    ListedBank(NETBANKING, "UTIB", "Axis Bank"),
    ListedBank(NETBANKING, "KKBK", "Kotak Mahindra Bank"),
    ListedBank(NETBANKING, "PUNB", "Punjab National Bank"),
    ListedBank(NETBANKING, "BARB", "Bank of Baroda"),
    ListedBank(NETBANKING, "CNRB", "Canara Bank"),
    ListedBank(NETBANKING, "UBIN", "Union Bank of India"),
    ListedBank(NETBANKING, "YESB", "Yes Bank"),
    ListedBank(NETBANKING, "FDRL", "Federal Bank"),
    ListedBank(NETBANKING, "IDFB", "IDFC FIRST Bank"),
    ListedBank(NETBANKING, "HDFC_C", "HDFC Bank (corporate)"),
    ListedBank(NETBANKING, "SBIN_C", "State Bank of India (corporate)"),
    ListedBank(NETBANKING, "ICIC_C", "ICICI Bank (corporate)"),
    ListedBank(WALLET, "MOBK", "Mobi purse (simulated)"),
    ListedBank(WALLET, "AMZP", "River Pay (simulated)"),
    ListedBank(WALLET, "PHPE", "Lotus wallet (simulated)"),
    ListedBank(WALLET, "OLAM", "Banyan money (simulated)"),
    ListedBank(PAY_LATER, "MANG", "Mango Later (simulated)"),
    ListedBank(PAY_LATER, "SAFF", "Saffron Credit (simulated)"),
    ListedBank(ENACH, "HDFC", "HDFC Bank"),
    ListedBank(ENACH, "SBIN", "State Bank of India"),
    ListedBank(ENACH, "ICIC", "ICICI Bank"),
    ListedBank(ENACH, "UTIB", "Axis Bank"),
    ListedBank(ENACH, "PUNB", "Punjab National Bank"),
)
BY_CODE = {(listed.method, listed.code): listed for listed in LISTED_BANKS}
WALLET_BALANCE_PAISE = 25_000_00
"""The balance of every simulated wallet; a larger payment is declined."""

CREDIT_LIMIT_PAISE = 50_000_00
"""The most that every simulated lender lends for one payment."""

LEFT = PaymentDecision(Status.DECLINED, "17", "The customer left the bank's page", final=True)
NOT_ENOUGH = PaymentDecision(Status.DECLINED, "Z9", "Insufficient balance")
OVER_CREDIT_LIMIT = PaymentDecision(Status.DECLINED, "L61", "Over the credit limit")
NO_CREDIT = PaymentDecision(Status.DECLINED, "L57", "The lender gives this customer no credit")
LENDER_TRIGGERS = (
    PaymentTrigger("noteligible", "declined, L57: the lender gives no credit"),
    PaymentTrigger("checking", "pending while the lender decides, then paid after 60 seconds"),
)
TRIGGERS = tuple(
    PaymentTrigger(trigger.given.partition("@")[0], trigger.outcome.replace("UPI ID", "id"))
    for trigger in rules.VPA_TRIGGERS
)
"""The outcomes of every channel, chosen by the user id or wallet id."""


def first_step(listed: ListedBank) -> PageStep:
    """Return the first step of a redirect: a wallet shows the amount at once."""
    return PageStep.CONFIRM if listed.method == WALLET else PageStep.LOGIN


def outcome(
    listed: ListedBank, customer: str, amount_paise: int, timings: Timings
) -> PaymentDecision:
    """Return the bank's decision after its customer pressed pay."""
    if listed.method == ENACH:
        return clearing.asked(customer, timings)
    if listed.method == WALLET and amount_paise > WALLET_BALANCE_PAISE:
        return NOT_ENOUGH
    if listed.method == PAY_LATER:
        decision = _of_lender(customer.lower(), amount_paise, timings)
        if decision is not None:
            return decision
    return rules.upi_outcome(f"{customer.lower()}@hundi", timings)


def triggers(listed: ListedBank) -> tuple[PaymentTrigger, ...]:
    """Return the ids that a customer may enter at a page, and their outcomes."""
    if listed.method == ENACH:
        return clearing.TRIGGERS
    return TRIGGERS + (LENDER_TRIGGERS if listed.method == PAY_LATER else ())


def _of_lender(customer: str, amount_paise: int, timings: Timings) -> PaymentDecision | None:
    """Return a lender's decision about the credit, None if only the account decides."""
    if amount_paise > CREDIT_LIMIT_PAISE:
        return OVER_CREDIT_LIMIT
    if customer == "noteligible":
        return NO_CREDIT
    checking = PaymentDecision(
        Status.PENDING, "L01", "The lender is deciding", settles_after_s=timings.deemed_s
    )
    return checking if customer == "checking" else None
