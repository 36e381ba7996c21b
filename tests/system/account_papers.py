"""Papers of bank accounts, added at the console."""

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
        document = {"document": ("statement.pdf", b"%PDF-1.4\nA statement\n%%EOF")}
        taken = staff.http.post(f"/console/{page}", data=fields, files=document)
        assert taken.status_code == 200
        assert "statement.pdf" in taken.text
