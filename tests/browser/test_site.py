"""The documentation's site at the running gateway: its look, samples, search, colours, keyboard.

`make docs` builds it; what its files hold is tested in tests/site.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.customer import DESK, PHONE
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.browser.test_budgets import assert_walkable
from tests.site.test_built import PAGE_BYTES_MAX
from tests.system.running import RunningGateway

NARROW = {**PHONE, "viewport": {"width": 320, "height": 640}}
KINDS = ("", "verify/", "codes/", "runbooks/gateway-down/", "versions/")
"""Pages of each kind: text, samples, tables, commands, a list to tick."""
INDEX = "search.index"

Open = Callable[..., Page]


@pytest.fixture
def read(visit: Visit, gateway: RunningGateway) -> Open:
    """`read("verify/", **options)` opens a page of the site in a new browser."""

    def opened(place: str, **options: Any) -> Page:
        page = visit(**options).page
        page.goto(f"{gateway.demo['base_url']}/docs/{place}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        return page

    return opened


def _name(address: str) -> str:
    return urlsplit(address).path.rpartition("/")[2]


def _go(page: Page, place: str) -> None:
    page.goto(page.url.partition("/docs/")[0] + "/docs/" + place)


@pytest.mark.parametrize(
    ("device", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"]
)
def test_pages_of_every_kind_are_named_structured_and_fit(
    read: Open, device: dict[str, Any], scheme: str
) -> None:
    page = read("", **device, color_scheme=scheme)
    for place in KINDS:
        _go(page, place)
        assert_accessible(page)
        assert_no_axe_violations(page)
        assert_fits(page)


def test_every_page_fits_the_narrowest_phone(read: Open) -> None:
    page = read("", **NARROW)
    links = "all => all.map(each => each.getAttribute('href'))"
    places = page.locator("#pages a").evaluate_all(links)
    assert len(places) > 100
    for place in places:
        _go(page, place.removeprefix("./"))
        assert_fits(page)


def test_a_first_visit_loads_what_is_counted_and_no_index(read: Open) -> None:
    """The test of every page's bytes adds files up: these are all that the browser asks for."""
    page = read("")
    loaded: dict[str, int] = {}
    page.on("response", lambda reply: loaded.update({reply.url: len(reply.body())}))
    _go(page, "v1/")
    page.wait_for_load_state("networkidle")
    names = sorted(map(_name, loaded))
    assert names == ["", "first.js", "mark.svg", "search.js", "site.css", "site.js"]
    assert sum(loaded.values()) <= PAGE_BYTES_MAX


def test_a_language_is_chosen_by_keyboard_for_all_samples_and_pages(read: Open) -> None:
    page = read("verify/")
    expect(page.get_by_role("tab", name="curl").first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name="curl").first).to_be_visible()
    page.get_by_role("tab", name="curl").first.focus()
    for key in ("End", "Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_role("tab", name="PHP").first).to_be_focused()
    expect(page.get_by_role("tabpanel", name="PHP").first).to_be_visible()
    expect(page.get_by_role("tabpanel", name="curl")).to_have_count(0)
    _go(page, "subscriptions/")
    chosen = page.get_by_role("tab", selected=True)
    assert set(chosen.all_text_contents()) == {"PHP"}
    assert chosen.count() == page.get_by_role("tablist").count() > 1


def test_all_languages_are_shown_without_scripts(read: Open) -> None:
    page = read("verify/", java_script_enabled=False)
    assert (
        page.locator(".tabbed-content:visible").count() == page.locator(".tabbed-content").count()
    )
    for name in ("curl", "Python", "PHP", "Node", "Java", "Go"):
        expect(page.get_by_text(name, exact=True).first).to_be_visible()
    assert page.get_by_role("searchbox").count() == 0
    expect(page.get_by_role("navigation", name="Pages", exact=True)).to_be_visible()


def test_a_sample_is_copied_by_a_button_that_names_it(read: Open) -> None:
    page = read("verify/", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("tab", name="Go").first.click()
    panel = page.get_by_role("tabpanel", name="Go").first
    panel.get_by_role("button", name="Copy this Go sample").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == panel.locator("code").text_content()
    assert "client.Verify(" in copied


def test_search_loads_its_index_once_and_is_walked_by_keyboard(read: Open) -> None:
    page = read("verify/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_name(request.url)))
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search the documentation")).to_be_focused()
    assert asked == []
    page.keyboard.type("refund_request")
    status = page.get_by_role("search").get_by_role("status")
    expect(status).to_contain_text("places")
    page.keyboard.press("End")
    page.keyboard.type("_id")
    expect(status).to_contain_text("places")
    assert asked == [INDEX]
    first = page.get_by_role("search").get_by_role("link").first
    expect(first.locator("mark").first).to_have_text("refund_request_id", ignore_case=True)
    assert_no_axe_violations(page)
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(first).not_to_be_visible()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("payments stopped")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/docs/runbooks/payments-stopped/"))


def test_search_says_when_nothing_is_there(read: Open) -> None:
    page = read("", **PHONE)
    page.get_by_role("searchbox").fill("zebra xylophone")
    status = page.get_by_role("search").get_by_role("status")
    expect(status).to_have_text("Nothing has all of these words.")
    assert_fits(page)


def test_colours_follow_the_system_until_the_reader_chooses(read: Open) -> None:
    page = read("verify/", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_label("Colours").select_option("Light")
    light = page.evaluate(ground)
    assert light != dark
    _go(page, "refund/")
    assert page.evaluate(ground) == light
    assert_no_axe_violations(page)
    page.emulate_media(color_scheme="light")
    page.get_by_label("Colours").select_option("Dark")
    assert page.evaluate(ground) == dark
    page.get_by_label("Colours").select_option("System")
    assert page.evaluate(ground) == light


def test_the_keyboard_walks_a_page_from_the_skip_link_on(read: Open) -> None:
    page = read("runbooks/gateway-down/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    assert_walkable(page)


def test_the_menu_of_a_phone_opens_and_closes(read: Open) -> None:
    page = read("verify/", **PHONE)
    menu, pages = page.get_by_role("button", name="Menu"), page.locator("#pages")
    expect(pages).not_to_be_visible()
    menu.click()
    expect(pages.get_by_role("link", name="Verify", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    assert_no_axe_violations(page)
    assert_fits(page)
    pages.get_by_role("link", name="Refund", exact=True).focus()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(pages).not_to_be_visible()


def test_a_page_that_is_not_there_says_where_to_go(visit: Visit, gateway: RunningGateway) -> None:
    customer = visit()
    customer.forgive("404")
    reply = customer.page.goto(f"{gateway.demo['base_url']}/docs/spec/nowhere/")
    assert reply is not None
    assert reply.status == 404
    assert_accessible(customer.page)
    assert_no_axe_violations(customer.page)
    customer.page.get_by_role("link", name="first page").click()
    expect(customer.page.get_by_role("heading", level=1)).to_have_text("Hundi")
