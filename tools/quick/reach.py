"""Which fast test files a change can reach, and how.

- A changed Python file reaches the tests that need it: over imports, over modules that are loaded
  by their names, and over fixtures of a `conftest.py`.
- Another changed file reaches the tests that name it, or its folder of data, and those that need
  a module of the package around it. Where there is neither, those of the nearest folder.
- House rules and pages read the whole repository as text: every change reaches them.
- What decides how tests run reaches every test.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from tests.places import SLOW, SLOW_FIXTURES
from tools.quick.needs import Needs
from tools.quick.scripts import Script

READERS = ("tests/house/", "tests/docs/")
"""Tests that read the repository as text."""
CONFTEST = "tests/conftest.py"
"""The root's `conftest.py`: its fixtures are servers, so no fast test takes one."""
DECIDING = frozenset({"pyproject.toml", "requirements/test.txt", CONFTEST})
"""Files that decide how every test runs; the last one's imports in its folder do too."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Test files by how a change reaches them, each in the first list that fits.

    all_because: why every test is reached, or "". importing: need a changed file. naming: name one.
    nearest: of the nearest folder. reading: read the repository as text.
    """

    all_because: str
    importing: tuple[str, ...]
    naming: tuple[str, ...]
    nearest: tuple[str, ...]
    reading: tuple[str, ...]

    @property
    def files(self) -> list[str]:
        """All files of the lists."""
        return sorted((*self.importing, *self.naming, *self.nearest, *self.reading))


class FastTests:
    """The fast test files: outside the slow places, with a test that needs no server."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        """Find them among tests and tools."""
        self._scripts = {script.path: script for script in scripts}
        self._conftests = {script.folder: script for script in scripts if script.is_conftest}
        self.needed = {
            script.path: conftests
            for script in scripts
            if script.is_test_file and not _is_slow_place(script.path)
            if (conftests := self._conftests_of(script)) is not None
        }
        """Each file's `conftest.py` files whose fixtures its fast tests take."""

    def _conftests_of(self, script: Script) -> frozenset[str] | None:
        """Return each `conftest.py` whose fixtures fast tests of it take, None without any."""
        around = [*self._around(script.folder)]
        fixtures = [self._fixtures(names, script, around) for names in script.tests.values()]
        fast = [names for names in fixtures if not names & SLOW_FIXTURES]
        if script.tests and not fast:
            return None
        used = frozenset[str]().union(*fast)
        return frozenset(
            conftest.path
            for conftest in around
            if conftest.path != CONFTEST and (conftest.always or used & conftest.fixtures.keys())
        )

    def _around(self, folder: str) -> Iterator[Script]:
        """Yield each `conftest.py` of a folder and those around it, the nearest first."""
        while folder:
            if folder in self._conftests:
                yield self._conftests[folder]
            folder = folder.rpartition("/")[0]

    def _fixtures(
        self, names: Iterable[str], script: Script, around: Sequence[Script]
    ) -> frozenset[str]:
        """Return fixtures, with the fixtures that they take."""
        seen: set[str] = set()
        waiting = [*names, *(name for each in (script, *around) for name in each.always)]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            waiting += [
                names_taken
                for each in (script, *around)
                for names_taken in each.fixtures.get(name, ())
            ]
        return frozenset(seen)


class Repository:
    """The repository, for finding the tests of a change."""

    def __init__(self, scripts: Sequence[Script], needs: Needs) -> None:
        """Keep its tests and tools, and the needs of each Python file."""
        self._scripts = {script.path: script for script in scripts}
        self.fast_tests = FastTests(scripts)
        self._dependents: dict[str, set[str]] = defaultdict(set)
        for needed in (needs, self.fast_tests.needed):
            for path, others in needed.items():
                for other in others:
                    self._dependents[other].add(path)
        self._needs = needs
        self._code_folders = {PurePosixPath(path).parent.name for path in needs}
        self._deciding = DECIDING | {
            path for path in needs.get(CONFTEST, ()) if path.rpartition("/")[0] == "tests"
        }

    def everything(self, because: str) -> Reach:
        """Return every fast test file."""
        return Reach(because, tuple(sorted(self.fast_tests.needed)), (), (), ())

    def reach(self, changed: Sequence[str]) -> Reach:
        """Return the fast test files that changed files reach."""
        fast = self.fast_tests.needed.keys()
        deciding = next((path for path in changed if path in self._deciding), "")
        if deciding:
            return self.everything(f"{deciding} changed")
        importing = self._dependents_of(path for path in changed if path in self._needs)
        naming: set[str] = set()
        nearest: set[str] = set()
        for path in changed:
            if path in self._needs:
                continue
            named = self._naming(path)
            around = self._package_around(path)
            importing |= self._dependents_of(around)
            naming |= named
            if not named and not around:
                nearest |= self._nearest(path)
        reading = {path for path in fast if path.startswith(READERS)} if changed else set[str]()
        return Reach("", *_each_once(fast, importing, naming, nearest, reading))

    def _dependents_of(self, paths: Iterable[str]) -> set[str]:
        """Return files, and all files that need them."""
        seen: set[str] = set()
        waiting = [*paths]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += self._dependents[path]
        return seen

    def _naming(self, path: str) -> set[str]:
        """Return the files whose text names a file, its ending, or its folder of data."""
        place = PurePosixPath(path)
        folder = place.parent.name
        names = {path, place.name} | ({folder} - self._code_folders - {""})
        naming = [
            script.path
            for script in self._scripts.values()
            if any(text in names or _is_pattern_of(path, text) for text in script.texts)
        ]
        return self._dependents_of(naming)

    def _package_around(self, path: str) -> list[str]:
        """Return the modules of the package with a file of data."""
        if path.endswith(".py"):
            return []  # it was removed, and its users changed as well
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/__init__.py" not in self._needs:
            folder = folder.rpartition("/")[0]
        if not folder:
            return []
        around = [known for known in self._needs if known.rpartition("/")[0] == folder]
        return [known for known in around if not known.endswith("/__init__.py")] or around

    def _nearest(self, path: str) -> set[str]:
        """Return the fast tests of the nearest folder with some, in the tests' own tree."""
        parts = path.removeprefix("tests/").removeprefix("src/").removeprefix("hundi/").split("/")
        while parts:
            folder = "/".join(("tests", *parts[:-1]))
            tests = {
                test
                for test in self.fast_tests.needed
                if (
                    test.rpartition("/")[0] == folder
                    if folder == "tests"
                    else test.startswith(f"{folder}/")
                )
            }
            if tests:
                return tests
            parts.pop()
        return set()


def _is_slow_place(path: str) -> bool:
    return path.removeprefix("tests/").startswith(SLOW)


def _is_pattern_of(path: str, text: str) -> bool:
    """Return whether a text is a pattern of file names that fits a file: `templates/*`."""
    return (
        "*" in text
        and len(text) > len("**/*")
        and "\n" not in text
        and fnmatchcase(path, f"*{text}")
    )


def _each_once(fast: Iterable[str], *lists: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the fast files of each list without those of the lists before."""
    left = set(fast)
    for files in lists:
        yield tuple(sorted(left & files))
        left -= files
