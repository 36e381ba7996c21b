"""Card and Aadhaar numbers in texts, in the spellings that people and programs use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn, verhoeff

from hundi.kernel.masking import holds_card, is_aadhaar, is_card, masked, masked_json

CARD, AMEX, LONG = "4111111111111111", "378282246310005", "6304000000000000000"
AADHAAR = "234123412346"
_SPACED = "4111 1111 1111 1111"


@pytest.mark.parametrize(
    "text",
    [
        CARD,
        _SPACED,
        _SPACED.replace(" ", "-"),
        _SPACED.replace(" ", "."),
        _SPACED.replace(" ", "\N{NO-BREAK SPACE}"),
        _SPACED.replace(" ", "\N{EN DASH}"),
        _SPACED.replace(" ", "%20"),
        _SPACED.replace(" ", "+"),
        _SPACED.replace(" ", "\\u00a0"),
        " ".join(CARD),
        "".join(f"%{ord(digit):x}" for digit in CARD),
        "".join(f"&#{ord(digit)};" for digit in CARD),
        CARD.translate({ord(digit): chr(0x0966 + int(digit)) for digit in "0123456789"}),
        CARD.translate({ord(digit): chr(0xFF10 + int(digit)) for digit in "0123456789"}),
        f"card{CARD}end",
        f'{{"pan":"{CARD}"}}',
        f"12/2027 {_SPACED}",
        AMEX,
    ],
)
def test_a_card_is_masked_in_every_spelling(text: str) -> None:
    assert holds_card(text)
    kept = masked(text)
    assert "[card]" in kept
    assert not holds_card(kept)
    assert masked(kept) == kept


@pytest.mark.parametrize("text", [AADHAAR, "2341 2341 2346", f"uid:{AADHAAR}", "2341-2341-2346"])
def test_an_aadhaar_number_is_masked(text: str) -> None:
    assert "[aadhaar]" in masked(text)
    assert not holds_card(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{CARD} 12/27 123", "[card] 12/27 ***"),
        (f"123 {CARD}", "*** [card]"),
        (f"{CARD} cvv is 123", "[card] cvv is ***"),
        (f"{AMEX} 1234", "[card] ****"),
        (f'{{"card":"{CARD}","cvv":"123"}}', '{"card":"[card]","cvv":"***"}'),
        ("CVV: 123", "CVV: ***"),
        ("security code 1234", "security code ****"),
    ],
)
def test_a_cvv_goes_too(text: str, kept: str) -> None:
    assert masked(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "transaction 217000000123456",
        "2026-11-25 18:26:01.123456",
        "20261125182601",
        "1764093361123",
        "₹1,23,456.00 and ₹4,000.00",
        "+91 98765 43210, +91 98765 43211",
        "flat 123, MG Road, Bengaluru 560001",
        "4111111111111112",
        "order HND-2026-000123",
    ],
)
def test_what_is_no_card_stays(text: str) -> None:
    assert masked(text) == text


def test_references_of_twelve_digits_stay_exact_where_json_names_them() -> None:
    kept = {"rrn": AADHAAR, "transaction_id": AADHAAR, "phone": AADHAAR, "amount_paise": 4111}
    assert masked_json(kept) == kept
    assert masked_json({"note": AADHAAR, "deep": [{"cvv": "123", "rrn": CARD}]}) == {
        "note": "[aadhaar]",
        "deep": [{"cvv": "***", "rrn": "[card]"}],
    }


@given(st.integers(16, 19), st.text("0123456789", min_size=17, max_size=17), st.sampled_from("456"))
def test_no_issued_number_survives(length: int, digits: str, first: str) -> None:
    body = (first + digits)[: length - 1]
    number = body + luhn.calc_check_digit(body)
    assert is_card(number)
    assert number not in masked(f"my card {number} please")


@given(st.text("0123456789", min_size=10, max_size=10), st.sampled_from("23456789"))
def test_no_identity_number_survives(digits: str, first: str) -> None:
    number = first + digits + verhoeff.calc_check_digit(first + digits)
    assert is_aadhaar(number)
    assert number not in masked(f"aadhaar {number}.")


@given(st.text())
def test_no_text_grows(text: str) -> None:
    assert len(masked(text)) <= len(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Nd", "No"])))
def test_text_without_digits_stays(text: str) -> None:
    assert masked(text) == text
