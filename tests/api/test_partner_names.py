"""What the operator may allow a partner is what partners can call."""

import importlib
import pkgutil

from hundi.api import partner
from hundi.api.endpoint import EndpointPolicy
from hundi.partners.directory.rules import INTERFACES
from hundi.wire.partner.table import OPERATIONS

OF_MERCHANTS = {"pos", "pos-detail"}
"""Terminals' merchants call it, by their address."""
PAGES = {"offers"}
"""A page, no endpoint."""


def test_every_partner_endpoint_can_be_allowed_and_no_other() -> None:
    modules = [
        importlib.import_module(f"{partner.__name__}.{each.name}") for each in pkgutil.iter_modules(partner.__path__)
    ]
    endpoints = {each.name for module in modules for each in vars(module).values() if isinstance(each, EndpointPolicy)}
    endpoints |= {each.name for each in OPERATIONS}
    assert (endpoints - OF_MERCHANTS) | PAGES == {*INTERFACES}
