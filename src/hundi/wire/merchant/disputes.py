"""Disputes: the operations on them and their messages.

See docs/spec/payment-interfaces.md#dispute-operations.
"""

from datetime import datetime

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

STATES = (
    *("open", "under_review", "accepting", "expired"),
    *("won", "lost", "accepted", "partly_accepted", "closed"),
)
NOTE_MAX = 1_000
"""Characters of a note to the bank."""
DOCUMENT_BYTES_MAX = 1024 * 1024
"""Bytes of a document that comes by this interface; an operator may add one of twice the size."""
NAME_MAX = 100
ID = kinds.digits("A dispute, as the list and the news of it name it", "217383559070001")
NOTE = kinds.described(kinds.words(NOTE_MAX), "What the bank is told")


@message()
class DisputesBefore:
    """Disputes, newest first.

    state: open, under_review, accepting, expired, won, lost, accepted, partly_accepted or closed;
    "" for all. before: the last dispute_id that you have, for those that are older.
    """

    state: str = sent(kinds.one_of(*STATES), meaning="Only those in this state", default="")
    before: str = sent(
        kinds.TRANSACTION_ID,
        meaning="The last id that you have: the page begins after it",
        default="",
    )


@message()
class DisputeName:
    """The id of a dispute."""

    dispute_id: str = sent(ID)


@message()
class NewEvidence:
    """A document for the answer to a dispute.

    content: a whole PDF, PNG or JPEG of at most 1 MiB.
    """

    dispute_id: str = sent(ID)
    name: str = sent(kinds.words(NAME_MAX), meaning="The document's name", default="")
    content: bytes = sent(
        kinds.document(DOCUMENT_BYTES_MAX, "a PDF, PNG or JPEG"),
        meaning="A whole PDF, PNG or JPEG of at most 1 MiB, in base64",
        hidden=True,
    )


@message(without={"amount": "nothing: to accept a part is dispute/accept"})
class DisputeContest:
    """The answer that contests a dispute: it needs a note or a document."""

    dispute_id: str = sent(ID)
    note: str = sent(NOTE, default="")


@message()
class DisputeAcceptance:
    """The answer that accepts a dispute, or only a part of it.

    amount_paise: what is given up, None for all.
    """

    dispute_id: str = sent(ID)
    amount_paise: int | None = sent(
        kinds.AMOUNT_OR_ALL, "amount", "What is given up; all of it when left out", default=None
    )
    note: str = sent(NOTE, default="")


@message()
class Evidence:
    """A document for the answer to a dispute, without its content.

    sha256: of the content, hex. sent_at: when the bank took it.
    """

    evidence_id: str = sent(kinds.NAME)
    name: str = sent(kinds.WORDS)
    type: str = sent(kinds.NAME)
    bytes: int = sent(kinds.WHOLE)
    sha256: str = sent(kinds.NAME)
    added_at: datetime | None = sent(kinds.MOMENT)
    sent_at: datetime | None = sent(kinds.MOMENT)


@message()
class DisputePhase:
    """One phase of a dispute, in paise of the payment's currency; fee and tax in paise of rupees.

    phase: retrieval, chargeback, pre_arbitration or arbitration. state: open, under_review,
    accepting, expired, won, lost, accepted, partly_accepted or closed. held_paise: the part of
    amount_paise that is held back; taken_paise: what the bank took. accepted_paise: what your
    answer gave up. fee_paise, tax_paise: what the dispute cost you. reason: the network's code.
    respond_by: the deadline for your answer.
    """

    phase: str = sent(kinds.NAME)
    state: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY, "amount")
    held_paise: int = sent(kinds.MONEY, "held_amount")
    taken_paise: int = sent(kinds.MONEY, "taken_amount")
    accepted_paise: int = sent(kinds.MONEY, "accepted_amount")
    fee_paise: int = sent(kinds.MONEY, "fee_amount")
    tax_paise: int = sent(kinds.MONEY, "tax_amount")
    reason: str = sent(kinds.WORDS)
    opened_at: datetime | None = sent(kinds.MOMENT)
    respond_by: datetime | None = sent(kinds.MOMENT)
    answered_at: datetime | None = sent(kinds.MOMENT)
    sent_at: datetime | None = sent(kinds.MOMENT)
    ended_at: datetime | None = sent(kinds.MOMENT)


@message()
class Dispute:
    """A dispute. order_id: "" for a payment in the archive.

    now: its current phase. phases: all of them, oldest first; in a list, phases and evidence are
    empty.
    """

    now: DisputePhase = sent(kinds.spread(DisputePhase))
    dispute_id: str = sent(kinds.NAME)
    transaction_id: str = sent(kinds.NAME, "ap_transactionid")
    order_id: str = sent(kinds.WORDS, "orderid")
    currency: str = sent(kinds.NAME, "iso_currency")
    phases: tuple[DisputePhase, ...] = sent(kinds.objects(DisputePhase), default=())
    evidence: tuple[Evidence, ...] = sent(kinds.objects(Evidence), default=())

    @property
    def is_open(self) -> bool:
        """It waits for your answer."""
        return self.now.state == "open"


@message()
class Disputes:
    """A page of disputes, newest first, without their phases and documents."""

    disputes: tuple[Dispute, ...] = sent(kinds.objects(Dispute))


_SECTION = "payment-interfaces.md#dispute-operations"
LIST = Operation(
    "dispute/list",
    "listDisputes",
    "disputes",
    "List disputes",
    _SECTION,
    ("dispute/list/",),
    DisputesBefore,
    Disputes,
    "read",
    words="Without their phases and documents. Safe to repeat.",
    takes=0,
    gives="disputes",
)
STATUS = Operation(
    "dispute/status",
    "disputeStatus",
    "dispute",
    "Show a dispute",
    _SECTION,
    ("dispute/status/",),
    DisputeName,
    Dispute,
    "read",
    words="Safe to repeat. Raises NotFoundError for one that is not yours.",
    echoes=("dispute_id",),
)
EVIDENCE = Operation(
    "dispute/evidence",
    "addEvidence",
    "add_evidence",
    "Add a document to the answer to a dispute",
    _SECTION,
    ("dispute/evidence/",),
    NewEvidence,
    Evidence,
    "manage",
    words="The same document is kept once, so it is safe to repeat. Raises RefusedError (124) "
    "once it is answered or over.",
    takes=2,
    body="json",  # percent-encoding would make a large body larger
)
CONTEST = Operation(
    "dispute/contest",
    "contestDispute",
    "contest_dispute",
    "Contest a dispute",
    _SECTION,
    ("dispute/contest/",),
    DisputeContest,
    Dispute,
    "manage",
    words="The bank decides. Safe to repeat: the same answer again changes nothing. Raises "
    "RefusedError (124) after another answer, or after the deadline; (125) where the acquirer "
    "takes this answer in its own dashboard alone.",
    echoes=("dispute_id",),
)
ACCEPT = Operation(
    "dispute/accept",
    "acceptDispute",
    "accept_dispute",
    "Accept a dispute, wholly or in part",
    _SECTION,
    ("dispute/accept/",),
    DisputeAcceptance,
    Dispute,
    "manage",
    words="Repeats and raises as `contest_dispute` does.",
    echoes=("dispute_id",),
)
