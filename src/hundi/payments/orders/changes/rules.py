"""How far the changes of a merchant's payments were followed; pure."""

from enum import StrEnum
from typing import NamedTuple


class ChangeFollower(StrEnum):
    """What follows the changes of payments, by the table with its marks."""

    SEARCH = "search_marks"
    TALLIES = "tally_marks"


class ChangeMark(NamedTuple):
    """The last event of a merchant that was followed, and how far transactions ended since."""

    upto_xact: str
    upto_id: int
    cluster: str
    horizon: str
    in_cluster: str
    is_ahead: bool

    @property
    def is_foreign(self) -> bool:
        """Return whether it comes, or seems to, from another cluster, and says nothing here."""
        return self.cluster not in {"", self.in_cluster} or self.is_ahead
