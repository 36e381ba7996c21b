"""The operator at the terminal, whom a certification tells what to do."""

import asyncio
import html
import os
import sys
import tempfile
from decimal import Decimal, InvalidOperation
from pathlib import Path

import typer

from hundi.acquirers.certification.steps import Act, PersonTask
from hundi.acquirers.port.answers import Redirect
from hundi.instruments.card import CardNumber

_FORM = """<!doctype html><meta charset="utf-8"><title>Certification</title>
<form method="post" action="{action}">{fields}<button>Go to the acquirer's page</button></form>
"""
_FIELD = '<input type="hidden" name="{}" value="{}">'
_PRESS = {Act.DECLINE, Act.LEAVE}
"""Acts that the acquirer may not tell: the person says when they are done."""
_CENTURY = 2000


class TerminalPerson:
    """Tells the operator on the error output, so that the output stays for machines."""

    def __init__(self, *, wait_s: float) -> None:
        """Wait for a press of Enter for so long."""
        self._wait_s = wait_s
        self._is_there = sys.stdin.isatty()

    async def do(self, task: PersonTask) -> None:
        """Say what to do; wait for Enter where only the person knows that it is done."""
        if task.act is Act.WAIT:
            return
        _say(f"\n{task.words}")
        if task.page is not None:
            _say(f"  open {_address(task.page)}")
        if task.link is not None:
            _say(f"  open on a phone, or make a QR of it: {task.link.url}")
        if task.act in _PRESS and self._is_there:
            _say("  Press Enter when that is done.")
            await _enter(self._wait_s)

    async def waiting(self, words: str, left_s: float) -> None:
        """Show how long a step still waits."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r  {words[:60]} {left_s:.0f} s left   ")
            sys.stderr.flush()

    async def card(self, *, declined: bool) -> CardNumber | None:
        """Ask for a card, unseen; None without a terminal."""
        if not self._is_there:
            return None
        what = "a card that is declined" if declined else "a good card"
        number = typer.prompt(f"{what}: number", hide_input=True, default="", err=True)
        if not number:
            return None
        expiry = typer.prompt("expiry as MM/YY", err=True)
        month, _, year = expiry.partition("/")
        code = typer.prompt("CVV", hide_input=True, err=True)
        digits = "".join(each for each in number if each.isdigit())
        return CardNumber(digits, int(month), _CENTURY + int(year) % 100, code)

    async def total(self, task: PersonTask) -> int | None:
        """Ask how much the page asked for in all, in rupees."""
        if not self._is_there:
            return None
        typed = typer.prompt(
            f"₹ that the page for {task.reference} asked for in all", default="", err=True
        )
        try:
            return int(Decimal(typed) * 100) if typed else None
        except InvalidOperation:
            return None


def _say(words: str) -> None:
    sys.stderr.write(words + "\n")


def _address(page: Redirect) -> str:
    """Return what to open: the page, or a file of this user that posts its form."""
    if not page.fields:
        return page.url
    fields = "".join(
        _FIELD.format(html.escape(name), html.escape(value)) for name, value in page.fields
    )
    handle, path = tempfile.mkstemp(prefix="hundi-certify-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(_FORM.format(action=html.escape(page.url), fields=fields))
    return Path(path).as_uri()


async def _enter(wait_s: float) -> None:
    """Wait until Enter is pressed, or the time is over."""
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read() -> None:
        sys.stdin.readline()
        pressed.set()

    loop.add_reader(sys.stdin, read)
    try:
        async with asyncio.timeout(wait_s):
            await pressed.wait()
    except TimeoutError:
        _say("  Nobody pressed Enter; the account is asked now.")
    finally:
        loop.remove_reader(sys.stdin)
