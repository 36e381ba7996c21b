"""Payment links and their reminders that the gateway mails to customers."""

from collections.abc import Iterator

import pytest

from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.shared_links import address_of, let_fall_due, make, number_of, text_of
from tests.system.test_letters import arrived

pytestmark = pytest.mark.usefixtures("books_hold")
OWNER, EMAIL = "asha@demo.example", "kavya@customers.example"


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, OWNER, "198.51.100.71") as console:
        yield console


@pytest.fixture(scope="module")
def place(gateway: RunningGateway) -> str:
    return str(gateway.demo["merchants"][0]["merchant_id"])


def test_a_link_and_its_reminder_go_by_mail_once_for_each_form(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    address = "by-mail@customers.example"
    path = make(owner, place, amount="1500", email=address)
    page = owner.get(path)
    assert "Send by mail to b" in page.text
    assert address not in page.text
    form = {"act_id": owner.field(path, "act_id")}
    for _ in range(2):
        assert owner.post(f"{path}/send", **form).status_code == 303
    (mail,) = arrived(gateway, address)
    assert "1,500.00" in mail["subject"] + mail["plain"]
    assert address_of(page).rpartition("/")[2] in mail["plain"]
    told = gateway.rows(
        "SELECT detail::text AS detail FROM trail_entries WHERE act = 'link.send' AND about = $1",
        str(number_of(path)),
    )
    assert len(told) == 1
    assert address not in told[0]["detail"]


def test_a_due_reminder_that_is_mailed_counts_as_sent(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    address = "reminded@customers.example"
    path = make(owner, place, amount="1500", email=address, remind_after="1 2")
    early = owner.post(f"{path}/send", act_id="3", reminder_no="1")
    assert early.status_code != 303, "its day has not come"
    let_fall_due(gateway, path)
    until(lambda: "Send the reminder by mail" in owner.get(path).text, "the reminder to fall due")
    form = {"act_id": owner.field(path, "act_id"), "reminder_no": "1"}
    for _ in range(2):
        assert owner.post(f"{path}/send", **form).status_code == 303
    assert len(arrived(gateway, address)) == 1
    states = "SELECT state FROM payment_link_reminders WHERE link_id = $1 ORDER BY reminder_no"
    assert [row["state"] for row in gateway.rows(states, number_of(path))] == ["sent", "planned"]


def test_a_link_that_ended_or_names_nobody_is_not_sent(owner: Console, place: str) -> None:
    nobody = make(owner, place, amount="1500")
    assert "Send by mail to" not in owner.get(nobody).text
    refused = owner.post(f"{nobody}/send", act_id="1")
    assert refused.status_code != 303
    assert "an e-mail address such as" in text_of(refused)
    over = make(owner, place, amount="1500", email=EMAIL)
    assert owner.post(f"{over}/cancel").status_code == 303
    assert owner.post(f"{over}/send", act_id="2").status_code != 303
