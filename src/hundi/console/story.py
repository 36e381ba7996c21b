"""A payment's story on its page: facts, a timeline, its fees and its postings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.console.names import method_name
from hundi.console.refund_askers import RefundAsker, asked_by
from hundi.console.risk_words import because_words
from hundi.console.trail_words import act_words
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import for_people, to_the_second
from hundi.kernel.ids import reference
from hundi.kernel.masks import masked_email, masked_name
from hundi.kernel.money import Money, rupees, shown
from hundi.kernel.states import EventKind
from hundi.money.fees.rules import explained
from hundi.payments.orders.rules import Attempt
from hundi.payments.routing.rules import NOT_ROUTED
from hundi.payments.story.rules import Story, StoryNotification
from hundi.staff.people.rules import Permission
from hundi.staff.trail.rules import Entry

_TECHNICAL = frozenset(
    {
        *("Reference", "Method", "Acquirer", "Posted", "Webhook id", "Address", "After"),
        *("Refund", "Request", "Plan", "Rule", "Instead of", "Passed", "Case"),
    }
)
"""Names of lines that are folded away."""
_ACRONYMS = {each.lower(): each for each in ("UPI", "QR", "RRN", "UTR", "EMI", "RTGS")}
_UNSAID = frozenset({"buyer", "card", "payer_vpa", "saved_card"})
"""Parts of a notification that the page leaves out: personal data is shown masked, once."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of the timeline. lines: pairs of a name and a value. body: longer text, folded.

    path, needs: the page with more, below the place, and its permission; "" for none.
    """

    at: datetime
    icon: str
    title: str
    by: str
    lines: tuple[tuple[str, str], ...] = ()
    body: str = ""
    path: str = ""
    needs: Permission | None = None

    @property
    def told(self) -> list[tuple[str, str]]:
        """Return the lines that everybody reads."""
        return [line for line in self.lines if line[0] not in _TECHNICAL]

    @property
    def technical(self) -> list[tuple[str, str]]:
        """Return the lines for who looks deeper."""
        return [line for line in self.lines if line[0] in _TECHNICAL]


def facts_of(story: Story, *, revealed: bool = False) -> list[tuple[str, str]]:
    """Return the facts at the top: names and values, without empty ones.

    revealed: whether the person gave a reason to see the customer's data, which is masked
    otherwise.
    """
    payment = story.view.payment
    paid = story.view.success or story.view.latest
    currency = payment.amount.currency
    name = f"{payment.buyer.firstname} {payment.buyer.lastname}".strip()
    facts = [
        ("Amount", shown(payment.amount)),
        (
            "Captured",
            shown(Money(payment.captured_paise, currency)) if payment.captured_paise else "",
        ),
        (
            "Refunded",
            shown(Money(payment.refunded_paise, currency)) if payment.refunded_paise else "",
        ),
        ("Method", CHANNELS[payment.method].name if payment.method in CHANNELS else payment.method),
        ("Paid with", _instrument(paid, revealed=revealed) if paid else ""),
        ("Bank said", f"{payment.bank_code} {payment.bank_message}".strip()),
        ("Started", to_the_second(payment.created_at)),
        ("Customer", name if revealed else masked_name(name)),
    ]
    return [(name, value) for name, value in facts if value]


def _instrument(attempt: Attempt, *, revealed: bool) -> str:
    card = attempt.card
    if card.last4:
        return f"{card.scheme} card ending {card.last4}".strip()
    payer = attempt.payer_vpa if revealed else masked_email(attempt.payer_vpa)
    return payer or attempt.bank_name or attempt.bank


def timeline_of(
    story: Story,
    acts: Sequence[Entry],
    askers: Mapping[str, RefundAsker],
    *,
    revealed: bool = False,
    of_operator: bool = False,
) -> list[Moment]:
    """Return all events, oldest first.

    askers: who asked for each refund here.

    revealed: as for `facts_of`. of_operator: whether the operator's own rules and reviews are
    included.
    """
    routed = _routing(story) if of_operator else {}
    moments = [
        *_events(story, routed, revealed=revealed),
        *(moment for one in story.notifications for moment in notification(one)),
        *_refunds(story, askers),
        *(_risk(story) if of_operator else ()),
        *_people(acts),
    ]
    return sorted(moments, key=lambda each: each.at)


def _words(name: str) -> str:
    spoken = name.replace("_", " ").capitalize()
    return " ".join(_ACRONYMS.get(each.lower(), each) for each in spoken.split(" "))


def _pairs(**values: object) -> tuple[tuple[str, str], ...]:
    return tuple(
        (_words(name), str(value)) for name, value in values.items() if value not in (None, "")
    )


def _events(story: Story, routed: dict[int, Moment], *, revealed: bool) -> Iterator[Moment]:
    """Return the events of a payment, with the reason of each attempt's route."""
    posted = {(each.cause_id, each.at): each for each in story.postings}
    # The bank's answer is stored with the attempt, so it is shown at the attempt's last event.
    last = {event.attempt_id: event.event_no for event in story.events}
    # A posting is shown at the last event of its time.
    last_at = {(event.attempt_id, event.at): event.event_no for event in story.events}
    for event in story.events:
        if event.kind is not EventKind.CREATED and event.attempt_id in routed:
            yield routed.pop(event.attempt_id)
        attempt = story.view.attempt(event.attempt_id) if event.attempt_id else None
        lines = _pairs(state=_words(event.state))
        if attempt is not None:
            lines += _pairs(
                reference=attempt.reference,
                method=method_name(attempt.method),
                acquirer=attempt.connector,
            )
            if last[event.attempt_id] == event.event_no:
                lines += _pairs(
                    paid_with=_instrument(attempt, revealed=revealed),
                    rrn=attempt.rrn,
                    bank_said=f"{attempt.bank_code} {attempt.bank_message}".strip(),
                )
            entry = posted.get((attempt.attempt_id, event.at))
            if entry is not None and last_at[event.attempt_id, event.at] == event.event_no:
                lines += _pairs(
                    posted=f"{shown(entry.amount)}, debit {entry.debit}, credit {entry.credit}"
                )
        yield Moment(event.at, "payments", _words(event.kind), event.actor, lines)
        if event.attempt_id in routed:
            yield routed.pop(event.attempt_id)
    yield from routed.values()


def notification(news: StoryNotification) -> Iterator[Moment]:
    """Return a notification with its content, and then each of its tries, oldest first."""
    content = {
        name: value
        for name, value in news.facts.items()
        if name not in _UNSAID and value not in ("", 0, None)
    }
    body = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1).decode()
    lines = _pairs(webhook_id=news.key.webhook_id, state=_words(news.state))
    path, needs = f"deliveries/{news.key.payment_id}/{news.key.event_no}", Permission.DEVELOPERS_SEE
    title = f"Notification: {_words(news.kind).lower()}"
    yield Moment(news.created_at, "deliveries", title, "gateway", lines, body, path, needs)
    for each in news.tries:
        outcome = each.outcome
        answered = f"{outcome.status}" if outcome.status else "no answer"
        yield Moment(
            each.at,
            "deliveries",
            f"Sent, try {each.attempt_no}: {outcome.problem or answered}",
            "gateway",
            _pairs(address=outcome.url, answered=answered, after=f"{outcome.latency_ms} ms"),
            outcome.answer,
        )


def _refunds(story: Story, askers: Mapping[str, RefundAsker]) -> Iterator[Moment]:
    for each in story.refunds:
        asker = asked_by(each.cause, each.refund_id, each.request_id, askers)
        lines = _pairs(
            refund=each.refund_id,
            reason=asker.reason,
            request=each.request_id,
            state=_words(each.state),
            rrn=each.rrn,
            bank_said=f"{each.bank_code} {each.bank_message}".strip(),
            ended=for_people(each.settled_at) if each.settled_at else "",
            came_back=for_people(each.reversed_at) if each.reversed_at else "",
            because=f"{each.reversed_code} {each.reversed_message}".strip(),
        )
        path, needs = f"refunds/{each.refund_id}", Permission.PAYMENTS_SEE
        title = f"Refund of {shown(each.amount)}"
        by = f"asked for by {asker.person}"
        yield Moment(each.created_at, "refunds", title, by, lines, path=path, needs=needs)
    for stage in story.disputes:
        lines = _pairs(
            case=stage.bank_case,
            reason=stage.reason,
            state=_words(stage.state),
            answer_by=for_people(stage.respond_by),
        )
        path, needs = f"disputes/{stage.dispute_id}", Permission.MONEY_SEE
        title = f"Dispute of {shown(stage.amount)}: {_words(stage.phase)}"
        yield Moment(stage.opened_at, "disputes", title, "bank", lines, path=path, needs=needs)
    for each in story.completions:
        lines = _pairs(
            state=_words(each.state), bank_said=f"{each.bank_code} {each.bank_message}".strip()
        )
        yield Moment(
            each.created_at,
            "done",
            f"{_words(each.kind)} of {shown(each.amount)}",
            each.actor,
            lines,
        )


def _routing(story: Story) -> dict[int, Moment]:
    """Return by attempt why routing chose its acquirer."""
    moments: dict[int, Moment] = {}
    for attempt in story.view.attempts:
        route = attempt.route
        if route != NOT_ROUTED:
            lines = _pairs(
                plan=route.plan or "",
                rule=route.rule or "the configured order",
                because=route.because,
                instead_of=reference(attempt.merchant_id, route.instead_of)
                if route.instead_of
                else "",
                passed="; ".join(f"{each.acquirer}: {each.why}" for each in route.passed),
            )
            title = f"Routed to {attempt.connector}"
            moments[attempt.attempt_id] = Moment(
                attempt.created_at, "info", title, "routing", lines
            )
    return moments


def _risk(story: Story) -> Iterator[Moment]:
    for attempt in story.view.attempts:
        verdict = attempt.risk.verdict
        if verdict.rule:
            lines = _pairs(rule=verdict.rule, because=because_words(verdict.because))
            yield Moment(
                attempt.created_at,
                "info",
                f"Risk: {_words(verdict.action).lower()}",
                "risk rules",
                lines,
            )
    for blocked in story.blocked:
        verdict = blocked.checked.verdict
        because = because_words(verdict.because)
        lines = _pairs(rule=verdict.rule, because=because, method=method_name(blocked.method))
        yield Moment(
            blocked.at, "refused", f"Risk: {_words(verdict.action).lower()}", "risk rules", lines
        )
    for decision in story.decisions:
        yield Moment(
            decision.at,
            "approvals",
            f"Review: {decision.decision}",
            decision.decided_by,
            _pairs(reason=decision.reason),
        )


def _people(acts: Sequence[Entry]) -> Iterator[Moment]:
    for entry in acts:
        detail: dict[str, Any] = msgspec.json.decode(entry.detail)
        title = "Note" if entry.act == "payment.note" else act_words(entry.act)
        yield Moment(entry.at, "people", title, entry.person, _pairs(**detail))


def charges_of(story: Story) -> list[dict[str, Any]]:
    """Return the fees of each sale, in rupees."""
    whose = story.view.payment.merchant_id
    return [
        {
            "gross": rupees(each.gross_paise),
            "fee": rupees(each.fee.fee_paise),
            "tax": rupees(each.fee.tax_paise),
            "net": rupees(each.net_paise),
            "because": explained(each.plan, each.facts),
            "settles_on": f"{each.settles_on:%d %b %Y}".lstrip("0") if each.settles_on else "",
            "settlement": f"{whose}-{each.settlement_id}" if each.settlement_id else "",
            "settlement_path": f"settlements/{each.settlement_id}" if each.settlement_id else "",
            "utr": ", ".join(
                out.utr
                for out in story.paid_out
                if out.settlement_id == each.settlement_id and out.utr
            ),
        }
        for each in story.charges
    ]


def postings_of(story: Story) -> list[dict[str, Any]]:
    """Return the postings, oldest first."""
    return [
        {
            "at": each.at,
            "why": _words(each.kind),
            "debit": each.debit,
            "credit": each.credit,
            "amount": shown(each.amount),
        }
        for each in story.postings
    ]
