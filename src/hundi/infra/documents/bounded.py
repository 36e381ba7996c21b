"""Opens a stranger's document in a process of its own, which is bounded in time and memory.

Libraries that read documents have had faults, and will have. What such a fault can do is to end
that process, which has no settings, no database and no network of ours in its memory.
"""

import asyncio
import resource
import sys
from collections.abc import Sequence

OPENS_S_MAX = 30.0
"""How long one document is opened; a whole one takes some tenths of a second on a free machine."""
PROCESSOR_S_MAX = 5
MEMORY_BYTES_MAX = 512 * 1024 * 1024
"""Of the process, the interpreter included: a picture of 25 million points takes 100 MB."""
OPENER = ("-m", "hundi.infra.documents.bounded")
"""What the interpreter runs in the process."""
_FAULT_LENGTH_MAX = 300


async def fault_of(
    content: bytes, opener: Sequence[str] = OPENER, within_s: float = OPENS_S_MAX
) -> str:
    """Return in words why a document is not taken, "" for a whole one.

    opener: arguments of the interpreter.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        *opener,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(within_s):
            answer, _ = await child.communicate(content)
    except TimeoutError:
        child.kill()
        await child.wait()
        return "a file that takes too long to open"
    if child.returncode:
        return "a file that cannot be opened within its bounds"
    return answer.decode("utf-8", "replace")[:_FAULT_LENGTH_MAX]


def main() -> None:
    """Read a document from standard input, and write why it is not taken."""
    # Loaded here alone: no other process needs the libraries that read what strangers give.
    from hundi.infra.documents.contents import content_fault  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S_MAX, PROCESSOR_S_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.write(content_fault(sys.stdin.buffer.read()))


if __name__ == "__main__":
    main()
