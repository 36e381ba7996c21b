"""Card and Aadhaar numbers typed into every field of every form of the console.

The database keeps none of them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import lxml.html
import pytest

from hundi.console.routing import all_routes
from hundi.console.visits import WORDS
from tests.conftest import NewFolder
from tests.documents import pdf
from tests.house.source import ROOT
from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant
from tests.system.operating import PLAN
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_canaries import assert_free, dumped
from tests.system.test_console_disputes import disputed, upload
from tests.system.test_console_operator import HOLD
from tests.system.test_console_payments import OPERATOR, pay, session_of
from tests.system.test_disputes import PDF
from tests.system.unopened_forms import NEVER_TAKEN, NOT_OPENED, OTHERWISE

OWNER = "asha@demo.example"
CARD, AADHAAR = "5555341244441115", "987612345679"
TYPED = (
    CARD,
    AADHAAR,
    "card 5555 3412 4444 1115 and 9876 1234 5679 of mine",
    f"{CARD}@canary.example",
)
"""What is typed into each field: alone, in words and as an address."""
EXACT: dict[tuple[str, str, str], str] = {
    (
        "/console/{place:str}/links",
        "phone",
        AADHAAR,
    ): "twelve digits may be a telephone number with its country's code",
}
"""What is not typed: route, field and text, with the reason why it would stay."""
PAGES_OF_A_ROUTE = 6
"""Pages of one address that are opened: most have the same forms, requests of two people not."""
PLAUSIBLE = {
    "amount": "1.00",
    "day": "2027-03-02",
    "description": "Tea",
    "document": PLAN,
    "email": "somebody@canary.example",
    "file": HOLD,
    "holder": "Asha",
    "ifsc": "HDFC0000001",
    "kind": "statement",
    "key_name": "a-name",
    "merchant_id": "10001",
    "name": "Asha",
    "note": "a note",
    "number": "50100012345678",
    "reason": "for a reason",
}
"""What the other fields of a form have, where its page says nothing."""
_TEXT_TYPES = {"text", "email", "tel", "search", "url", "file"}
"""Types of fields; of a file its name is typed."""


@dataclass
class Typed:
    """What was typed where: routes of forms, their fields, and how often a form was taken.

    wordless: routes of forms that ask for no text.
    """

    fields: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    wordless: set[str] = field(default_factory=set[str])
    taken: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


def route_of(path: str, method: str) -> str:
    """Return the address of the route that answers, as the console's list has it.

    "" for another page.
    """
    for route in all_routes():
        if route.method == method:
            pattern = re.sub(
                r"{\w+:int}", r"\\d+", re.sub(r"{\w+:str}", "[^/]+", route.address.rstrip("/"))
            )
            if re.fullmatch(pattern, path.rstrip("/")):
                return route.address
    return ""


def forms_of(page: str) -> Iterator[lxml.html.FormElement]:
    """Yield the forms of a page that change something."""
    for form in lxml.html.document_fromstring(page).forms:
        if form.get("method", "").lower() == "post":
            yield form


def words_of(form: lxml.html.FormElement) -> list[str]:
    """Return the names of the fields of a form that somebody types into."""
    return [each.get("name", "") for each in form.inputs if is_typed(each)]


def is_typed(each: lxml.html.HtmlElement) -> bool:
    """Return whether somebody types into a field."""
    is_text = each.tag == "textarea" or (
        each.tag == "input" and each.get("type", "text") in _TEXT_TYPES
    )
    return bool(each.get("name")) and is_text


def filled(form: lxml.html.FormElement) -> dict[str, str]:
    """Return what a person sends who changes nothing, and fills in what is empty."""
    values: dict[str, str] = {}
    for each in form.inputs:
        name = each.get("name")
        if not name or each.get("type") == "file":
            continue
        value = each.value
        if each.tag == "select" and value is None:
            value = next(iter(each.value_options), "")
        if each.get("type") == "radio":
            values.setdefault(name, each.get("value", ""))
        elif each.get("type") == "checkbox":
            values[name] = each.get("value", "on")
        else:
            values[name] = value or PLAUSIBLE.get(name, "")
    return values


def files_of(form: lxml.html.FormElement, name: str, text: str) -> dict[str, tuple[str, bytes]]:
    """Return a document of its own for each field of a form for a file.

    name: the field whose document is called like a text.
    """
    return {
        each.get("name"): (
            f"{text if each.get('name') == name else 'a bill'}.pdf",
            pdf(f"Document {TYPED.index(text)}"),
        )
        for each in form.inputs
        if each.get("type") == "file"
    }


class Typist:
    """Somebody who opens every page they may, and types numbers into every form."""

    def __init__(self, console: Console, typed: Typed) -> None:
        self._console, self._typed = console, typed
        self._opened: Counter[str] = Counter()
        self._pages: dict[str, str] = {}

    def visit(self, start: str) -> None:
        """Open what is linked from a page, and what is linked from there."""
        waiting = [start]
        while waiting:
            path = waiting.pop(0)
            route = route_of(path, "GET")
            if path in self._pages or not route or self._opened[route] == PAGES_OF_A_ROUTE:
                continue
            answer = self._console.http.get(path)
            if answer.status_code != 200 or "html" not in answer.headers.get("content-type", ""):
                continue
            self._opened[route] += 1
            self._pages[path] = answer.text
            waiting += [
                urlsplit(each).path for each in re.findall(r'href="(/console/[^"#]*)"', answer.text)
            ]

    def type_everywhere(self) -> None:
        """Send each form of each page once for each of its fields and each number."""
        for path in self._pages:
            for place, form in enumerate(forms_of(self._pages[path])):
                route = route_of(urlsplit(form.get("action") or path).path, "POST")
                if not words_of(form):
                    self._typed.wordless.add(route)
                for name in words_of(form):
                    if not self._typed.taken[route, name]:
                        self._type(path, place, route, name)

    def _type(self, path: str, place: int, route: str, name: str) -> None:
        for text in TYPED:
            # Anew for each: a form has a number of its own, and may be gone once it was sent.
            forms = list(forms_of(self._console.http.get(path).text))
            if place >= len(forms) or name not in words_of(forms[place]):
                return
            action = forms[place].get("action") or path
            if (route, name, text) in EXACT:
                continue
            sent, files = filled(forms[place]), files_of(forms[place], name, text)
            written = f"{sent.get(name)}\n# {text}\n" if name == "document" else text
            values = sent if name in files else sent | {name: written}
            answer = self._console.http.post(action, data=values, files=files or None)
            assert answer.status_code < 500, (action, name, answer.text)
            self._typed.fields.add((route, name))
            self._typed.taken[route, name] += answer.status_code < 400


@pytest.fixture(scope="module")
def aviary(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose database nobody else writes to."""
    with RunningGateway(new_folder("console_canaries"), prepared=False) as running:
        yield running


def leave_unverified(aviary: RunningGateway, place: str) -> None:
    """Give a merchant another account, of which its bank says nothing: papers are taken then."""
    aviary.inject_faults(seed=1, lose_request=1.0)
    account = ("--holder", "Asha", "--ifsc", PLAUSIBLE["ifsc"], "--number", PLAUSIBLE["number"])
    aviary.operate("bank-account", "add", place, *account, "--as", "Asha")


def complain(aviary: RunningGateway) -> None:
    """Have a payer complain of each payment: a complaint is answered once."""
    aviary.rows(
        "INSERT INTO complaints (merchant_id, complaint_id, payment_id, kind, words, language,"
        " state, made_at, answer_by) SELECT merchant_id, payment_id, payment_id, 'other', 'Where?',"
        " 'en', 'open', now(), now() + interval '5 days' FROM payments"
    )


@pytest.fixture(scope="module")
def typed(aviary: RunningGateway, server: MerchantServer) -> Typed:
    """Let the owner of a merchant and the operator type numbers wherever they may."""
    merchant, found = Merchant.of(aviary.demo["merchants"][0]), Typed()
    shop = Shop.at(aviary, merchant, server.endpoint(f"canaries-{id(aviary)}"))
    place = merchant.merchant_id
    with Browser() as browser, shop.client, session_of(aviary, OWNER, "198.51.100.91") as owner:
        _, dispute_id = disputed(aviary, shop, browser)
        pay(aviary, shop, browser)
        complain(aviary)
        owner.post(
            f"{place}/links",
            amount="1.00",
            description="Tea",
            surplus="refund",
            days="1",
            act_id="217000000000077",
        )
        name = f"bill {CARD} of {AADHAAR}.pdf"
        assert upload(owner, f"{place}/disputes/{dispute_id}", name, PDF).status_code == 303
        leave_unverified(aviary, place)
        with Console(aviary, "198.51.100.93") as stranger:
            for text in TYPED:
                stranger.http.post("/console/sign-in", data={"email": text, "password": text})
        found.fields.add(("/console/sign-in", "email"))
        with session_of(aviary, OPERATOR, "198.51.100.92") as operator:
            for console, starts in ((operator, ("all", place)), (owner, (place,))):
                typist = Typist(console, found)
                for start in starts:
                    typist.visit(f"/console/{start}/")
                typist.type_everywhere()
    aviary.inject_faults()
    return found


def test_the_database_keeps_no_number_that_was_typed(aviary: RunningGateway, typed: Typed) -> None:
    books = dumped(aviary, "hundi")
    assert "[card]" in books
    assert "[aadhaar]" in books
    assert_free(books, {"card": CARD, "Aadhaar": AADHAAR}, "the gateway's database")


def test_a_sweep_finds_what_was_planted_and_nothing_else(
    aviary: RunningGateway, typed: Typed
) -> None:
    """The sweep of a database that people have worked with.

    No false alarm, and the owner's rights where it runs.
    """
    assert aviary.operate("scrub")["found"] == []
    with aviary.unsealed():
        place = int(aviary.demo["merchants"][0]["merchant_id"])
        (link,) = aviary.rows(
            (
                "SELECT link_id, description FROM payment_links WHERE merchant_id = $1 ORDER BY"
                " link_id LIMIT 1"
            ),
            place,
        )
        planted = "UPDATE payment_links SET description = $2 WHERE link_id = $1"
        aviary.rows(planted, link["link_id"], f"Asha {CARD}")
        found = {"table": "payment_links", "column": "description", "rows": 1, "kept": ""}
        assert aviary.operate("scrub")["found"] == [found]
        assert aviary.operate("scrub", "--apply")["masked"] == 1
        shown = "SELECT description FROM payment_links WHERE link_id = $1"
        assert aviary.value(shown, link["link_id"]) == "Asha [card]"
        assert aviary.operate("scrub", "--apply")["found"] == []
        aviary.rows(planted, link["link_id"], link["description"])
    aviary.audit()


def test_words_were_taken_wherever_they_were_typed(typed: Typed) -> None:
    """What a form refused for another reason would have proved nothing."""
    refused = {key for key in typed.fields if key[1] in WORDS and not typed.taken[key]}
    assert refused == set(NEVER_TAKEN)


def test_every_form_was_sent_or_says_why_not(typed: Typed) -> None:
    sent = {route for route, _ in typed.fields} | typed.wordless
    assert {route.address for route in all_routes() if route.method == "POST"} - sent == set(
        NOT_OPENED
    )


def test_every_field_of_every_template_is_masked_or_typed(typed: Typed) -> None:
    """A form that no test opens has only fields that are masked or known."""
    names = {
        each.get("name")
        for template in (ROOT / "src/hundi/console/templates").glob("*.html")
        for form in forms_of(template.read_text("utf-8"))
        for each in form.inputs
        if is_typed(each)
    }
    typed_names = {name for _, name in typed.fields} | WORDS
    assert len(names) >= 20
    assert {name for name in names - typed_names if "{" not in name} == set(OTHERWISE)
