"""Chooses a payment's screen and its values, which the templates print; pure."""

from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

import msgspec

from hundi.instruments import upi_apps
from hundi.instruments.card import Problem
from hundi.instruments.methods import (
    CARDS,
    EMI,
    ENACH,
    METHODS,
    UPI,
    UPI_COLLECT,
    UPI_LINK,
    Flow,
)
from hundi.instruments.upi_address import collect_allowed, on_phone
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.page import methods, ways
from hundi.page.brand import logo_of
from hundi.page.facts import Drawn, Lists, PageContext, Typed
from hundi.page.method_rows import CardRow, Option
from hundi.page.outcomes import WHY_BACK, refused_lines
from hundi.page.screens import (
    Choose,
    NoticeBox,
    Poll,
    Qr,
    ReturnForm,
    Screen,
    Summary,
    Tone,
    Upi,
    Waiting,
)
from hundi.page.texts import Say
from hundi.payments.links.rules import link_of
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.saved_cards.rules import StoredCard

_DONE = frozenset({P.PAID, P.AUTHORISED, P.CAPTURED, P.VOIDED})
_RESULT = _DONE | {P.UNDER_REVIEW, P.UNKNOWN}
# RBI's turn-around time: an unconfirmed debit goes back within this time
# (docs/spec/domain.md#turn-around).
BANK_RETURNS_WITHIN = timedelta(days=5)


NOTHING_DRAWN, NO_LISTS = Drawn(), Lists()


def screen_of(view: PaymentView, now: datetime, *, choosing: bool = False) -> Screen:
    """Return the screen of a payment.

    choosing: the customer asks for the methods while a challenge is open; nothing is charged before
    it ends.
    """
    payment = view.payment
    if payment.state in _RESULT:
        return Screen.RESULT
    if payment.state is P.IN_PROCESS:
        return (
            Screen.CHOOSE
            if choosing and may_leave(view) and payment.expires_at > now
            else Screen.WAITING
        )
    if payment.state is P.OPEN and payment.expires_at > now:
        return Screen.CHOOSE
    return Screen.OVER


def may_leave(view: PaymentView) -> bool:
    """Return whether every live attempt waits for the customer, so that another may begin."""
    return bool(view.live) and all(each.state is A.AUTHENTICATING for each in view.live)


def poll(view: PaymentView, now: datetime, *, choosing: bool = False) -> Poll:
    """Return the values that an open page compares itself with."""
    return Poll(
        screen_of(view, now, choosing=choosing), view.payment.revision, view.payment.state in _DONE
    )


def charged(view: PaymentView) -> Money:
    """Return what the customer pays or has paid: the order's amount and the chosen surcharge."""
    attempt = view.success or (view.live[-1] if view.live else None)
    return attempt.amount if attempt else view.payment.amount


def summary(
    view: PaymentView, merchant: Merchant, page: PageContext, *, choosing: bool = False
) -> Summary:
    """Return the top of every screen of a payment. choosing: the screen shows the methods."""
    payment, settings = view.payment, merchant.settings
    return Summary(
        path=page.path,
        merchant=merchant.name,
        monogram=merchant.name.strip()[:1].upper(),
        order_id=payment.order_id,
        amount=shown(payment.amount if choosing else charged(view)),
        until=open_until(view, page.now, page.say),
        left_s=max(0, int((payment.expires_at - page.now).total_seconds())),
        more_s=int(page.session.total_seconds()),
        back=f"{page.path}/return" if settings.failure_url and link_of(payment) is None else "",
        support=settings.support,
        accent=settings.accent.lstrip("#").lower(),
        simulated=page.simulated,
        frames=settings.frame_origins,
        logo=logo_of(merchant),
    )


def open_until(view: PaymentView, now: datetime, say: Say) -> str:
    """Return when a payment's session ends: the time alone only on the same day."""
    ends = view.payment.expires_at
    return say.time(ends) if business_day(ends) == business_day(now) else say.moment(ends)


def choose(
    view: PaymentView,
    merchant: Merchant,
    page: PageContext,
    drawn: Drawn = NOTHING_DRAWN,
    lists: Lists = NO_LISTS,
) -> Choose:
    """Return the methods this customer may use now, in the merchant's order."""
    payment, typed, say = view.payment, page.typed, page.say
    order = ways.rows_of(payment.channels, lists)
    refused_here = typed.form if not typed.refusal else ""
    errors = _errors(typed.problems, say)
    accepted = CARDS_ONLY.get(frozenset(payment.restrictions.card_types))
    card = CardRow(typed.expiry, typed.holder, errors)
    own = replace(
        card if typed.form != EMI.code else NO_CARD_TYPED,
        only=say(accepted) if accepted else "",
        saved=tuple(Option(each.token, _saved(each, say)) for each in lists.saved),
        save=say("card_save", merchant=merchant.name) if lists.may_save else "",
        elsewhere=lists.cards_elsewhere,
    )
    upi = _upi(view, merchant, page, drawn.upi) if UPI.code in order else None
    upi = upi and replace(upi, asked=lists.asks_for_link and (drawn.upi is None or drawn.upi.asked))
    row = ways.open_row(view, typed, order, upi, lists)
    rare = ways.folded(order, row, drawn, lists)
    card_of_plan = card if typed.form == EMI.code else NO_CARD_TYPED
    no_plan = refused_here == EMI.code and not typed.plan
    return Choose(
        summary=summary(view, merchant, page, choosing=True),
        poll=poll(view, page.now, choosing=page.choosing),
        notice=_notice(view, page),
        upi=upi,
        card=own if CARDS.code in order else None,
        on_phone=on_phone(page.client),
        opened=row,
        choosing=page.choosing,
        order=(*(code for code in order if code not in rare), *rare),
        rare=rare,
        absent=tuple(ways.absent(payment, merchant, order, say)),
        card_next=say(CARD_NEXT[payment.kind]),
        bharat=drawn.bharat,
        accounts=drawn.accounts,
        voucher=drawn.voucher,
        choices={
            code: methods.banks(
                code, entries, typed.bank, say, lists.troubles, missing=refused_here == code
            )
            for code, entries in lists.entries.items()
        },
        fees=methods.fees(payment, merchant, say),
        emi=methods.emi(lists.emi, typed.plan, card_of_plan, say, missing=no_plan)
        if EMI.code in order
        else None,
    )


def _saved(saved: StoredCard, say: Say) -> str:
    card = saved.kept_by.card
    ending = say("card_ending", scheme=card.scheme, last4=card.last4).strip()
    return f"{ending}, {card.issuer}" if card.issuer else ending


NO_CARD_TYPED = CardRow("", "", {})


def _errors(problems: tuple[Problem, ...], say: Say) -> dict[str, str]:
    """Return the error of each field of a refused card form, in the order of the fields.

    Number and code are never sent back: whatever was wrong, they have to be typed again.
    """
    wrong = {problem.field: problem for problem in reversed(problems)}
    if wrong:
        wrong = {"number": Problem.NUMBER_MISSING, "cvv": Problem.CVV_MISSING} | wrong
    return {field: say(wrong[field].value) for field in CARD_FIELDS if field in wrong}


CARD_FIELDS = ("number", "expiry", "cvv", "holder")
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


def _upi(view: PaymentView, merchant: Merchant, page: PageContext, qr: Qr | None) -> Upi:
    typed, day = page.typed, business_day(page.now)
    # A mandate is approved by its own link; a collect request would approve nothing.
    allows = (
        merchant.settings.upi_collect_allowed and view.payment.kind is not PaymentKind.SUBSCRIPTION
    )
    collect = collect_allowed(
        merchant.settings.mcc, merchant_allows=allows, client=page.client, on=day
    )
    malformed = typed.form == "vpa" and not typed.refusal
    scanned = [each for each in view.attempts if METHODS[each.method].flow is Flow.SCANNED]
    tried = any(each.state in methods.REFUSED for each in scanned)
    return Upi(qr, collect, typed.vpa, page.say("vpa_malformed") if malformed else "", tried)


def _notice(view: PaymentView, page: PageContext) -> NoticeBox | None:
    say = page.say
    if page.typed.refusal == RefusalCode.RISK_BLOCKED.log_name:
        return NoticeBox(Tone.REFUSED, say("not_accepted"), (say("no_money"), say("use_other")))
    if page.typed.refusal:
        return NoticeBox(Tone.INFO, say("not_now"), (say("no_money"), say("again")))
    newest = view.latest if view.payment.state is P.OPEN else None
    if newest is not None and newest.state is A.OVERPAID:
        why = WHY_BACK.get(newest.bank_code, "other_amount")
        return NoticeBox(
            Tone.REFUSED,
            say("not_accepted"),
            (say(why), say("goes_back", amount=shown(newest.received))),
        )
    last = methods.refused_last(view)
    if last is None:
        return None
    title, advice = refused_lines(last, say)
    # Only we charge a card; in an app or at a bank's own page money can move without us.
    elsewhere = METHODS[last.method].flow in MOVES_WITHOUT_US
    returned = (say("debited_returns", date=returns_by(page.now)),) if elsewhere else ()
    return NoticeBox(Tone.REFUSED, title, (say("no_money"), *returned, advice))


MOVES_WITHOUT_US = frozenset({Flow.SCANNED, Flow.REQUESTED, Flow.REDIRECTED})


def returns_by(now: datetime) -> date:
    """Return the day by which a bank has given back an unconfirmed debit."""
    return business_day(now + BANK_RETURNS_WITHIN)


def waiting(view: PaymentView, merchant: Merchant, page: PageContext, bank: str = "") -> Waiting:
    """Return what the page waits for: the customer at a challenge or in an app, else the bank.

    bank: the address of its page that is open for the customer, "" for none.
    """
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
        since=say(
            "wait_since",
            since=attempt.created_at if attempt else view.payment.created_at,
        ),
        long=say("wait_long", merchant=merchant.name, date=returns_by(page.now)),
        may_leave=may_leave(view) and view.payment.expires_at > page.now,
        bank=bank,
    )


def onward(view: PaymentView, merchant: Merchant, page: PageContext, to: ReturnForm) -> Waiting:
    """Return the screen that leads to a page of another site by name; nothing is polled meanwhile.

    The button names the site's host, which the customer then sees in the browser's address bar.
    """
    host = urlsplit(to.action).hostname or ""
    bank = view.live[-1].bank_name if view.live else ""
    return replace(
        waiting(view, merchant, page),
        poll=Poll(Screen.WAITING, view.payment.revision, done=True),
        title=page.say("onward_title", place=bank or host),
        what=page.say("onward_what", amount=shown(charged(view))),
        form=to,
        go=page.say("onward_go", host=host),
    )


def with_problems(typed: Typed, problems: tuple[Problem, ...]) -> Typed:
    """Return a refused form with its errors."""
    return msgspec.structs.replace(typed, problems=problems)


def with_refusal(typed: Typed, code: RefusalCode) -> Typed:
    """Return a refused form whose attempt could not begin."""
    return msgspec.structs.replace(typed, refusal=code.log_name)


def qr(attempt: Attempt, page: PageContext, link: str, app: str, kind: str = "") -> Qr:
    """Return the drawn form of an open attempt. kind: the prefix of its picture's name."""
    is_link = attempt.method == UPI_LINK.name
    return Qr(
        src=f"{page.path}/qr/{kind}{attempt.attempt_id}.svg",
        link=link,
        until=page.say("upi_until", until=attempt.expires_at),
        left_s=int((attempt.expires_at - page.now).total_seconds()),
        app=app,
        apps=tuple(
            Option(to, name, mark=methods.mark_of(name))
            for name, to in upi_apps.links(link, page.platform, as_it_is=is_link)
        ),
        asked=is_link,
    )
