"""Writes a sample in each language: the call alone, over a `client` that was made before."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import Operation
from tools.sdks import php
from tools.sdks.go import exported
from tools.sdks.java import method_name
from tools.sdks.samples import (
    GivenValue,
    PageSample,
    SampleArgument,
    arguments_of,
    given_fields,
    is_list,
    message_of,
    operation_of,
)
from tools.sdks.sealed_samples import curl
from tools.sdks.shapes import FieldModel, MessageModel, camel
from tools.write_clients import formatted

_PYTHON_CLASSES = {"generate_qr": "QrOrder", "create_link": "NewPaymentLink"}
"""Methods of Python's SDK that take one object with the names of the request's fields."""
_IN_REFUND = "[0]"


@dataclass(frozen=True, slots=True)
class SampleLanguage:
    """A language of the samples. fence: of its code blocks."""

    name: str
    title: str
    fence: str
    write: Callable[[PageSample], str]


def node(sample: PageSample) -> str:
    """Return a sample in JavaScript."""

    def literal(value: Any, of: FieldModel | None, message: MessageModel | None) -> str:  # noqa: ANN401 (of each kind)
        if isinstance(value, GivenValue):
            name = f"process.env.{value.name}"
            return f"`${{{name}}}{value.after}`" if value.after else name
        if isinstance(value, Mapping):
            assert message is not None
            fields = given_fields(message, value)
            inner = ", ".join(
                f"{camel(each.name)}: {literal(value[each.name], each, None)}" for each in fields
            )
            return f"{{ {inner} }}" if inner else ""
        if isinstance(value, list):
            inside = message_of(of.of) if of and of.kind == "messages" else None
            return f"[{', '.join(literal(each, None, inside) for each in value)}]"
        return json.dumps(value)

    shown = _shown(sample, camel, "reply.length", first=_IN_REFUND)
    return (
        f"const reply = await client.{camel(sample.method)}({_joined(sample, literal)});\n"
        f"console.log({shown});"
    )


def go(sample: PageSample) -> str:
    """Return a sample in Go."""
    before: list[str] = []

    def literal(value: Any, of: FieldModel | None, message: MessageModel | None) -> str:  # noqa: ANN401 (of each kind)
        if isinstance(value, GivenValue):
            return f'os.Getenv("{value.name}")' + (f' + "{value.after}"' if value.after else "")
        if isinstance(value, Mapping):
            assert message is not None
            fields = given_fields(message, value)
            inner = ", ".join(
                f"{exported(each.name)}: {literal(value[each.name], each, None)}" for each in fields
            )
            return f"hundi.{message.name}{{{inner}}}"
        if isinstance(value, list):
            inside = message_of(of.of) if of and of.kind == "messages" else None
            kind = f"hundi.{inside.name}" if inside else "string"
            entries = (literal(each, None, inside).removeprefix(kind) for each in value)
            return f"[]{kind}{{{', '.join(entries)}}}"
        if of is not None and of.nullable:
            before.append(f"{camel(of.name)} := int64({value})")
            return f"&{camel(of.name)}"
        return json.dumps(value)

    written = _joined(sample, literal)
    shown = _shown(sample, exported, "len(reply)", first=_IN_REFUND)
    arguments = f"ctx, {written}" if written else "ctx"
    call = f"reply, err := client.{exported(sample.method)}({arguments})"
    return "\n".join(
        [*before, call, "if err != nil {", "\tlog.Fatal(err)", "}", f"fmt.Println({shown})"]
    )


def java(sample: PageSample) -> str:
    """Return a sample in Java."""

    def literal(value: Any, of: FieldModel | None, message: MessageModel | None) -> str:  # noqa: ANN401 (of each kind)
        if isinstance(value, GivenValue):
            return f'System.getenv("{value.name}")' + (f' + "{value.after}"' if value.after else "")
        if isinstance(value, Mapping):
            assert message is not None
            return _java_object(value, message, literal)
        if isinstance(value, list):
            inside = message_of(of.of) if of and of.kind == "messages" else None
            return f"List.of({', '.join(literal(each, None, inside) for each in value)})"
        return f"{value}L" if of is not None and of.nullable else json.dumps(value)

    name = method_name(sample.method)
    shown = _shown(sample, lambda each: f"{camel(each)}()", "reply.size()", first=".get(0)")
    arguments = _joined(sample, literal, single_if_required=True)
    return f"var reply = client.{name}({arguments});\nSystem.out.println({shown});"


def _java_object(
    value: Mapping[str, Any], message: MessageModel, literal: Callable[..., str]
) -> str:
    fields = given_fields(message, value)
    required = ", ".join(literal(value[each.name], each, None) for each in fields if each.required)
    setters = "".join(
        f".{camel(each.name)}({literal(value[each.name], each, None)})"
        for each in fields
        if not each.required
    )
    return f"new {message.name}({required}){setters}"


def in_php(sample: PageSample) -> str:
    """Return a sample in PHP."""

    def literal(value: Any, of: FieldModel | None, message: MessageModel | None) -> str:  # noqa: ANN401 (of each kind)
        if isinstance(value, GivenValue):
            return f"getenv('{value.name}')" + (f" . '{value.after}'" if value.after else "")
        if isinstance(value, Mapping):
            assert message is not None
            fields = given_fields(message, value)
            inner = ", ".join(
                f"{camel(each.name)}: {literal(value[each.name], each, None)}" for each in fields
            )
            return f"new Hundi\\{message.name}({inner})"
        if isinstance(value, list):
            inside = message_of(of.of) if of and of.kind == "messages" else None
            return f"[{', '.join(literal(each, None, inside) for each in value)}]"
        return php.quoted(value)

    shown = _shown(sample, camel, "count($reply)", first=_IN_REFUND, dot="->", reply="$reply")
    return (
        f"$reply = $client->{camel(sample.method)}({_joined(sample, literal)});\n"
        f'echo {shown}, "\\n";'
    )


def python(sample: PageSample) -> str:
    """Return a sample in Python."""
    operation = next(each for each in OPERATIONS if each.method == sample.method)
    shown = _shown(sample, str, "len(reply)", first=_IN_REFUND)
    call = f"reply = client.{sample.method}({_python_arguments(sample, operation)})"
    return formatted(f"{call}\nprint({shown})\n").rstrip()


def _python(value: Any) -> str:  # noqa: ANN401 (of each kind)
    if isinstance(value, GivenValue):
        return f'os.environ["{value.name}"]' + (f' + "{value.after}"' if value.after else "")
    if isinstance(value, list):
        return f"[{', '.join(map(_python, value))}]"
    if isinstance(value, Mapping):
        return f"RefundItem({_python_named(value)})"
    return json.dumps(value)


def _python_named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_python(value)}" for name, value in values.items())


def _python_arguments(sample: PageSample, operation: Operation[Any, Any]) -> str:
    values = sample.values
    if sample.method in _PYTHON_CLASSES:
        return f"{_PYTHON_CLASSES[sample.method]}({_python_named(values)})"
    if sample.method == "split":
        shares = {each["identifier"]: each["value"] for each in values["parts"]}
        named = {name: values[name] for name in ("transaction_id", "rrn", "request_id")}
        primary = values["primary_value"]
        return f"Split({_python_named(named)}, primary={primary}, shares={json.dumps(shares)})"
    if sample.method == "verify":
        return _python_named(values)
    taken = [each.attribute for each in operation.taken][: operation.takes]
    first = [_python(values[name]) for name in taken if name in values]
    if len(first) < len([name for name in taken if name in values]) or not first:
        return _python_named(values)
    named = {name: value for name, value in values.items() if name not in taken}
    return ", ".join([*first, *filter(None, [_python_named(named)])])


def _joined(
    sample: PageSample, literal: Callable[..., str], *, single_if_required: bool = False
) -> str:
    written = (_argument(each, literal) for each in _arguments(sample, single_if_required))
    return ", ".join(filter(None, written))


def _arguments(sample: PageSample, single_if_required: bool) -> list[SampleArgument]:  # noqa: FBT001 (passed on)
    return arguments_of(sample, single_if_required=single_if_required)


def _argument(argument: SampleArgument, literal: Callable[..., str]) -> str:
    return literal(argument.value, argument.field, argument.message)


def _shown(
    sample: PageSample,
    name: Callable[[str], str],
    count: str,
    *,
    first: str,
    dot: str = ".",
    reply: str = "reply",
) -> str:
    """Return what a sample prints. first: the first entry of a list."""
    if is_list(sample):
        return count
    entry = first if operation_of(sample).method == "refund" else ""
    return f"{reply}{entry}{dot}{name(sample.shows)}"


LANGUAGES = (
    SampleLanguage("curl", "curl", "sh", curl),
    SampleLanguage("python", "Python", "python", python),
    SampleLanguage("php", "PHP", "php", in_php),
    SampleLanguage("node", "Node", "js", node),
    SampleLanguage("java", "Java", "java", java),
    SampleLanguage("go", "Go", "go", go),
)
"""The languages, in the order of the tabs."""
