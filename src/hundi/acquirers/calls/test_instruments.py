"""Test numbers and addresses, which only the simulator accepts; live acquirers never get them."""

from hundi.acquirers.port.answers import Declined

# Published test cards: those of our simulator, and those of well-known sandboxes that people paste
# by mistake.
TEST_CARD_NUMBERS = frozenset(
    {
        "4111111111111111",
        "5267318187975449",
        "6082015309577308",
        "378282246310005",
        "4000000000000002",
        "4000000000009995",
        "4000000000000069",
        "4000000000000119",
        "4000000000000341",
        "4000000000003220",
        "4000056655665556",
        "4000610000000008",
        "4000620000000007",
        "4000630000000006",
        "4000640000000005",
        "4242424242424242",
        "4012888888881881",
        "5555555555554444",
        "5105105105105100",
        "371449635398431",
        "30569309025904",
        "6011111111111117",
        "3530111333300000",
    }
)
TEST_VPA_HANDLES = frozenset({"hundi", "simbank"})
CODE_INVALID_CARD = "14"
CODE_INVALID_ADDRESS = "ZH"
_WORDS = "Test numbers and test addresses work only with the simulated bank."


def is_test_card(number: str) -> bool:
    """Return whether a card number (digits only) is a published test number."""
    return number in TEST_CARD_NUMBERS


def is_test_vpa(vpa: str) -> bool:
    """Return whether a UPI address belongs to the simulated network."""
    return vpa.rpartition("@")[2].lower() in TEST_VPA_HANDLES


def decline_test_card(number: str) -> Declined | None:
    """Return a live connector's answer to a test card, or None when the card may be used.

    Every connector that is not the simulator asks this before its first call. See
    docs/spec/domain.md#test-instruments.
    """
    return Declined(CODE_INVALID_CARD, _WORDS) if is_test_card(number) else None


def decline_test_vpa(vpa: str) -> Declined | None:
    """Return a live connector's answer to a test address, None for any other address."""
    return Declined(CODE_INVALID_ADDRESS, _WORDS, not_registered=True) if is_test_vpa(vpa) else None
