"""Writes the messages and operations of the SDK for PHP."""

import json
from collections.abc import Iterable

from hundi.sdk.callback import FORM_NAMES
from hundi.wire.operation import PAGE, PREFIX
from tools.sdks import model
from tools.sdks.layout import NOTE, block
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel, camel

MESSAGES, OPERATIONS = "sdks/php/src/messages.php", "sdks/php/src/Operations.php"
_TYPES = {
    "text": "string",
    "paise": "int",
    "whole": "int",
    "flag": "bool",
    "day": "\\DateTimeInterface",
    "moment": "\\DateTimeImmutable",
    "texts": "array",
    "bytes": "string",
    "pairs": "array",
    "messages": "array",
}
_EMPTY = {"string": "''", "int": "0", "array": "[]"}
_INNER = {"texts": "list<string>", "pairs": "array<string, string>"}
_HEAD = f"""<?php

// The messages of the gateway. {NOTE}

declare(strict_types=1);

namespace Hundi;
"""
_OPERATIONS_HEAD = f"""<?php

declare(strict_types=1);

namespace Hundi;

/**
 * What a merchant can ask of the gateway, each operation once.
 *
 * {NOTE}
 */
abstract class Operations
{{
"""
_PERFORMERS = """    public static function spec(string $name): Spec
    {
        return new Spec(...self::SPECS[$name]);
    }

    /**
     * @template Reply
     * @param callable(Reader): Reply $read
     * @return Reply
     */
    abstract protected function perform(Spec $operation, object $asked, callable $read): mixed;

    abstract protected function performForTransaction(
        Spec $operation,
        object $asked,
    ): Transaction;"""


def messages() -> str:
    """Return the file of messages."""
    parts = (_request(each) if each.sent else _reply(each) for each in model.messages())
    return _HEAD + "\n" + "\n\n".join(parts) + "\n"


def operations() -> str:
    """Return the file of operations."""
    all_of_them, all_messages = model.operations(), model.messages()
    parts = [
        f"    public const PAYMENT_PAGE = {quoted(PREFIX + PAGE)};",
        _table("CURRENCIES", model.currencies()),
        _table("FORM_NAMES", FORM_NAMES.items()),
        _codes(),
        _specs(all_of_them),
        _PERFORMERS,
        *(_method(each, all_messages) for each in all_of_them if not each.by_hand),
    ]
    return _OPERATIONS_HEAD + "\n\n".join(parts) + "\n}\n"


def quoted(value: object) -> str:
    """Return a value as PHP writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(quoted, value))}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return json.dumps(value)


def _table(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = "\n".join(f"        {quoted(key)} => {quoted(value)}," for key, value in pairs)
    return f"    public const {name} = [\n{lines}\n    ];"


def _codes() -> str:
    lines = "\n".join(
        f"        {quoted(code)} => [{quoted(kind)}, {quoted(retry)}],"
        for code, kind, retry in model.codes()
    )
    return f"    public const CODES = [\n{lines}\n    ];"


def _specs(all_of_them: list[OperationModel]) -> str:
    lines: list[str] = []
    for each in all_of_them:
        bare = "" if each.gives_wire else each.gives
        flags = (each.as_json, each.with_token, each.repeats)
        values = (each.name, each.address, *flags, each.echoes, each.gives_wire, bare)
        lines.append(f"        {quoted(each.method)} => {quoted(values)},")
    return "    private const SPECS = [\n" + "\n".join(lines) + "\n    ];"


def _type(field: FieldModel) -> str:
    kind = field.of if field.kind == "message" else _TYPES[field.kind]
    return f"?{kind}" if field.nullable else kind


def _inner(field: FieldModel) -> str:
    return f"list<{field.of}>" if field.kind == "messages" else _INNER.get(field.kind, "")


def _class(message: MessageModel, trait: str = "") -> list[str]:
    """Return the beginning of a message's class, with its constructor."""
    lines = [block(message.meaning, ""), f"final class {message.name}", "{"]
    if trait:
        lines += [f"    use {trait};", ""]
    documented = [each for each in message.attributes if _inner(each)]
    if documented:
        lines.append("    /**")
        lines += [f"     * @param {_inner(each)} ${camel(each.name)}" for each in documented]
        lines.append("     */")
    lines.append("    public function __construct(")
    for field in message.attributes:
        usual = "null" if field.nullable else _EMPTY.get(_type(field), "")
        default = f" = {usual}" if message.sent and not field.required else ""
        hidden = "#[\\SensitiveParameter] " if field.hidden else ""
        lines.append(
            f"        {hidden}public readonly {_type(field)} ${camel(field.name)}{default},"
        )
    return [*lines, "    ) {", "    }", ""]


def _request(message: MessageModel) -> str:
    lines = [*_class(message), "    public function write(Writer $w): void", "    {"]
    lines += [f"        {_write(field)}" for field in message.fields]
    if message.at_least_one:
        lines.append(f"        $w->atLeastOne({', '.join(map(quoted, message.at_least_one))});")
    return "\n".join([*lines, "    }", "}"])


def _rule(field: FieldModel) -> str:
    if field.hidden:
        return "Rule::Secret" if field.required else "Rule::OptionalSecret"
    return "Rule::Required" if field.required else "Rule::Optional"


def _write(field: FieldModel) -> str:
    value, wire = f"$this->{camel(field.name)}", quoted(field.wire)
    method = f"$w->{camel(field.check)}"
    match field.check:
        case "constant":
            return f"$w->constant({wire}, {quoted(field.bounds[0])});"
        case "shop":
            return f"$w->shop({wire});"
        case "spread":
            return f"{value}{'' if field.required else '?'}->write($w);"
        case "objects" | "objects_unless_empty" | "batch":
            return f"{method}({', '.join([wire, value, *map(str, field.bounds)])});"
        case "currency" | "channels":
            return f"{method}({wire}, {value});"
        case "matching":
            pattern, refused, allowed = field.bounds
            whole = f"~\\A{str(pattern).removeprefix('^').removesuffix('$')}\\z~"
            bounds = [quoted(whole), quoted(refused), quoted(allowed)]
        case _:
            bounds = [quoted(each) for each in field.bounds]
    return f"{method}({', '.join([wire, value, _rule(field), *bounds])});"


def _reply(message: MessageModel) -> str:
    trait = "TransactionStates" if message.name == "Transaction" else ""
    lines = [*_class(message, trait), "    public static function read(Reader $r): self", "    {"]
    lines.append("        return new self(")
    lines += [f"            {_read(field)}," for field in message.fields]
    return "\n".join([*lines, "        );", "    }", "}"])


def _read(field: FieldModel) -> str:
    wire = quoted(field.wire)
    match field.check:
        case "spread":
            return f"{field.of}::read($r)"
        case "objects" | "objects_or_none":
            return f"$r->{camel(field.check)}({wire}, {field.of}::read(...))"
        case _:
            return f"$r->{camel(field.check)}({', '.join([wire, *map(quoted, field.bounds)])})"


def _method(operation: OperationModel, all_messages: list[MessageModel]) -> str:
    request = next(each for each in all_messages if each.name == operation.request)
    parameter, asked = _parameter(request)
    meaning = " ".join(filter(None, [f"{operation.title}.", request.meaning, operation.words]))
    comment = block(f"{meaning} See docs/spec/{operation.section}.", "    ")
    spec = f"self::spec({quoted(operation.method)})"
    if operation.reply == "Transaction":
        reply, call = "Transaction", f"performForTransaction({spec}, {asked})"
    else:
        reply = operation.reply
        call = f"perform({spec}, {asked}, {operation.reply}::read(...))"
    ending = f"->{camel(operation.gives)}" if operation.gives else ""
    if operation.gives:
        reply = "array"
        comment = comment.replace(
            "\n     */", f"\n     *\n     * @return list<{operation.item}>\n     */"
        )
    head = f"    public function {camel(operation.method)}({parameter}): {reply}"
    return f"{comment}\n{head}\n    {{\n        return $this->{call}{ending};\n    }}"


def _parameter(request: MessageModel) -> tuple[str, str]:
    """Return a method's parameter, and the request that it makes of it."""
    match request.attributes:
        case ():
            return "", f"new {request.name}()"
        case (field,) if not field.nullable:
            name = f"${camel(field.name)}"
            usual = "" if field.required else f" = {_EMPTY[_type(field)]}"
            return f"{_type(field)} {name}{usual}", f"new {request.name}({name})"
        case fields:
            is_open = not (any(each.required for each in fields) or request.at_least_one)
            usual = f" = new {request.name}()" if is_open else ""
            return f"{request.name} $asked{usual}", "$asked"
