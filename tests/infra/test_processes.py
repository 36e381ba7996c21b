"""Children come back after growing pauses, are drained, and are killed if they hang."""

import os
import socket
import subprocess
import sys
import time

import psutil
import pytest

from hundi.infra.errors import OperatorError
from hundi.infra.processes import ProcessGroup
from hundi.infra.sockets import listen_each
from tests.patience import PATIENCE_S

PYTHON = sys.executable


def sleepers() -> list[psutil.Process]:
    """Return the children of this test and theirs; a session's PostgreSQL is a child, too."""
    return [
        each
        for each in psutil.Process().children(recursive=True)
        if "time.sleep(600)" in _words(each)
    ]


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""  # ended while we looked


def test_a_dead_child_comes_back_later_and_later() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append)
    group.start("short", [PYTHON, "-c", "raise SystemExit(3)"])
    give_up = time.monotonic() + 60
    while len(said) < 3 and time.monotonic() < give_up:
        group.tend()
        time.sleep(0.01)
    group.stop(5)
    pauses = [float(words.rsplit(" ", 2)[1]) for words in said]
    assert pauses == [0.2, 0.4, 0.8]
    assert "status 3" in said[0]


def test_a_child_that_never_starts_is_tried_again_within_two_seconds() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append)
    group.start("short", [PYTHON, "-S", "-c", "raise SystemExit(3)"])
    give_up = time.monotonic() + 60
    while len(said) < 6 and time.monotonic() < give_up:
        group.tend()
        time.sleep(0.01)
    group.stop(5)
    assert [float(words.rsplit(" ", 2)[1]) for words in said][3:] == [1.6, 2.0, 2.0]


def test_several_sockets_of_an_address_share_its_connections_and_nobody_else_gets_one() -> None:
    first, second = sockets = listen_each("127.0.0.1", 0, 2)
    place = first.getsockname()
    with first, second:
        assert second.getsockname() == place
        with pytest.raises(OperatorError, match="cannot listen"):
            listen_each("127.0.0.1", place[1], 2)
        callers = [socket.create_connection(place, timeout=120) for _ in range(64)]
        taken = [_accepted(each) for each in sockets]
        for caller in callers:
            caller.close()
    assert sum(taken) == len(callers)
    assert min(taken) > 0


def _accepted(listening: socket.socket) -> int:
    """Take every connection that waits; return how many there were."""
    listening.settimeout(0)
    number = 0
    while True:
        try:
            listening.accept()[0].close()
        except BlockingIOError:
            return number
        number += 1


def test_children_are_asked_to_finish() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append)
    group.start("polite", [PYTHON, "-c", "import time; time.sleep(600)"])
    assert group.tend() is None
    assert len(sleepers()) == 1
    group.stop(20)
    assert not sleepers()
    assert not said


def test_a_deaf_child_is_killed_with_its_own_children() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append)
    program = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork();"
        " time.sleep(600)"
    )
    group.start("deaf", [PYTHON, "-c", program])
    give_up = time.monotonic() + 60
    while len(sleepers()) < 2 and time.monotonic() < give_up:
        time.sleep(0.02)
    left = sleepers()
    assert len(left) == 2
    group.stop(0.3)
    _, alive = psutil.wait_procs(left, timeout=120)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
    assert "killed" in said[0]


ASKED_WHILE_FORKING = """
import os, signal
from hundi.infra.processes import ProcessGroup, leaving_when_asked

os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
with leaving_when_asked():
    if os.fork() == 0:
        os._exit(0)
    print("still there", flush=True)
    ProcessGroup(os.environ, print).stay()
print("left")
"""
"""A supervisor that is asked to stop within a fork, where a signal's exception is lost."""


def test_who_asks_while_a_child_is_forked_is_heard_too() -> None:
    done = subprocess.run(
        [PYTHON, "-c", ASKED_WHILE_FORKING], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (0, "still there\nleft\n"), done.stderr


class _EnoughError(Exception):
    """Ends a replacement in its middle."""


def test_a_child_that_was_about_to_replace_another_is_asked_to_finish_too() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append)
    group.start("slow", [PYTHON, "-c", "import time; time.sleep(600)"])

    def watch() -> None:
        if len(sleepers()) > 1:
            raise _EnoughError

    with pytest.raises(_EnoughError):
        group.replace(watch)
    group.stop(PATIENCE_S)
    assert (sleepers(), said) == ([], [])


def test_a_new_child_that_is_never_ready_is_killed_and_the_old_one_goes_on() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append, ready_s_max=1)
    group.start("slow", [PYTHON, "-c", "import time; time.sleep(600)"])
    old = sleepers()
    began = time.monotonic()
    group.replace()
    assert time.monotonic() - began > 1
    assert said == ["the new slow was not ready within 1 s and is killed; the old one goes on"]
    assert sleepers() == old
    assert len(old) == 1
    group.stop(PATIENCE_S)
    assert sleepers() == []


REPORTING = """
import time
from hundi.infra.reports import ALIVE, READY, report
report(READY)
for _ in range(3):
    time.sleep(0.2)
    report(ALIVE)
time.sleep(600)
"""


def test_a_child_that_falls_silent_is_killed_and_comes_back() -> None:
    said: list[str] = []
    group = ProcessGroup(os.environ, said.append, silence_s_max=2)
    group.start("hung", [PYTHON, "-c", REPORTING])
    assert group.await_ready() is None
    (hung,) = sleepers()
    began = time.monotonic()
    while hung in sleepers() and time.monotonic() < began + 60:
        group.tend()
        time.sleep(0.01)
    assert time.monotonic() - began > 2
    assert said[0] == "hung is silent for 2 s and is killed"
    while not sleepers():
        group.tend()
        time.sleep(0.01)
    group.stop(5)
    assert sleepers() == []


def test_a_child_that_ends_before_it_is_ready_tells_its_status() -> None:
    group = ProcessGroup(os.environ, print)
    group.start("wrong", [PYTHON, "-S", "-c", "raise SystemExit(2)"])
    assert group.await_ready() == 2
    group.stop(5)
