"""A customer's browser without scripts.

Follows links and redirects, and fills in forms as they stand on the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from ssl import SSLContext
from typing import Self
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx

REDIRECTS_MAX = 5
PHONE = (
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile"
    " Safari/537.36"
)


@dataclass
class Form:
    """A form as it stands: where it goes, and the values of its inputs."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


@dataclass
class Screen:
    """A page as it came: address, status, headers and what a person or a test finds on it.

    at: which screen of a session it is. taken_to: the address that it opens by itself, "" for none.
    """

    url: str
    status: int
    headers: httpx.Headers
    html: str
    at: str = ""
    title: str = ""
    heading: str = ""
    text: str = ""
    codes: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    taken_to: str = ""

    @property
    def path(self) -> str:
        """Return the path of the address."""
        return urlsplit(self.url).path

    def form(self, ending: str) -> Form:
        """Return the form whose action ends so."""
        return next(each for each in self.forms if urlsplit(each.action).path.endswith(ending))

    def link(self, part: str) -> str:
        """Return the address of the first link that contains a text."""
        return next(address for address, _ in self.links if part in address)

    def offers(self, part: str) -> bool:
        """Return whether a link or a form leads to an address that contains a text."""
        return any(part in address for address, _ in self.links) or any(
            part in each.action for each in self.forms
        )

    @property
    def upi_link(self) -> str:
        """Return the `upi://` link of the QR on show, as the simulated app is handed it."""
        return parse_qs(urlsplit(self.link("/upi/app")).query)["uri"][0]


class _Reader(HTMLParser):
    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen = screen
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.screen.at = given.get("data-screen", self.screen.at)
        match tag:
            case "form" if given.get("class") == "languages":
                pass  # the switch at the foot of every screen: nothing that a customer fills in
            case "form":
                self.screen.forms.append(Form(urljoin(self.screen.url, given.get("action", ""))))
            case "input" if self.screen.forms and given.get("name"):
                self.screen.forms[-1].fields[given["name"]] = given.get("value", "")
            case "meta" if "url=" in given.get("content", ""):
                self.screen.taken_to = given["content"].partition("url=")[2]
            case "a":
                self.screen.links.append(
                    (urljoin(self.screen.url, given.get("href", "")), given.get("class", ""))
                )
            case "h1" | "title" | "code" | "script" | "style":
                self.open.append(tag)
                if tag == "code":
                    self.screen.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            self.open.remove(tag)

    def handle_data(self, data: str) -> None:
        if "title" in self.open:
            self.screen.title += data
        elif "script" not in self.open and "style" not in self.open:
            self.words.append(data)
            if "h1" in self.open:
                self.screen.heading += data
            if "code" in self.open:
                self.screen.codes[-1] += data


def read_screen(answer: httpx.Response) -> Screen:
    """Return an answer as a page."""
    screen = Screen(str(answer.url), answer.status_code, answer.headers, answer.text)
    reader = _Reader(screen)
    reader.feed(answer.text)
    reader.close()
    screen.text = " ".join(" ".join(reader.words).split())
    return screen


class Browser:
    """One customer's browser.

    It sends what a navigation between pages without referrers sends: `Origin: null`.
    """

    def __init__(self, *, trust: SSLContext | bool = False, **headers: str) -> None:
        # Reading the machine's certificates would cost more than a page, and most addresses are not
        # https.
        self.http = httpx.Client(
            trust_env=False,
            verify=trust,
            timeout=30,
            headers={"accept-language": "en-IN,en", **headers},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, url: str, **headers: str) -> Screen:
        """Open an address and follow where it leads."""
        return self._followed(self.http.get(url, headers=headers))

    def post(self, url: str, fields: Mapping[str, str], **headers: str) -> Screen:
        """Send a form and follow where it leads."""
        return self._followed(
            self.http.post(url, data=dict(fields), headers={"origin": "null", **headers})
        )

    def submit(self, form: Form, **typed: str) -> Screen:
        """Fill in a form and send it."""
        return self.post(form.action, form.fields | typed)

    def _followed(self, answer: httpx.Response) -> Screen:
        for _ in range(REDIRECTS_MAX):
            screen = read_screen(answer)
            location = (
                answer.headers["location"] if answer.status_code in {302, 303} else screen.taken_to
            )
            if not location:
                return screen
            answer = self.http.get(urljoin(str(answer.url), location))
        message = "too many redirects"
        raise AssertionError(message)
