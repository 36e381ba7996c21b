"""Layout that the writers share: comments and calls within 100 columns."""

from collections.abc import Iterable, Sequence
from textwrap import wrap

WIDTH = 100
NOTE = (
    "Written from the table of operations by `make sdks-written`: change the table, not this file."
)


def block(text: str, indent: str, lead: str = " * ") -> str:
    """Return a comment between `/**` and `*/`; on one line where it fits."""
    one = f"{indent}/** {text} */"
    if len(one) <= WIDTH:
        return one
    lines = wrap(text, WIDTH - len(indent) - len(lead))
    return "\n".join([f"{indent}/**", *(f"{indent}{lead}{line}" for line in lines), f"{indent} */"])


def slashes(text: str, indent: str) -> str:
    """Return a comment of lines that begin with `//`."""
    return "\n".join(f"{indent}// {line}" for line in wrap(text, WIDTH - len(indent) - 3))


def call(head: str, arguments: Sequence[str], tail: str, indent: str, inner: str = "  ") -> str:
    """Return a call on one line, or with an argument on each line where that is too long."""
    one = f"{indent}{head}({', '.join(arguments)}){tail}"
    if len(one) <= WIDTH:
        return one
    lines = (f"{indent}{inner}{each}," for each in arguments)
    return "\n".join([f"{indent}{head}(", *lines, f"{indent}){tail}"])


def joined(parts: Iterable[str]) -> str:
    """Return parts with an empty line between them."""
    return "\n\n".join(parts) + "\n"
