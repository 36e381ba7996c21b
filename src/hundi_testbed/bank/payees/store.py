"""The names of paid merchants: sent with their payments, shown on the pages of banks."""

from hundi_testbed.bank.database import BankDatabase

_KEEP = """
INSERT INTO payees (payee, name) VALUES ($1, $2)
ON CONFLICT (payee) DO UPDATE SET name = $2 WHERE payees.name <> $2
"""


def _payee(reference: str) -> str:
    """Return the common beginning of one merchant's references."""
    return reference.partition("-")[0]


class Payees:
    """The names that this process has stored, so that each is written once."""

    def __init__(self, db: BankDatabase) -> None:
        """Start without names."""
        self._db = db
        self._kept: dict[str, str] = {}

    async def keep(self, reference: str, name: str) -> None:
        """Store the payee of a reference; "" changes nothing."""
        payee = _payee(reference)
        if name and self._kept.get(payee) != name:
            await self._db.fetchval(_KEEP, payee, name)
            self._kept[payee] = name

    async def name_of(self, reference: str) -> str:
        """Return the payee of a reference, "" for an unknown one."""
        return (
            await self._db.fetchval("SELECT name FROM payees WHERE payee = $1", _payee(reference))
            or ""
        )
