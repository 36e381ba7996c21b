"""The checks of the trail: one query for each promise.

The digest is made anew here, by the database's own hash and from the columns as they are stored.
"""

from collections.abc import AsyncIterator, Mapping

from asyncpg import Record

from hundi.infra.postgres.database import Connection
from hundi.money.audit.rules import Violation

STATEMENT_S_MAX = 600
_ROWS_AT_ONCE = 5_000
_COUNT_MARKED = "SELECT count(*) FROM trail_entries WHERE mark <> ''"
_MARKS = """
SELECT merchant_id, entry_no, act, about, person, digest, mark FROM trail_entries ORDER BY merchant_id, entry_no
"""

_FIELDS = (
    *("merchant_id::text", "entry_no::text", "(extract(epoch FROM at) * 1000000)::bigint::text", "person_id::text"),
    *("person", "act", "about", "detail", "network"),
)
_DIGEST = " || ".join(f"sha256(convert_to({each}, 'UTF8'))" for each in _FIELDS)

_UNTOLD = """
    SELECT format('%s {noun} %s', merchant_id, about) AS subject, format('%s, told last: %s by %s',
        coalesce(kept.there, 'gone'), coalesce(t.act, 'nothing'), coalesce(t.person, 'nobody')) AS found
    FROM (
        SELECT merchant_id, {about} AS about, 'there' AS there,
            encode(sha256(convert_to({text}, 'UTF8')), 'hex') AS digest
        FROM {table}
    ) AS kept FULL JOIN (
        SELECT DISTINCT ON (merchant_id, about) merchant_id, about, act, person, detail FROM trail_entries
        WHERE act LIKE '{noun}.%' AND position('"{digest}":' IN detail) > 0
        ORDER BY merchant_id, about, entry_no DESC
    ) AS t USING (merchant_id, about)
    WHERE (position(format('"{digest}":"%s"', kept.digest) IN t.detail) > 0) IS NOT TRUE
"""
"""Of rows that are told of one by one. text: what is hashed."""
_ACCOUNT = """concat_ws(chr(10), beneficiary, account_no, holder, last4, encode(fingerprint, 'hex'), ifsc, added_by,
            state, registered_name, accepted_by)"""

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
    """,  # noqa: S608 (texts of ours)
    Violation.DECISION_UNTOLD: """
        SELECT a.merchant_id || ' approval ' || a.approval_id AS subject,
            format('%s %s, decided by %s', a.kind, a.state, a.checker) AS found
        FROM approvals a
        CROSS JOIN LATERAL (VALUES (a.made_by, a.made_at, 'approval.ask'), (a.decided_by, a.decided_at,
            CASE a.state WHEN 'rejected' THEN 'approval.reject' ELSE 'approval.approve' END)
        ) AS step (person_id, at, act)
        WHERE step.person_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM trail_entries t WHERE t.merchant_id = a.merchant_id AND t.about = a.approval_id::text
                AND t.person_id = step.person_id AND t.at = step.at AND t.act = step.act
                AND t.detail LIKE '%"content_sha256":"' || encode(sha256(
                    convert_to(a.kind || chr(10) || a.title || chr(10) || a.payload::text, 'UTF8')), 'hex') || '"%')
    """,
    Violation.ROLE_UNTOLD: """
        SELECT merchant_id || ' person ' || about AS subject,
            format('has %s, told last: %s', coalesce(m.role::text, 'no role'), coalesce(t.act, 'nothing')) AS found
        FROM (
            SELECT DISTINCT ON (merchant_id, about) merchant_id, about, act, detail FROM trail_entries
            WHERE act IN ('person.invite', 'person.change_role', 'person.remove', 'person.take_over')
            ORDER BY merchant_id, about, entry_no DESC
        ) AS t FULL JOIN (SELECT merchant_id, person_id::text AS about, role FROM memberships) AS m
            USING (merchant_id, about)
        WHERE (position(format(CASE t.act WHEN 'person.invite' THEN '"role":"%s"' ELSE '"after":"%s"' END,
            coalesce(m.role::text, 'none')) IN t.detail) > 0) IS NOT TRUE
    """,
    Violation.PERSON_UNTOLD: """
        SELECT 'person ' || p.person_id AS subject, format('%s, %s; told: %s', p.email, p.name, t.detail) AS found
        FROM people_by_name() p JOIN trail_entries t ON t.act = 'person.invite' AND t.about = p.person_id::text
        WHERE position('"name":' IN t.detail) > 0
            AND (position('"email":' || to_json(p.email)::text IN t.detail) = 0
                OR position('"name":' || to_json(p.name)::text IN t.detail) = 0)
    """,
    Violation.MERCHANT_UNTOLD: """
        WITH told AS (
            SELECT merchant_id, entry_no, act, person, after, before, lag(after) OVER of_merchant AS known,
                row_number() OVER (PARTITION BY merchant_id ORDER BY entry_no DESC) AS place
            FROM (
                SELECT *, substring(detail FROM '"merchant_sha256":"([0-9a-f]*)"') AS after,
                    substring(detail FROM '"merchant_before":"([0-9a-f]*)"') AS before
                FROM trail_entries WHERE position('"merchant_sha256":' IN detail) > 0
            ) AS entry WINDOW of_merchant AS (PARTITION BY merchant_id ORDER BY entry_no)
        )
        SELECT 'merchant ' || merchant_id AS subject, format('%s, %s; told last: %s by %s', name, state,
            coalesce(t.act, 'nothing'), coalesce(t.person, 'nobody')) AS found
        FROM merchants LEFT JOIN (SELECT * FROM told WHERE place = 1) AS t USING (merchant_id)
        WHERE t.after IS DISTINCT FROM encode(sha256(convert_to(
            concat_ws(chr(10), mode, state, name, settings::text), 'UTF8')), 'hex')
        UNION ALL
        SELECT 'merchant ' || merchant_id, format('changed before %s by %s, entry %s', act, person, entry_no)
        FROM told WHERE before <> known
    """,
    Violation.ACCOUNT_UNTOLD: _UNTOLD.format(
        noun="bank_account",
        digest="account_sha256",
        table="bank_accounts",
        about="beneficiary || ' ' || account_no",
        text=_ACCOUNT,
    ),
    Violation.PLAN_UNTOLD: _UNTOLD.format(
        noun="fee_plan",
        digest="plan_sha256",
        table="fee_plans",
        about="plan_no::text",
        text="to_char(first_day, 'YYYY-MM-DD') || chr(10) || document::text",
    ),
    Violation.ROOT_UNTOLD: """
        SELECT 'root of ' || day AS subject,
            format('%s here, told: %s', coalesce(r.root, 'none'), coalesce(t.root, 'none')) AS found
        FROM (
            SELECT about AS day, substring(detail FROM '"root":"([0-9a-f]*)"') AS root FROM trail_entries
            WHERE merchant_id = 0 AND act = 'books.root'
        ) AS t FULL JOIN (
            SELECT to_char(day, 'YYYY-MM-DD') AS day, encode(root, 'hex') AS root FROM chain_roots
            WHERE to_char(day, 'YYYY-MM-DD') >= (
                SELECT min(about) FROM trail_entries WHERE merchant_id = 0 AND act = 'books.root')
        ) AS r USING (day)
        WHERE r.root IS DISTINCT FROM t.root
    """,
    Violation.PUBLISHED_UNTOLD: """
        SELECT format('%s %s %s', merchant_id, act, about) AS subject,
            format('published by %s at %s, told: %s at %s', coalesce(p.person, 'nobody'), p.at,
                coalesce(t.person, 'nobody'), t.at) AS found
        FROM (
            SELECT 0::bigint AS merchant_id, 'routing.publish' AS act, version::text AS about, document,
                published_by AS person, published_at AS at
            FROM routing_plans
            UNION ALL SELECT merchant_id, 'risk.publish', version::text, document, published_by, published_at
            FROM risk_rule_sets
        ) AS p FULL JOIN (
            SELECT merchant_id, act, about, person, at, detail FROM trail_entries
            WHERE act IN ('routing.publish', 'risk.publish') AND position('"merchant":' IN detail) = 0
        ) AS t USING (merchant_id, act, about)
        WHERE (p.person = t.person AND p.at = t.at AND position(format('"sha256":"%s"',
            encode(sha256(convert_to(p.document, 'UTF8')), 'hex')) IN t.detail) > 0) IS NOT TRUE
    """,
}
"""For each promise the query that finds its violations, as rows of (subject, found)."""


async def count_marked(conn: Connection) -> int:
    """Return how many entries have a mark."""
    return await conn.fetchval(_COUNT_MARKED, timeout=STATEMENT_S_MAX) or 0


async def marks(conn: Connection) -> AsyncIterator[Record]:
    """Yield every entry with its digest and mark, in the order of its trail."""
    cursor = await conn.cursor(_MARKS, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        for row in rows:
            yield row
