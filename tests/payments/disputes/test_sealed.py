"""The documents of disputes are sealed, each as itself."""

import pytest

from hundi.infra.secrets.key_sources import VaultError
from hundi.kernel.refusals import Refused
from hundi.payments.disputes.documents import actions as sealed
from tests.payments.disputes.played import PDF, documented, raised
from tests.payments.refunds.test_actions import paid
from tests.shop import VAULT, Shop


async def test_a_document_is_sealed_listed_and_opened_again(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    evidence_id = await documented(shop, stage, name="../../etc/bill of Asha.pdf")
    row = await shop.db.fetchrow("SELECT * FROM dispute_evidence")
    assert (row["name"], row["media_type"], row["size_bytes"]) == (
        "bill of Asha.pdf",
        "application/pdf",
        len(PDF),
    )
    assert b"bill of delivery" not in row["sealed_content"]
    assert await sealed.content(shop.db, VAULT, stage.merchant_id, evidence_id) == PDF
    await shop.db.execute(
        "UPDATE dispute_evidence SET sealed_content ="
        " set_byte(sealed_content, 39, 255 - get_byte(sealed_content, 39))"
    )
    with pytest.raises(VaultError):
        await sealed.content(shop.db, VAULT, stage.merchant_id, evidence_id)
    with pytest.raises(Refused):
        await sealed.content(shop.db, VAULT, stage.merchant_id + 1, evidence_id)
