"""Hands out tests to processes, and goes on when the system kills one of them.

What it had not begun is run by others.

pytest-xdist 3.8 hands the files that a killed process had finished to the others again, as files
without tests, and these wait for one until the time is over (its issues 1323 and 1378). A file of
one test waits, too (1327), and the test that killed the process kills the next one (1371).
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

READERS = ("tests/house/", "tests/docs/test_glossary.py", "tests/docs/test_named.py")
"""Tests that read all of our code: what one has parsed, 550 MB, serves the next in its process."""


class FileScheduling(LoadFileScheduling):
    """Hands out whole files, as `--dist loadfile` does, and all `READERS` to one process."""

    def _split_scope(self, nodeid: str) -> str:
        """Return what is handed out whole with a test."""
        return READERS[0] if nodeid.startswith(READERS) else super()._split_scope(nodeid)

    def remove_node(self, node: WorkerController) -> str | None:
        """Hand a process's other tests out again, and return the one that it was killed in."""
        left = {
            file: tests
            for file, tests in self.assigned_work.pop(node).items()
            if not all(tests.values())
        }
        if not left:
            return None
        file, tests = next(iter(left.items()))
        killed_in = next(test for test, is_done in tests.items() if not is_done)
        tests[killed_in] = True
        if all(tests.values()):
            del left[file]
        self.workqueue.update(left)
        self._give_all()
        return killed_in

    def schedule(self) -> None:
        """Give each process two files, or the word that there are no more."""
        super().schedule()
        self._give_all()

    def _give_all(self) -> None:
        for node in self.nodes:
            self._reschedule(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    """Return ours for `--dist loadfile`."""
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
