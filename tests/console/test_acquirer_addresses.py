"""Addresses in forms of accounts: which are public, and which secrets are typed again."""

import pytest

from hundi.acquirers.kind_fields import FieldProblem, fields_of_kind, problems_of
from hundi.acquirers.kinds import installed, kind_of
from hundi.console.acquirer_addresses import (
    PUBLIC,
    TYPED_AGAIN,
    address_lines,
    in_forms,
    inner_hosts,
    untyped_secrets,
)

SWITCH = fields_of_kind(kind_of("iso8583", {"kind": "iso8583"}))
SETU = fields_of_kind(kind_of("setu", {"kind": "setu"}))
SETU_ALLOWED = next(each.allowed for each in SETU if each.name == "url")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "169.254.169.254",
        "10.1.2.3",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fe80::1]",
        "localhost",
        "db.localhost",
        "postgres",
        "internal.corp",
        "metadata.google.internal",
        "printer.local",
    ],
)
def test_hosts_of_our_own_network_are_not_for_forms(host: str) -> None:
    address = f"https://{host}/latest"
    assert inner_hosts(SETU, {"url": address}) == (FieldProblem("url", address, PUBLIC),)
    bare = host.strip("[]")
    assert inner_hosts(SWITCH, {"host": bare, "port": 5432}) == (
        FieldProblem("host", bare, PUBLIC),
    )


@pytest.mark.parametrize(
    "address",
    ["https://uat.setu.co", "https://api.razorpay.com:8443/v1", "https://[2606:4700::1111]/v1"],
)
def test_public_hosts_are(address: str) -> None:
    assert inner_hosts(SETU, {"url": address}) == ()


def test_an_address_in_the_clear_is_not() -> None:
    assert inner_hosts(SETU, {"url": "http://uat.setu.co"}) != ()


def test_a_form_allows_what_it_takes() -> None:
    hints = {each.name: each.allowed for each in (*in_forms(SETU), *in_forms(SWITCH))}
    assert (hints["url"], hints["host"]) == (PUBLIC, PUBLIC)
    assert hints["port"] == "a whole number from 1 to 65535"


def test_a_changed_address_or_port_wants_every_stored_secret() -> None:
    for changed in ({"host": "switch.bank.example"}, {"port": 99}, {"host": None}):
        found = untyped_secrets(SWITCH, {**changed, "mac_key": "00"}, ["mac_key", "mac_key_before"])
        assert found == (FieldProblem("mac_key_before", "nothing", TYPED_AGAIN),)
    taken = {"port": 99, "mac_key": "00", "mac_key_before": None}
    assert untyped_secrets(SWITCH, taken, ["mac_key", "mac_key_before"]) == ()
    assert untyped_secrets(SWITCH, {"echo_s": 30.0}, ["mac_key"]) == ()


def test_a_request_names_both_addresses() -> None:
    assert address_lines(SETU, {}, {"url": "https://new.example"}) == (
        "url: secrets are sent to https://new.example, until now to the acquirer's own"
    )
    assert address_lines(SETU, {}, {"product_instance_id": "1"}) == ""


def test_every_address_of_every_kind_is_marked() -> None:
    """A field whose name says that it is an address, and whose pages customers do not visit."""
    unmarked = [
        (name, field.name)
        for name in installed()
        for field in fields_of_kind(kind_of(name, {"kind": name}))
        if field.name.endswith(("url", "host", "port")) and not field.is_address
    ]
    assert unmarked == []


def test_what_a_kind_allows_is_looked_at_first() -> None:
    _, problems = problems_of(SETU, {"url": "https://us@evil.example"})
    assert FieldProblem("url", "https://us@evil.example", SETU_ALLOWED) in problems
