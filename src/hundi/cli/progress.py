"""A progress bar on a terminal for long commands; nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Bar = Callable[[str, float, float], None]
"""Shows the present step, the work done, and the work in total."""


@contextmanager
def bar(name: str, *, quiet: bool) -> Iterator[Bar]:
    """Yield a callback that moves the bar. quiet: show none, for scripts."""
    # Rich imports slowly, and most commands show no bar.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()
    ) as progress:
        task = progress.add_task(name)
        yield lambda words, done, total: progress.update(
            task, description=words, completed=done, total=total
        )
