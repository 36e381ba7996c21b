"""Every page of the console that the demo's people reach speaks in words, not in codes."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from tests.browser.hand import limits
from tests.browser.jobs import Jobs
from tests.browser.spoken import faults_of
from tests.system.console import Console

PAGES_MAX = 400
PEOPLE = ("asha", "finance", "developer", "operator", "operator.finance")
"""Every role that sees a page, or words, of its own."""
_HREF = re.compile(r'href="(/console/[^"#]*)"')
_NO_PAGE = re.compile(r"/(?:export|static|qr\.\w+|logo|evidence|papers|file/example)\b")
_NUMBER = re.compile(r"\d+")
THEIRS = re.compile(
    r"\brzp_test_spare\b|begins small: '(?:spare|sandbox)\b"
    r"|/all/acquirer\S*: option begins small|/acquirer/kinds: '|/verbs/merchant/set: '\. "
)
"""Names that somebody typed, and values of an acquirer's settings, stay as its documents have them.

So do the names of kinds, of clients and acquirers, where a command's own words list them.
"""


def _pages(console: Console) -> Iterator[tuple[str, str]]:
    """Walk from Home over every link, one page of each kind: path and HTML."""
    base = console.gateway.base_url
    waiting, seen = ["/console/"], set[str]()
    while waiting and len(seen) < PAGES_MAX:
        answer = console.http.get(waiting.pop(0), follow_redirects=True)
        if not _is_page(answer):
            continue
        path = urlsplit(str(answer.url)).path
        yield path, answer.text
        for href in _HREF.findall(answer.text):
            address = urljoin(base, href.replace("&amp;", "&"))
            parts = urlsplit(address)
            kind = _NUMBER.sub("0", parts.path) + "?".join(sorted(_names(parts.query)))
            if kind not in seen and not _NO_PAGE.search(parts.path):
                seen.add(kind)
                waiting.append(address)


def _names(query: str) -> set[str]:
    return {each.partition("=")[0] for each in query.split("&") if each}


def _is_page(answer: httpx.Response) -> bool:
    is_html = answer.headers.get("content-type", "").startswith("text/html")
    return is_html and answer.status_code == 200 and "<main" in answer.text


@pytest.mark.parametrize("name", PEOPLE)
def test_pages_speak_in_words(jobs: Jobs, name: str) -> None:
    console = jobs.session(name)
    faults = {
        told
        for path, html in _pages(console)
        for fault in faults_of(html)
        if not THEIRS.search(told := f"{path}: {fault}")
    }
    assert not faults, "\n".join(sorted(faults))


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<p>Held by amount_paise</p>", "'amount_paise'"),
        ("<td>1 tries</td>", "'1 tries'"),
        ("<p>It is is so</p>", "'is is'"),
        ("<p>Left. nothing may be charged</p>", "'. nothing'"),
        ("<p>Counts from 2026-10-26</p>", "'2026-10-26'"),
        ('<p><span class="tag paid">verified</span></p>', "begins small"),
        ("<dd>-₹324.50</dd>", "a hyphen before ₹"),
    ],
)
def test_a_fault_is_found(html: str, fault: str) -> None:
    assert any(fault in each for each in faults_of(f"<main>{html}</main>"))


@pytest.mark.parametrize(
    "html",
    [
        "<p>Set <code>amount_paise</code> first</p>",
        "<td>1 try</td><td>11 tries</td>",
        "<p>asha_rao@shop.example</p>".replace("asha", "Asha"),
        "<pre>1 tries of amount_paise</pre>",
        "<small>ending 5601</small>",
    ],
)
def test_words_are_left_alone(html: str) -> None:
    assert list(faults_of(f"<main>{html}</main>")) == []


def test_every_job_that_is_written_down_is_tried() -> None:
    tests = Path(__file__).with_name("test_console_jobs.py").read_text()
    tried = re.findall(r"assert_affordable\((\d+),", tests)
    assert sorted(map(int, tried)) == sorted(limits())
