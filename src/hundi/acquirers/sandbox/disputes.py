"""The simulated network's disputes, and the connector's calls about them."""

import base64
from datetime import datetime
from typing import Annotated

import msgspec

from hundi.acquirers.calls.client import AcquirerClient, Timeouts
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DECIDED,
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
    Standing,
)
from hundi.acquirers.sandbox.lists import AMOUNT_PAISE_MAX, Currency, Number, decoded
from hundi.acquirers.simulator import OpensClient, signature_holds, simulator_client
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import DisputePhase

SIGNATURE = "simbank-signature"
DISPUTE_GAPS_S = (5, 10, 30, 60, 300, 900, 1_800)
PAGE_BYTES_MAX = 256 * 1024
EVIDENCE_WAITED_FOR_S = 20.0
"""Seconds; a document of some megabytes takes a while."""
_Case = Annotated[str, msgspec.Meta(pattern=r"^[A-Z0-9]{1,32}\Z")]
_Text = Annotated[str, msgspec.Meta(max_length=255)]
_STANDINGS = frozenset(Standing)


class _DisputeAnswer(msgspec.Struct, frozen=True):
    """One phase of a dispute; another kind of answer fills only the status."""

    status: Annotated[str, msgspec.Meta(max_length=16)]
    dispute: Annotated[str, msgspec.Meta(max_length=32)] = ""
    phase: str = ""
    reference: _Text = ""
    receipt: Number = ""
    amount_paise: int = 0
    currency: Currency = ""
    reason: _Text = ""
    respond_by: str = ""
    taken_paise: int = 0
    rrn: Number = ""
    code: Number = ""
    message: _Text = ""


class _Page(msgspec.Struct, frozen=True):
    disputes: list[_DisputeAnswer]


class _Callback(msgspec.Struct, frozen=True, tag_field="kind", tag="dispute"):
    event_id: str
    dispute: _Case
    phase: DisputePhase
    reference: str


_TOLD = msgspec.json.Decoder(_DisputeAnswer)
_PAGE = msgspec.json.Decoder(_Page)
_CALLBACK = msgspec.json.Decoder(_Callback)


def word_of(message: _DisputeAnswer) -> DisputeWord | None:
    """Return the bank's news of one phase, or None when it makes no sense."""
    try:
        phase = DisputePhase(message.phase)
        respond_by = datetime.fromisoformat(message.respond_by) if message.respond_by else None
    except ValueError:
        return None
    if message.status not in _STANDINGS or not message.dispute or not message.currency:
        return None
    standing = Standing(message.status)
    if (
        not 0 < message.amount_paise <= AMOUNT_PAISE_MAX
        or not 0 <= message.taken_paise <= message.amount_paise
    ):
        return None
    if (respond_by is not None and respond_by.tzinfo is None) or (
        message.taken_paise and standing not in DECIDED
    ):
        return None
    # A won or closed phase takes nothing, and a lost one does: inquiries go on about anything else.
    if standing in DECIDED and (standing is Standing.LOST) != (message.taken_paise > 0):
        return None
    return DisputeWord(
        name=PhaseName(message.dispute, phase),
        original=message.reference,
        standing=standing,
        amount=Money(message.amount_paise, message.currency),
        reason=message.reason,
        respond_by=respond_by,
        receipt=message.receipt,
        taken_paise=message.taken_paise,
        rrn=message.rrn,
    )


class SandboxDisputes:
    """The sandbox connector's calls about disputes."""

    dispute_gaps_s = DISPUTE_GAPS_S
    divides_disputes = True
    _key: bytes

    def _open_disputes(
        self,
        base_url: str,
        key: bytes,
        timeouts: Timeouts,
        connect: OpensClient = simulator_client,
    ) -> None:
        self._told: AcquirerClient[_DisputeAnswer] = connect(
            base_url, key, timeouts, lambda body: decoded(_TOLD, body)
        )
        self._pages: AcquirerClient[_Page] = connect(
            base_url, key, timeouts, lambda body: decoded(_PAGE, body), PAGE_BYTES_MAX
        )

    async def _close_disputes(self) -> None:
        await self._told.close()
        await self._pages.close()

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of the undecided phases and of those that changed since a time."""
        case, _, phase = after.partition(" ")
        request = {"since": since.isoformat(), "after": [case, phase]}
        message = await self._pages.ask(self._pages.question("/acquirer/disputes/list", request))
        if isinstance(message, Unknown):
            return message
        words = tuple(word for each in message.disputes if (word := word_of(each)) is not None)
        last = message.disputes[-1] if message.disputes else None
        goes_on = f"{last.dispute} {last.phase}" if last else ""
        return (
            Unknown(message="the list does not go on")
            if last and goes_on <= after
            else DisputePage(words, goes_on)
        )

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase."""
        message = await self._told.ask(
            self._told.question("/acquirer/disputes/inquire", _named(name))
        )
        if isinstance(message, _DisputeAnswer) and message.status == "not_found":
            return NothingThere()
        return self._about(name, message)

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Send one document."""
        request = {
            **_named(name),
            "evidence": evidence.reference,
            "media_type": evidence.media_type,
            "content": base64.b64encode(evidence.content).decode(),
        }
        call = replace(
            self._told.question("/acquirer/disputes/evidence", request),
            timeout_s=EVIDENCE_WAITED_FOR_S,
        )
        message = await self._told.ask(call)
        if isinstance(message, Unknown):
            return message
        if message.status == "declined" and message.code:
            return Declined(message.code, message.message)
        return Accepted() if message.status == "done" else Unknown(message.code, message.message)

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Send the merchant's answer."""
        request = {
            **_named(answer.name),
            "answer": answer.reference,
            "accepted_paise": answer.accepted.paise,
            "note": answer.note,
        }
        # A repeated answer changes nothing, so it may be sent again after silence.
        message = await self._told.ask(self._told.question("/acquirer/disputes/answer", request))
        if isinstance(message, _DisputeAnswer) and message.status == "declined" and message.code:
            return Declined(message.code, message.message)
        return self._about(answer.name, message)

    def read_dispute(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of an authenticated callback, or None.

        With our reference of the payment.
        """
        # Most callbacks are about payments: their form is seen sooner than their proof is checked.
        message = decoded(_CALLBACK, body)
        if (
            message is None
            or not signature_holds(self._key, headers.get(SIGNATURE, ""), body, now_s)
            or not is_sound(body)
        ):
            return None
        return PhaseName(message.dispute, message.phase), message.reference

    def _about(self, name: PhaseName, message: _DisputeAnswer | Unknown) -> DisputeWord | Unknown:
        if isinstance(message, Unknown):
            return message
        word = word_of(message)
        if word is None or word.name != name:
            return Unknown(message="the bank's word about a dispute cannot be used")
        return word


def _named(name: PhaseName) -> dict[str, str]:
    return {"dispute": name.case, "phase": name.phase}
