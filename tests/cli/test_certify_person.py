"""What the operator at the terminal is told, and what a command without a terminal does."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hundi.acquirers.certification.steps import Act, PersonTask
from hundi.acquirers.port.answers import Redirect
from hundi.cli.certify_person import TerminalPerson


async def said(task: PersonTask, capsys: pytest.CaptureFixture[str], person: TerminalPerson) -> str:
    assert not await person.do(task)
    captured = capsys.readouterr()
    assert captured.out == "", "the output is for machines"
    return captured.err


def form_in(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


async def test_a_page_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    person = TerminalPerson(wait_s=0)
    page = Redirect("https://page.example/1", "1")
    text = await said(PersonTask(Act.PAY, "Pay ₹2.00.", "0-1", page=page), capsys, person)
    assert text == "\nPay ₹2.00.\n  open https://page.example/1\n"
    person.close()


async def test_a_step_says_what_must_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    person = TerminalPerson(wait_s=0)
    await person.begins("refund-part", "a part goes back", "3 of 14")
    assert capsys.readouterr().err == "\nStep 3 of 14, refund-part: a part goes back\n"
    person.close()


async def test_a_page_that_a_form_opens_is_a_file_for_nobody_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    person = TerminalPerson(wait_s=0)
    page = Redirect("https://page.example/?a=1&b=2", "1", (("hash", '"><script>'),))
    text = await said(PersonTask(Act.PAY, "Pay.", "0-1", page=page), capsys, person)
    file = Path(unquote(urlsplit(text.split("open ")[1].strip()).path))
    assert file.parent.stat().st_mode & 0o077 == 0
    form = form_in(file)
    assert 'action="https://page.example/?a=1&amp;b=2"' in form
    assert "<script>" not in form
    person.close()
    assert form_in(file) == ""


async def test_without_a_terminal_nobody_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    person = TerminalPerson(wait_s=60)
    task = PersonTask(Act.LEAVE, "Leave without paying.", "0-1")
    assert "Press Enter" not in await said(task, capsys, person)
    assert await said(PersonTask(Act.WAIT, "Asked.", "0-1"), capsys, person) == ""
    assert await person.card(declined=False) is None
    assert await person.account(is_good=True) is None
    assert await person.total(task) is None
    assert not await person.adds_fee()
    person.close()
