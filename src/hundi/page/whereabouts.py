"""The values of the page "Where is my money?": its forms, and what became of a payment; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hundi.instruments.methods import METHODS
from hundi.kernel.clock import business_day
from hundi.kernel.money import shown
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import RefundCause
from hundi.merchants.directory.rules import Merchant
from hundi.page import endings, rules
from hundi.page.brand import logo_of
from hundi.page.facts import PageContext
from hundi.page.methods import REFUSED
from hundi.page.outcomes import refused_lines
from hundi.page.payer_screens import ComplaintBox, FormField, FormScreen, MoneyScreen
from hundi.page.screens import Screen, Tone
from hundi.page.texts import Say
from hundi.payments.orders.rules import PaymentView
from hundi.payments.payers.rules import CODE_DIGITS, CONTACT_LENGTH_MAX
from hundi.payments.refunds.rules import CAME_TO_NOTHING, Refund
from hundi.payments.search.rules import TEXT_MAX

REFUND_SHOWN_WITHIN = 7
"""Working days after which a bank has shown a refund, as a rule (docs/refund.md)."""
_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class MoneyFacts:
    """What the page of a payment is made of. refunds: oldest first. until: when it closes.

    receipt, leave: addresses of the receipt and of the button that closes the page. complaint: what
    the payer wrote about it, and can write.
    """

    view: PaymentView
    merchant: Merchant
    refunds: Sequence[Refund]
    until: datetime
    receipt: str
    leave: str
    complaint: ComplaintBox


def ask_screen(path: str, say: Say, typed: tuple[str, str], wrong: tuple[bool, bool]) -> FormScreen:
    """Return the form that asks. typed, wrong: of the reference and of the contact."""
    return FormScreen(
        path=path,
        title=say("where_title"),
        lines=(say("where_what"),),
        fields=(
            FormField(
                "reference",
                say("where_reference"),
                typed[0],
                hint=say("where_reference_hint"),
                error=say("where_reference_wrong") if wrong[0] else "",
                length_max=TEXT_MAX,
            ),
            FormField(
                "contact",
                say("where_contact"),
                typed[1],
                error=say("where_contact_wrong") if wrong[1] else "",
                length_max=CONTACT_LENGTH_MAX,
            ),
        ),
        button=say("where_send"),
    )


def code_screen(path: str, again: str, say: Say, *, wrong: bool) -> FormScreen:
    """Return the form for the code: the same whatever was asked. again: the way back to asking."""
    return FormScreen(
        path=path,
        title=say("where_code_title"),
        lines=(say("where_code_what"), say("where_code_none")),
        fields=(
            FormField(
                "code",
                say("where_code"),
                error=say("where_code_wrong") if wrong else "",
                inputmode="numeric",
                autocomplete="one-time-code",
                length_max=2 * CODE_DIGITS,
            ),
        ),
        button=say("where_open"),
        other=again,
        other_words=say("where_again"),
    )


def money_screen(facts: MoneyFacts, page: PageContext) -> MoneyScreen:
    """Return what became of a payment, where its money is, and by when something happens."""
    view, merchant, say = facts.view, facts.merchant, page.say
    since = _since(view)
    # Days count from the payment: the page must not name a later day each time it is opened.
    counted = replace(page, now=since)
    match rules.screen_of(view, page.now):
        case Screen.RESULT:
            ending = endings.result(view, merchant, counted)
            what = ending.tone, ending.title, ending.sentence, ending.lines
        case Screen.WAITING:
            waiting = rules.waiting(view, merchant, counted)
            what = Tone.WAITING, waiting.title, waiting.what, (waiting.since, waiting.long)
        case _:
            what = _unpaid(view, counted)
    tone, title, sentence, lines = what
    names_day = tone is not Tone.PAID and _names_day(view)
    if names_day and rules.returns_by(since) < business_day(page.now):
        lines = (*lines, say("where_day_passed", merchant=merchant.name))
    return MoneyScreen(
        path=page.path,
        tone=tone,
        title=title,
        sentence=sentence,
        lines=lines,
        refunds=tuple(_refund_line(each, merchant, say) for each in facts.refunds),
        references=endings.references(view, say),
        merchant=merchant.name,
        monogram=merchant.name.strip()[:1].upper(),
        logo=logo_of(merchant),
        amount=shown(rules.charged(view)),
        receipt=facts.receipt if endings.has_receipt(view) else "",
        support=say("help", support=merchant.settings.support) if merchant.settings.support else "",
        leave=facts.leave,
        complaint=facts.complaint,
        until=say("where_open_until", until=facts.until),
        accent=merchant.settings.accent.lstrip("#").lower(),
        simulated=page.simulated,
    )


def _since(view: PaymentView) -> datetime:
    latest = view.success or view.latest
    return (latest.settled_at or latest.created_at) if latest else view.payment.created_at


def _names_day(view: PaymentView) -> bool:
    """Return whether money may have moved without us, so that a bank returns it by a day."""
    return any(METHODS[each.method].flow in rules.MOVES_WITHOUT_US for each in view.attempts)


def _unpaid(view: PaymentView, page: PageContext) -> tuple[Tone, str, str, tuple[str, ...]]:
    """Return what became of a payment that was not paid: tone, title, sentence, lines."""
    say, latest = page.say, view.latest
    if latest is not None and latest.state is A.OVERPAID:
        sentence = say("goes_back", amount=shown(latest.received))
        return Tone.REFUSED, say("not_accepted"), sentence, ()
    lines: tuple[str, ...] = ()
    if latest is not None and latest.state in REFUSED:
        lines = (refused_lines(latest, say)[0],)
    if _names_day(view):
        lines = (*lines, say("debited_returns", date=rules.returns_by(page.now)))
    return Tone.REFUSED, say("where_unpaid_title"), say("no_money"), lines


def _refund_line(refund: Refund, merchant: Merchant, say: Say) -> str:
    """Return the sentence about one refund: how far it is, by when, and its reference."""
    amount = shown(refund.amount)
    if refund.state in CAME_TO_NOTHING and refund.cause is RefundCause.MERCHANT:
        return say("where_refund_failed", amount=amount, merchant=merchant.name)
    moment = refund.settled_at or refund.created_at
    by = working_days_after(business_day(moment), REFUND_SHOWN_WITHIN)
    if refund.settled_at is None or refund.state in CAME_TO_NOTHING:
        return say("where_refund_begun", amount=amount, when=refund.created_at, date=by)
    reference = refund.rrn or refund.reference
    return say("where_refund_done", amount=amount, when=moment, date=by, reference=reference)


def working_days_after(day: date, days: int) -> date:
    """Return the day that many working days later; Saturdays and Sundays are none."""
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < _SATURDAY
    return day
