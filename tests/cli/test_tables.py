"""Results for people at 80 columns: no word broken that fits a line, nothing past the edge."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.cli.output import show

COLUMNS = 80
PHRASE = "a phrase of several words that may go on in the next line wherever it likes to"
LEADS = {
    "affiliate": "AF123456",
    "lead_id": "217426301502715",
    "merchant_id": "85497180",
    "company": PHRASE,
}
CALLS = {
    "reference": "prq_0123456789abcdef0123",
    "interface": "aadhaar-verification",
    "address": "203.0.113.77",
}


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def printed(capsys: pytest.CaptureFixture[str], result: Any) -> str:
    show(result, json=False, title="Title")
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("result", "boxed"),
    [
        ([LEADS, LEADS], True),
        ([CALLS | {"code": "00", "detail": "", "ms": 12}], False),
        ([{f"name_{number}": "word" for number in range(12)}], False),
        ([{"note": PHRASE * 3, "gstin": "29JDOCB1001A1ZX"}], True),
        (
            {
                "company_info.merchant_legal_name": PHRASE,
                "email": "somebody.with.a.long.name@business.example",
            },
            False,
        ),
        ({"affiliate": "AF123456", "story": [f"20 Nov 2026: {PHRASE}"] * 3}, True),
        ({"secret": "s" * 60, "OAuth client secret (for access tokens only)": "t" * 50}, True),
    ],
)
def test_every_word_is_whole_and_no_line_too_long(
    capsys: pytest.CaptureFixture[str], result: Any, *, boxed: bool
) -> None:
    text = printed(capsys, result)
    assert max(map(len, text.splitlines())) <= COLUMNS, text
    assert ("┃" in text or "│" in text) is boxed, text
    words = set(text.replace("│", " ").replace("┃", " ").split())
    for entry in result if isinstance(result, list) else [result]:
        for name, value in entry.items():
            wanted = f"{name} " + (" ".join(value) if isinstance(value, list) else str(value))
            for word in wanted.split():
                assert {word, f"{word}:"} & words, (word, text)


def test_a_word_longer_than_a_line_is_left_to_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = "https://shop.example/" + "a" * 90
    assert url in printed(capsys, [{"url": url, "tries": 3}])


def test_a_moment_is_for_people_to_the_second_and_for_scripts_in_utc(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = datetime(2026, 11, 1, 20, 5, 7, tzinfo=UTC)
    assert "2 Nov 2026, 01:35:07 IST" in printed(capsys, {"at": at})
    show([{"at": at}], json=True)
    assert '"2026-11-01T20:05:07Z"' in capsys.readouterr().out


def test_what_others_wrote_is_text_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, [{"name": "[/b] :bomb: [red]x", "answer": "\x1b[2Jgone"}])
    assert "[/b] :bomb: [red]x" in text
    assert "\x1b" not in text


def test_nothing_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing yet" in printed(capsys, [])


def test_amounts_are_paise_for_scripts_and_money_for_people(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [{"fee_paise": 149_950, "currency": "INR"}, {"fee_paise": 100, "currency": "USD"}]
    text = printed(capsys, rows)
    assert "₹1,499.50" in text
    assert "USD 1.00" in text
    assert "paise" not in text
    show(rows, json=True)
    assert '"fee_paise": 149950' in capsys.readouterr().out
