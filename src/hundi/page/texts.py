"""Every sentence of the payment page and the offers page, by key and language.

They come from the compiled catalogues in `locales`; docs/decisions/0010-texts-in-catalogues.md says
why. A text that a language lacks is shown in English, and a test fails until it is translated.
Second person, present tense, no blame; a refusal says what happened, whether money moved and what
to do.
"""

from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from gettext import NullTranslations
from pathlib import Path

from markupsafe import Markup, escape

from hundi.infra.catalogues import NoText, read_catalogue
from hundi.kernel.dates import date_words

_CATALOGUES = {
    path.parts[-3]: path for path in Path(__file__).parent.glob("locales/*/LC_MESSAGES/page.mo")
}
LANGUAGES = tuple(sorted(_CATALOGUES))
"""A language is available once its compiled catalogue is there."""
DEFAULT_LANGUAGE = "en"
_TAGS_READ_MAX = 10


def language_of(accept_language: str) -> str:
    """Return the first language of the header that the page has, in the browser's order."""
    for tag in accept_language.lower().split(",")[:_TAGS_READ_MAX]:
        language = tag.partition(";")[0].partition("-")[0].strip()
        if language in _CATALOGUES:
            return language
    return DEFAULT_LANGUAGE


def language_at(path: str, accept_language: str, wished: str = "") -> str:
    """Return the language at the end of a session's address (`7.42.TAG.ta`), else the browser's.

    wished: the choice from the switch of a page that has none in its path; it overrides both.
    """
    if wished in _CATALOGUES:
        return wished
    ending = path.rpartition(".")[2].partition("/")[0]
    return ending if ending in _CATALOGUES else language_of(accept_language)


@cache
def _catalogue(language: str) -> NullTranslations:
    otherwise = NoText() if language == DEFAULT_LANGUAGE else _catalogue(DEFAULT_LANGUAGE)
    return read_catalogue(_CATALOGUES[language], otherwise)


class _Texts(dict[str, str]):
    """The texts of one language by key, looked up in the catalogue once: faster than gettext."""

    def __init__(self, language: str) -> None:
        """Use one language."""
        super().__init__()
        self._catalogue = _catalogue(language)

    def __missing__(self, key: str) -> str:
        """Return a text; an unknown key is our bug and raises KeyError."""
        self[key] = text = self._catalogue.gettext(key)
        return text


@cache
def _texts(language: str) -> Mapping[str, str]:
    return _Texts(language)


class Words(dict[str, Markup]):
    """The texts of one page, escaped for HTML and filled with values when a template first asks.

    A mapping and not a function: a template reads it ten times faster than it calls.
    """

    def __init__(self, language: str, values: Mapping[str, str]) -> None:
        """Use one language; values fill the texts' `{names}`."""
        super().__init__()
        self._language = language
        self._texts = _texts(language)
        self._values = values

    def with_amount(self, amount: str) -> "Words":
        """Return the texts of a part of the page with another amount."""
        return Words(self._language, {**self._values, "amount": amount})

    def __missing__(self, key: str) -> Markup:
        """Return a text; an unknown key is our bug and raises KeyError."""
        self[key] = filled = escape(self._texts[key].format_map(self._values))
        return filled


def fixed_text(language: str, key: str) -> Markup | None:
    """Return a text escaped for HTML, None if it has values. Raises KeyError for an unknown key."""
    text = _texts(language)[key]
    return None if "{" in text else escape(text)


class Say:
    """The sentences of one language: `say("key", name=value)`."""

    def __init__(self, language: str) -> None:
        """Use one language."""
        self.language = language
        self._texts = _texts(language)
        self._dates = date_words(language)

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its values; days and moments are written as the language writes them.

        An unknown key is our bug and raises KeyError.
        """
        text = self._texts[key]
        if not values:
            return text
        return text.format_map({name: self._in_words(value) for name, value in values.items()})

    def day(self, on: date) -> str:
        """Return a day in words."""
        return self._dates.day_in_words(on)

    def moment(self, at: datetime) -> str:
        """Return day and time of a moment in words, in India's time."""
        return self._dates.moment_in_words(at)

    def time(self, at: datetime) -> str:
        """Return the time of a moment, in India's time."""
        return self._dates.time_in_words(at)

    def _in_words(self, value: object) -> object:
        if isinstance(value, datetime):
            return self.moment(value)
        return self.day(value) if isinstance(value, date) else value


@cache
def speaker(language: str) -> Say:
    """Return the `say` of a language."""
    return Say(language)
