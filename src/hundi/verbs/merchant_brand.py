"""A merchant's brand: the name, colour and logo that its customers see."""

from typing import Annotated

from msgspec import Meta

from hundi.merchants.directory.logos import actions
from hundi.merchants.directory.logos.actions import BrandChange
from hundi.merchants.directory.logos.rules import LOGO_BYTES_MAX
from hundi.merchants.directory.rules import NAME_LENGTH_MAX
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.merchant_settings import CHANGE
from hundi.verbs.parameters import (
    MerchantId,
    ParameterHints,
    ParametersToChange,
    UploadedFile,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb


class BrandToChange(ParametersToChange, frozen=True, kw_only=True):
    """The parts of a brand to change; omitted ones stay as they are."""

    merchant_id: MerchantId
    name: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=NAME_LENGTH_MAX,
                pattern="^[^@<>]*$",
                description="The name that customers read: no address, as letters come from it.",
            ),
            ParameterHints(masked=True),
        ]
        | None
    ) = None
    accent: (
        Annotated[
            str,
            Meta(max_length=7, description="Colour of buttons and marks, such as #2b2a6b."),
        ]
        | None
    ) = None
    logo: Annotated[
        UploadedFile | None,
        Meta(description="A PNG, JPEG or WebP of up to 1 MB."),
        ParameterHints(metavar="FILE", file_bytes_max=LOGO_BYTES_MAX),
    ] = None
    remove_logo: Annotated[
        bool, Meta(description="Show the name's first letter in place of a logo.")
    ] = False


class BrandOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's brand."""

    merchant_id: MerchantId


@verb("merchant brand show", Permission.SETTINGS_CHANGE, screen="brand", title="Brand")
async def show(context: VerbContext, parameters: BrandOfMerchant) -> Result:
    """Show a merchant's name, colour, and the name of its logo."""
    await context.check_merchant(parameters.merchant_id)
    merchant = await context.directory.get(parameters.merchant_id)
    assert merchant is not None
    return {
        "merchant_id": str(merchant.merchant_id),
        "name": merchant.name,
        "accent": merchant.settings.accent or None,
        "logo": merchant.settings.logo or None,
    }


@verb(
    "merchant brand change",
    Permission.SETTINGS_CHANGE,
    trail=CHANGE,
    fresh=False,
    screen="brand",
    title="Brand",
    notice=("brand_kept", "Saved. Your customers see it from the next page on."),
)
async def change(context: VerbContext, parameters: BrandToChange) -> Result:
    """Change a merchant's name, colour or logo. The logo is written anew as a small PNG."""
    sent = parameters.logo.content if parameters.logo else None
    logo = b"" if parameters.remove_logo else sent
    wanted = BrandChange(parameters.name, parameters.accent, logo)
    beside = context.recording_change()
    whose = context.db, parameters.merchant_id, wanted, context.name, context.now
    await actions.change(*whose, beside)
    return {"merchant_id": str(parameters.merchant_id)}


GROUPS = {"brand": "The name, colour and logo that customers see."}
VERBS = (show, change)
