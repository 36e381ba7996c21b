"""The rule about the shape of statements finds what it is for."""

import pytest

from tests.house.test_shapes import faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "with a as (update t set b = 'x' where merchant_id = $1 returning 1) select 1",
            "a CTE changes rows",
        ),
        (
            "with a as materialized (\n insert into t (merchant_id) values ($1)) select 1",
            "a CTE changes rows",
        ),
        (
            "insert into t (merchant_id, b) select $1, b from payments where merchant_id = $1",
            "inserts what it selects",
        ),
        (
            "insert into t as c (merchant_id) with a as (select 1) select $1 from a",
            "inserts what it selects",
        ),
        ("insert into t select * from unnest($1::bigint[])", "inserts what it selects"),
        (
            "update t set b = case c when 1 then 2 end where merchant_id = $1",
            "CASE of a value in an UPDATE",
        ),
        (
            "update t set a = 1, b = list[i] where merchant_id = owner",
            "a column is set from an array's element",
        ),
        (
            "update t set b = list[i]::text, a = 1 where merchant_id = owner",
            "a column is set from an array's element",
        ),
        (
            "update t set b_at = c_at + $2 where merchant_id = $1",
            "adds to a moment by the session's time zone",
        ),
        (
            "update t set b = 1 where merchant_id = $1 and c_at - $2 > $3",
            "adds to a moment by the session's time zone",
        ),
        (
            "update t set c_from = c_from + $2 where merchant_id = $1",
            "adds to a moment by the session's time zone",
        ),
        (
            "update t set b = to_timestamp(extract(epoch from c) + 5) where merchant_id = $1",
            "takes a moment apart by the session's time zone",
        ),
        ("select pg_advisory_xact_lock($1)", "an advisory lock"),
        ("update t set b = 1 where merchant_id = s.merchant_id", "changes rows of no given owner"),
        ("delete from t where at < $1 -- merchant_id = $1", "changes rows of no given owner"),
    ],
)
def test_a_wrong_shape_is_found(text: str, fault: str) -> None:
    assert fault in faults(text)


@pytest.mark.parametrize(
    "text",
    [
        (
            "insert into t (merchant_id, b) values ($1, $2) on conflict (merchant_id) do update"
            " set b = excluded.b"
        ),
        (
            "update t set b = case when c = 1 then 2 else 3 end where merchant_id = $1 and id ="
            " any ($2)"
        ),
        (
            "update t set b_at = (c_at at time zone 'UTC' + $2) at time zone 'UTC' where"
            " merchant_id = $1"
        ),
        "update t set b = coalesce(list[i], b) where merchant_id = owner",
        "with a as (select 1 from payments where merchant_id = $1) select 1 from a",
    ],
)
def test_a_right_shape_is_no_offence(text: str) -> None:
    assert faults(text) == set()
