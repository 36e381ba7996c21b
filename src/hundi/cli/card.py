"""`hundi card`: the cards of a programme's customers, issued and changed at the simulated processor."""

from typing import Annotated, Any

import typer

from hundi.cli.output import DataDir, Json, fail, show
from hundi.cli.register import ask

app = typer.Typer(help="Cards of a partner's programme, at the simulated processor.", no_args_is_help=True)
Programme = Annotated[str, typer.Argument(help="The partner's card programme: its affiliate code, or DEMO.")]
Entity = Annotated[str, typer.Argument(help="The customer's id.")]
Kit = Annotated[str, typer.Argument(help="The kit's number.")]
Reason = Annotated[str, typer.Option(help="01 asked by the customer, 02 fraud, 03 lost, 04 stolen.")]
_SHOWN = ("entity_id", "kit_no", "number", "expiry", "status", "kind")


@app.command("list")
def list_cards(programme: Programme, entity_id: Entity, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List a customer's cards, numbers masked."""
    found = ask(data_dir, lambda registers: registers.cards(programme, entity_id))
    shown = [{name: getattr(each, name) for name in _SHOWN[1:]} for each in found]
    show(shown, json=json, title="Cards")


@app.command()
def issue(
    programme: Programme,
    entity_id: Entity,
    *,
    virtual: Annotated[bool, typer.Option("--virtual", help="Without plastic.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Assign a new card to a customer; it has to be activated."""
    kind = "VIRTUAL" if virtual else "PHYSICAL"
    _show(ask(data_dir, lambda registers: registers.issue_card(programme, entity_id, kind)), json=json)


@app.command()
def move(
    programme: Programme,
    kit_no: Kit,
    verb: Annotated[str, typer.Argument(help="activate, lock, unlock, block, hotlist, close or replace.")],
    *,
    reason: Reason = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change a card's state; a replacement is a new card, which is shown."""
    _show(ask(data_dir, lambda registers: registers.move_card(programme, kit_no, verb, reason)), json=json)


def _show(card: Any, *, json: bool) -> None:  # noqa: ANN401 (an entry)
    if not isinstance(card, dict):
        raise fail("no such card")
    show({name: card[name] for name in _SHOWN}, json=json, title="Card")
