"""How a payment ends: the values of the result, of an ended session and of the return; pure."""

from collections.abc import Mapping, Sequence

from hundi.instruments.emi import instalments, no_cost
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.money import rupees, shown
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentKind, RefundCause
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.page.facts import PageContext
from hundi.page.rules import MOVES_WITHOUT_US, charged, poll, returns_by, summary
from hundi.page.screens import Reference, ResultScreen, ReturnForm, Tone
from hundi.page.texts import Say
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.refunds.rules import CAME_TO_NOTHING, Refund


def result(
    view: PaymentView, merchant: Merchant, page: PageContext, refunds: Sequence[Refund] = ()
) -> ResultScreen:
    """Return how a payment ended, with everything a customer may have to quote.

    refunds: of the payment, oldest first.
    """
    say, payment = page.say, view.payment
    values = {
        "amount": shown(charged(view)),
        "merchant": merchant.name,
        "date": returns_by(page.now),
    }
    tone, name = RESULTS[payment.state]
    if payment.kind is PaymentKind.SUBSCRIPTION and payment.state is P.PAID:
        name = MANDATE_DONE
    lines = [say(f"{name}_next", **values)]
    if view.success and view.success.surcharge_paise:
        lines.append(
            say("fee_paid", fee=rupees(view.success.surcharge_paise), merchant=merchant.name)
        )
    lines += [_excess(each, refunds, page) for each in view.attempts if each.state is A.OVERPAID]
    lines += [_given_back(each, merchant, say) for each in refunds if stands_for_merchant(each)]
    return ResultScreen(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=tone,
        title=say(f"{name}_title", **values),
        sentence=say(name, **values),
        lines=tuple(lines),
        references=references(view, say),
        receipt=f"{page.path}/receipt.pdf" if has_receipt(view) else "",
    )


def has_receipt(view: PaymentView) -> bool:
    """Return whether an order has a receipt: reserved money has none."""
    return view.payment.state in {P.PAID, P.CAPTURED} and view.success is not None


def stands_for_merchant(refund: Refund) -> bool:
    """Return whether a refund that the merchant began has gone or goes back."""
    return refund.cause is RefundCause.MERCHANT and _stands(refund)


def _stands(refund: Refund) -> bool:
    return refund.state not in CAME_TO_NOTHING


def _excess(attempt: Attempt, refunds: Sequence[Refund], page: PageContext) -> str:
    """Return the sentence about a second payment's money, which goes back automatically."""
    say, amount = page.say, shown(attempt.received)
    back = next(
        (each for each in refunds if each.attempt_id == attempt.attempt_id and _stands(each)), None
    )
    if back is None or back.settled_at is None:
        return say("excess", amount=amount, date=returns_by(page.now))
    reference = back.rrn or back.reference
    return say("excess_returned", amount=amount, when=back.settled_at, reference=reference)


def _given_back(refund: Refund, merchant: Merchant, say: Say) -> str:
    """Return the sentence about a refund that the merchant began."""
    amount = shown(refund.amount)
    if refund.settled_at is None:
        return say("refund_begun", merchant=merchant.name, amount=amount)
    return say(
        "refund_done",
        merchant=merchant.name,
        amount=amount,
        when=refund.settled_at,
        reference=refund.rrn or refund.reference,
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


def over(view: PaymentView, merchant: Merchant, page: PageContext) -> ResultScreen:
    """Return the end of a session without a payment, and the way to a new one."""
    say = page.say
    until = view.payment.expires_at
    lines = [say("over_do", merchant=merchant.name)]
    title, tone, sentence = say("over_title"), Tone.INFO, say("over_what", until=until)
    if view.latest is not None and view.latest.state is A.OVERPAID:
        title, tone = say("not_accepted"), Tone.REFUSED
        sentence = say("goes_back", amount=shown(view.latest.received))
    if any(METHODS[each.method].flow is Flow.SCANNED for each in view.attempts):
        lines.append(say("over_late", merchant=merchant.name))
    if any(each.acted and METHODS[each.method].flow in MOVES_WITHOUT_US for each in view.attempts):
        lines.append(say("debited_returns", date=returns_by(page.now)))
    return ResultScreen(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=tone,
        title=title,
        sentence=sentence,
        lines=tuple(lines),
        references=(),
    )


def leaving(view: PaymentView, merchant: Merchant, page: PageContext) -> ResultScreen:
    """Return the page between "Return to merchant" and the merchant, for an unpaid payment."""
    say, waits = page.say, view.payment.state is P.IN_PROCESS
    amount = shown(charged(view))
    return ResultScreen(
        summary=summary(view, merchant, page),
        poll=poll(view, page.now),
        tone=Tone.WAITING if waits else Tone.INFO,
        title=say("return_title", merchant=merchant.name),
        sentence=say("wait_bank_what", amount=amount) if waits else say("cancel_what"),
        lines=(),
        references=(),
    )


def references(view: PaymentView, say: Say) -> tuple[Reference, ...]:
    """Return what a support desk asks for: our number, order, RRN, payer, time."""
    payment, spoken = view.payment, view.success or view.latest
    rows = [
        Reference(say("ref_payment"), str(payment.payment_id)),
        Reference(say("ref_order"), payment.order_id),
    ]
    if spoken is not None:
        if spoken.rrn:
            rows.append(Reference(say("ref_rrn"), spoken.rrn))
        paid_from = _paid_from(spoken, say)
        if paid_from:
            rows.append(Reference(say("ref_from"), paid_from, copied=False))
        if spoken.instalments.months:
            rows.append(Reference(say("ref_plan"), _plan(spoken, say), copied=False))
        rows.append(
            Reference(
                say("ref_when"), say.moment(spoken.settled_at or spoken.created_at), copied=False
            )
        )
    return tuple(rows)


def _paid_from(attempt: Attempt, say: Say) -> str:
    if attempt.card.last4:
        return say("card_ending", scheme=attempt.card.scheme, last4=attempt.card.last4).strip()
    return attempt.payer_vpa or attempt.bank_name


def _plan(attempt: Attempt, say: Say) -> str:
    """Return the instalments of an attempt, without amounts if their rate is not known."""
    terms = attempt.instalments
    if not terms.rate_bps and terms.months != attempt.emi.months:
        return say("emi_said", months=terms.months)
    worked_out = no_cost if terms.discount_paise else instalments
    plan = worked_out(attempt.amount.paise, terms.rate_bps, terms.months)
    monthly, total = rupees(plan.monthly_paise), rupees(plan.total_paise)
    return say("emi_chosen", months=terms.months, monthly=monthly, total=total)


def with_form(ending: ResultScreen, form: ReturnForm | None, *, at_once: bool) -> ResultScreen:
    """Return a result with the form to the merchant. at_once: scripts submit the form."""
    return replace(ending, form=form, at_once=at_once and form is not None)
