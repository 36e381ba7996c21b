"""`hundi acquirer kinds`: the installed kinds of acquirers, and their fields."""

from hundi.acquirers.kinds import AcquirerConfigurationError, described
from hundi.cli.output import Json, fail, show


def kinds(*, json: Json = False) -> None:
    """List the kinds of acquirers that are installed, with the fields that `add` takes.

    Needed: without it the account cannot be added. Secret: sealed where it is stored, and shown to
    nobody. Fixed: another value would be another account.
    """
    try:
        show(described(), json=json, title="Kinds of acquirers")
    except AcquirerConfigurationError as error:
        raise fail(str(error)) from None
