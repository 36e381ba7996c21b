"""The channels and banks a merchant can offer (docs/spec/payment-interfaces.md#banks)."""

from collections.abc import Sequence
from dataclasses import dataclass

from hundi.sdk import incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.outgoing import checked, origin_text
from hundi.wire.merchant.operations import parse_banks

BANKS_PATH = "/gateway/pay/v4/api/banks/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """One bank of a channel, or a channel without banks: then code and name are "".

    channel: `chmod`: `nb`, `ppc`, `emi` and so on. code: IFSC bank code, with `_C` for corporate net banking.
    health: `up`, `degraded` or `down` as of now; "" where the gateway does not say.
    minimum_paise, maximum_paise: of one payment; None where there is no bound.
    """

    channel: str
    channel_name: str
    title: str
    description: str
    code: str
    name: str
    health: str
    minimum_paise: int | None
    maximum_paise: int | None


def banks(calls: Calls, channels: Sequence[str]) -> Steps[tuple[Bank, ...]]:
    """Ask which channels and banks are open to this merchant."""
    fields = {"chmod": "_".join(channels), "mer_dom": origin_text(calls.shop_origin)}
    payload = {name: value for name, value in fields.items() if value}
    _ = checked(parse_banks, payload)
    envelope = yield from calls.ask(BANKS_PATH, payload)
    return tuple(map(_bank, incoming.records(envelope.get("data"), "banks")))


def _bank(record: incoming.Record) -> Bank:
    return Bank(
        channel=incoming.text(record, "chmod"),
        channel_name=incoming.text(record, "channel_name"),
        title=incoming.text(record, "title"),
        description=incoming.text(record, "description"),
        code=incoming.text(record, "bank_code"),
        name=incoming.text(record, "bank_name"),
        health=incoming.text(record, "health"),
        minimum_paise=_bound(record, "min_amount"),
        maximum_paise=_bound(record, "max_amount"),
    )


def _bound(record: incoming.Record, name: str) -> int | None:
    written = incoming.text(record, name)
    return incoming.paise(written, name) if written else None
