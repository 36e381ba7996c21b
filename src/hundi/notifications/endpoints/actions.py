"""The actions of endpoints: add, change, rotate, switch, remove, and send a delivery again."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory import store as directory
from hundi.merchants.directory.actions import BesideChange, new_webhook_key
from hundi.merchants.directory.rules import MerchantSettings
from hundi.notifications.actions import CHANNEL
from hundi.notifications.endpoints import rules, store
from hundi.notifications.endpoints.rules import EndpointChoice, EndpointState, WebhookEndpoint

KEPT_FOR = timedelta(days=90)
"""How long after an event an endpoint may be told of it, and its tries can be read."""
Change = Callable[[WebhookEndpoint], WebhookEndpoint]
Writing = Callable[[Connection, list[WebhookEndpoint]], Awaitable[list[WebhookEndpoint]]]
_REMOVED = "an address that was not removed"


async def add(
    db: Database,
    vault: Vault,
    merchant_id: int,
    choice: EndpointChoice,
    now: datetime,
    beside: BesideChange,
) -> WebhookEndpoint:
    """Add an enabled endpoint with a key of its own, to be shown once.

    The caller checks whether the address may be called: that needs the network. beside: what is
    written with it. Raises Refused: MERCHANT_UNKNOWN, FIELD_INVALID.
    """
    rules.check_choice(choice)

    async def write(conn: Connection, endpoints: list[WebhookEndpoint]) -> list[WebhookEndpoint]:
        rules.check_room(endpoints)
        number = max((each.endpoint_no for each in endpoints), default=0) + 1
        endpoint = WebhookEndpoint(
            merchant_id=merchant_id,
            endpoint_no=number,
            name=choice.name,
            state=EndpointState.ENABLED,
            url=choice.url,
            form=choice.form,
            events=rules.in_order(choice.events),
            made_at=now,
            changed_at=now,
            keys=(new_webhook_key(),),
        )
        await store.insert(conn, vault, endpoint)
        return [*endpoints, endpoint]

    return (await _written(db, vault, merchant_id, write, now, beside))[-1]


async def change(
    db: Database,
    vault: Vault,
    place: tuple[int, int],
    choice: EndpointChoice,
    now: datetime,
    beside: BesideChange,
) -> WebhookEndpoint:
    """Change name, address, form and events of an endpoint. Raises Refused as `add`; NO_RECORDS.

    place: merchant and endpoint.
    """
    rules.check_choice(choice)
    values = {"name": choice.name, "url": choice.url, "form": choice.form}
    events = rules.in_order(choice.events)
    return await _changed(
        db, vault, place, lambda one: replace(one, events=events, **values), now, beside
    )


async def rotate(
    db: Database,
    vault: Vault,
    place: tuple[int, int],
    now: datetime,
    beside: BesideChange,
    *,
    seen: str,
    overlap: bool,
) -> WebhookEndpoint:
    """Give an endpoint a new key, to be shown once.

    seen: the mark of the key to replace, so that a form that is sent twice replaces once. overlap:
    whether the old one signs beside it. Raises Refused: NO_RECORDS, STATE_FORBIDS.
    """

    def turned(one: WebhookEndpoint) -> WebhookEndpoint:
        if one.mark != seen:
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="key", received=seen[:16], allowed=one.mark
            )
        return replace(one, keys=rules.with_new_key(one.keys, new_webhook_key(), overlap=overlap))

    return await _changed(db, vault, place, turned, now, beside)


async def end_old_key(
    db: Database, vault: Vault, place: tuple[int, int], now: datetime, beside: BesideChange
) -> WebhookEndpoint:
    """End the key that signs beside its successor. Raises Refused: NO_RECORDS."""
    return await _changed(
        db, vault, place, lambda one: replace(one, keys=one.keys[:1]), now, beside
    )


async def set_state(
    db: Database,
    vault: Vault,
    place: tuple[int, int],
    state: Literal["enabled", "disabled", "removed"],
    now: datetime,
    beside: BesideChange,
) -> WebhookEndpoint:
    """Enable, disable or remove an endpoint. Raises Refused: NO_RECORDS."""
    changed = await _changed(
        db, vault, place, lambda one: replace(one, state=EndpointState(state)), now, beside
    )
    db.wake(CHANNEL, str(place[0]))
    return changed


async def _changed(
    db: Database,
    vault: Vault,
    place: tuple[int, int],
    change_one: Change,
    now: datetime,
    beside: BesideChange,
) -> WebhookEndpoint:
    merchant_id, endpoint_no = place

    async def write(conn: Connection, endpoints: list[WebhookEndpoint]) -> list[WebhookEndpoint]:
        before = next((each for each in endpoints if each.endpoint_no == endpoint_no), None)
        if before is None or before.state is EndpointState.REMOVED:
            raise refuse(
                RefusalCode.NO_RECORDS,
                field="endpoint",
                received=str(endpoint_no),
                allowed=_REMOVED,
            )
        after = replace(change_one(before), changed_at=now)
        await store.update(conn, vault, after)
        if after.state is EndpointState.REMOVED:
            await store.end_waiting(conn, merchant_id, endpoint_no)
        return [after if each is before else each for each in endpoints]

    endpoints = await _written(db, vault, merchant_id, write, now, beside)
    return next(each for each in endpoints if each.endpoint_no == endpoint_no)


async def _written(
    db: Database,
    vault: Vault,
    merchant_id: int,
    write: Writing,
    now: datetime,
    beside: BesideChange,
) -> list[WebhookEndpoint]:
    """Write endpoints under the merchant's lock, with the events that some endpoint wants."""
    async with db.transaction() as conn:
        if await directory.lock(conn, merchant_id) is None:
            raise refuse(
                RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
            )
        endpoints = await write(conn, await store.of_merchant(conn, vault, merchant_id))
        wanted = rules.events_of_all(endpoints)

        def changed(before: MerchantSettings) -> MerchantSettings:
            return msgspec.structs.replace(before, endpoint_events=wanted)

        await merchants.change_settings_within(conn, merchant_id, changed, now, beside)
    db.wake(merchants.CHANGED_CHANNEL, str(merchant_id))
    return endpoints


async def replay(
    db: Database,
    place: tuple[int, int],
    event: tuple[int, int],
    now: datetime,
    beside: Beside,
) -> None:
    """Send one delivery of an endpoint again, under the same id and with a new schedule.

    place: merchant and endpoint. event: payment and number of the event. Raises Refused
    (STATE_FORBIDS) for one that is missing, being sent, or untrue by now.
    """
    async with db.transaction() as conn:
        if not await store.replay(conn, place, event, now):
            raise refuse(RefusalCode.STATE_FORBIDS, field="delivery", received=str(event[1]))
        await beside(conn, event[1])
    db.wake(CHANNEL, str(place[0]))


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every endpoint with the newest key; return how many had an older one."""
    return await store.reseal(db, vault)


async def sweep(db: Database, now: datetime) -> None:
    """Remove what endpoints were told of events that are older than KEPT_FOR."""
    await store.delete_before(db, now - KEPT_FOR)
