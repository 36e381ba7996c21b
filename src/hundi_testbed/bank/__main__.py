"""Runs the simulated bank network alone: `python -m hundi_testbed.bank`.

It serves at HUNDI_SIMBANK_HOST and HUNDI_SIMBANK_PORT.
"""

import os

import uvicorn


def main() -> None:
    """Serve until stopped.

    One process, because it counts the injected faults in its memory.
    """
    uvicorn.run(
        "hundi_testbed.bank.app:build",
        factory=True,
        host=os.environ.get("HUNDI_SIMBANK_HOST", "127.0.0.1"),
        port=int(os.environ.get("HUNDI_SIMBANK_PORT", "8081")),
        ws="none",
        access_log=False,
        log_config=None,
    )


if __name__ == "__main__":
    main()
