"""What a try makes of a letter, and what is an address."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.letters.rules import (
    ATTACHMENT_BYTES_MAX,
    CHOSEN_BY_MERCHANT,
    CHOSEN_BY_PERSON,
    RETRY_GAPS,
    TO_CUSTOMERS,
    TRIES_MAX,
    Attachment,
    LetterState,
    SendOutcome,
    SendVerdict,
    change_by,
    mail_address,
    masked_address,
)
from hundi.merchants.directory.rules import LETTER_KINDS

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        (SendVerdict.TAKEN, LetterState.SENT),
        (SendVerdict.REFUSED, LetterState.GIVEN_UP),
        (SendVerdict.BOUNCED, LetterState.BOUNCED),
        (SendVerdict.ABSENT, LetterState.WITHHELD),
    ],
)
def test_an_answer_that_decides_ends_a_letter(verdict: SendVerdict, state: LetterState) -> None:
    change = change_by(SendOutcome(verdict, "why"), 1, NOW)
    assert (change.state, change.due_at, change.problem) == (state, None, "why")


def test_silence_is_tried_again_with_growing_gaps_and_ends() -> None:
    due = [
        change_by(SendOutcome(SendVerdict.LATER), number, NOW) for number in range(1, TRIES_MAX + 1)
    ]
    gaps = [each.due_at - NOW for each in due if each.due_at]
    assert gaps == list(RETRY_GAPS) == sorted(gaps)
    assert [each.state for each in due] == [LetterState.WAITING] * len(gaps) + [
        LetterState.GIVEN_UP
    ]
    assert sum(gaps, timedelta()) < timedelta(days=2)


def test_a_message_whose_answer_was_lost_is_tried_twice_at_most() -> None:
    lost = SendOutcome(SendVerdict.LATER, "no answer", "You paid", may_have_arrived=True)
    states = [change_by(lost, number, NOW).state for number in (1, 2)]
    assert states == [LetterState.WAITING, LetterState.GIVEN_UP]


@pytest.mark.parametrize("address", ["asha@example.in", "a.b+c@mail.example.co.in"])
def test_an_address_is_taken_as_it_is(address: str) -> None:
    assert mail_address(f" {address} ") == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "asha",
        "asha@localhost",
        "asha@example.in\r\nBcc: thief@evil.example",
        "asha@example.in, other@example.in",
        '"a b"@example.in',
        "<asha@example.in>",
        "4111111111111111@example.in",
        "a" * 65 + "@example.in",
        "a..b@example.in",
        ".a@example.in",
        "a.@example.in",
        "a@-example.in",
    ],
)
def test_what_could_be_two_addresses_or_a_header_is_none(address: str) -> None:
    assert mail_address(address) == ""


@given(st.text())
def test_no_text_becomes_an_address_with_a_line_or_a_space(text: str) -> None:
    address = mail_address(text)
    assert address.isascii()
    assert not any(each.isspace() or each in ",;<>" for each in address)


def test_people_see_a_part_of_an_address() -> None:
    assert masked_address("asha@example.in") == "a•••@example.in"
    assert masked_address("9876543210") == "••••3210"


def test_merchants_choose_among_what_the_gateway_writes_by_itself() -> None:
    assert tuple(each.value for each in CHOSEN_BY_MERCHANT) == LETTER_KINDS
    assert set(CHOSEN_BY_MERCHANT) < set(TO_CUSTOMERS)
    assert not set(CHOSEN_BY_PERSON) & set(TO_CUSTOMERS)


@pytest.mark.parametrize("name", ["../etc/passwd", "a.exe", "a\r\n.csv", "", "csv"])
def test_a_file_with_another_name_is_no_attachment(name: str) -> None:
    with pytest.raises(ValueError, match="no file"):
        Attachment(name, b"")


def test_a_large_file_is_no_attachment() -> None:
    with pytest.raises(ValueError, match="larger"):
        Attachment("day-book.csv", b"x" * (ATTACHMENT_BYTES_MAX + 1))
