"""The sum of the chart's files and of the values that it was rendered with."""

import hashlib
from pathlib import Path

HERE = Path(__file__).parent
CHART = HERE.parents[2] / "deploy" / "helm" / "hundi"


def chart_sum() -> str:
    """Return the sum; it differs once any of the files does."""
    files = [*sorted(path for path in CHART.rglob("*") if path.is_file()), HERE / "values.yaml"]
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


if __name__ == "__main__":
    print(chart_sum())  # noqa: T201 (the script that renders reads it)
