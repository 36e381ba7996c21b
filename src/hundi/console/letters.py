"""Letters: what people were told by mail, how that went, and sending one again."""

from typing import Any

from litestar import Response

from hundi.console import lists
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, page_of, values_of
from hundi.console.lists import asked_of, named, tone_of, words
from hundi.console.queries import letters as queries
from hundi.console.queries.letters import LetterFilters
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.letters import store
from hundi.letters.rules import (
    Letter,
    LetterChannel,
    LetterKind,
    LetterState,
    masked_address,
)
from hundi.letters.store import LETTER
from hundi.letters.wording.actions import words_of
from hundi.staff.people.rules import Permission
from hundi.verbs.letter import resend

_LIST = ListKind(
    path="letters",
    noun=("letter", "letters"),
    filters=("state", "kind", "since", "until"),
    key=("letter_id",),
    select_page=queries.select_page,
    export=None,
)
CHANNELS = {
    LetterChannel.MAIL: "mail",
    LetterChannel.SMS: "SMS",
    LetterChannel.WHATSAPP: "WhatsApp",
}
STATES = {
    LetterState.WAITING: "It is sent when its time comes.",
    LetterState.SENT: "The relay or provider took it. Whether somebody reads it, nobody knows.",
    LetterState.BOUNCED: (
        "The address does not exist, or takes no letters. Nothing more is sent there until somebody"
        " sends a letter again."
    ),
    LetterState.GIVEN_UP: (
        "It was refused, or no try succeeded. A message whose answer was lost is tried twice, as it"
        " may have arrived. Somebody may send it again."
    ),
    LetterState.WITHHELD: "Something that it takes to send it is missing, so it was not sent.",
}


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of letters, newest first; the operator sees those of all places."""
    address = asked_of(visit)
    filters = LetterFilters(
        address.one_of("state", LetterState),
        address.one_of("kind", LetterKind),
        address.since,
        address.until,
    )
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "letters.html",
        "Letters",
        **await values_of(visit, _LIST, filters, page),
        rows=[_row_of(LETTER.read(row)) for row in page.rows],
        across=not visit.merchant_id,
        may_choose=visit.may(Permission.SETTINGS_CHANGE),
        may_write=visit.may(Permission.MERCHANTS_CHANGE),
        states=[(each.value, words(each)) for each in LetterState],
        kinds=[(each.value, words(each)) for each in LetterKind],
    )


def _row_of(letter: Letter) -> dict[str, Any]:
    return {
        "number": letter.letter_id,
        "merchant": letter.merchant_id,
        "kind": words(letter.kind),
        "to": masked_address(letter.address),
        "channel": CHANNELS[letter.channel],
        "staff": bool(letter.person_id),
        "state": words(letter.state),
        "tone": tone_of_letter(letter.state),
        "at": letter.created_at,
        "again": letter.due_at if letter.state is LetterState.WAITING and letter.problem else None,
        "tries": letter.tries,
        "problem": letter.problem,
    }


def tone_of_letter(state: str) -> str:
    """Return the colour of a letter's tag."""
    return "paid" if state == LetterState.SENT else tone_of(state)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one letter: its words as the customer reads them, its state, and its last problem."""
    letter = await named(visit, "letter", store.select)
    is_mail = letter.channel is LetterChannel.MAIL
    return visit.page(
        "letter.html",
        words(letter.kind),
        row=_row_of(letter),
        state_words=STATES[letter.state],
        sent_at=letter.sent_at,
        text=words_of(letter) if is_mail else None,
        said=letter.said,
        can_resend=letter.state is not LetterState.WAITING and visit.may(Permission.PAYMENTS_NOTE),
        resend_href=visit.href(f"letters/{letter.letter_id}/resend"),
    )


ROUTES = (
    ConsoleRoute("GET", "letters", show_list, Permission.PAYMENTS_SEE, at="both"),
    ConsoleRoute("GET", "letters/{letter_id:int}", show, Permission.PAYMENTS_SEE),
    form_of(resend, "letters/{letter_id:int}/resend", "letters/{letter_id}"),
)
