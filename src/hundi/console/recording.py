"""What writes an act into the trail in the act's own transaction.

None is there without the other.
"""

from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Beside, Connection
from hundi.merchants.directory.actions import BesideChange
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail


def recording(
    visit: ConsoleVisit, act: str, about: object = None, made: str = "", **detail: object
) -> Beside:
    """Return what writes an act at the place that is looked at.

    about: None for the number of what the act made or changed. made: what that number is called in
    the entry; "" where it makes nothing.
    """

    async def write(conn: Connection, number: int) -> int:
        told = {**detail, made: str(number)} if made else detail
        shown = number if about is None else about
        return await trail.record(conn, visit.merchant_id, visit.who, act, shown, visit.now, **told)

    return write


def recording_keys(visit: ConsoleVisit, act: str, about: object, **detail: object) -> BesideChange:
    """Return what writes an act on the secrets of the merchant that is looked at."""
    return trail.recording_merchant(visit.who, act, visit.now, about, **detail)


def recording_at(
    visit: ConsoleVisit,
    merchant_id: int,
    act: str,
    about: object = None,
    made: str = "",
    **detail: object,
) -> Beside:
    """Return what writes an operator's act across merchants into the trails of both.

    merchant_id: OPERATOR for what concerns no merchant. about: None for the number of what it made.
    made: as above.
    """

    async def write(conn: Connection, number: int) -> None:
        told = {**detail, made: str(number)} if made else detail
        named = {**told, "merchant": str(merchant_id)} if merchant_id != OPERATOR else told
        shown = number if about is None else about
        # The operator's trail first, always: two acts that wait for each other would be a deadlock.
        await trail.record(conn, OPERATOR, visit.who, act, shown, visit.now, **named)
        if merchant_id != OPERATOR:
            await trail.record(conn, merchant_id, visit.who, act, shown, visit.now, **told)

    return write
