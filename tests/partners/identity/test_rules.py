"""When a password counts, and whether two names are one person's."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.partners.identity import rules
from hundi.partners.identity.rules import OtpRecord, RequestState

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def request(**changes: object) -> OtpRecord:
    values = {
        "affiliate": "AF1",
        "request_id": "idr_1",
        "gateway_txn_id": 1,
        "holder_reference": b"",
        "last4": "0016",
        "state": RequestState.OPEN,
        "otp_hash": b"",
        "sends": 1,
        "wrong": 0,
        "sent_at": NOW,
        "expires_at": NOW + rules.OTP_LIFE,
    }
    return OtpRecord(**(values | changes))


@pytest.mark.parametrize(
    ("given_name", "registered", "same"),
    [
        ("Asha Rao", "Asha Rao", True),
        ("ASHA RAO", "asha rao", True),
        ("Rao Asha", "Asha Rao", True),
        ("Smt. Asha  Rao", "Asha Rao", True),
        ("A Rao", "Asha Rao", True),
        ("Asha R.", "Asha Rao", True),
        ("A R", "Asha Rao", False),  # initials alone are anybody's
        ("Asha", "Asha Rao", False),
        ("Asha Rao Kumar", "Asha Rao", False),
        ("Usha Rao", "Asha Rao", False),
        ("B Rao", "Asha Rao", False),
        ("Rao Rao", "Asha Rao", False),
        ("D'Souza Ann", "Ann DSouza", True),
        ("D\u2019Souza Ann", "Ann D'Souza", True),
        ("आशा राव", "आशा राव", True),
        ("राव आशा", "आशा राव", True),
        ("आ राव", "आशा राव", True),
        ("राम शर्मा", "रीमा शर्मा", False),
        ("सीमा शर्मा", "सोमा शर्मा", False),
        ("मीना शर्मा", "मन्नू शर्मा", False),
        ("கமலா ராவ்", "கமலி ராவ்", False),
        ("", "Asha Rao", False),
        ("Mr", "Mr", False),
    ],
)
def test_names_are_one_persons_or_not(given_name: str, registered: str, same: bool) -> None:  # noqa: FBT001 (a column)
    assert rules.same_name(given_name, registered) is same


@given(st.lists(st.text("abcdefgh", min_size=2, max_size=8), min_size=1, max_size=4), st.randoms())
def test_the_order_of_words_is_no_matter(words: list[str], chance: object) -> None:
    shuffled = sorted(words, key=lambda _: chance.random())  # type: ignore[attr-defined]
    assert rules.same_name(" ".join(shuffled).upper(), " ".join(words))


@pytest.mark.parametrize(
    ("number", "right"),
    [
        ("999900000016", True),
        ("234123412346", True),
        ("999900000017", False),
        ("099900000016", False),
        ("199900000016", False),
        ("99990000001", False),
        ("9999 0000 0016", False),
        ("९९९९००००००१६", False),
        ("", False),
    ],
)
def test_a_number_has_twelve_digits_and_a_check_digit(number: str, right: bool) -> None:  # noqa: FBT001 (a column)
    assert rules.is_number(number) is right


@given(st.integers(0, 11), st.integers(0, 9))
def test_one_mistyped_digit_is_always_noticed(place: int, digit: int) -> None:
    number = "999900000016"
    typed = number[:place] + str(digit) + number[place + 1 :]
    assert rules.is_number(typed) is (typed == number)


@pytest.mark.parametrize(
    ("born", "band"),
    [
        (date(1996, 11, 21), "30-40"),
        (date(1996, 11, 22), "20-30"),
        (date(2026, 1, 1), "0-10"),
        (date(1936, 2, 29), "90-100"),
    ],
)
def test_an_age_is_told_as_ten_years(born: date, band: str) -> None:
    assert rules.age_band(born, date(2026, 11, 21)) == band


def test_a_request_is_open_until_it_is_used_locked_or_over() -> None:
    assert request().is_open(NOW)
    assert not request().is_open(NOW + rules.OTP_LIFE)
    assert not any(
        request(state=state).is_open(NOW) for state in (RequestState.USED, RequestState.LOCKED)
    )


def test_the_third_wrong_password_locks() -> None:
    assert [rules.after_wrong(request(wrong=wrong)) for wrong in range(3)] == [
        (1, RequestState.OPEN),
        (2, RequestState.OPEN),
        (3, RequestState.LOCKED),
    ]


@pytest.mark.parametrize(("after_s", "wait_s"), [(0, 45), (1, 44), (44, 1), (45, 0), (600, 0)])
def test_a_password_may_be_sent_again_after_a_while(after_s: int, wait_s: int) -> None:
    assert rules.wait_before_resend(request(), NOW + timedelta(seconds=after_s)) == wait_s


def test_what_is_shown_of_numbers() -> None:
    assert rules.masked("0016") == "XXXXXXXX0016"
    assert rules.masked_mobile("9876543210") == "*******210"
    assert rules.masked_mobile("") == ""
