"""Rules of an invented card programme: kits, their cards, and the moves of a card's state; pure."""

import re
from dataclasses import dataclass
from datetime import date

_FIRST_KIT = 910_000_000
_PREFIX = "999931"
YEARS_VALID = 4
ENTITY_FORM = "1 to 50 characters of A-Z a-z 0-9 _ . @ -"
_ENTITY = re.compile(r"[A-Za-z0-9_.@-]{1,50}\Z")

# The states that may follow each state, by verb. EXPIRED comes with time alone.
MOVES: dict[str, dict[str, str]] = {
    "ALLOCATED": {"activate": "ACTIVE", "close": "CLOSED"},
    "ACTIVE": {"lock": "LOCKED", "block": "BLOCKED", "hotlist": "HOTLISTED", "close": "CLOSED"},
    "LOCKED": {"unlock": "ACTIVE", "block": "BLOCKED", "hotlist": "HOTLISTED", "close": "CLOSED"},
    "BLOCKED": {"replace": "REPLACED", "close": "CLOSED"},
    "REPLACED": {},
    "HOTLISTED": {},
    "CLOSED": {},
    "EXPIRED": {},
}
REASONS = {"01": "asked by the customer", "02": "fraud", "03": "lost", "04": "stolen"}
REASONED = frozenset({"block", "hotlist", "replace"})


@dataclass(frozen=True, slots=True)
class BankProgrammeCard:
    """One card of a programme. number: masked, never whole. expiry: MM/YY."""

    programme: str
    entity_id: str
    kit_no: str
    number: str
    expiry: str
    status: str
    kind: str


def is_entity(entity_id: str) -> bool:
    """Return whether a text can be a customer's id."""
    return bool(_ENTITY.match(entity_id))


def new_card(
    programme: str, entity_id: str, kind: str, serial: int, today: date
) -> BankProgrammeCard:
    """Return a card assigned to a customer, not yet active."""
    number = f"{_PREFIX[:4]}XXXXXXXX{serial % 10_000:04d}"
    expiry = f"{today.month:02d}/{(today.year + YEARS_VALID) % 100:02d}"
    return BankProgrammeCard(
        programme, entity_id, str(_FIRST_KIT + serial), number, expiry, "ALLOCATED", kind
    )


def status_on(card: BankProgrammeCard, today: date) -> str:
    """Return a card's state: a usable card expires with its month."""
    month, year = (int(part) for part in card.expiry.split("/"))
    over = (2000 + year, month) < (today.year, today.month)
    return "EXPIRED" if over and card.status in {"ALLOCATED", "ACTIVE", "LOCKED"} else card.status


def refusal(status: str, verb: str, reason: str) -> str:
    """Return why a verb is refused to a card in this state, "" when it is allowed."""
    goals = {goal for moves in MOVES.values() for name, goal in moves.items() if name == verb}
    if not goals:
        return (
            f"{verb} is none of"
            f" {' '.join(sorted({name for moves in MOVES.values() for name in moves}))}"
        )
    if verb in REASONED and reason not in REASONS:
        return f"{verb} needs a reason: " + ", ".join(
            f"{code} {words}" for code, words in REASONS.items()
        )
    if status in goals:
        return f"Card was already {status}"
    return "" if verb in MOVES[status] else f"a card that is {status} cannot be: {verb}"
