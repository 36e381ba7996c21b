"""The acquirer's interface of a simulation's bank: paths and messages of the running one."""

from collections.abc import Callable
from typing import Any

import msgspec

from hundi_testbed.bank.completions.messages import BankCaptureRequest, BankVoidRequest
from hundi_testbed.bank.completions.rules import VOID, capture_of
from hundi_testbed.bank.disputes.messages import (
    AnswerRequest,
    DisputeQuestion,
    EvidenceAnswer,
    EvidenceRequest,
    ListRequest,
)
from hundi_testbed.bank.mandates.messages import DebitRequest, NamedMandate, NoticeRequest
from hundi_testbed.bank.messages import (
    AddressAnswer,
    AddressRequest,
    AuthenticateRequest,
    AuthoriseRequest,
    CardAnswer,
    CollectRequest,
    IdentifyAnswer,
    IdentifyRequest,
    InquireRequest,
)
from hundi_testbed.bank.payouts.messages import CheckRequest, PayoutQuestion, PayoutRequest
from hundi_testbed.bank.redirects.messages import RedirectRequest
from hundi_testbed.bank.refunds.messages import BankRefundRequest, RefundQuestion
from hundi_testbed.bank.rules import read_bin, registered_name
from hundi_testbed.simulation.bank import SimulatedBank

Handler = Callable[[SimulatedBank, Any], msgspec.Struct]
_CHALLENGE = "/acquirer/cards/authentications/"


def _identify(_bank: SimulatedBank, request: IdentifyRequest) -> IdentifyAnswer:
    card = read_bin(request.bin)
    return IdentifyAnswer("done", CardAnswer.of(card)) if card else IdentifyAnswer("not_found")


_INTERFACES: dict[str, tuple[type[msgspec.Struct], Handler]] = {
    "/acquirer/upi/collect": (CollectRequest, SimulatedBank.collect),
    "/acquirer/upi/addresses": (
        AddressRequest,
        lambda _, request: AddressAnswer("registered", registered_name(request.vpa)),
    ),
    "/acquirer/cards/identify": (IdentifyRequest, _identify),
    "/acquirer/cards/authenticate": (AuthenticateRequest, SimulatedBank.challenge),
    "/acquirer/cards/authorise": (AuthoriseRequest, SimulatedBank.authorise),
    "/acquirer/visits": (RedirectRequest, SimulatedBank.visit),
    "/acquirer/inquire": (
        InquireRequest,
        lambda bank, request: bank.outcome(request.reference),
    ),
    "/acquirer/captures": (
        BankCaptureRequest,
        lambda bank, request: bank.complete(request.original, capture_of(request.amount_paise)),
    ),
    "/acquirer/voids": (
        BankVoidRequest,
        lambda bank, request: bank.complete(request.original, VOID),
    ),
    "/acquirer/refund": (BankRefundRequest, lambda bank, request: bank.refunds.refund(request)),
    "/acquirer/refund/inquire": (
        RefundQuestion,
        lambda bank, request: bank.refunds.outcome(request.reference),
    ),
    "/acquirer/mandates/notices": (
        NoticeRequest,
        lambda bank, request: bank.mandates.notice(request),
    ),
    "/acquirer/mandates/debits": (DebitRequest, SimulatedBank.debit),
    "/acquirer/mandates/end": (NamedMandate, lambda bank, request: bank.mandates.end(request)),
    "/acquirer/mandates/inquire": (
        NamedMandate,
        lambda bank, request: bank.mandates.inquire(request),
    ),
    "/acquirer/payouts": (PayoutRequest, lambda bank, request: bank.payouts.pay_out(request)),
    "/acquirer/payouts/inquire": (
        PayoutQuestion,
        lambda bank, request: bank.payouts.outcome(request.reference),
    ),
    "/acquirer/accounts/check": (
        CheckRequest,
        lambda bank, request: bank.payouts.check(request.account),
    ),
    "/acquirer/disputes/list": (ListRequest, lambda bank, request: bank.disputes.page(request)),
    "/acquirer/disputes/inquire": (
        DisputeQuestion,
        lambda bank, request: bank.disputes.inquire(request),
    ),
    "/acquirer/disputes/answer": (
        AnswerRequest,
        lambda bank, request: bank.disputes.answer(request),
    ),
    "/acquirer/disputes/evidence": (EvidenceRequest, lambda _bank, _: EvidenceAnswer("done")),
}


def read(path: str, body: bytes) -> tuple[msgspec.Struct | None, Handler]:
    """Return the request in a call, and what answers it. A document of evidence is not kept."""
    if path.startswith(_CHALLENGE):
        return None, lambda bank, _: bank.authentication(path.removeprefix(_CHALLENGE))
    request_type, handler = _INTERFACES[path]
    return msgspec.json.decode(body, type=request_type), handler
