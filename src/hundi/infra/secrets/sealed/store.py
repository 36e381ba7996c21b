"""How many values in the database are sealed under each key; their form is in `secrets.vault`."""

from hundi.infra.postgres.database import Queries

COUNT_SEALED = """
SELECT convert_from(substr(value, 3, get_byte(value, 1)), 'UTF8') AS key_id, count(*) AS number
FROM (
    SELECT sealed_keys FROM merchants
    UNION ALL SELECT sealed_keys FROM partners
    UNION ALL SELECT sealed_number FROM linked_accounts
    UNION ALL SELECT sealed_number FROM bank_accounts
    UNION ALL SELECT sealed_content FROM leads
    UNION ALL SELECT sealed_content FROM dispute_evidence
    UNION ALL SELECT sealed_content FROM account_papers
    UNION ALL SELECT sealed_content FROM statement_uploads WHERE sealed_content IS NOT NULL
    UNION ALL SELECT sealed_grant FROM offers
    UNION ALL SELECT sealed_words FROM identity_consents
    UNION ALL SELECT sealed_key FROM signing_keys
    UNION ALL SELECT sealed_secrets FROM acquirer_accounts
    UNION ALL SELECT sealed_before FROM acquirer_accounts WHERE sealed_before IS NOT NULL
    UNION ALL SELECT sealed_target FROM webhook_endpoints
    UNION ALL SELECT sealed_totp FROM people WHERE sealed_totp IS NOT NULL
) AS sealed (value)
GROUP BY 1
"""
"""Covers every sealed column (tests/house/test_roles.py)."""


async def count_sealed(db: Queries) -> dict[str, int]:
    """Return how many values are sealed under each key, by its id.

    Keys without any are left out.
    """
    return {row["key_id"]: row["number"] for row in await db.fetch(COUNT_SEALED)}
