"""Writes what is generated in `sdks` (`make sdks-written`)."""

import shutil
import subprocess
from functools import partial
from pathlib import Path

from tools.sdks import collections, events, go, java, node, php

ROOT = Path(__file__).parents[2]
PAGES = {
    node.FILE: node.written,
    go.FILE: go.written,
    java.MESSAGES: java.messages,
    java.OPERATIONS: java.operations,
    php.MESSAGES: php.messages,
    php.OPERATIONS: php.operations,
    events.NODE: events.node,
    events.GO: events.go,
    events.JAVA: events.java,
    events.PHP: events.php,
    **{page: partial(str, text) for page, text in collections.files().items()},
}

if __name__ == "__main__":
    for page, written in PAGES.items():
        (ROOT / page).write_text(written(), "utf-8")
    formatter = shutil.which("gofmt")
    assert formatter, "Go's own formatter aligns the fields of structures: install Go"
    subprocess.run([formatter, "-w", str(ROOT / go.FILE), str(ROOT / events.GO)], check=True)  # noqa: S603 (as above)
