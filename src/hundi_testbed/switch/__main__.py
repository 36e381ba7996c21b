"""Runs the simulated switch: `python -m hundi_testbed.switch --port 8583 --http-port 8584`."""

import argparse
import asyncio
import signal

from aiohttp import web

from hundi_testbed.switch.pages import build
from hundi_testbed.switch.server import Host, SwitchBehaviour


async def serve(line_port: int, http_port: int, terms: SwitchBehaviour) -> None:
    """Serve until stopped, and print the ports."""
    host = Host(terms)
    port = await host.open(port=line_port)
    runner = web.AppRunner(build(host), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", http_port)
    await site.start()
    address = runner.addresses[0]
    print(f"ISO 8583 on 127.0.0.1:{port}, books on http://{address[0]}:{address[1]}/", flush=True)  # noqa: T201 (what a script waits for)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()
    await runner.cleanup()
    await host.close()


def main() -> None:
    """Read the command line and serve."""
    command = argparse.ArgumentParser(
        prog="python -m hundi_testbed.switch",
        description="A simulated switch that speaks ISO 8583.",
    )
    command.add_argument("--port", type=int, default=8583, help="of the line; 0: any free one")
    command.add_argument(
        "--http-port", type=int, default=8584, help="of the books; 0: any free one"
    )
    command.add_argument("--mac", choices=("none", "x9.19", "aes-cmac"), default="none")
    command.add_argument("--mac-key", default="", help="hexadecimal digits; a test key")
    command.add_argument(
        "--late-seconds", type=float, default=30.0, help="how long a late answer takes"
    )
    options = command.parse_args()
    terms = SwitchBehaviour(options.mac, bytes.fromhex(options.mac_key), options.late_seconds)
    asyncio.run(serve(options.port, options.http_port, terms))


if __name__ == "__main__":
    main()
