"""Every capability that a connector may have, of the port and of the modules beside it."""

from collections.abc import Mapping

from hundi.acquirers.port import (
    cards,
    checkout,
    disputes,
    instalments,
    lines,
    mandates,
    payments,
    payouts,
    settlement_reports,
    splits,
)

CAPABILITIES: Mapping[str, type] = {
    name: each
    for module in (
        payments,
        cards,
        checkout,
        disputes,
        instalments,
        lines,
        mandates,
        payouts,
        settlement_reports,
        splits,
    )
    for name, each in vars(module).items()
    if getattr(each, "_is_protocol", False) and each.__module__.startswith("hundi.acquirers.")
}
"""By its name."""


def abilities(connector: object) -> tuple[str, ...]:
    """Return the names of a connector's capabilities beyond those that all connectors have."""
    candidates = (
        (name, each)
        for name, each in CAPABILITIES.items()
        if getattr(each, "_is_runtime_protocol", False)
    )
    return tuple(name for name, each in candidates if isinstance(connector, each))
