"""The walk of docs/install.md: its commands in their order, and what people do between them."""

import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.deploy.machine import Machine
from tests.deploy.release import Release
from tests.docs.examples import ROOT, Block, blocks

PAGE = ROOT / "docs" / "install.md"
ONLINE = "apt-get"
"""What a block of the page needs the network of this machine for."""
NEXT = "9.0.0"
_PACKAGES = "usr/lib/hundi/lib/python3.11/site-packages"
_MIGRATION = "9000_next.sql"
_BLOCK_S_MAX = 900


@dataclass
class Walk:
    """A machine on which the page is carried out.

    seconds: what each section took. told: what its commands printed, and what visitors saw.
    """

    machine: Machine
    release: Release
    seconds: dict[str, float] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def bring_files(self) -> None:
        """Put the files of the release where a reader has them."""
        for path in self.release.out.iterdir():
            shutil.copy(path, self.machine.folder)

    def carry_out(self) -> None:
        """Do all that the page says."""
        commands = [block for block in blocks(PAGE) if block.language == "bash"]
        for section in dict.fromkeys(block.section for block in commands):
            began = time.monotonic()
            of_section = [block for block in commands if block.section == section]
            self.told[section] = self._carried_out(section, of_section)
            self.seconds[section] = time.monotonic() - began

    def _carried_out(self, section: str, commands: list[Block]) -> str:
        if "Upgrade" in section:
            self._bring_next()
        words = [
            self.machine.run(block.text, online=ONLINE in block.text, s_max=_BLOCK_S_MAX)
            for block in commands
        ]
        if "first people" in section:
            words.append(self.visited("join", "invitation.txt"))
        if "One payment" in section:
            words.append(self.visited("pay", "link.json"))
        return "\n".join(words)

    def visited(self, visit: str, file: str) -> str:
        """Let somebody follow the link that a command wrote into a file, and return what they saw.

        A visitor comes from outside, with the page's name for the gateway.
        """
        found = re.search(r"https://pay\.example\.in/[^\s\"]+", self.read(file))
        assert found, self.read(file)
        python = str(ROOT / ".venv" / "bin" / "python")
        return self.machine.visit(python, "-m", "tests.deploy.visitors", visit, found[0])

    def read(self, file: str) -> str:
        """Return a file that a command wrote."""
        return (self.machine.folder / file).read_text()

    def table(self) -> str:
        """Return what each section took."""
        lines = [f"{seconds:6.1f} s  {section}" for section, seconds in self.seconds.items()]
        return "\n".join((*lines, f"{sum(self.seconds.values()):6.1f} s  all of {PAGE.name}", ""))

    def _bring_next(self) -> None:
        """Make the package of a next version: this tree, with a higher number and a migration."""
        tree = self.machine.folder.with_name("next")
        package = self.release.file("hundi_*.deb")
        subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
        version = self.release.source.version
        metadata = tree / _PACKAGES / f"hundi-{version}.dist-info" / "METADATA"
        _replace(tree / "DEBIAN" / "control", f"Version: {version}", f"Version: {NEXT}")
        _replace(metadata, f"Version: {version}", f"Version: {NEXT}")
        migrations = tree / _PACKAGES / "hundi" / "infra" / "migrations" / "versions"
        (migrations / _MIGRATION).write_text(
            "COMMENT ON TABLE merchants IS 'of the next version';\n"
        )
        new = self.machine.folder / "new"
        new.mkdir()
        made = new / f"hundi_{NEXT}-1_{package.stem.rpartition('_')[2]}.deb"
        pack = ["dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, made]
        subprocess.run(pack, check=True, capture_output=True)
        shutil.rmtree(tree)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1))
