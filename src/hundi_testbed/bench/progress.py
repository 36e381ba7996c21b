"""The progress of a long run, for a terminal or a log."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

Step = Callable[[str], None]
"""Called with the words of each step as it begins."""


@contextmanager
def progress(steps: int) -> Iterator[Step]:
    """Show the progress of a run: a bar in a terminal, else a line for each step."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: print(f"bench: {words}", file=sys.stderr, flush=True)
        return
    columns = (TextColumn("[bold]{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("bench", total=steps)
        steps_done = iter(range(steps + 1))
        yield lambda words: bar.update(task, description=words, completed=next(steps_done, steps))
