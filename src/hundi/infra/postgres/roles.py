"""The roles of the gateway's database, and the rights of each on every table and function.

A table or function that is not listed here fails `tests/house/test_roles.py` (decision 0019).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256


class DatabaseRole(StrEnum):
    """A role of the database, by the name it has there."""

    OWNER = "hundi_owner"
    """Owns the tables and changes the schema: `hundi migrate`, and nothing that serves requests."""
    GATEWAY = "hundi_gateway"
    """The API processes that merchants, partners, banks and customers reach."""
    CONSOLE = "hundi_console"
    """The console's pages in those processes: acts of signed-in people and their decisions."""
    WORKER = "hundi_worker"
    """The worker: due work, clean-ups, roll-ups, settlement reports."""
    OPERATOR = "hundi_operator"
    """An operator's commands: merchants, partners, keys, risk rules, reviews."""
    AUDIT = "hundi_audit"
    """`hundi audit`: reads the books and changes nothing."""
    BACKUP = "hundi_backup"
    """Copies the server as a whole, for backups and standby servers; opens no database."""
    SIMBANK = "hundi_simbank"
    """The simulated bank: its own database and nothing else."""


DATABASE = "hundi"
SIMBANK_DATABASE = "simbank"
"""The names of the embedded server's databases."""

SERVED = (
    DatabaseRole.GATEWAY,
    DatabaseRole.CONSOLE,
    DatabaseRole.WORKER,
    DatabaseRole.OPERATOR,
    DatabaseRole.AUDIT,
)
"""The roles with single rights in the gateway's database."""

GRANTED = "grants "
"""The beginning of the comment on `schema_version`.

After it comes the `fingerprint` of the grants.
"""

WORDS: Mapping[str, str] = {"S": "SELECT", "I": "INSERT", "U": "UPDATE", "D": "DELETE"}
"""The rights on a table, by the letters of `Rights`."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of each role on one table: S (select), I (insert), U (update), D (delete)."""

    gateway: str = ""
    worker: str = ""
    operator: str = ""
    audit: str = ""
    console: str = ""

    def of(self, role: DatabaseRole) -> str:
        """Return the letters of one of the served roles."""
        return getattr(self, role.name.lower())


TABLES: Mapping[str, Rights] = {
    "accepted_names": Rights("", "S", "SI", "S", console="SI"),
    "access_tokens": Rights("SI", "SD", "SD", console="SD"),
    "account_checks": Rights("", "SI", "S", "S", console="S"),
    "account_papers": Rights("", "S", "SIU", "S", console="SI"),
    "account_lines": Rights("", "S", "SI", "S", console="S"),
    "acquirer_accounts": Rights("S", "S", "SIU", "S", console="SIU"),
    "acquirer_numbers": Rights("SIU", "SIU", "SIU"),
    "acquirer_terms": Rights("", "S", "SI", console="S"),
    "acquirer_troubles": Rights("SIU", "SIU", "S", console="S"),
    "acquirer_words": Rights("SI", "SI", "SI"),
    "address_checks": Rights("SIU", "SD"),
    "archived_links": Rights("", "", "", "S"),
    "archived_orders": Rights("S", "S", "SI", "S", console="S"),
    "archived_payments": Rights("S", "S", "S", "S", console="S"),
    "archived_sums": Rights("", "S", "", "S", console="S"),
    "approvals": Rights("", "", "SU", "S", console="SIU"),
    "assistant_keys": Rights("", "", "SIU", console="SIU"),
    "attempts": Rights("SIU", "SIU", "SU", "S", console="SIU"),
    "bank_days": Rights("S", "S", "SIUD", console="SIUD"),
    "bearer_keys": Rights("SU", "", "SIU", console="SIU"),
    "bank_accounts": Rights("S", "SU", "SIU", "S", console="SIU"),
    "certificate_looks": Rights("", "SIU", console="SIU"),
    "certification_evidence": Rights("", "", "SI", console="S"),
    "certification_webhooks": Rights("SI", "", "S"),
    "chain_blocks": Rights("", "SI", "", "S"),
    "chain_links": Rights("", "SI", "", "S"),
    "chain_roots": Rights("", "SI", "", "S"),
    "complaints": Rights("SIU", "S", "SU", console="SU"),
    "completions": Rights("SIU", "SIU", "SI", "S", console="SIU"),
    "day_tallies": Rights("", "SID", console="S"),
    "deliveries": Rights("SI", "SIU", "SIU", "S", console="SIU"),
    "delivery_attempts": Rights("", "SIU", "S", "S", console="S"),
    "dead_addresses": Rights("", "SI", "SD", console="SD"),
    "demo_clock": Rights("SIU", "S", "S", "S", console="S"),
    "direct_share_events": Rights("I", "I", "", "S"),
    "direct_shares": Rights("SIU", "SU", "S", "S", console="S"),
    "dispute_evidence": Rights("SI", "SU", "SIUD", "S", console="SID"),
    "dispute_stages": Rights("SIU", "SIU", "SU", "S", console="SU"),
    "endpoint_deliveries": Rights("SI", "SIUD", "SIU", "S", console="SIU"),
    "endpoint_tries": Rights("", "SIUD", "", "S", console="S"),
    "failing_endpoints": Rights("S", "SIUD", "SU", "S", console="SU"),
    "fee_invoices": Rights("", "SI", "SI", "S"),
    "fee_plans": Rights("S", "S", "SI", "S", console="SI"),
    "hour_tallies": Rights("", "SID", console="S"),
    "idempotency_keys": Rights("SI", "SD"),
    "identity_consents": Rights("I", "", "SU"),
    "identity_requests": Rights("SIU", "SD"),
    "lead_events": Rights("I", "", "SI", "S", console="SI"),
    "invoice_series": Rights("", "SIU", "SIU", "S"),
    "leads": Rights("SIU", "", "SU", console="SU"),
    "ledger_checkpoints": Rights("", "SIUD", "", "S", console="S"),
    "ledger_postings": Rights("SI", "SI", "SI", "S", console="SI"),
    "ledger_rolls": Rights("", "SIU", "", "S", console="S"),
    "letter_choices": Rights("", "S", console="SIU"),
    "letters": Rights("SIU", "SIUD", "SIU", console="SIUD"),
    "linked_accounts": Rights("S", "S", "SIU", "S", console="SU"),
    "linked_parties": Rights("S", "S", "SIU", "S", console="S"),
    "memberships": Rights("", "", "SIUD", "S", console="SIUD"),
    "merchant_logos": Rights("S", "", "SIU", console="SIU"),
    "merchant_twins": Rights("", "", "SID", console="SID"),
    "merchants": Rights("S", "S", "SIU", "S", console="SIU"),
    "message_consents": Rights("SIU", "S", "SIU", console="SIU"),
    "message_templates": Rights("", "S", "SIUD", console="SIUD"),
    "one_time_links": Rights("", "", "SIUD", console="SIUD"),
    "offers": Rights("SI", "SD", "SU"),
    "page_languages": Rights("SIU", "SD", "S", console="SD"),
    "partner_calls": Rights("SI", "SD", "S", console="S"),
    "partner_events": Rights("", "", "SI", console="SI"),
    "partner_lookups": Rights("SIU", "SD"),
    "partners": Rights("S", "S", "SIU", "S", console="SIU"),
    "passkeys": Rights("", "", "SUD", console="SIUD"),
    "people": Rights("", "", "SIU", console="SIU"),
    "operator_rule_sets": Rights("S", "S", "SI", "S", console="SI"),
    "payer_requests": Rights("SIUD", "SUD"),
    "payout_approvals": Rights("", "S", "SI", "S", console="I"),
    "payout_balances": Rights("S", "SIUD", "S", console="S"),
    "payout_batches": Rights("", "", "SI", "S"),
    "payout_events": Rights("", "SI", "SI", "S", console="SI"),
    "payout_fees": Rights("", "SI", "SI", "S", console="S"),
    "payout_plans": Rights("", "S", "SI", "S", console="SI"),
    "payouts": Rights("S", "SIU", "SIU", "S", console="SIU"),
    "payment_events": Rights("SI", "SI", "SI", "S", console="SI"),
    "payment_link_batch_lines": Rights("", "", "SI", console="SI"),
    "payment_link_batches": Rights("", "", "SI", console="SI"),
    "payment_link_reminders": Rights("SI", "SU", "SIU", console="SIU"),
    "payment_link_orders": Rights("SIU", "SU", "S", "S", console="SU"),
    "payment_links": Rights("SIU", "SU", "SIU", "S", console="SIU"),
    "payments": Rights("SIU", "SIU", "SU", "S", console="SU"),
    "pos_sales": Rights("SI", "", "SI", console="S"),
    "pos_terminals": Rights("S", "", "SIU", console="SIU"),
    "recovery_codes": Rights("", "", "SIUD", console="SIUD"),
    "reconciliation_items": Rights("", "SIU", "SIU", "S", console="SIU"),
    "reconciliation_proposals": Rights("", "S", "SIU", "S", console="SIU"),
    "report_files": Rights("S", "SIU", "SI", "", console="SI"),
    "report_parts": Rights("", "SIUD", console="S"),
    "report_schedules": Rights("S", "SU", "SIU", "", console="SIU"),
    "report_fetches": Rights("", "SIU", "S", "S", console="S"),
    "refund_requests": Rights("SI", "SI", "", "S", console="SI"),
    "refunds": Rights("SIU", "SIU", "S", "S", console="SI"),
    "refused_requests": Rights("SI", "SD", "S", console="S"),
    "review_decisions": Rights("", "", "SI", console="SI"),
    "risk_blocks": Rights("I", "", "S", console="S"),
    "risk_cards": Rights("SIU", "SIUD"),
    "risk_counts": Rights("SIU", "SIUD"),
    "risk_rule_sets": Rights("S", "S", "SI", "S", console="SI"),
    "routing_plans": Rights("S", "S", "SI", "S", console="SI"),
    "saved_cards": Rights("SIU", "SU", console="SU"),
    "saved_filters": Rights("", "", "", console="SIUD"),
    "schedules": Rights("", "SIU", "", "S"),
    "schema_version": Rights("S", "S", "S", "S", console="S"),
    "search_keys": Rights("", "SI", console="S"),
    "search_marks": Rights("", "SIU"),
    "settlement_items": Rights("S", "SIU", "SIU", "S", console="S"),
    "settlement_marks": Rights("SIU", "SIU", "SIU", "S"),
    "settlement_parts": Rights("", "SI", "I", "S"),
    "settlement_shares": Rights("S", "SI", "SI", "S", console="S"),
    "settlement_terms": Rights("S", "S", "SI", "S", console="SI"),
    "settlement_totals": Rights("", "I", "SI", console="S"),
    "settlements": Rights("S", "SI", "SI", "S", console="S"),
    "sign_in_failures": Rights(console="SIUD"),
    "share_reversals": Rights("SU", "SIU", "S", "S", console="S"),
    "shares_to_pay": Rights("S", "SIUD", "SIUD", "S", console="SIUD"),
    "signing_keys": Rights("SI", "SI", "SIU"),
    "split_configurations": Rights("SIU", "S", "S", "S", console="S"),
    "split_parts": Rights("SI", "S", "S", "S", console="S"),
    "staff_sessions": Rights("", "", "SD", console="SIUD"),
    "status_announcements": Rights("S", "SD", "SIU", console="SIU"),
    "status_names": Rights("S", "", "SIU", console="SIU"),
    "status_spells": Rights("S", "SIUD", console="S"),
    "status_watch": Rights("S", "SU", console="S"),
    "statement_files": Rights("", "SI", "SI", "S", console="S"),
    "statement_handovers": Rights("", "SI", "SI", "S", console="S"),
    "statement_lines": Rights("", "SI", "SI", "S", console="S"),
    "statement_mappings": Rights("", "", "SI", console="SI"),
    "statement_matches": Rights("", "SI", "SI", "S", console="SI"),
    "statement_uploads": Rights("", "SU", "SIU", "", console="SIU"),
    "statement_steps": Rights("", "SI", "SI", "S", console="SI"),
    "subscription_debits": Rights("SIU", "SIU", "SIU", "S", console="SIU"),
    "subscriptions": Rights("SIU", "SU", "SU", "S", console="SU"),
    "tally_marks": Rights("", "SIU", console="S"),
    "tax_parties": Rights("S", "S", "SI", console="SI"),
    "token_failures": Rights("SIU", "SD"),
    "trail_entries": Rights("", "SI", "SI", "S", console="SI"),
    "webhook_endpoints": Rights("S", "SU", "SIU", "S", console="SIU"),
}
"""The rights of each role on each table, exactly those that its code needs.

No role may change append-only tables.
"""

FUNCTIONS: Mapping[str, Collection[DatabaseRole]] = {
    "add_archive_month": (DatabaseRole.OPERATOR,),
    "archive_payments": (DatabaseRole.OPERATOR,),
    "ask_about_credits": (DatabaseRole.CONSOLE, DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "claim_deliveries": (DatabaseRole.WORKER,),
    "count_risk_decline": (DatabaseRole.GATEWAY, DatabaseRole.WORKER),
    "count_risk_try": (DatabaseRole.GATEWAY, DatabaseRole.WORKER),
    "create_payment": (DatabaseRole.GATEWAY, DatabaseRole.WORKER),
    "defaults_of": (
        DatabaseRole.GATEWAY,
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
        DatabaseRole.AUDIT,
    ),
    "find_missing": (DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "items_paise": (
        DatabaseRole.GATEWAY,
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
    ),
    "match_lines": (DatabaseRole.CONSOLE, DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "payment_with_attempts": (
        DatabaseRole.GATEWAY,
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
    ),
    "people_by_name": (DatabaseRole.AUDIT,),
    "people_to_tell": (DatabaseRole.CONSOLE, DatabaseRole.WORKER),
    "person_key": (DatabaseRole.CONSOLE, DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "post_handover": (DatabaseRole.CONSOLE, DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "recall_payment": (
        DatabaseRole.GATEWAY,
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
    ),
    "record_tries": (DatabaseRole.WORKER,),
    "refuse_change": (),
    "refuse_gap": (),
    "refuse_wrong_move": (),
    "refuse_wrong_attempt": (),
    "refuse_wrong_delivery": (),
    "refuse_wrong_approval": (),
    "refuse_without_papers": (),
    "refuse_wrong_payout": (),
    "refuse_wrong_reversal": (),
    "refuse_wrong_share": (),
    "resolve_items": (DatabaseRole.CONSOLE, DatabaseRole.WORKER, DatabaseRole.OPERATOR),
    "roll_up": (DatabaseRole.WORKER,),
    "stamp_transaction": (),
    "start_attempt": (DatabaseRole.GATEWAY, DatabaseRole.CONSOLE, DatabaseRole.WORKER),
    "this_cluster": (
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
        DatabaseRole.AUDIT,
    ),
    "this_home": (
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
        DatabaseRole.AUDIT,
    ),
    "hasten_check": (DatabaseRole.GATEWAY,),
    "hasten_payout": (DatabaseRole.GATEWAY,),
    "is_home": (
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
        DatabaseRole.AUDIT,
    ),
    "write_step": (
        DatabaseRole.GATEWAY,
        DatabaseRole.CONSOLE,
        DatabaseRole.WORKER,
        DatabaseRole.OPERATOR,
    ),
}
"""The roles that may call each function; a trigger's function needs no right.

The archive's three run with the owner's rights, because no role may remove a row otherwise. So does
`people_by_name`: the audit must not see what people sign in with.
"""


def grant_text(roles: Iterable[str]) -> str:
    """Return the statements that give the roles exactly their rights.

    The owner runs them as one text. roles: ours that the server has; an operator's own server may
    lack some.
    """
    known = set(roles)
    there = [role for role in SERVED if role in known]
    everybody = ", ".join(("PUBLIC", *there))
    # By name: objects of an extension or of others in the schema are not ours to change.
    lines = [
        f"REVOKE ALL ON {', '.join(TABLES)} FROM {everybody};",
        f"REVOKE ALL ON FUNCTION {', '.join(FUNCTIONS)} FROM {everybody};",
    ]
    for role in there:
        by_letters: dict[str, list[str]] = {}
        for table, rights in TABLES.items():
            if letters := rights.of(role):
                by_letters.setdefault(letters, []).append(table)
        lines += [
            f"GRANT {', '.join(WORDS[each] for each in letters)} ON {', '.join(tables)} TO {role};"
            for letters, tables in by_letters.items()
        ]
        called = [name for name, callers in FUNCTIONS.items() if role in callers]
        if called:
            lines.append(f"GRANT EXECUTE ON FUNCTION {', '.join(called)} TO {role};")
    return "\n".join(lines)


def fingerprint(roles: Iterable[str]) -> str:
    """Return the comment on `schema_version` for exactly these grants."""
    return GRANTED + sha256(grant_text(roles).encode()).hexdigest()[:16]


def setup_text(database: str) -> str:
    """Return the SQL with which an administrator creates the roles on a server of their own."""
    statements = "\n".join(
        f"CREATE ROLE {role} LOGIN;  -- \\password {role}" for role in (DatabaseRole.OWNER, *SERVED)
    )
    served = ", ".join(SERVED)
    return f"""\
-- Once for each server, as its administrator; then give each role a password or a certificate.
{statements}
CREATE ROLE {DatabaseRole.BACKUP} LOGIN REPLICATION;  -- \\password {DatabaseRole.BACKUP}
-- Once for each database; then: HUNDI_DATABASE_URL=<as {DatabaseRole.OWNER}> hundi migrate
CREATE DATABASE {database} OWNER {DatabaseRole.OWNER};
REVOKE ALL ON DATABASE {database} FROM PUBLIC;
GRANT CONNECT ON DATABASE {database} TO {served};
"""
