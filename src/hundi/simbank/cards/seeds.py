"""The cards of the demo's programme: the same wherever a programme is made."""

import random
from dataclasses import asdict
from datetime import date

from hundi.simbank.cards.rules import MOVES, new_card

DEMO_PROGRAMME = "DEMO"
ENTITIES = 120
_SEED = 1947


def seeded(today: date) -> list[dict[str, str]]:
    """Return the cards of the demo's programme."""
    chance = random.Random(_SEED)  # noqa: S311 (made-up cards, the same every time)
    found: list[dict[str, str]] = []
    for entity in range(1, ENTITIES + 1):
        for _ in range(chance.randint(1, 3)):
            kind = chance.choice(("PHYSICAL", "VIRTUAL"))
            card = asdict(new_card(DEMO_PROGRAMME, f"CUST{entity:04d}", kind, len(found) + 1, today))
            found.append(card | {"status": chance.choice((*MOVES, "ACTIVE", "ACTIVE", "ACTIVE"))})
    return found
