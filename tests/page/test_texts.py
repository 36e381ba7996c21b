"""Every language says the same things with the same values."""

import string

import pytest

from hundi.page.texts import LANGUAGES, language_of, speaker
from hundi.page.texts_en import ENGLISH


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_known_keys_and_the_values_of_the_english_text(language):
    for key, text in LANGUAGES[language].items():
        assert key in ENGLISH
        assert fields(text) == fields(ENGLISH[key]), key


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("hi", "hi"),
        ("hi-IN,hi;q=0.9,en;q=0.8", "hi"),
        ("fr-FR, HI;q=0.5", "hi"),
        ("ta,te", "en"),
        ("," * 1000 + "hi", "en"),
    ],
)
def test_the_browsers_first_language_that_we_speak(header, language):
    assert language_of(header) == language


def test_what_a_language_lacks_is_said_in_english():
    assert speaker("hi")("upi") == ENGLISH["upi"]


def test_an_unknown_key_is_our_bug():
    with pytest.raises(KeyError):
        speaker("en")("no such text")
