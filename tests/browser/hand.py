"""Somebody who knows a screen by its words alone, and counts what a job costs them."""

import re
from pathlib import Path
from typing import Self

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.customer import DESK
from tests.system.console import Console

Words = str | re.Pattern[str]
_JOBS = Path(__file__).parents[2] / "docs/console-jobs.md"
_PLACES = "tr, li, form, section, figure, fieldset"


class Hand:
    """One signed-in person at Home: reads, clicks and types, and nothing else.

    clicks: links, buttons, ticks and rows that open. fields: texts, choices and files.
    """

    def __init__(self, browser: Browser, staff: Console, *allowed: str) -> None:
        """Open Home with the person's session. allowed: permissions of the browser."""
        self._context = browser.new_context(
            **DESK, accept_downloads=True, permissions=list(allowed)
        )
        url = staff.gateway.base_url
        self._context.add_cookies(
            [
                {"name": name, "value": value, "url": url}
                for name, value in staff.http.cookies.items()
            ]
        )
        self.page: Page = self._context.new_page()
        self.page.goto(f"{url}/console/")
        self.clicks = self.fields = 0

    def __enter__(self) -> Self:
        """Hand over the person."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the browser's profile."""
        self._context.close()

    def click(self, name: Words, within: Words = "") -> None:
        """Click what is called so, the first on the page. within: words of the row or the part."""
        self.clicks += 1
        self._named(name, within).click()

    def type(self, label: Words, text: str) -> None:
        """Write into a field over what stands in it."""
        self.fields += 1
        self._field(label).fill(text)

    def choose(self, label: Words, option: str) -> None:
        """Choose an option by its words."""
        self.fields += 1
        self._field(label).select_option(label=option)

    def hand_in(self, label: Words, file: Path) -> None:
        """Choose a file."""
        self.fields += 1
        self._field(label).set_input_files(file)

    def take(self, name: Words, into: Path, within: Words = "") -> bytes:
        """Click what leaves a file, and return the file."""
        with self.page.expect_download() as leaving:
            self.click(name, within)
        leaving.value.save_as(into)
        return into.read_bytes()

    def reads(self, words: Words) -> None:
        """Assert that these words can be read within the page's content."""
        expect(self.page.locator("main").get_by_text(words).first).to_be_visible()

    def text(self) -> str:
        """Return the content as it is read."""
        return " ".join(self.page.locator("main").inner_text().split())

    def _named(self, name: Words, within: Words) -> Locator:
        scope: Page | Locator = self.page
        if within:
            parts = self.page.locator(_PLACES).filter(has_text=within)
            scope = parts.filter(has=self._pressed(self.page, name)).last
        return self._pressed(scope, name).locator("visible=true").first

    @staticmethod
    def _pressed(scope: Page | Locator, name: Words) -> Locator:
        is_exact = isinstance(name, str)
        found = scope.get_by_role("link", name=name, exact=is_exact)
        for role in ("button", "checkbox", "radio"):
            found = found.or_(scope.get_by_role(role, name=name, exact=is_exact))
        words = re.compile(rf"^\s*{re.escape(name)}\s*$") if isinstance(name, str) else name
        return found.or_(scope.locator("summary").filter(has_text=words))

    def _field(self, label: Words) -> Locator:
        found = self.page.get_by_label(label, exact=isinstance(label, str))
        return found.locator("visible=true").first


def limits() -> dict[int, tuple[int, int]]:
    """Return clicks and fields that each job may cost, by its number, as the page of jobs says."""
    rows = (line.strip("| ").split(" | ") for line in _JOBS.read_text().splitlines())
    return {int(row[0]): (int(row[3]), int(row[4])) for row in rows if row[0].isdecimal()}


def assert_affordable(job: int, *people: Hand) -> None:
    """Assert that a job cost all its people together no more than it may."""
    clicks, fields = (sum(each.clicks for each in people), sum(each.fields for each in people))
    clicks_max, fields_max = limits()[job]
    assert clicks <= clicks_max, f"job {job}: {clicks} clicks"
    assert fields <= fields_max, f"job {job}: {fields} fields"
