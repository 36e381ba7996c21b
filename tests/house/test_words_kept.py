"""Free text goes through `masked` before it is stored, whichever way it comes in."""

import ast
from collections.abc import Iterator

from hundi.verbs.table import all_verbs
from tests.house.source import Source, assert_kept, files

WORDS = {"note", "reason", "description", "title", "holder", "name"}
"""Names of parameters with free text."""
EXACT = {
    ("acquirer", "name"): "an acquirer's own name: small letters, digits and underscores",
    ("call", "name"): "sent to the gateway as a merchant sends it, and masked there",
    ("call_disputes", "note"): "sent to the gateway, and masked there",
    ("card", "reason"): "one of four codes",
    ("certify", "name"): "an acquirer's own name: small letters, digits and underscores",
    ("database", "name"): "a database's",
    ("register", "holder"): "a number of the simulated register",
}
EXACT_OF_VERBS = {("acquirer", "name"), ("split", "name")}
"""An acquirer's own name, of small letters, digits and underscores; the name of a linked account.
"""


def unmasked_option(source: Source) -> Iterator[str]:
    """Find a command's parameter of free text that is stored unmasked."""
    aliases = {
        node.targets[0].id: node.value
        for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for function in source.functions():
        for each in (*function.args.args, *function.args.kwonlyargs):
            noted = each.annotation
            if isinstance(noted, ast.Name) and noted.id in aliases:
                noted = aliases[noted.id]
            text = ast.unparse(noted) if noted is not None else ""
            is_unmasked = "typer." in text and "parser=masked" not in text
            if is_unmasked and each.arg in WORDS and (source.stem, each.arg) not in EXACT:
                yield f"{each.lineno} {each.arg}: words are kept through parser=masked"


def unmasked_parameters() -> set[tuple[str, str]]:
    """Return the parameters of free text that a verb's command stores unmasked."""
    return {
        (verb.noun, parameter.name)
        for verb in all_verbs()
        for parameter in verb.parameters
        if parameter.name in WORDS and not (parameter.hints.masked or parameter.hints.document)
    }


def test_verbs_keep_no_numbers_in_words() -> None:
    assert unmasked_parameters() == EXACT_OF_VERBS


def test_commands_keep_no_numbers_in_words() -> None:
    assert_kept(unmasked_option, files("src/hundi/cli/*.py"))


def test_what_is_exact_is_still_there() -> None:
    there = {
        (source.stem, each.arg)
        for source in files("src/hundi/cli/*.py")
        for function in source.functions()
        for each in (*function.args.args, *function.args.kwonlyargs)
    }
    assert set(EXACT) <= there


def test_an_unmasked_option_is_found() -> None:
    planted = 'def f(note: Annotated[str, typer.Option(help="x")]) -> None: ...\n'
    assert len(list(unmasked_option(Source("src/hundi/cli/a.py", planted)))) == 1
