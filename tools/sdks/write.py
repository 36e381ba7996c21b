"""Writes what is generated in `sdks` (`make sdks-written`)."""

from pathlib import Path

from tools.sdks import node

ROOT = Path(__file__).parents[2]
PAGES = {node.FILE: node.written}

if __name__ == "__main__":
    for page, written in PAGES.items():
        (ROOT / page).write_text(written(), "utf-8")
