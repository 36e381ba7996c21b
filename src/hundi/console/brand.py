"""The merchant's brand: name, colour and logo, with what customers see of them."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from hundi.console.assets import HEADERS
from hundi.console.guard import ConsoleRoute
from hundi.console.payment_acts import merchant_of
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.infra.look import colours
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.directory.logos import actions
from hundi.merchants.directory.logos.rules import ALLOWED
from hundi.staff.people.rules import Permission
from hundi.verbs.merchant_brand import change

_LABELS = {"name": "Name", "accent": "Colour", "logo": "Logo"}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the brand, and the form that changes it."""
    return _shown(visit)


def _shown(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    merchant = merchant_of(visit)
    accent = merchant.settings.accent or colours.DEFAULT_ACCENT
    form = visit.form
    return visit.page(
        "brand.html",
        "Brand",
        status_code,
        name=form.get("name", merchant.name),
        accent=form.get("accent", merchant.settings.accent),
        usual=colours.DEFAULT_ACCENT,
        shown_name=merchant.name,
        monogram=merchant.name.strip()[:1].upper(),
        logo=merchant.settings.logo,
        shades=colours.shades(accent),
        allowed=ALLOWED,
        fault=fault,
    )


async def _typed(visit: ConsoleVisit) -> Mapping[str, str]:
    """Return what differs: an empty field would mean that a part stays as it is."""
    merchant, form = merchant_of(visit), dict(visit.form)
    accent = form.get("accent", "").strip().lower()
    return {**form, "accent": accent if accent != merchant.settings.accent else ""}


async def _not_changed(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Show the form with the wrong part. Raises Refused for any other reason."""
    refusal = refused.refusal
    if refusal.code is not RefusalCode.FIELD_INVALID or refusal.field not in _LABELS:
        raise refused
    return _shown(visit, f"{_LABELS[refusal.field]}: use {refusal.allowed}.", 409)


async def logo(visit: ConsoleVisit) -> Response[Any]:
    """Return the logo. Raises Refused (NO_RECORDS) where there is none."""
    picture = await actions.picture(visit.db, merchant_of(visit))
    if picture is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return Response(picture, media_type="image/png", headers=dict(HEADERS), status_code=200)


ROUTES = (
    ConsoleRoute("GET", "brand", show, Permission.SETTINGS_CHANGE),
    form_of(change, "brand", "brand", _typed, _not_changed),
    ConsoleRoute("GET", "brand/logo", logo, Permission.PAYMENTS_SEE),
)
