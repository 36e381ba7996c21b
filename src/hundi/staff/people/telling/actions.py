"""Writes letters to people of the console."""

from collections.abc import Collection
from datetime import datetime

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.letters import actions as letters
from hundi.letters.rules import Attachment, Letter, LetterChannel, LetterKind, NewLetter
from hundi.staff.people.rules import may
from hundi.staff.people.telling import rules, store
from hundi.staff.people.telling.rules import NewsTimes, StaffNews

NEWS_MAX = 200
"""News of each kind that one look tells."""


async def tell(conn: Connection, news: StaffNews, now: datetime, but: int = 0) -> int:
    """Write a letter to each person who is told of this; return their number.

    In the transaction of the cause. but: the person who caused it. After the commit the caller
    wakes the letters.
    """
    readers = await store.readers(conn, news.merchant_id)
    silent = await store.silent(conn, [each.person_id for each in readers], news.kind)
    written = 0
    for reader in rules.told(news.kind, readers, silent, but):
        written += await letters.write(
            conn,
            NewLetter(
                news.merchant_id,
                news.cause,
                news.kind,
                LetterChannel.MAIL,
                reader.email,
                news.facts,
                person_id=reader.person_id,
            ),
            now,
        )
    return written


async def look(db: Database, now: datetime) -> int:
    """Tell people what happened since the last look; return the number of letters.

    A cause that was told once is not told again, whoever looks.
    """
    written = 0
    for news in await store.news(db, NewsTimes(now), NEWS_MAX):
        async with db.transaction() as conn:
            written += await tell(conn, news, now)
    if written:
        db.wake(letters.DUE_CHANNEL)
    return written


async def tell_approval(
    conn: Connection, place: int, approval_id: int, what: str, by: tuple[int, str], now: datetime
) -> None:
    """Tell those who may decide that a request waits for them. by: id and name of its maker."""
    maker, name = by
    where = f"{place}/approvals" if place else "all/approvals"
    facts = {
        "merchant": await store.name_of(conn, place),
        "what": what,
        "by": name,
        "path": f"/console/{where}/{approval_id}",
    }
    kind, cause = LetterKind.APPROVAL_WAITING, f"approval:{approval_id}"
    await tell(conn, StaffNews(place, kind, cause, facts), now, maker)


async def send_report(
    conn: Connection,
    place: int,
    people: Collection[int],
    cause: str,
    report: tuple[str, Attachment],
    now: datetime,
) -> int:
    """Write a mail with a report to people who ordered it; return the number of letters.

    Who may not see the merchant's money any more gets none. people: their ids. cause: names the
    run, such as `report:218098668751155`. report: its title and its file. After the commit the
    caller wakes the letters.
    """
    title, attachment = report
    facts = {"merchant": await store.name_of(conn, place), "report": title}
    written = 0
    for reader in await store.readers(conn, place):
        if reader.person_id in people and may(reader.role, rules.REPORT_NEEDS):
            written += await letters.write(
                conn,
                NewLetter(
                    place,
                    cause,
                    LetterKind.REPORT,
                    LetterChannel.MAIL,
                    reader.email,
                    facts,
                    person_id=reader.person_id,
                    attachment=attachment,
                ),
                now,
            )
    return written


async def may_have(source: Queries, letter: Letter) -> bool:
    """Return whether the reader of a letter may have it now: roles change between two sendings.

    Letters to customers, and about no place, are always theirs.
    """
    needed = rules.needed_for(letter.kind)
    return needed is None or any(
        reader.person_id == letter.person_id and may(reader.role, needed)
        for reader in await store.readers(source, letter.merchant_id)
    )


async def write_trial(
    db: Database, reader: tuple[int, str], site: str, number: int, now: datetime
) -> None:
    """Write a test mail to a person who asks for one.

    reader: id and address. site: the gateway's. number: of the form, which sends one mail.
    """
    person_id, email = reader
    letter = NewLetter(
        0,
        f"trial:{person_id}:{number}",
        LetterKind.TRIAL,
        LetterChannel.MAIL,
        email,
        {"site": site, "path": "/console/you"},
        person_id=person_id,
    )
    async with db.transaction() as conn:
        await letters.write(conn, letter, now)
    db.wake(letters.DUE_CHANNEL)
