"""Finance people's jobs by the console's words alone, each within its clicks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.customer import Customer
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.browser.test_account_papers import _operate
from tests.browser.test_console import LOOKS, assert_large_enough
from tests.conftest import NewFolder
from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.test_console_payments import OPERATOR

FINANCE = "finance@demo.example"
STATEMENT = "Txn Type,Order ID,Net Amount,Settlement Date\nSALE,nobody,1499.50,2026-01-15\n"


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone, in which a payment of the demo's shop was settled."""
    with RunningGateway(new_folder("finance_browser"), prepared=False) as running:
        yield running


class Clicks:
    """A signed-in person's page, and how often they clicked."""

    def __init__(self, browser: Browser, staff: Console) -> None:
        """Take over the session."""
        context = browser.new_context(accept_downloads=True)
        url = staff.gateway.base_url
        context.add_cookies(
            [
                {"name": name, "value": value, "url": url}
                for name, value in staff.http.cookies.items()
            ]
        )
        self.page: Page = context.new_page()
        self.count = 0

    def click(self, role: str, name: str) -> None:
        """Click what has this name."""
        self.count += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type] (a role)

    def look(self) -> None:
        """Judge the page at a desk and on a phone."""
        for device, scheme in LOOKS:
            self.page.set_viewport_size(device["viewport"])
            self.page.emulate_media(color_scheme=scheme)
            assert_accessible(self.page)
            assert_no_axe_violations(self.page)
            assert_fits(self.page)
            assert_large_enough(self.page)
        self.page.set_viewport_size({"width": 1440, "height": 900})


def test_a_month_leaves_in_two_clicks_and_the_list_says_who_took_it(
    browser: Browser, gateway: RunningGateway, tmp_path: Path
) -> None:
    shopper = Customer(browser, gateway.demo)
    shopper.buy("Kolhapuri chappal")
    shopper.pay_by_upi()
    shopper.see_paid_order()
    shopper.leave()
    place = gateway.demo["merchants"][0]["merchant_id"]
    _operate(gateway, "settlement", "terms", "set", place, "--instant-bps", "50")
    _operate(gateway, "settlement", "run", "--merchant", place, "--instant")
    with Console.signed_in(gateway, FINANCE, "198.51.100.98") as staff:
        at = Clicks(browser, staff)
        at.page.goto(f"{gateway.base_url}/console/{place}/")
        at.click("link", "Settlements")
        at.look()
        with at.page.expect_download() as leaving:
            at.count += 1
            at.page.locator("button", has_text="Excel: Settlements").first.click()
        leaving.value.save_as(tmp_path / "month.xlsx")
        assert (tmp_path / "month.xlsx").read_bytes().startswith(b"PK")
        assert at.count == 2
        at.click("link", "Reports")
        expect(at.page.get_by_role("row", name="Settlements").first).to_contain_text(
            "Farhan Shaikh"
        )
        at.look()
        at.page.goto(f"{gateway.base_url}/console/{place}/settlements")
        at.page.locator("tbody th a").first.click()
        at.look()


def test_a_statement_is_imported_in_four_clicks(
    browser: Browser, gateway: RunningGateway, tmp_path: Path
) -> None:
    (tmp_path / "bank.csv").write_text(STATEMENT)
    with Console.signed_in(gateway, OPERATOR, "198.51.100.99") as staff:
        at = Clicks(browser, staff)
        at.page.goto(f"{gateway.base_url}/console/all/")
        at.click("link", "Reconciliation")
        at.click("link", "Import a statement")
        at.look()
        at.page.get_by_label("Whose statement").select_option("sandbox")
        at.page.get_by_label("File, up to 8 MB").set_input_files(tmp_path / "bank.csv")
        at.click("button", "Upload and look at it")
        expect(at.page.get_by_role("heading", name="2. As it would be read")).to_be_visible()
        at.look()
        at.click("button", "Import 1 line")
        assert at.count == 4
        expect(at.page.get_by_text("Agree with our books")).to_be_visible(timeout=60_000)
        at.look()
        at.page.get_by_role("link", name="What differs").click()
        expect(at.page.get_by_role("heading", name="Not in our books: Nobody's")).to_be_visible()
        at.look()
