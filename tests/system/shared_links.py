"""Makes payment links in the console, and reads their pages."""

import re
from html import unescape

import httpx

from tests.system.console import Console
from tests.system.running import RunningGateway


def make(owner: Console, place: str, **fields: str) -> str:
    """Make a link in the console, and return the path of its page."""
    form = {"description": "Two silk sarees", "surplus": "refund", **fields}
    form["act_id"] = owner.field(f"{place}/links", "act_id")
    made = owner.post(f"{place}/links", **form)
    assert made.status_code == 303, made.text
    return made.headers["location"].removeprefix("/console/").partition("?")[0]


def text_of(answer: httpx.Response) -> str:
    """Return the text of a page, without its tags."""
    return unescape(re.sub(r"<[^>]*>", " ", answer.text))


def address_of(answer: httpx.Response) -> str:
    """Return the address of the link that a page of the console shows."""
    found = re.search(r'<a href="([^"]*/l/[^"]+)"[^>]*data-copy', answer.text)
    assert found, answer.text
    return found[1]


def number_of(path: str) -> int:
    """Return the link's number in the path of its page."""
    return int(path.rpartition("/")[2])


def let_fall_due(gateway: RunningGateway, path: str) -> None:
    """Make the first reminder of a link due now."""
    gateway.rows(
        "UPDATE payment_link_reminders SET due_at = now() WHERE link_id = $1 AND reminder_no = 1",
        number_of(path),
    )
