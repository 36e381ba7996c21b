"""A bar on a terminal while a command takes long; nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Bar = Callable[[str, float, float], None]
"""Shows what is done now, how much of it, and of how much."""


@contextmanager
def bar(name: str, *, quiet: bool) -> Iterator[Bar]:
    """Yield what moves the bar. quiet: show none, for scripts."""
    # It takes a while to import, and most commands show none.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()
    ) as shown:
        task = shown.add_task(name)
        yield lambda words, done, total: shown.update(
            task, description=words, completed=done, total=total
        )
