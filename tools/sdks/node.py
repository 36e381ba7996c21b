"""Writes the messages and operations of the SDK for Node.js, in TypeScript."""

import json
from collections.abc import Iterable, Iterator

from hundi.sdk.callback import FORM_NAMES
from hundi.wire.operation import PAGE, PREFIX
from tools.sdks import model
from tools.sdks.layout import NOTE, block, call, joined
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel, camel

FILE = "sdks/node/src/operations.ts"
_TYPES = {
    "text": "string",
    "paise": "number",
    "whole": "number",
    "flag": "boolean",
    "day": "string",
    "moment": "Date",
    "texts": "readonly string[]",
    "bytes": "Uint8Array",
    "pairs": "Map<string, string>",
}
_HEAD = """/** The messages and operations of the gateway.
 *
 * {note}
 */

import type {{ ErrorKind, Retry }} from "./errors.js";
import type {{ Reader }} from "./reader.js";
import type {{ Transaction }} from "./transaction.js";
import {{ Rule, type Writer }} from "./writer.js";

/** One operation: where it is sent and how, and what its reply repeats of the request. */
export interface OperationSpec {{
  name: string;
  address: string;
  asJson: boolean;
  withToken: boolean;
  /** It may be sent again: it moves no money, or has an id against moving money twice. */
  repeats: boolean;
  /** Names on the wire, whether leading zeros count for nothing, and whether they are secret. */
  echoes: readonly (readonly [string, boolean, boolean])[];
  /** The name of the list that the reply holds, "" for none. */
  list: string;
  /** The name for a list that travels without one. */
  bare: string;
}}"""


def written() -> str:
    """Return the file."""
    operations = model.operations()
    return joined(
        [
            _HEAD.format(note=NOTE),
            *_tables(),
            *(part for message in model.messages() for part in _message(message)),
            *(_spec(each) for each in operations),
            _methods([each for each in operations if not each.by_hand]),
        ]
    )


def _tables() -> Iterator[str]:
    yield f"export const PAYMENT_PAGE = {json.dumps(PREFIX + PAGE)};"
    yield _table(
        "Currencies: ISO 4217 letters and number.", "CURRENCIES", "string", model.currencies()
    )
    names = FORM_NAMES.items()
    yield _table(
        "Names of a form notification, and those of the record.", "FORM_NAMES", "string", names
    )
    codes = "\n".join(
        f"  {json.dumps(code)}: {{ kind: {json.dumps(kind)}, retry: {json.dumps(retry)} }},"
        for code, kind, retry in model.codes()
    )
    kind = "Record<string, { kind: ErrorKind; retry: Retry }>"
    yield f"/** Codes of refusals. */\nexport const CODES: {kind} = {{\n{codes}\n}};"


def _table(meaning: str, name: str, kind: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = "\n".join(f"  {key}: {json.dumps(value)}," for key, value in pairs)
    return f"/** {meaning} */\nexport const {name}: Record<string, {kind}> = {{\n{lines}\n}};"


def _message(message: MessageModel) -> Iterator[str]:
    name = "TransactionFields" if message.name == "Transaction" else message.name
    lines = [block(message.meaning, ""), f"export interface {name} {{"]
    for field in message.attributes:
        if field.meaning:
            lines.append(block(field.meaning, "  "))
        lines.append(f"  {camel(field.name)}{_mark(field, message)}: {_type(field)};")
    yield "\n".join([*lines, "}"])
    yield _writer(message) if message.sent else _reader(message, name)


def _mark(field: FieldModel, message: MessageModel) -> str:
    is_open = not field.required if message.sent else field.nullable
    return "?" if is_open else ""


def _type(field: FieldModel) -> str:
    if field.kind == "message":
        return field.of
    return f"readonly {field.of}[]" if field.kind == "messages" else _TYPES[field.kind]


def _writer(message: MessageModel) -> str:
    unused = "" if message.attributes else "_"
    writer = "w" if message.fields else "_w"
    parameters = f"{writer}: Writer, {unused}asked: {message.name}"
    lines = [f"export function write{message.name}({parameters}): void {{"]
    lines += [_write_line(field) for field in message.fields]
    if message.at_least_one:
        lines.append(
            call("w.atLeastOne", [json.dumps(each) for each in message.at_least_one], ";", "  ")
        )
    return "\n".join([*lines, "}"])


def _write_line(field: FieldModel) -> str:
    value, wire = f"asked.{camel(field.name)}", json.dumps(field.wire)
    match field.check:
        case "constant":
            return f"  w.constant({wire}, {json.dumps(field.bounds[0])});"
        case "shop":
            return f"  w.shop({wire});"
        case "spread":
            line = f"write{field.of}(w, {value});"
            return f"  {line}" if field.required else f"  if ({value}) {line}"
        case "objects" | "objects_unless_empty" | "batch":
            bounds = [str(each) for each in field.bounds]
            return call(f"w.{field.check}", [wire, value, *bounds, f"write{field.of}"], ";", "  ")
        case "currency" | "channels":
            return f"  w.{field.check}({wire}, {value});"
        case "matching":
            pattern, refused, allowed = field.bounds
            bounds = [f"/{pattern}/", json.dumps(refused), json.dumps(allowed)]
        case _:
            bounds = [json.dumps(each) for each in field.bounds]
    return call(f"w.{field.check}", [wire, value, _rule(field), *bounds], ";", "  ")


def _rule(field: FieldModel) -> str:
    if field.hidden:
        return "Rule.SECRET" if field.required else "Rule.OPTIONAL_SECRET"
    return "Rule.REQUIRED" if field.required else "Rule.OPTIONAL"


def _reader(message: MessageModel, name: str) -> str:
    lines = [f"export function read{message.name}(r: Reader): {name} {{", "  return {"]
    lines += [f"    {camel(field.name)}: {_read(field)}," for field in message.fields]
    return "\n".join([*lines, "  };", "}"])


def _read(field: FieldModel) -> str:
    wire = json.dumps(field.wire)
    match field.check:
        case "spread":
            return f"read{field.of}(r)"
        case "objects" | "objects_or_none":
            return f"r.{field.check}({wire}, read{field.of})"
        case _:
            return f"r.{field.check}({', '.join([wire, *map(json.dumps, field.bounds)])})"


def _constant(operation: OperationModel) -> str:
    return {"access_token": "TOKEN_OPERATION"}.get(
        operation.method, f"{operation.method.upper()}_OPERATION"
    )


def _spec(operation: OperationModel) -> str:
    values = {
        "name": operation.name,
        "address": operation.address,
        "asJson": operation.as_json,
        "withToken": operation.with_token,
        "repeats": operation.repeats,
        "echoes": operation.echoes,
        "list": operation.gives_wire,
        "bare": "" if operation.gives_wire else operation.gives,
    }
    lines = "\n".join(f"  {name}: {json.dumps(value)}," for name, value in values.items())
    return f"export const {_constant(operation)}: OperationSpec = {{\n{lines}\n}};"


def _methods(operations: list[OperationModel]) -> str:
    head = """/** What a merchant can ask of the gateway, each operation once. */
export abstract class Operations {
  protected abstract perform<Request, Reply>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
    read: (reader: Reader) => Reply,
  ): Promise<Reply>;

  protected abstract performForTransaction<Request>(
    operation: OperationSpec,
    write: (writer: Writer, asked: Request) => void,
    asked: Request,
  ): Promise<Transaction>;
"""
    return head + "\n" + "\n\n".join(map(_method, operations)) + "\n}"


def _method(operation: OperationModel) -> str:
    request = next(each for each in model.messages() if each.name == operation.request)
    parameter, asked = _parameter(request)
    meaning = " ".join(filter(None, [f"{operation.title}.", request.meaning, operation.words]))
    lines = [block(f"{meaning} See docs/spec/{operation.section}.", "  ")]
    of_transaction = operation.reply == "Transaction"
    runner = "performForTransaction" if of_transaction else "perform"
    arguments = [_constant(operation), f"write{operation.request}", asked]
    if not of_transaction:
        arguments.append(f"read{operation.reply}")
    reply = f"readonly {operation.item}[]" if operation.gives else operation.reply
    ending = f".then((reply) => reply.{camel(operation.gives)});" if operation.gives else ";"
    lines.append(f"  {camel(operation.method)}({parameter}): Promise<{reply}> {{")
    lines.append(call(f"return this.{runner}", arguments, ending, "    "))
    return "\n".join([*lines, "  }"])


def _parameter(request: MessageModel) -> tuple[str, str]:
    """Return a method's parameter, and the request that it makes of it."""
    match request.attributes:
        case ():
            return "", "{}"
        case (field,) if not field.nullable:
            name = camel(field.name)
            return f"{name}{'' if field.required else '?'}: {_type(field)}", f"{{ {name} }}"
        case fields:
            is_open = not (any(each.required for each in fields) or request.at_least_one)
            return f"asked: {request.name}{' = {}' if is_open else ''}", "asked"
