"""Banks by code, with their names in the public IFSC data set, and the form of an IFSC; pure."""

import re
from functools import cache
from importlib.resources import files

import msgspec

CORPORATE = "_C"
"""The suffix of the code for a bank's corporate net banking (docs/spec/domain.md#bank-codes)."""
_IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")


@cache
def names() -> dict[str, str]:
    """Return the names of all banks by the first four letters of their IFSC.

    Source: instruments/data/README.md.
    """
    content = files("hundi.instruments").joinpath("data/bank_names.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, str])


def name_of(code: str) -> str:
    """Return a bank's name by its code, corporate net banking included; "" for an unknown code."""
    bank = names().get(code.removesuffix(CORPORATE), "")
    return f"{bank} (corporate)" if bank and code.endswith(CORPORATE) else bank


@cache
def is_name(text: str) -> bool:
    """Return whether a text is a bank's name as in `names`, in capitals or not."""
    return text.casefold() in {each.casefold() for each in names().values()}


def is_ifsc(text: str) -> bool:
    """Return whether a text has the form of an IFSC of a bank that exists."""
    return _IFSC.match(text) is not None and text[:4] in names()
