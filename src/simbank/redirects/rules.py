"""The list of banks and wallets, the user ids that choose an outcome, and the steps of their pages."""

from dataclasses import dataclass
from enum import StrEnum

from simbank import rules
from simbank.rules import Outcome, Status, Trigger
from simbank.settings import Timings

NETBANKING, WALLET = "netbanking", "wallet"
CORPORATE = "_C"


class Step(StrEnum):
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
)
BY_CODE = {(listed.method, listed.code): listed for listed in LISTED_BANKS}
WALLET_BALANCE_PAISE = 25_000_00
"""The balance of every simulated wallet; a larger payment is declined."""

LEFT = Outcome(Status.DECLINED, "17", "The customer left the bank's page", final=True)
NOT_ENOUGH = Outcome(Status.DECLINED, "Z9", "Insufficient balance")
TRIGGERS = tuple(
    Trigger(trigger.given.partition("@")[0], trigger.outcome.replace("UPI ID", "id")) for trigger in rules.VPA_TRIGGERS
)
"""The same outcomes as in every channel, chosen by the user id or wallet id."""


def first_step(listed: ListedBank) -> Step:
    """Return where a redirect begins: a wallet shows the amount at once."""
    return Step.CONFIRM if listed.method == WALLET else Step.LOGIN


def outcome(listed: ListedBank, customer: str, amount_paise: int, timings: Timings) -> Outcome:
    """Return what the bank does when its customer says pay."""
    if listed.method == WALLET and amount_paise > WALLET_BALANCE_PAISE:
        return NOT_ENOUGH
    return rules.upi_outcome(f"{customer.lower()}@hundi", timings)
