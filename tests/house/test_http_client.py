"""One client calls other servers: aiohttp is imported only where its limits are set."""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, files

CLIENT = "src/hundi/infra/http/client.py"


def other_client(source: Source) -> Iterator[str]:
    """Find an import of aiohttp outside the client."""
    if source.name == CLIENT:
        return
    for node in source.nodes:
        imported = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            imported = [node.module or ""]
        if any(each.split(".")[0] == "aiohttp" for each in imported):
            yield f"{node.lineno} aiohttp: call other servers with hundi.infra.http.client"


def test_aiohttp_is_imported_by_the_client_only() -> None:
    sources = files("src/hundi/**/*.py")
    assert "import aiohttp\n" in next(each for each in sources if each.name == CLIENT).text
    assert_kept(other_client, sources)


@pytest.mark.parametrize(
    "text",
    [
        "import aiohttp",
        "import asyncio, aiohttp.web",
        "from aiohttp import ClientSession",
        "from aiohttp.abc import X",
    ],
)
def test_another_client_is_found(text: str) -> None:
    offences = ["2 aiohttp: call other servers with hundi.infra.http.client"]
    assert (
        list(other_client(Source("src/hundi/acquirers/coop/connector.py", f"\n{text}\n")))
        == offences
    )
    assert list(other_client(Source(CLIENT, text))) == []


def test_a_module_of_a_like_name_is_left_alone() -> None:
    text = (
        "import aiohttp_like\nfrom .aiohttp import X\nfrom hundi.infra.http.client import"
        " OutboundClient\n"
    )
    assert list(other_client(Source("src/hundi/acquirers/coop/connector.py", text))) == []
