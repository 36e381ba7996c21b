"""Two traces of one seed side by side: the first step where they differ."""

from collections.abc import Iterable, Iterator


class ExpectedTrace:
    """The lines of an earlier run; each line of the next run is compared with them."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Begin at the first line. lines: with or without their line ends."""
        self._lines: Iterator[str] = iter(lines)
        self._step = 0
        self._difference = ""

    def hear(self, line: str) -> None:
        """Compare the next line; after the first difference nothing more is compared."""
        self._step += 1
        if not self._difference:
            self._note(next(self._lines, None), line)

    def difference(self) -> str:
        """Return which step differs and how, asked once at the end; "" when all are the same."""
        if not self._difference and (left := next(self._lines, None)) is not None:
            self._step += 1
            self._note(left, None)
        return self._difference

    def _note(self, expected: str | None, line: str | None) -> None:
        expected = None if expected is None else expected.rstrip("\n")
        if expected != line:
            words = [f'"{each}"' if each is not None else "the end" for each in (expected, line)]
            self._difference = f"step {self._step}: expected {words[0]}, was {words[1]}"
