"""Payment links as a gateway answers about them, for tests of the SDK."""

from collections.abc import Mapping

import msgspec

from hundi.wire.merchant import links

LINK = links.LinkData(
    link_id="217572764752030",
    link_reference="INV-7",
    url="https://pay.example/l/10001.0123456789abcdef",
    state="partly_paid",
    amount="1500.00",
    paid_amount="600.00",
    minimum="500.00",
    description="Sarees",
    surplus="refund",
    created_at="2026-11-23T10:22:00+05:30",
    valid_until="2026-12-23T10:22:00+05:30",
    payments=[
        links.LinkOrderData(
            orderid="link-217572764752030-1",
            ap_transactionid="217572764860064",
            amount="600.00",
            counted_amount="600.00",
            returned_amount="0.00",
            paid_at="2026-11-23T10:24:00+05:30",
        )
    ],
)


def answered(path: str, fields: Mapping[str, object]) -> dict[str, object] | None:
    """Return `data` of a reply about links, None for what is about something else."""
    if "/api/link/" not in path:
        return None
    verb = path.rstrip("/").rpartition("/")[2]
    match verb:
        case "create":
            assert links.parse_new_link(fields).reference == LINK.link_reference
            return msgspec.to_builtins(msgspec.structs.replace(LINK, state="open", payments=[]))
        case "list":
            _ = links.parse_list_links(fields)
            return {"links": [msgspec.to_builtins(msgspec.structs.replace(LINK, payments=[]))]}
        case _:
            assert links.parse_link(fields).link_id in {"", LINK.link_id}
            state = "cancelled" if verb == "cancel" else LINK.state
            return msgspec.to_builtins(msgspec.structs.replace(LINK, state=state))
