"""Our files for the house rules, each read and parsed once; also made-up files for their tests."""

import ast
import io
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Source:
    """One file. name: its path from the repository's root."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.text, self.name)

    @property
    def stem(self) -> str:
        """The file's own name without its ending."""
        return Path(self.name).stem

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return self.text.count("\n")

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the parsed file, parents before their children."""
        return tuple(ast.walk(self.tree))

    def prose(self) -> Iterator[tuple[int, str]]:
        """Yield each docstring, then each comment, with its line."""
        for node in self.nodes:
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield node.lineno, text
                case _:
                    pass
        yield from self._comments()

    def _comments(self) -> Iterator[tuple[int, str]]:
        if self._has_hash_in_text():
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], token.string
            return
        # Ten times faster; correct where a # can only begin a comment.
        for number, line in enumerate(self.text.splitlines(), 1):
            _, hash_, text = line.partition("#")
            if hash_:
                yield number, hash_ + text.rstrip()

    def _has_hash_in_text(self) -> bool:
        return any("#" in str(node.value) for node in self.nodes if isinstance(node, ast.Constant))

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield every function, methods and nested ones too."""
        return (
            node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )


Rule = Callable[[Source], Iterable[str]]
"""Yields the offences in a file; each begins with a line number where it has one."""


@cache
def files(*patterns: str) -> tuple[Source, ...]:
    """Return the files that match patterns from the repository's root."""
    return tuple(
        _read(path)
        for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    )


@cache
def _read(path: Path) -> Source:
    return Source(str(path.relative_to(ROOT)), path.read_text("utf-8"))


def everything() -> tuple[Source, ...]:
    """Return all our Python files."""
    return files("src/**/*.py", "tests/**/*.py", "tools/**/*.py")


def ours() -> tuple[Source, ...]:
    """Return the Python files of the product."""
    return files("src/**/*.py")


def assert_kept(rule: Rule, sources: Iterable[Source]) -> None:
    """Assert that a rule finds nothing in the files.

    The message lists its offences as `file:line what`.
    """
    offences = [f"{source.name}:{offence}" for source in sources for offence in rule(source)]
    assert not offences, "\n".join(["", *offences])
