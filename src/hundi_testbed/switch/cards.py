"""The test cards of the simulated switch, by their effect. Any other card is approved."""

from enum import StrEnum


class Play(StrEnum):
    """The course of one purchase or hold."""

    APPROVE = "approve"
    """Approved and answered."""
    NO_FUNDS = "no_funds"
    """Declined with 51."""
    ISSUER_DOWN = "issuer_down"
    """Answered with 91: the outcome is unknown."""
    SILENT = "silent"
    """Approved and never answered."""
    LOST = "lost"
    """Never read, never answered."""
    LATE = "late"
    """Approved at once and answered after the time-out."""
    TWICE = "twice"
    """Approved and answered two times."""
    WRONG_MAC = "wrong_mac"
    """Approved and answered with an invalid authentication code."""
    GARBAGE = "garbage"
    """Approved and answered with bytes that are no message."""
    HALF = "half"
    """Approved and answered with half a message, then the connection ends."""
    CUT = "cut"
    """Approved, then the connection ends without an answer."""
    DEAF = "deaf"
    """Approved and never answered, and the first two reversals are not heard."""
    OVERTAKEN = "overtaken"
    """Read only after its reversal came, approved then, and answered."""
    OTHER_AMOUNT = "other_amount"
    """Approved, and answered with another amount."""
    PARTLY = "partly"
    """Approved for a part with code 10."""
    OTHER_REFERENCE = "other_reference"
    """Approved, and answered with another field 37."""
    NO_REFERENCE = "no_reference"
    """Approved, and answered without field 37."""


CARDS = {
    "4000120000000016": Play.NO_FUNDS,
    "4000120000000024": Play.ISSUER_DOWN,
    "4000120000000032": Play.SILENT,
    "4000120000000040": Play.LOST,
    "4000120000000057": Play.LATE,
    "4000120000000065": Play.TWICE,
    "4000120000000073": Play.WRONG_MAC,
    "4000120000000081": Play.GARBAGE,
    "4000120000000099": Play.HALF,
    "4000120000000107": Play.CUT,
    "4000120000000115": Play.DEAF,
    "4000120000000123": Play.OVERTAKEN,
    "4000120000000131": Play.OTHER_AMOUNT,
    "4000120000000149": Play.PARTLY,
    "4000120000000156": Play.OTHER_REFERENCE,
    "4000120000000164": Play.NO_REFERENCE,
}
