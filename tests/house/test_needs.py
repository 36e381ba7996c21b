"""The needs of a statement include its functions, triggers and constraints."""

import asyncpg

from tests.house.needs import Need, asked_by, catalogue_of, read_in

_MADE_UP = """
CREATE FUNCTION last() RETURNS void LANGUAGE sql AS 'DELETE FROM offers WHERE false';
CREATE FUNCTION first(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM last();
    UPDATE leads SET state = state WHERE false;  -- no word about payments
    RETURN n;
END $$;
CREATE FUNCTION as_owner() RETURNS void LANGUAGE sql SECURITY DEFINER
    AS 'DELETE FROM payments WHERE false';
CREATE FUNCTION on_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM partners;
    RETURN NEW;
END $$;
CREATE FUNCTION of_a_constraint(n bigint) RETURNS boolean LANGUAGE sql AS 'SELECT n > 0';
CREATE TRIGGER made_up BEFORE UPDATE ON leads FOR EACH ROW EXECUTE FUNCTION on_update();
ALTER TABLE bank_days ADD CHECK (of_a_constraint(1));
"""


async def test_what_functions_triggers_and_constraints_need_is_followed(fresh_url: str) -> None:
    connection = await asyncpg.connect(fresh_url)
    await connection.execute(_MADE_UP)
    await connection.close()
    texts = {
        "call": "SELECT first(merchant_id) FROM merchants",
        "owner": "SELECT as_owner()",
        "lock": "SELECT FROM merchants m, partners FOR UPDATE OF m",
        "write": "INSERT INTO bank_days (day) VALUES ($1)",
        "part": "FROM merchants",
    }
    asked = await asked_by(fresh_url, texts)
    assert asked == {
        "call": {Need("S", "merchants"), Need("X", "first")},
        "owner": {Need("X", "as_owner")},
        "lock": {Need("S", "merchants"), Need("U", "merchants"), Need("S", "partners")},
        "write": {Need("I", "bank_days")},
    }
    catalogue = await catalogue_of(fresh_url)
    assert catalogue.all_needs(asked["owner"]) == asked["owner"]
    assert catalogue.all_needs(asked["write"]) == {
        Need("I", "bank_days"),
        Need("X", "of_a_constraint"),
    }
    of_first = {Need("X", "last"), Need("S", "leads"), Need("U", "leads")}
    of_last, of_trigger = {Need("D", "offers"), Need("S", "offers")}, {Need("S", "partners")}
    assert catalogue.all_needs(asked["call"]) == asked["call"] | of_first | of_last | of_trigger


def test_words_tell_apart_what_is_read_written_and_locked() -> None:
    assert read_in("INSERT INTO offers (a) VALUES ('FROM leads') ON CONFLICT DO NOTHING") == {
        Need("I", "offers")
    }
    looks_back = "INSERT INTO offers (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2"
    assert read_in(looks_back) == {Need(letter, "offers") for letter in "SIU"}
    assert read_in("SELECT FROM offers; SELECT FROM leads FOR SHARE") == {
        Need("S", "offers"),
        Need("S", "leads"),
        Need("U", "leads"),
    }
