"""Every sentence of the payment page, by key and language: one place to read the product's voice, and to translate it.

A text that a language lacks is shown in English. Second person, present tense, no blame; a refusal says what happened,
whether money moved and what to do.
"""

from collections.abc import Callable, Mapping
from functools import cache

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


@cache
def speaker(language: str) -> Say:
    """Return the speaker of a language; an unknown key is our bug and raises KeyError."""
    texts = {**ENGLISH, **LANGUAGES[language]}

    def say(key: str, **values: object) -> str:
        text = texts[key]
        return text.format_map(values) if values else text

    return say
