"""The operator at the terminal, whom a certification tells what to do."""

import asyncio
import html
import secrets
import sys
import tempfile
from pathlib import Path

import typer

from hundi.acquirers.certification.steps import Act, PersonTask
from hundi.acquirers.port.answers import BankAccount, Redirect
from hundi.acquirers.port.sandbox import SandboxAccount
from hundi.instruments.card import CardNumber
from hundi.kernel.money import paise_typed

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
        self._folder = tempfile.TemporaryDirectory(prefix="hundi-certify-")

    def close(self) -> None:
        """Remove the forms that were opened."""
        self._folder.cleanup()

    async def begins(self, name: str, expected: str, place: str) -> None:
        """Say that a step begins, and what must come back."""
        _say(f"\nStep {place}, {name}: {expected}")

    async def do(self, task: PersonTask) -> bool:
        """Say what to do; wait for Enter where only the person knows that it is done."""
        if task.act is Act.WAIT:
            return False
        _say(f"\n{task.words}")
        if task.page is not None:
            _say(f"  open {self._address(task.page)}")
        if task.link is not None:
            _say(f"  open on a phone, or make a QR of it: {task.link.url}")
        if task.act in _PRESS and self._is_there:
            _say("  Press Enter when that is done.")
            return await _enter(self._wait_s)
        return False

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

    async def account(self, *, is_good: bool) -> SandboxAccount | None:
        """Ask for a bank account; None without a terminal."""
        if not self._is_there:
            return None
        what = "your own, which takes payments" if is_good else "one that takes none"
        number = typer.prompt(f"a bank account, {what}: number", default="", err=True)
        if not number:
            return None
        ifsc = typer.prompt("IFSC", err=True)
        return SandboxAccount(BankAccount(number, ifsc), typer.prompt("holder", err=True))

    async def adds_fee(self) -> bool:
        """Ask whether the acquirer adds a fee for customers."""
        question = "Does the acquirer add a fee for its customers at this account?"
        return self._is_there and typer.confirm(question, default=False, err=True)

    async def total(self, task: PersonTask) -> int | None:
        """Ask how much the page asked for in all, in rupees."""
        if not self._is_there:
            return None
        typed = typer.prompt(
            f"rupees that the page for {task.reference} asked for in all", default="", err=True
        )
        return paise_typed(typed)

    def _address(self, page: Redirect) -> str:
        """Return what to open: the page, or a file of this user that posts its form."""
        if not page.fields:
            return page.url
        fields = "".join(
            _FIELD.format(html.escape(name), html.escape(value)) for name, value in page.fields
        )
        # Nobody else may read in a folder that the library made.
        path = Path(self._folder.name) / f"{secrets.token_hex(4)}.html"
        path.write_text(_FORM.format(action=html.escape(page.url), fields=fields), "utf-8")
        return path.as_uri()


def _say(words: str) -> None:
    sys.stderr.write(words + "\n")


async def _enter(wait_s: float) -> bool:
    """Return whether Enter was pressed before the time is over."""
    pressed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read() -> None:
        sys.stdin.readline()
        pressed.set()

    loop.add_reader(sys.stdin, read)
    try:
        async with asyncio.timeout(wait_s):
            return await pressed.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(sys.stdin)
