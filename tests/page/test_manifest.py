"""The manifest of the payment page.

Complete, and every kind of change to a page that arrives is named.
"""

import re
from pathlib import Path

import pytest

from hundi.page import assets
from hundi.page.manifest import AUTHORISED, faults, manifest
from tests.page.conftest import ORIGIN, Till

SHOP = "https://shop.example.in"
ORIGINS = ("http://bank.test", "https://shop.example")

SHOPS = {"hundi.js"}
"""What runs on shops' pages, and on none of ours."""


async def _page(till: Till) -> tuple[dict[str, str], str]:
    answer = await till.browser.get(await till.order())
    return dict(answer.headers), answer.text


def test_every_script_that_a_template_names_is_authorised_and_no_other() -> None:
    templates = Path(assets.__file__).parent / "templates"
    named = {
        name
        for path in templates.glob("*.html")
        for name in re.findall(r'assets\["([^"]+\.js)"\]', path.read_text())
    }
    assert (
        named == set(AUTHORISED) == {name for name in assets.ASSETS if name.endswith(".js")} - SHOPS
    )
    assert all(each.integrity.startswith("sha384-") and each.why for each in manifest().scripts)


async def test_our_own_page_has_no_fault(till: Till) -> None:
    headers, page = await _page(till)
    assert faults(ORIGIN + "/", headers, page, ORIGINS) == []
    assert page.count("<script") == 2


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("</body>", "<script>steal()</script></body>", "stands in the page itself"),
        ("</body>", '<script src="https://cdn.example/x.js"></script></body>', "authorised: https://cdn.example/x.js"),
        ("</body>", '<script src="/pay/v4/static/x.js"></script></body>',
         "authorised: /pay/v4/static/x.js"),
        ("<script src=", '<script src="/x.js" src=', "stands there twice"),
        ('.js" integrity="sha384-', '.js" integrity="sha384-AAAA', "js without its integrity"),
        ('.css" integrity="sha384-', '.css" integrity="sha384-AAAA', "css without its integrity"),
        ("<head>", '<head><link rel="stylesheet" href="/pay/v4/static/x.css">',
         "a <link> to /pay/v4/static/x.css"),
        ("<head>", '<head><link rel="stylesheet" href="//cards.example/x.css">',
         "a <link> to //cards.example/x.css"),
        ("<head>", "<head><style>input{background:url(//x)}</style>", "<style>"),
        ("<head>", '<head><base href="https://cards.example/">', "<base>"),
        ("<head>", '<head><meta http-equiv="refresh" content="0;url=https://cards.example">', "to https://cards.example"),
        ("<head>", '<head><meta http-equiv="set-cookie" content="a=b">', "<meta> for set-cookie"),
        ("</body>", '<iframe src="https://cards.example"></iframe></body>', "<iframe>"),
        ("<main>", '<main onclick="steal()">', "an attribute onclick on <main>"),
        ("<main>", '<main><a href=" JavaScript:steal()">', "leads to javascript:"),
        ("<main>", '<main><a href="https://cards.example">', "leads to https://cards.example"),
        ('action="/', 'action="https://cards.example/', "<form> leads to https://cards.example"),
        ("<button", '<button formaction="https://cards.example/"', "an attribute formaction"),
        ("<button", "<button autofocus onfocus=steal()", "not written as our pages are"),
        ("<body>", "<body><!--> <script src=/evil.js></script> -->",
         "not written as our pages are"),
        ("<body>", "<body><![CDATA[ > <script src=/evil.js></script> ]]>",
         "not written as our pages are"),
        ("<script src=", '<SCRIPT SRC="/x.js"></SCRIPT><script src=',
         "not written as our pages are"),
        ("</script>", "</script/><script src=/evil.js></script>", "not written as our pages are"),
    ],
)  # fmt: skip
async def test_what_was_put_into_a_page_is_named(
    till: Till, before: str, after: str, named: str
) -> None:
    headers, page = await _page(till)
    assert before in page
    found = faults(ORIGIN + "/", headers, page.replace(before, after, 1), ORIGINS)
    assert any(named in each for each in found), found


@pytest.mark.parametrize(
    "page", ["", "<html></html>", "<a " * 60_000, "<!--" * 60_000, "<![<![", "<" * 200_000]
)
async def test_what_is_no_page_of_ours_is_named_at_once(till: Till, page: str) -> None:
    headers, _ = await _page(till)
    assert faults(ORIGIN + "/", headers, page, ORIGINS)


@pytest.mark.parametrize("name", sorted(manifest().headers))
async def test_a_header_that_is_gone_or_weaker_is_named(till: Till, name: str) -> None:
    headers, page = await _page(till)
    for given in ({}, {name: headers[name].replace("'none'", "*").replace("no", "yes") + " x"}):
        changed = {each: value for each, value in headers.items() if each != name} | given
        assert any(name in each for each in faults(ORIGIN + "/", changed, page, ORIGINS)), given


@pytest.mark.parametrize(
    ("targets", "named"),
    [
        ("form-action 'self' https://shop.example.in", ""),
        ("form-action 'self' https://cards.example", "its forms may go to https://cards.example"),
        ("form-action *", "its forms may go to *"),
        ("form-action 'self'*", "its forms may go to 'self'*"),
        ("x y", "nothing says where its forms may go"),
    ],
)
async def test_forms_may_go_to_the_shop_and_to_banks_and_to_nobody_else(
    till: Till, targets: str, named: str
) -> None:
    headers, page = await _page(till)
    policy = headers["content-security-policy"]
    begin = policy.index("form-action ")
    changed = policy[:begin] + targets + policy[policy.index(";", begin) :]
    found = faults(
        ORIGIN + "/", headers | {"content-security-policy": changed}, page, {*ORIGINS, SHOP}
    )
    assert (named in found) if named else found == []
