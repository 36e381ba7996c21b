"""Asks an SDK's test program what vectors or random messages have, and compares with Python.

`python -m tools.sdks.check vectors LANGUAGE`, `fuzz COUNT SEED LANGUAGE` or `speed LANGUAGE`.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import IO, Any

from hundi.wire import strict_json
from hundi_testbed.bench.processes import yardstick_ms
from tools.sdks.languages import PROGRAMS
from tools.sdks.peer import answer
from tools.sdks.random_messages import requests
from tools.sdks.vectors import FOLDER

SHOWN_MAX = 5
"""Differences that are printed."""
_AT_ONCE = 500
_ROUNDS = 20_000
_SPEEDS = 12
"""How often a speed is asked for."""
Asked = dict[str, Any]


def cases() -> Iterator[tuple[str, Asked, Asked]]:
    """Yield every vector: its name, the request and the answer."""
    for file in sorted(FOLDER.glob("*.json")):
        for case in json.loads(file.read_text("utf-8"))["cases"]:
            asked = {"do": case["do"], "with": case["with"]}
            right = {name: case[name] for name in ("gives", "refused") if name in case}
            yield f"{file.stem}: {case['name']}", asked, right


class Program:
    """A running test program of an SDK."""

    def __init__(self, command: list[str]) -> None:
        """Start it."""
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, requests: Iterable[Asked]) -> list[Asked]:
        """Return its answers to some requests, in their order."""
        lines = [json.dumps(asked).encode() + b"\n" for asked in requests]
        writer, reader = self._process.stdin, self._process.stdout
        assert writer is not None
        assert reader is not None
        # It answers while we still write: both pipes are short.
        with ThreadPoolExecutor(1) as writing:
            written = writing.submit(_write, writer, lines)
            answers = [json.loads(reader.readline()) for _ in lines]
            written.result()
        return answers

    def cpu_s(self) -> float:
        """Return the CPU seconds that it has spent, all its threads together (Linux)."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text("ascii", "replace")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=60)


def _write(writer: IO[bytes], lines: list[bytes]) -> None:
    writer.writelines(lines)
    writer.flush()


def is_right(given: Asked, right: Asked) -> bool:
    """Return whether an answer is right. A right one may name fewer forms of a checksum."""
    told, wanted = given.get("gives"), right.get("gives")
    if isinstance(told, dict) and isinstance(wanted, dict):
        return {name: told.get(name) for name in wanted} == wanted
    return given == right


def vectors(command: list[str]) -> int:
    """Compare an SDK's answers with all vectors; return the number of different ones."""
    program, wrong, count = Program(command), 0, 0
    for name, asked, right in cases():
        (given,) = program.ask([asked])
        count += 1
        if not is_right(given, right):
            wrong += 1
            print(f"{name}\n  is    {given}\n  ought {right}")
    program.close()
    print(f"{count} vectors, {wrong} different")
    return wrong


def fuzz(count: int, seed: int, command: list[str]) -> int:
    """Compare answers to random messages; return the number of different ones."""
    program, wrong, started = Program(command), 0, time.monotonic()
    messages = islice(requests(seed), count)
    while some := list(islice(messages, _AT_ONCE)):
        for asked, given in zip(some, program.ask(some), strict=True):
            line = json.dumps(asked).encode()
            right = answer(strict_json.parse(line, strict_json.REPLY_VALUES_MAX))
            if given != right:
                wrong += 1
                if wrong <= SHOWN_MAX:
                    print(f"{asked}\n  is    {given}\n  ought {right}")
    program.close()
    seconds = time.monotonic() - started
    print(f"{count} random messages of seed {seed}, {wrong} different, {seconds:.0f} s")
    return wrong


def speed(command: list[str]) -> None:
    """Print the microseconds in which an SDK seals and opens a message of 1 kB.

    It is CPU time, the least of some answers: others were not warm yet. Beside it, the time of a
    clock, which is longer where other programs want the cores, and the cheapest and the dearest
    yardstick of the same minutes (docs/performance.md).
    """
    program, yardsticks = Program(command), [yardstick_ms()]
    clock, spent = list[float](), list[float]()
    for _ in range(_SPEEDS):
        before = program.cpu_s()
        (answer,) = program.ask([{"do": "speed", "with": {"rounds": str(_ROUNDS)}}])
        spent.append((program.cpu_s() - before) * 1e6 / _ROUNDS)
        clock.append(float(answer["gives"]))
        yardsticks.append(yardstick_ms())
    program.close()
    beside = f"yardstick {min(yardsticks):.2f} to {max(yardsticks):.2f} ms"
    print(f"{min(spent):.1f} µs of CPU, {min(clock):.1f} µs of a clock; {beside}")


def command_of(language: str) -> list[str]:
    """Return the command of a language's test program, which runs anywhere."""
    root = FOLDER.parents[1]
    return [part.replace("sdks/", f"{root}/sdks/") for part in PROGRAMS[language]]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["vectors", language]:
            sys.exit(vectors(command_of(language)) > 0)
        case ["fuzz", count, seed, language]:
            sys.exit(fuzz(int(count), int(seed), command_of(language)) > 0)
        case ["speed", language]:
            speed(command_of(language))
        case _:
            sys.exit(__doc__)
