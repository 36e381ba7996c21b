"""The UPI app and the home page: links shown, approved, declined, refused, without JavaScript."""

import re
from urllib.parse import quote

import pytest

from tests.testbed.bank.harness import Simbank, new_reference, upi_link


async def show(bank: Simbank, path: str) -> tuple[int, str]:
    async with bank.http.get(bank.url + path) as response:
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        return response.status, await response.text()


async def test_approve_leads_to_a_receipt(bank: Simbank) -> None:
    reference = new_reference()
    link = upi_link(reference, pn="Chai & <b>House</b>")
    status, page = await show(bank, "/upi/app?uri=" + quote(link, safe=""))
    assert status == 200
    assert "Chai &amp; &lt;b&gt;House&lt;/b&gt;" in page
    assert "₹1,499.50" in page
    response = await bank.submit(
        bank.url + "/upi/app", uri=link, payer_vpa="success@hundi", act="approve"
    )
    assert response.status == 303
    status, receipt = await show(bank, response.headers["Location"])
    assert status == 200
    assert "Paid" in receipt
    assert reference in receipt
    response = await bank.submit(
        bank.url + "/upi/app", uri=link, payer_vpa="success@hundi", act="approve"
    )
    assert response.status == 409
    assert len(await bank.entries(reference)) == 1


@pytest.mark.parametrize(
    ("payer_vpa", "act", "word"),
    [("success@hundi", "decline", "Not paid"), ("deemed@hundi", "approve", "Pending")],
)
async def test_other_ends(bank: Simbank, payer_vpa: str, act: str, word: str) -> None:
    reference = new_reference()
    response = await bank.submit(
        bank.url + "/upi/app", uri=upi_link(reference), payer_vpa=payer_vpa, act=act
    )
    assert word in (await show(bank, response.headers["Location"]))[1]


async def test_silent_and_unregistered_have_no_receipt(bank: Simbank) -> None:
    for payer_vpa, status in (("silent@hundi", 200), ("unregistered@hundi", 409)):
        response = await bank.submit(
            bank.url + "/upi/app", uri=upi_link(new_reference()), payer_vpa=payer_vpa, act="approve"
        )
        assert response.status == status


async def test_an_expired_code_needs_a_tick(bank: Simbank) -> None:
    reference = new_reference()
    link = upi_link(reference, QRexpire="2020-01-01T00:00:00+05:30")
    assert "ignore_expiry" in (await show(bank, "/upi/app?uri=" + quote(link, safe="")))[1]
    form = {"uri": link, "payer_vpa": "success@hundi", "act": "approve"}
    assert (await bank.submit(bank.url + "/upi/app", **form)).status == 422
    assert await bank.entries(reference) == []
    assert (await bank.submit(bank.url + "/upi/app", **form, ignore_expiry="yes")).status == 303


async def test_links_and_addresses_that_are_refused(bank: Simbank) -> None:
    assert (await show(bank, "/upi/app"))[0] == 200
    assert (await show(bank, "/upi/app?uri=upi%3A%2F%2Fpay%3Fpa%3Dx"))[0] == 400
    response = await bank.submit(
        bank.url + "/upi/app", uri=upi_link(new_reference()), payer_vpa="nobody", act="approve"
    )
    assert response.status == 422
    assert (await show(bank, "/upi/receipts/000000000000"))[0] == 404


async def test_home_lists_triggers_and_books(bank: Simbank) -> None:
    reference = new_reference()
    await bank.pay(upi_link(reference))
    status, page = await show(bank, "/")
    assert status == 200
    for text in (
        reference,
        "deemed@hundi",
        "4000 0000 0000 0119",
        "Simulated bank network: no real money",
    ):
        assert text in page
    assert not re.search(r"<script|style=|\son[a-z]+=", page)
