"""The networks' limits of one payment; pure.

A bank's or card's own limits are checked by its issuer. See docs/spec/domain.md#upi-limits (NPCI,
per transaction, verified merchants, from 15 September 2025) and docs/spec/domain.md#cash-limits; an
acquirer may have lower ones.
"""

from hundi.instruments.methods import CASH, RTGS, SCANNED

UPI_MAXIMUM_PAISE = 1_00_000_00
"""Of one UPI payment to most merchants."""
RTGS_MINIMUM_PAISE = 2_00_000_00
"""The network's own (docs/spec/domain.md#rtgs)."""
CASH_MAXIMUM_PAISE = 50_000_00
"""Of one voucher: cash above this in a day needs a PAN, which counters do not ask for."""
_TWO_LAKH, _FIVE_LAKH = 2_00_000_00, 5_00_000_00
_UPI_MAXIMUM_OF_CATEGORY = {
    "5944": _TWO_LAKH,  # jewellery
    "6211": _FIVE_LAKH,  # capital markets
    "5960": _FIVE_LAKH,  # insurance, sold directly
    "6300": _FIVE_LAKH,  # insurance
    "4511": _FIVE_LAKH,  # travel: airlines
    "4722": _FIVE_LAKH,  # travel: agencies
    "7322": _FIVE_LAKH,  # collections
    "8062": _FIVE_LAKH,  # hospitals
    "8211": _FIVE_LAKH,  # schools
    "8220": _FIVE_LAKH,  # colleges
    "8241": _FIVE_LAKH,  # correspondence schools
    "8244": _FIVE_LAKH,  # business schools
    "8249": _FIVE_LAKH,  # trade schools
    "8299": _FIVE_LAKH,  # other schools
    "9311": _FIVE_LAKH,  # taxes
}


def maximum(channel: str, mcc: str) -> int | None:
    """Return the largest payment of a channel in paise, or None when the network has no limit.

    mcc: the merchant's category; "" for none.
    """
    if channel == CASH.code:
        return CASH_MAXIMUM_PAISE
    return _UPI_MAXIMUM_OF_CATEGORY.get(mcc, UPI_MAXIMUM_PAISE) if channel in SCANNED else None


def minimum(channel: str) -> int | None:
    """Return the smallest payment of a channel in paise, or None when the network has no limit."""
    return RTGS_MINIMUM_PAISE if channel == RTGS.code else None


def carries_somewhere(channel: str, paise: int) -> bool:
    """Return whether a channel carries an amount in one payment to a merchant of some category."""
    return any(carries(channel, mcc, paise) for mcc in ("", *_UPI_MAXIMUM_OF_CATEGORY))


def carries(channel: str, mcc: str, paise: int) -> bool:
    """Return whether a channel carries an amount in one payment to a merchant of this category."""
    least, most = minimum(channel), maximum(channel, mcc)
    return (least is None or least <= paise) and (most is None or paise <= most)
