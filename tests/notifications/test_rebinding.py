"""A recipient's name that leads elsewhere once it was checked.

Nothing is sent there, and the try says so.
"""

import pytest

from hundi.infra.http.client import ClientSettings, OutboundClient
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import recipient_of_partner
from hundi.notifications.jobs import deliveries
from hundi.notifications.rules import DeliveryState
from hundi.notifications.status import store as status_store
from tests.notifications.shop_server import AT, Listener, Merchants, key
from tests.notifications.test_jobs import announce, status

RECIPIENTS = [1, recipient_of_partner("AF12345678")]


@pytest.mark.parametrize("recipient", RECIPIENTS, ids=["merchant", "partner"])
async def test_a_name_that_leads_elsewhere_once_it_was_saved_is_sent_nothing(
    db: Database, listener: Listener, merchants: Merchants, recipient: int
) -> None:
    target = listener.url.format(merchant_id=recipient).replace("127.0.0.1", "shop.example")
    merchants.others[recipient] = target
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])

    async def rebinding(_host: str, _port: int) -> list[str]:
        return next(answers)

    async with OutboundClient(ClientSettings(), rebinding) as client:
        await client.check_address(target)
        await announce(db, key(recipient))
        assert await deliveries(db, merchants, client).once(AT) == 1
    assert listener.accepted == []
    assert (await status(db, key(recipient))).state is DeliveryState.WAITING
    (tried,) = await status_store.tries_of(db, key(recipient))
    assert tried.outcome.problem.startswith("address refused")
