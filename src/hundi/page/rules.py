"""Chooses a payment's screen and its values, which the templates print; pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import msgspec

from hundi.acquirers.port import BankEntry
from hundi.instruments.card import Problem
from hundi.instruments.methods import CARDS, CHANNELS, EMI, ENACH, UPI, UPI_COLLECT, UPI_QR
from hundi.instruments.upi_address import Client, collect_allowed, on_phone
from hundi.kernel.clock import business_day, for_people, ist
from hundi.kernel.money import Money, rupees, shown
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.page import methods
from hundi.page.outcomes import WHY_BACK, refused_lines
from hundi.page.screens import (
    Account,
    Card,
    Choose,
    Notice,
    Option,
    Poll,
    Qr,
    Reference,
    Result,
    ReturnForm,
    Screen,
    Summary,
    Tone,
    Upi,
    Voucher,
    Waiting,
)
from hundi.page.texts import Say
from hundi.payments.availability.rules import EmiPlan
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.saved_cards.rules import SavedCard

# RBI's turn-around time: a debit without a confirmation goes back within this (docs/spec/domain.md#turn-around).
BANK_RETURNS_WITHIN = timedelta(days=5)
_DONE = frozenset({P.PAID, P.AUTHORISED, P.CAPTURED, P.VOIDED})
_RESULT = _DONE | {P.UNDER_REVIEW, P.UNKNOWN}
_REFUSED = frozenset({A.FAILED, A.NOT_REGISTERED, A.EXPIRED})


class Typed(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the customer typed in the form that was just sent back: nothing secret is ever in it.

    form: `card`, `vpa`, or the code of a channel, "" when none was. bank, plan: what was picked of a list.
    refusal: why the attempt could not begin, when the form itself was right.
    """

    form: str = ""
    problems: tuple[Problem, ...] = ()
    expiry: str = ""
    holder: str = ""
    vpa: str = ""
    bank: str = ""
    plan: str = ""
    refusal: str = ""


NOTHING_TYPED = Typed()


@dataclass(frozen=True, slots=True)
class Drawn:
    """The QR on show, in its two forms, the account numbers of the order by channel, and its voucher."""

    upi: Qr | None = None
    bharat: Qr | None = None
    accounts: Mapping[str, Account] = field(default_factory=dict[str, Account])
    voucher: Voucher | None = None


@dataclass(frozen=True, slots=True)
class Lists:
    """What can be chosen from now, as far as the order's channels need it.

    entries: banks, wallets and lenders, by the code of their channel. saved: the customer's own cards.
    may_save: whether a card of this payment can be kept.
    """

    entries: Mapping[str, tuple[BankEntry, ...]] = field(default_factory=dict[str, tuple[BankEntry, ...]])
    emi_plans: tuple[EmiPlan, ...] = ()
    saved: tuple[SavedCard, ...] = ()
    may_save: bool = False


NOTHING_DRAWN, NO_LISTS = Drawn(), Lists()


@dataclass(frozen=True, slots=True)
class PageContext:
    """One look at the page: who looks, with what, when, and in which language.

    path: the session's address. choosing: the customer turns away from a challenge. simulated: no real money moves.
    """

    path: str
    client: Client
    now: datetime
    say: Say
    typed: Typed = NOTHING_TYPED
    choosing: bool = False
    simulated: bool = False


def screen_of(view: PaymentView, now: datetime, *, choosing: bool = False) -> Screen:
    """Return the screen a payment is at.

    choosing: the customer asks for the methods while a challenge is open; before it ends, nothing is charged.
    """
    payment = view.payment
    if payment.state in _RESULT:
        return Screen.RESULT
    if payment.state is P.IN_PROCESS:
        return Screen.CHOOSE if choosing and may_leave(view) and payment.expires_at > now else Screen.WAITING
    if payment.state is P.OPEN and payment.expires_at > now:
        return Screen.CHOOSE
    return Screen.OVER


def may_leave(view: PaymentView) -> bool:
    """Return whether every live attempt waits for the customer, so that another may begin."""
    return bool(view.live) and all(each.state is A.AUTHENTICATING for each in view.live)


def poll(view: PaymentView, now: datetime, *, choosing: bool = False) -> Poll:
    """Return what an open page compares itself with."""
    return Poll(screen_of(view, now, choosing=choosing), view.payment.revision, view.payment.state in _DONE)


def charged(view: PaymentView) -> Money:
    """Return what the customer pays or has paid: the order's amount, and the surcharge of what was chosen."""
    attempt = view.success or (view.live[-1] if view.live else None)
    return attempt.amount if attempt else view.payment.amount


def summary(view: PaymentView, merchant: Merchant, page: PageContext, *, choosing: bool = False) -> Summary:
    """Return what stands on every screen of a payment. choosing: no way to pay is chosen on it."""
    payment, settings = view.payment, merchant.settings
    return Summary(
        path=page.path,
        merchant=merchant.name,
        monogram=merchant.name.strip()[:1].upper(),
        order_id=payment.order_id,
        amount=shown(payment.amount if choosing else charged(view)),
        until=for_people(payment.expires_at),
        back=f"{page.path}/return" if settings.failure_url else "",
        support=settings.support,
        accent=settings.accent.lstrip("#").lower(),
        simulated=page.simulated,
    )


def choose(
    view: PaymentView, merchant: Merchant, page: PageContext, drawn: Drawn = NOTHING_DRAWN, lists: Lists = NO_LISTS
) -> Choose:
    """Return the methods this customer may use now, in the merchant's order."""
    payment, typed, say = view.payment, page.typed, page.say
    order = tuple(code for code in payment.channels if code in CHANNELS)
    refused_here = typed.form if not typed.refusal else ""
    errors = {problem.field: say(problem.value) for problem in reversed(typed.problems)}
    accepted = CARDS_ONLY.get(frozenset(payment.restrictions.card_types))
    card = Card(typed.expiry, typed.holder, errors)
    own = replace(
        card if typed.form != EMI.code else NO_CARD_TYPED,
        only=say(accepted) if accepted else "",
        saved=tuple(Option(each.token, _saved(each, say)) for each in lists.saved),
        save=say("card_save", merchant=merchant.name) if lists.may_save else "",
    )
    card_of_plan = card if typed.form == EMI.code else NO_CARD_TYPED
    no_plan = refused_here == EMI.code and not typed.plan
    return Choose(
        summary=summary(view, merchant, page, choosing=True),
        poll=poll(view, page.now, choosing=page.choosing),
        notice=_notice(view, page),
        upi=_upi(merchant, page, drawn.upi, payment.kind) if UPI.code in order else None,
        card=own if CARDS.code in order else None,
        on_phone=on_phone(page.client),
        opened=typed.form or methods.waiting_row(view) or (CHANNELS[order[0]].form or order[0] if order else ""),
        choosing=page.choosing,
        order=order,
        card_next=say(CARD_NEXT[payment.kind]),
        bharat=drawn.bharat,
        accounts=drawn.accounts,
        voucher=drawn.voucher,
        choices={
            code: methods.banks(code, entries, typed.bank, say, missing=refused_here == code)
            for code, entries in lists.entries.items()
        },
        fees=methods.fees(payment, merchant, say),
        emi=methods.emi(lists.emi_plans, typed.plan, card_of_plan, say, missing=no_plan) if EMI.code in order else None,
    )


def _saved(saved: SavedCard, say: Say) -> str:
    card = saved.kept_by.card
    ending = say("card_ending", scheme=card.scheme, last4=card.last4).strip()
    return f"{ending}, {card.issuer}" if card.issuer else ending


NO_CARD_TYPED = Card("", "", {})
CARDS_ONLY = {
    frozenset({"credit"}): "card_only_credit",
    frozenset({"debit"}): "card_only_debit",
    frozenset({"credit", "debit"}): "card_only_both",
}
"""What the card row says where the order accepts these types only."""
CARD_NEXT = {
    PaymentKind.SALE: "card_next",
    PaymentKind.AUTHORISE: "card_next_hold",
    PaymentKind.MOTO: "card_next_moto",
    PaymentKind.SUBSCRIPTION: "card_next_mandate",
}


def _upi(merchant: Merchant, page: PageContext, qr: Qr | None, kind: PaymentKind) -> Upi:
    typed, day = page.typed, business_day(page.now)
    # A mandate is approved by its own link; a request for money would approve nothing.
    allows = merchant.settings.upi_collect_allowed and kind is not PaymentKind.SUBSCRIPTION
    collect = collect_allowed(merchant.settings.mcc, merchant_allows=allows, client=page.client, on=day)
    malformed = typed.form == "vpa" and not typed.refusal
    return Upi(qr, collect, typed.vpa, page.say("vpa_malformed") if malformed else "")


def _notice(view: PaymentView, page: PageContext) -> Notice | None:
    say = page.say
    if page.typed.refusal == RefusalCode.RISK_BLOCKED.log_name:
        return Notice(Tone.REFUSED, say("not_accepted"), (say("no_money"), say("use_other")))
    if page.typed.refusal:
        return Notice(Tone.INFO, say("not_now"), (say("no_money"), say("again")))
    newest = view.latest if view.payment.state is P.OPEN else None
    if newest is not None and newest.state is A.OVERPAID:
        why = WHY_BACK.get(newest.bank_code, "other_amount")
        return Notice(Tone.REFUSED, say("not_accepted"), (say(why), say("goes_back", amount=shown(newest.received))))
    # A payment without a method has not been tried since its order was sent (again).
    last = view.latest if view.payment.state is P.OPEN and view.payment.method else None
    if last is None or last.state not in _REFUSED:
        return None
    title, advice = refused_lines(last, say)
    return Notice(Tone.REFUSED, title, (say("no_money"), advice))


def waiting(view: PaymentView, merchant: Merchant, page: PageContext) -> Waiting:
    """Return what we wait for: the customer at a challenge or in an app, else the bank."""
    say, amount = page.say, shown(charged(view))
    attempt = view.live[-1] if view.live else view.latest
    if attempt is not None and attempt.state is A.AUTHENTICATING:
        title, what = say("wait_challenge"), say("wait_challenge_what", amount=amount)
    elif attempt is not None and attempt.method == UPI_COLLECT.name:
        title, what = say("wait_app", amount=amount), say("wait_app_what", vpa=attempt.payer_vpa)
    elif attempt is not None and attempt.method == ENACH.name:
        title, what = say("wait_mandate"), say("wait_mandate_what", amount=amount)
    else:
        title, what = say("wait_bank"), say("wait_bank_what", amount=amount)
    return Waiting(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        title=title,
        what=what,
        since=say("wait_since", since=for_people(attempt.created_at if attempt else view.payment.created_at)),
        may_leave=may_leave(view) and view.payment.expires_at > page.now,
    )


def result(view: PaymentView, merchant: Merchant, page: PageContext) -> Result:
    """Return how a payment ended, with everything a customer may have to quote."""
    say, payment = page.say, view.payment
    values = {
        "amount": shown(charged(view)),
        "merchant": merchant.name,
        "date": ist(page.now + BANK_RETURNS_WITHIN).strftime("%d %b %Y").lstrip("0"),
    }
    tone, name = RESULTS[payment.state]
    if payment.kind is PaymentKind.SUBSCRIPTION and payment.state is P.PAID:
        name = MANDATE_DONE
    lines = [say(f"{name}_next", **values)]
    if view.success and view.success.surcharge_paise:
        lines.append(say("fee_paid", fee=rupees(view.success.surcharge_paise), merchant=merchant.name))
    excess = sum(each.received_paise for each in view.attempts if each.state is A.OVERPAID)
    if excess:
        lines.append(say("excess", amount=shown(replace(payment.amount, paise=excess)), merchant=merchant.name))
    return Result(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=tone,
        title=say(f"{name}_title", **values),
        sentence=say(name, **values),
        lines=tuple(lines),
        references=references(view, say),
    )


MANDATE_DONE = "mandate_done"
"""The end of an order that registered a mandate."""
RESULTS: Mapping[P, tuple[Tone, str]] = {
    P.PAID: (Tone.PAID, "paid"),
    P.CAPTURED: (Tone.PAID, "paid"),
    P.AUTHORISED: (Tone.PAID, "authorised"),
    P.UNDER_REVIEW: (Tone.WAITING, "held"),
    P.VOIDED: (Tone.INFO, "voided"),
    P.UNKNOWN: (Tone.WAITING, "unanswered"),
}


def over(view: PaymentView, merchant: Merchant, page: PageContext) -> Result:
    """Return the end of a session without a payment, and the way to a new one."""
    say = page.say
    until = for_people(view.payment.expires_at)
    lines = [say("over_do", merchant=merchant.name)]
    title, tone, sentence = say("over_title"), Tone.INFO, say("over_what", until=until)
    if view.latest is not None and view.latest.state is A.OVERPAID:
        title, tone = say("not_accepted"), Tone.REFUSED
        sentence = say("goes_back", amount=shown(view.latest.received))
    if any(each.method == UPI_QR.name for each in view.attempts):
        lines.append(say("over_late", merchant=merchant.name))
    return Result(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=tone,
        title=title,
        sentence=sentence,
        lines=tuple(lines),
        references=(),
    )


def leaving(view: PaymentView, merchant: Merchant, page: PageContext) -> Result:
    """Return the page between "Return to merchant" and the merchant, for a payment that has not succeeded."""
    say, waits = page.say, view.payment.state is P.IN_PROCESS
    amount = shown(charged(view))
    return Result(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=Tone.WAITING if waits else Tone.INFO,
        title=say("return_title", merchant=merchant.name),
        sentence=say("wait_bank_what", amount=amount) if waits else say("cancel_what"),
        lines=(),
        references=(),
    )


def references(view: PaymentView, say: Say) -> tuple[Reference, ...]:
    """Return what a customer or a support desk asks for: our number, the order, the RRN, from what, when."""
    payment, spoken = view.payment, view.success or view.latest
    found = [Reference(say("ref_payment"), str(payment.payment_id)), Reference(say("ref_order"), payment.order_id)]
    if spoken is not None:
        if spoken.rrn:
            found.append(Reference(say("ref_rrn"), spoken.rrn))
        paid_from = _paid_from(spoken, say)
        if paid_from:
            found.append(Reference(say("ref_from"), paid_from, copied=False))
        found.append(Reference(say("ref_when"), for_people(spoken.settled_at or spoken.created_at), copied=False))
    return tuple(found)


def _paid_from(attempt: Attempt, say: Say) -> str:
    if attempt.card.last4:
        return say("card_ending", scheme=attempt.card.scheme, last4=attempt.card.last4).strip()
    return attempt.payer_vpa


def with_form(ending: Result, form: ReturnForm | None, *, at_once: bool) -> Result:
    """Return a result with the form to the merchant. at_once: scripts submit the form."""
    return replace(ending, form=form, at_once=at_once and form is not None)


def with_problems(typed: Typed, problems: tuple[Problem, ...]) -> Typed:
    """Return a sent-back form with what is wrong with it."""
    return msgspec.structs.replace(typed, problems=problems)


def with_refusal(typed: Typed, code: RefusalCode) -> Typed:
    """Return a sent-back form whose attempt could not begin."""
    return msgspec.structs.replace(typed, refusal=code.log_name)


def qr(attempt: Attempt, page: PageContext, link: str, app: str, kind: str = "") -> Qr:
    """Return the drawn form of an attempt on offer. kind: what its picture's name begins with."""
    return Qr(
        src=f"{page.path}/qr/{kind}{attempt.attempt_id}.svg",
        link=link,
        until=page.say("upi_until", until=for_people(attempt.expires_at)),
        left_s=int((attempt.expires_at - page.now).total_seconds()),
        app=app,
    )
