"""Every sentence is there in the browser's language; English stands in, and never a key."""

from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo

from hundi.kernel.languages import OWN_NAMES
from hundi.page.texts import (
    LANGUAGES,
    NoText,
    Words,
    fixed_text,
    language_at,
    language_of,
    read_catalogue,
    speaker,
)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("hi", "hi"),
        ("hi-IN,hi;q=0.9,en;q=0.8", "hi"),
        ("fr-FR, HI;q=0.5", "hi"),
        ("fr,ru", "en"),
        ("," * 1000 + "hi", "en"),
    ],
)
def test_the_browsers_first_language_that_we_speak(header, language):
    assert language_of(header) == language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/pay/v4/s/7.42.tag", "hi"),
        ("/pay/v4/s/7.42.tag.en", "en"),
        ("/pay/v4/s/7.42.tag.en/card", "en"),
        ("/pay/v4/s/7.42.tag.fr", "hi"),
        ("", "hi"),
    ],
)
def test_what_the_address_says_goes_before_the_browsers_language(path, language):
    assert language_at(path, "hi") == language


def test_each_language_has_a_name_of_its_own_for_the_switch():
    assert set(LANGUAGES) <= OWN_NAMES.keys()


def test_english_and_hindi_are_spoken():
    assert {"en", "hi"} <= set(LANGUAGES)


def test_each_language_has_its_own_sentence():
    assert speaker("en")("paid_title") == "Paid"
    assert speaker("hi")("paid_title") == "भुगतान हो गया"


def test_values_fill_a_sentence():
    assert speaker("en")("paid", amount="₹1", merchant="Asha") == "You have paid ₹1 to Asha."


def test_the_words_of_a_page_are_escaped_and_filled():
    words = Words("en", {"amount": "₹1", "merchant": "Asha & <Daughters>"})
    assert words["title"] == "Pay ₹1 to Asha &amp; &lt;Daughters&gt;"


def test_a_text_is_fixed_unless_it_holds_values():
    assert fixed_text("en", "card_expiry_form") == "MM / YY"
    assert fixed_text("en", "title") is None


def test_what_a_language_lacks_is_said_in_english(tmp_path: Path):
    for language, texts in {
        "en": {"paid": "Paid", "close": "Close"},
        "hi": {"paid": "भुगतान हो गया"},
    }.items():
        catalogue = Catalog(language)
        for key, text in texts.items():
            catalogue.add(key, text)
        with (tmp_path / f"{language}.mo").open("wb") as file:
            write_mo(file, catalogue)
    hindi = read_catalogue(tmp_path / "hi.mo", read_catalogue(tmp_path / "en.mo", NoText()))
    assert (hindi.gettext("paid"), hindi.gettext("close")) == ("भुगतान हो गया", "Close")
    with pytest.raises(KeyError):
        hindi.gettext("no such text")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unknown_key_is_our_bug(language):
    with pytest.raises(KeyError):
        speaker(language)("no such text")
    with pytest.raises(KeyError):
        Words(language, {})["no such text"]
    with pytest.raises(KeyError):
        fixed_text(language, "no such text")
