"""Channels: which ones take payments now, the health of each bank, and since when."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.lists import tone_of, words
from hundi.console.queries import channels as queries
from hundi.console.queries.channels import ChannelFigures, Key
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNELS
from hundi.kernel.money import Money, shown
from hundi.merchants.directory.rules import Merchant
from hundi.payments.availability import actions as availability
from hundi.payments.availability.rules import MethodLine
from hundi.payments.routing.health.rules import LOOKED_BACK, Health, Outcomes, health
from hundi.staff.people.rules import Permission


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show each channel with its banks."""
    gateway, merchant = visit.gateway, visit.place.merchant if visit.place else None
    codes = _codes(visit, merchant)
    listed = await availability.lines_of(
        gateway.payments, gateway.bank_health, codes, merchant, visit.now
    )
    own = await queries.figures(visit.db, visit.merchant_id, visit.now)
    spans = await queries.spans(visit.db, visit.now)
    outcomes = await gateway.bank_health.outcomes(visit.now)
    first = {_method_of(visit, code): code for code in reversed(codes)}
    channels = [
        _channel(
            visit,
            code,
            [each for each in listed if each.channel.code == code],
            own or {},
            spans,
            outcomes,
        )
        for code in codes
    ]
    for each in channels:
        # Attempts store their method: channels of one method share figures, shown with the first.
        counted = first[_method_of(visit, each["code"])]
        each["with"] = CHANNELS[counted].name if counted != each["code"] else ""
    return visit.page(
        "channels.html",
        "Channels",
        channels=channels,
        whose="this merchant's" if visit.merchant_id else "all merchants'",
        missed=own is None,
        minutes=int(LOOKED_BACK.total_seconds() // 60),
    )


def _codes(visit: ConsoleVisit, merchant: Merchant | None) -> tuple[str, ...]:
    """Return the channels to show.

    For a merchant its own channels that an acquirer serves, else all that are served.
    """
    if merchant is not None:
        return availability.enabled(visit.gateway.payments, merchant)
    return tuple(code for code in CHANNELS if code in visit.gateway.connectors.channels)


def _method_of(visit: ConsoleVisit, code: str) -> str:
    """Return the method of a channel's attempts now.

    An aggregator's page may stand for several.
    """
    way = visit.gateway.connectors.way(code)
    return (way.method if way else CHANNELS[code].method).name


def _channel(
    visit: ConsoleVisit,
    code: str,
    lines: list[MethodLine],
    own: Mapping[Key, ChannelFigures],
    spans: Mapping[Key, Mapping[datetime, Outcomes]],
    outcomes: Mapping[Key, Outcomes],
) -> dict[str, Any]:
    channel = CHANNELS[code]
    method, way = _method_of(visit, code), visit.gateway.connectors.way(code)
    connector = way.connector if way else None
    reached = connector is not None and visit.gateway.connectors.answers(connector.name)
    banks = [_bank(line, own, spans, outcomes, reached=reached) for line in lines if line.code]
    banks_shown = [each for each in banks if each["attempts"] or each["state"] != words(Health.UP)]
    mine = [each for (name, _), each in own.items() if name == method]
    last = max((each.paid_at for each in mine if each.paid_at), default=None)
    return {
        "code": code,
        "name": channel.name,
        "state": "Up" if reached else "Down",
        "tone": "paid" if reached else "failed",
        "acquirer": connector.name if connector and visit.is_operator else "",
        "limits": _limits(lines[0]) if lines and not banks else "",
        **_shares(
            ChannelFigures(sum(each.ended for each in mine), sum(each.troubled for each in mine))
        ),
        "paid": sum(each.paid for each in mine),
        "paid_at": last,
        "banks": sorted(
            banks_shown,
            key=lambda each: (each["state"] == words(Health.UP), -each["attempts"], each["name"]),
        ),
        "others": len(banks) - len(banks_shown),
    }


def _limits(line: MethodLine) -> str:
    least = shown(Money(line.minimum_paise))
    return f"from {least} to {shown(Money(line.maximum_paise))}" if line.maximum_paise else ""


def _shares(figures: ChannelFigures) -> dict[str, Any]:
    part = f"{figures.troubled * 100 // figures.ended} %" if figures.ended else ""
    return {"attempts": figures.ended, "troubled": figures.troubled, "part": part}


def _bank(
    line: MethodLine,
    own: Mapping[Key, ChannelFigures],
    spans: Mapping[Key, Mapping[datetime, Outcomes]],
    outcomes: Mapping[Key, Outcomes],
    *,
    reached: bool,
) -> dict[str, Any]:
    key = line.channel.method.name, line.code
    seen = outcomes.get(key)
    figures = own.get(key, ChannelFigures())
    # A merchant sees the troubled share of other merchants' attempts, and no number.
    lately = (
        f"{seen.troubled * 100 // seen.ended} %"
        if seen and line.health is not Health.UP and reached
        else ""
    )
    return {
        "name": line.name,
        "code": line.code,
        "state": words(line.health),
        "tone": tone_of(line.health),
        "lately": lately,
        "since": trouble_since(spans.get(key, {}))
        if line.health is not Health.UP and reached
        else None,
        "paid_at": figures.paid_at,
        **_shares(figures),
    }


def trouble_since(ended: Mapping[datetime, Outcomes]) -> datetime | None:
    """Return since when a bank has trouble: the first span after its last good one.

    ended: attempts by the beginning of each span. None where the newest span is good.
    """
    since = None
    for began in sorted(ended, reverse=True):
        follows = since is None or since - began == LOOKED_BACK
        if health(ended[began]) is Health.UP or not follows:
            break
        since = began
    return since


ROUTES = (ConsoleRoute("GET", "channels", show, Permission.CHANNELS_SEE, at="both"),)
