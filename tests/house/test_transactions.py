"""A transaction holds locks: no file and no other server is read while one is open."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import ROOT

SOURCE = ROOT / "src" / "hundi"
OPENS = {"transaction", "snapshot", "importing"}
"""What is entered to hold a transaction."""
WAITS = {"to_thread", "read_bytes", "read_text", "write_bytes", "write_text", "open", "shake_hands"}
WAITS |= {"writerow", "writerows"}
"""Calls that read or write a file, or wait for a thread that may."""
SENDS = re.compile(r"(^|[._])http\.(send|post|ask)$")
"""Calls of another server, by our one client."""
ALLOWED = {
    "money/reconciliation/importing/actions.py import_within": (
        "a statement is imported whole or not at all, and read line by line from a local copy"
    ),
    "money/reconciliation/importing/actions.py _import": "the same",
    "money/reconciliation/fetching/actions.py fetch": "a copy of what was fetched before, as above",
    **dict.fromkeys(
        (
            "money/reports/actions.py write_day_book",
            "money/reports/actions.py write_ledger",
            "money/reports/months/actions.py write_items",
            "money/reports/payments/actions.py write_payments",
            "money/reports/settlements/actions.py write_settlement",
            "money/reports/tds/actions.py write_tds",
        ),
        "a report is read at one moment, in a transaction that only reads and locks no row, and"
        " goes line by line into a local file",
    ),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def _held(function: Function) -> Iterator[ast.stmt]:
    """Yield what a function does in a transaction: its own, or that of its caller."""
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    named = {ast.unparse(each.annotation) for each in arguments if each.annotation is not None}
    if "Connection" in named:
        yield from function.body
        return
    for part in ast.walk(function):
        entered = part.items if isinstance(part, ast.AsyncWith) else []
        for item in entered:
            call = item.context_expr
            if (
                isinstance(call, ast.Call)
                and _name(call) in OPENS
                and isinstance(part, ast.AsyncWith)
            ):
                yield from part.body


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def waiting() -> set[str]:
    """Return the functions that read a file or a server while a transaction is open."""
    return {
        f"{path.relative_to(SOURCE)} {function.name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, Function)
        for part in _held(function)
        for call in ast.walk(part)
        if isinstance(call, ast.Call)
        and (_name(call) in WAITS or SENDS.search(ast.unparse(call.func)))
        and ast.unparse(call.func) not in {"vault.open", "self._vault.open"}
    }


def test_nothing_is_read_while_a_transaction_is_open() -> None:
    assert waiting() == set(ALLOWED)
