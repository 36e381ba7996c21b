"""The shape of statements that run on their merchant's node, checked without Citus.

The texts of the stores and the bodies of the functions are read; test_schema.py checks their
tables.
"""

import re

import pytest

from hundi.infra.postgres.citus import OWNERS, STAMPED
from hundi.infra.postgres.roles import FUNCTIONS
from tests.house.across import CLEAN_UPS
from tests.house.test_schema import AUDIT, GATEWAY_WIDE, STATEMENTS
from tests.house.test_spread_migrations import MIGRATIONS, bare

SCHEMA = (MIGRATIONS / "schema.sql").read_text("utf-8")


PULLED = {
    "hundi.money.chain.store.SEALS[events]": (
        "a block of thousands of rows, by a schedule: the detour is small"
    ),
    "hundi.money.chain.store.SEALS[postings]": "as the events",
    "hundi.money.chain.store.SEALS[settlements]": "as the events",
    "hundi.notifications.store.CLAIM_PROBE": "one question a minute to an endpoint that fails",
    "hundi.notifications.endpoints.store.CLAIM": (
        "a few rows of one further address at a time: a merchant has sixteen at most"
    ),
    "hundi.notifications.endpoints.store.RECORD": "one row, after a call that took far longer",
    "hundi.partners.directory.store.INSERT_CALLS": (
        "the log of the partners' calls, a batch a second"
    ),
    "hundi.partners.pos.store.INSERT_SALE": (
        "goes to its shard whole: it selects its own merchant's rows there"
    ),
    "hundi.partners.pos.store.INSERT_SALES": "a manager's message about up to hundreds of sales",
    "hundi.payments.tallies.store.INSERT_HOURS": (
        "goes to its shard whole: it counts its own merchant's rows there"
    ),
    "hundi.payments.tallies.store.INSERT_DAYS": "as INSERT_HOURS: its own merchant's hours",
    "hundi.money.reconciliation.mappings.store.INSERT": "one row, by a person's click",
    "hundi.payments.search.store.INSERT_KEYS": "keys of up to thousands of payments, by a schedule",
    "hundi.payments.archive.store.MARK": (
        "goes to its shard whole: it selects its own merchant's rows there"
    ),
    "archive_payments": "inside a function all of it is on one node",
    "roll_up": "inside a function all of it is on one node",
    "count_risk_decline": "inside a function all of it is on one node",
    "count_risk_try": "inside a function all of it is on one node",
    "find_missing": "inside a function all of it is on one node",
    "match_lines": "inside a function all of it is on one node",
    "post_handover": "inside a function all of it is on one node",
}
"""Statements that insert what they select, or change rows in a CTE, and the reasons."""

LOCKS = {
    "hundi.payments.acquirer_accounts.store.LOCK_ALL": "on the coordinator, where accounts are",
    "hundi.payments.risk.store.LOCK_RULE_SETS": (
        "on the coordinator, where every operator publishes"
    ),
    "hundi.payments.routing.store.LOCK_PLANS": "on the coordinator, where plans are",
    "hundi.money.payouts.routing.store.LOCK_PLANS": "on the coordinator, where plans are",
    "hundi.money.payouts.utrs.store.LOCK_UTR": "on the coordinator, where workers write answers",
    "hundi.money.reconciliation.store.LOCK_STATEMENTS": (
        "on the coordinator, where files of statements are"
    ),
    "hundi.money.reconciliation.store.LOCK_STATEMENTS_SHARED": "as LOCK_STATEMENTS",
    "hundi.payments.payers.store.LOCK": "on the coordinator, where payers' questions are",
    "count_risk_try": "on the merchant's own node, for all who ask there",
    "hundi.partners.identity.store.LOCK_HOLDER": "on the coordinator, where every gateway asks",
}
"""Places of advisory locks, which count on one node alone."""

_FUNCTION = re.compile(
    r"^CREATE FUNCTION (\w+)\((.*?)\) RETURNS (.*?)\n(.*?)\$\w*\$;", re.DOTALL | re.MULTILINE
)
_PIECE = re.compile(
    r"\b(?:insert\s+into|update\s+(?!set\b)\w+|delete\s+from)\b.*?;", re.IGNORECASE | re.DOTALL
)
OF_NOBODY = {
    "this_cluster",
    "this_home",
    "is_home",
    "add_archive_month",
    "defaults_of",
    "items_paise",
    "person_key",
    "people_by_name",
    "people_to_tell",
}
"""Functions that work on no owner's rows.

They ask their node, make a partition from the coordinator, or only compute.

People have no owner.
"""
OWNED = {
    name
    for name, columns in re.findall(
        r"^CREATE TABLE (\w+) \((.*?)^\)", SCHEMA, re.DOTALL | re.MULTILINE
    )
    if re.search(rf"\b(?:{'|'.join(OWNERS)})\b", columns)
}
_OWNER = rf"\b(?:{'|'.join(OWNERS)})\s*=\s*(?:\$1\b|owner\b)"


def functions() -> dict[str, tuple[str, str]]:
    """Return the arguments and the body of each function with an owner's parameter, by name."""
    bodies = {
        match[1]: (match[2], match[4])
        for match in _FUNCTION.finditer(SCHEMA)
        if match[3] != "trigger"
    }
    return {name: body for name, body in bodies.items() if name not in OF_NOBODY}


def pieces() -> dict[str, list[str]]:
    """Return every statement that changes rows.

    A store's text is one, a function has several.
    """
    statements_found = {
        name: [text] for name, text in STATEMENTS.items() if not name.startswith(AUDIT)
    }
    return statements_found | {
        name: _PIECE.findall(bare(body)) for name, (_, body) in functions().items()
    }


def faults(text: str) -> set[str]:
    """Return the reasons why a statement cannot run whole on its merchant's node."""
    text = bare(text)
    offences = set[str]()
    if re.search(
        r"\bas\s+(not\s+)?(materialized\s+)?\(\s*(insert|update|delete|merge)\b",
        text,
        re.IGNORECASE,
    ):
        offences.add("a CTE changes rows")
    if re.search(
        r"\binsert\s+into\s+\w+(\s+as\s+\w+)?\s*(\([^()]*\))?\s*(select|with)\b",
        text,
        re.IGNORECASE,
    ):
        offences.add("inserts what it selects")
    if re.search(
        r"\bupdate\s+\w+.*\bset\b.*\bcase\b(?!\s+when\b)", text, re.IGNORECASE | re.DOTALL
    ):
        offences.add("CASE of a value in an UPDATE")
    if re.search(
        r"(\bset\b|,)\s*\w+\s*=\s*\w+\[\w+\](::\w+)?\s*(,|\bwhere\b)", text, re.IGNORECASE
    ):
        offences.add("a column is set from an array's element")
    if re.search(
        r"\bupdate\s+\w+\s.*\bset\b.*\b(\w+_(at|from)|since|until)\s*[-+]",
        text,
        re.IGNORECASE | re.DOTALL,
    ):
        offences.add("adds to a moment by the session's time zone")
    if re.search(r"\bupdate\s+\w+\s.*\bextract\s*\(\s*epoch\b", text, re.IGNORECASE | re.DOTALL):
        offences.add("takes a moment apart by the session's time zone")
    if re.search(r"\bpg_(try_)?advisory\w*lock", text, re.IGNORECASE):
        offences.add("an advisory lock")
    target = re.match(r"\s*(?:update|delete\s+from)\s+(\w+)", text, re.IGNORECASE)
    if target and target[1] not in GATEWAY_WIDE and not re.search(_OWNER, text, re.IGNORECASE):
        offences.add("changes rows of no given owner")
    return offences


def test_the_functions_are_found() -> None:
    called = {name for name, roles in FUNCTIONS.items() if roles}
    assert set(functions()) == called - OF_NOBODY
    only_read = {name for name in functions() if not pieces()[name]}
    assert only_read == {"payment_with_attempts"}


def test_a_function_works_on_the_owner_that_it_is_given_first() -> None:
    """Citus sends a call to the node with the owner's rows."""
    first = {name: arguments for name, (arguments, _) in functions().items()}
    assert {
        name
        for name, arguments in first.items()
        if not re.match(r"owner (bigint|text)\b", arguments)
    } == set()


def test_a_function_that_changes_rows_is_in_plpgsql() -> None:
    """A worker of Citus 13.2.2 crashes on an UPDATE in a function in SQL."""
    languages = {match[1]: match[4] for match in _FUNCTION.finditer(SCHEMA)}
    changing = {name for name in functions() if pieces()[name]}
    assert {name for name in changing if "LANGUAGE plpgsql" not in languages[name]} == set()


PLANNED_ONCE = (
    "create_payment",
    "start_attempt",
    "write_step",
    "payment_with_attempts",
    "claim_deliveries",
    "record_tries",
)
"""Functions in every payment.

Citus caches only plans of statements on one table.
"""


def test_functions_of_every_payment_have_statements_of_one_table() -> None:
    bodies = {name: bare(functions()[name][1]) for name in PLANNED_ONCE}
    several = r"\(\s*select\b|\bjoin\b|\binsert\s+into\s+\w+\s*(\([^()]*\))?\s*select\b"
    assert {
        name for name, body in bodies.items() if re.search(several, body, re.IGNORECASE)
    } == set()


def test_every_statement_has_the_shape() -> None:
    offences = {
        name: set[str]().union(*(faults(text) for text in texts))
        for name, texts in pieces().items()
    }
    pulled = {"a CTE changes rows", "inserts what it selects"}
    odd = {
        name: wrong
        for name, wrong in offences.items()
        if wrong and name not in CLEAN_UPS | set(PULLED) | set(LOCKS)
    }
    assert odd == {}
    assert {name for name in PULLED if not offences[name] & pulled} == set(), "needs no exemption"
    assert {name for name in PULLED if offences[name] - pulled} == set()


def test_the_auditor_asks_what_a_spread_database_can_answer() -> None:
    """The audit reads all merchants at once, and Citus refuses some forms of that."""
    texts = {name: text for name, text in STATEMENTS.items() if name.startswith(AUDIT)}
    assert len(texts) > 40
    assert {name: wrong for name, text in texts.items() if (wrong := unanswerable(text))} == {}


def unanswerable(text: str) -> set[str]:
    """Return what Citus refuses in a query about all merchants."""
    text = bare(text)
    forms = set[str]()
    # For rows without a column it makes a file between nodes that it cannot read again.
    if re.search(
        r"\bselect\s+from\b[^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*\bunion\b",
        text,
        re.IGNORECASE,
    ):
        forms.add("a union of rows without columns")
    if re.search(r"\bfrom\s+jsonb?_\w+\s*\([^()]*\)[^()]*\bunion\b", text, re.IGNORECASE):
        forms.add("a union with a list that is taken apart")
    other = re.search(
        r"\b(\w+)\.merchant_id\s*=\s*\w+\.owner_id|\w+\.owner_id\s*=\s*(\w+)\.merchant_id", text
    )
    if other and not re.search(r"\bitems\s+as\s+materialized\b", text, re.IGNORECASE):
        forms.add("a join by another column than the owner's")
    return forms


@pytest.mark.parametrize(
    "text",
    [
        (
            "select count(*) from (select from attempts where state = 'x' union all select from"
            " refunds) as late"
        ),
        (
            "select 1 from attempts a left join lateral (select said from"
            " jsonb_array_elements(f.document) as said"
            " where said = i.rule union all select f.other) as found on true"
        ),
        (
            "select 1 from reconciliation_proposals c left join reconciliation_items i on"
            " i.merchant_id = c.owner_id"
        ),
    ],
)
def test_a_question_that_citus_refuses_is_found(text: str) -> None:
    assert unanswerable(text)


def test_a_question_of_both_kinds_of_tables_has_rows_with_columns() -> None:
    """The coordinator's rows go to the workers as a file, or theirs to it.

    A file without columns cannot be read.
    """
    texts = {name: text for name, text in STATEMENTS.items() if not name.startswith(AUDIT)}
    assert [name for name, text in texts.items() if is_without_columns(text)] == []


def is_without_columns(text: str) -> bool:
    """Return whether a statement asks, without a column, whether rows exist.

    Only of owned tables and others together.
    """
    touched = set(re.findall(r"\b(?:from|join)\s+(\w+)", text, re.IGNORECASE))
    asks = re.search(r"(?<!not )\bexists\s*\(\s*select\s+from\b", text, re.IGNORECASE)
    return bool(asks and touched & OWNED and touched & set(GATEWAY_WIDE))


def test_a_question_without_columns_is_found() -> None:
    assert is_without_columns(
        "select exists (select from people) or exists (select 1 from merchants)"
    )
    assert not is_without_columns(
        "select exists (select 1 from people) or exists (select 1 from merchants)"
    )
    assert not is_without_columns("select exists (select from merchants)")


def test_an_advisory_lock_is_where_one_node_is_enough() -> None:
    bodies = {name: body for name, (_, body) in functions().items()} | STATEMENTS
    assert {name for name, text in bodies.items() if "an advisory lock" in faults(text)} == set(
        LOCKS
    )


def test_rows_that_carry_a_transaction_are_stamped_where_they_are_written() -> None:
    tables = re.findall(r"^CREATE TABLE (\w+) \((.*?)^\);", SCHEMA, re.DOTALL | re.MULTILINE)
    assert {name for name, columns in tables if "pg_current_xact_id()" in columns} == set(STAMPED)


def test_a_trigger_knows_its_table_also_in_pieces() -> None:
    """A part of a table has a number in its name, and a worker lacks the session's settings."""
    bodies = {match[1]: bare(match[4]) for match in _FUNCTION.finditer(SCHEMA)}
    named = {
        name
        for name, body in bodies.items()
        if re.search(r"\btg_table_name\s*(=|<>|in\b|like\b)|>\s*tg_table", body, re.IGNORECASE)
    }
    assert named == set()
    assert {name for name, body in bodies.items() if "'hundi." in body} == set()
