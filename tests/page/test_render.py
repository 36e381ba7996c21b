"""What the page is made of.

Nothing inline, nothing from elsewhere, every file under its content's name.
"""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.page import assets, messages, render
from hundi.page.texts import LANGUAGES, speaker

FOLDER = Path(render.__file__).parent
SOURCES = sorted([*FOLDER.glob("templates/*"), *FOLDER.glob("static/*")])
SAY = speaker("en")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_nothing_inline_and_nothing_from_elsewhere(source: Path):
    text = source.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)
    assert set(re.findall(r"https?://[a-z0-9./]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("source", sorted(FOLDER.glob("static/*.js")), ids=lambda path: path.name)
def test_a_script_makes_no_markup_keeps_nothing_and_hears_no_other_window(source: Path):
    markup = (
        r"(inner|outer)HTML|insertAdjacentHTML|document\.write|createContextualFragment"
        r"|\beval\(|Function\("
    )
    kept = r"(local|session)Storage|indexedDB|document\.cookie|caches\b|serviceWorker"
    text = source.read_text()
    assert not re.search(f"{markup}|{kept}", text)
    if source.name not in {"framed.js", "hundi.js"}:
        assert not re.search(r"postMessage|[\"']message[\"']", text)


def test_a_frame_and_the_shop_around_it_hear_each_other_alone():
    """tests/browser/test_overlay.py tries it; here is what no later change may leave out."""
    shop, frame = ((FOLDER / "static" / name).read_text() for name in ("hundi.js", "framed.js"))
    assert shop.count('addEventListener("message"') == 1
    assert "event.origin !== HOME || event.source !== frame.contentWindow" in shop
    assert "postMessage" not in shop
    assert re.findall(r"postMessage\((.*?)\)", frame) == ["message, each"], (
        "to registered origins, one by one"
    )


@pytest.mark.parametrize("asset", assets.ASSETS.values(), ids=assets.ASSETS.keys())
def test_a_file_is_named_and_sealed_by_its_content(asset: assets.Asset):
    digest = hashlib.sha384(asset.content).digest()
    assert digest.hex()[:12] in asset.href
    assert asset.integrity == "sha384-" + base64.b64encode(digest).decode()
    served = render.static(asset.href.removeprefix(assets.STATIC_PATH + "/"))
    assert served is not None
    assert served.content == asset.content


def test_an_accent_is_served_for_any_colour_and_for_nothing_else():
    assert render.static("accent-ff8800.css") is not None
    for name in (
        "accent-.css",
        "accent-xyzxyz.css",
        "accent-ff8800",
        "ff8800.css",
        "../rules.py",
        "page.css",
    ):
        assert render.static(name) is None


def test_forms_lead_to_us_and_to_the_named_origins_only():
    policy = assets.page_headers(("https://shop.example.in",))["content-security-policy"]
    assert "form-action 'self' https://shop.example.in;" in policy
    assert "unsafe" not in policy
    assert "*" not in policy


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", RefusalCode)
def test_a_refused_start_says_why_that_no_money_moved_and_what_to_do(
    language: str, code: RefusalCode
):
    refusal = Refusal(code, field="amount", received="<b>0</b>", allowed="above zero")
    screen = messages.refused(refusal, "req_1", "", speaker(language))
    text = render.page("message.html", screen, language).content.decode()
    assert "req_1" in text
    assert "<b>0</b>" not in text
    assert speaker(language)("no_money") in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shop_without_an_acquirer_is_told_to_the_customer_without_words_of_the_wire(
    language: str,
):
    refusal = Refusal(
        RefusalCode.NO_CHANNEL_SERVED, field="chmod", allowed="none: no acquirer is connected"
    )
    text = render.page(
        "message.html", messages.refused(refusal, "req_1", "", speaker(language)), language
    ).content.decode()
    assert speaker(language)("refused_no_channel") in text
    assert "chmod" not in text
    assert "acquirer" not in text
    assert "<code>113</code>" in text
    assert "<code>req_1</code>" in text


def test_the_way_back_is_a_button_when_the_merchant_is_known():
    screen = messages.refused(
        Refusal(RefusalCode.ORDER_ALREADY_PAID), "req_1", "https://shop.example.in/no", SAY
    )
    assert (
        'href="https://shop.example.in/no"'
        in render.page("message.html", screen, "en").content.decode()
    )


def test_a_fault_says_that_nothing_is_charged_twice():
    text = render.page(
        "message.html", messages.fault("req_2", SAY), "en", status_code=500
    ).content.decode()
    assert "nothing is charged twice" in text
    assert "req_2" in text
