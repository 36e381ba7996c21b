"""Letters: what people are told by mail, and sending one again."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.refusals import RefusalCode
from hundi.letters import actions, store
from hundi.letters.rules import Letter, LetterState, masked_address
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import ID_MAX, VerbParameters
from hundi.verbs.verb import Result, verb

LISTED_MAX = 50
Place = Annotated[
    int, Meta(ge=0, le=ID_MAX, description="The merchant's id; 0 for the operator's own people.")
]


class LettersToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of letters."""

    merchant_id: Place
    state: Annotated[LetterState | None, Meta(description="Only those in this state.")] = None


class NamedLetter(VerbParameters, frozen=True, kw_only=True):
    """One letter."""

    merchant_id: Place
    letter_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The letter's number.")]


@verb("letter list", Permission.PAYMENTS_SEE, at="both", title="Letters", screen="letters")
async def list_of(context: VerbContext, parameters: LettersToList) -> Result:
    """List the newest letters to a merchant's customers and people, addresses masked."""
    letters = await store.newest(context.db, parameters.merchant_id, parameters.state, LISTED_MAX)
    return [_row(letter) for letter in letters]


@verb(
    "letter resend",
    Permission.PAYMENTS_NOTE,
    trail="letter.resend",
    screen="letters/{letter_id:int}/resend",
    fresh=False,
    notice=("letter_resent", "It is sent again."),
    refusals={
        RefusalCode.NO_RECORDS: "there is no letter {letter_id}",
        RefusalCode.STATE_FORBIDS: (
            "letter {letter_id} waits to be sent already, or was sent less than ten minutes ago"
        ),
    },
)
async def resend(context: VerbContext, parameters: NamedLetter) -> Result:
    """Send one letter again, under its own Message-ID, also to an address that bounced."""
    merchant_id, letter_id = parameters.merchant_id, parameters.letter_id
    recorded = context.recording(merchant_id)
    await actions.resend(context.db, merchant_id, letter_id, context.now, recorded)
    return {"letter_id": str(letter_id), "state": LetterState.WAITING}


def _row(letter: Letter) -> dict[str, Any]:
    return {
        "letter_id": str(letter.letter_id),
        "kind": letter.kind,
        "channel": letter.channel,
        "to": masked_address(letter.address),
        "state": letter.state,
        "created": letter.created_at,
        "tries": letter.tries,
        "problem": letter.problem,
    }


VERBS = (list_of, resend)
