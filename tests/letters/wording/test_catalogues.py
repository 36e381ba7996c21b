"""The letters to customers say the same in every language of the payment page."""

import string

import pytest

from hundi.letters.rules import TO_CUSTOMERS, LetterKind
from hundi.letters.wording.actions import LANGUAGES, speaker
from hundi.letters.wording.rules import LABELS, text_of
from hundi.merchants.directory.rules import LANGUAGES as CHOSEN
from hundi.page.texts import LANGUAGES as OF_PAGE
from tools.write_texts import ENGLISH, in_step, path_of, read

KEYS = {
    *(f"{kind}_{part}" for kind in TO_CUSTOMERS for part in ("subject", "text")),
    *(label for _, label in LABELS),
    *("open", "why", "help", "simulated", "stop_whatsapp", "where"),
    *(f"share_{part}" for part in ("for", "parts", "unexpected", "until")),
}
TRANSLATIONS = [language for language in LANGUAGES if language != ENGLISH]
FACTS = {
    "merchant": "Asha Handlooms",
    "support": "help@asha.example",
    "amount": "₹1,499.50",
    "order": "T1",
    "payment": "217000000000001",
    "rrn": "633300001000",
    "at": "29 Nov 2026, 15:48 IST",
    "date": "30 Nov 2026, 10:00 IST",
    "mandate": "217000000000002",
    "path": "/l/1.code",
    "simulated": "yes",
    "answer": "We sent it again today.",
}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_letters_and_the_payment_page_have_the_same_languages() -> None:
    assert set(LANGUAGES) == set(OF_PAGE) == set(CHOSEN)


def test_every_key_is_used_and_every_use_has_a_key() -> None:
    assert {each.id for each in read(ENGLISH, "letters") if each.id} == KEYS


def test_the_address_of_a_page_is_never_masked() -> None:
    """An older link's code may have a person's number in it by chance, with the merchant's."""
    path = "/l/80896540.4603mr1hddhvzmg4"
    facts = FACTS | {"path": path, "order": "Saree for 2345 6789 0124"}
    text = text_of(LetterKind.LINK, facts, ENGLISH, speaker(ENGLISH))
    assert text.path == path
    assert "6789" not in str(text)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_is_complete_in_step_and_has_the_same_values(language: str) -> None:
    english, translation = read(ENGLISH, "letters"), read(language, "letters")
    for each in english:
        if not each.id:
            continue
        text = translation.get(each.id)
        assert text is not None
        assert text.string, each.id
        assert not text.fuzzy, each.id
        assert placeholders(str(text.string)) == placeholders(str(each.string)), each.id
    kept = [(each.id, each.string) for each in in_step(english, translation, "letters")]
    assert kept == [(each.id, each.string) for each in translation]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    assert path_of(language, "mo", "letters").exists()
    say = speaker(language)
    for each in read(language, "letters"):
        if each.id:
            assert say(str(each.id)) == each.string


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", list(LetterKind))
def test_every_letter_can_be_written_in_every_language(kind: LetterKind, language: str) -> None:
    staff = {"until": "x", "by": "x", "what": "x", "reason": "x", "since": "x", "problem": "x"}
    facts = {**FACTS, **staff, "report": "Day book", "site": "https://pay.example"}
    text = text_of(kind, facts, language, speaker(language))
    assert text.subject
    assert "{" not in text.subject + text.sentence
    assert "\n" not in text.subject


def test_a_name_with_lines_stays_on_one_and_a_card_number_is_masked() -> None:
    facts = {**FACTS, "merchant": "Asha\r\nBcc: x@evil.example", "order": "4111 1111 1111 1111"}
    text = text_of(LetterKind.RECEIPT, facts, "en", speaker("en"))
    assert text.subject == "Receipt from Asha Bcc: x@evil.example: ₹1,499.50"
    assert dict(text.rows)["Order"].startswith("[card]")
