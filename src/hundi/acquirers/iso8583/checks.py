"""An operator's checks of a line to a bank's switch before it takes money (docs/iso8583.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "wrong-key", "sign-on with another MAC key", "silence or a refusal; nothing is charged"
    ),
    AccountCheck(
        "paid",
        "0200 of ₹1 with a card of the bank's test system",
        "0210 with 00 and fields 4 and 37",
        paid=True,
    ),
    AccountCheck(
        "declined",
        "0200 with a card that the bank declines",
        "0210 with the bank's code, and no reversal",
    ),
    AccountCheck(
        "held",
        "0100, then 0220 of a part",
        "0110 and 0230 with 00; the bank collects the part",
        paid=True,
    ),
    AccountCheck(
        "voided", "0100, then 0400", "0110 and 0410 with 00; the bank holds nothing", paid=True
    ),
    AccountCheck(
        "refunded",
        "0200 with processing code 20 and field 90",
        "0210 with 00; found without field 2",
        paid=True,
    ),
    AccountCheck(
        "silent",
        "0200 while the bank's answers are held back",
        "0400, 0401 until 0410; nothing is charged",
        paid=True,
    ),
    AccountCheck(
        "late",
        "0200 that the bank gets after its reversal",
        "declined by the bank, or reversed again",
        paid=True,
    ),
    AccountCheck("unknown", "0400 about a message that the bank never got", "0410 with 25"),
    AccountCheck("cut", "the connection, cut by the bank", "sign-on again with the next payment"),
)
