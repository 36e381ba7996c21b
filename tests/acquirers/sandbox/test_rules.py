"""The simulated bank's words become the port's answers.

Nothing unproven or unheard of becomes money.
"""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import (
    Approved,
    Authentication,
    Declined,
    NothingThere,
    Redirect,
    Unknown,
    not_authenticated,
)
from hundi.acquirers.sandbox import rules
from hundi.acquirers.sandbox.rules import BankAnswer
from hundi.kernel.money import Money

KEY = b"shared"
NOW = 1_790_000_000


def test_paid_carries_the_banks_own_amount():
    word = BankAnswer(
        "paid", amount_paise=149_950, currency="INR", rrn="632512345678", payer_vpa="a@hundi"
    )
    answer = rules.outcome(word)
    assert answer == Approved(Money(149_950), "632512345678", payer_vpa="a@hundi")
    assert isinstance(
        rules.outcome(BankAnswer("authorised", amount_paise=1, currency="INR")), Approved
    )


@pytest.mark.parametrize(
    "word",
    [
        BankAnswer("paid"),
        BankAnswer("paid", amount_paise=5),
        BankAnswer("pending", code="01"),
        BankAnswer("pending", code="RB"),
        BankAnswer("PAID", amount_paise=5, currency="INR"),
        BankAnswer("something new"),
    ],
)
def test_anything_short_of_a_full_yes_or_no_stays_unknown(word):
    assert isinstance(rules.outcome(word), Unknown)


@pytest.mark.parametrize(("code", "not_registered"), [("ZA", False), ("Z9", False), ("ZH", True)])
def test_a_no_keeps_the_banks_code(code, not_registered):
    assert rules.outcome(BankAnswer("declined", code=code)) == Declined(
        code, not_registered=not_registered
    )


def test_a_failed_challenge_is_the_same_no_whoever_brings_it():
    assert rules.outcome(BankAnswer("declined", code="63", trans_status="N")) == not_authenticated(
        "N"
    )
    assert rules.outcome(BankAnswer("declined", code="51", trans_status="Y")) == Declined("51")


def test_where_a_card_payment_stands():
    assert rules.outcome(BankAnswer("challenge")) == Unknown(awaiting_customer=True)
    assert rules.outcome(BankAnswer("authenticated")) == Unknown(authenticated=True)
    assert rules.outcome(BankAnswer("not_found")) == NothingThere()
    assert rules.charge_outcome(BankAnswer("not_found")) == Unknown()


def test_a_challenge_leads_to_the_banks_own_origin_only():
    word = BankAnswer(
        "challenge", authentication_id="a1", challenge_url="http://bank.example:81/3ds/a1"
    )
    assert rules.challenge(word, "http://bank.example:81") == Redirect(
        "http://bank.example:81/3ds/a1", "a1"
    )
    assert isinstance(rules.challenge(word, "http://bank.example:8"), Unknown)


@pytest.mark.parametrize("trans_status", list("YNUARC"))
def test_the_end_of_a_challenge_is_passed_on_as_it_is(trans_status):
    word = BankAnswer("done", trans_status=trans_status, eci="05")
    assert rules.challenge_end(word) == Authentication(trans_status, "05")


def test_an_open_challenge_waits_for_the_customer():
    assert rules.challenge_end(BankAnswer("pending")) == Unknown(awaiting_customer=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"reference": "1-2", "status": "paid"},
        {"event_id": "e", "status": "paid"},
        {"event_id": "e", "reference": "1-2"},
        {"event_id": "e", "reference": "1-2", "status": "not_found"},
        {"event_id": "e", "reference": "1-2", "status": "paid", "amount_paise": "100"},
        {"event_id": "e", "reference": "1-2", "status": "paid", "amount_paise": 1.5},
    ],
)
def test_a_callback_out_of_form_says_nothing(fields):
    assert rules.read_callback(msgspec.json.encode(fields)) is None


@given(st.binary(max_size=300))
def test_no_body_upsets_the_readers(body):
    rules.read_word(body)
    rules.read_callback(body)
    assert isinstance(rules.claimed_reference(body), str)
