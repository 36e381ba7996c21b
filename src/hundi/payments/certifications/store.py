"""All SQL about certifications of accounts at acquirers."""

from hundi.acquirers.certification.steps import StepVerdict, WebhookProof
from hundi.infra.postgres.columns import Field, Table, choice
from hundi.infra.postgres.database import Queries
from hundi.payments.certifications.rules import CertifiedAccount, StepEvidence, read_exchanges

_EVIDENCE = Table(
    StepEvidence, {"verdict": choice(StepVerdict), "exchanges": Field(read_exchanges)}
)
INSERT = f"""
INSERT INTO certification_evidence ({_EVIDENCE.listed()}) VALUES ({_EVIDENCE.numbered(1)})
"""
SELECT_NEWEST = f"""
SELECT DISTINCT ON (step) {_EVIDENCE.listed()} FROM certification_evidence WHERE account = $1
ORDER BY step, evidence_id DESC
"""
SELECT_PASSED_LIVE = """
SELECT DISTINCT step FROM certification_evidence
WHERE account = $1 AND kind = $2 AND settings_digest = $3 AND version = $4 AND is_live
    AND verdict = 'passed'
"""
KEEP_WEBHOOK = """
INSERT INTO certification_webhooks (account, reference, refused, covers) VALUES ($1, $2, $3, $4)
ON CONFLICT (account, reference) DO NOTHING
"""
SELECT_WEBHOOK = """
SELECT refused, covers FROM certification_webhooks WHERE account = $1 AND reference = $2
"""


async def insert(db: Queries, evidence: StepEvidence) -> None:
    """Write an entry."""
    await db.execute(INSERT, *_EVIDENCE.values(evidence))


async def newest(db: Queries, account: str) -> dict[str, StepEvidence]:
    """Return the newest evidence of an account, by step."""
    rows = [_EVIDENCE.read(row) for row in await db.fetch(SELECT_NEWEST, account)]
    return {each.step: each for each in rows}


async def passed_live(db: Queries, account: CertifiedAccount) -> frozenset[str]:
    """Return the steps that ever passed with real money, with account and Hundi as they are."""
    of = account.name, account.kind, account.settings_digest, account.version
    return frozenset(row["step"] for row in await db.fetch(SELECT_PASSED_LIVE, *of))


async def keep_webhook(db: Queries, account: str, reference: str, proof: WebhookProof) -> None:
    """Store what was found about the first webhook with a right proof about a reference."""
    await db.execute(KEEP_WEBHOOK, account, reference, proof.refused, proof.covers)


async def webhook(db: Queries, account: str, reference: str) -> WebhookProof | None:
    """Return what was found about a webhook, None where none came in."""
    row = await db.fetchrow(SELECT_WEBHOOK, account, reference)
    return WebhookProof(row["refused"], row["covers"]) if row else None
