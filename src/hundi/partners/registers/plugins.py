"""Live providers as plug-ins: packages of their own, named in the settings."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Protocol

GROUP = "hundi.registers"
"""The group of entry points.

Each names a function without parameters that opens a provider, and calls nobody.
"""


class ProviderConfigurationError(ValueError):
    """A provider cannot be opened; the text names it."""


class Provider(Protocol):
    """Answers some of the questions of `registers.port`."""

    async def close(self) -> None:
        """Close connections; called once, at the end of the process."""
        ...


def open_providers(names: Sequence[str]) -> list[tuple[str, Provider]]:
    """Return the named providers in this order, each with its name.

    Raises ProviderConfigurationError.
    """
    installed = {each.name: each for each in entry_points(group=GROUP)}
    opened: list[tuple[str, Provider]] = []
    for name in names:
        if name not in installed:
            listed = ", ".join(sorted(installed)) or "none"
            message = f"provider {name} is not installed; installed are: {listed}"
            raise ProviderConfigurationError(message)
        try:
            opened.append((name, installed[name].load()()))
        except Exception as error:
            # Without the error's text: a package may put its secrets into it.
            message = (
                f"provider {name} ({installed[name].value}) cannot be opened: "
                f"{type(error).__name__}"
            )
            raise ProviderConfigurationError(message) from error
    return opened
