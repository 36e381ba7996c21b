"""Merchants: added with fresh secrets, rotated, suspended, changed, cached while true."""

import asyncio
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from hundi.gateway.bootstrap import key_formulas
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.directory import actions
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import MerchantSettings
from tests.recording import RECORDED

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})


async def added(db: Database) -> int:
    """Add a merchant and return its id."""
    merchant_id, _ = await actions.add(
        db, VAULT, name="Asha", mode="live", settings=MerchantSettings(), now=NOW, beside=RECORDED
    )
    return merchant_id


async def test_secrets_are_all_different_and_sealed_at_rest(db: Database) -> None:
    merchant_id, keys = await actions.add(
        db, VAULT, name="Asha", mode="live", settings=MerchantSettings(), now=NOW, beside=RECORDED
    )
    secrets = {keys.password, keys.secret, keys.client_secret, *keys.webhook_keys}
    assert len(secrets) == 4
    row = await db.fetchrow("SELECT * FROM merchants WHERE merchant_id = $1", merchant_id)
    stored = b"".join(
        str(value).encode() if not isinstance(value, bytes) else value for value in row.values()
    )
    assert not any(secret.encode() in stored for secret in secrets)
    assert not any(secret in repr(keys) for secret in secrets)


async def test_a_change_is_seen_by_another_process_at_once(fresh_url: str, db: Database) -> None:
    from hundi.infra.postgres.database import open_database  # noqa: PLC0415 (the second process of this test)

    merchant_id = await added(db)
    async with await open_database(fresh_url, pool_size=2) as elsewhere:
        directory = Directory(elsewhere, VAULT, key_formulas)
        await directory.start()
        before = await directory.get(merchant_id)
        assert before is not None
        await actions.change_settings(
            db, merchant_id, lambda settings: replace(settings, mcc="5651"), NOW, RECORDED
        )
        await actions.set_state(db, merchant_id, "suspended", NOW, RECORDED)
        async with asyncio.timeout(60):
            while not (after := await directory.get(merchant_id)) or not after.suspended:
                await asyncio.sleep(0.01)
        assert after.settings.mcc == "5651"


async def test_a_rotated_webhook_key_keeps_its_predecessor(db: Database) -> None:
    merchant_id, keys = await actions.add(
        db, VAULT, name="Asha", mode="live", settings=MerchantSettings(), now=NOW, beside=RECORDED
    )
    rotated = await actions.rotate(db, VAULT, merchant_id, "webhook_key", NOW, beside=RECORDED)
    assert rotated.webhook_keys[1:] == keys.webhook_keys
    assert rotated.webhook_keys[0] != keys.webhook_keys[0]
    again = await actions.rotate(db, VAULT, merchant_id, "secret", NOW, beside=RECORDED)
    assert again.webhook_keys == rotated.webhook_keys
    assert again.secret != keys.secret


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mcc": "12"}, "mcc"),
        ({"accent": "red"}, "accent"),
        ({"domains": ("shop.example/x",)}, "domain"),
        ({"success_url": "javascript:alert(1)"}, "success_url"),
        ({"notification_url": "ftp://x"}, "notification_url"),
    ],
)
async def test_a_setting_that_cannot_be_used_is_refused_by_name(
    db: Database, change: dict[str, object], field: str
) -> None:
    merchant_id = await added(db)
    with pytest.raises(Refused) as refused:
        await actions.change_settings(
            db, merchant_id, lambda settings: replace(settings, **change), NOW, RECORDED
        )
    assert refused.value.refusal.field == field


async def test_an_unknown_merchant_is_refused(db: Database) -> None:
    with pytest.raises(Refused) as refused:
        await actions.rotate(db, VAULT, 1, "secret", NOW, beside=RECORDED)
    assert refused.value.refusal.code is RefusalCode.MERCHANT_UNKNOWN
