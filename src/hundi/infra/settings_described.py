"""The settings in words, from their declaration: for the reference page and the sample file."""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.inspect import (
    BoolType,
    IntType,
    LiteralType,
    Metadata,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from hundi.infra.settings import SECRETS, Settings
from hundi.infra.settings_sources import ACQUIRERS, CREDENTIAL_PREFIX, PREFIX

_COLUMNS = 88
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_HEAD = """\
# Settings of Hundi. Every line below is commented out and shows the default, or an example
# where there is none: take away its # and change the value. Name this file in HUNDI_CONFIG.
# A variable of the environment, HUNDI_ and the name in upper case, counts more than this file.
# `hundi settings` shows what is read; `hundi doctor` says what is wrong.
"""


@dataclass(frozen=True, slots=True)
class DescribedSetting:
    """One setting. allowed: in words; meaning: in Markdown; default: None where there is none."""

    name: str
    meaning: str
    allowed: str
    default: object
    example: object
    is_secret: bool

    @property
    def variable(self) -> str:
        """Return its variable of the environment."""
        return PREFIX + self.name.upper()

    @property
    def credential(self) -> str:
        """Return the name of its credential, "" for a setting that is no secret."""
        return CREDENTIAL_PREFIX + self.name if self.is_secret else ""


def described() -> tuple[DescribedSetting, ...]:
    """Return every setting in the order in which they are declared."""
    meanings = docstrings_of(Settings)
    return tuple(
        DescribedSetting(
            field.name,
            meanings[field.name],
            _allowed(type_info(field.type)),
            None if field.default in ("", (), msgspec.NODEFAULT) else field.default,
            _example(field),
            field.name in SECRETS,
        )
        for field in msgspec.structs.fields(Settings)
    )


def docstrings_of(documented: type[Enum] | type[msgspec.Struct]) -> dict[str, str]:
    """Return the docstring of each member of a class, by the member's name."""
    (tree,) = ast.parse(inspect.getsource(documented)).body
    assert isinstance(tree, ast.ClassDef)
    docstrings: dict[str, str] = {}
    for member, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            match member:
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name))
                ):
                    docstrings[name] = " ".join(str(text.value.value).split())
    return docstrings


def sample() -> str:
    """Return the sample of a settings file: every setting, explained and commented out."""
    settings = described()
    plain = [each for each in settings if each.name != ACQUIRERS]
    # A table ends only where the next one begins, so it comes last.
    tables = [each for each in settings if each.name == ACQUIRERS]
    return "\n".join([_HEAD, *(_lines(each) for each in (*plain, *tables))])


def _lines(setting: DescribedSetting) -> str:
    words = _LINK.sub(r"\1", setting.meaning)
    allowed = f"Allowed: {setting.allowed}." if setting.allowed else ""
    secret = (
        f"A secret: better the credential {setting.credential} than this file."
        if setting.is_secret
        else ""
    )
    return "".join(f"{line}\n" for line in _comment(words, allowed, secret)) + "".join(
        f"#{line}\n" for line in _assigned(setting.name, setting.example)
    )


def _comment(*sentences: str) -> Iterator[str]:
    for each in filter(None, sentences):
        yield from textwrap.wrap(
            each, _COLUMNS, initial_indent="# ", subsequent_indent="# ", break_long_words=False
        )


def _assigned(name: str, value: object) -> Iterator[str]:
    """Yield the lines of TOML that give a setting its value."""
    if isinstance(value, Mapping):
        for key, fields in value.items():
            yield f"[{name}.{key}]"
            yield from (f"{field} = {_toml(each)}" for field, each in fields.items())
    else:
        yield f"{name} = {_toml(value)}"


def _toml(value: object) -> str:
    plain = list(value) if isinstance(value, tuple) else value
    return json.dumps(str(plain) if isinstance(plain, Path) else plain, ensure_ascii=False)


def _example(field: msgspec.structs.FieldInfo) -> object:
    """Return the default, or what a setting without one may look like."""
    if examples := [*_examples(field.type)]:
        return examples[0]
    return f"/etc/hundi/{field.name}" if field.default is None else field.default


def _examples(kind: object) -> Iterator[Any]:
    for meta in getattr(kind, "__metadata__", ()):
        yield from meta.examples or ()
    for each in get_args(kind):
        yield from _examples(each)


def _allowed(kind: Type) -> str:
    """Return the allowed values in words, "" for a text or a path."""
    words = ""
    match kind:
        case Metadata():
            words = _allowed(kind.type)
        case UnionType():
            words = next(filter(None, map(_allowed, kind.types)), "")
        case BoolType():
            words = "on or off; true or false in TOML"
        case IntType(ge=int(least), le=int(most)):
            words = f"{least:,} to {most:,}"
        case LiteralType():
            words = ", ".join(f"`{value}`" for value in kind.values)
        case VarTupleType():
            words = "a list; in a variable with commas"
        case _:
            pass
    return words
