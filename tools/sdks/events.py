"""Writes the events of notifications for each language, from those of the Python SDK."""

import ast
import inspect
import json

from hundi.sdk.callback import Event
from tools.sdks.layout import NOTE, block, joined, slashes
from tools.sdks.shapes import camel

NODE, GO = "sdks/node/src/events.ts", "sdks/go/events.go"
JAVA, PHP = "sdks/java/src/main/java/hundi/Event.java", "sdks/php/src/Event.php"
_MEANING = "What happened, in a notification. A newer gateway may have further words."


def meanings() -> dict[str, str]:
    """Return what each event means, by its word, as its line beside the member says."""
    (declared,) = ast.parse(inspect.getsource(Event)).body
    assert isinstance(declared, ast.ClassDef)
    found: dict[str, str] = {}
    for member, text in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr):
            words = " ".join(ast.literal_eval(text.value).split())
            found[ast.literal_eval(member.value)] = words.replace("`", "")
    assert found.keys() == {each.value for each in Event}
    return found


def node() -> str:
    """Return the file of TypeScript."""
    lines = [
        part
        for word, meaning in meanings().items()
        for part in (block(meaning, "  "), f"  {word.upper()}: {json.dumps(word)},")
    ]
    table = "\n".join([f"/** {_MEANING} */", "export const Events = {", *lines, "} as const;"])
    kind = (
        "/** A word of `Events`. */\nexport type EventName = (typeof Events)[keyof typeof Events];"
    )
    return joined([f"/** The events of notifications.\n *\n * {NOTE}\n */", table, kind])


def go() -> str:
    """Return the file of Go."""
    lines: list[str] = []
    for word, meaning in meanings().items():
        name = "Event" + "".join(part.capitalize() for part in word.split("_"))
        lines += [slashes(f"{name} : {meaning}", "\t"), f"\t{name} = {json.dumps(word)}"]
    head = "// Code generated from the table of operations; DO NOT EDIT.\n\npackage hundi"
    constants = "\n".join([f"// {_MEANING}", "const (", *lines, ")"])
    return joined([head, slashes(NOTE, ""), constants])


def java() -> str:
    """Return the file of Java."""
    members = [
        f"{block(meaning, '  ')}\n  {word.upper()}({json.dumps(word)})"
        for word, meaning in meanings().items()
    ]
    about = f"/**\n * {_MEANING}\n *\n * <p>{NOTE}\n */\npublic enum Event {{"
    rest = """  private final String word;

  Event(String word) {
    this.word = word;
  }

  /** Return the word of the notification. */
  public String word() {
    return word;
  }
}"""
    return joined(["package hundi;", about + "\n" + ",\n".join(members) + ";", rest])


def php() -> str:
    """Return the file of PHP."""
    cases = [
        f"{block(meaning, '    ')}\n    case {_pascal(word)} = '{word}';"
        for word, meaning in meanings().items()
    ]
    about = f"/**\n * {_MEANING}\n *\n * {NOTE}\n */\nenum Event: string\n{{\n"
    head = ["<?php", "declare(strict_types=1);", "namespace Hundi;"]
    return joined([*head, about + "\n".join(cases) + "\n}"])


def _pascal(word: str) -> str:
    name = camel(word)
    return name[0].upper() + name[1:]
