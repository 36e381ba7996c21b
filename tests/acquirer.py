"""An acquirer that says what the test tells it to, and counts the calls of its port."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Authentication,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
    Voided,
)
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
    Standing,
)
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.payouts import PayoutOrder, RailTerms
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace

Answer = Approved | Declined | Unknown | NothingThere | Voided
PayoutWord = Approved | Declined | SentBack | Underway


@dataclass
class WholeDisputesAcquirer:
    """Answers come from the queues, the last one again and again; calls are recorded."""

    name: str = "sandbox"
    simulated: bool = True
    takes_card_mandates: bool = True
    inquiry_schedule: InquirySchedule = field(default_factory=lambda: InquirySchedule((3, 5, 10)))
    browser_origins: tuple[str, ...] = ("http://bank.test",)
    challenge: Redirect = Redirect("http://bank.test/3ds/a1", "a1")  # noqa: RUF009 (nothing in it changes)
    inquiries: deque[Answer] = field(default_factory=lambda: deque([NothingThere()]))
    authorisations: deque[Approved | Declined | Unknown] = field(default_factory=deque)
    refund_schedule: InquirySchedule = field(default_factory=lambda: InquirySchedule((3, 5, 10)))
    refunds: deque[Approved | Declined | Unknown] = field(default_factory=deque)
    refund_inquiries: deque[Answer] = field(default_factory=lambda: deque([NothingThere()]))
    given_back: dict[str, RefundOrder] = field(default_factory=dict)
    completions: deque[Approved | Declined | Unknown | Voided] = field(default_factory=deque)
    debits: deque[Approved | Declined | Unknown] = field(default_factory=deque)
    debited: dict[str, MandateDebit] = field(default_factory=dict)
    mandates: list[MandateRequest] = field(default_factory=list)
    notices: list[MandateNotice] = field(default_factory=list)
    notice_answers: deque[NoticeGiven | Declined | Unknown] = field(default_factory=deque)
    standings: dict[str, MandateStanding] = field(default_factory=dict)
    mandate_terms: dict[str, MandateTerms] = field(
        default_factory=lambda: dict.fromkeys(("upi", "pg"), MandateTerms())
    )
    mandate_methods: frozenset[str] = frozenset({"upi_qr", "card"})
    token_ends: deque[Accepted | Declined | Unknown] = field(default_factory=deque)
    addresses: dict[str, str] = field(default_factory=dict)
    payout_gaps_s: tuple[int, ...] = (3, 5, 10)
    returned_gaps_s: tuple[int, ...] = (60,)
    payout_grace_s: int = 60
    payout_rails: tuple[RailTerms, ...] = (
        RailTerms("imps", 1, 5_00_000_00),
        RailTerms("rtgs", 2_00_000_00),
        RailTerms("neft"),
    )
    check_cost: Money = field(default_factory=lambda: Money(1_00))
    payouts: deque[PayoutWord | Unknown] = field(default_factory=deque)
    payout_inquiries: deque[PayoutWord | Unknown | NothingThere] = field(default_factory=deque)
    paid_out: list[PayoutOrder] = field(default_factory=list)
    account_answers: deque[RegisteredName | NotRegistered | Unknown] = field(default_factory=deque)
    trans_status: str = "Y"
    calls: list[tuple[str, str]] = field(default_factory=list)
    before_answer: Callable[[], None] | None = None
    dispute_gaps_s: tuple[int, ...] = (5, 10)
    raised: dict[PhaseName, DisputeWord] = field(default_factory=dict)
    """What the bank says of each phase of a dispute."""
    answered: list[DisputeAnswer] = field(default_factory=list)
    decides: deque[DisputeWord | Declined | Unknown] = field(default_factory=deque)
    """What the next answers to disputes are answered.

    Without any, that the phase is under review.
    """
    evidence: dict[str, EvidenceFile] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    """References about which nothing is said until `speaks` is set, and numbers of disputes that
    are in doubt.
    """
    speaks: asyncio.Event = field(default_factory=asyncio.Event)

    def payee_address(self, merchant_id: int) -> str:
        return f"m{merchant_id}@test"

    async def pay_out(self, order: PayoutOrder) -> PayoutWord | Unknown:
        self.calls.append(("pay_out", order.reference))
        self.paid_out.append(order)
        await asyncio.sleep(0)
        return (
            self.payouts.popleft()
            if self.payouts
            else Approved(order.amount, f"UTR{order.reference[-15:]}")
        )

    async def inquire_payout(self, reference: str) -> PayoutWord | Unknown | NothingThere:
        self.calls.append(("inquire_payout", reference))
        await asyncio.sleep(0)
        return self.payout_inquiries.popleft() if self.payout_inquiries else NothingThere()

    async def check_account(
        self, reference: str, account: BankAccount, holder: str
    ) -> RegisteredName | NotRegistered | Unknown:
        self.calls.append(("check_account", reference))
        return (
            self.account_answers.popleft()
            if self.account_answers
            else RegisteredName(holder.upper())
        )

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        self.calls.append(("collect", charge.reference))
        return Unknown("01")

    async def authenticate(
        self, charge: Charge, card: CardNumber, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        self.calls.append(("authenticate", charge.reference))
        if charge.mandate is not None:
            self.mandates.append(charge.mandate)
        return self.challenge

    async def authenticate_token(
        self, charge: Charge, token: str, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        self.calls.append(("authenticate_token", token))
        return self.challenge

    async def end_token(self, token: str) -> Accepted | Declined | Unknown:
        self.calls.append(("end_token", token))
        return self.token_ends.popleft() if self.token_ends else Accepted()

    async def authentication(self, authentication_id: str) -> Authentication | Unknown:
        return Authentication(self.trans_status, "05")

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        self.calls.append(("authorise", charge.reference))
        if self.before_answer is not None:
            self.before_answer()
        if self.authorisations:
            return self.authorisations.popleft()
        return Approved(charge.amount, "632512345678", authorised_only=not capture)

    async def charge_moto(
        self, charge: Charge, card: CardNumber, *, capture: bool
    ) -> Approved | Declined | Unknown:
        self.calls.append(("charge_moto", charge.reference))
        if self.authorisations:
            return self.authorisations.popleft()
        return Approved(charge.amount, "632512345678", authorised_only=not capture)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        self.calls.append(("capture", original))
        await asyncio.sleep(0)
        answer = (
            self.completions.popleft() if self.completions else Approved(amount, "632512347777")
        )
        assert not isinstance(answer, Voided)
        return answer

    async def void(self, original: str) -> Voided | Declined | Unknown:
        self.calls.append(("void", original))
        await asyncio.sleep(0)
        answer = self.completions.popleft() if self.completions else Voided("632512348888")
        assert not isinstance(answer, Approved)
        return answer

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        self.calls.append(("inquire_mandate", mandate))
        await asyncio.sleep(0)
        return self.standings.get(mandate, NothingThere())

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        self.calls.append(("give_notice", notice.mandate))
        if self.before_answer is not None:
            self.before_answer()
        await asyncio.sleep(0)
        answer = self.notice_answers.popleft() if self.notice_answers else NoticeGiven()
        if isinstance(answer, NoticeGiven):
            self.notices.append(notice)
        return answer

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        self.calls.append(("debit_mandate", debit.reference))
        if self.before_answer is not None:
            self.before_answer()
        await asyncio.sleep(0)
        answer = self.debits.popleft() if self.debits else Approved(debit.amount, "632512341111")
        if isinstance(answer, Approved):
            self.debited[debit.reference] = debit
        return answer

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        self.calls.append(("end_mandate", mandate))
        return Accepted()

    async def check_address(self, vpa: str) -> RegisteredName | NotRegistered | Unknown:
        self.calls.append(("check_address", vpa))
        return RegisteredName(self.addresses[vpa]) if vpa in self.addresses else NotRegistered()

    async def inquire(self, reference: str) -> Answer:
        self.calls.append(("inquire", reference))
        if reference in self.silent:
            await self.speaks.wait()
        return self.inquiries[0] if len(self.inquiries) == 1 else self.inquiries.popleft()

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        self.calls.append(("refund", order.reference))
        if self.before_answer is not None:
            self.before_answer()
        if self.refunds:
            return self.refunds.popleft()
        self.given_back[order.reference] = order
        return Approved(order.amount, "632512349999")

    async def inquire_refund(self, reference: str) -> Answer:
        self.calls.append(("inquire_refund", reference))
        if self.before_answer is not None:
            self.before_answer()
        return (
            self.refund_inquiries[0]
            if len(self.refund_inquiries) == 1
            else self.refund_inquiries.popleft()
        )

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        self.calls.append(("disputes", after))
        return DisputePage(tuple(self.raised.values()), "")

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        self.calls.append(("inquire_dispute", name.case))
        await asyncio.sleep(0)
        return Unknown() if name.case in self.silent else self.raised.get(name, NothingThere())

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        self.calls.append(("send_evidence", evidence.reference))
        self.evidence[evidence.reference] = evidence
        return Accepted()

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        self.calls.append(("answer_dispute", answer.reference))
        self.answered.append(answer)
        await asyncio.sleep(0)
        if self.decides:
            said = self.decides.popleft()
        else:
            said = replace(self.raised[answer.name], standing=Standing.UNDER_REVIEW)
        if isinstance(said, DisputeWord):
            self.raised[said.name] = said
        return said

    def read_dispute(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        return None

    def reachable(self) -> bool:
        return True

    async def close(self) -> None:
        """Have nothing to close."""

    def count(self, verb: str) -> int:
        return sum(each == verb for each, _ in self.calls)


@dataclass
class ScriptedAcquirer(WholeDisputesAcquirer):
    """It takes answers about a part of a dispute as well."""

    divides_disputes: bool = True
