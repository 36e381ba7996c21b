"""`hundi card`: issues and changes a programme's cards at the simulated processor."""

from typing import Annotated

import typer

from hundi.cli.context import is_demo, run
from hundi.cli.output import DataDir, Json, fail, show
from hundi.cli.register import ask
from hundi.gateway.bootstrap import OperatorContext
from hundi.partners.directory.actions import PartnerDirectory
from hundi.wire.fields import FieldError
from hundi.wire.partner.prepaid_cards import ENTITY

app = typer.Typer(
    help="Cards of a partner's programme, at the simulated processor.", no_args_is_help=True
)
Programme = Annotated[
    str, typer.Argument(help="The partner's card programme: its affiliate code, or DEMO.")
]
Entity = Annotated[str, typer.Argument(help="The customer's id.")]
Kit = Annotated[str, typer.Argument(help="The kit's number.")]
Reason = Annotated[
    str, typer.Option(help="01 asked by the customer, 02 fraud, 03 lost, 04 stolen.")
]
_SHOWN = ("entity_id", "kit_no", "number", "expiry", "status", "kind")
_DEMO_PROGRAMME = "DEMO"


@app.command("list")
def list_cards(
    programme: Programme, entity_id: Entity, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """List a customer's cards, numbers masked."""
    looked_for = f"customer {entity_id} with cards in the programme {programme}"
    cards = ask(data_dir, lambda registers: registers.cards(programme, entity_id), looked_for)
    rows = [{name: getattr(each, name) for name in _SHOWN[1:]} for each in cards]
    show(rows, json=json, title="Cards")


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
    # Nobody could find a card whose interface cannot be called.
    try:
        _ = ENTITY.read(entity_id, "entity_id")
    except FieldError as error:
        raise fail(f"entity_id was {entity_id!r}; allowed: {error.allowed}") from None
    programmes = run(data_dir, _programmes)
    if programme not in programmes:
        raise fail(
            f"{programme!r} is no partner's card programme; there are:"
            f" {' '.join(sorted(programmes))}"
        )
    kind = "VIRTUAL" if virtual else "PHYSICAL"
    card = ask(data_dir, lambda registers: registers.issue_card(programme, entity_id, kind))
    show({name: card[name] for name in _SHOWN}, json=json, title="Card")


async def _programmes(context: OperatorContext) -> set[str]:
    partners = await PartnerDirectory(context.db, context.vault).everyone()
    seeded = {_DEMO_PROGRAMME} if is_demo(context.settings) else set()
    return (
        seeded | {each.affiliate for each in partners} | {each.card_programme for each in partners}
    )


@app.command()
def move(
    programme: Programme,
    kit_no: Kit,
    verb: Annotated[
        str, typer.Argument(help="activate, lock, unlock, block, hotlist, close or replace.")
    ],
    *,
    reason: Reason = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change a card's state; a replacement is a new card, which is shown."""
    looked_for = f"kit {kit_no} in the programme {programme}"
    card = ask(
        data_dir, lambda registers: registers.move_card(programme, kit_no, verb, reason), looked_for
    )
    show({name: card[name] for name in _SHOWN}, json=json, title="Card")
