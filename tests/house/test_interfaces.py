"""Every interface has a row in docs/spec, a call of the SDK, a sample and a test of its own.

The failure names the interface and the missing thing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from hundi.sdk import AsyncClient, Client
from hundi.sdk.partner_calls import PartnerCalls
from hundi.wire.merchant import links
from hundi.wire.merchant.table import OPERATIONS as OF_MERCHANTS
from hundi.wire.operation import Interface, Operation
from hundi.wire.partner.table import OPERATIONS as OF_PARTNERS
from tests.house.source import ROOT, files

INTERFACES: tuple[Interface[Any, Any], ...] = (*OF_MERCHANTS, *OF_PARTNERS)
COMMANDS = {"notification/list": "listen"}
"""Interfaces that a command calls; the command's samples and test run them."""
OF_EVERY = ("test_tenant_wall.py", "test_attacks.py", "test_schemathesis.py")
"""Tests that try every interface: none of them is an interface's own."""


@dataclass(frozen=True)
class Evidence:
    """The texts to search for interfaces: the specification, guides, and tests of the system."""

    specification: str
    guides: str
    tests: str


@cache
def evidence() -> Evidence:
    specified = ("payment-interfaces.md", "partner-interfaces.md")
    pages = (ROOT / "docs" / "spec" / page for page in specified)
    return Evidence(
        "".join(page.read_text("utf-8").split("<a id=")[0] for page in pages),
        "".join(page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))),
        "".join(
            source.text
            for source in files("tests/system/**/*.py")
            if not source.name.endswith(OF_EVERY)
        ),
    )


def addresses(interface: Interface[Any, Any]) -> list[str]:
    """Return the specified addresses: a merchant's has one, a partner's may have several."""
    if isinstance(interface, Operation):
        return [interface.address]
    return [f"/gateway{path}" for path in interface.paths]


def use_of(interface: Interface[Any, Any]) -> re.Pattern[str]:
    """Return a caller's text: the SDK's method, the verb, the address, or the command."""
    verbs = {interface.name, *(path.strip("/") for path in interface.paths)}
    written = [rf"\b(?:client|calls|sdk|shop)\.{interface.method}\(", rf"`{interface.method}`"]
    written += [rf"[\"'`/ ]{re.escape(verb)}/?[\"'`]" for verb in verbs]
    if interface.name in COMMANDS:
        written.append(rf"\b{COMMANDS[interface.name]}\b")
    return re.compile("|".join(written))


def missing(interface: Interface[Any, Any], there: Evidence) -> Iterator[str]:
    """Yield the missing things of an interface."""
    use = use_of(interface)
    for address in addresses(interface):
        if f"`{address}`" not in there.specification:
            yield f"a row in docs/spec that names `{address}`"
    clients = (Client, AsyncClient) if isinstance(interface, Operation) else (PartnerCalls,)
    for client in clients:
        if not hasattr(client, interface.method):
            yield f"the SDK's call {client.__name__}.{interface.method}"
    if not use.search(there.guides):
        yield "a sample in a guide of docs"
    if not use.search(there.tests):
        yield "a test of its own in tests/system"


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda each: f"{each.name}-{each.method}")
def test_an_interface_has_a_row_a_call_a_sample_and_a_test(
    interface: Interface[Any, Any],
) -> None:
    lacks = [*missing(interface, evidence())]
    assert not lacks, f"{interface.name} lacks {'; '.join(lacks)}"


def test_a_new_interface_lacks_each_of_them() -> None:
    new = Operation(
        "link/rename",
        "renameLink",
        "rename_link",
        "Rename a payment link",
        links.CREATE.section,
        ("link/rename/",),
        links.LinkName,
        links.PaymentLink,
        "manage",
    )
    assert [*missing(new, evidence())] == [
        "a row in docs/spec that names `/gateway/pay/v4/api/link/rename/`",
        "the SDK's call Client.rename_link",
        "the SDK's call AsyncClient.rename_link",
        "a sample in a guide of docs",
        "a test of its own in tests/system",
    ]
