"""A step changes only the columns of a payment that the store writes; others would be lost."""

import ast
from collections.abc import Iterator

from hundi.payments.orders.store import CHANGED
from tests.house.source import Source, assert_kept, files

WRITTEN = {*CHANGED.names, "revision"}
"""The statement itself counts the revision."""


def lost_changes(source: Source) -> Iterator[str]:
    """Find `replace(payment, …)` of a column that is not written."""
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Name(id="replace"), args=[first], keywords=keywords) if (
                _is_payment(first)
            ):
                for keyword in keywords:
                    if keyword.arg not in WRITTEN:
                        yield (
                            f"{node.lineno} CHANGED of payments/orders/store.py does not write"
                            f" {keyword.arg}"
                        )
            case _:
                pass


def _is_payment(node: ast.expr) -> bool:
    name = (
        node.attr
        if isinstance(node, ast.Attribute)
        else node.id
        if isinstance(node, ast.Name)
        else ""
    )
    return name == "payment"


def test_what_a_step_changes_is_written() -> None:
    assert_kept(lost_changes, files("src/hundi/payments/**/*.py"))


def test_a_change_that_would_be_lost_is_found() -> None:
    kept = "replace(view.payment, state=state, refunds=1)\nreplace(attempt, connector='a')\n"
    assert not [*lost_changes(Source("a.py", kept))]
    planted = "replace(view.payment, state=state, order_id='B')\nreplace(payment, **changes)\n"
    assert [each.rpartition(" ")[2] for each in lost_changes(Source("a.py", planted))] == [
        "order_id",
        "None",
    ]
