"""The clients' methods are those of the table of operations."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from hundi.sdk import AsyncClient, Client
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import Operation
from tools import write_clients


@pytest.mark.parametrize("page", write_clients.PAGES, ids=lambda page: page.stem)
def test_the_methods_are_as_the_table_has_them(page: Path) -> None:
    written = write_clients.formatted(write_clients.written(**write_clients.PAGES[page]))
    assert page.read_text("utf-8") == written, "run: make clients"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_both_clients_have_a_method_for_an_operation(operation: Operation[Any, Any]) -> None:
    in_turn, waiting = getattr(Client, operation.method), getattr(AsyncClient, operation.method)
    assert inspect.signature(in_turn) == inspect.signature(waiting)
    assert inspect.iscoroutinefunction(waiting)
    assert not inspect.iscoroutinefunction(in_turn)
