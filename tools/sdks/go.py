"""Writes the messages and operations of the SDK for Go."""

import json
from collections.abc import Iterable, Iterator

from hundi.sdk.callback import FORM_NAMES
from hundi.wire.operation import PAGE, PREFIX
from tools.sdks import model
from tools.sdks.layout import NOTE, joined, slashes
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel, camel

FILE = "sdks/go/operations.go"
INITIALS = {
    each: each.upper()
    for each in ("id", "url", "vpa", "utr", "rrn", "qr", "ifsc", "uid", "ip", "png", "inr", "emi")
}
_TYPES = {
    "text": "string",
    "paise": "int64",
    "whole": "int64",
    "flag": "bool",
    "day": "string",
    "moment": "time.Time",
    "texts": "[]string",
    "bytes": "[]byte",
    "pairs": "[][2]string",
}
_RULES = {
    (False, False): "optional",
    (True, False): "required",
    (True, True): "secret",
    (False, True): "optionalSecret",
}
_HEAD = """// Code generated from the table of operations; DO NOT EDIT.

package hundi

import (
\t"context"
\t"regexp"
\t"time"
)
"""


def exported(name: str) -> str:
    """Return a snake-case name as Go exports it, initials in capitals."""
    return "".join(INITIALS.get(word) or word.capitalize() for word in name.split("_"))


def private(name: str) -> str:
    """Return a snake-case name that Go does not export."""
    first, *others = name.split("_")
    return first + "".join(INITIALS.get(word) or word.capitalize() for word in others)


def written() -> str:
    """Return the file."""
    operations, messages = model.operations(), model.messages()
    patterns = {
        str(field.bounds[0]): f"pattern{place}"
        for place, field in enumerate(_of_patterns(messages), 1)
    }
    return joined(
        [
            _HEAD + slashes(NOTE, ""),
            *_tables(),
            _patterns(patterns),
            *(part for message in messages for part in _message(message, patterns)),
            *(_spec(each) for each in operations),
            *(_method(each, messages) for each in operations if not each.by_hand),
        ]
    )


def _of_patterns(messages: Iterable[MessageModel]) -> Iterator[FieldModel]:
    """Yield a field for each pattern, in the order of their first use."""
    seen: set[object] = set()
    for message in messages:
        for field in message.fields:
            if field.check == "matching" and field.bounds[0] not in seen:
                seen.add(field.bounds[0])
                yield field


def _patterns(patterns: dict[str, str]) -> str:
    lines = "\n".join(
        f"\t{name} = regexp.MustCompile(`{pattern}`)" for pattern, name in patterns.items()
    )
    return f"var (\n{lines}\n)"


def _tables() -> Iterator[str]:
    yield f"const paymentPage = {json.dumps(PREFIX + PAGE)}"
    yield _table("currencies are ISO 4217 letters and numbers.", "currencies", model.currencies())
    meaning = "formNames are the names of a form notification, and those of the record."
    yield _table(meaning, "formNames", FORM_NAMES.items())
    lines = "\n".join(
        f"\t{json.dumps(code)}: {{Kind({json.dumps(kind)}), Retry({json.dumps(retry)})}},"
        for code, kind, retry in model.codes()
    )
    kind = "struct {\n\tkind  Kind\n\tretry Retry\n}"
    yield f"// codes are those of refusals.\nvar codes = map[string]{kind}{{\n{lines}\n}}"


def _table(meaning: str, name: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = "\n".join(f"\t{json.dumps(key)}: {json.dumps(value)}," for key, value in pairs)
    return f"// {meaning}\nvar {name} = map[string]string{{\n{lines}\n}}"


def _message(message: MessageModel, patterns: dict[str, str]) -> Iterator[str]:
    lines = [slashes(f"{message.name}: {message.meaning}", ""), f"type {message.name} struct {{"]
    for field in message.attributes:
        if field.meaning:
            lines.append(slashes(field.meaning, "\t"))
        lines.append(f"\t{exported(field.name)} {_type(field)}")
    yield "\n".join([*lines, "}"])
    yield _writer(message, patterns) if message.sent else _reader(message)


def _type(field: FieldModel) -> str:
    if field.kind == "messages":
        return f"[]{field.of}"
    kind = field.of if field.kind == "message" else _TYPES[field.kind]
    is_pointer = field.nullable and field.kind in {"paise", "whole", "message"}
    return f"*{kind}" if is_pointer else kind


def _writer(message: MessageModel, patterns: dict[str, str]) -> str:
    lines = [f"func write{message.name}(w *writer, asked *{message.name}) {{"]
    lines += [f"\t{_write(field, patterns)}" for field in message.fields]
    if message.at_least_one:
        lines.append(f"\tw.atLeastOne({_texts(message.at_least_one)})")
    return "\n".join([*lines, "}"])


def _texts(values: Iterable[object]) -> str:
    return ", ".join(map(json.dumps, values))


def _write(field: FieldModel, patterns: dict[str, str]) -> str:
    value, wire = f"asked.{exported(field.name)}", json.dumps(field.wire)
    method = f"w.{camel(field.check)}"
    match field.check:
        case "constant":
            line = f"w.constant({wire}, {json.dumps(field.bounds[0])})"
        case "shop":
            line = f"w.shop({wire})"
        case "spread" if field.nullable:
            line = f"if {value} != nil {{\n\t\twrite{field.of}(w, {value})\n\t}}"
        case "spread":
            line = f"write{field.of}(w, &{value})"
        case "objects":
            line = f"writeObjects(w, {wire}, {value}, write{field.of})"
        case "objects_unless_empty":
            line = f"writeObjectsUnlessEmpty(w, {wire}, {value}, write{field.of})"
        case "batch":
            line = f"writeBatch(w, {wire}, {value}, {field.bounds[0]}, write{field.of})"
        case "currency" | "channels":
            line = f"{method}({wire}, {value})"
        case _:
            is_number = field.kind in {"paise", "whole"} and not field.nullable
            rule = _RULES[field.required, field.hidden]
            arguments = [wire, f"&{value}" if is_number else value, rule]
            line = f"{method}({', '.join([*arguments, *_bounds(field, patterns)])})"
    return line


def _bounds(field: FieldModel, patterns: dict[str, str]) -> list[str]:
    """Return the further arguments of a writer's method."""
    if field.check == "matching":
        pattern, refused, allowed = field.bounds
        assert isinstance(refused, tuple)
        beginnings = f"[]string{{{_texts(refused)}}}" if refused else "nil"
        return [patterns[str(pattern)], beginnings, json.dumps(allowed)]
    if field.check == "one_of":
        (words,) = field.bounds
        assert isinstance(words, tuple)
        return [_texts(words)]
    return list(map(json.dumps, field.bounds))


def _reader(message: MessageModel) -> str:
    lines = [f"func read{message.name}(r *reader) {message.name} {{", f"\treturn {message.name}{{"]
    lines += [f"\t\t{exported(field.name)}: {_read(field)}," for field in message.fields]
    return "\n".join([*lines, "\t}", "}"])


def _read(field: FieldModel) -> str:
    wire = json.dumps(field.wire)
    match field.check:
        case "spread":
            return f"read{field.of}(r)"
        case "objects":
            return f"readObjects(r, {wire}, read{field.of})"
        case "objects_or_none":
            return f"readObjectsOrNone(r, {wire}, read{field.of})"
        case _:
            return f"r.{camel(field.check)}({', '.join([wire, *map(json.dumps, field.bounds)])})"


def _constant(operation: OperationModel) -> str:
    name = "token" if operation.method == "access_token" else private(operation.method)
    return f"{name}Operation"


def _spec(operation: OperationModel) -> str:
    echoes = ", ".join(
        f"{{{json.dumps(name)}, {json.dumps(is_number)}, {json.dumps(is_secret)}}}"
        for name, is_number, is_secret in operation.echoes
    )
    bare = "" if operation.gives_wire else operation.gives
    return (
        f"var {_constant(operation)} = &operation{{\n"
        f"\tname: {json.dumps(operation.name)}, address: {json.dumps(operation.address)},\n"
        f"\tasJSON: {json.dumps(operation.as_json)}, withToken: {json.dumps(operation.with_token)},"
        f" repeats: {json.dumps(operation.repeats)},\n"
        f"\techoes: {f'[]echo{{{echoes}}}' if echoes else 'nil'},"
        f" list: {json.dumps(operation.gives_wire)}, bare: {json.dumps(bare)},\n}}"
    )


def _method(operation: OperationModel, messages: list[MessageModel]) -> str:
    request = next(each for each in messages if each.name == operation.request)
    parameter, asked = _parameter(request)
    name = exported(operation.method)
    words = " ".join(
        filter(None, [f"{name}: {operation.title}.", request.meaning, operation.words])
    )
    of_transaction = operation.reply == "Transaction"
    arguments = f"ctx, c, {_constant(operation)}, write{operation.request}, {asked}"
    call = (
        f"performForTransaction({arguments})"
        if of_transaction
        else f"perform({arguments}, read{operation.reply})"
    )
    reply = f"[]{operation.item}" if operation.gives else operation.reply
    body = (
        f"\treply, err := {call}\n\treturn reply.{exported(operation.gives)}, err"
        if operation.gives
        else f"\treturn {call}"
    )
    head = f"func (c *Client) {name}(ctx context.Context{parameter}) ({reply}, error) {{"
    comment = slashes(f"{words} See docs/spec/{operation.section}.", "")
    return f"{comment}\n{head}\n{body}\n}}"


def _parameter(request: MessageModel) -> tuple[str, str]:
    """Return a method's parameter, and the request that it makes of it."""
    match request.attributes:
        case ():
            return "", f"{request.name}{{}}"
        case (field,) if not field.nullable:
            name = private(field.name)
            return f", {name} {_type(field)}", f"{request.name}{{{exported(field.name)}: {name}}}"
        case _:
            return f", asked {request.name}", "asked"
