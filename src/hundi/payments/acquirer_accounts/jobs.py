"""Keep a process's connectors up to date with the stored accounts."""

import asyncio
from collections.abc import Iterable, Sequence

import structlog
from asyncpg import PostgresError

from hundi.acquirers.calls import front
from hundi.acquirers.kinds import AcquirerConfigurationError, check_together
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.registry import Member, Registry
from hundi.infra.postgres.database import UNREACHABLE
from hundi.infra.secrets.key_sources import VaultError
from hundi.kernel.records import replace
from hundi.payments.acquirer_accounts import store
from hundi.payments.acquirer_accounts.actions import CHANGED_CHANNEL, AccountContext
from hundi.payments.acquirer_accounts.rules import KNOWN_AFTER, AccountMark

POLL_S = 3.0
"""Seconds between two reads of the accounts; a notice of change causes one at once."""
CLOSED_AFTER_S = 60.0
"""Seconds for which a replaced connector stays open.

Longer than its users need: a call ends within 8 s (`acquirers.calls.client.DEFAULT_TIMEOUTS`), and
a step makes three at most.
"""
_log = structlog.get_logger(__name__)


class Follower:
    """Brings each change of the accounts into a registry; no request waits for it."""

    def __init__(self, context: AccountContext, registry: Registry) -> None:
        """Keep the dependencies. registry: holds the acquirers of the settings at first."""
        self._context = context
        self._registry = registry
        self._of_settings: Sequence[Member] = registry.members
        self._known: dict[str, tuple[AccountMark, Member]] = {}
        self._marks: list[AccountMark] = []
        self._unopened: dict[str, str] = {}
        self._changed = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Listen for changes; without it `follow` finds them at its next read."""
        await self._context.db.listen(CHANGED_CHANNEL, lambda _: self._changed.set())

    async def start(self) -> None:
        """Load the stored accounts.

        Raises AcquirerConfigurationError when they do not fit the settings.
        """
        self._take(await self._read())

    async def follow(self) -> None:
        """Read the accounts repeatedly until cancelled; on an error everything stays as it was."""
        while True:
            try:
                async with asyncio.timeout(POLL_S):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()
            try:
                await self.look()
                await self.tell()
            except AcquirerConfigurationError as error:
                _log.error("acquirer_accounts_not_taken", error=str(error))
            except (PostgresError, *UNREACHABLE) as error:
                _log.warning("acquirer_accounts_not_read", error=type(error).__name__)
            except Exception:  # noqa: BLE001 (a bug here must not leave this process with old secrets for good)
                _log.exception("acquirer_accounts_not_followed")

    async def look(self) -> None:
        """Apply what changed since the last read. Raises AcquirerConfigurationError."""
        marks = await store.marks(self._context.db, KNOWN_AFTER)
        if marks != self._marks:
            self._take(await self._read())

    async def tell(self) -> None:
        """Store why calls failed since the last time, for operators."""
        troubles = front.troubles()
        for name, trouble in troubles.items():
            await store.keep_trouble(self._context.db, name, trouble)
        front.forget(troubles)

    async def close(self) -> None:
        """Close replaced connectors that are still open; the registry closes its own."""
        for each in self._closing:
            each.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _read(self) -> dict[str, tuple[AccountMark, Member]]:
        """Return every account with its mark, opened again if it was changed."""
        marks = await store.marks(self._context.db, KNOWN_AFTER)
        accounts = {each.name: each for each in await store.select_all(self._context.db)}
        self._marks = marks
        self._context.check_names(accounts.values())
        marked: dict[str, tuple[AccountMark, Member]] = {}
        unopened: dict[str, str] = {}
        for mark in marks:
            name, previous = mark.name, self._known.get(mark.name)
            if previous and (previous[0].revision, previous[0].has_before) == (
                mark.revision,
                mark.has_before,
            ):
                marked[name] = (mark, replace(previous[1], takes_new=mark.takes_new))
                continue
            try:
                marked[name] = (mark, self._context.of(accounts[name], mark))
            except Exception as error:  # noqa: BLE001 (a plug-in may raise anything)
                # Other accounts do not wait for it. If it was open it goes on, but takes nothing
                # new.
                ours = isinstance(error, AcquirerConfigurationError | VaultError)
                unopened[name] = str(error) if ours else type(error).__name__
                if self._unopened.get(name) != unopened[name]:
                    _log.error("acquirer_account_not_opened", acquirer=name, error=unopened[name])
                if previous:
                    marked[name] = (previous[0], replace(previous[1], takes_new=mark.takes_new))
        if unopened:
            # Forces another try at each read: this process may not have read their key yet.
            self._marks = []
        self._unopened = unopened
        return marked

    def _take(self, accounts: dict[str, tuple[AccountMark, Member]]) -> None:
        members = [*self._of_settings, *(member for _, member in accounts.values())]
        check_together(
            {each.connector.name: each.connector.simulated for each in members if each.takes_new}
        )
        gone = self._registry.take(members)
        # The registry's connector may be wrapped in the rule about test cards.
        taken = {each.connector.name: each for each in self._registry.members}
        self._known = {name: (mark, taken[name]) for name, (mark, _) in accounts.items()}
        if gone:
            _log.info("acquirers_changed", acquirers=sorted({each.name for each in gone}))
            task = asyncio.create_task(_close_later(gone))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


async def _close_later(connectors: Iterable[Connector]) -> None:
    """Close connectors after CLOSED_AFTER_S, or at once when the process ends."""
    try:
        await asyncio.sleep(CLOSED_AFTER_S)
    finally:
        for each in connectors:
            await each.close()
