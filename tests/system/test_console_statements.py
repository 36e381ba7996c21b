"""The operator imports a statement in the browser: columns on its own rows, a trial, the import."""

import re
from collections.abc import Iterator

import httpx
import pytest

from hundi.kernel.clock import business_day
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, pay, session_of
from tests.system.test_subscription_year import clock_of

READER = "reader@demo.example"
LIST = "all/reconciliation/statements"


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: what is imported stays."""
    with RunningGateway(new_folder("console_statements")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "stated")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.95") as browser:
        yield browser


def upload(operator: Console, content: str, form: str = "csv", name: str = "bank.csv") -> str:
    """Upload a statement and return the path of its page."""
    answer = operator.http.post(
        f"/console/{LIST}",
        data={"form_token": operator.token(LIST), "connector": "sandbox", "format": form},
        files={"document": (name, content.encode(), "text/csv")},
    )
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/console/").partition("?")[0]


def imported(operator: Console, page: str) -> httpx.Response:
    """Press the button, and return the page once the worker is done."""
    mapping = operator.field(page, "mapping").replace("&#34;", '"')
    done = operator.post(f"{page}/import", seen_at=page, mapping=mapping)
    assert done.status_code == 303, done.text
    until(lambda: "Being imported" not in operator.get(page).text, "the import", within_s=60)
    return operator.get(page)


def test_a_statement_is_read_on_its_own_rows_tried_and_imported_once(
    gateway: RunningGateway, operator: Console, shop: Shop, browser: Browser
) -> None:
    _, number, rrn = pay(gateway, shop, browser)
    day = business_day(clock_of(gateway)).strftime("%d/%m/%Y")
    rest = f"1499.50,0.00,1499.50,{day}\n"
    rows = f"SALE,,{rrn},{rest}SALE,nobody,999988887777,{rest}"
    head = "Txn Type,Order ID,Bank Reference,Gross Amount,Charges,Net Amount,Settlement Date\n"
    page = upload(operator, head + rows)
    looked = operator.get(page).text
    for words in ("Bank Reference", rrn, "Net Amount", "“SALE” is", day, "Import 2 lines"):
        assert words in looked, words
    assert gateway.value("SELECT count(*) FROM statement_lines") == 0, "nothing is imported yet"
    wrong = operator.get(page, **{"column-net": "Txn Type", "column-day": "Settlement Date",
        "column-kind": "Txn Type", "column-reference": "Order ID"})  # fmt: skip
    assert "It would be refused: line 2:" in wrong.text
    assert "Import 2 lines" not in wrong.text
    done = imported(operator, page).text
    assert "Imported" in done
    kept = gateway.rows("SELECT sealed_content, state FROM statement_uploads")
    assert [(each["sealed_content"], each["state"]) for each in kept] == [(None, "imported")]
    lines = gateway.rows("SELECT merchant_id, rrn FROM statement_lines ORDER BY rrn")
    assert {each["rrn"] for each in lines} == {rrn, "999988887777"}
    work = operator.get("all/reconciliation").text
    assert "Not in our books" in work
    assert re.search(rf"Probably</dt><dd><a href=\"/console/\d+/payments/{number}\"", work)
    assert "It has the same amount, on the same day." in work
    second = upload(operator, head + rows)
    assert "A file with these columns was read before" in operator.get(second).text
    again = imported(operator, second).text
    assert "It was imported before: nothing is new." in again
    acts = gateway.rows(
        "SELECT act FROM trail_entries WHERE merchant_id = 0 AND act LIKE 'reconciliation.%'"
    )
    assert {each["act"] for each in acts} == {"reconciliation.upload", "reconciliation.import"}


def test_a_file_that_cannot_be_read_says_where_and_offers_no_import(operator: Console) -> None:
    for content, form, words in (
        ("no statement", "csv", "its first row names no columns"),
        ("\x00\x01", "mt940", "It would be refused"),
        ("<Document", "camt053", "It would be refused"),
    ):
        page = operator.get(upload(operator, content, form))
        assert words in page.text, form
        assert "/import" not in page.text


def test_a_merchants_people_import_nothing(gateway: RunningGateway) -> None:
    with session_of(gateway, READER, "198.51.100.96") as reader:
        assert reader.get(LIST).status_code == 404
        assert reader.post(f"{LIST}/217000000000001/import").status_code == 404
