"""Child processes of a supervisor: restarted when they die, drained at the end."""

import ctypes
import gc
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import FrameType

from hundi.infra import reports

_PR_SET_PDEATHSIG = 1
_PAUSE_S_MIN = 0.2
_PAUSE_S_MAX = 2.0
"""A child's missing dependency may be back at any moment.

A start costs less than waiting customers.
"""
_STEADY_S = 10.0
"""A child that lived this long had started properly; its pauses begin from the shortest."""
_POLL_S = 0.02
_CHECK_S = 0.25
_REPORT_BYTES = 4_096
READY_S_MAX = 120.0
"""How long a child that is to replace another may take to be ready; a start takes seconds."""
DRAIN_S = 20.0
"""How long a supervisor waits for its children to finish what is under way."""
PYTHON = (sys.executable, "-P", "-m", "hundi.cli")
"""The command of a supervisor for a part of the gateway; nothing is loaded from the folder in which
it was started."""
LEAVE = signal.SIGHUP
"""Tells a child that another one serves in its place: it takes no connection more, and ends when
those it has are done."""
LISTENING = "LISTENING_SOCKET"
"""The environment variable with the number of the open socket to serve on; no setting."""


# Looked up once, before any fork. Only Linux has this call.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def end_with_parent(parent: int, word: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this new process a signal when its parent dies.

    parent: the parent's process id. The kernel watches the thread that started the process, so
    start processes from a thread that lives as long as they may. Only on Linux.
    """
    if _prctl is None:
        return
    _prctl(_PR_SET_PDEATHSIG, int(word), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def leave_no_core() -> None:
    """Forbid core files of this process and its children: their memory may hold a card."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def load_without_gc() -> None:
    """Collect no garbage while a process loads: nearly all that it loads stays.

    `exempt_loaded_objects_from_gc` ends that. A tenth of a gateway's start is looking for garbage.
    """
    gc.disable()


def exempt_loaded_objects_from_gc() -> None:
    """Exempt all objects loaded so far from garbage collection, which goes on with the others.

    Under load the collector visits every known object each few seconds. Modules and templates alone
    have 150,000, and during the 80 ms for them no request is answered. The price: unused cycles
    among these objects stay until the process ends.
    """
    # Objects that are garbage already would stay as well.
    gc.collect()
    gc.freeze()
    gc.enable()


def say(words: str) -> None:
    """Print words for the operator."""
    sys.stderr.write(f"hundi: {words}\n")


class _StopAskedError(BaseException):
    """Ctrl-C or SIGTERM came: leave every block, each of which ends what it started."""


_asked_to_stop = threading.Event()


@contextmanager
def leaving_when_asked() -> Iterator[None]:
    """Leave the block at the first SIGTERM or SIGINT, and ignore later ones."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        for word in (signal.SIGTERM, signal.SIGINT):
            signal.signal(word, signal.SIG_IGN)
        _asked_to_stop.set()
        raise _StopAskedError

    _asked_to_stop.clear()
    for word in (signal.SIGTERM, signal.SIGINT):
        signal.signal(word, leave)
    with suppress(_StopAskedError):
        yield


def leave_if_asked() -> None:
    """Leave the block of `leaving_when_asked` if a signal came that did not end it.

    While a child is forked, Python prints what a signal's handler raises, and goes on.
    """
    if _asked_to_stop.is_set():
        raise _StopAskedError


@dataclass(slots=True)
class _Child:
    """One child, and its successors after it died.

    pipe: what it reports comes out here. heard_at: when it reported last; None before it is ready.
    """

    name: str
    command: Sequence[str]
    listening: socket.socket | None
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes]
    pipe: int
    started_at: float
    pause_s: float = _PAUSE_S_MIN
    restart_at: float | None = None
    heard_at: float | None = None

    def hear(self, now: float) -> None:
        """Read what it reported."""
        with suppress(BlockingIOError):
            told = os.read(self.pipe, _REPORT_BYTES).decode()
            if (self.heard_at is not None and told) or reports.READY in told.splitlines():
                self.heard_at = now


class ProcessGroup:
    """The children of one supervisor. Every method is called from its main thread."""

    def __init__(
        self,
        environment: Mapping[str, str],
        say: Callable[[str], None],
        silence_s_max: float | None = None,
        ready_s_max: float = READY_S_MAX,
    ) -> None:
        """Start children with this environment.

        say: tells the operator what happened to a child. silence_s_max: a child that was ready and
        reports nothing for so many seconds is killed and started again; None: it may be silent.
        ready_s_max: one that is to replace another and is not ready by then is killed.
        """
        self._environment = reports.without_addressee(dict(environment))
        self._say = say
        self._silence_s_max = silence_s_max
        self._ready_s_max = ready_s_max
        self._tended_at = time.monotonic()
        self._children: list[_Child] = []
        self._leaving: list[_Child] = []

    def start(
        self,
        name: str,
        command: Sequence[str],
        listening: socket.socket | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start one child, and from now on restart it when it dies.

        listening: the open socket it serves on; callers wait there while a new child starts.
        environment: the child's whole environment, in place of the group's.
        """
        environment = self._environment if environment is None else environment
        self._children.append(self._spawn(name, command, listening, environment))

    def _spawn(
        self,
        name: str,
        command: Sequence[str],
        listening: socket.socket | None,
        environment: Mapping[str, str],
    ) -> _Child:
        pipe, end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        handed = {reports.PIPE: str(end)}
        passed = [end]
        if listening is not None:
            handed[LISTENING] = str(listening.fileno())
            passed.append(listening.fileno())
        try:
            # A group of its own, so that Ctrl-C in a terminal reaches only the supervisor, which
            # drains in order. A child killed with the supervisor loses nothing: its work is rows in
            # the database, and goes on later.
            process = subprocess.Popen(  # noqa: S603 (our own arguments)
                command,
                env={**environment, **handed},
                stdin=subprocess.DEVNULL,
                pass_fds=passed,
                process_group=0,
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
            )
        finally:
            os.close(end)
        return _Child(name, command, listening, environment, process, pipe, time.monotonic())

    def tend(self) -> float | None:
        """Restart dead children after their pause, and end silent ones.

        Return the seconds until the next restart, or None.
        """
        leave_if_asked()
        now = time.monotonic()
        self._listen(now)
        for child in self._children:
            status = child.process.poll()
            if status is None:
                continue
            if child.restart_at is None:
                if now - child.started_at > _STEADY_S:
                    child.pause_s = _PAUSE_S_MIN
                child.restart_at = now + child.pause_s
                self._say(
                    f"{child.name} ended ({_ending(status)}); it is started again in"
                    f" {child.pause_s:.1f} s"
                )
                child.pause_s = min(child.pause_s * 2, _PAUSE_S_MAX)
            if now >= child.restart_at:
                self._revive(child)
        waits = [child.restart_at - now for child in self._children if child.restart_at is not None]
        return max(min(waits), 0.0) if waits else None

    def _listen(self, now: float) -> None:
        """Hear what children report; kill one that is silent for too long."""
        # Time in which this process itself stood still tells nothing about its children.
        stood_still = now - self._tended_at > _STEADY_S
        self._tended_at = now
        for child in self._children:
            child.hear(now)
            if child.heard_at is None or self._silence_s_max is None:
                continue
            if stood_still:
                child.heard_at = now
            if now - child.heard_at > self._silence_s_max and child.process.poll() is None:
                self._say(f"{child.name} is silent for {self._silence_s_max:.0f} s and is killed")
                child.process.kill()
                child.process.wait()
        for child in [each for each in self._leaving if each.process.poll() is not None]:
            self._forget(child)

    def _revive(self, child: _Child) -> None:
        started = self._spawn(child.name, child.command, child.listening, child.environment)
        os.close(child.pipe)
        child.process, child.pipe, child.started_at = (
            started.process,
            started.pipe,
            started.started_at,
        )
        child.restart_at = child.heard_at = None

    def _forget(self, child: _Child) -> None:
        os.close(child.pipe)
        self._leaving.remove(child)

    def await_ready(self) -> int | None:
        """Wait until every child is ready; return the status of one that ended before, or None."""
        while any(child.heard_at is None for child in self._children):
            leave_if_asked()
            for child in self._children:
                child.hear(time.monotonic())
                status = child.process.poll()
                if status is not None:
                    return status
            time.sleep(_POLL_S)
        return None

    def replace(self, watch: Callable[[], None] = lambda: None) -> None:
        """Put a new child in the place of each, one after the other, on the same socket.

        The old one leaves once the new one is ready. When the new one ends before that or takes
        longer than ready_s_max, the old one stays, and no other is replaced. watch: is called
        regularly meanwhile.
        """
        for child in list(self._children):
            fresh = self._spawn(child.name, child.command, child.listening, child.environment)
            self._leaving.append(fresh)
            fault = self._await_replacement(fresh, watch)
            if fault:
                self._say(f"the new {child.name} {fault}; the old one goes on")
                return
            self._leaving.remove(fresh)
            self._children[self._children.index(child)] = fresh
            self._leaving.append(child)
            with suppress(ProcessLookupError):
                child.process.send_signal(LEAVE)

    def _await_replacement(self, fresh: _Child, watch: Callable[[], None]) -> str:
        """Return "" once a new child is ready, else what happened to it; it is gone then."""
        while fresh.heard_at is None:
            watch()
            self.tend()
            if fresh not in self._leaving:
                return f"ended ({_ending(fresh.process.returncode)})"
            if time.monotonic() - fresh.started_at > self._ready_s_max:
                with suppress(ProcessLookupError):
                    os.killpg(fresh.process.pid, signal.SIGKILL)
                fresh.process.wait()
                self._forget(fresh)
                return f"was not ready within {self._ready_s_max:.0f} s and is killed"
            fresh.hear(time.monotonic())
            time.sleep(_POLL_S)
        return ""

    def stay(self, watch: Callable[[], None] = lambda: None) -> None:
        """Keep every child running, and call `watch` regularly, until an exception is raised."""
        while True:
            watch()
            pause_s = self.tend()
            time.sleep(_CHECK_S if pause_s is None else min(pause_s, _CHECK_S))

    def stop(self, drain_s: float, word: signal.Signals = signal.SIGTERM) -> None:
        """Ask every child to finish, wait up to drain_s seconds, and kill the rest."""
        running = [child for child in self._children if child.process.poll() is None]
        for child in running:
            child.process.send_signal(word)
        for child in self._leaving:
            # One that was to be replaced was told; one that was to replace it was not.
            with suppress(ProcessLookupError):
                child.process.send_signal(word)
        running += self._leaving
        give_up = time.monotonic() + drain_s
        while time.monotonic() < give_up and any(child.process.poll() is None for child in running):
            time.sleep(_POLL_S)
        for child in (*self._children, *self._leaving):
            if child.process.poll() is None:
                self._say(f"{child.name} did not finish within {drain_s:.0f} s and is killed")
            with suppress(ProcessLookupError):
                os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()
            os.close(child.pipe)
        self._children, self._leaving = [], []


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"
