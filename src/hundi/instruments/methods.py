"""The one table of payment methods, by channel code and by method of attempt.

A channel is what a merchant enables and the protocol names; a method is how one attempt pays. To
add a way to pay, add a row here, then its actions in `payments/methods`, its template
`page/templates/_CODE.html`, and its capability in `acquirers/port`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from hundi.kernel.states import PaymentKind


class Flow(Enum):
    """The customer's part, and so what a silent attempt can have moved."""

    SCANNED = auto()
    """Scans a QR or opens its link: the attempt is open before anybody pays."""
    REQUESTED = auto()
    """Approves our request in an app: the bank may move the money without us."""
    CHALLENGED = auto()
    """Authenticates at the card's bank, which moves nothing: only we can charge afterwards."""
    UNATTENDED = auto()
    """Is absent: our call charges."""
    REDIRECTED = auto()
    """Pays at a bank's, wallet's or acquirer's page: money moves there, without us."""
    CREDITED = auto()
    """Pays into an account number or a voucher of the order, elsewhere.

    The attempt is open for days, and money may come twice.
    """


@dataclass(frozen=True, slots=True)
class Method:
    """How one attempt pays.

    name: stored with the attempt. capability: its acquirer's, as in `acquirers.port`. networks: by
    which money may come to its account, () for any.
    """

    name: str
    capability: str
    flow: Flow
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to pay, as merchants enable it.

    code: in `chmod`, in the transaction record and in the name of the page's template
    (docs/spec/states-and-codes.md#channels). name, title, description: in the list of banks and
    channels. method: of its attempts. instead: for acquirers that take them in another way. also:
    further methods of attempts that are reported with this code. kinds: of its payments. spellings:
    other codes of `chmod` for it. debits: how an approved mandate is debited, None if the channel
    approves none. listed: customers choose from the acquirer's list of banks, wallets or plans.
    form: the page's name of its row.
    """

    code: str
    name: str
    title: str
    description: str
    method: Method
    instead: tuple[Method, ...] = ()
    also: tuple[Method, ...] = ()
    kinds: frozenset[PaymentKind] = frozenset({PaymentKind.SALE})
    spellings: tuple[str, ...] = ()
    listed: bool = False
    form: str = ""
    debits: Method | None = None

    @property
    def methods(self) -> tuple[Method, ...]:
        """Return every method of attempts that is reported with this code."""
        return (*self.first_steps, *self.also, *((self.debits,) if self.debits else ()))

    @property
    def first_steps(self) -> tuple[Method, ...]:
        """Return the methods by which an attempt can begin.

        An acquirer has at least one of them.
        """
        return (self.method, *self.instead)

    @property
    def scanned(self) -> bool:
        """Return whether it is paid by scanning a QR, over UPI."""
        return self.method.flow is Flow.SCANNED


UPI_QR = Method("upi_qr", "OffersUpi", Flow.SCANNED)
UPI_LINK = Method("upi_link", "MakesUpiLinks", Flow.SCANNED)
UPI_COLLECT = Method("upi_collect", "OffersUpi", Flow.REQUESTED)
UPI_AUTOPAY = Method("upi_autopay", "TakesMandates", Flow.UNATTENDED)
CARD = Method("card", "AuthenticatesCards", Flow.CHALLENGED)
CARD_PAGE = Method("card_page", "HostsCheckout", Flow.REDIRECTED)
CARD_DIRECT = Method("card_direct", "ChargesCards", Flow.REDIRECTED)
CARD_MOTO = Method("card_moto", "ChargesMoto", Flow.UNATTENDED)
CARD_MANDATE = Method("card_mandate", "TakesCardMandates", Flow.UNATTENDED)
CARD_EMI = Method("card_emi", "OffersInstalments", Flow.CHALLENGED)
EMI_PAGE = Method("emi_page", "HostsInstalments", Flow.REDIRECTED)
EMI_DIRECT = Method("emi_direct", "ChargesInstalments", Flow.REDIRECTED)
NETBANKING = Method("netbanking", "SendsToBanks", Flow.REDIRECTED)
WALLET = Method("wallet", "SendsToBanks", Flow.REDIRECTED)
VIRTUAL_ACCOUNT = Method("virtual_account", "ReceivesTransfers", Flow.CREDITED)
CASH_VOUCHER = Method("cash_voucher", "IssuesVouchers", Flow.CREDITED)
RTGS_ACCOUNT = Method("rtgs_account", "ReceivesTransfers", Flow.CREDITED, ("RTGS",))
REMITTANCE = Method("remittance", "ReceivesTransfers", Flow.CREDITED)
ENACH = Method("enach", "TakesBankMandates", Flow.REDIRECTED)
ENACH_DEBIT = Method("enach_debit", "TakesBankMandates", Flow.UNATTENDED)
PAY_LATER = Method("pay_later", "SendsToBanks", Flow.REDIRECTED)

UPI = Channel(
    "upi",
    "UPI",
    "UPI",
    "Any UPI app, by QR or link",
    UPI_QR,
    instead=(UPI_LINK,),
    also=(UPI_COLLECT,),
    debits=UPI_AUTOPAY,
)
CARDS = Channel(
    "pg",
    "Cards",
    "Credit or debit card",
    "RuPay, Visa, Mastercard, Amex",
    CARD,
    # An acquirer's own page comes before cards that are typed at ours: then no card number reaches
    # us.
    instead=(CARD_PAGE, CARD_DIRECT),
    also=(CARD_MOTO,),
    # Only cards hold an amount, or pay without their holder.
    kinds=frozenset({PaymentKind.SALE, PaymentKind.AUTHORISE, PaymentKind.MOTO}),
    spellings=("pgcc", "pgdc"),
    form="card",
    debits=CARD_MANDATE,
)
NET_BANKING = Channel(
    "nb",
    "Net banking",
    "Net banking",
    "The customer's bank, personal or company account",
    NETBANKING,
    listed=True,
)
WALLETS = Channel(
    "ppc", "Wallets", "Wallet", "Prepaid wallets", WALLET, spellings=("pp",), listed=True
)
LENDERS = Channel(
    "payltr",
    "Pay later",
    "Pay later",
    "Lenders that the customer pays back later",
    PAY_LATER,
    listed=True,
)
TRANSFERS = Channel(
    "va",
    "Bank transfer",
    "Bank transfer",
    "NEFT, RTGS or IMPS to an account number of the order",
    VIRTUAL_ACCOUNT,
)
RTGS = Channel(
    "rtgs",
    "RTGS",
    "RTGS",
    "RTGS alone, from ₹2,00,000, to an account number of the order",
    RTGS_ACCOUNT,
)
REMIT = Channel(
    "remit", "Remittance", "Bank slip", "A slip that a bank's branch remits by", REMITTANCE
)
CASH = Channel(
    "cash",
    "Cash",
    "Cash at a shop",
    "A voucher that is paid in cash at a shop's counter",
    CASH_VOUCHER,
)
BANK_MANDATES = Channel(
    "enach",
    "eNACH",
    "Bank account",
    "Mandates to debit a bank account",
    ENACH,
    # It approves mandates, and makes no payment without one.
    kinds=frozenset(),
    listed=True,
    debits=ENACH_DEBIT,
)
EMI = Channel(
    "emi",
    "EMI",
    "Card EMI",
    "Card payments in instalments",
    CARD_EMI,
    # As with cards: an acquirer's own page comes before cards that are typed at ours.
    instead=(EMI_PAGE, EMI_DIRECT),
    listed=True,
)
BHARAT_QR = Channel("btqr", "Bharat QR", "Bharat QR", "Any app that reads Bharat QR", UPI_QR)

CHANNELS: Mapping[str, Channel] = {
    each.code: each
    for each in (
        UPI,
        CARDS,
        NET_BANKING,
        WALLETS,
        LENDERS,
        EMI,
        BHARAT_QR,
        TRANSFERS,
        RTGS,
        REMIT,
        CASH,
        BANK_MANDATES,
    )
}
"""All channels by code, in the order for people."""
METHODS: Mapping[str, Method] = {
    method.name: method for channel in CHANNELS.values() for method in channel.methods
}
"""All methods of attempts, by name."""
CHANNEL_OF_METHOD: Mapping[str, Channel] = {
    # The first row with a method counts: a QR is reported as UPI unless its order has only Bharat
    # QR.
    method.name: channel
    for channel in reversed(CHANNELS.values())
    for method in channel.methods
}
"""The channel as which an attempt by a method is reported."""
CODE_OF_SPELLING: Mapping[str, str] = {
    spelling: each.code for each in CHANNELS.values() for spelling in (each.code, *each.spellings)
}
"""The channel's code for each of its spellings."""
SCANNED = frozenset(code for code, each in CHANNELS.items() if each.scanned)
"""Codes of the channels that are paid by scanning a QR."""
LISTED = frozenset(code for code, each in CHANNELS.items() if each.listed)
"""Codes of the channels whose customers choose from a list."""


CARD_TYPE_OF_SPELLING: Mapping[str, str] = {"pgcc": "credit", "pgdc": "debit"}
"""The restrictions to a card type in `chmod`.

A prepaid card is neither, so only `pg` accepts it.
"""


def channels_named(codes: Iterable[str]) -> tuple[str, ...]:
    """Return the channels of codes in `chmod`, each once, in order."""
    return tuple(dict.fromkeys(CODE_OF_SPELLING.get(code, code) for code in codes))


def card_types_named(codes: Collection[str]) -> tuple[str, ...]:
    """Return the card types to which codes of `chmod` restrict cards; () for any card."""
    return (
        ()
        if CARDS.code in codes
        else tuple(CARD_TYPE_OF_SPELLING[each] for each in codes if each in CARD_TYPE_OF_SPELLING)
    )


AT_ONCE = frozenset({CARD_DIRECT.name, EMI_DIRECT.name})
"""Methods whose card is charged by the call that sends it; some banks do not ask the holder."""
ON_OFFER = frozenset({Flow.SCANNED, Flow.CREDITED})
"""Flows whose attempts are open before the customer acts; unused ones are no tries to pay."""
REDIRECTED = tuple(each for each in CHANNELS.values() if each.method.flow is Flow.REDIRECTED)
"""The channels whose customers go to a bank, wallet or lender from a list."""


TO_ACCOUNTS = tuple(
    each for each in CHANNELS.values() if each.method.capability == VIRTUAL_ACCOUNT.capability
)
"""The channels whose customers get an account number of the order."""


@cache
def codes_for(kind: PaymentKind) -> frozenset[str]:
    """Return the codes of the channels that can make a kind of payment."""
    if kind is PaymentKind.SUBSCRIPTION:
        return frozenset(code for code, each in CHANNELS.items() if each.debits)
    return frozenset(code for code, each in CHANNELS.items() if kind in each.kinds)


def methods_of(*flows: Flow) -> frozenset[str]:
    """Return the names of the methods with one of these flows."""
    return frozenset(name for name, each in METHODS.items() if each.flow in flows)
