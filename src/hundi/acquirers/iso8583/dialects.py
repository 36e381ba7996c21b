"""Differences of ISO 8583 versions: types, and the codes that are a plain decline.

See docs/iso8583.md#answers for the sources.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hundi.acquirers.iso8583.fields import FIELDS_1987, FIELDS_2003, FieldShape

Version = Literal["1987", "2003"]
LATE_CODE = "68"
"""Field 39 of 1987: the answer came too late.

The code of an attempt that was reversed after silence.
"""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One version. digit: the first of every message type. stan_digits: of field 11.

    approved: codes that mean the whole amount moved. refused: the codes of 1987 for each plain
    decline of this version; any other code is reversed before it counts as a decline. unsure: the
    code of 1987 for such a code. reversed_: codes of a reversal after which nothing stands;
    unfound: the host had nothing to reverse.
    """

    version: Version
    digit: str
    fields: Mapping[int, FieldShape]
    stan_digits: int
    approved: frozenset[str]
    refused: Mapping[str, str]
    unsure: Mapping[str, str]
    reversed_: frozenset[str]
    unfound: frozenset[str]
    sign_on: str
    sign_off: str
    echo: str
    network_field: int
    original_field: int


_REFUSED_1987 = (
    "01 02 03 04 05 07 12 13 14 15 30 31 33 34 35 36 37 38 39 40 41 42 43 51 52 53 54 "
    "55 56 57 58 59 60 61 62 63 64 65 "
    "66 67 75 76 77 78 93"
)
_REFUSED_2003 = (
    "1001:54 1002:59 1003:01 1004:62 1005:01 1006:75 1007:01 1008:01 1009:03 1011:14 "
    "1014:52 1015:40 1016:51 1017:55 "
    "1018:56 1019:57 1020:58 1021:61 1022:63 1023:65 1024:93 1025:54 1029:59 1030:57 "
    "1032:43 1035:78 1045:05 1061:57 "
    "1804:14 1806:78 1821:03"
)
"""Result codes that jPOS CMF publishes, with the equal code of 1987.

Customers read one table of reasons.
"""
V1987 = Dialect(
    version="1987",
    digit="0",
    fields=FIELDS_1987,
    stan_digits=6,
    approved=frozenset({"00"}),
    refused={code: code for code in _REFUSED_1987.split()},
    unsure={},
    reversed_=frozenset({"00"}),
    unfound=frozenset({"25"}),
    sign_on="001",
    sign_off="002",
    echo="301",
    network_field=70,
    original_field=90,
)
V2003 = Dialect(
    version="2003",
    digit="2",
    fields=FIELDS_2003,
    stan_digits=12,
    approved=frozenset({"0000"}),
    refused={each[:4]: each[5:] for each in _REFUSED_2003.split()},
    # The card's issuer, or the switch, does not work; system errors; an invalid message.
    unsure={"9107": "91", "1811": "96", "1812": "96", "9102": "12"},
    # 1824: it was reversed before.
    reversed_=frozenset({"0000", "1824"}),
    unfound=frozenset({"1816"}),
    sign_on="801",
    sign_off="802",
    echo="831",
    network_field=24,
    original_field=56,
)
DIALECTS: Mapping[str, Dialect] = {each.version: each for each in (V1987, V2003)}
