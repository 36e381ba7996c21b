"""`python -m tools.site`: builds the site into `build/docs`, by the Python that has Zensical."""

import shutil
import subprocess
import sys
from pathlib import Path

from tools.site.finish import finish
from tools.site.links import BrokenLinksError

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "docs"


def main() -> int:
    """Build and finish the site. Returns 1 after saying why there is none."""
    shutil.rmtree(SITE, ignore_errors=True)
    builder = [sys.executable, "-m", "zensical", "build", "--strict"]
    told = subprocess.run(builder, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 (our own command)
    if told.returncode != 0:
        sys.stderr.write(told.stdout + told.stderr)
        return 1
    try:
        finish(SITE, ROOT)
    except BrokenLinksError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
