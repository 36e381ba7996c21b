"""The port to acquirers: one narrow protocol for each capability, and the arguments of its calls.

`acquirers.port.answers` has the answers; a connector leaves out what it cannot do. Every call
carries our own reference (`merchant_id-attempt_id`) as its idempotency key: the same call again
moves money once.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    BankCallback,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    Unknown,
    Voided,
)
from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.customers import NOBODY, Customer
from hundi.acquirers.port.mandates import MandateRequest, TakesMandates
from hundi.acquirers.port.terminals import TerminalSale
from hundi.acquirers.port.transfers import Transfer, VirtualAccount, Voucher
from hundi.kernel.masking import mask_fields
from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Charge:
    """A request for a payment; reference is our idempotency key.

    emi_bank, emi_months: the instalments the customer chose; 0 months: none. challenge: 3-D Secure
    has to challenge. save_card: the customer agrees that the card is saved. mandate: what the
    customer is to approve with the payment. payee_name: who is paid, for pages that show it.
    customer: who pays.
    """

    reference: str
    amount: Money
    emi_bank: str = ""
    emi_months: int = 0
    challenge: bool = False
    save_card: bool = False
    mandate: MandateRequest | None = None
    payee_name: str = ""
    customer: Customer = NOBODY


@dataclass(frozen=True, slots=True)
class RefundOrder:
    """A request for a refund.

    reference is our idempotency key, original the reference that was paid. For a transfer or cash,
    original is its UTR or receipt: one account may have received several. settled: the rupees of
    another currency, at the rate of the charge; None for an amount in rupees. All parts together
    come to the rupees of the charge.
    """

    reference: str
    original: str
    amount: Money
    settled: Money | None = None


@dataclass(frozen=True, slots=True)
class BankEntry:
    """A bank, wallet or lender that customers are sent to.

    method: netbanking, wallet, pay_later or enach. code: the 4-letter IFSC bank code, with `_C` for
    corporate net banking.
    """

    method: str
    code: str
    name: str

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the acquirer's words."""
        mask_fields(self, "name")


FIRST_GAP_S_MIN = 3
"""The shortest first gap of a schedule of inquiries, in seconds.

Workers look for new attempts more often than this.
"""


@dataclass(frozen=True, slots=True)
class InquirySchedule:
    """When to ask about an unknown outcome, as data of the connector.

    gaps_s: seconds from the previous inquiry (the first from the intention, FIRST_GAP_S_MIN or
    more); after the last one the attempt is unanswered.
    """

    gaps_s: tuple[int, ...]


class Inquires(Protocol):
    """Answers inquiries about a reference."""

    inquiry_schedule: InquirySchedule

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the bank's state of a reference; Unknown when it cannot be reached.

        A hold is Approved and `authorised_only`, a captured one Approved with the captured amount,
        a void one Voided.
        """
        ...


@runtime_checkable
class OffersUpi(Protocol):
    """Receives UPI payments at an address of its own."""

    def payee_address(self, merchant_id: int) -> str:
        """Return the UPI address for this merchant's payments."""
        ...

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        """Ask the payer's app for an amount; the outcome comes by callback or inquiry."""
        ...


@runtime_checkable
class NamesPayerAccounts(Protocol):
    """Says which bank account paid by UPI, in `Approved.payer_account`."""

    names_payer_accounts: bool


@runtime_checkable
class CompletesAuthorisations(Protocol):
    """Captures or voids a hold.

    Each hold ends once, so the original reference is the key of both calls.
    """

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture the held amount, or a part of it; the rest is released."""
        ...

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void the whole hold."""
        ...


@runtime_checkable
class Refunds(Protocol):
    """Refunds payments. refund_schedule: when to ask about a refund whose outcome is open."""

    refund_schedule: InquirySchedule

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; the same reference again moves money once."""
        ...

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the bank's state of a refund's reference.

        Unknown when it cannot be reached.
        """
        ...


@runtime_checkable
class ChargesCurrencies(Protocol):
    """Charges cards in other currencies than the rupee, and pays them out in rupees.

    currencies: their ISO 4217 letters. An approval of a charge in one of them says its rate.
    """

    currencies: frozenset[str]


@runtime_checkable
class SendsToBanks(Protocol):
    """Takes payments at the own pages of banks, wallets and lenders.

    redirect_origins: where the customer's browser may be sent.
    """

    redirect_origins: tuple[str, ...]

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders that customers can be sent to."""
        ...

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; the outcome comes by callback or inquiry only."""
        ...


@runtime_checkable
class ReopensPages(Protocol):
    """Can send a customer to an open bank's page again: a challenge, or the bank's own page."""

    def page_again(self, method: str, authentication_id: str) -> str:
        """Return the address that `Redirect` had, by the bank's name for the visit.

        No call is made.
        """
        ...


@runtime_checkable
class ListsTransfers(Protocol):
    """Lists the transfers to a reference, by account number or voucher."""

    async def transfers(self, reference: str) -> tuple[Transfer, ...] | Unknown:
        """Return all transfers to a reference so far.

        Unknown when the bank does not say.
        """
        ...


@runtime_checkable
class ReceivesTransfers(ListsTransfers, Protocol):
    """Receives NEFT, RTGS and IMPS at account numbers of its own, one for each reference."""

    def account_for(self, charge: Charge, *, method: str) -> VirtualAccount:
        """Return the account number of a reference; the same reference always has the same one.

        method: virtual_account takes every transfer, rtgs_account RTGS alone, remittance what
        branches remit by slip.
        """
        ...


@runtime_checkable
class IssuesVouchers(ListsTransfers, Protocol):
    """Takes cash at shops' counters, for vouchers that are each paid once."""

    async def issue_voucher(
        self, charge: Charge, *, payee_name: str, expires_at: datetime
    ) -> Voucher | Declined | Unknown:
        """Issue a voucher that can be paid until a time.

        The same reference always has the same one.
        """
        ...

    async def end_voucher(self, reference: str) -> Accepted | Declined | Unknown:
        """End the voucher of a reference, so that nobody pays it any more.

        Declined when it is paid.
        """
        ...


@runtime_checkable
class ChecksAddresses(Protocol):
    """Knows the holders of UPI addresses."""

    async def check_address(self, vpa: str) -> RegisteredName | NotRegistered | Unknown:
        """Return an address's holder; Unknown when the network does not say."""
        ...


@runtime_checkable
class SpeaksBack(Protocol):
    """Sends signed callbacks."""

    def read_callback(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> BankCallback | None:
        """Return the bank's authenticated answer, None when signature, age or form is wrong."""
        ...

    def claimed_reference(self, body: bytes) -> str:
        """Return the reference in an unauthenticated body, or "".

        It allows only an inquiry.
        """
        ...


@runtime_checkable
class TakesBankMandates(SendsToBanks, TakesMandates, Protocol):
    """Lets a customer approve a mandate at their bank's page (eNACH).

    It is `Charge.mandate` of `start_redirect`. The bank registers it later, or not, and collects
    the first amount with it: until then the charge is pending. So is every debit until the bank has
    answered its batch. `Approved.approval_code` of the charge is the mandate's UMRN, "" where the
    acquirer does not say it.
    """

    takes_bank_mandates: bool


@runtime_checkable
class ReportsSales(Protocol):
    """Reports sales at terminals by callback."""

    def read_sale(self, headers: dict[str, str], body: bytes, *, now_s: int) -> TerminalSale | None:
        """Return the sale in an authenticated callback, or None when it has none."""
        ...


@runtime_checkable
class SimulatesUpiApp(Protocol):
    """Has a UPI app of its own that opens in a browser.

    A simulator's capability, never a real acquirer's.
    """

    def app_link(self, upi_uri: str) -> str:
        """Return the address of the app, opened at a `upi://` link."""
        ...


@runtime_checkable
class SimulatesCounters(Protocol):
    """Has a shop's counter that opens in a browser.

    A simulator's capability, never a real acquirer's.
    """

    def counter_link(self, voucher: str, amount: Money) -> str:
        """Return the address of the counter, opened at a voucher."""
        ...


@runtime_checkable
class KeepsBooks(Protocol):
    """Shows its books, so that an audit can compare ours with them."""

    async def books(self, after: str = "") -> BookPage | Unknown:
        """Return a page of the books, the first one without `after`.

        Unknown when they cannot be read.
        """
        ...


class Connector(Inquires, Protocol):
    """One acquirer.

    name: stored with every attempt, so it never changes. simulated: no real money moves.
    """

    name: str
    simulated: bool

    async def close(self) -> None:
        """Close connections; called once, at the end of the process."""
        ...

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        ...
