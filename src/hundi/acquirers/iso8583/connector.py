"""The connector of a bank's own switch by ISO 8583: cards without their holder, holds, refunds.

A call is stored before it is sent, and exactly one decision about it afterwards: the bank's answer,
or its reversal. Whichever process stores the first decision wins. See decision 0056 and
docs/iso8583.md.
"""

import asyncio
import time
from collections.abc import Callable, Mapping

import structlog
from cachetools import TTLCache

from hundi.acquirers.calls.test_instruments import decline_test_card
from hundi.acquirers.iso8583 import answers, rules
from hundi.acquirers.iso8583.dialects import LATE_CODE
from hundi.acquirers.iso8583.link import NotConnectedError, SwitchLink, SwitchSilenceError
from hundi.acquirers.iso8583.rules import Call, CallDecision, CallEnd, CallKind, Original
from hundi.acquirers.iso8583.sender import SwitchLine, SwitchSender
from hundi.acquirers.iso8583.wire import Message
from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

INQUIRY_GAPS_S = (35, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400)
"""The first gap is longer than a call with its reversal.

So the sending process decides first.
"""
PATIENCE_S = 30
"""The age in seconds from which an undecided call is reversed: its process was killed."""
REVERSAL_S_MAX = 8.0
"""Seconds to wait for the answer to a reversal.

No customer waits any more, and it is repeated later.
"""
SEND_S_MAX = 5
"""Seconds; a call that was not sent so soon after it was stored is not sent.

Another process may already treat it as lost.
"""
LATE_S = 3_600
LATE_MAX = 10_000
NEVER_SENT_CODE = "91"
"""The code of a call whose connection was lost before a byte of it was written."""
WITHDRAWN = "withdrawn"
"""Stored in place of a call that did not exist when somebody asked about it.

It must not be made any more.
"""

_log = structlog.get_logger(__name__)


class SwitchConnector(SwitchSender):
    """One bank's switch, one instance and one connection a process. now: Unix seconds."""

    inquiry_schedule = refund_schedule = InquirySchedule(INQUIRY_GAPS_S)

    def __init__(
        self,
        name: str,
        line: SwitchLine,
        memory: Memory,
        *,
        simulated: bool,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the line; the first call opens a connection."""
        self.name, self.simulated = name, simulated
        self._line, self._memory, self._now = line, memory, now
        self._link = SwitchLink(
            line.address, line.dialect, line.codec, self._network_message, self._heard_late
        )
        self._taking = asyncio.Lock()
        self._free: list[int] = []
        self._reversal_s = min(REVERSAL_S_MAX, line.address.answer_s)
        self._sent: TTLCache[int, str] = TTLCache(maxsize=LATE_MAX, ttl=LATE_S)

    async def close(self) -> None:
        """Sign off and close the connection."""
        await self._link.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not shortly after connecting failed."""
        return self._link.reachable()

    async def echo(self) -> Accepted | Unknown:
        """Sign on and send an echo."""
        try:
            answered = await self._link.echo()
        except (NotConnectedError, SwitchSilenceError) as error:
            return Unknown("echo", str(error), sent=isinstance(error, SwitchSilenceError))
        return Accepted() if answered else Unknown("echo", "the switch refused the echo")

    async def charge_moto(
        self, charge: Charge, card: CardNumber, *, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge or hold an amount; the card is in this one message and nowhere else."""
        if not self.simulated and (declined := decline_test_card(card.number)):
            return declined
        kind = CallKind.PURCHASE if capture else CallKind.HOLD
        answer = await self._charge(charge.reference, kind, charge.amount, card, None)
        return Unknown("unfinished") if isinstance(answer, NothingThere | Voided) else answer

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; the bank finds the card by the original message."""
        paid = _paid_by(await self._memory.known(order.original))
        if paid is None:
            return Declined("25", "Nothing was paid by this reference.")
        answer = await self._charge(order.reference, CallKind.REFUND, order.amount, None, paid)
        return Unknown("unfinished") if isinstance(answer, NothingThere | Voided) else answer

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a reference, after reversing an undecided call.

        ISO 8583 has no inquiry.
        """
        # From now on nobody begins a call with this reference, whose end nobody would learn.
        return await self._standing(
            reference, await self._memory.keep(reference, {"call": WITHDRAWN})
        )

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the outcome of a refund, after reversing it where no answer came."""
        words = await self._memory.known(reference)
        if "call" not in words:
            return NothingThere()
        answer = await self._standing(reference, words)
        return Unknown("unfinished") if isinstance(answer, Voided) else answer

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold or a part of it.

        The advice is repeated until the bank acknowledges it.
        """
        words = await self._memory.known(original)
        held = _held_by(words)
        if held is None:
            return Declined("not_held", "Nothing is held.")
        if amount.currency != held.call.currency or amount.paise > held.call.paise:
            return Declined("61", "More than is held.")
        answer = await self._end(original, held, CallKind.CAPTURE, amount)
        return (
            Declined("not_held", "The hold was given back.")
            if isinstance(answer, Voided)
            else answer
        )

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void a hold by a reversal, which is repeated until the bank acknowledges it."""
        held = _held_by(await self._memory.known(original))
        if held is None:
            return Declined("not_held", "Nothing is held.")
        answer = await self._end(original, held, CallKind.VOID, held.call.amount)
        return (
            Declined("not_held", "The hold was collected.")
            if isinstance(answer, Approved)
            else answer
        )

    async def _charge(
        self,
        reference: str,
        kind: CallKind,
        amount: Money,
        card: CardNumber | None,
        original: Original | None,
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Store a call, send it, and store its decision."""
        before = await self._memory.known(reference)
        if "call" in before:
            return await self._same(reference, before, kind, amount)
        if amount.currency != rules.RUPEE:
            return Declined("57", "This bank's switch is asked for rupees only.")
        try:
            await self._link.ready()
        except NotConnectedError as error:
            return Unknown("unreachable", str(error), sent=False)
        call = await self._new_call(kind, amount)
        words = await self._memory.keep(reference, {"call": rules.stored_text(call)})
        if words["call"] != rules.stored_text(call):
            return await self._same(reference, words, kind, amount)
        self._sent[call.trace] = reference
        return await self._sent_and_decided(
            reference, call, self._message(call, card=card, original=original)
        )

    async def _sent_and_decided(
        self, reference: str, call: Call, message: Message
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Send a newly stored call once, and store its decision."""
        dialect = self._line.dialect
        try:
            answer = None if self._now() > call.at + SEND_S_MAX else await self._link.ask(message)
        except NotConnectedError:
            answer = None
        except SwitchSilenceError:
            return await self._decided(reference, call, None, LATE_CODE)
        if answer is None:
            return await self._decided(
                reference, call, CallDecision(NEVER_SENT_CODE), NEVER_SENT_CODE
            )
        word = answers.word_said(answer, call, dialect)
        return await self._decided(
            reference, call, word, answers.code_when_reversed(answer, dialect)
        )

    async def _decided(
        self, reference: str, call: Call, word: CallDecision | None, code: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Store a call's decision, or that it is reversed.

        The first stored decision wins.
        """
        if word is None:
            undo = await self._new_call(CallKind.REVERSAL, call.amount, call.rrn)
            word = CallDecision(code, undo=undo)
        words = await self._memory.keep(reference, {"word": rules.stored_text(word)})
        first = words["word"] == rules.stored_text(word)
        standing = rules.word_of(words)
        if word.approved and standing is not None and standing.undo is not None:
            # Another process gave this call up before its approval arrived. The bank may have read
            # the reversal first.
            await self._undo(reference, call, standing.undo, again=True)
        return await self._standing(reference, words, first=first)

    async def _same(
        self, reference: str, words: Mapping[str, str], kind: CallKind, amount: Money
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Answer a call that was begun before, if it is the same one."""
        if words["call"] == WITHDRAWN:
            return Unknown("withdrawn", "somebody asked about it before it was sent", sent=False)
        call = rules.call_of(words)
        if call is None or (call.kind, call.amount) != (kind, amount):
            return Unknown("other_call", "this reference is of another call")
        return await self._standing(reference, words)

    async def _standing(
        self, reference: str, words: Mapping[str, str], *, first: bool = False
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return what is known, and continue what is not finished.

        first: it was decided just now.
        """
        if words["call"] == WITHDRAWN:
            return NothingThere()
        call, word, undone = rules.call_of(words), rules.word_of(words), rules.ended_of(words)
        assert call is not None
        if word is None:
            if self._now() < call.at + PATIENCE_S:
                return Unknown("in_flight", "the answer is still waited for")
            return await self._decided(reference, call, None, LATE_CODE)
        if word.undo is not None and undone is None:
            undone = await self._undo(reference, call, word.undo, again=not first)
        answer = answers.answer(call, word, undone=undone)
        ending = rules.ending_of(words)
        if ending is None or not isinstance(answer, Approved):
            return answer
        name, ending_call, ended = ending
        if ended is None:
            ended = await self._forward(
                reference, Original(call, word.approval), name, ending_call, again=True
            )
        if ended is None:
            return Unknown("ending", f"the {ending_call.kind} is not acknowledged yet")
        return answers.ending_answer(ending_call, ended) if ended.done else answer

    async def _undo(self, reference: str, call: Call, undo: Call, *, again: bool) -> CallEnd | None:
        """Send a reversal, and store its end; None: it has none yet."""
        answer = await self._asked(
            self._message(undo, original=Original(call), again=again), self._reversal_s
        )
        age_s = self._now() - call.at
        ended = answer and answers.reversal_said(
            answer, undo, self._line.dialect, age_s, self._line.forget_after_s
        )
        if not ended:
            return None
        _log.info("iso8583_reversed", reference=reference, trace=call.trace, code=ended.code)
        return rules.ended_of(
            await self._memory.keep(reference, {"undone": rules.stored_text(ended)})
        )

    async def _end(
        self, reference: str, held: Original, kind: CallKind, amount: Money
    ) -> Approved | Declined | Unknown | Voided:
        """Store a capture or void and send it, unless another one stands: a hold ends once."""
        words = await self._memory.known(reference)
        names = rules.free_ending(words)
        again = names is None
        if names is not None:
            ending_call = await self._new_call(kind, amount, held.call.rrn)
            words = await self._memory.keep(reference, {names[0]: rules.stored_text(ending_call)})
            again = words[names[0]] != rules.stored_text(ending_call)
        standing = rules.ending_of(words)
        assert standing is not None
        name, ending_call, ended = standing
        if ended is None:
            ended = await self._forward(reference, held, name, ending_call, again=again)
        same = (ending_call.kind, ending_call.amount) == (kind, amount)
        if ended is None:
            return Unknown("ending", "" if same else f"another {ending_call.kind} is under way")
        if same or not ended.done or ending_call.kind is not kind:
            return answers.ending_answer(ending_call, ended)
        return Declined("not_held", "The hold was collected with another amount.")

    async def _forward(
        self, reference: str, held: Original, name: str, ending_call: Call, *, again: bool
    ) -> CallEnd | None:
        """Send a capture or void, and store its end; None: it has none yet."""
        answer = await self._asked(self._message(ending_call, original=held, again=again))
        ended = answer and answers.ending_said(answer, ending_call, self._line.dialect)
        return (
            rules.ended_of(
                await self._memory.keep(reference, {name: rules.stored_text(ended)}), name
            )
            if ended
            else None
        )

    async def _heard_late(self, answer: Message) -> None:
        """Reverse again what was approved after its reversal.

        The bank may have read the two in the other order.
        """
        reference = self._sent.get(int(answer.get(11) or 0))
        if reference is None or answer.get(39) not in self._line.dialect.approved:
            return
        words = await self._memory.known(reference)
        call, word = rules.call_of(words), rules.word_of(words)
        if call is None or word is None or word.undo is None:
            return
        if answer.mti == rules.answer_type(rules.type_of(self._line.dialect, call.kind)):
            await self._undo(reference, call, word.undo, again=True)


def _held_by(words: Mapping[str, str]) -> Original | None:
    """Return the hold of a reference for captures and voids, None where nothing was held."""
    call = None if words.get("call") == WITHDRAWN else rules.call_of(words)
    word = rules.word_of(words)
    if call is None or call.kind is not CallKind.HOLD or word is None or not word.approved:
        return None
    return Original(call, word.approval)


def _paid_by(words: Mapping[str, str]) -> Original | None:
    """Return the message that took the money of a reference, None where none did.

    Refunds name this message.
    """
    call = None if words.get("call") == WITHDRAWN else rules.call_of(words)
    word = rules.word_of(words)
    if call is None or word is None or not word.approved:
        return None
    if call.kind is CallKind.PURCHASE:
        return Original(call, word.approval)
    ending = rules.ending_of(words)
    if (
        ending is None
        or ending[2] is None
        or not ending[2].done
        or ending[1].kind is not CallKind.CAPTURE
    ):
        return None
    return Original(ending[1], word.approval)
