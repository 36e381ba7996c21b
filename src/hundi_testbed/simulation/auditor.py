"""The independent auditor: checks the end of a run by the requests and the bank's books alone.

It reads no table of the gateway. It compares what customers paid and got back at the bank, what
merchants requested and were told, and what the gateway answers.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hundi.sdk import Subscription
from hundi.sdk.callback import Event, Notification
from hundi.sdk.transaction import Transaction
from hundi_testbed.bank.refunds.rules import BankRefund
from hundi_testbed.bank.rules import Status
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_books import Charged
from hundi_testbed.simulation.books import OrderBook, OrderKind

_SUCCESS = frozenset({Event.PAID, Event.LATE_SUCCESS, Event.MANDATE_APPROVED})
_OVER = frozenset({Event.FAILED, Event.EXPIRED, Event.UNKNOWN, Event.MANDATE_FAILED})
_OF_OTHERS = ("debit_", "dispute_")
"""The beginning of events about other amounts than the order's."""
_OK_BELOW, _OURS = 300, 500
"""HTTP statuses: positive below the first, the gateway's own failures from the second on."""
_MOVED = frozenset({Status.PAID, Status.AUTHORISED, Status.VOIDED})


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One fault. about: the order, "" for none."""

    words: str
    about: str = ""


@dataclass(slots=True)
class OrderEvidence:
    """Everything known of one order at the end.

    said: the last answer of verify. told: its notifications, in the order in which they first
    arrived.
    """

    order: OrderBook
    late_refunds: bool
    charges: Sequence[Charged]
    refunds: Sequence[tuple[str, BankRefund]]
    said: Transaction
    told: Sequence[Notification]

    @property
    def moved(self) -> list[Charged]:
        """Return the charges that the bank debited or held."""
        return [each for each in self.charges if each.payment.status in _MOVED]

    @property
    def taken_paise(self) -> int:
        """Return the amount debited from customers."""
        return sum(each.taken_paise for each in self.charges)

    @property
    def back_paise(self) -> int:
        """Return the amount returned to customers."""
        return sum(each.amount_paise for _, each in self.refunds if each.status == "done")

    def events(self) -> Counter[str]:
        """Return the number of notifications of each event, without redeliveries."""
        return Counter(each.event for each in self.told)


def evidence(
    bank: SimulatedBank,
    order: OrderBook,
    record: Transaction,
    notifications: Sequence[Notification],
    *,
    late_refunds: bool,
) -> OrderEvidence:
    """Collect what is known of an order."""
    charges = [
        each
        for each in bank.charges.values()
        if each.order == order.key and not _is_debit(bank, each)
    ]
    references = {each.reference for each in charges}
    refunds = [
        (name, each) for name, each in bank.refunds.made.items() if each.original in references
    ]
    ours = [each for each in notifications if each.transaction.order_id == order.order_id]
    return OrderEvidence(order, late_refunds, charges, refunds, record, ours)


def _is_debit(bank: SimulatedBank, charge: Charged) -> bool:
    return charge.reference in {
        each for mandate in bank.mandates.known.values() for each in mandate.tried
    }


def judge(case: OrderEvidence) -> Iterator[AuditFinding]:
    """Yield all faults of one order."""
    demands = _of_hold(case) if case.order.asked is OrderKind.HOLD else _of_sale(case)
    for words in (*demands, *_of_refunds(case), *_of_news(case), *_of_words(case)):
        yield AuditFinding(words, case.order.key)


def _of_sale(case: OrderEvidence) -> Iterator[str]:
    """Yield the faults in the money of an order that is paid at once."""
    order, record, paid = case.order, case.said, len(case.moved)
    if not paid:
        if not record.is_failed:
            yield f"nobody paid, and verify says {record.status_code} {record.payment_status}"
        if case.back_paise:
            yield f"nobody paid, and the bank gave back {case.back_paise}"
        return
    if not _counts_as_paid(record):
        yield (
            f"the customer paid {paid} times, and verify says {record.status_code}"
            f" {record.payment_status}"
        )
    if record.captured_paise != order.amount_paise:
        yield (
            f"the order is of {order.amount_paise} paise, and verify says that"
            f" {record.captured_paise} were captured"
        )
    late = goes_back(case)
    kept_paise = 0 if late else order.amount_paise - _asked_back(case)
    if case.taken_paise - case.back_paise != kept_paise:
        yield (
            f"of {case.taken_paise} paise paid, {case.back_paise} went back; {kept_paise} are to be"
            " kept"
        )
    refunded = order.amount_paise if late else _asked_back(case)
    if record.refunded_paise != refunded:
        yield f"verify says that {record.refunded_paise} paise were refunded, and {refunded} were"


def goes_back(case: OrderEvidence) -> bool:
    """Return whether an order was paid late at a merchant that keeps no late payments."""
    return case.late_refunds and _was_late(case.events())


def _was_late(events: Mapping[str, int]) -> bool:
    """Return whether a success came after the end.

    It was told so, or an earlier told refund took its place.
    """
    ended, succeeded = (any(events[each] for each in kinds) for kinds in (_OVER, _SUCCESS))
    return bool(events[Event.LATE_SUCCESS]) or (ended and not succeeded)


def _counts_as_paid(record: Transaction) -> bool:
    """Return whether verify reports an order as paid, or as refunded since."""
    return record.is_paid or record.detailed_status == "REFUNDED"


def _of_hold(case: OrderEvidence) -> Iterator[str]:
    """Yield the faults in the money of an order that is held first."""
    order, record = case.order, case.said
    captured = [each for each in case.moved if each.captured_paise]
    if any(each.payment.status is Status.AUTHORISED for each in case.moved):
        yield "an amount is still held on a card"
    if len(captured) > 1:
        yield "two holds of one order were captured"
    if captured and record.captured_paise != captured[0].captured_paise:
        yield (
            f"the bank captured {captured[0].captured_paise} paise, and verify says"
            f" {record.captured_paise}"
        )
    if not captured and (_counts_as_paid(record) or record.captured_paise):
        yield (
            f"nothing was captured, and verify says {record.payment_status} {record.captured_paise}"
        )
    if order.captured_paise is not None and (
        not captured or captured[0].captured_paise != order.captured_paise
    ):
        yield (
            f"the capture of {order.captured_paise} paise was acknowledged, and the bank has"
            f" {len(captured)}"
        )
    if order.voided and captured:
        yield "a void was acknowledged, and the bank captured"
    if not case.moved and not record.is_failed:
        yield f"nothing was held, and verify says {record.status_code} {record.payment_status}"
    if case.taken_paise - case.back_paise != (
        captured[0].captured_paise if captured else 0
    ) - _asked_back(case):
        yield (
            f"of {case.taken_paise} paise captured, {case.back_paise} went back; asked for:"
            f" {_asked_back(case)}"
        )


def _asked_back(case: OrderEvidence) -> int:
    """Return the refunds of the bank that the merchant requested, by the merchant's ids."""
    request_refunds = named_refunds(case)
    refunds_done = (
        (name.partition("-R")[2], each) for name, each in case.refunds if each.status == "done"
    )
    return sum(each.amount_paise for name, each in refunds_done if name in request_refunds)


def named_refunds(case: OrderEvidence) -> dict[str, int | None]:
    """Return the requested refunds by id: acknowledged, or told under the request's id."""
    request_ids = {each.request_id for each in case.order.refunds}
    by_id = {each.refund_id: each.accepted_paise for each in case.order.refunds if each.refund_id}
    notified = {
        each.transaction.refund_id
        for each in case.told
        if each.transaction.refund_request_id in request_ids
    }
    return dict.fromkeys(notified - {""}, None) | by_id


def _of_refunds(case: OrderEvidence) -> Iterator[str]:
    """Yield the faults of acknowledged refunds."""
    at_bank = {name.partition("-R")[2]: each for name, each in case.refunds}
    events = [(each.event, each.transaction.refund_id) for each in case.told]
    for book in case.order.refunds:
        if not book.refund_id:
            continue
        at_hand = at_bank.get(book.refund_id)
        if at_hand is None or at_hand.status != "done":
            if (Event.REFUND_FAILED, book.refund_id) not in events:
                yield f"refund {book.refund_id} was acknowledged, and the bank never made it"
        elif at_hand.amount_paise != book.accepted_paise:
            yield (
                f"refund {book.refund_id} of {book.accepted_paise} paise: the bank gave back"
                f" {at_hand.amount_paise}"
            )
        elif (Event.REFUND_DONE, book.refund_id) not in events:
            yield f"refund {book.refund_id} is done, and the merchant was never told"
    requests = Counter(
        each.transaction.refund_request_id for each in case.told if each.event == Event.REFUND_DONE
    )
    yield from (
        f"request {name} was refunded {count} times"
        for name, count in requests.items()
        if name and count > 1
    )


def _of_news(case: OrderEvidence) -> Iterator[str]:
    """Yield missing, repeated and wrongly ordered notifications."""
    events, paid = case.events(), len(case.moved)
    successes = sum(events[each] for each in _SUCCESS)
    if case.order.asked is OrderKind.HOLD:
        captured = sum(bool(each.captured_paise) for each in case.moved)
        if events[Event.CAPTURED] != captured and not (
            case.back_paise and not events[Event.CAPTURED]
        ):
            yield f"{captured} captures, told {events[Event.CAPTURED]} times"
        return
    whole_back = case.back_paise >= case.taken_paise
    if successes > 1 or (paid and not successes and not whole_back):
        yield (
            f"the order was paid {paid} times, and success was told {successes} times:"
            f" {dict(events)}"
        )
    if not paid and successes:
        yield "nobody paid, and the merchant was told of a success"
    for event in (Event.EXCESS_PAYMENT, Event.EXCESS_REFUNDED):
        if events[event] != max(0, paid - 1):
            yield f"the customer paid {paid} times, and {event} was told {events[event]} times"
    if not paid and not any(events[each] for each in _OVER):
        yield f"nobody paid, and the merchant was never told of an end: {dict(events)}"
    seen = [each.event for each in case.told]
    first = next((place for place, each in enumerate(seen) if each in _SUCCESS), len(seen))
    if any(each in _OVER for each in seen[first:]):
        yield f"a success was told before an end without one: {seen}"


def _of_words(case: OrderEvidence) -> Iterator[str]:
    """Yield withdrawn answers: a payment that verify once called paid stays paid."""
    paid = False
    for each in (*case.order.said, case.said):
        if paid and not _counts_as_paid(each):
            yield (
                f"verify said that the order is paid, and then {each.status_code}"
                f" {each.payment_status}"
            )
            return
        paid = paid or _counts_as_paid(each)
    for each in case.told:
        own = each.transaction
        if (
            not (own.is_refund or own.is_excess or each.event.startswith(_OF_OTHERS))
            and own.amount_paise != case.order.amount_paise
        ):
            yield f"{each.event} was told with {own.amount_paise} paise"


def judge_debits(
    bank: SimulatedBank,
    order: OrderBook,
    subscription: Subscription | None,
    notifications: Sequence[Notification],
) -> Iterator[AuditFinding]:
    """Yield the faults in the debits of a subscription.

    Each period is debited at most once, and told.
    """
    counts: Counter[int] = Counter()
    for name, mandate in bank.mandates.known.items():
        origin = bank.charges.get(name)
        if origin is not None and origin.order == order.key:
            tried = mandate.tried.items()
            counts.update(
                period for reference, period in tried if _is_kept(bank, bank.charges[reference])
            )
    for period, times in counts.items():
        if times > 1:
            yield AuditFinding(f"period {period} was debited {times} times", order.key)
    debits_done = (
        [each for each in subscription.debits if each.state == "done"] if subscription else []
    )
    if set(counts) != {each.period for each in debits_done}:
        paid = sorted(each.period for each in debits_done)
        yield AuditFinding(
            f"the bank debited periods {sorted(counts)}, and the gateway says {paid}", order.key
        )
    news = {
        each.transaction.transaction_id
        for each in notifications
        if each.event in {Event.PAID, Event.LATE_SUCCESS}
    }
    untold = [
        each.order_transaction_id for each in debits_done if each.order_transaction_id not in news
    ]
    if untold:
        yield AuditFinding(f"debits that the merchant was never told of: {untold}", order.key)


def _is_kept(bank: SimulatedBank, charge: Charged) -> bool:
    """Return whether a debit was made and not refunded."""
    back = bank.refunds.back_paise(charge.reference)
    return back < charge.taken_paise


def judge_callbacks(
    bank: SimulatedBank, answered: Mapping[str, Sequence[int]]
) -> Iterator[AuditFinding]:
    """Yield wrong answers to the bank's callbacks.

    answered: HTTP statuses by reference. A gateway in trouble may say so (5xx), and takes the
    callback in the end, unless faults keep the last tries from it; it never refuses one. A callback
    that a fault dropped has no status here, and 0 after an answer. The gateway may refuse news of
    disputes (409): it asks by itself.
    """
    for reference, statuses in answered.items():
        refused = any(_OK_BELOW <= each < _OURS for each in statuses)
        if refused or (statuses[-1] and not any(0 < each < _OK_BELOW for each in statuses)):
            charge = bank.charges.get(reference)
            words = f"the bank's callbacks about {reference} were answered {list(statuses)}"
            yield AuditFinding(words, charge.order if charge else "")
