"""Which banks and wallets there are, what their customers type to choose an outcome, and in how many steps they pay."""

from dataclasses import dataclass
from enum import StrEnum

from simbank import rules
from simbank.rules import Outcome, Status, Trigger
from simbank.settings import Timings

NETBANKING, WALLET = "netbanking", "wallet"
CORPORATE = "_C"


class Step(StrEnum):
    """Where a customer stands on the bank's pages."""

    LOGIN = "login"
    """Says who they are."""
    CONFIRM = "confirm"
    """Sees the amount and pays or goes back."""
    CHECKER = "checker"
    """Of a company's account: a second person has to approve."""
    ENDED = "ended"
    """Paid, refused or left."""


@dataclass(frozen=True, slots=True)
class House:
    """A bank or wallet. code: four letters of its IFSC, `_C` for companies; wallets have codes of their own."""

    method: str
    code: str
    name: str

    @property
    def corporate(self) -> bool:
        """Tell whether two people have to agree."""
        return self.code.endswith(CORPORATE)


HOUSES = (
    House(NETBANKING, "HDFC", "HDFC Bank"),
    House(NETBANKING, "SBIN", "State Bank of India"),
    House(NETBANKING, "ICIC", "ICICI Bank"),
    House(NETBANKING, "UTIB", "Axis Bank"),
    House(NETBANKING, "KKBK", "Kotak Mahindra Bank"),
    House(NETBANKING, "PUNB", "Punjab National Bank"),
    House(NETBANKING, "BARB", "Bank of Baroda"),
    House(NETBANKING, "CNRB", "Canara Bank"),
    House(NETBANKING, "UBIN", "Union Bank of India"),
    House(NETBANKING, "YESB", "Yes Bank"),
    House(NETBANKING, "FDRL", "Federal Bank"),
    House(NETBANKING, "IDFB", "IDFC FIRST Bank"),
    House(NETBANKING, "HDFC_C", "HDFC Bank (corporate)"),
    House(NETBANKING, "SBIN_C", "State Bank of India (corporate)"),
    House(NETBANKING, "ICIC_C", "ICICI Bank (corporate)"),
    House(WALLET, "MOBK", "Mobi purse (simulated)"),
    House(WALLET, "AMZP", "River Pay (simulated)"),
    House(WALLET, "PHPE", "Lotus wallet (simulated)"),
    House(WALLET, "OLAM", "Banyan money (simulated)"),
)
BY_CODE = {(house.method, house.code): house for house in HOUSES}
WALLET_BALANCE_PAISE = 25_000_00
"""What every simulated wallet holds; more than this is declined."""

LEFT = Outcome(Status.DECLINED, "17", "The customer left the bank's page", final=True)
NOT_ENOUGH = Outcome(Status.DECLINED, "Z9", "Insufficient balance")
TRIGGERS = tuple(
    Trigger(trigger.given.partition("@")[0], trigger.outcome.replace("UPI ID", "id")) for trigger in rules.VPA_TRIGGERS
)
"""The same outcomes as in every channel, chosen by the user id or wallet id."""


def first_step(house: House) -> Step:
    """Return where a visit begins: a wallet shows the amount at once."""
    return Step.CONFIRM if house.method == WALLET else Step.LOGIN


def outcome(house: House, customer: str, amount_paise: int, timings: Timings) -> Outcome:
    """Return what the bank does when its customer says pay."""
    if house.method == WALLET and amount_paise > WALLET_BALANCE_PAISE:
        return NOT_ENOUGH
    return rules.upi_outcome(f"{customer.lower()}@hundi", timings)
