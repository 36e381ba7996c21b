"""All SQL of papers of bank accounts."""

from asyncpg import Record

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.money.bank_accounts.papers.rules import AccountPaper, PaperKind

PAPER = Table(AccountPaper, {"kind": Field(PaperKind)})
_INSERTED = len(PAPER) + 1
INSERT = f"""
INSERT INTO account_papers ({PAPER.listed()}, sealed_content)
VALUES ({PAPER.numbered(1)}, ${_INSERTED})
"""
SELECT_OF_ACCOUNT = f"""
SELECT {PAPER.listed()} FROM account_papers
WHERE merchant_id = $1 AND beneficiary = $2 AND account_no = $3 ORDER BY added_at, paper_id
"""
SELECT_CONTENT = f"""
SELECT {PAPER.listed()}, sealed_content FROM account_papers
WHERE merchant_id = $1 AND paper_id = $2
"""
SELECT_SEALED = """
SELECT merchant_id, paper_id, sealed_content FROM account_papers
WHERE (merchant_id, paper_id) > ($1, $2) ORDER BY merchant_id, paper_id LIMIT 1
"""
"""Across merchants: for a rotation of keys, one paper at a time."""
RESEAL = """
UPDATE account_papers SET sealed_content = $3 WHERE merchant_id = $1 AND paper_id = $2
    AND sealed_content = $4
"""


async def insert(conn: Connection, new: AccountPaper, sealed: bytes) -> None:
    """Write a paper; the caller has locked the account and seen that it is another one."""
    await conn.execute(INSERT, *PAPER.values(new), sealed)


async def of_account(
    db: Queries, merchant_id: int, beneficiary: str, account_no: int
) -> list[AccountPaper]:
    """Return the papers of one version of an account, oldest first."""
    rows = await db.fetch(SELECT_OF_ACCOUNT, merchant_id, beneficiary, account_no)
    return [PAPER.read(row) for row in rows]


async def content_of(
    db: Queries, merchant_id: int, paper_id: int
) -> tuple[AccountPaper, bytes] | None:
    """Return a paper with its sealed content."""
    row = await db.fetchrow(SELECT_CONTENT, merchant_id, paper_id)
    return (PAPER.read(row), row["sealed_content"]) if row else None


async def next_sealed(db: Database, merchant_id: int, paper_id: int) -> Record | None:
    """Return the next paper after this one with its sealed content, of any merchant."""
    return await db.fetchrow(SELECT_SEALED, merchant_id, paper_id)


async def reseal(db: Database, row: Record, sealed: bytes) -> None:
    """Replace a paper's sealed content, unless it was replaced meanwhile."""
    await db.execute(RESEAL, row["merchant_id"], row["paper_id"], sealed, row["sealed_content"])
