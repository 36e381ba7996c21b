"""The settings that would accept a refused request, as the commands that change them.

They are for the merchant's own request log, and never for a reply: anybody may have sent the
request. So no setting of allowed senders is among them: following the advice would let in whoever
was refused.
"""

import shlex
from typing import Any

import msgspec

from hundi.kernel.refusals import Cure, Refusal, Refused
from hundi.merchants.directory.rules import LIMITS, MerchantSettings, check_settings

COMMANDS = {
    "domains": "set {id} {each:--domain}",
    "currencies": "currencies {id} {all}",
    "channels": "set {id} --channels {joined}",
    "surcharges": "surcharge {id} {value} --remove",
    "dates": "dates {id} {value}",
    "kit_versions": "kits {id} {each:--version}",
    "multiple_partial_refunds": "set {id} --multiple-partial-refunds {value}",
    "refund_alone_paise": "set {id} --refund-alone-paise {value}",
    "refund_alone_on_api": "set {id} --refund-alone-on-api {value}",
    "upi_collect_allowed": "set {id} --upi-collect {value}",
    "moto": "set {id} --moto {value}",
    "seamless": "seamless {id} {value}",
    "seamless_cards": "seamless {id} on --cards {value}",
    "mcc": "set {id} --mcc {value}",
    **{name: f"limits {{id}} --{name.replace('_', '-')} {{value}}" for name in LIMITS},
}
"""The arguments after `hundi merchant`, by the setting.

Lists keep their values: {each:OPTION}, {all}, {joined}.
"""
MCC = "MCC"
"""A placeholder in a command for a category that only the merchant knows."""


class _Each(tuple[str, ...]):
    """Values of a list; its format is the option before each."""

    __slots__ = ()

    def __format__(self, option: str) -> str:
        """Return the values as arguments."""
        return " ".join(f"{option} {shlex.quote(each)}".lstrip() for each in self)


def commands(merchant_id: int, settings: MerchantSettings, refusal: Refusal) -> tuple[str, ...]:
    """Return the commands of which each alone would accept a request.

    Commands that nobody could run are left out.
    """
    return tuple(filter(None, (_command(merchant_id, settings, each) for each in refusal.cures)))


def _command(merchant_id: int, settings: MerchantSettings, cure: Cure) -> str:
    try:
        changed = cured(settings, cure)
        check_settings(changed)
    except (Refused, ValueError):
        return ""
    after: Any = getattr(changed, cure.setting)
    listed = _Each(after if isinstance(after, tuple) else ())
    words = {
        "each": listed,
        "all": listed,
        "joined": "_".join(listed),
        "value": shlex.quote(cure.value or MCC),
    }
    return "hundi merchant " + COMMANDS[cure.setting].format(id=merchant_id, **words)


def cured(settings: MerchantSettings, cure: Cure) -> MerchantSettings:
    """Return a merchant's settings as a cure would have them.

    Raises ValueError for a text that is no number.
    """
    before: Any = getattr(settings, cure.setting)
    match before:
        case bool():
            value: Any = cure.value == "on"
        case int():
            value = int(cure.value)
        case str():
            value = cure.value
        case tuple():
            added = cure.value.split("_") if cure.setting == "channels" else (cure.value,)
            value = tuple(dict.fromkeys((*before, *added)))
        case _:
            value = {channel: rule for channel, rule in before.items() if channel != cure.value}
    return msgspec.structs.replace(settings, **{cure.setting: value})
