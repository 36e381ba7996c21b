"""Papers of bank accounts, added at the console."""

import re
from html import unescape

from tests.documents import packed_pdf
from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.test_console_payments import OPERATOR


def add_by_form(gateway: RunningGateway, place: str) -> None:
    """Add a statement; without its file, the form says what it wants."""
    page = f"{place}/verbs/bank-account/papers-add"
    with Console.signed_in(gateway, OPERATOR, "198.51.100.95") as staff:
        fields = {"form_token": staff.token(page), "kind": "statement"}
        asked = staff.http.post(f"/console/{page}", data=fields)
        assert asked.status_code == 409
        assert "A PDF, PNG or JPEG" in asked.text
        broken = {"document": ("statement.pdf", b"%PDF-1.4\nA statement\n%%EOF")}
        refused = staff.http.post(f"/console/{page}", data=fields, files=broken)
        assert refused.status_code == 409
        assert "a PDF that does not end as one" in refused.text
        document = {"document": ("statement.pdf", packed_pdf())}
        taken = staff.http.post(f"/console/{page}", data=fields, files=document)
        assert taken.status_code == 200
        assert "statement.pdf" in taken.text


def accept_by_form(staff: Console, place: str, papers: str) -> str:
    """Accept the merchant's account at the console, by the form of its page.

    papers: the ids that the page carried. Returns the answer.
    """
    page = "all/verbs/bank-account/papers-accept"
    fields = {
        "form_token": staff.token(page),
        "merchant_id": place,
        "beneficiary": "primary",
        "papers": papers,
    }
    return unescape(staff.http.post(f"/console/{page}", data=fields).text)


def carried(staff: Console, place: str) -> str:
    """Return the ids of the papers that the form of an account's page carries."""
    page = staff.get(f"{place}/bank-account").text
    (papers,) = re.findall(r'name="papers" value="([0-9 ]*)"', page)
    for paper_id in papers.split():
        assert f"papers/{paper_id}" in page
    return papers
