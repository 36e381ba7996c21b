"""What a package of Hundi brings beside its code."""

from pathlib import Path


def documentation_folder() -> Path | None:
    """Return the folder of the documentation's site; a package made without one has None."""
    folder = Path(__file__).parents[1] / "site"
    return folder if folder.is_dir() else None
