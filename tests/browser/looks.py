"""What is asked of the looks of every screen, whoever shows it."""

import itertools

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TOUCH_PX_MIN = 48
_AXE = Axe()


def assert_accessible(page: Page) -> None:
    """Every screen has a language, a title, one first heading, and a name for each control."""
    assert page.locator("html").get_attribute("lang")
    assert page.title()
    assert page.locator("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1, page.url
    nameless = page.evaluate(
        """() => [...document.querySelectorAll(
            "a, button, summary, input:not([type=hidden]), textarea, select, img")]
          .filter(each => !(each.labels?.length || each.textContent.trim()
            || each.getAttribute("aria-label") || each.hasAttribute("alt")
            || each.getAttribute("aria-labelledby")))
          .map(each => each.outerHTML)"""
    )
    assert nameless == []
    levels = page.evaluate(
        "() => [...document.querySelectorAll('h1, h2, h3')].map(each => Number(each.tagName[1]))"
    )
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels


def assert_no_axe_violations(page: Page) -> None:
    """No rule of axe-core is broken; it needs scripts, so pages without them are left out."""
    if page.evaluate("matchMedia('(scripting: none)').matches"):
        return
    found = _AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    told = [
        f"{each['id']}: {node['html']}\n{node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]
    assert not told, f"{page.url}\n" + "\n".join(told)


def assert_fits(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    ), page.url


def assert_high_enough(page: Page, pressed: str, least_px: int) -> None:
    """Everything that a selector names is so high at least; one question for the whole page."""
    low = page.locator(pressed).evaluate_all(
        """(all, least) => all
          .filter(each => each.getBoundingClientRect().height < least)
          .map(each => each.outerHTML)""",
        least_px,
    )
    assert low == [], page.url


def assert_room_for_thumbs(page: Page) -> None:
    """Everything that a thumb presses is high enough."""
    pressed = ("summary", "a", "button", ".entry", "input[type=text]")
    assert_high_enough(page, ", ".join(f"{each}:visible" for each in pressed), TOUCH_PX_MIN)
