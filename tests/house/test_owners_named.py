"""Every part of a statement names its owner, so that only one node is asked."""

import re

import pytest

from hundi.infra.postgres.citus import OWNERS
from tests.house.test_schema import AUDIT, STATEMENTS, blocks, is_exempt, tables
from tests.house.test_shapes import OWNED, PULLED

_GIVEN = re.compile(
    rf"\b(?:{'|'.join(OWNERS)})\s*(?:=\s*(?:any\s*)?\(?\s*\$\d|in\s*\(?\s*(?:select\s+)?(?:unnest\s*\(?\s*)?\$\d)|^\s*insert\s",
    re.IGNORECASE,
)


def test_every_part_of_a_statement_names_its_owner() -> None:
    """A part without an owner goes to every node.

    Such parts are sub-queries in a list of columns, beside OR, or in a join's condition.

    One dead node would then stop a statement about another node's merchant.
    """
    bound = {
        name: text
        for name, text in STATEMENTS.items()
        if not name.startswith(AUDIT) and not is_exempt(name)
    }
    offences = {
        name: parts
        for name, text in bound.items()
        if name not in PULLED and (parts := of_whomever(text))
    }
    assert offences == {}


def of_whomever(text: str) -> list[str]:
    """Return the parts of a statement that read owned tables without an owner's parameter."""
    return [
        part.strip() for part in blocks(text) if tables(part, OWNED) and not _GIVEN.search(part)
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "select exists (select from attempts where merchant_id = p.merchant_id) from payments"
            " p where merchant_id = $1"
        ),
        (
            "select 1 from payments p left join attempts a on a.merchant_id = p.merchant_id and"
            " a.attempt_id = ("
            "select max(b.attempt_id) from attempts b where b.merchant_id = p.merchant_id) where"
            " p.merchant_id = $1"
        ),
        (
            "update payments p set state = 'x' where merchant_id = $1 and (b or exists (select"
            " from attempts a"
            " where a.merchant_id = p.merchant_id))"
        ),
    ],
)
def test_a_part_of_whomever_is_found(text: str) -> None:
    assert of_whomever(text)


def test_a_part_that_names_its_owner_is_no_offence() -> None:
    text = (
        "select exists (select from attempts where merchant_id = $1) from payments where"
        " merchant_id = $1"
    )
    assert of_whomever(text) == []
