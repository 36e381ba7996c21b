"""The cards of the demo's programme, the same in every one."""

import random
from dataclasses import asdict, replace  # noqa: TID251 (no structs here)
from datetime import date

from hundi_testbed.bank.cards.rules import MOVES, YEARS_VALID, new_card

DEMO_PROGRAMME = "DEMO"
ENTITIES = 120
_SEED = 1947


def seeded(today: date) -> list[dict[str, str]]:
    """Return the cards of the demo's programme."""
    chance = random.Random(_SEED)  # noqa: S311 (made-up cards, the same every time)
    cards: list[dict[str, str]] = []
    for entity in range(1, ENTITIES + 1):
        for _ in range(chance.randint(1, 3)):
            kind, serial = chance.choice(("PHYSICAL", "VIRTUAL")), len(cards) + 1
            status = chance.choice((*MOVES, "ACTIVE", "ACTIVE", "ACTIVE"))
            # An expired card was in use until its month was over: it was issued long enough ago.
            expired = status == "EXPIRED"
            issued_on = (
                today.replace(year=today.year - YEARS_VALID - 1 - serial % 3, day=1)
                if expired
                else today
            )
            card = new_card(DEMO_PROGRAMME, f"CUST{entity:04d}", kind, serial, issued_on)
            cards.append(asdict(replace(card, status="ACTIVE" if expired else status)))
    return cards
