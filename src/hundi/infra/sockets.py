"""Sockets that a supervisor opens: they outlive the processes that serve on them."""

import socket

from hundi.infra.errors import OperatorError

CONNECTIONS_WAITING_MAX = 1_024


def listen_each(host: str, port: int, number: int) -> list[socket.socket]:
    """Return open sockets of one address, among which the kernel spreads connections.

    number: of sockets. Processes with one shared socket do not share the load: whichever wakes
    first takes every waiting connection. Raises OperatorError.
    """
    first = listen(host, port)
    if number == 1 or not hasattr(socket, "SO_REUSEPORT"):
        return [first] * number
    # The first socket finds the address free; sockets that may share it would not notice another
    # gateway there.
    place = first.getsockname()[:2]
    first.close()
    return [listen(*place, shared=True) for _ in range(number)]


def listen(
    host: str, port: int, setting: str = "HUNDI_PORT", *, shared: bool = False
) -> socket.socket:
    """Return an open socket. Raises OperatorError, in words, if the address is not available.

    setting: which has the port. shared: more sockets of this address will follow.
    """
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        opened.bind((host, port))
        opened.listen(CONNECTIONS_WAITING_MAX)
    except OSError as error:
        opened.close()
        message = (
            f"cannot listen on {host} port {port}: {error.strerror}; choose another port with"
            f" {setting}, or end the program that has this one"
        )
        raise OperatorError(message) from error
    return opened
