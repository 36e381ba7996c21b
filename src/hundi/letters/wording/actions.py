"""Reads the catalogues of letters to customers."""

from functools import cache
from gettext import NullTranslations
from pathlib import Path

from hundi.infra.catalogues import NoText, read_catalogue
from hundi.kernel.records import replace
from hundi.letters.rules import ABOUT_PAYMENTS, Letter
from hundi.letters.wording.rules import LetterText, Say, text_of

_CATALOGUES = {
    path.parts[-3]: path for path in Path(__file__).parent.glob("locales/*/LC_MESSAGES/letters.mo")
}
DEFAULT_LANGUAGE = "en"
LANGUAGES = tuple(sorted(_CATALOGUES))


@cache
def _catalogue(language: str) -> NullTranslations:
    otherwise = NoText() if language == DEFAULT_LANGUAGE else _catalogue(DEFAULT_LANGUAGE)
    return read_catalogue(_CATALOGUES[language], otherwise)


@cache
def speaker(language: str) -> Say:
    """Return the `say` of a language; English for one that letters do not have."""
    catalogue = _catalogue(language if language in _CATALOGUES else DEFAULT_LANGUAGE)

    def say(key: str, **values: str) -> str:
        text = catalogue.gettext(key)
        return text.format_map(values) if values else text

    return say


def words_of(letter: Letter, stop_link: str = "", where_link: str = "") -> LetterText:
    """Return the text of a letter in its language.

    stop_link: to the page that ends WhatsApp messages, for a customer who gets some. where_link: to
    the page where payers ask for their money, for letters about a payment.
    """
    say = speaker(letter.language)
    text = text_of(letter.kind, letter.facts, letter.language, say)
    lines: list[str] = []
    if where_link and letter.kind in ABOUT_PAYMENTS:
        lines.append(say("where", link=where_link))
    if stop_link:
        lines.append(say("stop_whatsapp", merchant=text.sender, link=stop_link))
    return replace(text, small=(*text.small, *lines))
