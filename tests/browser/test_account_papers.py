"""Papers of a bank account in a real browser: what the operator's people see and accept."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.browser.test_console import LOOKS, assert_large_enough
from tests.conftest import NewFolder
from tests.documents import pdf
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.test_console_payments import OPERATOR
from tests.system.test_subscription_year import DAY_S, advance


def _operate(gateway: RunningGateway, *command: str) -> Any:
    """Run a command beside the browser, whose event loop is this thread's."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(gateway.operate, *command).result()


def test_an_account_is_accepted_by_the_papers_that_the_page_shows(
    browser: Browser, new_folder: NewFolder, tmp_path: Path
) -> None:
    with RunningGateway(new_folder("papers_browser"), prepared=False) as gateway:
        gateway.inject_faults(seed=1, lose_request=1.0)
        place = gateway.demo["merchants"][0]["merchant_id"]
        given = ("--holder", "Asha Stores", "--ifsc", "HDFC0000001", "--number", "50100012347777")
        _operate(gateway, "bank-account", "add", place, *given, "--as", "Asha")

        def add(number: int) -> str:
            (paper := tmp_path / f"{number}.pdf").write_bytes(pdf(f"Paper {number}"))
            what = ("--kind", "statement", "--as", "Asha")
            command = ("bank-account", "papers", "add", place, str(paper), *what)
            return _operate(gateway, *command)["paper_id"]

        seen = [add(0)]
        with ThreadPoolExecutor(1) as aside:
            aside.submit(advance, gateway, DAY_S).result()
        with Console.signed_in(gateway, OPERATOR, "198.51.100.97") as staff:
            context = browser.new_context()
            context.add_cookies(
                [
                    {"name": name, "value": value, "url": gateway.base_url}
                    for name, value in staff.http.cookies.items()
                ]
            )
            page, account = context.new_page(), f"{gateway.base_url}/console/{place}/bank-account"
            for device, scheme in LOOKS:
                page.set_viewport_size(device["viewport"])
                page.emulate_media(color_scheme=scheme)
                page.goto(account)
                assert_accessible(page)
                assert_no_axe_violations(page)
                assert_fits(page)
                assert_large_enough(page)
            seen.append(add(1))
            page.get_by_role("button", name="Accept the account").click()
            expect(page.get_by_text(f"“Papers” was '{seen[0]}'")).to_be_visible()

            def accepted() -> bool:
                page.goto(account)
                expect(page.get_by_text("I have opened each of these 2 papers")).to_be_visible()
                with page.expect_navigation():
                    page.get_by_role("button", name="Accept the account").click()
                return page.get_by_text("Done.").is_visible()

            until(accepted, "the account to be accepted")
            page.goto(account)
            expect(page.get_by_text("by its papers")).to_be_visible()
            expect(page.get_by_role("button", name="Accept the account")).to_have_count(0)
            context.close()
