"""The books of the simulated switch: held and moved money of each message, and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hundi_testbed.switch.cards import Play
from hundi_testbed.switch.messages import SwitchMessage

Key = tuple[str, int, str]
"""The permanent name of a message.

Class (100, 200 or 220), trace, and time (field 7 of 1987, field 12 of 2003).
"""
_CODES_2003 = {
    "00": "0000",
    "10": "0002",
    "12": "9102",
    "21": "1825",
    "25": "1816",
    "51": "1016",
    "61": "1021",
    "91": "9107",
}
_PAISE_DIGITS = 12
_SHORT = 3_333
"""Paise that some answers are short of the amount."""


@dataclass(slots=True)
class SwitchEntry:
    """One message about money, and its result.

    state: held, taken, given_back, declined or reversed.

    paise: requested. moved: taken from the card, or given to it by a refund. refunded: of the taken
    amount.
    """

    key: Key
    kind: str
    rrn: str
    last4: str
    paise: int
    state: str
    code: str
    approval: str
    moved: int = 0
    refunded: int = 0
    asked: int = 1
    of: Key | None = None


class SwitchBooks:
    """The whole memory of this switch, for the life of its process."""

    def __init__(self) -> None:
        """Start empty."""
        self.entries: dict[Key, SwitchEntry] = {}
        self.reversed_unseen: set[Key] = set()
        """Messages reversed before they arrived: they are refused when they come."""
        self.reversals: dict[Key, int] = {}
        """The number of reversals of each message."""

    def net_paise(self) -> int:
        """Return the sum of all cards' payments."""
        return sum(
            each.moved if each.kind != "refund" else -each.moved for each in self.entries.values()
        )

    def shown(self) -> dict[str, Any]:
        """Return the books for people and tests, without card numbers."""
        rows = [
            {
                "rrn": each.rrn,
                "kind": each.kind,
                "state": each.state,
                "paise": each.paise,
                "moved": each.moved,
            }
            | {
                "refunded": each.refunded,
                "asked": each.asked,
                "last4": each.last4,
                "trace": each.key[1],
            }
            | {"reversals": self.reversals.get(each.key, 0), "code": each.code}
            for each in self.entries.values()
        ]
        unseen = [
            {"trace": key[1], "reversals": self.reversals[key]} for key in self.reversed_unseen
        ]
        return {"entries": rows, "reversed_unseen": unseen, "net_paise": self.net_paise()}

    def charge(self, message: SwitchMessage, play: Play) -> SwitchMessage:
        """Return the answer to a purchase, a hold or a refund.

        The same message again has the same answer.
        """
        key = key_of(message)
        entry = self.entries.get(key)
        if entry is not None:
            entry.asked += 1
        elif key in self.reversed_unseen and play is not Play.OVERTAKEN:
            return _answer(message, "12")
        else:
            entry = (
                self._refund(message, key)
                if message.of(3)[:2] == "20"
                else _charged(message, key, play)
            )
            self.entries[key] = entry
        return _answer(message, entry.code, _said(message, entry, play))

    def capture(self, message: SwitchMessage) -> SwitchMessage:
        """Return the answer to a completion.

        It is an advice, so an existing hold is captured.
        """
        key, original = key_of(message), self.entries.get(original_of(message))
        if key in self.entries:
            self.entries[key].asked += 1
            return _answer(message, self.entries[key].code)
        paise = paise_of(message)
        if (
            original is None
            or original.kind != "hold"
            or original.state != "held"
            or paise > original.paise
        ):
            return _answer(message, "25" if original is None else "61")
        original.state = "completed"
        self.entries[key] = SwitchEntry(
            key,
            "capture",
            original.rrn,
            original.last4,
            paise,
            "taken",
            "00",
            original.approval,
            paise,
        )
        return _answer(message, "00")

    def reverse(self, message: SwitchMessage) -> SwitchMessage:
        """Return the answer to a reversal; the same one again changes nothing."""
        key = original_of(message)
        self.reversals[key] = self.reversals.get(key, 0) + 1
        entry = self.entries.get(key)
        if entry is None:
            self.reversed_unseen.add(key)
            return _answer(message, "25")
        if entry.state == "completed" or entry.refunded:
            return _answer(message, "21")
        if entry.kind == "refund" and entry.state == "given_back" and entry.of is not None:
            self.entries[entry.of].refunded -= entry.moved
        if entry.state != "declined":
            entry.state, entry.moved = "reversed", 0
        return _answer(message, "00")

    def _refund(self, message: SwitchMessage, key: Key) -> SwitchEntry:
        paise, of = paise_of(message), original_of(message)
        original = self.entries.get(of)
        refused = (
            "25" if original is None else "61" if original.refunded + paise > original.moved else ""
        )
        rrn = message.of(37)
        if refused or original is None:
            return SwitchEntry(key, "refund", rrn, "", paise, "declined", refused, "")
        original.refunded += paise
        return SwitchEntry(
            key,
            "refund",
            rrn,
            original.last4,
            paise,
            "given_back",
            "00",
            approval_of(key),
            paise,
            of=of,
        )


def _charged(message: SwitchMessage, key: Key, play: Play) -> SwitchEntry:
    hold = message.mti[1] == "1"
    paise, last4 = paise_of(message), message.of(2)[-4:]
    refused = {Play.NO_FUNDS: "51", Play.ISSUER_DOWN: "91"}.get(play, "")
    if not message.of(2):
        refused = "12"
    kind = "hold" if hold else "purchase"
    if refused:
        return SwitchEntry(key, kind, message.of(37), last4, paise, "declined", refused, "")
    partly = paise - _SHORT if play is Play.PARTLY else paise
    code = "10" if play is Play.PARTLY else "00"
    state, moved_paise = ("held", 0) if hold else ("taken", partly)
    return SwitchEntry(
        key, kind, message.of(37), last4, partly, state, code, approval_of(key), moved_paise
    )


def _said(message: SwitchMessage, entry: SwitchEntry, play: Play) -> dict[int, str]:
    fields = {38: entry.approval} if entry.approval else {}
    if play in {Play.OTHER_AMOUNT, Play.PARTLY}:
        short = f"{paise_of(message) - _SHORT:012}"
        fields[4] = message.of(4)[:-_PAISE_DIGITS] + short
    if play in {Play.OTHER_REFERENCE, Play.NO_REFERENCE}:
        fields[37] = "000000000001" if play is Play.OTHER_REFERENCE else ""
    return fields


def _answer(
    message: SwitchMessage, code: str, fields: Mapping[int, str] | None = None
) -> SwitchMessage:
    return message.answered({39: _CODES_2003[code] if message.is_2003 else code, **(fields or {})})


def key_of(message: SwitchMessage) -> Key:
    """Return the name of a message; its repeat has the same name."""
    return (
        message.mti[1:3] + "0",
        int(message.of(11)),
        message.of(12) if message.is_2003 else message.of(7),
    )


def original_of(message: SwitchMessage) -> Key:
    """Return the name of a message's original: field 90, or field 56 of 2003."""
    text = message.of(56) if message.is_2003 else message.of(90)
    digits = 12 if message.is_2003 else 6
    trace, time = text[4 : 4 + digits], text[4 + digits : (30 if message.is_2003 else 20)]
    return text[1:3] + "0", int(trace or -1), time


def paise_of(message: SwitchMessage) -> int:
    """Return the amount; in 2003 currency and decimals stand before it."""
    return int(message.of(4)[-_PAISE_DIGITS:] or 0)


def approval_of(key: Key) -> str:
    """Return the approval code of a message."""
    return f"A{key[1] % 100_000:05}"
