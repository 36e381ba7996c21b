"""Every setting with its value, its default, what it does and where it is changed.

Names, meanings and defaults are the declarations' own, and so is the place: the screens and verbs
say which settings they change.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from litestar import Response

from hundi.console import integration, methods
from hundi.console.assets import PREFIX
from hundi.console.guard import ConsoleRoute
from hundi.console.payment_acts import merchant_of
from hundi.console.visits import ALL, ConsoleVisit
from hundi.infra.settings_described import described
from hundi.kernel.money import Money, shown
from hundi.merchants.directory.rules import MerchantSettings
from hundi.staff.people.rules import Permission
from hundi.verbs.merchant_settings import settings_of
from hundi.verbs.table import all_verbs

PATH = "settings"
_NAMES = re.compile(r"(?:[a-z_]+, )*[a-z_]+(?=: )")
_REFERENCE = re.compile(r" ?\((?:docs/)?[^()]*(?:\.md|`)[^()]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass(frozen=True, slots=True)
class SettingPlace:
    """Where a setting is changed. path: of the form; "" where only the command changes it.

    at_all: whether the form is at the operator's place.
    """

    words: str
    path: str
    at_all: bool


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting of a page.

    place: where it is changed; of the gateway's, the credential in place of the variable. href: of
    the form that changes it, "" for none here.
    """

    name: str
    value: str
    default: str
    meaning: str
    place: str
    href: str = ""


def meanings() -> Mapping[str, str]:
    """Return what each setting of a merchant means, as its declaration says."""
    text = " ".join(inspect.cleandoc(MerchantSettings.__doc__ or "").split())
    known = set(MerchantSettings.__struct_fields__)
    heads = [each for each in _NAMES.finditer(text) if {*each[0].split(", ")} <= known]
    ends = [*(each.start() for each in heads[1:]), len(text)]
    found: dict[str, str] = {}
    for head, end in zip(heads, ends, strict=True):
        words = _REFERENCE.sub("", text[head.end() + 2 : end]).replace("`", "").strip()
        found |= dict.fromkeys(head[0].split(", "), words[:1].upper() + words[1:])
    return found


def places() -> Mapping[str, SettingPlace]:
    """Return where each setting of a merchant is changed: a screen of its own before a verb."""
    found: dict[str, SettingPlace] = {}
    for each in all_verbs():
        for name, only_command in settings_of(each).items():
            path = "" if only_command else each.screen or each.path
            place = SettingPlace(f"hundi {each.command}", path, each.at == "all")
            if name not in found or found[name].at_all:
                found[name] = place
    screens = (integration.RETURNS, integration.NOTIFIED)
    own = {name: (page.title, page.path) for page in screens for name in page.changes}
    own |= {"channels": ("Payment methods", methods.PATH)}
    return found | {
        name: SettingPlace(title, path, at_all=False) for name, (title, path) in own.items()
    }


def text_of(name: str, value: object) -> str:
    """Return a value for people."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if name.endswith("_paise") and isinstance(value, int):
        return shown(Money(value))
    if value in (None, "", (), {}):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, str | int | Path):
        return str(value)
    return msgspec.json.encode(value).decode()


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show every setting of a merchant."""
    settings, defaults = merchant_of(visit).settings, MerchantSettings()
    words, changed_at = meanings(), places()
    rows = [
        SettingRow(
            name,
            text_of(name, getattr(settings, name)),
            text_of(name, getattr(defaults, name)),
            words[name],
            changed_at[name].words,
            _href(visit, changed_at[name]),
        )
        for name in MerchantSettings.__struct_fields__
    ]
    return visit.page("settings.html", "Settings", rows=rows, of_gateway=False)


def _href(visit: ConsoleVisit, place: SettingPlace) -> str:
    """Return the address of the form that changes a setting, "" where this person has none."""
    if place.path and not place.at_all:
        return visit.href(place.path)
    return f"{PREFIX}{ALL}/{place.path}" if place.path and visit.is_operator else ""


async def show_gateway(visit: ConsoleVisit) -> Response[Any]:
    """Show every setting of this process of the gateway, secrets masked."""
    values = visit.gateway.settings.masked()
    rows = [
        SettingRow(
            each.variable,
            text_of(each.name, values[each.name]),
            text_of(each.name, each.default),
            _LINK.sub(r"\1", each.meaning).replace("`", ""),
            each.credential,
        )
        for each in described()
    ]
    return visit.page("settings.html", "Settings", rows=rows, of_gateway=True)


ROUTES = (
    ConsoleRoute("GET", PATH, show, Permission.SETTINGS_CHANGE),
    ConsoleRoute("GET", "gateway-settings", show_gateway, Permission.DEVELOPERS_SEE, at="all"),
)
