"""A lost node: one merchant's rows cannot be reached, and nobody else notices it.

Played on one server, at the database: reading or writing a row of the lost merchant is refused with
the words and the code of a coordinator that cannot reach a node, and what `infra/postgres/looks.py`
asks Citus is answered.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hundi.console.navigation import GROUPS
from hundi.payments.risk.rules import OPERATOR as OPERATORS
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_payouts import GOOD, Operators

pytestmark = pytest.mark.not_on_citus("a cluster refuses by itself")

LEFT_OUT = "not all: 1 pieces of the cluster cannot be reached, and their merchants are left out"
_OF_MERCHANTS = """
SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    AND a.attname = 'merchant_id'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
"""
_CITUS = (
    "CREATE TABLE lost_homes (merchant_id bigint PRIMARY KEY)",
    """
    CREATE FUNCTION at_home(owner bigint) RETURNS boolean
    LANGUAGE plpgsql COST 100000 SECURITY DEFINER AS $$
    BEGIN
        IF EXISTS (SELECT FROM public.lost_homes l WHERE l.merchant_id = owner) THEN
            RAISE EXCEPTION 'connection to the remote node hundi@10.0.0.3:5432 failed'
                USING ERRCODE = '08006';
        END IF;
        RETURN true;
    END $$
    """,
    """
    CREATE FUNCTION run_command_on_shards(name text, command text) RETURNS TABLE (success boolean,
    result text)
    LANGUAGE sql SECURITY DEFINER AS $$
        SELECT l.merchant_id IS NULL, CASE
            WHEN l.merchant_id IS NULL THEN m.merchant_id::text ELSE 'refused' END
        FROM public.merchants m LEFT JOIN public.lost_homes l USING (merchant_id)
    $$
    """,
    'CREATE TABLE pg_dist_partition (logicalrelid text, partmethod "char", partkey text)',
    (
        "CREATE FUNCTION column_to_column_name(text, text) RETURNS text LANGUAGE sql AS $$ SELECT"
        " 'merchant_id' $$"
    ),
    f"INSERT INTO pg_dist_partition SELECT name, 'h', '' FROM ({_OF_MERCHANTS}) AS owned",
    "GRANT SELECT ON pg_dist_partition TO PUBLIC",
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC",
)


@contextmanager
def lost(gateway: RunningGateway, merchant_id: str) -> Iterator[None]:
    """Lose the node of a merchant for a while."""
    gateway.rows("INSERT INTO lost_homes VALUES ($1)", int(merchant_id))
    try:
        yield
    finally:
        gateway.rows("DELETE FROM lost_homes")


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose tables ask for each row whether its home is there."""
    with RunningGateway(new_folder("homes")) as running:
        for statement in _CITUS:
            running.rows(statement)
        for row in running.rows(_OF_MERCHANTS):
            if row["name"] != "lost_homes":
                running.rows(f"ALTER TABLE {row['name']} ENABLE ROW LEVEL SECURITY")
                running.rows(f"CREATE POLICY home ON {row['name']} USING (at_home(merchant_id))")
        yield running


@pytest.fixture(scope="module")
def living(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose node is there."""
    yield from open_shop(gateway, server, "living")


@pytest.fixture(scope="module")
def away(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose node gets lost."""
    yield from open_shop(gateway, server, "away")


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends hand-made envelopes to this gateway."""
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def run_now(gateway: RunningGateway, *schedules: str) -> None:
    """Let a new worker, which starts while the node is lost, carry out schedules at once."""
    gateway.rows(
        "UPDATE schedules SET due_at = now() - interval '1 day' WHERE name = ANY ($1::text[])",
        [*schedules],
    )
    gateway.kill_part("worker")


def pay(shop: Shop, browser: Browser) -> str:
    """Pay an order by card and return its id."""
    order_id = new_order_id()
    pay_card(browser, shop.open_page(browser, order_id))
    shop.becomes(order_id, 200)
    return order_id


def command(gateway: RunningGateway, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on this gateway's data, as a person does."""
    return gateway.command(*arguments, "--data-dir", str(gateway.data_dir))


def test_payouts_are_listed_of_whom_can_be_reached(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser
) -> None:
    for shop in (living, away):
        operators = Operators(shop)
        operators.add_account(GOOD)
        operators.settle(browser)
        operators.waits_for("prepared")
    listed = gateway.operate("payout", "list")
    assert {each["merchant_id"] for each in listed} == {
        living.merchant.merchant_id,
        away.merchant.merchant_id,
    }
    with lost(gateway, away.merchant.merchant_id):
        told = command(gateway, "payout", "list", "--json")
    assert told.returncode == 0, told.stderr
    assert {each["merchant_id"] for each in json.loads(told.stdout)} == {
        living.merchant.merchant_id
    }
    assert LEFT_OUT in told.stderr


@pytest.mark.parametrize(
    "verb",
    [
        ("merchant", "list"),
        ("settlement", "list"),
        ("settlement", "run"),
        ("review", "list"),
    ],
    ids=" ".join,
)
def test_a_command_about_everybody_answers_for_whom_can_be_reached(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser, verb: tuple[str, ...]
) -> None:
    pay(living, browser)
    pay(away, browser)
    with lost(gateway, away.merchant.merchant_id):
        told = command(gateway, *verb, "--json")
    assert (told.returncode, LEFT_OUT in told.stderr) == (0, True), told.stderr
    json.loads(told.stdout)
    assert away.merchant.merchant_id not in told.stdout
    if verb == ("merchant", "list"):
        assert living.merchant.merchant_id in told.stdout


def test_a_routing_plan_is_tried_on_the_payments_of_whom_can_be_reached(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser, tmp_path: Path
) -> None:
    pay(living, browser)
    pay(away, browser)
    plan = tmp_path / "plan.toml"
    plan.write_text("rules = []\n", "utf-8")
    with lost(gateway, away.merchant.merchant_id):
        told = command(gateway, "route", "try", str(plan), "--json")
    assert (told.returncode, LEFT_OUT in told.stderr) == (0, True), told.stderr
    assert json.loads(told.stdout)["attempts"] > 0


def test_a_command_about_one_merchant_is_that_merchants_matter(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser
) -> None:
    pay(living, browser)
    lost_one, there = away.merchant.merchant_id, living.merchant.merchant_id
    with lost(gateway, lost_one):
        shown = command(gateway, "merchant", "show", there, "--json")
        settled = command(gateway, "settlement", "run", "--merchant", there, "--json")
        refused = [
            command(gateway, "merchant", "show", lost_one),
            command(gateway, "settlement", "run", "--merchant", lost_one),
        ]
    assert (shown.returncode, LEFT_OUT in shown.stderr) == (0, False), shown.stderr
    assert (settled.returncode, json.loads(settled.stdout)[0]["merchant_id"]) == (0, there), (
        settled.stderr
    )
    for each in refused:
        assert (each.returncode, each.stdout) == (2, "")
        words = (
            "node 10.0.0.3:5432 cannot be reached, and what it has is needed for this"
            " (docs/citus.md)"
        )
        assert each.stderr.splitlines()[-1] == words


def test_an_audit_says_that_it_proved_nothing(
    gateway: RunningGateway, away: Shop, browser: Browser
) -> None:
    pay(away, browser)
    with lost(gateway, away.merchant.merchant_id):
        read, told = command(gateway, "audit"), command(gateway, "audit", "--json")
    assert (read.returncode, read.stdout) == (2, "Not proved: node 10.0.0.3:5432 unreachable.\n"), (
        read.stderr
    )
    assert (told.returncode, json.loads(told.stdout)) == (
        2,
        {"holds": False, "not_proved": "node 10.0.0.3:5432 unreachable"},
    )


def test_the_operators_pages_are_of_whom_can_be_reached(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser
) -> None:
    paid, unseen = pay(living, browser), pay(away, browser)
    nouns = [each.path for group in GROUPS.values() for each in group if each.at != "merchant"]
    with session_of(gateway, OPERATOR, "198.51.100.71") as console:
        with lost(gateway, away.merchant.merchant_id):
            pages = {noun: console.get(f"all/{noun}") for noun in nouns}
            own = console.get(f"{living.merchant.merchant_id}/payments")
            others = console.get(f"{away.merchant.merchant_id}/payments")
        # Each process remembers for ten seconds whom it can reach.
        until(
            lambda: unseen in console.get("all/across/payments").text,
            "the lost merchant to be listed again",
        )
    assert {noun: page.status_code for noun, page in pages.items()} == dict.fromkeys(nouns, 200)
    listed = pages["across/payments"].text
    assert (paid in listed, unseen in listed, LEFT_OUT in listed.lower()) == (True, False, True)
    assert (own.status_code, paid in own.text, LEFT_OUT in own.text.lower()) == (200, True, False)
    assert (others.status_code, "This cannot be reached now" in others.text) == (503, True)


def test_payments_go_on_without_the_node_of_the_operators_own_rows(
    gateway: RunningGateway, living: Shop, browser: Browser, tmp_path: Path
) -> None:
    """The operator's rules check every payment, also of a process that has not read them yet."""
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rules]]\nname = "watch"\naction = "challenge"\n'
        'when = [{ field = "amount_paise", above = 1 }]\n',
        "utf-8",
    )
    gateway.operate("risk", "publish", str(rules), "--by", "asha")
    with lost(gateway, str(OPERATORS)):
        gateway.kill_part("api")
        order_id = pay(living, browser)
    (tried,) = gateway.rows(
        "SELECT a.risk->'verdict'->>'rule' AS rule FROM attempts a JOIN payments p"
        " USING (merchant_id, payment_id) WHERE p.order_id = $1 AND a.state = 'paid'",
        order_id,
    )
    assert tried["rule"] == "watch"


def test_a_lost_node_is_the_matter_of_its_merchants_alone(
    gateway: RunningGateway, living: Shop, away: Shop, browser: Browser, sender: Sender
) -> None:
    before = pay(away, browser)
    away.endpoint.hears(away.merchant, before)
    token = sender.token(away.merchant)
    # So that whoever asks all merchants for these meets the one that is lost, as Citus asks each
    # piece.
    gateway.rows(
        "INSERT INTO failing_endpoints (merchant_id, since, problem, probe_at)"
        " VALUES ($1, now(), 'answered 500', now() + interval '1 hour')",
        away.merchant.number,
    )
    with lost(gateway, away.merchant.merchant_id):
        order_id = pay(living, browser)
        living.endpoint.hears(living.merchant, order_id)
        # The worker writes down that it was taken a moment after it was: then it stands.
        told = "SELECT state FROM deliveries WHERE merchant_id = $1"
        number = living.merchant.number
        until(
            lambda: {each["state"] for each in gateway.rows(told, number)} == {"delivered"},
            "it to be written down",
        )
        # Due by its time alone, as a retry is: nobody wakes the worker for it.
        gateway.rows(
            "UPDATE deliveries SET state = 'waiting', due_at = now(), scheduled_from = now(),"
            " tries_before = tries"
            " WHERE merchant_id = $1",
            living.merchant.number,
        )
        living.endpoint.hears(living.merchant, order_id, number=2, within_s=20)
        run_now(gateway, "index_for_search", "seal_books", "roll_checkpoints")
        done = (
            (
                "SELECT FROM search_keys k JOIN payments p USING (merchant_id, payment_id) WHERE"
                " p.order_id = $1"
            ),
            (
                "SELECT FROM chain_links l JOIN payments p USING (merchant_id) WHERE l.id ="
                " p.payment_id AND p.order_id = $1"
            ),
        )
        for query in done:
            until(lambda query=query: gateway.rows(query, order_id), query, within_s=40)
        listed = gateway.command(
            "payment", "list", living.merchant.merchant_id, "--data-dir", str(gateway.data_dir)
        )
        assert (listed.returncode, order_id in listed.stdout) == (0, True), listed.stderr
        reply = sender.verify(away.merchant, {"orderid": before}, token=token)
        assert (reply.code, reply.headers.get("retry-after")) == ("992", "5"), reply.envelope
        gateway.kill_part("api")
        pay(living, browser)
    until(lambda: away.verify(before).status_code == 200, "the lost merchant to be served again")
