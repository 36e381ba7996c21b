"""An assistant by the official SDK's own client, over HTTP or standard input and output."""

import asyncio
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway
from tests.system.waiting import until

Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class ToolAnswer:
    """What a call was answered. words: of a refusal, "" for none."""

    values: Mapping[str, Any]
    words: str


@dataclass(frozen=True)
class HttpDesk:
    """A server for assistants over HTTP, of a gateway."""

    url: str

    def answers(self, key: str, *calls: Call) -> list[ToolAnswer]:
        """Make these calls one after the other."""
        return asyncio.run(self._answers(key, calls))

    def tools(self, key: str) -> list[types.Tool]:
        """Return the tools that a key is offered."""
        return asyncio.run(self._tools(key))

    async def _answers(self, key: str, calls: tuple[Call, ...]) -> list[ToolAnswer]:
        async with self._http(key) as http, Client(self._transport(http)) as client:
            return [await _answer(client, call) for call in calls]

    async def _tools(self, key: str) -> list[types.Tool]:
        async with self._http(key) as http, Client(self._transport(http)) as client:
            return (await client.list_tools()).tools

    def _http(self, key: str) -> httpx2.AsyncClient:
        headers = {"authorization": f"Bearer {key}"}
        return httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60)

    def _transport(self, http: httpx2.AsyncClient) -> Any:
        return streamable_http_client(self.url, http_client=http)


async def _answer(client: Client, call: Call) -> ToolAnswer:
    name, given = call
    result = await client.call_tool(name, dict(given))
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    if result.is_error:
        return ToolAnswer({}, content.text)
    assert result.structured_content is not None
    return ToolAnswer(result.structured_content, "")


@contextmanager
def open_desk(gateway: RunningGateway, *options: str) -> Iterator[HttpDesk]:
    """Run `hundi mcp serve --http` beside a gateway."""
    port = free_port()
    arguments = ("mcp", "serve", "--http", "--port", str(port), *options)
    process = subprocess.Popen(
        [str(HUNDI), *arguments, "--data-dir", str(gateway.data_dir)], env=clean_environment()
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        until(lambda: _is_up(url), "the server for assistants to be up")
        yield HttpDesk(url)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False, timeout=30).status_code == 401
    except httpx.HTTPError:
        return False


def answers_by_stdio(gateway: RunningGateway, key: str, *calls: Call) -> list[ToolAnswer]:
    """Start a server on standard input and output, and make these calls."""

    async def within() -> list[ToolAnswer]:
        server = StdioServerParameters(
            command=str(HUNDI),
            args=["mcp", "serve", "--data-dir", str(gateway.data_dir)],
            env={**clean_environment(), "HUNDI_MCP_KEY": key, "HOME": os.environ["HOME"]},
        )
        async with Client(stdio_client(server)) as client:
            return [await _answer(client, call) for call in calls]

    return asyncio.run(within())
