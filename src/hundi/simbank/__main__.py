"""Run the simulated bank network alone: `python -m hundi.simbank`, at HUNDI_SIMBANK_HOST and HUNDI_SIMBANK_PORT."""

import os

from granian import Granian
from granian.constants import HTTPModes, Interfaces


def main() -> None:
    """Serve until told to stop; one worker, because the dial lives in one process."""
    Granian(
        "hundi.simbank.app:build",
        factory=True,
        interface=Interfaces.ASGI,
        address=os.environ.get("HUNDI_SIMBANK_HOST", "127.0.0.1"),
        port=int(os.environ.get("HUNDI_SIMBANK_PORT", "8081")),
        workers=1,
        http=HTTPModes.http1,
        log_access=False,
    ).serve()


if __name__ == "__main__":
    main()
