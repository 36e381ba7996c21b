"""The manifest of the payment page: complete, and every kind of change to a page that arrives is named."""

import re
from pathlib import Path

import pytest

from hundi.page import assets
from hundi.page.manifest import AUTHORISED, faults, manifest
from tests.page.conftest import ORIGIN, Till

SHOP = "https://shop.example.in"


async def _page(till: Till) -> tuple[dict[str, str], str]:
    answer = await till.browser.get(await till.order())
    return dict(answer.headers), answer.text


def test_every_script_that_a_template_names_is_authorised_and_no_other() -> None:
    templates = Path(assets.__file__).parent / "templates"
    named = {
        name for path in templates.glob("*.html") for name in re.findall(r'assets\["([^"]+\.js)"\]', path.read_text())
    }
    assert named == set(AUTHORISED) == {name for name in assets.ASSETS if name.endswith(".js")}
    assert all(each.integrity.startswith("sha384-") and each.why for each in manifest().scripts)


async def test_our_own_page_has_no_fault(till: Till) -> None:
    headers, page = await _page(till)
    assert faults(ORIGIN + "/", headers, page) == []
    assert page.count("<script") == 2


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("</body>", "<script>steal()</script></body>", "stands in the page itself"),
        ("</body>", '<script src="https://cdn.example/x.js"></script></body>', "authorised: https://cdn.example/x.js"),
        ("</body>", '<SCRIPT SRC="/pay/v4/static/x.js"></SCRIPT></body>', "authorised: /pay/v4/static/x.js"),
        ('.js" integrity="sha384-', '.js" integrity="sha384-AAAA', "js without its integrity"),
        ('integrity="sha384-', 'integrity="sha384-AAAA', "css without its integrity"),
        ("</body>", '<iframe src="https://cards.example"></iframe></body>', "<iframe>"),
        ("<head>", '<head><base href="https://cards.example/">', "<base>"),
        ("<main>", '<main onclick="steal()">', "an attribute onclick on <main>"),
        ("<main>", '<main><a href=" JavaScript:steal()">', "a script in the address of <a>"),
        ("<head>", '<head><link rel="stylesheet" href="//cards.example/x.css">', "a <link> to //cards.example/x.css"),
    ],
)  # fmt: skip
async def test_what_was_put_into_a_page_is_named(till: Till, before: str, after: str, named: str) -> None:
    headers, page = await _page(till)
    assert before in page
    found = faults(ORIGIN + "/", headers, page.replace(before, after, 1))
    assert any(named in each for each in found), found


@pytest.mark.parametrize("name", sorted(manifest().headers))
async def test_a_header_that_is_gone_or_weaker_is_named(till: Till, name: str) -> None:
    headers, page = await _page(till)
    for given in ({}, {name: headers[name].replace("'none'", "*").replace("no", "yes") + " x"}):
        changed = {each: value for each, value in headers.items() if each != name} | given
        assert any(name in each for each in faults(ORIGIN + "/", changed, page)), given


async def test_forms_may_go_to_shops_and_banks_and_to_nothing_that_is_no_origin(till: Till) -> None:
    headers, page = await _page(till)
    policy = headers["content-security-policy"]
    shop = headers | {"content-security-policy": policy.replace("form-action 'self'", f"form-action 'self' {SHOP}")}
    assert faults(ORIGIN + "/", shop, page) == []
    anything = headers | {"content-security-policy": policy.replace("form-action 'self'", "form-action *")}
    assert faults(ORIGIN + "/", anything, page) == ["its forms may go to *"]
