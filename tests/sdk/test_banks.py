"""Channels and banks as typed values."""

from tests.sdk.both_clients import Call
from tests.sdk.gateway_double import GatewayDouble


def test_banks_are_typed(call: Call) -> None:
    upi, bank = call(GatewayDouble(), "banks")
    assert (upi.channel, upi.code, upi.health) == ("upi", "", "up")
    assert (upi.minimum_paise, upi.maximum_paise) == (100, 10_000_000)
    assert (bank.channel, bank.channel_name, bank.title, bank.description) == (
        "nb",
        "Net banking",
        "Net banking",
        "Pay from your account",
    )
    assert (bank.code, bank.name, bank.health, bank.maximum_paise) == (
        "HDFC",
        "HDFC Bank",
        "degraded",
        None,
    )


def test_banks_of_some_channels_for_a_shop(call: Call) -> None:
    double = GatewayDouble()
    assert [each.channel for each in call(double, "banks", ["nb", "emi"])] == ["nb"]
    assert double.opened[-1]["chmod"] == "nb_emi"
    assert double.opened[-1]["mer_dom"] == "aHR0cHM6Ly9zaG9wLmV4YW1wbGU="
