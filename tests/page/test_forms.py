"""Forms from elsewhere are refused.

A form sent back travels sealed, to its own session, for a while.
"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hundi.infra.secrets.vault import Vault
from hundi.instruments.card import NUMBER_LENGTH_MIN, Problem
from hundi.page import forms
from hundi.page.facts import Typed

VAULT = Vault({"k1": bytes(32)})
PATH = "/pay/v4/s/7.1.x"
NOW_S = 1_790_000_000


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": "https://pay.example.in", "host": "pay.example.in"},
        {"sec-fetch-site": "none"},
    ],
)
def test_our_own_forms_pass(headers):
    forms.check_same_site(headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "null"},
        {"origin": "https://evil.example", "host": "pay.example.in"},
        {"origin": "https://pay.example.in.evil.example", "host": "pay.example.in"},
    ],
)
def test_a_form_of_another_site_is_refused(headers):
    with pytest.raises(forms.ForeignError):
        forms.check_same_site(headers)


@given(st.text(max_size=100), st.text(max_size=100), st.lists(st.sampled_from(Problem)))
def test_a_form_comes_back_as_it_was_typed(expiry, holder, problems):
    assume(max(sum(map(str.isdigit, each)) for each in (expiry, holder)) < NUMBER_LENGTH_MIN)
    typed = Typed("card", tuple(problems), expiry=expiry, holder=holder)
    address = forms.send_back(VAULT, PATH, typed, NOW_S)
    sealed = address.removeprefix(f"{PATH}?f=")
    assert forms.sent_back(VAULT, PATH, sealed, NOW_S + 5) == typed
    assert forms.sent_back(VAULT, PATH, sealed, NOW_S - 5) == typed, (
        "another process may be a little behind"
    )


def test_nothing_typed_can_be_read_in_the_address():
    assert "Asha" not in forms.send_back(VAULT, PATH, Typed("card", holder="Asha"), NOW_S)


def test_another_session_and_another_day_get_an_empty_form():
    sealed = forms.send_back(VAULT, PATH, Typed("card", holder="Asha"), NOW_S).partition("=")[2]
    assert forms.sent_back(VAULT, PATH + "y", sealed, NOW_S) == Typed()
    assert forms.sent_back(VAULT, PATH, sealed, NOW_S + forms.SENT_BACK_LIFE_S + 1) == Typed()


@given(st.text(max_size=200))
def test_no_text_in_the_address_upsets_the_page(text):
    assert forms.sent_back(VAULT, PATH, text, NOW_S) == Typed()


@pytest.mark.parametrize("typed", ["4111111111111111", "4111 1111 1111 1111", "ASHA 411111111111"])
def test_a_card_number_in_a_wrong_field_does_not_travel(typed):
    address = forms.send_back(VAULT, PATH, Typed("card", expiry=typed, holder=typed), NOW_S)
    back = forms.sent_back(VAULT, PATH, address.removeprefix(f"{PATH}?f="), NOW_S)
    assert (back.form, back.expiry, back.holder) == ("card", "", "")
