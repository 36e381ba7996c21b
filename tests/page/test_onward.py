"""The way to another site, an acquirer's or the shop's.

Any host will do, and it never learns the session.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest
from aiohttp import web
from playwright.async_api import Page, async_playwright

from hundi.acquirers.port.answers import Redirect
from hundi.infra.http.server import serving
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.merchants.directory import actions as merchants
from hundi.page.texts import LANGUAGES, speaker
from tests.browser.launch import ARGUMENTS, chromium
from tests.page.conftest import Till
from tests.page.test_checkout import CARD
from tests.recording import RECORDED

FIELDS = (("key", "merchant <1>"), ("hash", "a&b"))
LINK = Redirect("https://acs.example.in/c?a=1&b=2", "a1")
FORM = Redirect("https://pg.example.in/_payment", "a1", FIELDS)
HEARS = (
    "addEventListener('securitypolicyviolation', seen => console.error('violates ' +"
    " seen.violatedDirective))"
)
BACK_IN_TIME_MS = 15_000
CHANGED_IN_TIME_S = 15


def policy_of(answer: httpx.Response, name: str) -> str:
    """Return what a page's content policy says of one directive."""
    policy = answer.headers["content-security-policy"].split("; ")
    return next(each for each in policy if each.startswith(name + " "))


@pytest.mark.parametrize(
    ("page", "forms"),
    [
        (LINK, "form-action 'self'"),
        (FORM, "form-action 'self' https:"),
        (replace(FORM, url="http://pg.example.in/_payment"), "form-action 'self' http: https:"),
    ],
    ids=["link", "form", "form without TLS"],
)
async def test_the_leaving_page_alone_says_which_site_a_customer_comes_from(
    till: Till, page: Redirect, forms: str
):
    till.bank.challenge = page
    path = await till.order()
    left = await till.browser.post(f"{path}/card", data=CARD)
    assert policy_of(left, "form-action") == forms
    assert policy_of(left, "frame-ancestors") == "frame-ancestors 'none'"
    assert left.headers["referrer-policy"] == "strict-origin"
    assert left.headers["cache-control"] == "no-store"
    for other in (path, f"{path}?choose=1", f"{path}/status"):
        shown = await till.browser.get(other)
        assert shown.headers.get("referrer-policy", "no-referrer") == "no-referrer"
        assert "https:" not in shown.headers.get("content-security-policy", "")


async def test_an_address_is_opened_by_script_by_refresh_or_by_a_press(till: Till):
    till.bank.challenge = LINK
    left = await till.browser.post(f"{await till.order()}/card", data=CARD)
    address = "https://acs.example.in/c?a=1&amp;b=2"
    assert (
        f'<noscript><meta http-equiv="refresh" content="0; url={address}"></noscript>' in left.text
    )
    assert (
        f'<a class="button" id="onward" href="{address}">Continue to acs.example.in</a>'
        in left.text
    )
    assert left.text.count("<script") == 1
    assert "<form" not in left.text


async def test_a_form_is_posted_by_script_or_by_a_press(till: Till):
    till.bank.challenge = FORM
    left = await till.browser.post(f"{await till.order()}/card", data=CARD)
    assert 'method="post" action="https://pg.example.in/_payment"' in left.text
    assert '<input type="hidden" name="key" value="merchant &lt;1&gt;">' in left.text
    assert '<button class="button">Continue to pg.example.in</button>' in left.text
    assert "http-equiv" not in left.text
    assert left.text.count("<form") == 1


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_says_where_the_customer_goes_in_their_language(till: Till, language: str):
    path = f"{await till.order()}.{language}"
    left = (await till.browser.post(f"{path}/card", data=CARD)).text
    say = speaker(language)
    assert f'<html lang="{language}">' in left
    assert f"<h1>{say('onward_title', place='bank.test')}</h1>".replace("'", "&#39;") in left
    assert say("onward_what", amount="₹1,499.50") in left
    assert 'name="lang"' not in left, "the switch would lead to another page"


@pytest.mark.parametrize("page", [LINK, FORM], ids=["link", "form"])
async def test_a_leaving_page_that_is_asked_for_again_begins_nothing(till: Till, page: Redirect):
    till.bank.challenge = page
    path = await till.order()
    await till.browser.post(f"{path}/card", data=CARD)
    again = await till.browser.post(f"{path}/card", data=CARD)
    assert (again.status_code, again.headers["location"]) == (303, path)
    assert till.bank.count("authenticate") == 1
    assert len((await till.view(path)).live) == 1
    assert "Confirm at your bank" in (await till.browser.get(path)).text


@dataclass
class Site:
    """Another site, at a host of its own: what browsers asked it for.

    on: where it sends them, "" to show a page.
    """

    host: str
    on: str = ""
    url: str = ""
    seen: list[tuple[str, dict[str, str], str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.seen.append(
            (f"{request.method} {request.path}", dict(request.headers), await request.text())
        )
        if self.on:
            return web.Response(status=302, headers={"Location": self.on})
        return web.Response(
            text="<!doctype html><title>Your bank</title>", content_type="text/html"
        )


@asynccontextmanager
async def opened(sites: Sequence[Site]) -> AsyncIterator[None]:
    """Serve these sites."""
    async with AsyncExitStack() as stack:
        for site in sites:
            app = web.Application()
            app.router.add_route("*", "/{any:.*}", site.answer)
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, site.host, 0).start()
            site.url = f"http://{site.host}:{runner.addresses[0][1]}"
        yield


@asynccontextmanager
async def at_the_page(
    till: Till, *, scripts: bool, complaints: list[str]
) -> AsyncIterator[tuple[Page, str]]:
    """Open Chromium at the payment page; yield both.

    complaints: the errors it reports, violated policies too.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        home = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with serving(till.app, listening), async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=list(ARGUMENTS)
            )
            context = await browser.new_context(java_script_enabled=scripts)
            await context.add_init_script(HEARS)
            context.on(
                "console",
                lambda said: complaints.append(said.text) if said.type == "error" else None,
            )
            page = await context.new_page()
            await page.goto(home + await till.order())
            yield page, home
            await browser.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("fields", [(), FIELDS], ids=["link", "form"])
async def test_any_host_is_reached_that_no_setting_names_and_so_are_those_behind_it(
    till: Till,
    fields: tuple[tuple[str, str], ...],
    scripts: bool,  # noqa: FBT001 (a table)
):
    acquirer, bank, complaints = Site("127.0.0.2"), Site("127.0.0.3"), list[str]()
    async with (
        opened([bank, acquirer]),
        at_the_page(till, scripts=scripts, complaints=complaints) as (page, home),
    ):
        acquirer.on = bank.url + "/challenge"
        till.bank.challenge = Redirect(acquirer.url + "/pay", "a1", fields)
        session = page.url
        await page.locator("summary", has_text="Credit or debit card").click()
        for name, typed in CARD.items():
            await page.locator(f"#{name}").fill(typed)
        await page.locator("#card button").click()
        if fields and not scripts:
            await page.get_by_role("button", name="Continue to 127.0.0.2").click()
        await page.wait_for_url(acquirer.on, timeout=BACK_IN_TIME_MS)
        assert complaints == []
        (line, headers, body), *_ = acquirer.seen
        assert line == ("POST /pay" if fields else "GET /pay")
        assert headers["Referer"] == home + "/"
        assert not fields or (headers["Origin"], body) == (home, "key=merchant+%3C1%3E&hash=a%26b")
        assert session.rpartition("/")[2] not in str(acquirer.seen + bank.seen), (
            "the session is nobody else's"
        )
        if scripts or not fields:
            await page.go_back()
            assert page.url == session, "the leaving page is not in the history"
            assert await page.get_by_role("heading", level=1).inner_text() == "Confirm at your bank"
        assert till.bank.count("authenticate") == 1


async def returning_to(till: Till, address: str) -> None:
    """Register where the merchant's customers come back to, and wait until the page knows it."""
    directory, number = till.gateway.directory, till.merchant.merchant_id
    await directory.start()
    await merchants.change_settings(
        till.gateway.db,
        number,
        lambda was: msgspec.structs.replace(was, success_url=address),
        utc_now(),
        RECORDED,
    )
    async with asyncio.timeout(CHANGED_IN_TIME_S):
        while (
            merchant := await directory.get(number)
        ) is None or merchant.settings.success_url != address:
            await asyncio.sleep(0.01)


async def test_a_shop_may_lead_its_customer_on_to_another_host_of_its_own(till: Till):
    api, shop, complaints = Site("127.0.0.2"), Site("127.0.0.3"), list[str]()
    async with (
        opened([shop, api]),
        at_the_page(till, scripts=True, complaints=complaints) as (page, _home),
    ):
        api.on = shop.url + "/thanks"
        await returning_to(till, api.url + "/return")
        path = urlsplit(page.url).path
        await till.browser.post(f"{path}/card", data=CARD)
        await till.browser.get(f"{path}/3ds/{(await till.view(path)).live[0].attempt_id}")
        await page.reload()
        await page.locator("#return button").first.click()
        await page.wait_for_url(api.on, timeout=BACK_IN_TIME_MS)
        assert complaints == []
        assert [line for line, *_ in api.seen] == ["POST /return"]
        assert "Referer" not in api.seen[0][1]
