"""An interface that is declared is specified, called by the SDK, shown in a guide and tested."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hundi.kernel.records import replace
from hundi.sdk import AsyncClient, Client
from hundi.sdk.partner_calls import PartnerCalls
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import PREFIX, Interface, Operation
from hundi.wire.partner.table import OPERATIONS as OF_PARTNERS
from tests.house.source import ROOT

INTERFACES: tuple[Interface[Any, Any], ...] = (*OPERATIONS, *OF_PARTNERS)


@dataclass(frozen=True)
class Evidence:
    """Where an interface may be found. spec: the lists of interfaces. clients: of the SDK."""

    spec: str
    guides: str
    tests: str
    clients: tuple[type, ...]


def _texts(pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(ROOT.glob(pattern)))


def evidence(interface: Interface[Any, Any]) -> Evidence:
    """Return what there is to look through for an interface."""
    of_merchants = isinstance(interface, Operation)
    lists = (ROOT / "docs" / "spec").glob("*-interfaces.md")
    return Evidence(
        spec="\n".join(page.read_text("utf-8").partition("<a id=")[0] for page in lists),
        guides=_texts("docs/*.md"),
        tests=_texts("tests/system/test_*.py"),
        clients=(Client, AsyncClient) if of_merchants else (PartnerCalls,),
    )


def lacking(interface: Interface[Any, Any], found: Evidence) -> Iterator[str]:
    """Yield what an interface lacks, by its name."""
    path, verb = interface.below[0], interface.paths[0].strip("/")
    calls = (f"{interface.method}(", f"`{interface.method}`")
    if f"`{PREFIX}{path}`" not in found.spec:
        yield f"{interface.name} has no row in the lists of docs/spec"
    if not all(hasattr(client, interface.method) for client in found.clients):
        yield f"{interface.name} has no call in the SDK: {interface.method}"
    if not any(each in found.guides for each in (f'"{verb}"', f"`{verb}/`", path, *calls)):
        yield f"{interface.name} has no sample in a guide"
    if not any(each in found.tests for each in (f'"{verb}"', path.rstrip("/"), *calls)):
        yield f"{interface.name} has no test in tests/system"


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda each: each.name)
def test_an_interface_lacks_nothing(interface: Interface[Any, Any]) -> None:
    assert [*lacking(interface, evidence(interface))] == []


def test_what_a_new_interface_lacks_is_told_by_its_name() -> None:
    new = replace(OPERATIONS[1], name="audit", method="audit_it", paths=("audited/",))
    assert [*lacking(new, evidence(new))] == [
        "audit has no row in the lists of docs/spec",
        "audit has no call in the SDK: audit_it",
        "audit has no sample in a guide",
        "audit has no test in tests/system",
    ]
