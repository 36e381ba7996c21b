"""Writes the messages and operations of the SDK for Java."""

import json
from collections.abc import Iterable

from hundi.sdk.callback import FORM_NAMES
from hundi.wire.operation import PAGE, PREFIX
from tools.sdks import model
from tools.sdks.layout import NOTE, block
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel, camel

_FOLDER = "sdks/java/src/main/java/hundi"
MESSAGES, OPERATIONS = f"{_FOLDER}/Messages.java", f"{_FOLDER}/Operations.java"
_TYPES = {
    "text": "String",
    "paise": "long",
    "whole": "long",
    "flag": "boolean",
    "day": "LocalDate",
    "moment": "OffsetDateTime",
    "texts": "List<String>",
    "bytes": "byte[]",
    "pairs": "Map<String, String>",
}
_RESERVED = {"void": "voidPayment"}
"""Operations whose name Java keeps for itself."""
_EMPTY = {"String": '""', "List<String>": "List.of()"}
_HEAD = f"""package hundi;

import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The messages of the gateway.
 *
 * <p>{NOTE}
 */
public final class Messages {{
  private Messages() {{}}
"""
_OPERATIONS_HEAD = f"""package hundi;

import hundi.HundiException.Kind;
import hundi.HundiException.Retry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a merchant can ask of the gateway, each operation once.
 *
 * <p>{NOTE}
 */
public abstract class Operations {{
  /** What the reply repeats of the request; of a number leading zeros count for nothing. */
  record Echo(String name, boolean isNumber, boolean isSecret) {{}}

  /**
   * One operation. list: the name of the list that its reply holds. bare: the name for one that has
   * none.
   */
  record Spec(
      String name,
      String address,
      boolean asJson,
      boolean withToken,
      boolean repeats,
      List<Echo> echoes,
      String list,
      String bare) {{}}

  /** What a code says. */
  record Declared(Kind kind, Retry retry) {{}}

  abstract <Reply> Reply perform(
      Spec operation, Consumer<Writer> write, Function<Reader, Reply> read);

  abstract Messages.Transaction performForTransaction(Spec operation, Consumer<Writer> write);
"""


def messages() -> str:
    """Return the file of messages."""
    parts = (_request(each) if each.sent else _reply(each) for each in model.messages())
    return _HEAD + "\n" + "\n\n".join(parts) + "\n}\n"


def operations() -> str:
    """Return the file of operations."""
    all_of_them, all_messages = model.operations(), model.messages()
    parts = [
        f"  static final String PAYMENT_PAGE = {json.dumps(PREFIX + PAGE)};",
        _table("CURRENCIES", model.currencies()),
        _table("FORM_NAMES", FORM_NAMES.items()),
        _codes(),
        *map(_spec, all_of_them),
        *(_method(each, all_messages) for each in all_of_them if not each.by_hand),
    ]
    return _OPERATIONS_HEAD + "\n" + "\n\n".join(parts) + "\n}\n"


def _table(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = ",\n".join(f"          Map.entry({json.dumps(a)}, {json.dumps(b)})" for a, b in pairs)
    head = f"  static final Map<String, String> {name} =\n      Map.ofEntries(\n"
    return f"{head}{lines});"


def _codes() -> str:
    lines = ",\n".join(
        f"          Map.entry({json.dumps(code)},"
        f" new Declared(Kind.{kind.upper()}, Retry.{retry.upper()}))"
        for code, kind, retry in model.codes()
    )
    return f"  static final Map<String, Declared> CODES =\n      Map.ofEntries(\n{lines});"


def _type(field: FieldModel) -> str:
    if field.kind == "messages":
        return f"List<{field.of}>"
    kind = field.of if field.kind == "message" else _TYPES[field.kind]
    return "Long" if kind == "long" and field.nullable else kind


def _request(message: MessageModel) -> str:
    required = [each for each in message.attributes if each.required]
    lines = [block(message.meaning, "  "), f"  public static final class {message.name} {{"]
    for field in message.attributes:
        usual = "" if field.required or field.nullable else _EMPTY.get(_type(field), "")
        first = "private final" if field.required else "private"
        lines.append(f"    {first} {_type(field)} {camel(field.name)}{usual and f' = {usual}'};")
    parameters = ", ".join(f"{_type(each)} {camel(each.name)}" for each in required)
    lines += ["", f"    public {message.name}({parameters}) {{"]
    lines += [f"      this.{camel(each.name)} = {camel(each.name)};" for each in required]
    lines.append("    }")
    for field in message.attributes:
        lines += ["", *_accessors(message, field)]
    lines += ["", "    void write(Writer w) {"]
    lines += [f"      {_write(field)}" for field in message.fields]
    if message.at_least_one:
        lines.append(f"      w.atLeastOne({_texts(message.at_least_one)});")
    return "\n".join([*lines, "    }", "  }"])


def _accessors(message: MessageModel, field: FieldModel) -> list[str]:
    name, comment = camel(field.name), [block(field.meaning, "    ")] if field.meaning else []
    if field.required:
        return [
            *comment,
            f"    public {_type(field)} {name}() {{",
            f"      return {name};",
            "    }",
        ]
    head = f"    public {message.name} {name}({_type(field)} value) {{"
    return [*comment, head, f"      {name} = value;", "      return this;", "    }"]


def _texts(values: Iterable[object]) -> str:
    return ", ".join(map(json.dumps, values))


def _rule(field: FieldModel) -> str:
    if field.hidden:
        return "Writer.Rule.SECRET" if field.required else "Writer.Rule.OPTIONAL_SECRET"
    return "Writer.Rule.REQUIRED" if field.required else "Writer.Rule.OPTIONAL"


def _write(field: FieldModel) -> str:
    value, wire, method = camel(field.name), json.dumps(field.wire), f"w.{camel(field.check)}"
    match field.check:
        case "constant":
            return f"w.constant({wire}, {json.dumps(field.bounds[0])});"
        case "shop":
            return f"w.shop({wire});"
        case "spread":
            return (
                f"{value}.write(w);"
                if field.required
                else f"if ({value} != null) {value}.write(w);"
            )
        case "objects" | "objects_unless_empty" | "batch":
            bounds = "".join(f", {each}" for each in field.bounds)
            return f"{method}({wire}, {value}{bounds}, {field.of}::write);"
        case "currency" | "channels":
            return f"{method}({wire}, {value});"
        case "matching":
            pattern, refused, allowed = field.bounds
            assert isinstance(refused, tuple)
            beginnings = f"List.of({_texts(refused)})"
            compiled = f"Pattern.compile({json.dumps(pattern)})"
            bounds = f", {compiled}, {beginnings}, {json.dumps(allowed)}"
        case "one_of":
            (words,) = field.bounds
            assert isinstance(words, tuple)
            bounds = f", List.of({_texts(words)})"
        case _:
            bounds = "".join(f", {json.dumps(each)}" for each in field.bounds)
    return f"{method}({wire}, {value}, {_rule(field)}{bounds});"


def _reply(message: MessageModel) -> str:
    components = ",\n".join(f"      {_type(each)} {camel(each.name)}" for each in message.fields)
    ending = " implements TransactionStates" if message.name == "Transaction" else ""
    values = ",\n".join(f"          {_read(each)}" for each in message.fields)
    lines = [
        block(message.meaning, "  "),
        f"  public record {message.name}(\n{components}){ending} {{",
        f"    static {message.name} read(Reader r) {{",
        f"      return new {message.name}(\n{values});",
        "    }",
    ]
    if any(each.hidden for each in message.fields):
        lines += [
            "",
            "    /** Return no value: some are secret, or a customer's own. */",
            "    @Override",
            "    public String toString() {",
            f"      return {json.dumps(message.name)};",
            "    }",
        ]
    return "\n".join([*lines, "  }"])


def _read(field: FieldModel) -> str:
    wire = json.dumps(field.wire)
    match field.check:
        case "spread":
            return f"{field.of}.read(r)"
        case "objects" | "objects_or_none":
            return f"r.{camel(field.check)}({wire}, {field.of}::read)"
        case _:
            return f"r.{camel(field.check)}({', '.join([wire, *map(json.dumps, field.bounds)])})"


def _spec(operation: OperationModel) -> str:
    echoes = ", ".join(
        f"new Echo({json.dumps(name)}, {json.dumps(is_number)}, {json.dumps(is_secret)})"
        for name, is_number, is_secret in operation.echoes
    )
    bare = "" if operation.gives_wire else operation.gives
    flags = (operation.as_json, operation.with_token, operation.repeats)
    return (
        f"  static final Spec {operation.method.upper()} =\n      new Spec(\n"
        f"          {json.dumps(operation.name)},\n          {json.dumps(operation.address)},\n"
        f"          {', '.join(map(json.dumps, flags))},\n          List.of({echoes}),\n"
        f"          {json.dumps(operation.gives_wire)},\n          {json.dumps(bare)});"
    )


def _method(operation: OperationModel, all_messages: list[MessageModel]) -> str:
    request = next(each for each in all_messages if each.name == operation.request)
    parameter, asked = _parameter(request)
    meaning = " ".join(filter(None, [f"{operation.title}.", request.meaning, operation.words]))
    reply = f"Messages.{operation.item or operation.reply}"
    reply = f"List<{reply}>" if operation.gives else reply
    arguments = f"{operation.method.upper()}, {asked}::write"
    call = (
        f"performForTransaction({arguments})"
        if operation.reply == "Transaction"
        else f"perform({arguments}, Messages.{operation.reply}::read)"
    )
    ending = f".{camel(operation.gives)}()" if operation.gives else ""
    comment = block(f"{meaning} See docs/spec/{operation.section}.", "  ")
    name = method_name(operation.method)
    head = f"  public {reply} {name}({parameter}) {{"
    return f"{comment}\n{head}\n    return {call}{ending};\n  }}"


def method_name(method: str) -> str:
    """Return what Java calls an operation's method."""
    return _RESERVED.get(method, camel(method))


def _parameter(request: MessageModel) -> tuple[str, str]:
    """Return a method's parameter, and the request that it makes of it."""
    name = f"Messages.{request.name}"
    match request.attributes:
        case ():
            return "", f"new {name}()"
        case (field,) if field.required:
            value = camel(field.name)
            return f"{_type(field)} {value}", f"new {name}({value})"
        case _:
            return f"{name} asked", "asked"
