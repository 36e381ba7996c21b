"""Writers of an act's trail entry, in the act's own transaction.

Neither exists without the other.
"""

from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Beside, Connection
from hundi.merchants.directory.actions import BesideChange
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail


def recording(
    visit: ConsoleVisit, act: str, about: object = None, made: str = "", **detail: object
) -> Beside:
    """Return a writer of an act's entry at the present place.

    about: None for the number of what the act created or changed. made: the name of that number in
    the entry; "" where the act creates nothing.
    """

    async def write(conn: Connection, number: int) -> int:
        details = {**detail, made: str(number)} if made else detail
        subject = number if about is None else about
        return await trail.record(
            conn, visit.merchant_id, visit.who, act, subject, visit.now, **details
        )

    return write


def recording_keys(visit: ConsoleVisit, act: str, about: object, **detail: object) -> BesideChange:
    """Return a writer of an act on the secrets of the place's merchant."""
    return trail.recording_merchant(visit.who, act, visit.now, about, **detail)


def recording_at(
    visit: ConsoleVisit,
    merchant_id: int,
    act: str,
    about: object = None,
    made: str = "",
    **detail: object,
) -> Beside:
    """Return a writer of an operator's act across merchants, for the trails of both.

    merchant_id: OPERATOR for an act on no merchant. about: None for the number of what it created.
    made: as above.
    """

    async def write(conn: Connection, number: int) -> None:
        details = {**detail, made: str(number)} if made else detail
        details_there = (
            {**details, "merchant": str(merchant_id)} if merchant_id != OPERATOR else details
        )
        subject = number if about is None else about
        # The operator's trail is always first: in another order two acts could deadlock.
        await trail.record(conn, OPERATOR, visit.who, act, subject, visit.now, **details_there)
        if merchant_id != OPERATOR:
            await trail.record(conn, merchant_id, visit.who, act, subject, visit.now, **details)

    return write
