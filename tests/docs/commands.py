"""A `hundi` for the shell of the examples.

Each command runs in a fork of one process that has everything loaded.

A command of its own interpreter spends a second on its imports and little on its work. A fork has
the command's arguments, folder, environment and files, and nothing of the commands before it.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from hundi import cli
from hundi.infra.processes import end_with_parent

_CLIENT = """\
#!{python} -ISs
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(asked).to_bytes(4, "big")], [0, 1, 2])
server.sendall(asked)
status = server.recv(1)
sys.exit(status[0] if status else "the command was killed")
"""
_STANDARD = (0, 1, 2)


@contextmanager
def ready_commands() -> Iterator[Path]:
    """Yield a folder with a `hundi` to put first on PATH."""
    with tempfile.TemporaryDirectory(prefix="hundi-commands-") as name:
        folder = Path(name)
        address = str(folder / "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            listening.listen()
            command = folder / "hundi"
            command.write_text(_CLIENT.format(python=sys.executable, address=address))
            command.chmod(0o700)
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.docs.commands", str(listening.fileno())],
                pass_fds=[listening.fileno()],
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (two system calls)
            )
        yield folder
        process.terminate()
        process.wait(60)


def _serve(listening: socket.socket) -> None:
    cli.application()  # loads every command
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _act(connection)
        connection.close()
        while _has_ended():
            pass


def _has_ended() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] > 0
    except ChildProcessError:
        return False


def _act(connection: socket.socket) -> None:
    """Become the command that the connection asks for; never returns."""
    status = 1
    try:
        length, files, _, _ = socket.recv_fds(connection, 4, len(_STANDARD))
        asked = bytearray()
        while len(asked) < int.from_bytes(length, "big"):
            asked += connection.recv(65536)
        arguments, folder, environment = json.loads(asked)
        for given, standard in zip(files, _STANDARD, strict=True):
            os.dup2(given, standard)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["hundi", *arguments]
        cli.main()
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except Exception:  # noqa: BLE001 (whatever it is, the shell sees a failed command)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(bytes([status]))
        os._exit(status)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
