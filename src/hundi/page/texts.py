"""Every sentence of the payment page, by key and language: one place to read the product's voice, and to translate it.

A text that a language lacks is shown in English. Second person, present tense, no blame; a refusal says what happened,
whether money moved and what to do.
"""

from collections.abc import Callable, Mapping
from functools import cache

from markupsafe import Markup, escape

from hundi.page.texts_en import ENGLISH
from hundi.page.texts_hi import HINDI

Say = Callable[..., str]
"""`say(key, **values)` gives a sentence in the customer's language."""

LANGUAGES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "hi": HINDI}
DEFAULT_LANGUAGE = "en"
_TAGS_READ_MAX = 10


def language_of(accept_language: str) -> str:
    """Return the first language of the header that the page speaks, in the browser's order."""
    for tag in accept_language.lower().split(",")[:_TAGS_READ_MAX]:
        language = tag.partition(";")[0].partition("-")[0].strip()
        if language in LANGUAGES:
            return language
    return DEFAULT_LANGUAGE


class Words(dict[str, Markup]):
    """The texts of one page, escaped for HTML and filled with the page's values, each when a template first asks.

    A mapping and not a function: a template reads it ten times faster than it calls.
    """

    def __init__(self, language: str, values: Mapping[str, str]) -> None:
        """Speak one language; values fill the texts' `{names}`."""
        super().__init__()
        self._texts = _texts(language)
        self._values = values

    def __missing__(self, key: str) -> Markup:
        """Return a text; an unknown key is our bug and raises KeyError."""
        self[key] = filled = escape(self._texts[key].format_map(self._values))
        return filled


@cache
def _texts(language: str) -> Mapping[str, str]:
    return {**ENGLISH, **LANGUAGES[language]}


@cache
def fixed_texts(language: str) -> Mapping[str, Markup]:
    """Return the texts of a language that hold no values, escaped for HTML."""
    return {key: escape(text) for key, text in _texts(language).items() if "{" not in text}


@cache
def speaker(language: str) -> Say:
    """Return the speaker of a language; an unknown key is our bug and raises KeyError."""
    texts = _texts(language)

    def say(key: str, **values: object) -> str:
        text = texts[key]
        return text.format_map(values) if values else text

    return say
