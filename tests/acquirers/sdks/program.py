"""The loop of a merchant's program: each line asks for a step, and each answer is its result.

TOLD: what every step of the program is told, and what the present one is told beside it.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

_ALWAYS: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
TOLD: dict[str, Any] = dict(_ALWAYS)


def serve(*steps: Callable[[], Any]) -> None:
    """Do the steps that come, until none comes."""
    by_name = {each.__name__: each for each in steps}
    for line in sys.stdin:
        asked = json.loads(line)
        TOLD.clear()
        TOLD.update(_ALWAYS | asked["told"])
        sys.stdout.write(json.dumps(by_name[asked["step"]]()) + "\n")
        sys.stdout.flush()
