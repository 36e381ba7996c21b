"""The words about a payment link, and the addresses that open them in an app."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from hundi.console import sharing
from hundi.console.sharing import LinkWords
from hundi.kernel.dates import date_words
from hundi.kernel.languages import OWN_NAMES
from hundi.kernel.records import replace
from hundi.letters.wording.actions import LANGUAGES, speaker

ENGLISH = speaker("en")
WORDS = LinkWords(
    "Asha & Sons",
    "₹1,500.00",
    "Two silk sarees #7",
    "https://pay.example/l/7.k3m9abcdefghjkmn",
    datetime(2026, 12, 23, 18, 29, tzinfo=UTC),
    parts=False,
)


def test_each_way_carries_the_words_that_are_shown() -> None:
    whatsapp, sms, mail = sharing.ways_of(WORDS, "98765 43210", "kavya+1@example.com", ENGLISH)
    assert urlsplit(whatsapp.href).path == "/919876543210"
    assert parse_qs(urlsplit(whatsapp.href).query)["text"] == [whatsapp.text]
    number, _, body = sms.href.partition("?&body=")
    assert (number, unquote(body)) == ("sms:+919876543210", sms.text)
    address, _, rest = mail.href.partition("?")
    assert unquote(address) == "mailto:kavya+1@example.com"
    fields = parse_qs(rest)
    assert fields["subject"] == [mail.subject]
    assert fields["body"][0].replace("\r\n", "\n") == mail.text
    for way in (whatsapp, sms, mail):
        assert WORDS.url in way.text
        assert "₹1,500.00" in way.text
        assert "23 Dec 2026" in way.text


def test_without_a_customer_the_app_asks_for_one() -> None:
    whatsapp, sms, mail = sharing.ways_of(WORDS, "", "", ENGLISH)
    assert whatsapp.href.startswith("https://wa.me/?text=")
    assert sms.href.startswith("sms:?&body=")
    assert mail.href.startswith("mailto:?subject=")
    assert {way.to for way in (whatsapp, sms, mail)} == {""}


def test_a_reminder_and_parts_say_so() -> None:
    reminding = replace(WORDS, reminds=True, parts=True)
    whatsapp, _, mail = sharing.ways_of(reminding, "", "", ENGLISH)
    assert whatsapp.text.startswith("Reminder: ")
    assert mail.subject.startswith("Reminder: ")
    assert "in parts" in whatsapp.text
    assert "in parts" in mail.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_in_the_customers_language(language: str) -> None:
    words = replace(WORDS, language=language, parts=True)
    short, _, mail = sharing.ways_of(words, "", "", speaker(language))
    english, _, _ = sharing.ways_of(replace(WORDS, parts=True), "", "", ENGLISH)
    assert (short.text == english.text) == (language == "en")
    for text in (short.text, mail.text):
        assert text.endswith(words.url), "a cut message loses the address visibly"
        assert date_words(language).months[11] in text
    assert language in OWN_NAMES


@pytest.mark.parametrize(
    ("phone", "digits"),
    [
        ("", ""),
        ("9876543210", "919876543210"),
        ("09876543210", "919876543210"),
        ("+91 98765-43210", "919876543210"),
        ("919876543210", "919876543210"),
        ("+9876543210", "9876543210"),
        ("+1 (415) 555 0100", "14155550100"),
    ],
)
def test_a_number_gets_its_country(phone: str, digits: str) -> None:
    assert sharing.international(phone) == digits
