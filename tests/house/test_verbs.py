"""A verb is declared once: hand-written commands and forms are listed here, with reasons."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from hundi.cli import _COMMANDS, application
from hundi.console.routing import all_routes
from hundi.console.verb_forms import VerbChoice, VerbForm
from hundi.console.verb_pages import VerbDeed, VerbRequest, label_of
from hundi.verbs.table import NOUNS, THINGS, all_verbs
from hundi.verbs.verb import OperatorVerb

_PROCESS = "runs a process of the gateway, or prepares one"
_MACHINE = "works on the machine's files and keys, whoever the people are"
_MERCHANT = "calls or reads as a merchant's server: made from the operations of the wire"
_LABORATORY = "changes the simulated registers and cards, which are outside the gateway"
_SECRETS = "asks for secrets one by one on the terminal, or reads them as JSON"
_CONNECTORS = "opens every connector of the settings, also where no gateway has data yet"
_FILES = "reads or writes files of the machine"
_PROGRESS = "opens connectors, and shows the progress of long work"
_UPGRADE = "takes over, after an upgrade, what nothing proves"
COMMANDS_BY_HAND: dict[str, str] = {
    **dict.fromkeys(("serve", "api", "worker", "metrics", "migrate"), _PROCESS),
    **dict.fromkeys(("database", "settings", "page"), _PROCESS),
    **dict.fromkeys(("keys", "archive", "scrub", "backup", "restore", "audit"), _MACHINE),
    "doctor": _MACHINE,
    "mcp serve": _PROCESS,
    **dict.fromkeys(("call", "listen", "envelope", "client"), _MERCHANT),
    **dict.fromkeys(("register", "card"), _LABORATORY),
    **dict.fromkeys(("acquirer add", "acquirer rotate"), _SECRETS),
    **dict.fromkeys(("acquirer list", "acquirer show"), _CONNECTORS),
    "acquirer check": _CONNECTORS,
    **dict.fromkeys(("acquirer certify", "reconcile fetch", "route try"), _PROGRESS),
    **dict.fromkeys(("payout export", "payout import", "report"), _FILES),
    "dispute evidence export": _FILES,
    "bank-account papers export": _FILES,
    "staff mark": _UPGRADE,
    "reconcile import": _FILES,
}
"""Hand-written commands, or whole nouns, and the reasons."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command by its whole name."""
    waiting = [(noun, get_command(application(noun)).commands[noun]) for noun in _COMMANDS]
    while waiting:
        name, command = waiting.pop()
        verbs = getattr(command, "commands", {})
        waiting += [(f"{name} {verb}", each) for verb, each in verbs.items()]
        if not verbs:
            yield name, command


def by_hand(name: str) -> str:
    """Return the entry of the list for a command, "" for none."""
    words = name.split(" ")
    places = [" ".join(words[:length]) for length in range(1, len(words) + 1)]
    return next((place for place in reversed(places) if place in COMMANDS_BY_HAND), "")


_SESSION = "is about the person's own session, before or beside any verb"
_DECIDES = "decides what another person asked for, which a command cannot: it is no person"
_SECRET = "shows a new secret once, however often the form is sent"
_KINDS = "asks a second person by an older kind of request; some may be waiting"
_ACQUIRER = "asks the acquirer in the gateway's process, where connectors are open"
_TWO = "proves by the trail that the second person is another one"
_READS = "shows what it reads on the page that it was sent from"
_SEALS = "has the fields of a kind, and seals its secrets for a second person"
_SCREEN = "reads fields of its own, and then does a verb"
_LINK = "shows a one-time link on the list of people, and then nowhere"
_ENDPOINT = "integration/endpoints/{endpoint_no:int}"
_EACH = "does a single act for each chosen row, and lists what became of each"
_LETTERS = "is about the letters that the person gets, which no command chooses"
_OWN = "keeps a view of the person's own, which nobody else sees and no command shows"
FORMS_BY_HAND: dict[str, str] = {
    **dict.fromkeys(("sign-in", "sign-in/passkey", "sign-in/code", "sign-out"), _SESSION),
    **dict.fromkeys(("join/{link:str}", "you/sessions/end", "you/password"), _SESSION),
    **dict.fromkeys(("you/letters", "you/letters/trial"), _LETTERS),
    **dict.fromkeys(("you/codes", "you/passkeys", "you/passkeys/remove"), _SESSION),
    **dict.fromkeys(
        ("approvals/{approval_id:int}/decide", "approvals/{approval_id:int}/repeat"), _DECIDES
    ),
    **dict.fromkeys(("integration/endpoints", f"{_ENDPOINT}/rotate"), _SECRET),
    _ENDPOINT: "has a tick for each event, and shows a refusal at its field",
    **dict.fromkeys(("integration/endpoints/test", f"{_ENDPOINT}/test"), _READS),
    **dict.fromkeys(("keys/rotate", "keys/add", "keys/add-bearer", "keys/make"), _SECRET),
    "merchants": _SECRET,
    **dict.fromkeys(("bank-account", "price-plan"), _KINDS),
    **dict.fromkeys(
        ("routing/form", "payout-routing/form", "risk/form"),
        "draws itself again with what was typed, and publishes nothing",
    ),
    "price-plan/form": "draws itself again with what was typed, and keeps nothing",
    **dict.fromkeys(
        ("payments/{payment_id:int}/capture", "payments/{payment_id:int}/void"), _ACQUIRER
    ),
    **dict.fromkeys(("payments/{payment_id:int}/refund", "acquirers/{name:str}/check"), _ACQUIRER),
    **dict.fromkeys(("acquirer-kinds/{kind:str}", "acquirers/{name:str}/change"), _SEALS),
    **dict.fromkeys(("routing", "payout-routing"), _SCREEN),
    "routing/try": "tries as many payments as a person waits for; the command tries all",
    "payout-routing/try": "tries a plan that its form has, by the connectors of this process",
    "across/payouts/{merchant_id:int}/{payout_id:int}/release": _TWO,
    "reconciliation/proposals/{merchant_id:int}/{proposal:int}": _TWO,
    **dict.fromkeys(("payments/{payment_id:int}/reveal", "lab", "integration/test"), _READS),
    **dict.fromkeys(
        (
            "integration",
            "integration/notifications",
            "integration/methods",
            "integration/letters",
        ),
        "changes many settings on one page, with a tick for each event or method",
    ),
    "reports": "waits for a small file, which leaves by the same click",
    **dict.fromkeys(("leads/{affiliate:str}/{lead_id:int}/reveal", "links/file"), _READS),
    "links/{link_id:int}/reveal": _READS,
    **dict.fromkeys(("customers", "customers/{customer:str}/export"), _READS),
    "customers/{customer:str}/erasure": "asks a second person, with the marks that were proved",
    "links/file/make": "does the verb with the file that the page before it has shown",
    "deliveries/replay": "sends as many as the page has said, or none",
    "payments/{payment_id:int}/resend": "is for roles that may not send other deliveries again",
    "deliveries/{payment_id:int}/{event_no:int}/resend": _SCREEN,
    **dict.fromkeys(("people", "people/{person:int}/reset"), _LINK),
    **dict.fromkeys(("payments/refund-several", "deliveries/send-several"), _EACH),
    **dict.fromkeys(("saved-filters", "saved-filters/remove"), _OWN),
}
"""Hand-written forms of the console, and the reasons."""
WITHOUT_WORDS = {("split close", "identifier"), ("merchant set", "multiple_partial_refunds")}
"""Parameters whose names say enough."""
_MADE_FORMS = VerbForm | VerbChoice | VerbDeed | VerbRequest


def is_made(command: Any) -> bool:
    """Return whether a command comes from a declaration."""
    return isinstance(getattr(command.callback, "verb", None), OperatorVerb)


def test_every_command_is_made_from_a_verb_or_says_why_not() -> None:
    entries = dict(commands())
    assert {
        name for name, each in entries.items() if not is_made(each) and not by_hand(name)
    } == set()
    used = {by_hand(name) for name, each in entries.items() if not is_made(each)}
    assert used == set(COMMANDS_BY_HAND), "what is declared by now is not by hand any more"


def test_every_form_is_made_from_a_verb_or_says_why_not() -> None:
    by_hand = {
        route.path
        for route in all_routes()
        if route.method == "POST" and not isinstance(route.handler, _MADE_FORMS)
    }
    assert by_hand == set(FORMS_BY_HAND)


def test_every_verb_is_at_both_doors_or_says_why_not() -> None:
    paths = {route.path for route in all_routes()}
    for verb in all_verbs():
        there = verb.path or verb.screen
        assert bool(there) is not bool(verb.only_command), verb.command
        assert not there or there in paths, verb.command


def test_every_form_has_a_title_of_its_own() -> None:
    assert set(THINGS) == set(NOUNS)
    titles = [label_of(verb) for verb in all_verbs() if verb.path]
    assert len({*titles}) == len(titles), titles
    assert not [title for title in titles if title.endswith(".") or "paise" in title.lower()]
    nouns = [title for title in titles if title.partition(" ")[0].endswith("s")]
    assert nouns == [], "a title begins with what the form does: declare its page"


def test_nobody_is_asked_to_approve_what_would_be_refused() -> None:
    assert [
        verb.command for verb in all_verbs() if verb.path and verb.second and not verb.check
    ] == []


def test_no_form_asks_again_for_a_file() -> None:
    """Neither the page for a code nor a request of two people carries a file."""
    assert [
        verb.command
        for verb in all_verbs()
        if (verb.fresh or verb.second)
        and any(each.is_file and not each.hints.only_command for each in verb.parameters)
    ] == []


def test_a_verb_that_changes_something_is_in_the_trail_and_no_other_is() -> None:
    for verb in all_verbs():
        looks = verb.name.rpartition(" ")[2] in {"list", "show"}
        assert not (looks and verb.trail), verb.command
        assert not verb.notice[0] or verb.trail, verb.command


def test_every_parameter_says_what_it_means_or_has_choices() -> None:
    for verb in all_verbs():
        for parameter in verb.parameters:
            known = parameter.words or parameter.choices or parameter.hints.switch
            assert known or (verb.command, parameter.name) in WITHOUT_WORDS


def test_a_command_and_a_form_by_hand_are_found() -> None:
    def planted() -> None:
        """Do something."""

    class _Command:
        callback = planted

    assert not is_made(_Command)
    assert by_hand("merchant planted") == ""
    assert not isinstance(planted, _MADE_FORMS)
