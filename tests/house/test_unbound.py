"""The rules of test_schema.py find wrong statements."""

import pytest

from tests.house.test_schema import is_clean_up, is_plain, unbound


@pytest.mark.parametrize(
    "text",
    [
        "select state from payments where payment_id = $1",
        "update payments set state = $2 where payment_id = $1",
        "delete from payments",
        "insert into payments (payment_id, merchant_id) values ($1, $2)",
        "with due as (select payment_id from payments) select from due",
        (
            "select 1 from refunds where merchant_id = $1 and exists (select from payments where"
            " payment_id = $2)"
        ),
        (
            "select 1 from refunds r join payments p on p.payment_id = r.payment_id -- merchant_id"
            " = $1"
        ),
        "select 'merchant_id = $1' from payments",
        "select 1 from refunds join payments using (merchant_id, payment_id)",
        "select merchant_id from payments where merchant_id > $1 and state in ('open')",
    ],
)
def test_a_statement_about_everybody_is_found(text: str) -> None:
    assert unbound(text, {"payments", "refunds"})


@pytest.mark.parametrize(
    "text",
    [
        "select state from payments where merchant_id = $1",
        "select state from payments where (merchant_id, payment_id) in (select $1, $2)",
        "insert into payments (merchant_id, payment_id) values ($1, $2)",
        (
            "select 1 from refunds join payments using (merchant_id, payment_id) where merchant_id"
            " = $1"
        ),
        "select value from settings",
    ],
)
def test_a_statement_about_one_merchant_is_no_offence(text: str) -> None:
    assert unbound(text, {"payments", "refunds"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "update payments set state = 'x' where due_at <= $1 returning merchant_id",
        "with gone as (delete from payments where at < $1) select 1",
        "select merchant_id from payments where due_at <= $1 for update skip locked",
        "select merchant_id from payments where due_at <= $1 for no key update",
        "with recursive busy as (select merchant_id from payments) select * from busy",
        "select 1 from payments cross join lateral (select 1 from refunds) as r",
        "delete from payments where at < $1",
    ],
)
def test_a_claim_across_merchants_is_found(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "delete from payments where state = $1",
        "delete from payments",
        "update payments set state = 'x' where at < $1",
    ],
)
def test_a_clean_up_that_looks_at_more_than_the_age_is_found(text: str) -> None:
    assert not is_clean_up(text)


def test_a_look_and_a_clean_up_are_no_offence() -> None:
    assert is_plain(
        "select merchant_id, payment_id from payments where due_at <= $1 order by due_at limit $2"
    )
    assert is_clean_up("delete from payments where at < $1")
