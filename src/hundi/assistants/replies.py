"""What tools reply: typed, short, and every text of others marked as such."""

from datetime import date

from msgspec import Struct

from hundi.assistants.words import Moment, OutsideText, Sentence, Word


class ToolReply(Struct, frozen=True, kw_only=True):
    """Base of replies."""


class ListedPayment(Struct, frozen=True):
    """A payment in a list."""

    ap_transactionid: Word
    orderid: OutsideText
    amount_paise: int
    currency: Word
    state: Word
    chmod: Word
    created: Moment


class PaymentList(ToolReply, frozen=True, kw_only=True):
    """Payments, newest first. is_cut: there may be more."""

    payments: list[ListedPayment]
    is_cut: bool


class PaymentFactsShown(Struct, frozen=True):
    """A payment. bank: what the bank said last. phone, email: masked."""

    ap_transactionid: Word
    orderid: OutsideText
    amount_paise: int
    currency: Word
    state: Word
    captured_paise: int
    refunded_paise: int
    chmod: Word
    phone: OutsideText
    email: OutsideText
    bank: OutsideText
    created: Moment


class ShownAttempt(Struct, frozen=True):
    """A try to pay. card: scheme and last four digits."""

    reference: Word
    method: Word
    state: Word
    amount_paise: int
    rrn: Word
    card: OutsideText
    bank: OutsideText
    at: Moment


class ShownRefund(Struct, frozen=True):
    """A refund."""

    refund_id: Word
    why: Word
    amount_paise: int
    state: Word
    rrn: Word
    bank: OutsideText
    at: Moment
    settled_at: Moment | None


class PaymentStory(ToolReply, frozen=True, kw_only=True):
    """A payment with its newest attempts and refunds. is_cut: there are more."""

    payment: PaymentFactsShown
    attempts: list[ShownAttempt]
    refunds: list[ShownRefund]
    is_cut: bool


class ListedSettlement(Struct, frozen=True):
    """A settlement in a list."""

    settlement: Word
    day: date
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int


class SettlementList(ToolReply, frozen=True, kw_only=True):
    """Settlements, newest first. is_cut: there may be more."""

    settlements: list[ListedSettlement]
    is_cut: bool


class ShownSettlementRow(Struct, frozen=True):
    """What one payment, refund or dispute added to a settlement."""

    kind: Word
    ap_transactionid: Word
    orderid: OutsideText
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int
    at: Moment


class SettlementStory(ToolReply, frozen=True, kw_only=True):
    """A settlement with its first rows. is_cut: there are more."""

    settlement: ListedSettlement
    utr: Word
    rows: list[ShownSettlementRow]
    is_cut: bool


class ListedDispute(Struct, frozen=True):
    """The present phase of a dispute. reason, bank: in the bank's words."""

    dispute_id: Word
    ap_transactionid: Word
    phase: Word
    state: Word
    amount_paise: int
    amount_currency: Word
    held_paise: int
    reason: OutsideText
    bank_case: OutsideText
    opened_at: Moment
    respond_by: Moment | None
    ended_at: Moment | None
    bank: OutsideText


class MerchantDisputes(ToolReply, frozen=True, kw_only=True):
    """Disputes, newest first. is_cut: there may be more."""

    disputes: list[ListedDispute]
    is_cut: bool


class DisputeStory(ToolReply, frozen=True, kw_only=True):
    """The phases of a dispute, in their order."""

    phases: list[ListedDispute]


class ExplainedRefusal(Struct, frozen=True):
    """A refused request. says: the reply's words. helps: whether a retry can help.

    field: the wrong one. received, allowed: of that field. mistake: what is wrong, where it was
    found. settings: commands of which each alone would accept the request.
    """

    reference: Word
    at: Moment
    operation: Word
    code: Word
    response_code: Word
    says: Sentence
    helps: Sentence
    field: OutsideText
    received: OutsideText
    allowed: OutsideText
    mistake: OutsideText
    settings: list[OutsideText]


class RefusalList(ToolReply, frozen=True, kw_only=True):
    """Refused requests, newest first. is_cut: there may be more."""

    refusals: list[ExplainedRefusal]
    is_cut: bool


class ListedDelivery(Struct, frozen=True):
    """A delivery of a notification. last_problem: why the last try failed."""

    webhook_id: Word
    orderid: OutsideText
    event: Word
    state: Word
    created: Moment
    tries: int
    last_status: int | None
    last_problem: OutsideText


class DeliveryList(ToolReply, frozen=True, kw_only=True):
    """Deliveries, newest first. failing: what is known of an endpoint that fails now."""

    deliveries: list[ListedDelivery]
    failing: OutsideText
    is_cut: bool


class ShownTry(Struct, frozen=True):
    """A try of a delivery. answer: the beginning of what the server answered."""

    number: int
    at: Moment
    url: OutsideText
    status: int | None
    problem: OutsideText
    answer: OutsideText


class DeliveryStory(ToolReply, frozen=True, kw_only=True):
    """The last tries of a delivery. is_cut: there were more before."""

    tries: list[ShownTry]
    is_cut: bool


class TroubledPart(Struct, frozen=True):
    """A part of the gateway that does not work fully."""

    component: Word
    state: Word
    since: Moment


class GatewayHealth(ToolReply, frozen=True, kw_only=True):
    """The parts that do not work fully now; none: all work.

    looked_at: when a worker last looked.
    """

    troubled: list[TroubledPart]
    looked_at: Moment | None


class ProposalState(ToolReply, frozen=True, kw_only=True):
    """A proposal. state: waiting, approved, done, failed, rejected or expired.

    title: what is proposed. result: of its act. decide_at: the console's page for it.
    """

    proposal_id: Word
    kind: Word
    title: OutsideText
    state: Word
    result: OutsideText
    ends_at: Moment
    decide_at: Word
