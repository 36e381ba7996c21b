"""Writes the letter that brings a payment link to a customer, and a reminder."""

from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.letters import actions as letters
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import Letter, LetterChannel, LetterKind, NewLetter, mail_address
from hundi.merchants.directory.rules import Merchant
from hundi.payments.links import rules
from hundi.payments.links import store as links
from hundi.payments.links.reminders import actions as reminders
from hundi.payments.links.rules import Link


@dataclass(frozen=True, slots=True)
class LinkLetter:
    """A letter to write about a link.

    address: the customer's e-mail address, or mobile number by SMS and WhatsApp. path: of the
    link's page at our own site. act_id: names the act, so that the same form writes one letter.
    reminder_no: the reminder that it is; 0 for a letter that asks for the first time. by: who sends
    it. simulated: no real money would move.
    """

    address: str
    path: str
    act_id: str
    reminder_no: int = 0
    by: str = ""
    simulated: bool = False
    channel: LetterChannel = LetterChannel.MAIL


async def send(
    db: Database,
    merchant: Merchant,
    link: Link,
    letter: LinkLetter,
    now: datetime,
    beside: Beside | None = None,
) -> bool:
    """Write a letter with a payment link; False when the same act wrote it before.

    A reminder counts as sent by it. beside: also written in the transaction of a new letter; it
    gets the link's id. Raises Refused: FIELD_INVALID for what is no such address, STATE_FORBIDS
    for a link that cannot be paid, and for a reminder whose time did not come; NO_RECORDS for a
    reminder that was not planned.
    """
    by_mail = letter.channel is LetterChannel.MAIL
    address = (mail_address if by_mail else mobile_number)(letter.address)
    if not address:
        allowed = (
            "an e-mail address such as asha@example.in"
            if by_mail
            else "an Indian mobile number, ten digits"
        )
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="address",
            received=letter.address[:64],
            allowed=allowed,
        )
    state = rules.state_of(link, now)
    if state not in rules.PAYABLE:
        raise Refused(wrong_state("link", state))
    facts = {
        "merchant": merchant.name,
        "support": merchant.settings.support,
        "amount": rupees(link.left_paise),
        "path": letter.path,
        "simulated": "yes" if letter.simulated else "",
    }
    new = NewLetter(
        link.merchant_id,
        f"link:{link.link_id}:{letter.act_id}",
        LetterKind.LINK_REMINDER if letter.reminder_no else LetterKind.LINK,
        letter.channel,
        address,
        {name: value for name, value in facts.items() if value},
        merchant.settings.letter_language,
    )
    async with db.transaction() as conn:
        written = await letters.write(conn, new, now)
        if written and letter.reminder_no:
            key = link.merchant_id, link.link_id, letter.reminder_no
            await reminders.note_sent(conn, key, letter.by, now)
        if written and beside is not None:
            await beside(conn, link.link_id)
    if written:
        db.wake(letters.DUE_CHANNEL)
    return written


async def overtaken(db: Database, letter: Letter, now: datetime) -> str:
    """Return why a reminder of a link is not sent any more, "" while the link can be paid."""
    link = await links.select(db, letter.merchant_id, int(letter.cause.split(":")[1]))
    state = rules.state_of(link, now) if link is not None else "forgotten"
    return (
        "" if state in rules.PAYABLE else f"The payment link is {state}: nobody is reminded of it."
    )
