"""Days and moments in the words of each language, held against Babel for every day of a year."""

from datetime import UTC, date, datetime, timedelta

import pytest
from babel import Locale
from babel.dates import format_date, get_timezone, get_timezone_name

from hundi.kernel.clock import for_people
from hundi.kernel.dates import TABLE, date_words
from hundi.page.texts import LANGUAGES, speaker
from tools.write_dates import table

DAYS = [date(2028, 1, 1) + timedelta(days=number) for number in range(366)]
LATE = datetime(2026, 11, 27, 22, 23, tzinfo=UTC)
"""The 28th in India: 03:53."""


def test_the_table_is_what_babel_says_now():
    assert table() == TABLE.read_text("utf-8"), "run: make texts"


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_every_day_of_a_leap_year_is_written_as_babel_writes_it(language: str):
    locale, words = Locale.parse(f"{language}_IN"), date_words(language)
    assert [words.day_in_words(day) for day in DAYS] == [
        format_date(day, "long", locale) for day in DAYS
    ]
    assert words.zone == get_timezone_name(get_timezone("Asia/Kolkata"), "short", locale=locale)


def test_english_is_the_form_of_all_other_pages():
    for day in DAYS:
        moment = datetime(day.year, day.month, day.day, 8, 35, tzinfo=UTC)
        assert date_words("en").moment_in_words(moment) == for_people(moment)


def test_a_language_without_words_reads_english():
    assert date_words("fr") is date_words("en")


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "28 Nov 2026, 03:53 IST"),
        ("hi", "28 नवंबर 2026, 03:53 भारत समय"),
        ("kn", "ನವೆಂಬರ್ 28, 2026, 03:53 ಭಾರತ ಸಮಯ"),
        ("ta", "28 நவம்பர், 2026, 03:53 இந்தியா நேரம்"),
    ],
)
def test_a_sentence_has_its_moments_in_india_and_in_its_language(language: str, written: str):
    say = speaker(language)
    assert say.moment(LATE) == written
    assert written in say("link_until", until=LATE)
    assert say.day(LATE.date()) in say("debited_returns", date=LATE.date())
