"""Puts what was built before into the distributions: the site, the manual page and completions.

`make release` builds them first. Without them a distribution is complete but for these.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SITE = ("build/docs", "hundi/site")
"""The documentation's folder, and where the gateway looks for it (`infra/package_files.py`)."""
SHARED = ("build/share", "share")
"""What other programs look for below the environment: `share/man`, completions of shells."""


class BuiltFiles(BuildHookInterface):
    """Adds the folders that are there, to the source archive as they lie and to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folders to the builder. version: `editable` takes the tree as it is."""
        if version == "editable":
            return
        places = {"force_include": SITE, "shared_data": SHARED}
        for kind, (source, target) in places.items():
            folder = Path(self.root, source)
            if not folder.is_dir():
                continue
            if self.target_name == "sdist":
                build_data["force_include"][str(folder)] = source
            else:
                build_data[kind][str(folder)] = target
