"""The form of a mail: nobody adds a header, and no link leads elsewhere."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from hundi.infra.settings import Settings
from hundi.kernel.records import replace
from hundi.letters.mail.actions import Relay, html_of
from hundi.letters.mail.rules import Sender, link_of, mail_of, outcome_of, plain_of
from hundi.letters.rules import Letter, LetterChannel, LetterKind, LetterState, SendVerdict
from hundi.letters.wording.rules import LetterText

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)
SENDER = Sender("no-reply@pay.example", "https://pay.example")
TEXT = LetterText(
    "Asha Handlooms",
    "Receipt from Asha Handlooms: ₹1,499.50",
    "You paid ₹1,499.50.",
    (("Order", "T1"),),
    "/l/1.code",
    "Open the page",
    ("Nobody reads answers.",),
)
LETTER = Letter(
    merchant_id=7,
    letter_id=217_000_000_000_001,
    cause="payment:1:2",
    kind=LetterKind.RECEIPT,
    channel=LetterChannel.MAIL,
    person_id=0,
    address="asha@example.in",
    language="en",
    facts={},
    attachment_name="",
    attachment=None,
    state=LetterState.WAITING,
    created_at=NOW,
    due_at=NOW,
    tries=1,
    sent_at=None,
    problem="",
)


def parsed(letter: Letter = LETTER, text: LetterText = TEXT):
    mail = mail_of(letter, text, html_of(text, SENDER), SENDER, letter.created_at)
    return message_from_bytes(mail.as_bytes(), policy=default)


def test_a_mail_has_both_texts_and_says_that_nobody_wrote_it() -> None:
    mail = parsed()
    assert mail["Subject"] == TEXT.subject
    assert mail["From"] == "Asha Handlooms <no-reply@pay.example>"
    assert mail["Message-ID"] == "<letter.7.217000000000001@pay.example>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Content-Language"] == "en"
    assert mail.get_content_type() == "multipart/alternative"
    plain, html = (part.get_content() for part in mail.iter_parts())
    assert "Order: T1" in plain
    assert "https://pay.example/l/1.code" in plain
    assert 'href="https://pay.example/l/1.code"' in html
    assert "<script" not in html


def test_each_try_writes_the_same_mail() -> None:
    first, second = parsed(), parsed(replace(LETTER, tries=2))
    for name in ("Message-ID", "Date", "Subject", "To"):
        assert first[name] == second[name]


@pytest.mark.parametrize("bad", ["Asha\r\nBcc: thief@evil.example", "Asha\nX-Evil: yes", "A\x00b"])
def test_no_name_adds_a_header(bad: str) -> None:
    mail = parsed(text=replace(TEXT, sender=bad, subject=bad, sentence=bad))
    assert set(mail.keys()) == set(parsed().keys())
    assert [each.addr_spec for each in mail["From"].addresses] == [SENDER.address]


async def test_an_address_that_is_none_makes_no_mail() -> None:
    bad = replace(LETTER, address="asha@example.in\r\nBcc: thief@evil.example")
    # A relay that nobody could reach: none is asked.
    outcome = await Relay(Settings(smtp_host="relay.invalid"), SENDER).send(bad)
    assert outcome.verdict is SendVerdict.BOUNCED


@pytest.mark.parametrize(
    "path", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "", "l/1"]
)
def test_a_link_leads_to_our_own_site_or_nowhere(path: str) -> None:
    text = replace(TEXT, path=path)
    assert link_of(text, SENDER) == ""
    assert "evil" not in html_of(text, SENDER) + plain_of(text, SENDER)


def test_markup_in_a_fact_is_text() -> None:
    html = html_of(replace(TEXT, sentence="<img src=x onerror=alert(1)>"), SENDER)
    assert "&lt;img" in html
    assert "<img" not in html


def test_a_person_is_told_where_to_end_mails_that_may_be_ended() -> None:
    assert parsed()["List-Unsubscribe"] is None
    mail = parsed(replace(LETTER, kind=LetterKind.DISPUTE_DUE, person_id=3))
    assert mail["List-Unsubscribe"] == "<https://pay.example/console/you>"


def test_a_report_brings_its_file() -> None:
    mail = parsed(replace(LETTER, attachment_name="day-book.csv", attachment=b"a,b\n"))
    (file,) = mail.iter_attachments()
    assert (file.get_filename(), file.get_content_type()) == ("day-book.csv", "text/csv")


@pytest.mark.parametrize(
    ("code", "about_recipient", "verdict"),
    [
        (550, True, SendVerdict.BOUNCED),
        (553, True, SendVerdict.BOUNCED),
        (554, False, SendVerdict.REFUSED),
        (451, True, SendVerdict.LATER),
        (421, False, SendVerdict.LATER),
        (535, False, SendVerdict.LATER),
        (530, True, SendVerdict.LATER),
    ],
)
def test_only_an_answer_about_the_address_marks_it(code, about_recipient, verdict) -> None:
    outcome = outcome_of(
        code, "no asha@example.in here", "asha@example.in", about_recipient=about_recipient
    )
    assert outcome.verdict is verdict
    assert "asha" not in outcome.problem
