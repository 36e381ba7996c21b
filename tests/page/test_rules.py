"""Each state of a payment has one screen, which says what happened and what to do."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.instruments.card import NO_CARD, CardFacts, Problem
from hundi.instruments.upi_address import UpiClient
from hundi.instruments.upi_apps import Platform
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.kernel.states import RefundCause, RefundState
from hundi.page import endings, rules
from hundi.page.facts import Lists, Typed
from hundi.page.screens import Screen, Tone
from hundi.payments.availability.rules import EmiChoice, emi_plan
from hundi.payments.orders.rules import NO_EMI, EmiTerms
from hundi.payments.refunds.rules import Refund
from tests.page.views import NOW, PATH, attempt, merchant, page, paid_by_card, view

LATER = NOW + timedelta(minutes=16)
RESULTS = {P.PAID, P.AUTHORISED, P.CAPTURED, P.VOIDED, P.UNDER_REVIEW, P.UNKNOWN}
CHALLENGED = view(P.IN_PROCESS, attempt("card", A.AUTHENTICATING))


@pytest.mark.parametrize("state", P)
def test_every_state_has_its_screen(state):
    screen = rules.screen_of(view(state), NOW)
    if state in RESULTS:
        assert screen is Screen.RESULT
    elif state is P.IN_PROCESS:
        assert screen is Screen.WAITING
    else:
        assert screen is (Screen.CHOOSE if state is P.OPEN else Screen.OVER)


def test_a_session_past_its_end_is_over_even_before_anybody_closed_it():
    assert rules.screen_of(view(P.OPEN), LATER) is Screen.OVER


def test_an_attempt_under_way_outlives_the_session():
    assert rules.screen_of(view(P.IN_PROCESS, attempt("card", A.SENT)), LATER) is Screen.WAITING


def test_a_challenge_may_be_left_for_another_method_but_a_sent_payment_may_not():
    assert rules.screen_of(CHALLENGED, NOW, choosing=True) is Screen.CHOOSE
    sent = view(P.IN_PROCESS, attempt("card", A.AUTHORISING))
    assert rules.screen_of(sent, NOW, choosing=True) is Screen.WAITING
    assert rules.screen_of(view(P.IN_PROCESS), NOW, choosing=True) is Screen.WAITING
    assert rules.screen_of(CHALLENGED, LATER, choosing=True) is Screen.WAITING


@pytest.mark.parametrize(
    ("state", "done"),
    [(P.PAID, True), (P.UNDER_REVIEW, False), (P.UNKNOWN, False), (P.OPEN, False)],
)
def test_a_page_keeps_asking_while_anything_may_change(state, done):
    assert rules.poll(view(state), NOW).done is done


def test_the_methods_follow_the_channels_of_the_order():
    both = rules.choose(view(), merchant(), page())
    assert both.upi is not None
    assert both.card is not None
    assert both.opened == "upi"
    cards_only = rules.choose(view(channels=("pg",)), merchant(), page())
    assert cards_only.upi is None
    assert cards_only.opened == "card"
    assert rules.choose(view(channels=("upi",)), merchant(), page()).card is None


@pytest.mark.parametrize(
    ("client", "settings", "offered"),
    [
        (UpiClient.DESKTOP_WEB, {"upi_collect_allowed": True}, False),
        (UpiClient.MOBILE_WEB, {"upi_collect_allowed": True}, True),
        (UpiClient.MOBILE_WEB, {}, False),
        (UpiClient.DESKTOP_WEB, {"upi_collect_allowed": True, "mcc": "6211"}, True),
    ],
)
def test_a_upi_id_is_asked_for_only_where_the_network_still_allows_it(client, settings, offered):
    upi = rules.choose(view(), merchant(**settings), page(client)).upi
    assert upi is not None
    assert upi.collect is offered


def test_a_form_sent_back_opens_its_row_with_the_first_problem_of_each_field():
    typed = Typed(
        "card", (Problem.NUMBER_LENGTH, Problem.CVV_MISSING), expiry="12/30", holder="Asha"
    )
    choice = rules.choose(view(), merchant(), page(typed=typed))
    assert choice.opened == "card"
    assert choice.card is not None
    assert set(choice.card.errors) == {"number", "cvv"}
    assert (choice.card.expiry, choice.card.holder) == ("12/30", "Asha")


def test_a_malformed_upi_id_is_said_at_its_field_and_a_refused_one_above():
    malformed = rules.choose(view(), merchant(), page(typed=Typed("vpa", vpa="asha")))
    assert malformed.upi is not None
    assert malformed.upi.vpa_error
    assert malformed.notice is None
    refused = rules.with_refusal(Typed("vpa", vpa="asha@ybl"), RefusalCode.CHANNEL_NOT_ENABLED)
    choice = rules.choose(view(), merchant(), page(typed=refused))
    assert choice.upi is not None
    assert choice.upi.vpa_error == ""
    assert choice.notice is not None


@pytest.mark.parametrize("state", [A.FAILED, A.NOT_REGISTERED, A.EXPIRED])
def test_a_refusal_says_what_happened_that_no_money_moved_and_what_to_do(state):
    failed = view(P.OPEN, attempt("card", state, bank_code="51"), method="pg")
    notice = rules.choose(failed, merchant(), page()).notice
    assert notice is not None
    assert notice.tone is Tone.REFUSED
    assert notice.lines[0] == "No money has left your account."
    assert all((notice.title, *notice.lines))


def test_an_order_that_was_sent_again_says_nothing_of_what_was_declined_before():
    assert rules.choose(view(P.OPEN, attempt("card", A.FAILED)), merchant(), page()).notice is None


def test_an_open_order_has_no_notice():
    assert rules.choose(view(P.OPEN, attempt()), merchant(), page()).notice is None


@pytest.mark.parametrize(
    ("live", "title"),
    [
        (attempt("card", A.AUTHENTICATING), "Confirm at your bank"),
        (attempt("upi_collect", A.SENT, payer_vpa="a@ybl"), "Approve ₹1,499.50 in your UPI app"),
        (attempt("card", A.AUTHORISING), "Waiting for your bank"),
        (attempt("upi_qr", A.PENDING), "Waiting for your bank"),
    ],
)
def test_waiting_says_what_for_and_since_when(live, title):
    screen = rules.waiting(view(P.IN_PROCESS, live), merchant(), page())
    assert screen.title == title
    assert screen.since == "Since 20 Nov 2026, 14:05 IST"
    assert screen.may_leave is (live.state is A.AUTHENTICATING)


def test_a_paid_order_shows_what_a_customer_may_have_to_quote():
    ending = endings.result(paid_by_card(), merchant(), page())
    assert ending.tone is Tone.PAID
    assert ending.sentence == "You have paid ₹1,499.50 to Asha Handlooms."
    shown = {each.label: each.value for each in ending.references}
    assert shown == {
        "Payment number": "215000000000001",
        "Order": "ORD-1",
        "Bank reference (RRN)": "632512345678",
        "Paid from": "Visa card ending 1111",
        "Date": "20 Nov 2026, 14:05 IST",
    }


def test_a_second_payment_is_said_to_go_back_and_then_to_have_gone_back():
    base = paid_by_card()
    excess = attempt("upi_qr", A.OVERPAID, attempt_id=215_000_000_000_009, received_paise=149_950)
    both = view(P.PAID, *base.attempts, excess)
    assert any(
        "goes back by itself" in line and "25 Nov 2026" in line
        for line in endings.result(both, merchant(), page()).lines
    )
    under_way = refund(excess, RefundCause.OVERPAID)
    assert any(
        "goes back by itself" in line
        for line in endings.result(both, merchant(), page(), [under_way]).lines
    )
    done = replace(under_way, state=RefundState.DONE, rrn="632600000001", settled_at=NOW)
    lines = endings.result(both, merchant(), page(), [done]).lines
    assert any(
        "was given back on 20 Nov 2026, 14:05 IST. Reference: 632600000001" in line
        for line in lines
    )
    assert not any("goes back" in line for line in lines)


def test_what_the_merchant_gave_back_is_told_and_a_refund_that_failed_is_not():
    paid = paid_by_card()
    given = refund(paid.attempts[-1], RefundCause.MERCHANT)
    assert (
        "Asha Handlooms is giving ₹1,499.50"
        in endings.result(paid, merchant(), page(), [given]).lines[-1]
    )
    done = replace(given, state=RefundState.DONE, rrn="632600000002", settled_at=NOW)
    assert (
        "gave ₹1,499.50 of it back on 20 Nov"
        in endings.result(paid, merchant(), page(), [done]).lines[-1]
    )
    failed = replace(given, state=RefundState.FAILED)
    assert len(endings.result(paid, merchant(), page(), [failed]).lines) == 1


def refund(attempt, cause):
    return Refund(
        7, 215_000_000_000_777, attempt.payment_id, attempt.attempt_id, cause, attempt.received,
        "sandbox", RefundState.SENT, NOW, attempt.received_paise,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("method", "row"),
    [("upi_qr", "upi"), ("upi_collect", "vpa"), ("card", "card"), ("netbanking", "nb")],
)
def test_the_method_that_failed_opens_again(method, row):
    failed = view(P.OPEN, attempt(method, A.FAILED), method="pg", channels=("upi", "pg", "nb"))
    assert rules.choose(failed, merchant(), page()).opened == row
    assert rules.choose(failed, merchant(), page(typed=Typed("card"))).opened == "card"


def test_a_debit_that_is_seen_all_the_same_comes_back_and_a_card_is_charged_by_nobody_else():
    def lines(method):
        notice = rules.choose(
            view(P.OPEN, attempt(method, A.FAILED), method="x"), merchant(), page()
        ).notice
        return notice.lines if notice else ()

    assert any("returns the money by 25 Nov 2026" in line for line in lines("upi_qr"))
    assert not any("returns the money" in line for line in lines("card"))


def test_a_phone_is_shown_the_apps_it_can_open_and_a_computer_none():
    def apps(platform):
        return rules.qr(attempt(), page(platform=platform), "upi://pay?pa=a%40b", "").apps

    assert apps(Platform.OTHER) == ()
    assert (
        apps(Platform.ANDROID)[1].value
        == "intent://pay?pa=a%40b#Intent;scheme=upi;package=com.phonepe.app;end"
    )
    assert [each.value.partition("pay?")[0] for each in apps(Platform.APPLE)[:2]] == [
        "tez://upi/",
        "phonepe://",
    ]


def test_instalments_are_a_row_only_where_the_amount_has_a_plan():
    assert "emi" not in rules.choose(view(channels=("pg", "emi")), merchant(), page()).order
    assert rules.choose(view(channels=("emi",)), merchant(), page()).order == ("emi",)


@pytest.mark.parametrize("state", sorted(RESULTS))
def test_every_result_has_words(state):
    ending = endings.result(view(state, attempt("card", A.PENDING)), merchant(), page())
    assert ending.title
    assert "₹1,499.50" in ending.sentence


def test_no_answer_names_the_day_by_which_the_bank_returns_money():
    ending = endings.result(view(P.UNKNOWN, attempt("card", A.UNKNOWN)), merchant(), page())
    assert "25 Nov 2026" in ending.lines[0]


def test_the_end_of_a_session_offers_a_way_back_and_warns_of_a_scanned_qr():
    ending = endings.over(view(P.EXPIRED, attempt(state=A.EXPIRED)), merchant(), page())
    assert "still counts" in ending.lines[1]
    assert len(endings.over(view(P.EXPIRED), merchant(), page()).lines) == 1


def test_the_way_back_is_there_only_when_the_merchant_has_one():
    assert rules.summary(view(), merchant(), page()).back == f"{PATH}/return"
    assert rules.summary(view(), merchant(failure_url=""), page()).back == ""


def test_leaving_says_that_nothing_was_paid_only_while_that_is_certain():
    assert endings.leaving(view(), merchant(), page()).sentence.startswith("Nothing was paid")
    waits = endings.leaving(view(P.IN_PROCESS, attempt("card", A.SENT)), merchant(), page())
    assert "has not answered" in waits.sentence


def test_the_row_says_where_instalments_are_chosen_and_that_a_bank_takes_a_fee():
    def row(choice):
        return rules.choose(
            view(channels=("pg", "emi")), merchant(), page(), lists=Lists(emi=choice)
        ).emi

    elsewhere = row(EmiChoice(elsewhere=True))
    assert (elsewhere.elsewhere, elsewhere.groups) == (True, ())
    amount = Money(149_950)
    plans = [
        InstalmentPlan("HDFC", months, 1_300, 100_000, has_fee=months == 9) for months in (6, 9)
    ]
    ((bank,),) = [
        row(EmiChoice(tuple(emi_plan(each, "HDFC Bank", amount) for each in plans))).groups
    ]
    without, with_fee = (each.cost for each in bank.plans)
    assert "fee" not in without
    assert with_fee.endswith("in all. The bank takes a processing fee as well.")


@pytest.mark.parametrize(
    ("chosen", "said", "shown"),
    [
        (EmiTerms(6, 1_300), NO_CARD, "6 instalments of ₹259.48, ₹1,556.86 in all"),
        (EmiTerms(6, 1_300), CardFacts(emi_months=6), "6 instalments of ₹259.48, ₹1,556.86 in all"),
        (EmiTerms(6, 1_300), CardFacts(emi_months=3), "3 instalments"),
        (NO_EMI, CardFacts(emi_months=6), "6 instalments"),
        (
            NO_EMI,
            CardFacts(emi_months=6, emi_rate_bps=1_300),
            "6 instalments of ₹259.48, ₹1,556.86 in all",
        ),
    ],
)
def test_a_result_shows_the_instalments_that_were_made_and_no_amounts_without_their_rate(
    chosen, said, shown
):
    paid = attempt(method="emi_page", state=A.PAID, emi=chosen, card=said)
    ending = endings.result(view(P.PAID, paid), merchant(), page())
    assert {each.label: each.value for each in ending.references}["Instalments"] == shown
