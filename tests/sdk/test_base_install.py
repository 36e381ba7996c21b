"""The base install is enough.

The SDK imports nothing but the standard library and the four base dependencies.
"""

import subprocess
import sys

_ALLOWED = ("httpx", "cryptography", "msgspec", "standardwebhooks", "hundi")
# What those four bring along themselves.
_BROUGHT = (
    "anyio",
    "certifi",
    "h11",
    "httpcore",
    "idna",
    "sniffio",
    "cffi",
    "_cffi_backend",
    "pycparser",
    "typing_extensions",
)

_PROGRAM = f"""
import sys

class Guard:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {_ALLOWED + _BROUGHT!r}:
            raise ModuleNotFoundError(name, name=name)
        return None

sys.meta_path.insert(0, Guard())
import hundi.sdk

spoken = {{name.split(".")[1] for name in sys.modules if name.startswith("hundi.")}}
assert spoken == {{"sdk", "wire", "kernel"}}, spoken
"""


def test_the_sdk_needs_the_base_install_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
