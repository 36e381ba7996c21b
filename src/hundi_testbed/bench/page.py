"""The payment page on a slow phone: its first paint, and its layout shifts while it opens."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hundi_testbed.bench import serving
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page


_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
_SLOWER = 4
"""Times slower than this machine: Chromium delays scripts, style and layout as much."""
_WATCHED_MS = 2_000
"""Milliseconds after loading in which shifts count: the page's scripts ask for news then."""
_POLL_S = 0.1
_SESSION = re.compile(r"/pay/v4/s/[^/?]+$")
_OPENED = """watched => new Promise((done) => {
  let shift = 0;
  let largest = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((each) => (shift += each.value)))
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((each) => (largest = each.startTime)))
    .observe({ type: "largest-contentful-paint", buffered: true });
  setTimeout(() => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [went] = performance.getEntriesByType("navigation");
    done({ paint: paint.startTime, largest, shift, answered: went.responseStart });
  }, watched);
})"""


async def measure(folder: Path, rounds: int, step: Step) -> dict[str, list[Run]]:
    """Return the figures of the payment page.

    Raises ServeError without Playwright or a Chromium.
    """
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 (a requirement of tests, not of figures)
    except ImportError:
        message = "the page is measured with Playwright: install the requirements of the tests"
        raise serving.ServeError(message) from None
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        message = "the page is measured in Chromium, which was not found"
        raise serving.ServeError(message)
    running = await serving.serve(folder / "page")
    try:
        shop_url = await _shop_url(running)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
            # The first customer waits for what later ones find in memory.
            await _run(browser, shop_url)
            runs: list[Run] = []
            for round_no in range(1, rounds + 1):
                step(f"page, run {round_no} of {rounds}")
                runs.append(await _run(browser, shop_url))
            await browser.close()
            return {"page": runs}
    finally:
        await asyncio.to_thread(running.stop)


async def _shop_url(running: serving.Serving) -> str:
    """Return the address of the demo's shop, which is written when the demo is complete."""
    described = running.data_dir / "demo.json"
    async with asyncio.timeout(serving.READY_S_MAX):
        while not described.exists():
            running.require_running()
            await asyncio.sleep(_POLL_S)
    return json.loads(described.read_text())["shop_url"]


async def _run(browser: "Browser", shop_url: str) -> Run:
    """Buy with an empty profile up to the payment page, and open that page once more."""
    context = await browser.new_context(**_PHONE)
    page = await context.new_page()
    await page.goto(shop_url)
    await page.get_by_role("link", name="Buy Nilgiri masala chai").click()
    pay = page.get_by_role("button", name=re.compile("^Pay "))
    await pay.wait_for()
    devtools = await context.new_cdp_session(page)
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
    await pay.click()
    await page.wait_for_url(_SESSION)
    first = await _look(page)
    await page.reload()
    again = await _look(page)
    await context.close()
    return Run(
        {
            "page_paint": first["paint"],
            "page_largest": first["largest"],
            "page_answered": first["answered"],
            "page_again": again["paint"],
            "page_shift": max(first["shift"], again["shift"]),
        }
    )


async def _look(page: "Page") -> dict[str, float]:
    return await page.evaluate(_OPENED, _WATCHED_MS)
