"""How a merchant's customers may pay, and which events its server receives."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hundi.instruments.methods import CHANNELS
from hundi.instruments.surcharge import FORBIDDEN, Surcharge
from hundi.kernel.events import SAFE, Kind
from hundi.merchants.directory.rules import CURRENCIES, Dates, MerchantSettings
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.merchant_settings import change, settings_verb
from hundi.verbs.parameters import MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result

_ALL = "all"
_SURCHARGED = {code: each.name for code, each in CHANNELS.items() if code not in FORBIDDEN}
Events = Annotated[list[str] | None, Meta(description=f"An event, or {_ALL}; repeat for several.")]


class EventSettings(VerbParameters, frozen=True, kw_only=True):
    """The events that a merchant's server receives."""

    merchant_id: MerchantId
    tell: Events = None
    withhold: Events = None
    reset: Annotated[
        bool,
        Meta(description="Remove every choice: the server receives the safe events."),
        ParameterHints(option="--reset"),
    ] = False


class SurchargeSetting(VerbParameters, frozen=True, kw_only=True):
    """The surcharge of an order by channel."""

    merchant_id: MerchantId
    channel: Annotated[
        str,
        Meta(description="The channel, which is never cards or UPI."),
        ParameterHints(known=_SURCHARGED, listed=True),
    ]
    flat_paise: Annotated[
        int, Meta(description="A fixed amount."), ParameterHints(label="Fixed part")
    ] = 0
    basis_points: Annotated[
        int, Meta(description="Hundredths of a per cent of the order's amount.")
    ] = 0
    cap_paise: Annotated[
        int,
        Meta(description="The most that is added; 0 for no limit."),
        ParameterHints(label="Upper limit"),
    ] = 0
    remove: Annotated[
        bool, Meta(description="Remove the surcharge."), ParameterHints(option="--remove")
    ] = False


class CurrencySetting(VerbParameters, frozen=True, kw_only=True):
    """The currencies of a merchant's orders."""

    merchant_id: MerchantId
    codes: Annotated[list[str], Meta(description=f"Some of {' '.join(CURRENCIES)}.")]


class FrameSetting(VerbParameters, frozen=True, kw_only=True):
    """The origins whose pages may frame the payment page."""

    merchant_id: MerchantId
    origins: Annotated[
        list[str] | None,
        Meta(description="Such as https://shop.example.in; none for nobody."),
        ParameterHints(by="place"),
    ] = None


class DateSetting(VerbParameters, frozen=True, kw_only=True):
    """How a merchant writes days."""

    merchant_id: MerchantId
    form: Annotated[Dates, Meta(description="MM/DD/YYYY or DD/MM/YYYY.")]


class SeamlessSetting(VerbParameters, frozen=True, kw_only=True):
    """Whether a merchant's server may begin payments."""

    merchant_id: MerchantId
    state: Annotated[
        bool,
        Meta(description="Whether the merchant's server may begin payments."),
        ParameterHints(switch=True),
    ]
    cards: Annotated[
        bool,
        Meta(description="Whether it may send cards: only with a PCI DSS certificate."),
        ParameterHints(switch=True),
    ] = False


@settings_verb("events", "Events of merchant {merchant_id}", "Change a merchant's events", "events")
async def events(context: VerbContext, parameters: EventSettings) -> Result:
    """Show which events a merchant's server receives, or change them one by one.

    A safe event is about the order itself. A shop that reads only order and status would undo a
    paid order at any other event: tell those only to a server that reads the event. Withheld events
    are removed first: withhold all and tell paid, and one is left.
    """
    more, fewer = _named(parameters.tell or ()), _named(parameters.withhold or ())

    def chosen(before: MerchantSettings) -> MerchantSettings:
        after = ({*(SAFE if parameters.reset else before.told)} - fewer) | more
        events_setting = (
            None
            if parameters.reset and not more and not fewer
            else tuple(each for each in Kind if each in after)
        )
        return msgspec.structs.replace(before, events=events_setting)

    await context.check_merchant(parameters.merchant_id)
    if parameters.tell or parameters.withhold or parameters.reset:
        settings = await change(context, parameters.merchant_id, chosen)
    else:
        merchant = await context.directory.get(parameters.merchant_id)
        assert merchant is not None
        settings = merchant.settings
    return [{"event": each, "told": settings.hears(each), "safe": each in SAFE} for each in Kind]


def _named(texts: Iterable[str]) -> set[Kind]:
    kinds: set[Kind] = set()
    for each in texts:
        if each == _ALL:
            kinds.update(Kind)
        elif each in frozenset(Kind):
            kinds.add(Kind(each))
        else:
            message = f"{each!r} is no event; there are: {_ALL} {' '.join(Kind)}"
            raise VerbProblemError(message)
    return kinds


@settings_verb("surcharge", "Surcharges", "Set a surcharge", "surcharges")
async def surcharge(context: VerbContext, parameters: SurchargeSetting) -> Result:
    """Set what customers pay on top of an order by one channel.

    Orders that are open keep what their page showed.
    """
    rule = Surcharge(parameters.flat_paise, parameters.basis_points, parameters.cap_paise)

    def changed(before: MerchantSettings) -> MerchantSettings:
        setting = {
            channel: before_it
            for channel, before_it in before.surcharges.items()
            if channel != parameters.channel
        }
        added = {} if parameters.remove else {parameters.channel: rule}
        return msgspec.structs.replace(before, surcharges=setting | added)

    settings = await change(context, parameters.merchant_id, changed)
    surcharges = msgspec.to_builtins(settings.surcharges)
    return {"merchant_id": str(parameters.merchant_id), "surcharges": surcharges}


async def _set(context: VerbContext, merchant_id: int, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 (values of settings)
    """Change settings and return their new values."""
    settings = await change(
        context, merchant_id, lambda before: msgspec.structs.replace(before, **changes)
    )
    return {"merchant_id": str(merchant_id), **{name: getattr(settings, name) for name in changes}}


@settings_verb("currencies", "Currencies", "Set a merchant's currencies", "currencies")
async def currencies(context: VerbContext, parameters: CurrencySetting) -> Result:
    """Set the currencies of a merchant's orders.

    All but INR are for cards and are paid out in rupees.
    """
    codes = tuple(dict.fromkeys(code.upper() for code in parameters.codes))
    return await _set(context, parameters.merchant_id, currencies=codes)


@settings_verb("dates", "Dates", "Set how a merchant writes dates", "dates")
async def dates(context: VerbContext, parameters: DateSetting) -> Result:
    """Set how a merchant writes the first day of a mandate; our SDK writes the month first."""
    return await _set(context, parameters.merchant_id, dates=parameters.form)


@settings_verb("frames", "Frames", "Set who may frame the payment page", "frame_origins")
async def frames(context: VerbContext, parameters: FrameSetting) -> Result:
    """Set the origins whose pages may hold the payment page in a frame; by default nobody's."""
    origins = tuple(dict.fromkeys(parameters.origins or ()))
    return await _set(context, parameters.merchant_id, frame_origins=origins)


@settings_verb("seamless", "Seamless", "Let a server begin payments", "seamless", "seamless_cards")
async def seamless(context: VerbContext, parameters: SeamlessSetting) -> Result:
    """Let a merchant's server begin payments itself, without the payment page."""
    cards = parameters.state and parameters.cards
    return await _set(
        context, parameters.merchant_id, seamless=parameters.state, seamless_cards=cards
    )


VERBS = (events, surcharge, currencies, dates, frames, seamless)
