"""Writes the methods of both clients of the SDK from the table of operations (`make clients`)."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from inspect import cleandoc
from pathlib import Path
from textwrap import fill, indent
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hundi.wire.merchant import disputes, notifications, settlements, terms
from hundi.wire.merchant.table import ROOMS, operations_of
from hundi.wire.operation import Operation

SDK = Path(__file__).parents[1] / "src" / "hundi" / "sdk"
_WIDTH = 92  # columns of a method's docstring, 100 without its indent
_QUOTES = 6
_ACCOUNT = (settlements, terms, disputes, notifications)
"""Rooms of a merchant's account, which have a page of their own; the others are of payments."""
_ACCOUNT_HEAD = '''"""The operations of a merchant's account, as methods of {client}.

Written by `make clients`.
"""

from abc import ABC, abstractmethod
{imports}
from hundi.wire.operation import Asked, Operation, Told


class {name}AccountOperations(ABC):
    """What a merchant can ask about its own account."""

    @abstractmethod
    {run} _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        """Perform an operation."""
'''
_HEAD = '''"""The operations as methods of {client}, written by `make clients`."""

from collections.abc import Sequence
{imports}
from hundi.sdk.{room}account_methods import {name}AccountOperations


class {name}Operations({name}AccountOperations):
    """What a merchant can ask of the gateway, each operation once."""
'''


def method(operation: Operation[Any, Any], *, waits: bool) -> str:
    """Return the source of an operation's method."""
    arguments = ", ".join(f"{each.attribute}={each.attribute}" for each in operation.taken)
    request = operation.whole or f"{operation.request.__name__}({arguments})"
    call = f"self._operation({_constant(operation)}, {request})"
    call = f"await {call}" if waits else call
    if operation.gives:
        call = f"({call}).{operation.gives}" if waits else f"{call}.{operation.gives}"
    reply = get_type_hints(operation.reply)[operation.gives] if operation.gives else operation.reply
    start = "async def" if waits else "def"
    head = f"{start} {operation.method}({', '.join(_parameters(operation))}) -> {_shown(reply)}:"
    return indent(f'{head}\n    """{_words(operation)}"""\n    return {call}\n', "    ")


def _constant(operation: Operation[Any, Any]) -> str:
    """Return the name of an operation in the methods: a method may have its module's name."""
    room = next(room for room in ROOMS if operation in vars(room).values())
    name = next(name for name, value in vars(room).items() if value is operation)
    return f"{_room(room)}_operations.{name}"


def _room(room: ModuleType) -> str:
    return room.__name__.rpartition(".")[2]


def _classes() -> Iterator[str]:
    """Yield an import of each module's messages; unused ones are removed in the end."""
    for room in ROOMS:
        named = [
            name
            for name, value in vars(room).items()
            if isinstance(value, type) and value.__module__ == room.__name__
        ]
        yield f"from {room.__name__} import {', '.join(named)}"


def _parameters(operation: Operation[Any, Any]) -> Iterator[str]:
    yield "self"
    if operation.whole:
        yield f"{operation.whole}: {_shown(operation.request)}"
        return
    hints = get_type_hints(operation.request)
    for place, part in enumerate(operation.taken):
        if place == operation.takes:
            yield "*"
        default = "" if part.is_required else f" = {_literal(part.default)}"
        yield f"{part.attribute}: {_shown(hints[part.attribute])}{default}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _shown(hint: Any) -> str:  # noqa: ANN401 (a type, or a form of typing)
    """Return a type as source code."""
    if hint is NoneType:
        return "None"
    if get_origin(hint) is Literal:
        return f"Literal[{', '.join(map(_literal, get_args(hint)))}]"
    if isinstance(hint, UnionType):
        return " | ".join(map(_shown, get_args(hint)))
    if get_origin(hint) is Sequence:
        return f"Sequence[{', '.join(map(_shown, get_args(hint)))}]"
    if get_origin(hint) is tuple:
        parts = ("..." if each is Ellipsis else _shown(each) for each in get_args(hint))
        return f"tuple[{', '.join(parts)}]"
    return str(hint.__name__)


def _words(operation: Operation[Any, Any]) -> str:
    sentences = [f"{operation.title} (docs/spec/{operation.section})."]
    if len(sentences[0]) > _WIDTH - _QUOTES:
        sentences = [f"{operation.title}.", f"See docs/spec/{operation.section}."]
    if not operation.whole and operation.taken:
        sentences.append(cleandoc(operation.request.__doc__ or ""))
    if operation.words:
        sentences.append(operation.words)
    paragraphs = [fill(part, _WIDTH) for each in sentences for part in each.split("\n\n")]
    body = "\n\n".join(paragraphs)
    return indent(body, "    ").lstrip() + ("\n    " if len(paragraphs) > 1 else "")


def written(*, waits: bool, account: bool) -> str:
    """Return the source of one of the four modules."""
    rooms = [room for room in ROOMS if (room in _ACCOUNT) is account]
    operations = [operation for room in rooms for operation in operations_of(room)]
    methods = "\n".join(method(each, waits=waits) for each in operations if not each.by_hand)
    imports = [
        "from typing import Literal",
        "",
        *(
            f"from hundi.wire.merchant import {_room(room)} as {_room(room)}_operations"
            for room in ROOMS
        ),
        *_classes(),
    ]
    head = (_ACCOUNT_HEAD if account else _HEAD).format(
        client="the asynchronous client" if waits else "the synchronous client",
        imports="\n".join(imports),
        name="Async" if waits else "",
        room="async_" if waits else "",
        run="async def" if waits else "def",
    )
    return head + "\n" + methods


@cache
def formatted(source: str) -> str:
    """Return source in the project's format: imports sorted, unused ones removed."""
    unused, order = "--select=F401", "--select=I"
    for verb in (("check", "--fix-only", unused), ("check", "--fix-only", order), ("format",)):
        command = [
            Path(sys.executable).parent / "ruff",
            *verb,
            "--stdin-filename",
            str(SDK / "methods.py"),
            "-",
        ]
        source = subprocess.run(  # noqa: S603 (the project's own formatter)
            command, input=source, capture_output=True, text=True, check=True
        ).stdout
    return source


PAGES = {
    SDK / "methods.py": {"waits": False, "account": False},
    SDK / "account_methods.py": {"waits": False, "account": True},
    SDK / "async_methods.py": {"waits": True, "account": False},
    SDK / "async_account_methods.py": {"waits": True, "account": True},
}

if __name__ == "__main__":
    for page, parts in PAGES.items():
        page.write_text(formatted(written(**parts)), "utf-8")
