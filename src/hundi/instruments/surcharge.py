"""A merchant's surcharge for one way to pay, and where the law forbids it; pure.

See docs/spec/domain.md#surcharge.
"""

from collections.abc import Collection, Mapping

import msgspec

from hundi.instruments.methods import BANK_MANDATES, BHARAT_QR, CARDS, CHANNELS, EMI, UPI

FORBIDDEN = frozenset({UPI.code, BHARAT_QR.code, CARDS.code, *CARDS.spellings, EMI.code})
"""Channels that are cards or UPI, which a merchant in India may not surcharge."""
WHY_FORBIDDEN = (
    "none: a surcharge on cards and UPI is prohibited in India (docs/spec/domain.md#surcharge)"
)
FLAT_PAISE_MAX = 1_000_00
BASIS_POINTS_MAX = 1_000
_WHOLE_BASIS_POINTS = 10_000


class Surcharge(msgspec.Struct, frozen=True, omit_defaults=True):
    """One channel's surcharge: a fixed part, a part of the order's amount, or both.

    basis_points: hundredths of a per cent of the amount. cap_paise: the most of both together, 0
    for no bound.
    """

    flat_paise: int = 0
    basis_points: int = 0
    cap_paise: int = 0


def surcharge_paise(rule: Surcharge, amount_paise: int) -> int:
    """Return a rule's surcharge on an amount in paise, rounded half up."""
    part, rest = divmod(amount_paise * rule.basis_points, _WHOLE_BASIS_POINTS)
    added = rule.flat_paise + part + (2 * rest >= _WHOLE_BASIS_POINTS)
    return min(added, rule.cap_paise) if rule.cap_paise else added


def surcharges(
    rules: Mapping[str, Surcharge], channels: Collection[str], amount_paise: int
) -> tuple[int, ...]:
    """Return the surcharge of each channel, in the channels' order; () if none has one.

    A rule for a channel that may not be surcharged adds nothing, whoever stored it.
    """
    added = tuple(
        surcharge_paise(rules[each], amount_paise) if each in rules and each not in FORBIDDEN else 0
        for each in channels
    )
    return added if any(added) else ()


def wrong_with(channel: str, rule: Surcharge) -> tuple[str, str, str] | None:
    """Return (field, received, allowed) of a rule's fault, or None."""
    if channel in FORBIDDEN:
        return "surcharge", channel, WHY_FORBIDDEN
    if channel == BANK_MANDATES.code:
        return (
            "surcharge",
            channel,
            "none: it takes mandates, and neither they nor their debits have a surcharge",
        )
    if channel not in CHANNELS:
        return (
            "surcharge",
            channel,
            " ".join(each for each in CHANNELS if each not in FORBIDDEN | {BANK_MANDATES.code}),
        )
    for field, value, most in (
        ("flat_paise", rule.flat_paise, FLAT_PAISE_MAX),
        ("basis_points", rule.basis_points, BASIS_POINTS_MAX),
        ("cap_paise", rule.cap_paise, FLAT_PAISE_MAX * 10),
    ):
        if not 0 <= value <= most:
            return field, str(value), f"0 to {most}"
    if not rule.flat_paise and not rule.basis_points:
        return "surcharge", channel, "flat_paise or basis_points above 0"
    return None
