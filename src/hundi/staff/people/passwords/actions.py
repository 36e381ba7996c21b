"""Passwords by argon2id, one at a time: guessing must not use up the gateway's processor.

Too many waiting sign-ins are refused, so that a flood of them costs a limited share of one core.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import resources
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from hundi.kernel.refusals import RefusalCode, refuse

MEMORY_KIB = 19_456
PASSES = 2
"""The least that OWASP's cheat sheet asks of argon2id: about 20 ms of one core."""
WAITING_MAX = 16
"""Waiting sign-ins; more are refused at once."""
BUSY_RETRY_S = 2
Found = TypeVar("Found")


class Passwords:
    """Hashes and checks passwords, one at a time."""

    def __init__(self) -> None:
        """Start no thread before the first password."""
        self._hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=1)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="passwords")
        self._waiting = 0
        self._of_nobody = ""

    async def hashed(self, password: str) -> str:
        """Return a password's hash, with its parameters. Raises Refused (TOO_MANY_REQUESTS)."""
        return await self._in_thread(lambda: self._hasher.hash(password))

    async def is_right(self, stored: str, password: str) -> bool:
        """Return whether a password matches a hash. Raises Refused.

        stored: "" takes as long, and never matches.
        """
        return await self._in_thread(lambda: self._check(stored, password))

    def is_old(self, stored: str) -> bool:
        """Return whether a hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(stored)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _check(self, stored: str, password: str) -> bool:
        if not stored:
            self._of_nobody = self._of_nobody or self._hasher.hash("the password of nobody")
        try:
            return self._hasher.verify(stored or self._of_nobody, password) and bool(stored)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_thread(self, work: Callable[[], Found]) -> Found:
        if self._waiting >= WAITING_MAX:
            raise refuse(
                RefusalCode.TOO_MANY_REQUESTS,
                allowed="fewer sign-ins at once",
                retry_after_s=BUSY_RETRY_S,
            )
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1


@lru_cache(maxsize=1)
def common() -> frozenset[str]:
    """Return the common passwords, in lower case, that are long enough here."""
    text = (resources.files("hundi.staff.people") / "common_passwords.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
