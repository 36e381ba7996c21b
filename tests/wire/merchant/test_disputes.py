"""The messages about disputes: what is refused, in which words, and what comes back."""

import base64
from typing import Any

import pytest

from hundi.wire.fields import FieldError
from hundi.wire.merchant.disputes import (
    DOCUMENT_BYTES_MAX,
    DisputeAcceptance,
    DisputeContest,
    NewEvidence,
)
from hundi.wire.message import read_request, write_reply
from tests.sdk.dispute_double import DISPUTED, PHASE

PDF = base64.b64encode(b"%PDF-1.7").decode()


def test_an_acceptance_is_of_all_or_of_a_part() -> None:
    named = {"dispute_id": "7"}
    assert read_request(DisputeAcceptance, named).amount_paise is None
    assert read_request(DisputeAcceptance, named | {"amount": None}).amount_paise is None
    assert read_request(DisputeAcceptance, named | {"amount": "500"}).amount_paise == 50_000


@pytest.mark.parametrize(
    ("message", "fields", "refused"),
    [
        (DisputeAcceptance, {"amount": ""}, ("amount", "", "a decimal above zero")),
        (
            DisputeContest,
            {"amount": "5.00"},
            ("amount", "5.00", "nothing: to accept a part is dispute/accept"),
        ),
        (
            DisputeContest,
            {"buyer_email": "x"},
            ("buyer_email", "a field of the payment page", "only dispute_id, note"),
        ),
        (NewEvidence, {}, ("content", "", "a value: this field is required")),
        (NewEvidence, {"content": PDF[:-1]}, ("content", "", "base64 of a PDF, PNG or JPEG")),
        (
            NewEvidence,
            {"content": "A" * 1_398_105},
            ("content", "", f"base64 of at most {DOCUMENT_BYTES_MAX} bytes"),
        ),
    ],
)
def test_what_says_something_else_is_refused(
    message: Any, fields: dict[str, str], refused: tuple[str, ...]
) -> None:
    with pytest.raises(FieldError) as caught:
        read_request(message, {"dispute_id": "7"} | fields)
    field, received, allowed = refused
    assert (caught.value.field, caught.value.received) == (field, received)
    assert caught.value.allowed.startswith(allowed)


def test_a_document_is_kept_whole_and_out_of_logs() -> None:
    asked = read_request(NewEvidence, {"dispute_id": "7", "content": PDF, "name": "bill.pdf"})
    assert (asked.content, asked.name) == (b"%PDF-1.7", "bill.pdf")
    assert "PDF-" not in repr(asked)


def test_a_dispute_shows_the_phase_that_it_is_in_beside_its_own_fields() -> None:
    told = write_reply(DISPUTED)
    phase = write_reply(PHASE)
    assert [*told] == [
        *phase,
        "dispute_id",
        "ap_transactionid",
        "orderid",
        "iso_currency",
        "phases",
        "evidence",
    ]
    assert told["phases"] == [phase]
    assert (phase["respond_by"], phase["answered_at"]) == ("2026-11-26T10:00:00+05:30", "")
