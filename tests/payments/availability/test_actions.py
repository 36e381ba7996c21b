"""The bank list, asked for by a merchant whose channels nobody serves."""

import pytest

from hundi.acquirers.registry import Registry
from hundi.api import replies
from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.payments.availability import actions as availability
from tests.shop import NOW, open_shop


async def test_a_merchant_that_no_acquirer_serves_has_no_list(db: Database) -> None:
    shop = await open_shop(db)
    with pytest.raises(Refused) as refused:
        await availability.listed(
            replace(shop.context, connectors=Registry([])),
            availability.BankHealth(db),
            shop.merchant,
            (),
            NOW,
        )
    assert refused.value.refusal.code is RefusalCode.NO_CHANNEL_SERVED
    # The shop's developer reads the reason; the wire has one code for both.
    assert replies.words(refused.value.refusal) == (
        "The currency or payment channel is not enabled for this merchant; chmod is "
        "missing or empty; "
        "allowed: none: no acquirer is connected"
    )
