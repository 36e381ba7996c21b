"""All SQL of what is known about certificates."""

from hundi.doctor.certificates.rules import CertificateLook, as_json, from_json
from hundi.infra.postgres.database import Queries

SELECT = "SELECT probe, looked_at, findings FROM certificate_looks ORDER BY probe"
WRITE = """
INSERT INTO certificate_looks (probe, looked_at, findings) VALUES ($1, $2, $3)
ON CONFLICT (probe) DO UPDATE SET looked_at = excluded.looked_at, findings = excluded.findings
WHERE certificate_looks.looked_at < excluded.looked_at
"""


async def looks(db: Queries) -> list[CertificateLook]:
    """Return the newest look of each probe."""
    rows = await db.fetch(SELECT)
    return [from_json(row["probe"], row["looked_at"], row["findings"]) for row in rows]


async def write(db: Queries, look: CertificateLook) -> None:
    """Write a look, unless a newer one stands there."""
    await db.execute(WRITE, look.probe, look.looked_at, as_json(look))
