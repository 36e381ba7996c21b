"""People at a machine's gateway, who come through its proxy by name, without scripts.

`python -m tests.deploy.visitors join LINK` · `python -m tests.deploy.visitors pay LINK`
"""

import ssl
import sys
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import httpx

from tests.system.browser import Browser
from tests.system.console import joined, show_code, show_password
from tests.system.shop import enter_card, enter_otp, settled

EMAIL = "omkar@pay.example"
ADDRESS = "https://pay.example.in"


def join(link: str) -> str:
    """Accept an invitation to the console, sign in, and return what the doctor says there."""
    agent = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0"}
    trust = ssl.create_default_context()
    with httpx.Client(base_url=ADDRESS, verify=trust, headers=agent, timeout=60) as http:
        user = joined(http, link, EMAIL)
        show_password(http, EMAIL, user)
        answer = show_code(http, user)
        assert answer.headers.get("location") == "/console/", (answer.status_code, answer.text)
        page = http.get("/console/all/doctor")
        assert page.status_code == 200, page.text
        return page.text


def pay(link: str) -> str:
    """Pay a link by card at the acquirer's page, come back, and return what is shown then."""
    with Browser(trust=ssl.create_default_context()) as browser:
        ours = browser.get(link)
        assert ours.status == 200, ours.text
        page = browser.submit(ours.form(urlsplit(link).path.rpartition("/")[2]))
        theirs = browser.submit(browser.submit(page.form("/card")).form("/pay/v4/"))
        assert not theirs.url.startswith(ADDRESS), theirs.text
        ending = settled(browser, enter_otp(browser, enter_card(browser, theirs)))
        (form,) = ending.forms
        back = settled(browser, browser.submit(form))
        assert back.url.startswith(ADDRESS), back.url
        return back.text


VISITS: Mapping[str, Callable[[str], str]] = {"join": join, "pay": pay}

if __name__ == "__main__":
    _, visit, link = sys.argv
    sys.stdout.write(VISITS[visit](link))
