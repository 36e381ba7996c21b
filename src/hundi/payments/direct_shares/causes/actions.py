"""Prove the cause of a direct share from books and trail, before an acquirer is called."""

import structlog

from hundi.infra.postgres.database import Connection
from hundi.infra.secrets.vault import Vault
from hundi.payments.direct_shares import store
from hundi.payments.direct_shares.rules import DirectShare, ShareCause
from hundi.payments.orders.rules import PaymentView
from hundi.staff.trail import actions as trail
from hundi.staff.trail.rules import RowKind

_log = structlog.get_logger(__name__)


async def cause_of(
    conn: Connection, vault: Vault, view: PaymentView, share: DirectShare
) -> ShareCause:
    """Return what books and trail say of a locked share's cause; unproved is an alarm."""
    key = share.merchant_id, share.identifier
    entry = await trail.newest_told(conn, vault, key[0], RowKind.LINKED, key[1])
    paid = view.success
    is_proved = paid is not None and paid.attempt_id == share.attempt_id
    is_proved = is_proved and entry is not None and entry == await store.digest(conn, *key)
    cause = await store.cause_of(conn, share) if is_proved else ShareCause.UNPROVED
    if cause is ShareCause.UNPROVED:
        numbers = {"merchant_id": share.merchant_id, "share_id": share.share_id}
        _log.error("direct_share_not_backed", **numbers)
    return cause
