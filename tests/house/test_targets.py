"""Every table that a statement changes is named with its merchant by a parameter.

A target joined only by another row's merchant is sought on every shard.
"""

import re
from collections.abc import Iterator

import pytest

from tests.house.test_schema import GATEWAY_WIDE, OWNERS, STATEMENTS, blocks, is_exempt

_OWNER = rf"(?:{'|'.join(OWNERS)})"
_NO_TARGET = re.compile(r"\bdo\s+update\b|\bfor\s+(?:no\s+key\s+)?update\b", re.IGNORECASE)
_TARGET = re.compile(
    r"\b(?:update|delete\s+from)\s+(?:only\s+)?(\w+)(?:\s+as)?(?:\s+(?!set\b|where\b|using\b)(\w+))?",
    re.IGNORECASE,
)
_SIMPLE_CASE = re.compile(r"\bcase\b(?!\s+when\b)", re.IGNORECASE)


def adrift(text: str) -> Iterator[str]:
    """Find the targets of a statement, also in its CTEs, without a merchant's parameter."""
    for block in blocks(text):
        changes = _NO_TARGET.sub("", block)
        for table, alias in _TARGET.findall(changes):
            owner = rf"(?:(?:{table}|{alias or table})\.)?{_OWNER}"
            named = rf"(?<![\w.]){owner}\s*=\s*(?:any\s*\(?\s*)?\$\d"
            if table.lower() not in GATEWAY_WIDE and not re.search(named, changes, re.IGNORECASE):
                yield table


def simple_cases(text: str) -> list[str]:
    """Find `CASE x WHEN` in statements that change rows.

    A sharded database sends it wrongly; a searched CASE works.
    """
    return [
        block
        for block in blocks(text)
        if _TARGET.search(_NO_TARGET.sub("", block)) and _SIMPLE_CASE.search(block)
    ]


def test_every_target_names_its_merchant() -> None:
    assert {
        name: found
        for name, text in STATEMENTS.items()
        if not is_exempt(name) and (found := [*adrift(text)])
    } == {}


def test_no_change_decides_by_a_simple_case() -> None:
    assert {name: found for name, text in STATEMENTS.items() if (found := simple_cases(text))} == {}


# --- the rules find what they are for ---


@pytest.mark.parametrize(
    "text",
    [
        "update payments set state = $2 where payment_id = $1",
        (
            "update attempts set state = $2 from settled where attempts.merchant_id ="
            " settled.merchant_id"
        ),
        (
            "update attempts a set state = $2 from payments p where p.merchant_id = $1 and"
            " a.merchant_id = p.merchant_id"
        ),
        """with settled as (update payments set state = $2 where merchant_id = $1 returning
        merchant_id), tried as (update attempts set state = $3 from settled
        where attempts.merchant_id = settled.merchant_id) select 1""",
        (
            "with gone as (delete from tokens where token_hash = $2) select 1 from merchants where"
            " merchant_id = $1"
        ),
    ],
)
def test_a_target_without_its_merchant_is_found(text: str) -> None:
    assert len(list(adrift(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "update payments set state = $2 where merchant_id = $1",
        (
            "update attempts set state = $2 from settled where attempts.merchant_id = $1 and"
            " settled.paid"
        ),
        "update deliveries d set state = $2 where d.merchant_id = $1",
        "delete from linked_accounts where merchant_id = $1",
        (
            "insert into tokens (merchant_id) values ($1) on conflict (merchant_id) do update set"
            " used = true"
        ),
        "select state from payments where merchant_id = $1 for update",
        "update schema_version set revision = $1",
    ],
)
def test_a_target_with_its_merchant_is_no_offence(text: str) -> None:
    assert list(adrift(text)) == []


def test_a_simple_case_is_found() -> None:
    change = "update payments set state = {} where merchant_id = $1"
    assert simple_cases(change.format("case state when 'open' then 'paid' end"))
    assert simple_cases(change.format("case when state = 'open' then 'paid' end")) == []
    assert simple_cases(change.format("case\n    when state = 'open' then 'paid' end")) == []
