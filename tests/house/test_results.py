"""A function returns its result, and a call names its arguments.

No closure fills a list for its caller, and no call takes a tuple apart: its order would have to
match another file.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, ours

FILLS = {"append", "extend", "insert", "clear", "add", "update", "setdefault"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def starred_tuples(source: Source) -> Iterator[str]:
    """Find a call that takes apart a tuple made only for it."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and any(
            isinstance(each, ast.Starred) and isinstance(each.value, ast.Tuple | ast.List)
            for each in node.args
        ):
            yield f"{node.lineno} a starred tuple in a call"


def filled_lists(source: Source) -> Iterator[str]:
    """Find a closure that fills a list of the function around it."""
    for outer in source.functions():
        made = {name for node in _own(outer) for name in _made(node)}
        made &= {
            node.id
            for node in _own(outer)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        for inner in _own(outer):
            if not isinstance(inner, _Function):
                continue
            own = {each.arg for each in inner.args.args} | {
                name for node in _own(inner) for name in _made(node)
            }
            for node in ast.walk(inner):
                name = _filled(node)
                if name in made and name not in own:
                    yield f"{inner.lineno} {inner.name} fills {name}, which its caller reads"
                    break


def _own(function: _Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of the functions in it."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, _Function | ast.ClassDef | ast.Lambda):
            left += ast.iter_child_nodes(node)


def _made(node: ast.AST) -> Iterator[str]:
    """Yield the name of each list, set or dictionary that a node creates."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    value = getattr(node, "value", None)
    is_made = isinstance(value, ast.List | ast.Dict | ast.Set) or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name | ast.Subscript)
        and getattr(getattr(value.func, "value", value.func), "id", "") in {"list", "dict", "set"}
    )
    yield from (each.id for each in targets if is_made and isinstance(each, ast.Name))


def _filled(node: ast.AST) -> str:
    """Return the name of the collection that a node changes in place, "" for none."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb)) if verb in FILLS:
            return name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            return name
        case _:
            return ""


def _gateway() -> list[Source]:
    return [source for source in ours() if source.name.startswith("src/hundi/")]


def test_no_call_takes_a_tuple_apart() -> None:
    assert_kept(starred_tuples, _gateway())


def test_no_closure_fills_a_list() -> None:
    assert_kept(filled_lists, _gateway())


# --- the rules find what they are for ---


@pytest.mark.parametrize(
    ("code", "offences"),
    [
        ("store.insert(conn, *(a, b), *(c, d))", 1),
        ("store.insert(*[a, b])", 1),
        ("store.insert(conn, *values)", 0),
        ("gather(*(each.close() for each in pools))", 0),
        ("names = (*FIRST, *(a, b))", 0),
    ],
)
def test_a_starred_tuple_is_found(code: str, offences: int) -> None:
    assert len(list(starred_tuples(Source("src/a.py", code)))) == offences


@pytest.mark.parametrize(
    ("inside", "is_found"),
    [
        ("begun.append(step)", True),
        ("begun[0] = step", True),
        ("begun.clear()", True),
        ("return begun[0]", False),
        ("begun = []\n        begun.append(step)", False),
    ],
)
def test_a_filled_list_is_found(inside: str, *, is_found: bool) -> None:
    code = f"def begin():\n    begun = []\n    def decide():\n        {inside}\n    write(decide)\n"
    assert bool(list(filled_lists(Source("src/a.py", code + "    return begun")))) is is_found
    assert list(filled_lists(Source("src/a.py", code))) == [], "a memory of its own"
