"""The house rules that no other tool checks: budgets, pure rules, SQL in its place, words we do not use."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hundi"

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
DECISION_LINES_MAX = 45

# rules.py decides and does nothing else: no I/O, no clock, no protocol.
IMPURE = {
    "aiohttp",
    "asyncio",
    "asyncpg",
    "httpx",
    "litestar",
    "os",
    "random",
    "socket",
    "sqlalchemy",
    "sqlite3",
    "time",
}
IMPURE_OURS = ("hundi.wire", "hundi.infra")
CLOCKS = {"now", "utcnow", "today", "utc_now"}

SQL = re.compile(
    r"\s*(--.*\n\s*)*(select\s.+\sfrom\s|insert\s+into\s|update\s+[\w.]+\s+set\s|delete\s+from\s|with\s+\w+.*\sas\s.*\()",
    re.IGNORECASE | re.DOTALL,
)
# SQL that is no feature's: of the database itself.
SQL_ELSEWHERE = {
    "infra/embedded_postgres.py": "makes databases, before any store can work",
    "infra/migrate.py": "reads and takes the migrations' own table and lock",
    "infra/wakeups.py": "sends NOTIFY",
}
OUTSIDERS = ("src/simbank/", "src/demo_shop/")
"""They have databases of their own, whose stores no test here prepares."""
VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)")


def modules(*patterns: str) -> list[Path]:
    """Return our Python files, as patterns of the repository's root name them."""
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


EVERYTHING = modules("src/**/*.py", "tests/**/*.py", "bench/**/*.py", "tools/**/*.py")
OURS = modules("src/**/*.py")
RULES = modules("src/**/rules.py")


def test_there_is_something_to_check() -> None:
    assert len(OURS) > 50
    assert len(RULES) > 3


@pytest.mark.parametrize("path", EVERYTHING, ids=name)
def test_budgets(path: Path) -> None:
    assert path.read_text("utf-8").count("\n") <= FILE_LINES_MAX
    for function in functions(tree(path)):
        lines = (function.end_lineno or 0) - function.lineno + 1
        assert lines <= FUNCTION_LINES_MAX, f"{function.name} has {lines} lines"


@pytest.mark.parametrize("path", modules("docs/decisions/*.md"), ids=name)
def test_decisions_are_short(path: Path) -> None:
    assert path.read_text("utf-8").count("\n") <= DECISION_LINES_MAX


@pytest.mark.parametrize("path", EVERYTHING, ids=name)
def test_no_vague_names(path: Path) -> None:
    assert not VAGUE_NAMES.search(path.stem)


@pytest.mark.parametrize("path", OURS, ids=name)
def test_a_module_opens_with_one_sentence(path: Path) -> None:
    assert ast.get_docstring(tree(path))


@pytest.mark.parametrize("path", RULES, ids=name)
def test_rules_are_pure(path: Path) -> None:
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith), "rules never wait"
        for imported in imports(node):
            assert imported.split(".")[0] not in IMPURE, f"rules do not import {imported}"
            assert not imported.startswith(IMPURE_OURS), f"rules do not import {imported}"
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert called not in CLOCKS, f"time is an argument of a rule, line {node.lineno} asks {called}()"


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@pytest.mark.parametrize("path", OURS, ids=name)
def test_sql_lives_in_stores(path: Path) -> None:
    """A store declares SQL as module-level constants in UPPER_CASE: there test_schema_rules.py finds it."""
    outsider_store = path.name == "store.py" and name(path).startswith(OUTSIDERS)
    if outsider_store or name(path).removeprefix("src/hundi/") in SQL_ELSEWHERE:
        return
    module = tree(path)
    declared = {id(text) for text in constants(module)} if path.name == "store.py" else set[int]()
    for text in texts(module):
        if id(text) not in declared and SQL.match(str(text.value)):
            pytest.fail(f"SQL outside a store's constants, line {text.lineno}: {str(text.value).strip()[:60]}")


def constants(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield every text inside the module-level assignments to names in UPPER_CASE."""
    for node in module.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id.isupper() for target in targets):
            yield from texts(node)


def texts(node: ast.AST) -> Iterator[ast.Constant]:
    docstrings = {
        id(each.body[0].value)
        for each in ast.walk(node)
        if isinstance(each, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and each.body
        and isinstance(each.body[0], ast.Expr)
    }
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in docstrings:
            yield each
