"""A line to a simulated switch, in both versions, with authentication codes."""

from collections.abc import AsyncIterator

import pytest

from hundi_testbed.switch.server import SwitchBehaviour
from tests.acquirers.iso8583.line import KEY, Line


@pytest.fixture(params=["1987", "2003"])
async def line(request: pytest.FixtureRequest) -> AsyncIterator[Line]:
    mac = {"1987": "x9.19", "2003": "aes-cmac"}[request.param]
    opened = await Line(request.param, SwitchBehaviour(mac, bytes.fromhex(KEY), late_s=0.4)).open()
    yield opened
    await opened.close()
