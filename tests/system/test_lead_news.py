"""What a partner's server is told of its leads.

Signed, retried, and the latest news before an older one.
"""

import pytest

from hundi.sdk.lead_news import LeadNotification, LeadNotifications
from tests.system.conftest import NewPartner
from tests.system.endpoint import Answer, Endpoint, MerchantServer
from tests.system.lead_messages import lead, send
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway, until

pytestmark = pytest.mark.usefixtures("books_hold")


def told(endpoint: Endpoint, keys: list[str], number: int) -> list[LeadNotification]:
    """Wait for so many notifications and return them, checked by the SDK."""
    heard = until(
        lambda: found if len(found := list(endpoint.heard)) >= number else [],
        f"{number} news of leads",
    )
    return [LeadNotifications(keys).read(each.headers, each.body) for each in heard]


def sent(partner: PartnerSender) -> str:
    return str(send(partner, lead())["data"]["lead_id"])


def key_of(gateway: RunningGateway, partner: PartnerSender) -> str:
    """Return a fresh webhook key: the first is only shown when a partner is added."""
    affiliate = partner.keys.affiliate
    return gateway.operate("partner", "rotate", affiliate, "webhook_key", "--at-once")[
        "webhook_key"
    ]


def states(gateway: RunningGateway, affiliate: str) -> list[tuple[str, str]]:
    """Return event and state of each delivery, oldest first."""
    listed = gateway.operate("delivery", "list", affiliate)
    return [(each["event"], each["state"]) for each in reversed(listed)]


def test_a_partner_is_told_each_step_of_its_lead(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("lead-news")
    partner = new_partner("Told", lead_callback=endpoint.url)
    key, lead_id = key_of(gateway, partner), sent(partner)
    named = partner.keys.affiliate, lead_id
    gateway.operate("lead", "review", *named)
    told(endpoint, [key], 1)
    gateway.operate("lead", "return", *named, "--why", "the address is missing")
    told(endpoint, [key], 2)
    gateway.operate("lead", "review", *named)
    told(endpoint, [key], 3)
    merchant = gateway.operate("lead", "approve", *named)
    news = told(endpoint, [key], 4)
    assert [(each.event, each.state, each.reason, each.merchant_id) for each in news] == [
        ("lead_review", "review", "", ""),
        ("lead_returned", "lead", "the address is missing", ""),
        ("lead_review", "review", "", ""),
        ("lead_approved", "approved", "", merchant["merchant_id"]),
    ]
    assert {each.lead_id for each in news} == {int(lead_id)}
    assert [each.webhook_id for each in news] == [
        f"lead_{named[0]}_{lead_id}_{number}" for number in (2, 3, 4, 5)
    ]
    assert merchant["secret"] not in endpoint.heard[-1].body.decode()
    until(
        lambda: states(gateway, named[0])[-1] == ("lead_approved", "delivered"),
        "the last try to be recorded",
    )
    assert {state for _, state in states(gateway, named[0])} == {"delivered"}
    (only,) = gateway.operate("delivery", "show", news[-1].webhook_id)
    assert (only["status"], only["delivered"]) == (200, "by 2xx")


def test_why_a_lead_is_rejected_is_told_only_where_the_operator_says_so(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("rejected-leads")
    partner = new_partner("Rejected", lead_callback=endpoint.url)
    key = key_of(gateway, partner)
    gateway.operate(
        "lead", "reject", partner.keys.affiliate, sent(partner), "--why", "looks forged"
    )
    gateway.operate(
        "lead",
        "reject",
        partner.keys.affiliate,
        sent(partner),
        "--why",
        "closed",
        "--tell",
        "no trade",
    )
    assert sorted(each.reason for each in told(endpoint, [key], 2)) == ["", "no trade"]
    assert b"forged" not in b"".join(each.body for each in endpoint.heard)


def test_the_latest_news_does_not_wait_for_older_news_that_was_refused(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("stubborn-partner")
    partner = new_partner("Stubborn", lead_callback=endpoint.url)
    key, lead_id = key_of(gateway, partner), sent(partner)
    endpoint.choose = lambda heard: Answer(status=500 if b"lead_review" in heard.body else 200)
    gateway.operate("lead", "review", partner.keys.affiliate, lead_id)
    told(endpoint, [key], 1)
    gateway.operate("lead", "approve", partner.keys.affiliate, lead_id)
    assert [each.event for each in told(endpoint, [key], 2)] == ["lead_review", "lead_approved"]
    wanted = [("lead_review", "superseded"), ("lead_approved", "delivered")]
    until(
        lambda: states(gateway, partner.keys.affiliate) == wanted, "the older news to be superseded"
    )


def test_what_was_not_told_is_replayed_once_there_is_an_address(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    partner = new_partner("Deaf at first")
    affiliate, key = partner.keys.affiliate, key_of(gateway, partner)
    gateway.operate("lead", "review", affiliate, sent(partner))
    until(
        lambda: states(gateway, affiliate) == [("lead_review", "no_endpoint")],
        "the news to find no endpoint",
    )
    endpoint = server.endpoint("no-longer-deaf")
    gateway.operate("partner", "set", affiliate, "--lead-callback", endpoint.url)
    replayed = gateway.operate(
        "delivery", "replay", "--merchant", affiliate, "--state", "no_endpoint"
    )
    assert replayed == {"replayed": 1}
    assert [each.event for each in told(endpoint, [key], 1)] == ["lead_review"]


def test_during_a_rotation_either_key_proves_the_news(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("two-webhook-keys")
    partner = new_partner("Two webhook keys", lead_callback=endpoint.url)
    older = key_of(gateway, partner)
    newer = gateway.operate("partner", "rotate", partner.keys.affiliate, "webhook_key")[
        "webhook_key"
    ]
    gateway.operate("lead", "review", partner.keys.affiliate, sent(partner))
    assert told(endpoint, [older], 1) == told(endpoint, [newer], 1)


def test_a_delivery_of_nobody_is_said_to_be_so(gateway: RunningGateway) -> None:
    for nobody in ("AF999999", "0", "af1", "-5", "1" * 30):
        assert gateway.invoke("delivery", "list", "--", nobody).exit_code == 2
    assert gateway.invoke("delivery", "show", "lead_AF999999_217000000000001_2").exit_code == 2
