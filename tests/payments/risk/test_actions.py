"""Tries that are counted and checked before the bank is called, on a real database."""

import asyncio
from datetime import timedelta
from hashlib import sha256

import msgspec
import pytest
from asyncpg import PostgresError
from msgspec import structs

from hundi.acquirers.port.answers import Approved, Declined
from hundi.infra.postgres.database import Database
from hundi.instruments.card import CardNumber
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import PaymentKind
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import store as orders
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import PaymentView
from hundi.payments.risk import actions as risk
from hundi.payments.risk import store
from hundi.payments.risk.actions import PayerTrace, RiskControl
from hundi.payments.risk.counting.rules import Tally
from hundi.payments.risk.rules import (
    OPERATOR,
    Action,
    Facts,
    Metric,
    RiskCount,
    RiskVerdict,
    Subject,
)
from hundi.staff.trail import store as trail
from hundi.staff.trail.actions import Who, at_command_line
from tests.shop import NOW, VAULT, Shop

ASHA, OMKAR = Who(7, "Asha Iyer", VAULT, "198.51.100.7"), at_command_line("omkar", VAULT)
FIREFOX = PayerTrace("203.0.113.7", ("Mozilla/5.0 Firefox/130.0", "en-IN"))
TRIES = RiskCount(Metric.TRIES, Subject.IP_ADDRESS, 60)
CARDS = RiskCount(Metric.CARDS, Subject.IP_ADDRESS, 60)


def card(number: int) -> CardNumber:
    """Return one of many different cards."""
    return CardNumber(f"{4_000_000_000_000_000 + number}", 12, 2040, "123")


async def publish(shop: Shop, *rules: str, owner: int = OPERATOR) -> Shop:
    """Put rules into force and return the shop as a process that has read them."""
    text = (
        "\n".join(f'[[rules]]\nname = "r{place}"\n{rule}' for place, rule in enumerate(rules))
        or "rules = []"
    )
    assert isinstance(await risk.publish(shop.db, owner, text, ASHA, NOW), int)
    return replace(shop, context=replace(shop.context, risk=RiskControl(shop.db, VAULT)))


async def pay(shop: Shop, number: int = 1, payer: PayerTrace = FIREFOX) -> PaymentView:
    """Try a card on a new order and return the order."""
    view = await shop.order()
    case = await shop.case(view.payment.payment_id, payer=payer)
    await cards.pay(case, card(number), lambda _: "http://us/3ds")
    return await shop.again(view)


async def refused(shop: Shop, number: int = 1, payer: PayerTrace = FIREFOX) -> RefusalCode:
    """Return why a card may not be tried."""
    with pytest.raises(Refused) as found:
        await pay(shop, number, payer)
    return found.value.refusal.code


async def decline(shop: Shop, number: int, payer: PayerTrace = FIREFOX) -> None:
    """Try a card that its bank declines after the challenge."""
    view = await pay(shop, number, payer)
    shop.bank.authorisations.append(Declined("05", "Do not honour"))
    (tried,) = [each for each in view.attempts if each.method == "card"]
    await authentication.finish_card(shop.context, shop.merchant, tried.attempt_id, NOW)


LARGE = (
    'action = "block"\nwhen = [{field = "amount_paise", above = 100}, {field = '
    '"channel", is = "pg"}]'
)


async def test_a_blocked_try_calls_no_bank_and_is_told_in_the_story(shop: Shop) -> None:
    shop = await publish(shop, LARGE)
    view = await shop.order()
    case = await shop.case(view.payment.payment_id, payer=FIREFOX)
    with pytest.raises(Refused) as found:
        await cards.pay(case, card(1), lambda _: "")
    assert found.value.refusal.code is RefusalCode.RISK_BLOCKED
    assert shop.bank.calls == []
    after = await shop.again(view)
    assert [each.method for each in after.attempts] == ["upi_qr"]
    assert after.payment.state is view.payment.state
    events = await orders.select_events(shop.db, shop.merchant.merchant_id, view.payment.payment_id)
    assert [(row["kind"], row["actor"]) for row in events] == [
        ("created", "merchant"),
        ("risk_blocked", "gateway"),
    ]
    (block,) = await store.select_blocks(
        shop.db, shop.merchant.merchant_id, view.payment.payment_id
    )
    assert block["event_no"] == 2
    said = block["risk"]["verdict"]
    assert (said["action"], said["rule"], said["version"]) == ("block", "r0", 1)
    assert "amount_paise above 100" in said["because"]
    assert block["risk"]["seen"]["card_bin"] == "400000"
    assert str(card(1).number) not in str(block)


async def test_what_was_seen_is_kept_with_an_attempt(shop: Shop) -> None:
    view = await pay(shop)
    (tried,) = [each for each in view.attempts if each.method == "card"]
    seen = tried.risk.seen
    assert (seen.ip_address, seen.card_bin, seen.card_scheme) == ("203.0.113.7", "400000", "Visa")
    assert len(seen.card) == len(seen.device) == 32
    assert tried.risk.verdict == RiskVerdict()


async def test_a_merchants_rules_are_its_own(shop: Shop) -> None:
    shop = await publish(shop, LARGE, owner=shop.merchant.merchant_id)
    assert await refused(shop) is RefusalCode.RISK_BLOCKED
    elsewhere = await publish(shop, LARGE, owner=shop.merchant.merchant_id + 1)
    assert [
        each.owner for each in await elsewhere.context.risk.rule_sets(shop.merchant.merchant_id)
    ] == [
        OPERATOR,
        shop.merchant.merchant_id,
    ]
    assert (await elsewhere.context.risk.rule_sets(99))[0].version == 0


async def test_publishing_adds_a_version_and_changes_none(shop: Shop) -> None:
    assert (await risk.live(shop.db, OPERATOR)).rules
    shop = await publish(shop, LARGE)
    shop = await publish(shop)
    assert await risk.live(shop.db, OPERATOR) == replace(
        await risk.live(shop.db, OPERATOR), rules=(), version=2
    )
    kept = await store.select_version(shop.db, OPERATOR, 1)
    assert kept is not None
    assert "r0" in kept["document"]
    assert (await pay(shop)).live


async def test_two_operators_who_publish_at_once_get_two_versions(shop: Shop) -> None:
    text = "rules = []"
    versions = await asyncio.gather(
        *(risk.publish(shop.db, OPERATOR, text, ASHA, NOW) for _ in range(4))
    )
    assert sorted(each for each in versions if isinstance(each, int)) == [1, 2, 3, 4]


async def test_a_document_with_a_mistake_is_not_published(shop: Shop) -> None:
    found = await risk.publish(shop.db, OPERATOR, "rules = 7", ASHA, NOW)
    assert not isinstance(found, int)
    assert await store.select_live(shop.db, OPERATOR) is None
    assert await told(shop.db, OPERATOR) == []


async def told(db: Database, owner: int) -> list[tuple[str, str, str, dict[str, object]]]:
    """Return the entries of a trail about rule sets, newest first."""
    found = await trail.select_page(db, owner, act=risk.NOUN)
    return [(each.person, each.act, each.about, msgspec.json.decode(each.detail)) for each in found]


async def test_a_rule_set_is_in_force_with_its_entries_in_the_trails(shop: Shop) -> None:
    merchant_id, document = shop.merchant.merchant_id, "rules = []"
    said = {"rules": 0, "sha256": sha256(document.encode()).hexdigest()}
    assert await risk.publish(shop.db, OPERATOR, document, ASHA, NOW) == 1
    assert await told(shop.db, OPERATOR) == [(ASHA.name, "risk.publish", "1", said)]
    assert await risk.publish(shop.db, merchant_id, document, OMKAR, NOW) == 1
    assert await told(shop.db, merchant_id) == [(OMKAR.name, "risk.publish", "1", said)]
    of_merchant = said | {"merchant": str(merchant_id)}
    assert (await told(shop.db, OPERATOR))[0] == (OMKAR.name, "risk.publish", "1", of_merchant)
    live = await store.select_live(shop.db, merchant_id)
    assert live is not None
    assert live["published_by"] == OMKAR.name


@pytest.mark.parametrize("place", [0, 1])
async def test_a_rule_set_without_one_of_its_entries_is_not_in_force(
    shop: Shop, place: int
) -> None:
    merchant_id = shop.merchant.merchant_id
    await shop.db.execute(
        "CREATE TRIGGER untold BEFORE INSERT ON trail_entries FOR EACH ROW "
        f"WHEN (NEW.merchant_id = {(OPERATOR, merchant_id)[place]}) EXECUTE FUNCTION "
        "refuse_change()"
    )
    with pytest.raises(PostgresError):
        await risk.publish(shop.db, merchant_id, "rules = []", ASHA, NOW)
    assert await store.select_live(shop.db, merchant_id) is None
    assert await told(shop.db, OPERATOR) == []


async def test_declined_cards_of_one_address_are_stopped(shop: Shop) -> None:
    rule = (
        'action = "block"\nwhen = [{count = "declined_cards", by = "ip_address", within = '
        '"1h", at_least = 3}]'
    )
    shop = await publish(shop, rule)
    for number in (1, 2, 2, 3):
        await decline(shop, number)
    assert await refused(shop, 4) is RefusalCode.RISK_BLOCKED
    assert (await pay(shop, 4, PayerTrace("198.51.100.1"))).live


async def test_the_default_stops_card_testing(shop: Shop) -> None:
    for number in range(8):
        await decline(shop, number)
    assert await refused(shop, 8) is RefusalCode.RISK_BLOCKED
    asked = [kind for kind, _ in shop.bank.calls if kind == "authenticate"]
    assert len(asked) == 8


async def test_an_amount_counts_until_it_is_declined(shop: Shop) -> None:
    amount = (await shop.order()).payment.amount.paise
    rule = (
        'action = "block"\nwhen = [{{count = "amount_paise", by = "merchant", within = '
        '"1d", above = {}}}]'
    )
    shop = await publish(shop, rule.format(2 * amount))
    await pay(shop)
    await decline(shop, 2)
    await pay(shop)
    assert await refused(shop) is RefusalCode.RISK_BLOCKED


async def test_a_cap_of_a_merchant_counts_qrs_that_were_paid(shop: Shop) -> None:
    rule = 'action = "block"\nwhen = [{count = "tries", by = "merchant", within = "1h", above = 1}]'
    shop = await publish(shop, rule)
    view = await shop.order()
    assert view.offered is not None
    paid = Approved(view.payment.amount, "632512345678", payer_vpa="asha@hundi")
    await attempts.settle(PaymentCase(shop.context, shop.merchant, view, NOW), view.offered, paid)
    second = await shop.order()
    assert second.offered is None
    with pytest.raises(Refused) as found:
        await upi.offer_qr(await shop.case(second.payment.payment_id))
    assert found.value.refusal.code is RefusalCode.RISK_BLOCKED
    events = await orders.select_events(
        shop.db, shop.merchant.merchant_id, second.payment.payment_id
    )
    assert [row["kind"] for row in events] == ["created", "risk_blocked", "risk_blocked"]


async def test_blocked_tries_without_end_do_not_fill_the_story(shop: Shop) -> None:
    shop = await publish(shop, LARGE)
    view = await shop.order()
    for _ in range(210):
        case = await shop.case(view.payment.payment_id, payer=FIREFOX)
        with pytest.raises(Refused):
            await cards.pay(case, card(1), lambda _: "")
    assert (await shop.again(view)).payment.revision == 200


CHALLENGE = 'action = "challenge"\nwhen = [{field = "amount_paise", above = 100}]'


async def test_a_challenge_is_asked_of_the_cards_bank(shop: Shop) -> None:
    (tried,) = [each for each in (await pay(shop)).attempts if each.method == "card"]
    assert not attempts.charge_of(tried).challenge
    shop = await publish(shop, CHALLENGE)
    (tried,) = [each for each in (await pay(shop)).attempts if each.method == "card"]
    assert attempts.charge_of(tried).challenge


async def test_a_card_by_telephone_cannot_be_challenged_and_is_blocked(shop: Shop) -> None:
    shop = await publish(shop, CHALLENGE)
    settings = structs.replace(shop.merchant.settings, moto=True)
    merchant = replace(shop.merchant, settings=settings)
    view = await shop.order(kind=PaymentKind.MOTO)
    with pytest.raises(Refused) as found:
        await cards.pay(
            await payable(shop.context, merchant, view.payment.payment_id, NOW),
            card(1),
            lambda _: "",
        )
    assert found.value.refusal.code is RefusalCode.RISK_BLOCKED
    assert shop.bank.calls == []


# --- counts ---


def tried(number: int, payer: str = "203.0.113.7") -> Facts:
    return Facts(100, card=f"{number:032x}", ip_address=payer, merchant="12345")


HASHES = {subject: bytes([place]) * 16 for place, subject in enumerate(Subject)}
ALL = Tally(
    ((Subject.IP_ADDRESS, True), (Subject.MERCHANT, False)), (Subject.IP_ADDRESS,), (CARDS, TRIES)
)


async def test_tries_that_race_are_all_counted(shop: Shop) -> None:
    """Of two at once, the second counts the first: each of them sees another number."""
    seen = await asyncio.gather(
        *(store.count_try(shop.db, ALL, tried(each), HASHES, NOW) for each in range(12))
    )
    assert sorted(each[TRIES] for each in seen) == list(range(1, 13))
    assert sorted(each[CARDS] for each in seen) == list(range(1, 13))


async def test_the_same_card_is_counted_once(shop: Shop) -> None:
    for _ in range(3):
        counts = await store.count_try(shop.db, ALL, tried(1), HASHES, NOW)
    assert (counts[TRIES], counts[CARDS]) == (3, 1)


async def test_counts_forget_what_is_older_than_they_ask(shop: Shop) -> None:
    await store.count_try(shop.db, ALL, tried(1), HASHES, NOW)
    later = await store.count_try(shop.db, ALL, tried(2), HASHES, NOW + timedelta(minutes=59))
    assert (later[TRIES], later[CARDS]) == (2, 2)
    latest = await store.count_try(shop.db, ALL, tried(3), HASHES, NOW + timedelta(minutes=62))
    assert (latest[TRIES], latest[CARDS]) == (2, 2)


async def test_another_merchants_tries_do_not_count(shop: Shop) -> None:
    await store.count_try(shop.db, ALL, replace(tried(1), merchant="54321"), HASHES, NOW)
    assert (await store.count_try(shop.db, ALL, tried(2), HASHES, NOW))[TRIES] == 1


async def test_old_counts_are_swept(shop: Shop) -> None:
    await store.count_try(shop.db, ALL, tried(1), HASHES, NOW - timedelta(days=9))
    await store.count_try(shop.db, ALL, tried(2), HASHES, NOW)
    await risk.sweep(shop.db, NOW)
    assert await shop.db.fetchval("SELECT count(*) FROM risk_counts") == 2
    assert await shop.db.fetchval("SELECT count(*) FROM risk_cards") == 1


async def test_neither_card_nor_address_stands_in_the_counts(shop: Shop) -> None:
    await decline(shop, 1)
    kept = str(await shop.db.fetch("SELECT * FROM risk_counts")) + str(
        await shop.db.fetch("SELECT * FROM risk_cards")
    )
    assert kept.count("Record") >= 3
    for secret in ("4000000000000001", "203.0.113.7", "Firefox"):
        assert secret not in kept
        assert secret.encode().hex() not in kept


async def test_without_rules_that_count_nothing_is_counted(shop: Shop) -> None:
    shop = await publish(shop, LARGE.replace("100}", "100000000}"))
    await decline(shop, 1)
    assert await shop.db.fetchval("SELECT count(*) FROM risk_counts") == 0
    assert await shop.db.fetchval("SELECT count(*) FROM risk_cards") == 0


async def test_an_allowed_try_needs_no_verdict(shop: Shop) -> None:
    verdict = await shop.context.risk.check(tried(1), NOW)
    assert verdict.action is Action.ALLOW
