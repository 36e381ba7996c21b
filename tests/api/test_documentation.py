"""The documentation's site: its files with headers under which nothing else runs."""

from pathlib import Path

from litestar import Litestar
from litestar.testing import TestClient

from hundi.gateway import documentation

PAGE = "<!doctype html><title>Refund</title><script src=x.js></script>"


def test_pages_run_only_files_of_the_site(tmp_path: Path) -> None:
    """Also when the site is built after the gateway started."""
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
    policy = shown.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= set(policy)
    assert "unsafe" not in shown.headers["content-security-policy"]
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert [each.status_code for each in outside] == [404] * 3
