"""SQL is in stores, as module-level constants in UPPER_CASE, where test_schema.py finds it.

Only functions of the same file call it: its parameters and rows are known in one file.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, ours

SQL = re.compile(
    r"\s*(--.*\n\s*)*(select\s.+\sfrom\s|insert\s+into\s|update\s+[\w.]+\s+set\s|delete\s+from\s|with\s+\w+.*\sas\s.*\()",
    re.IGNORECASE | re.DOTALL,
)
# SQL of the database itself, of no feature.
SQL_ELSEWHERE = {
    "infra/postgres/citus.py": "spreads tables over nodes, before any store can work",
    "infra/postgres/counter.py": (
        "compares the server's counter with the books, before any store may work"
    ),
    "infra/postgres/homes.py": "asks a cluster where a merchant is",
    "infra/postgres/looks.py": "asks a cluster which merchants can be reached",
    "infra/embedded/roles.py": "makes roles and databases, before any store can work",
    "infra/postgres/migrate.py": "reads and takes the migrations' own table and lock",
    "infra/postgres/planner_statistics.py": (
        "gives statistics of empty tables, before any store can work"
    ),
    "infra/postgres/rights.py": "reads the rights of roles, which the migrations give",
    "infra/postgres/wakeups.py": "sends NOTIFY",
}
CALLS = {
    "fetch",
    "fetchrow",
    "fetchval",
    "fetchmany",
    "execute",
    "executemany",
    "cursor",
    "prepare",
    "copy_records_to_table",
    "copy_to_table",
    "copy_from_table",
    "copy_from_query",
}
"""Methods of a connection or database that send a statement."""
LOOKS = {"hundi.infra.postgres.looks.look", "hundi.infra.postgres.looks.look_by"}
"""Functions that send a given statement."""
OF_THE_DATABASE = (
    "src/hundi/infra/postgres/",
    "src/hundi/infra/embedded/",
    "src/hundi/infra/migrations/",
)
CALLED_ELSEWHERE = {"src/hundi/api/health.py": "asks whether the database answers at all"}
Text = ast.Constant | ast.JoinedStr
READS = "src/hundi/console/queries/"
"""Statements of the console's screens, which change nothing."""
OUTSIDERS = ("src/hundi_testbed/bank/", "src/hundi_testbed/shop/")
"""They have databases of their own; no test here prepares their stores."""
MEASUREMENTS = "src/hundi_testbed/bench/"
"""They fill and query databases that exist for one measurement."""
WRITES = re.compile(
    r"\b(?:update(?:\s+only)?|insert\s+into|delete\s+from|merge\s+into)\s+(\w+)", re.IGNORECASE
)
WRITTEN_BY_ONE = {"payments", "attempts", "payment_events"}
WRITER = "src/hundi/payments/orders/store.py"
"""The only store that changes payments, guarded by the payment's revision."""


def homeless_sql(source: Source) -> Iterator[str]:
    """Find SQL outside a store's constants."""
    if source.name.startswith(MEASUREMENTS):
        return
    is_store = source.name.endswith("/store.py") or source.name.startswith(READS)
    if (is_store and source.name.startswith(OUTSIDERS)) or source.name.removeprefix(
        "src/hundi/"
    ) in SQL_ELSEWHERE:
        return
    declared = {id(text) for text in constants(source.tree)} if is_store else set[int]()
    for text in texts(source.tree):
        written = content(text)
        if id(text) not in declared and SQL.match(written):
            yield f"{text.lineno} SQL outside a store's constants: {written.strip()[:60]}"


def foreign_writes(source: Source) -> Iterator[str]:
    """Find SQL that writes a payment, its attempts or its events outside their store."""
    if source.name == WRITER or source.name.startswith((*OUTSIDERS, MEASUREMENTS)):
        return
    for text in texts(source.tree):
        for table in WRITES.findall(content(text)):
            if table.lower() in WRITTEN_BY_ONE:
                yield f"{text.lineno} writes {table}"


def homeless_calls(source: Source) -> Iterator[str]:
    """Find a statement that is sent outside a store's functions."""
    is_store = source.name.endswith("/store.py") or source.name.startswith(READS)
    if is_store or source.name.startswith((*OF_THE_DATABASE, *OUTSIDERS, *CALLED_ELSEWHERE)):
        return
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in source.nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in source.nodes:
        match node:
            # `fetching.fetch(...)` of a module is a function of ours.
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=_)) if name in imported:
                pass
            case ast.Call(func=ast.Attribute(attr=method)) if method in CALLS:
                yield f"{node.lineno} calls {method} outside a store"
            case ast.Call(func=ast.Name(id=name)) if imported.get(name) in LOOKS:
                yield f"{node.lineno} calls {name} outside a store"


def constants(module: ast.Module) -> Iterator[Text]:
    """Yield every text inside the module-level assignments to names in UPPER_CASE."""
    for node in module.body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        if any(isinstance(target, ast.Name) and target.id.isupper() for target in targets):
            yield from texts(node)


def texts(node: ast.AST) -> Iterator[Text]:
    """Yield every text that is no docstring; an f-string as a whole."""
    apart: set[int] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.JoinedStr):
            apart |= {id(part) for part in each.values}
            yield each
        elif isinstance(each, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if each.body and isinstance(each.body[0], ast.Expr):
                apart.add(id(each.body[0].value))
        elif (
            isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in apart
        ):
            yield each


def content(text: Text) -> str:
    """Return the content of a text, with `{}` for each hole."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    return "".join(
        content(part) if isinstance(part, ast.Constant) else "{}" for part in text.values
    )


def test_sql_lives_in_stores() -> None:
    assert_kept(homeless_sql, ours())


def test_sql_is_called_in_stores() -> None:
    assert_kept(
        homeless_calls, (source for source in ours() if source.name.startswith("src/hundi/"))
    )
    called = {name for name in CALLED_ELSEWHERE if list(homeless_calls(_elsewhere(name)))}
    assert called == set(CALLED_ELSEWHERE), "needs no exemption"


def _elsewhere(name: str) -> Source:
    """Return a file of ours under a name without an exemption."""
    (text,) = (source.text for source in ours() if source.name == name)
    return Source("src/hundi/a.py", text)


def test_one_store_writes_payments() -> None:
    assert_kept(foreign_writes, ours())
    (writer,) = (source for source in ours() if source.name == WRITER)
    assert set(foreign_writes(Source("src/a.py", writer.text)))


def test_every_exemption_is_needed() -> None:
    exempt = {
        source.name: source.text
        for source in ours()
        if source.name.removeprefix("src/hundi/") in SQL_ELSEWHERE
    }
    assert {name.removeprefix("src/hundi/") for name in exempt} == {*SQL_ELSEWHERE}
    assert [
        name for name, text in exempt.items() if not list(homeless_sql(Source("src/a.py", text)))
    ] == []


# --- the rule finds what it is for ---


@pytest.mark.parametrize(
    "text",
    [
        "SELECT state FROM payments",
        "  insert into payments (state) values ($1)",
        "update payments set state = $1",
        "DELETE FROM tokens",
        "-- the oldest\nselect state\nfrom payments",
        "with due as materialized (select 1)",
    ],
)
def test_sql_outside_a_store_is_found(text: str) -> None:
    source = Source("src/hundi/payments/actions.py", f"QUERY = {text!r}\n")
    assert list(homeless_sql(source)) == [f"1 SQL outside a store's constants: {text.strip()[:60]}"]


@pytest.mark.parametrize(
    "code",
    [
        "def read():\n    return 'select state from payments'",
        "query = 'select state from payments'",
        "def read():\n    QUERY = f'select {1} from payments'",
    ],
)
def test_sql_inside_a_stores_function_is_found(code: str) -> None:
    assert len(list(homeless_sql(Source("src/hundi/payments/store.py", code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "QUERY = 'select state from payments'",
        "QUERIES: dict[str, str] = {'a': 'select state from payments'}",
        '"""Select a row from payments."""\ndef read():\n    """Select a row from payments."""',
    ],
)
def test_a_stores_constant_and_a_docstring_are_no_offence(code: str) -> None:
    assert list(homeless_sql(Source("src/hundi/payments/store.py", code))) == []


@pytest.mark.parametrize(
    "code",
    [
        "await db.fetch(store.SELECT_ONE)",
        "await conn.fetchrow(SELECT_ONE, merchant_id)",
        "await self._db.fetchval(store.COUNT)",
        "await context.db.shared.execute(kind.update, *values)",
        "await (await db.acquire()).executemany(store.INSERT, rows)",
        "await conn.copy_records_to_table('payments', records=rows)",
        "from hundi.infra.postgres.looks import look\nawait look(db, store.SELECT_ALL)",
    ],
)
def test_a_call_outside_a_store_is_found(code: str) -> None:
    assert len(list(homeless_calls(Source("src/hundi/payments/actions.py", code)))) == 1
    assert list(homeless_calls(Source("src/hundi/payments/store.py", code))) == []
    assert list(homeless_calls(Source("src/hundi/infra/postgres/pool.py", code))) == []


@pytest.mark.parametrize(
    "code",
    [
        "from hundi.money.reconciliation import fetching\nawait fetching.fetch(db)",
        "await store.insert(conn, payment)",
        "from hundi.payments.attempts.look import look\nawait look(context)",
    ],
)
def test_a_call_of_a_function_with_a_name_is_no_offence(code: str) -> None:
    assert list(homeless_calls(Source("src/hundi/payments/actions.py", code))) == []


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE payments SET state = $1 WHERE merchant_id = $2",
        "with ended as (update attempts set state = $1) select 1",
        "INSERT INTO payment_events (merchant_id) VALUES ($1)",
    ],
)
def test_a_foreign_write_to_a_payment_is_found(text: str) -> None:
    source = Source("src/hundi/payments/refunds/store.py", f"QUERY = {text!r}\n")
    assert len(list(foreign_writes(source))) == 1


def test_reading_a_payment_is_no_offence() -> None:
    text = "SELECT state FROM payments WHERE merchant_id = $1 FOR UPDATE"
    assert (
        list(foreign_writes(Source("src/hundi/payments/splits/store.py", f"QUERY = {text!r}\n")))
        == []
    )
