"""rules.py decides and does nothing else: no waiting, input or output, clock or protocol."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, files

IMPURE = {
    "aiohttp",
    "asyncio",
    "asyncpg",
    "httpx",
    "litestar",
    "os",
    "random",
    "socket",
    "sqlite3",
    "time",
}
IMPURE_OURS = ("hundi.wire", "hundi.infra")
CLOCKS = {"now", "utcnow", "today", "utc_now"}


def impurities(source: Source) -> Iterator[str]:
    """Find whatever a rule must not do."""
    for node in source.nodes:
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield f"{node.lineno} rules never wait"
        if isinstance(node, ast.Import | ast.ImportFrom):
            for imported in imports(node):
                if imported.split(".")[0] in IMPURE or imported.startswith(IMPURE_OURS):
                    yield f"{node.lineno} rules do not import {imported}"
        if isinstance(node, ast.Call):
            called = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            if called in CLOCKS:
                yield f"{node.lineno} time is an argument of a rule; this asks {called}()"


def imports(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that a statement imports."""
    return (
        [alias.name for alias in node.names]
        if isinstance(node, ast.Import)
        else [node.module or ""]
    )


def test_rules_are_pure() -> None:
    rules = files("src/**/rules.py")
    assert len(rules) > 3
    assert_kept(impurities, rules)


# --- the rule finds what it is for ---


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("async def decide(): pass", "1 rules never wait"),
        ("import os", "1 rules do not import os"),
        ("import decimal, asyncpg.pool", "1 rules do not import asyncpg.pool"),
        ("\nfrom time import monotonic", "2 rules do not import time"),
        (
            "from hundi.infra.postgres.database import Database",
            "1 rules do not import hundi.infra.postgres.database",
        ),
        ("def decide():\n    import hundi.wire.codes", "2 rules do not import hundi.wire.codes"),
        (
            "def decide():\n    return datetime.now(UTC)",
            "2 time is an argument of a rule; this asks now()",
        ),
        ("at = utc_now()", "1 time is an argument of a rule; this asks utc_now()"),
    ],
)
def test_an_impurity_is_found(text: str, found: str) -> None:
    assert list(impurities(Source("src/hundi/a/rules.py", text))) == [found]


def test_a_pure_rule_is_left_alone() -> None:
    text = (
        "from datetime import datetime\n\ndef over(now: datetime, at: datetime) -> bool:\n   "
        " return now > at\n"
    )
    assert list(impurities(Source("src/hundi/a/rules.py", text))) == []
