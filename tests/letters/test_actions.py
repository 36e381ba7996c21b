"""Letters on the real database: written once, claimed by one, sent again on request."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.letters import actions, store
from hundi.letters.actions import LetterContext
from hundi.letters.rules import (
    ATTACHMENT_KEPT_FOR,
    TRIES_MAX,
    Attachment,
    Letter,
    LetterChannel,
    LetterKind,
    LetterState,
    NewLetter,
    SendOutcome,
    SendVerdict,
    quiet_hours_of,
)

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)
NEW = NewLetter(
    7,
    "payment:1:2",
    LetterKind.RECEIPT,
    LetterChannel.MAIL,
    "asha@example.in",
    {"merchant": "Asha", "amount": "₹5.00"},
)


class Answers:
    """A relay that gives these answers, one after the other."""

    def __init__(self, *verdicts: SendVerdict) -> None:
        self.verdicts = list(verdicts)
        self.sent: list[Letter] = []

    async def send(self, letter: Letter) -> SendOutcome:
        self.sent.append(letter)
        return SendOutcome(self.verdicts.pop(0), "why")


async def written(db: Database, letter: NewLetter = NEW, now: datetime = NOW) -> bool:
    async with db.transaction() as conn:
        return await actions.write(conn, letter, now)


async def claimed(db: Database, now: datetime = NOW, merchant_id: int = 7) -> Sequence[Letter]:
    ids = [each.letter_id for each in await store.newest(db, merchant_id, None, 50)]
    return await store.claim(db, merchant_id, ids, now, now + actions.LEASE)


async def one(db: Database) -> Letter:
    (letter,) = await store.newest(db, 7, None, 50)
    return letter


async def test_a_cause_writes_one_letter_for_each_address(db: Database) -> None:
    assert await written(db)
    assert not await written(db)
    assert not await written(db, replace(NEW, facts={"merchant": "Another"}))
    assert await written(db, replace(NEW, address="ritu@example.in"))
    assert await written(db, replace(NEW, merchant_id=8))


async def test_a_letter_goes_with_its_cause(db: Database) -> None:
    async def failing() -> None:
        async with db.transaction() as conn:
            await actions.write(conn, NEW, NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await failing()
    assert await store.newest(db, 7, None, 50) == []


async def test_one_of_two_workers_claims_it_until_the_lease_ends(db: Database) -> None:
    await written(db)
    (letter,) = await claimed(db)
    assert (letter.tries, await claimed(db)) == (1, [])
    (again,) = await claimed(db, NOW + actions.LEASE)
    assert (again.tries, again.letter_id) == (2, letter.letter_id)


async def test_only_the_newest_try_is_recorded(db: Database) -> None:
    await written(db)
    (first,) = await claimed(db)
    (second,) = await claimed(db, NOW + actions.LEASE)
    relay = Answers(SendVerdict.LATER, SendVerdict.TAKEN)
    context = LetterContext(db, {LetterChannel.MAIL: relay})
    await actions.send(context, first, NOW)
    assert (await one(db)).problem == "", "a later try is under way"
    await actions.send(context, second, NOW)
    assert (await one(db)).state is LetterState.SENT


async def test_an_address_that_bounced_is_asked_again_only_on_request(db: Database) -> None:
    await written(db)
    relay = Answers(SendVerdict.BOUNCED, SendVerdict.TAKEN)
    context = LetterContext(db, {LetterChannel.MAIL: relay})
    await actions.send(context, (await claimed(db))[0], NOW)
    assert (await one(db)).state is LetterState.BOUNCED
    other = replace(NEW, cause="payment:2:2")
    await written(db, other)
    (second,) = await claimed(db)
    await actions.send(context, second, NOW)
    assert len(relay.sent) == 1
    await actions.resend(db, 7, second.letter_id, NOW)
    (third,) = await claimed(db)
    await actions.send(context, third, NOW)
    assert len(relay.sent) == 2
    sent = await store.select(db, 7, second.letter_id)
    assert sent is not None
    assert sent.state is LetterState.SENT


REPORT = replace(
    NEW, kind=LetterKind.REPORT, person_id=5, attachment=Attachment("day-book.csv", b"a\n")
)


async def test_who_may_not_read_a_report_any_more_gets_it_by_no_later_try(db: Database) -> None:
    await written(db, REPORT)
    relay, allowed = Answers(SendVerdict.TAKEN), [True, False]

    async def may_have(letter: Letter) -> bool:
        assert letter.person_id == 5
        return allowed.pop(0)

    context = LetterContext(db, {LetterChannel.MAIL: relay}, may_have=may_have)
    (letter,) = await claimed(db)
    await actions.send(context, letter, NOW)
    later = NOW + actions.SENT_AGAIN_AFTER + timedelta(seconds=1)
    await actions.resend(db, 7, letter.letter_id, later)
    (again,) = await claimed(db, later)
    await actions.send(context, again, later)
    withheld = await one(db)
    assert (withheld.state, "no role" in withheld.problem) == (LetterState.WITHHELD, True)
    assert len(relay.sent) == 1


@pytest.mark.parametrize("swept", [False, True])
async def test_a_letter_loses_its_file_when_the_report_does(db: Database, *, swept: bool) -> None:
    await written(db, REPORT)
    later = NOW + ATTACHMENT_KEPT_FOR + timedelta(seconds=1)
    await actions.sweep(db, later - timedelta(seconds=2))
    assert (await one(db)).attachment == b"a\n"
    if swept:
        await actions.sweep(db, later)
        kept = await one(db)
        assert (kept.attachment, kept.attachment_name) == (None, "")
    relay = Answers(SendVerdict.TAKEN)
    (letter,) = await claimed(db, later)
    await actions.send(LetterContext(db, {LetterChannel.MAIL: relay}), letter, later)
    withheld = await one(db)
    assert (withheld.state, "ask for the report" in withheld.problem) == (
        LetterState.WITHHELD,
        True,
    )
    assert relay.sent == []


async def test_without_a_relay_a_letter_is_withheld(db: Database) -> None:
    await written(db)
    await actions.send(LetterContext(db), (await claimed(db))[0], NOW)
    assert (await one(db)).state is LetterState.WITHHELD


async def test_a_letter_whose_tries_never_end_is_given_up(db: Database) -> None:
    await written(db)
    relay = Answers()
    for number in range(TRIES_MAX + 1):
        (letter,) = await claimed(db, NOW + number * actions.LEASE)
    await actions.send(LetterContext(db, {LetterChannel.MAIL: relay}), letter, NOW)
    assert (await one(db)).state is LetterState.GIVEN_UP
    assert relay.sent == []


async def test_sending_again_what_waits_or_is_not_there_is_refused(db: Database) -> None:
    await written(db)
    letter = await one(db)
    for number, code in (
        (letter.letter_id, RefusalCode.STATE_FORBIDS),
        (1, RefusalCode.NO_RECORDS),
    ):
        with pytest.raises(Refused) as refused:
            await actions.resend(db, 7, number, NOW)
        assert refused.value.refusal.code is code


async def test_old_letters_are_forgotten_and_waiting_ones_kept(db: Database) -> None:
    await written(db)
    await written(db, replace(NEW, cause="payment:2:2"))
    (letter, _) = await claimed(db)
    await actions.send(LetterContext(db), letter, NOW)
    await actions.sweep(db, NOW + actions.KEPT_FOR)
    assert len(await store.newest(db, 7, None, 50)) == 2
    await actions.sweep(db, NOW + actions.KEPT_FOR + timedelta(seconds=1))
    assert [each.state for each in await store.newest(db, 7, None, 50)] == [LetterState.WAITING]


async def test_a_reminder_waits_for_the_end_of_the_quiet_hours(db: Database) -> None:
    night = datetime(2026, 11, 29, 18, tzinfo=UTC)
    answers = Answers(SendVerdict.TAKEN)
    context = LetterContext(db, {LetterChannel.MAIL: answers}, quiet_hours_of("21:00-08:00"))
    await written(db, replace(NEW, kind=LetterKind.LINK_REMINDER), night)
    (letter,) = await claimed(db, night)
    assert await actions.send(context, letter, night)
    waiting = await one(db)
    morning = datetime(2026, 11, 30, 2, 30, tzinfo=UTC)
    assert (waiting.state, waiting.due_at, waiting.tries) == (LetterState.WAITING, morning, 0)
    assert waiting.problem == "It waits for the end of the quiet hours."
    (letter,) = await claimed(db, morning)
    await actions.send(context, letter, morning)
    assert (await one(db)).state is LetterState.SENT


async def test_what_was_sent_just_now_is_not_sent_again(db: Database) -> None:
    await written(db)
    relay = Answers(SendVerdict.TAKEN, SendVerdict.TAKEN)
    context = LetterContext(db, {LetterChannel.MAIL: relay})
    await actions.send(context, (await claimed(db))[0], NOW)
    letter = await one(db)
    soon, later = NOW + timedelta(minutes=9), NOW + timedelta(minutes=11)
    with pytest.raises(Refused) as refused:
        await actions.resend(db, 7, letter.letter_id, soon)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    await actions.resend(db, 7, letter.letter_id, later)
    assert (await one(db)).state is LetterState.WAITING
