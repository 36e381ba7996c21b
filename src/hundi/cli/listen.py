"""`hundi listen`: a merchant's notifications on a developer's machine."""

import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import typer
from rich.console import Console
from rich.text import Text

from hundi.cli.calling import DataDir, Merchant, Who, client_of
from hundi.cli.output import fail
from hundi.sdk import AnnouncedNotification, Client, HundiError
from hundi.sdk.errors import Retry

_POLL_S = 1.0
_AGAIN_S = 5.0
_FORWARD_S_MAX = 10.0
"""The gateway itself waits as long for an answer."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_REDIRECT, _REFUSAL = 300, 400


def listen(
    forward: Annotated[
        str, typer.Argument(help="Where to send them on, such as http://127.0.0.1:3000/ipn.")
    ] = "",
    *,
    after: Annotated[
        str, typer.Option(help="Go on after this place, which the end of a run prints.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Begin with the first that was ever announced.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="End when nothing more is there.")] = False,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
) -> None:
    """Print a merchant's notifications, and send each on to a server of this machine.

    Sent on are the same body and headers, signed anew; what your server answers changes nothing at
    the gateway. Ctrl-C ends it.
    """
    if forward and (urlsplit(forward).hostname or "") not in _LOOPBACK:
        raise fail(f"{forward}: only a server of this machine, such as http://127.0.0.1:3000/ipn")
    signal.signal(signal.SIGTERM, _interrupted)
    _Listening(forward, "0-0-0" if everything else after, once=once).run(
        credentials, data_dir, merchant
    )


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class _Listening:
    """One run: its place in the events, and how many it saw."""

    def __init__(self, forward: str, place: str, *, once: bool) -> None:
        self._forward, self._place, self._once = forward, place, once
        self._seen = self._taken = 0
        self._told = Console(highlight=False, soft_wrap=True)
        self._aside = Console(stderr=True, highlight=False, soft_wrap=True)

    def run(self, credentials: Path | None, data_dir: str | None, merchant: str) -> None:
        """Listen until it is interrupted, then say where to go on."""
        try:
            with (
                client_of(credentials, data_dir, merchant) as client,
                httpx.Client(trust_env=False) as http,
            ):
                self._begin(client)
                while self._read(client, http):
                    time.sleep(_POLL_S)
        except KeyboardInterrupt:
            self._aside.print()
        except HundiError as error:
            raise fail(f"{type(error).__name__}: {error}") from None
        sent = f", {self._taken} taken by {self._forward}" if self._forward else ""
        self._aside.print(
            f"{self._seen} notifications{sent}. To go on here: hundi listen --after {self._place}"
        )

    def _begin(self, client: Client) -> None:
        """Start at the newest event, unless the options name one."""
        self._place = self._place or client.notifications().next
        where = f" and sends them on to {self._forward}" if self._forward else ""
        self._aside.print(f"Listens for notifications{where}. Ctrl-C ends it.", style="dim")
        sys.stderr.flush()

    def _read(self, client: Client, http: httpx.Client) -> bool:
        """Handle the new events; return whether to look again."""
        try:
            page = client.notifications(after=self._place)
        except HundiError as error:
            if self._once or error.retry is not Retry.LATER:
                raise
            self._aside.print(f"No answer from the gateway ({error}); asks again.", style="yellow")
            time.sleep(_AGAIN_S)
            return True
        for each in page.notifications:
            self._handle(each, http)
        self._place = page.next
        return bool(page.notifications) or not self._once

    def _handle(self, notification: AnnouncedNotification, http: httpx.Client) -> None:
        self._seen += 1
        at = notification.created_at.strftime("%H:%M:%S") if notification.created_at else ""
        line = Text.assemble(
            (f"{at} ", "dim"), (notification.event.ljust(16), "bold"), f" {notification.order_id} "
        )
        line.append(notification.webhook_id, "dim")
        if self._forward:
            line.append_text(self._sent_on(notification, http))
        self._told.print(line)
        sys.stdout.flush()

    def _sent_on(self, notification: AnnouncedNotification, http: httpx.Client) -> Text:
        """Forward one event and return the server's answer."""
        began = time.perf_counter()
        try:
            answer = http.post(
                self._forward,
                content=notification.body,
                headers=dict(notification.headers),
                timeout=_FORWARD_S_MAX,
            )
        except httpx.HTTPError as error:
            return Text(f" -> no answer ({type(error).__name__})", "red")
        took_ms = round((time.perf_counter() - began) * 1000)
        good = answer.status_code < _REDIRECT
        self._taken += good
        colour = "green" if good else "yellow" if answer.status_code < _REFUSAL else "red"
        return Text(f" -> {answer.status_code} in {took_ms} ms", colour)
