"""All SQL of network tokens."""

from dataclasses import dataclass
from datetime import datetime

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.rules import BankCardFacts, IssuerDecision

# References begin with the merchant. A token is valid once the payment that asked for it succeeded.
_FIND = """
SELECT a.last4, a.scheme, a.type, a.issuer, a.country, a.token, a.issuer_decision
FROM authentications a JOIN payments p USING (reference)
WHERE a.token = $1 AND a.token <> '' AND split_part(a.reference, '-', 1) = $2
    AND p.status IN ('paid', 'authorised', 'voided')
    AND NOT EXISTS (SELECT FROM ended_tokens e WHERE e.token = a.token)
LIMIT 1
"""
_END = "INSERT INTO ended_tokens (token, ended_at) VALUES ($1, $2) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class TokenisedCard:
    """A card behind a token: its facts, and its issuer's answers."""

    facts: BankCardFacts
    issuer_decision: IssuerDecision


async def find(db: BankDatabase, token: str, merchant: str) -> TokenisedCard | None:
    """Return the card behind a merchant's token, None when it has none (any more)."""
    row = await db.fetchrow(_FIND, token, merchant)
    if row is None:
        return None
    facts = BankCardFacts(
        row["last4"], row["scheme"], row["type"], row["issuer"], row["country"], row["token"]
    )
    return TokenisedCard(facts, IssuerDecision(row["issuer_decision"]))


async def end(db: BankDatabase, token: str, now: datetime) -> None:
    """End a token; an ended or unknown one stays so."""
    await db.fetch(_END, token, now)
