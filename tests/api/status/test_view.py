"""The page's first line: whose trouble it is, and what it says without a worker or a database."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from hundi.api.status.document import document_json
from hundi.api.status.page import moment, page_html, span
from hundi.api.status.view import StatusView, view_of
from hundi.status.actions import StatusPicture
from hundi.status.announcements.rules import AnnouncementKind, StatusAnnouncement
from hundi.status.rules import (
    GAP,
    OWN,
    ComponentGroup,
    ComponentSpell,
    ComponentState,
    StatusComponent,
)

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
S = ComponentState
BANK = StatusComponent(
    "acquirer:coop_for_acme", "acquirer-bank", "Bank", "", ComponentGroup.ACQUIRER
)
UPI = StatusComponent("method:upi", "method-upi", "UPI", "Any app", ComponentGroup.METHOD)
ALL = (*OWN, UPI, BANK)


def view(
    states: Mapping[str, ComponentState] | None = None,
    *,
    looked: timedelta = timedelta(),
    silent_since: datetime | None = None,
    said: Sequence[StatusAnnouncement] = (),
    spells: Sequence[ComponentSpell] = (),
) -> StatusView:
    """Return the view where all components work but some."""
    there = {each.key: S.OPERATIONAL for each in ALL} | dict(states or {})
    going_on = [ComponentSpell(key, NOW - DAY, state) for key, state in there.items()]
    picture = StatusPicture(NOW, NOW - looked, [*going_on, *spells], said, {})
    return view_of(picture, ALL, NOW, silent_since)


@pytest.mark.parametrize(
    ("states", "headline", "advice"),
    [
        ({}, "Everything works", "look at your side first"),
        ({BANK.key: S.OUTAGE, UPI.key: S.PARTIAL}, "trouble at Bank", "a bank or an acquirer"),
        ({UPI.key: S.DEGRADED}, "The gateway works; there is trouble at UPI", "neither your shop"),
        ({"payments": S.DEGRADED, BANK.key: S.OUTAGE}, "has trouble: Payments", "It is us"),
        (
            {"payments": S.OUTAGE, "notifications": S.DEGRADED},
            "has trouble: Payments and Notifications",
            "not your shop",
        ),
        ({"settlements": S.MAINTENANCE}, "Maintenance: Settlements and books", "Ask verify"),
    ],
)
def test_the_first_line_says_whose_trouble_it_is(
    states: Mapping[str, ComponentState], headline: str, advice: str
) -> None:
    verdict = view(states).verdict
    assert verdict.headline.endswith(headline)
    assert advice in verdict.advice


def test_nothing_was_seen_before_the_first_look() -> None:
    found = view_of(StatusPicture(NOW, None, (), (), {}), ALL, NOW, None)
    assert found.verdict.headline == "Nothing was seen yet"
    assert {each.state for each in found.components} == {S.UNKNOWN}
    assert b"Last looked at" not in page_html(found, "pay.example.in")


def test_without_a_database_ours_is_out_and_the_rest_stands_as_it_was() -> None:
    found = view({BANK.key: S.DEGRADED}, silent_since=NOW - timedelta(minutes=3))
    states = {each.component.key: each.state for each in found.components}
    assert states == {
        **dict.fromkeys((each.key for each in OWN), S.OUTAGE),
        UPI.key: S.OPERATIONAL,
        BANK.key: S.DEGRADED,
    }
    page = page_html(found, "pay.example.in").decode()
    assert "The gateway&#39;s database does not answer" in page
    assert "has not answered since" in page
    told = msgspec.json.decode(document_json(found, "pay.example.in", "https://pay.example.in"))
    assert told["database_silent_since"] == "2026-11-28T13:27:00+05:30"
    assert told["status"]["indicator"] == "critical"


def test_without_a_worker_nothing_is_sent_or_settled() -> None:
    found = view(looked=GAP + timedelta(seconds=1))
    out = [each.component.key for each in found.components if each.state is S.OUTAGE]
    assert out == ["notifications", "settlements"]
    assert "Nobody has looked since" in page_html(found, "x").decode()
    assert view(looked=GAP).verdict.headline == "Everything works"


def test_what_is_announced_stands_there_with_both_times_and_the_withdrawn_does_not() -> None:
    def announced(number: int, begins: timedelta, ends: timedelta) -> StatusAnnouncement:
        kind = AnnouncementKind.MAINTENANCE
        words = f"Upgrade <{number}>."
        return StatusAnnouncement(number, kind, "", words, NOW + begins, NOW + ends)

    found = view(
        said=[
            announced(1, DAY, DAY + timedelta(hours=12)),
            announced(2, -2 * DAY, -2 * DAY + timedelta(hours=1)),
            announced(3, DAY, DAY),
        ]
    )
    page = page_html(found, "pay.example.in").decode()
    assert "Upgrade &lt;1&gt;." in page
    assert "Upgrade &lt;3&gt;." not in page
    assert "29 Nov 2026, 13:30 IST <small>(08:00 UTC)</small>" in page
    assert "30 Nov 2026, 01:30 IST <small>(29 Nov, 20:00 UTC)</small>" in page
    told = msgspec.json.decode(document_json(found, "pay.example.in", "https://pay.example.in"))
    assert [each["status"] for each in told["scheduled_maintenances"]] == ["scheduled", "completed"]
    assert told["scheduled_maintenances"][0]["components"] == [each.key for each in OWN]


def test_times_of_one_state_that_follow_each_other_are_one_change() -> None:
    first, second = NOW - 3 * DAY, NOW - 3 * DAY + timedelta(hours=1)
    third = second + timedelta(minutes=30)
    found = view(
        spells=[
            ComponentSpell(BANK.key, second, S.OUTAGE, third),
            ComponentSpell(BANK.key, first, S.OUTAGE, second),
            ComponentSpell("acquirer:of_a_merchant", first, S.OUTAGE, third),
            ComponentSpell(BANK.key, NOW - 100 * DAY, S.OUTAGE, NOW - 99 * DAY),
        ]
    )
    changes = [(each.component.name, each.began_at, each.ended_at) for each in found.changes]
    assert changes == [("Bank", first, third)]
    page = page_html(found, "pay.example.in").decode()
    assert "1 hour 30 minutes" in page
    assert "outage for 1 hour 30 minutes" in page
    document = document_json(found, "pay.example.in", "https://pay.example.in").decode()
    for text in (page, document):
        assert "coop_for_acme" not in text
        assert "of_a_merchant" not in text


def test_a_length_of_time_is_told_in_two_units() -> None:
    told = [span(timedelta(seconds=each)) for each in (1, 59, 60, 3_600, 90_061)]
    assert told == ["1 second", "59 seconds", "1 minute", "1 hour", "25 hours 1 minute"]


def test_a_moment_of_the_same_day_needs_no_date_again() -> None:
    assert moment(NOW, NOW - timedelta(hours=1)).striptags() == "13:30 IST (08:00 UTC)"
    assert moment(NOW, NOW - DAY).striptags() == "28 Nov 2026, 13:30 IST (08:00 UTC)"
