"""`hundi settings`: the settings of the gateway."""

from hundi.cli.output import DataDir, Json, show
from hundi.infra.settings import load_settings


def settings(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Show every setting as it is read from environment and file, secrets masked."""
    show(load_settings(data_dir=data_dir).masked(), json=json, title="Settings")
