"""Which letters a merchant's customers get, by mail, SMS and WhatsApp, as switches."""

from typing import Any

import msgspec
from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.integration import save
from hundi.console.lists import words
from hundi.console.payment_acts import merchant_of
from hundi.console.visits import ConsoleVisit
from hundi.letters.mail.actions import open_relay
from hundi.letters.mobile import store as templates
from hundi.letters.mobile.actions import line_of
from hundi.letters.rules import CHOSEN_BY_MERCHANT, LetterChannel
from hundi.merchants.directory.rules import LETTERS, letter_choice
from hundi.staff.people.rules import OPERATOR, Permission

PATH = "integration/letters"
_NAMES = {
    LetterChannel.MAIL: "Mail",
    LetterChannel.SMS: "SMS",
    LetterChannel.WHATSAPP: "WhatsApp",
}
_LANGUAGES = {
    "en": "English",
    "hi": "Hindi",
    "bn": "Bengali",
    "mr": "Marathi",
    "te": "Telugu",
    "ta": "Tamil",
    "gu": "Gujarati",
    "kn": "Kannada",
    "ml": "Malayalam",
    "pa": "Punjabi",
}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show each kind of letter with a switch for each channel, and what a channel lacks."""
    settings = merchant_of(visit).settings
    registered = {
        (template.channel, template.kind)
        for place in (visit.merchant_id, OPERATOR)
        for template in await templates.select_all(visit.db, place)
    }
    return visit.page(
        "integration_letters.html",
        "Letters to customers",
        channels=[(name, _lack(visit, channel)) for channel, name in _NAMES.items()],
        kinds=[
            {
                "name": words(kind),
                "switches": [
                    {
                        "code": letter_choice(kind, channel),
                        "channel": name,
                        "on": letter_choice(kind, channel) in settings.letters,
                        "lacks": channel is not LetterChannel.MAIL
                        and (channel, kind) not in registered,
                    }
                    for channel, name in _NAMES.items()
                ],
            }
            for kind in CHOSEN_BY_MERCHANT
        ],
        languages=list(_LANGUAGES.items()),
        language=settings.letter_language,
    )


def _lack(visit: ConsoleVisit, channel: LetterChannel) -> str:
    """Return what a channel lacks at this gateway, "" for nothing."""
    settings = visit.gateway.settings
    is_mail = channel is LetterChannel.MAIL
    there = open_relay(settings) if is_mail else line_of(settings, channel)
    if there is None:
        return "The operator has set no relay." if is_mail else "The operator has set no provider."
    return ""


async def change(visit: ConsoleVisit) -> Response[Any]:
    """Save which letters customers get, and in which language."""
    before = merchant_of(visit).settings
    chosen = tuple(each for each in LETTERS if visit.form.get(f"on_{each}") == "1")
    typed = visit.form.get("language", "")
    language = typed if typed in _LANGUAGES else before.letter_language
    settings = msgspec.structs.replace(before, letters=chosen, letter_language=language)
    await save(visit, before, settings, ("letters", "letter_language"))
    return visit.see(PATH, "settings_kept")


ROUTES = (
    ConsoleRoute("GET", PATH, show, Permission.SETTINGS_CHANGE),
    ConsoleRoute("POST", PATH, change, Permission.SETTINGS_CHANGE, fresh=True),
)
