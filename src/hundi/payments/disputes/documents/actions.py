"""The sealed documents of disputes."""

from hashlib import sha256

from hundi.infra.postgres.database import Database, Queries
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.disputes import store

_PURPOSE = "dispute-evidence"


def purpose(merchant_id: int, evidence_id: int) -> str:
    """Return the purpose that a document is sealed for; under another it does not open."""
    return f"{_PURPOSE} {merchant_id} {evidence_id}"


async def content(db: Queries, vault: Vault, merchant_id: int, evidence_id: int) -> bytes:
    """Return a document's content. Raises Refused (NO_RECORDS); VaultError when it was changed."""
    row = await store.content_of(db, merchant_id, evidence_id)
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS)
    document, sealed = row
    body = vault.open(sealed, purpose(merchant_id, evidence_id))
    if sha256(body).digest() != document.digest:
        message = f"document {evidence_id} is not the one that was added"
        raise VaultError(message)
    return body


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every document with the newest key; return how many were sealed with an older one."""
    done, at = 0, (0, 0)
    while (row := await store.next_sealed(db, *at)) is not None:
        at = row["merchant_id"], row["evidence_id"]
        if not vault.is_sealed_with_newest(row["sealed_content"]):
            await store.reseal(
                db, row, vault.seal(vault.open(row["sealed_content"], purpose(*at)), purpose(*at))
            )
            done += 1
    return done
