"""The documentation's site: its pages and their scripts, and no others."""

import base64
import hashlib
from pathlib import Path

from litestar import Litestar
from litestar.testing import TestClient

from hundi.gateway import documentation

SCRIPT = "var page=1"
PAGE = f"<!doctype html><title>Refund</title><script>{SCRIPT}</script><script src=x.js></script>"


def test_pages_come_with_the_hash_of_their_own_scripts(tmp_path: Path) -> None:
    """Also when the site is built after the gateway started: nothing of the time before is kept."""
    folder = tmp_path / "site"
    with TestClient(Litestar([documentation.router(folder)], openapi_config=None)) as browser:
        before = browser.get("/docs/refund/")
        (folder / "refund").mkdir(parents=True)
        for page in (folder / "index.html", folder / "refund" / "index.html"):
            page.write_text(PAGE, "utf-8")
        (tmp_path / "secret.html").write_text("not of the site", "utf-8")
        shown = browser.get("/docs/refund/")
        outside = [
            browser.get(f"/docs/{way}/secret.html") for way in ("..", "%2e%2e", "refund/../..")
        ]
    assert before.status_code == 404
    assert (shown.status_code, shown.text) == (200, PAGE)
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in shown.headers["content-security-policy"]
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert [each.status_code for each in outside] == [404] * 3
