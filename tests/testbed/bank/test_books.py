"""The books: a reader who follows them misses nothing, whatever happens at the same time."""

import asyncio

import pytest

from tests.testbed.bank.harness import Simbank, new_reference, upi_link

PAYERS = ("success@hundi", "decline@hundi", "pending@hundi")


async def test_a_follower_misses_nothing(bank: Simbank) -> None:
    references = [new_reference() for _ in range(300)]
    seen: dict[str, str] = {}
    places: list[int] = []
    paying = asyncio.Event()

    async def pays(mine: list[str]) -> None:
        for number, reference in enumerate(mine):
            await bank.pay(upi_link(reference), PAYERS[number % len(PAYERS)])

    async def follows() -> None:
        after, last_round = 0, False
        while True:
            last_round = paying.is_set()
            async with bank.http.get(bank.url + "/books", params={"after": after}) as response:
                page = await response.json()
            for entry in page["entries"]:
                places.append(entry["id"])
                seen[entry["reference"]] = entry["state"]
            after = page["next"]
            if last_round and not page["entries"]:
                return

    reader = asyncio.create_task(follows())
    await asyncio.gather(*(pays(references[start::6]) for start in range(6)))
    await asyncio.gather(
        *(bank.becomes(reference, "paid") for reference in references[2 * 6 :: 18])
    )
    await asyncio.sleep(1.5)
    paying.set()
    await reader
    assert places == sorted(set(places))
    assert set(references) <= seen.keys()
    expected = {
        reference: ("done", "declined", "done")[number // 6 % 3]
        for number, reference in enumerate(references)
    }
    assert {reference: seen[reference] for reference in references} == expected


@pytest.mark.parametrize("after", ["-1", "x", "99999999999999999999"])
async def test_places_that_make_no_sense(bank: Simbank, after: str) -> None:
    async with bank.http.get(bank.url + "/books", params={"after": after}) as response:
        assert response.status == 400


async def test_health(bank: Simbank) -> None:
    for path, status in (("/health/live", "live"), ("/health/ready", "ready")):
        async with bank.http.get(bank.url + path) as response:
            assert (response.status, await response.json()) == (200, {"status": status})
