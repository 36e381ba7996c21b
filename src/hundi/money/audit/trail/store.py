"""The checks of the trail: one query for each promise.

The database computes each digest again from the stored columns.
"""

from collections.abc import AsyncIterator, Mapping

from asyncpg import Record

from hundi.infra.postgres.database import Connection
from hundi.money.audit.rules import Violation

STATEMENT_S_MAX = 600
_ROWS_AT_ONCE = 5_000
_COUNT_MARKED = "SELECT count(*) FROM trail_entries WHERE mark <> ''"
_MARKS = """
SELECT merchant_id, entry_no, act, about, person, digest, mark FROM trail_entries
    ORDER BY merchant_id, entry_no
"""

_FIELDS = (
    *(
        "merchant_id::text",
        "entry_no::text",
        "(extract(epoch FROM at) * 1000000)::bigint::text",
        "person_id::text",
    ),
    *("person", "act", "about", "detail", "network"),
)
_DIGEST = " || ".join(f"sha256(convert_to({each}, 'UTF8'))" for each in _FIELDS)

_UNTOLD = """
    WITH told AS (
        SELECT merchant_id, about, entry_no, act, person, after, before,
            lag(after) OVER (PARTITION BY merchant_id, about ORDER BY entry_no) AS known,
            row_number() OVER (PARTITION BY merchant_id, about ORDER BY entry_no DESC) AS place
        FROM (
            SELECT merchant_id, {about} AS about, entry_no, act, person, {after} AS after,
            {before} AS before
            FROM trail_entries WHERE {entries}
        ) AS entry
    )
    SELECT {subject} AS subject, format('%s here, told: %s by %s in %s', coalesce(kept.now, 'none'),
        coalesce(t.after, 'none'), coalesce(t.person, 'nobody'),
            coalesce(t.act, 'no entry')) AS found
    FROM ({rows}) AS kept FULL JOIN (SELECT * FROM told WHERE place = 1) AS t USING (merchant_id,
    about)
    WHERE coalesce(kept.now, 'none') <> coalesce(t.after, 'none')
    UNION ALL
    SELECT {subject}, format('%s before entry %s, %s by %s; told then: %s', before, entry_no, act,
    person, known)
    FROM told WHERE before <> known
"""
"""Rows that differ from the newest entry about them, or whose entry denies the one before.

rows: a query of (merchant_id, about, now); merchant_id is the trail with the row's entries.
after, before: what an entry says of the row; for rows with one entry only, before is after.
entries: the condition of those entries.
"""
_HASHED = """SELECT {place} AS merchant_id, {about} AS about,
            encode(sha256(convert_to({text}, 'UTF8')), 'hex') AS now FROM {table}"""


def _digests(
    name: str,
    subject: str,
    table: str,
    about: str,
    text: str,
    *,
    place: str = "merchant_id",
    is_version: bool = False,
) -> str:
    """Return the check of rows whose entries carry the SHA-256 of the row after the act.

    name: of the digest in an entry.
    text: the hashed text.
    place: the column of the trail's merchant; a merchant's own rows are in its own trail.
    is_version: the row has one entry only.
    """
    hashed_before = "sha256" if is_version else "before"
    return _UNTOLD.format(
        subject=subject if " " in subject else f"format('%s {subject} %s', merchant_id, about)",
        rows=_HASHED.format(place=place, about=about, text=text, table=table),
        about=about if about.startswith(place) else "about",
        after=f"""substring(detail FROM '"{name}_sha256":"([0-9a-f]*)"')""",
        before=f"""substring(detail FROM '"{name}_{hashed_before}":"([0-9a-f]*)"')""",
        entries=f"""position('"{name}_sha256":' IN detail) > 0""",
    )


def _at(column: str) -> str:
    """Return the SQL expression of a moment that does not depend on the session's time zone."""
    return f"extract(epoch FROM {column})"


def _hex(column: str) -> str:
    return f"encode({column}, 'hex')"


_ACCOUNT = """concat_ws(chr(10), beneficiary, account_no, holder, last4, encode(fingerprint, 'hex'),
            ifsc, added_by, state, registered_name, accepted_by)"""
_KEYS = f"jsonb_build_array({_hex('sealed_keys')}, {_at('created_at')}, {_at('changed_at')})::text"
_TERMS = f"""jsonb_build_array({_at("set_at")}, cut_off_minute, base_event, base_days, working_days,
            centre, minimum_paise, reserve_bps, reserve_days, held, instant_bps)::text"""
_LINKED = f"""(jsonb_build_array(name, {_hex("sealed_number")}, last4, ifsc, ledger_account,
            {_at("created_at")}, {_at("closed_at")}) || coalesce((
                SELECT jsonb_agg(connector || ' ' || party ORDER BY connector)
                FROM linked_parties p WHERE p.merchant_id = linked_accounts.merchant_id
                    AND p.identifier = linked_accounts.identifier AND p.ended_at IS NULL),
            '[]'))::text"""
_PARTNER = f"""jsonb_build_array(state, name, {_hex("sealed_keys")}, {_hex("card_token_hash")},
            {_hex("older_card_token_hash")}, settings, {_at("created_at")},
            {_at("changed_at")})::text"""
_ACQUIRER = f"""jsonb_build_array(kind, serves, simulated, fields, {_hex("sealed_secrets")},
            {_hex("sealed_before")}, {_at("before_until")}, state, revision, {_at("added_at")},
            {_at("changed_at")})::text"""

_ROOT_TOLD = """substring(detail FROM '"root":"([0-9a-f]*)"')"""

_PUBLISHED_TOLD = """concat_ws(' ', substring(detail FROM '"sha256":"([0-9a-f]*)"'), person, at)"""

CHECKS: Mapping[Violation, str] = {
    Violation.TRAIL_BROKEN: f"""
        SELECT merchant_id || ' entry ' || entry_no AS subject,
            CASE WHEN entry_no <> place THEN format('the entry at place %s', place)
                ELSE format('%s about %s by %s', act, about, person) END AS found
        FROM (
            SELECT *, row_number() OVER in_order AS place,
                lag(digest::bytea, 1, decode(repeat('00', 32), 'hex')) OVER in_order AS before
            FROM trail_entries WINDOW in_order AS (PARTITION BY merchant_id ORDER BY entry_no)
        ) AS entry
        WHERE entry_no <> place OR digest <> sha256(before || {_DIGEST})
    """,
    Violation.DECISION_UNTOLD: """
        SELECT a.merchant_id || ' approval ' || a.approval_id AS subject,
            format('%s %s, decided by %s', a.kind, a.state, a.checker) AS found
        FROM approvals a
        CROSS JOIN LATERAL (VALUES (a.made_by, a.made_at, 'approval.ask'),
            (a.decided_by, a.decided_at,
            CASE a.state WHEN 'rejected' THEN 'approval.reject' ELSE 'approval.approve' END)
        ) AS step (person_id, at, act)
        WHERE step.person_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM trail_entries t WHERE t.merchant_id = a.merchant_id
                AND t.about = a.approval_id::text
                AND t.person_id = step.person_id AND t.at = step.at AND t.act = step.act
                AND t.detail LIKE '%"content_sha256":"' || encode(sha256(
                    convert_to(a.kind || chr(10) || a.title || chr(10) || a.payload::text, 'UTF8')),
                        'hex') || '"%')
    """,
    Violation.ROLE_UNTOLD: _UNTOLD.format(
        subject="format('%s person %s', merchant_id, about)",
        rows="SELECT merchant_id, person_id::text AS about, role::text AS now FROM memberships",
        about="about",
        after="""substring(detail FROM CASE act WHEN 'person.invite' THEN '"role":"([a-z_]*)"'
                ELSE '"after":"([a-z_]*)"' END)""",
        before="NULL::text",
        entries=(
            "act IN ('person.invite', 'person.change_role', 'person.remove', 'person.take_over')"
        ),
    ),
    Violation.PERSON_UNTOLD: """
        SELECT 'person ' || p.person_id AS subject,
            format('%s, %s; told: %s', p.email, p.name, coalesce(t.detail, 'nothing')) AS found
        FROM people_by_name() p LEFT JOIN trail_entries t
            ON t.act IN ('person.invite', 'person.take_over') AND t.about = p.person_id::text
        WHERE t.about IS NULL
            OR position('"email":' IN t.detail) > 0
                AND position('"email":' || to_json(p.email)::text IN t.detail) = 0
            OR position('"name":' IN t.detail) > 0
                AND position('"name":' || to_json(p.name)::text IN t.detail) = 0
    """,
    Violation.MERCHANT_UNTOLD: _digests(
        "merchant",
        "'merchant ' || about",
        "merchants",
        "merchant_id::text",
        "concat_ws(chr(10), mode, state, name, settings::text)",
    ),
    Violation.KEYS_UNTOLD: _digests(
        "keys", "'keys of ' || about", "merchants", "merchant_id::text", _KEYS
    ),
    Violation.ACCOUNT_UNTOLD: _digests(
        "account", "bank_account", "bank_accounts", "beneficiary || ' ' || account_no", _ACCOUNT
    ),
    Violation.PLAN_UNTOLD: _digests(
        "plan",
        "fee_plan",
        "fee_plans",
        "plan_no::text",
        "to_char(first_day, 'YYYY-MM-DD') || chr(10) || document::text",
        is_version=True,
    ),
    Violation.TERMS_UNTOLD: _digests(
        "terms", "settlement_terms", "settlement_terms", "terms_no::text", _TERMS, is_version=True
    ),
    Violation.LINKED_UNTOLD: _digests(
        "linked", "linked_account", "linked_accounts", "identifier::text", _LINKED
    ),
    Violation.PARTNER_UNTOLD: _digests(
        "partner", "'partner ' || about", "partners", "affiliate", _PARTNER, place="0::bigint"
    ),
    Violation.ACQUIRER_UNTOLD: _digests(
        "acquirer",
        "'acquirer ' || about",
        "acquirer_accounts",
        "name",
        _ACQUIRER,
        place="0::bigint",
    ),
    Violation.ROOT_UNTOLD: _UNTOLD.format(
        subject="'root of ' || about",
        rows="""
            SELECT 0::bigint AS merchant_id, to_char(day, 'YYYY-MM-DD') AS about,
            encode(root, 'hex') AS now
            FROM chain_roots WHERE to_char(day, 'YYYY-MM-DD') >= (
                SELECT min(about) FROM trail_entries WHERE merchant_id = 0
                    AND act = 'books.root')""",
        about="about",
        after=_ROOT_TOLD,
        before=_ROOT_TOLD,
        entries="merchant_id = 0 AND act = 'books.root'",
    ),
    Violation.PUBLISHED_UNTOLD: _UNTOLD.format(
        subject="format('%s %s', merchant_id, about)",
        rows="""
            SELECT merchant_id, act || ' ' || version AS about, concat_ws(' ',
                encode(sha256(convert_to(document, 'UTF8')), 'hex'), published_by,
                    published_at) AS now
            FROM (
                SELECT 0::bigint AS merchant_id, 'routing.publish' AS act, * FROM routing_plans
                UNION ALL SELECT 0, 'payout.plan', * FROM payout_plans
                UNION ALL SELECT 0, 'risk.publish', * FROM operator_rule_sets
                UNION ALL SELECT merchant_id, 'risk.publish', version, document, published_by,
                published_at
                FROM risk_rule_sets
            ) AS published""",
        about="act || ' ' || about",
        after=_PUBLISHED_TOLD,
        before=_PUBLISHED_TOLD,
        entries=(
            "act IN ('routing.publish', 'payout.plan', 'risk.publish')"
            " AND position('\"merchant\":' IN detail) = 0"
        ),
    ),
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""


async def count_marked(conn: Connection) -> int:
    """Return how many entries have a mark."""
    return await conn.fetchval(_COUNT_MARKED, timeout=STATEMENT_S_MAX) or 0


async def marks(conn: Connection) -> AsyncIterator[Record]:
    """Yield every entry with its digest and mark, in the order of its trail."""
    cursor = await conn.cursor(_MARKS, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        for row in rows:
            yield row
