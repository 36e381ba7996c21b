"""`hundi risk check`: lists the faults of a rule set, without a gateway."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.output import Json, fail, show
from hundi.kernel.masking import masked
from hundi.payments.risk.document import read
from hundi.payments.risk.rules import RuleSet

File = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="The rule set: TOML or JSON.")
]


def check(file: File, *, json: Json = False) -> None:
    """Check a rule set; exit with 2 and everything that is wrong with it."""
    rule_set = _read(file, json=json)
    show(
        {"rules": len(rule_set.rules), "counts": len(rule_set.counts)}, json=json, title="In order"
    )


def _read(file: Path, *, json: bool) -> RuleSet:
    """Return the rule set of a file, or exit with all its faults."""
    try:
        text = masked(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise fail(f"{file} is no text in UTF-8") from None
    rule_set = read(text)
    if isinstance(rule_set, RuleSet):
        return rule_set
    if json:
        show([asdict(each) for each in rule_set], json=True)
    for each in rule_set:
        place = ", ".join(part for part in (each.rule, each.field) if part)
        typer.echo(f"{each.code}: {place or file.name}: {each.words}", err=True)
    raise typer.Exit(2)


def add_to(app: typer.Typer) -> None:
    """Add the command to those of `hundi risk`."""
    app.command()(check)
