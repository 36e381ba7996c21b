"""The bank list: which channels and banks are open to a merchant.

See docs/spec/payment-interfaces.md#banks.
"""

from collections.abc import Sequence

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation


@message(of_the_page=None)
class BanksRequest:
    """Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all."""

    channels: Sequence[str] = sent(
        kinds.CHANNELS, "chmod", "Restricts the list to these channels", default=()
    )
    # Optional here: the merchant's registered domains decide whether it is required.
    shop: str = sent(kinds.SHOP, "mer_dom", default="")


@message()
class Bank:
    """One bank of a channel, or a channel without banks: then code and name are "".

    channel: `upi`, `nb`, `ppc`, `emi` and so on. code: IFSC bank code, four letters, with `_C` for
    corporate net banking. health: `up`, `degraded` or `down` as of now; "" where the gateway does
    not say. minimum_paise, maximum_paise: of one payment; None where there is no bound.
    """

    channel: str = sent(kinds.WORDS, "chmod")
    channel_name: str = sent(kinds.WORDS)
    title: str = sent(kinds.WORDS)
    description: str = sent(kinds.WORDS, default="")
    code: str = sent(kinds.WORDS, "bank_code", default="")
    name: str = sent(kinds.WORDS, "bank_name", default="")
    health: str = sent(kinds.WORDS, default="")
    minimum_paise: int | None = sent(kinds.LIMIT, "min_amount", default=None)
    maximum_paise: int | None = sent(kinds.LIMIT, "max_amount", default=None)


@message(bare=True)
class Banks:
    """Every bank of every channel that is open."""

    banks: tuple[Bank, ...] = sent(kinds.objects(Bank))


BANKS = Operation(
    "banks",
    "banks",
    "banks",
    "Get bank list",
    "payment-interfaces.md#banks",
    ("banks/",),
    BanksRequest,
    Banks,
    "read",
    words="Safe to repeat.",
    gives="banks",
)
