"""The tables of the specification name what the code has, and nothing else."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from hundi.api import interfaces
from hundi.api.addresses import GATEWAY
from hundi.api.merchant.record import SPOKEN
from hundi.instruments.card import RANGES, Scheme
from hundi.instruments.limits import maximum
from hundi.instruments.methods import CHANNELS as ENABLED
from hundi.kernel.events import Kind
from hundi.kernel.money import rupees
from hundi.kernel.moves import PAYMENT_MOVES
from hundi.kernel.states import AttemptState
from hundi.notifications.rules import RETRY_GAPS_S
from hundi.partners.leads.rules import SPECIFIED_LENGTHS, LeadNews, LeadState
from hundi.payments.captures.rules import COMPLETION_MOVES
from hundi.payments.refunds.rules import REFUND_MOVES
from hundi.sdk import Event
from hundi.sdk.lead_news import LeadEvent
from hundi.wire import fields
from hundi.wire.merchant import payments
from hundi.wire.message import is_bare
from hundi.wire.partner import leads, prepaid_cards
from tests.docs.spec import FOLDER, PAGES, rows, section
from tools.field_tables import fields_of, messages


def _names(place: str, column: int = 0) -> list[str]:
    """Return the fields that a column names, in their order; a mark behind a name is left out."""
    return [
        name
        for row in rows(place)
        for name in re.sub(r"\(.*?\)", "", row[column]).replace(" ", "").split(",")
    ]


@pytest.mark.parametrize("message", messages().values(), ids=[*messages()])
def test_each_field_of_a_message_is_named_in_the_specification(message: type[Any]) -> None:
    told = "\n".join(page.read_text("utf-8") for page in PAGES)
    fields_of_it = () if is_bare(message) else fields_of(message)
    assert [each.name for each in fields_of_it if f"`{each.name}`" not in told] == []


def test_states_are_said_as_the_table_has_it() -> None:
    told = {
        state: (int(status), words)
        for state, _, status, words in rows("states-and-codes.md#payment-states")
    }
    assert told == {
        _word(state): (said.status, said.payment_status) for state, said in SPOKEN.items()
    }


def test_payments_move_as_the_table_has_it() -> None:
    told: dict[str, set[str]] = {}
    for before, after in rows("states-and-codes.md#payment-moves"):
        states = before.split(", ")
        for state in states:
            others = {*states} - {state} if "each other" in after else set[str]()
            told[state] = ({*after.split(", ")} - {"", "each other"}) | others
    assert told == {_word(before): {*map(_word, after)} for before, after in PAYMENT_MOVES.items()}


@pytest.mark.parametrize(
    ("place", "moves"), [("refund-states", REFUND_MOVES), ("capture-states", COMPLETION_MOVES)]
)
def test_refunds_and_captures_move_as_their_tables_have_it(
    place: str, moves: Mapping[str, frozenset[str]]
) -> None:
    told = {
        before: {*after.split(", ")} - {""}
        for before, _, after in rows(f"states-and-codes.md#{place}")
    }
    assert told == {_word(before): {*map(_word, after)} for before, after in moves.items()}


def test_attempts_have_the_states_of_the_table() -> None:
    told = {
        state for row in rows("states-and-codes.md#attempt-states") for state in row[0].split(", ")
    }
    assert told == {*map(_word, AttemptState)}


def _word(state: str) -> str:
    """Return a state as people write it."""
    return state.replace("_", " ")


def test_events_are_those_of_the_code() -> None:
    assert set(_names("states-and-codes.md#events")) == set(Kind)
    assert {each.value for each in Event} == {each.value for each in Kind}


def test_interfaces_are_those_that_are_mounted() -> None:
    pages = [
        (FOLDER / page).read_text("utf-8").split("<a id=")[0]
        for page in ("payment-interfaces.md", "partner-interfaces.md")
    ]
    told = {path for page in pages for path in re.findall(r"`(/gateway/[^`]+)`", page)}
    first = {GATEWAY + each.below[0] for each in interfaces.MERCHANTS}
    assert told == first | {GATEWAY + path for each in interfaces.PARTNERS for path in each.below}


def test_lead_states_are_those_of_the_code() -> None:
    assert _names("states-and-codes.md#lead-states") == list(LeadState)


def test_channels_and_kinds_are_those_of_the_code() -> None:
    told = _names("states-and-codes.md#channels")
    assert set(told) == fields.CHANNELS
    open_today = {row[0] for row in rows("states-and-codes.md#channels") if row[2] == "yes"}
    assert open_today == set(ENABLED)
    assert set(_names("states-and-codes.md#txnsubtype")) == set(payments.SUBTYPES)


def test_news_of_leads_is_that_of_the_code_and_of_the_sdk() -> None:
    told = section("partner-interfaces.md#lead-news")
    assert [each for each in LeadNews if f"`{each}`" not in told] == []
    assert {each.value for each in LeadEvent} == {each.value for each in LeadNews}


def test_lead_fields_have_the_lengths_of_the_table() -> None:
    groups = {**leads.GROUPS, "signatory_info": leads.SIGNATORY}
    ours = [
        [
            *(group, rule.name, "yes" if rule.required else "no"),
            *(str(SPECIFIED_LENGTHS.get(rule.name, rule.length_max)), str(rule.length_max)),
        ]
        for group, rules in groups.items()
        for rule in rules
    ]
    assert [row[:5] for row in rows("partner-interfaces.md#lead-fields")] == ours


def test_letters_of_cards_are_those_of_the_code() -> None:
    told = section("partner-interfaces.md#card-letters")
    letters = {**prepaid_cards.STATUS_LETTERS, **prepaid_cards.KIND_LETTERS}
    assert [
        word for word, letter in letters.items() if f"`{letter}` {word.lower()}" not in told
    ] == []


def test_card_ranges_are_those_of_the_code() -> None:
    told = {row[0]: row for row in rows("domain.md#card-ranges")}
    assert set(told) == set(Scheme)
    for scheme in Scheme:
        name, ranges, lengths, code = told[scheme]
        written = {
            f"{each.first}–{each.last}" if each.first != each.last else each.first
            for each in RANGES
            if each.scheme is scheme
        }
        assert set(ranges.split(", ")) == written, name
        spans = [[*map(int, each.split("–"))] for each in lengths.split(", ")]
        assert (
            tuple(length for span in spans for length in range(span[0], span[-1] + 1))
            == scheme.lengths
        ), name
        assert int(code) == scheme.cvv_length, name


def test_limits_of_upi_are_those_of_the_code() -> None:
    for category, most in rows("domain.md#upi-limits"):
        for mcc in re.findall(r"[0-9]{4}", category) or [""]:
            paise = maximum("upi", mcc)
            assert paise is not None
            assert f"{most}.00" == rupees(paise), category


def test_bounds_of_fields_are_those_of_the_code() -> None:
    told = {row[0]: row[1] for row in rows("wire.md#field-bounds")}
    for name, bound in (
        ("e-mail", fields.EMAIL_MAX),
        ("names", fields.NAME_MAX),
        ("address", fields.ADDRESS_MAX),
        ("pincode", payments.PINCODE_MAX),
        ("customvar", fields.CUSTOMVAR_MAX),
        ("RRN in a request", fields.RRN_MAX),
        ("any other optional text", fields.TEXT_MAX),
        ("transaction id, merchant id", fields.REFERENCE_DIGITS_MAX),
    ):
        assert str(bound) in re.findall(r"[0-9]+", told[name]), name


def test_retries_wait_as_long_as_the_table_says() -> None:
    gaps = rows("wire.md#retries")[1][1]
    units = {"s": 1, "min": 60, "h": 3600}
    told = tuple(
        int(number) * units[unit] for number, unit in re.findall(r"([0-9]+) (s|min|h)", gaps)
    )
    assert told == RETRY_GAPS_S
