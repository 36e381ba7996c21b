"""Files of payment links: what is read, and what is wrong with a file, by line and column."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.payments.links.batches import rules
from hundi.payments.links.batches.rules import BatchFault

NOW = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
HEAD = "reference,description,amount"


def faults(text: str | bytes) -> list[BatchFault]:
    file = rules.read_file(text if isinstance(text, bytes) else text.encode(), NOW)
    return [*file.faults, *(line.fault for line in file.lines if line.fault)]


def test_a_file_is_read() -> None:
    file = rules.read_file(
        b"\xef\xbb\xbfDescription,reference,amount,phone,until,items,remind_before\r\n"
        b'"School fees, term 2",F-1,"12,500.00",98765 43210,2026-12-31,,1 3\r\n'
        b"\r\n"
        b"Fees and bus,F-2,,,,School fees; 1; 12500|Bus; 3; 4500.50,\r\n",
        NOW,
    )
    assert file.faults == ()
    first, second = file.lines
    assert (first.line, second.line) == (2, 4)
    assert (first.link.reference, first.link.description) == ("F-1", "School fees, term 2")
    assert (first.link.amount_paise, first.link.buyer.phone) == (1_250_000, "98765 43210")
    assert first.link.expires_at == datetime(2026, 12, 31, 18, 29, tzinfo=UTC)
    assert first.link.reminders.before_end == (1, 3)
    assert second.link.amount_paise == 1_700_050
    assert [item.quantity for item in second.link.items] == [1, 3]
    assert second.link.expires_at == NOW + timedelta(days=30)
    assert rules.words_of(file) == "2 links of ₹29,500.50 together"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheets_other_separators_are_read(separator: str) -> None:
    text = f"{HEAD}\nF-1,Fees,100".replace(",", separator)
    assert rules.read_file(text.encode(), NOW).lines[0].link.amount_paise == 10_000


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (f"{HEAD}\nF-1,Fees,ten", 2, "amount"),
        (f"{HEAD}\nF-1,Fees,", 2, "amount"),
        (f"{HEAD}\nF-1,Fees,-5", 2, "amount"),
        (f"{HEAD}\na b,Fees,5", 2, "reference"),
        (f"{HEAD}\nF-1,,5", 2, "description"),
        (f"{HEAD}\nF-1,Fees,5\nF-1,Fees,5", 3, "reference"),
        (f"{HEAD},until\nF-1,Fees,5,31/12/2026", 2, "until"),
        (f"{HEAD},until\nF-1,Fees,5,2026-11-01", 2, "until"),
        (f"{HEAD},email\nF-1,Fees,5,asha", 2, "email"),
        (f"{HEAD},phone\nF-1,Fees,5,none", 2, "phone"),
        (f"{HEAD},minimum\nF-1,Fees,5,6", 2, "minimum"),
        (f"{HEAD},surplus\nF-1,Fees,5,lose", 2, "surplus"),
        (f"{HEAD},items\nF-1,Fees,5,Fees; 1; 4", 2, "items"),
        (f"{HEAD},remind_before\nF-1,Fees,5,99", 2, "remind_before"),
        ("reference,amount\nF-1,5", 0, "file"),
        ("reference,description\nF-1,Fees", 0, "file"),
        (f"{HEAD},colour\nF-1,Fees,5,red", 0, "file"),
        (f"{HEAD},amount\nF-1,Fees,5,5", 0, "file"),
        (HEAD, 0, "file"),
        ("", 0, "file"),
        (f'{HEAD}\n"F-1,Fees,5', 0, "file"),
        (f"{HEAD}\nF-1,Fees,5,6", 0, "file"),
        (b"\xff\xfe\x00", 0, "file"),
        (b"x" * (rules.FILE_BYTES_MAX + 1), 0, "file"),
        (HEAD + "\nF,Fees,5" * (rules.LINES_MAX + 1), 0, "file"),
    ],
)
def test_a_fault_names_its_line_and_column(text: str | bytes, line: int, column: str) -> None:
    assert [(fault.line, fault.column) for fault in faults(text)] == [(line, column)]


def test_a_fault_shows_no_card_and_no_customer() -> None:
    (card,) = faults(f"{HEAD}\n5555341244441115 x,Fees,5")
    assert "5555341244441115" not in card.words
    (phone,) = faults(f"{HEAD},phone\nF-1,Fees,5,12345")
    assert "12345" not in phone.words


def test_a_cards_number_in_a_description_is_masked() -> None:
    (line,) = rules.read_file(f"{HEAD}\nF-1,For 5555341244441115,5".encode(), NOW).lines
    assert "5555341244441115" not in line.link.description


def test_the_example_is_a_file_without_faults() -> None:
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rules.EXAMPLE)
    assert faults(text) == []


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(content: bytes) -> None:
    file = rules.read_file(content, NOW)
    assert file.lines or file.faults
