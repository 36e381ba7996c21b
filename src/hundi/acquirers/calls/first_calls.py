"""First calls about a reference: only after one of them is a refusal certain to mean nothing."""

import secrets

from hundi.acquirers.port.memory import Memory

BEGUN = "begun"


async def first_call(memory: Memory, reference: str, now_s: float, name: str = BEGUN) -> int | None:
    """Write down that a call is made now, and return None for the first one of all processes.

    For any other return when the first was made; both in Unix seconds. name: of the word that is
    kept.
    """
    mark = f"{int(now_s)}.{secrets.token_hex(8)}"
    stored = (await memory.keep(reference, {name: mark}))[name]
    return None if stored == mark else called_at(stored)


def called_at(mark: str) -> int:
    """Return the time in a word of `first_call`."""
    return int(mark.partition(".")[0])
