"""Where the processes of one machine count: a folder that `hundi serve` names to its children."""

from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the folder; Prometheus' client library reads it when it is imported."""
NAME = "metrics"
"""In the data directory."""


def empty_folder(data_dir: Path) -> None:
    """Make the folder for the counters of a gateway that starts now."""
    folder = data_dir / NAME
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()
