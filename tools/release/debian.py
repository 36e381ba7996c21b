"""Builds the Debian package: the wheels in an environment of their own, units, manual page.

No tool of Debian's is asked what to do with them: dh-virtualenv builds from source on the machine
of its user, and wheels that a package installs afterwards belong to nobody. So every file is the
package's own, and the same commit gives the same bytes.
"""

import gzip
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from hundi.cli.completions import SHARED, Shell
from tools.release.build import Source
from tools.release.run import run

PYTHON_MINOR = 11
"""Of Debian 12; the package asks for it."""
GLIBC_MINOR_MAX = 36
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_HOME = Path("usr/lib/hundi")
_PACKAGES = _HOME / "lib" / f"python3.{PYTHON_MINOR}" / "site-packages"
_SHARED = {
    **{place: place for place in SHARED.values()},
    SHARED[Shell.ZSH]: "zsh/vendor-completions/_hundi",
}
"""Where Debian has the shells' files; zsh's elsewhere than others."""
_BUILDERS = "-r requirements/build.in"
"""Whose packages are in the lock to build the project; nothing runs on them."""
_LAUNCHER = """\
#!/usr/lib/hundi/bin/python
import sys

from hundi.cli import main

sys.exit(main())
"""
_SCRIPTS = ("postinst", "prerm", "postrm")
_SAMPLES = ("proxy", "monitoring", "data")
"""The folders below `deploy` from which docs/install.md copies."""


def build_package(source: Source, out: Path, folder: Path) -> Path:
    """Build the package of a release from its wheels. folder: to work in."""
    version = f"{source.version}-1"
    architecture = run(["dpkg", "--print-architecture"]).strip()
    root, deploy = folder / "root", source.folder / "deploy"
    (root / _HOME / "bin").mkdir(parents=True)
    _install(source, out, root, architecture)
    _lay_out(source, root, deploy, out)
    _control(source, root, version, architecture)
    package = out / f"hundi_{version}_{architecture}.deb"
    pack = ["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "-z1"]
    run([*pack, "--build", root, package], environment=source.environment)
    return package


def _install(source: Source, out: Path, root: Path, architecture: str) -> None:
    """Install the lock and our wheel as a Python of the target would, and its environment."""
    packages = root / _PACKAGES
    lock = root.with_name("lock.txt")
    lock.write_text("".join(_wanted(source.folder / "requirements" / "run.txt")), "utf-8")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-compile", "--target", packages, *_target(architecture)]
    run([*install, *options, "--require-hashes", "-r", lock])
    # By its name: installed by its path it would keep the path, which differs from place to place.
    ours = ["--upgrade", "--no-index", "--find-links", out, f"hundi=={source.version}"]
    run([*install, *options, *ours])
    for left in ("bin", "share"):
        shutil.rmtree(packages / left, ignore_errors=True)
    # Fonts for drawing bitmaps, whose outlines are Adobe's: no report of ours needs them.
    for font in (packages / "reportlab" / "fonts").glob("*.pfb"):
        font.unlink()
    for path in packages.rglob("*"):
        if path.is_file() and path.parent.name != "bin":
            path.chmod(0o644)
    home = root / _HOME
    (home / "bin" / "python").symlink_to(f"/usr/bin/python3.{PYTHON_MINOR}")
    launcher = home / "bin" / "hundi"
    launcher.write_text(_LAUNCHER)
    launcher.chmod(0o755)
    (home / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.{PYTHON_MINOR}\n"
    )


def _wanted(lock: Path) -> Iterator[str]:
    """Yield the lines of a lock without the packages that only build the project."""
    text = lock.read_text("utf-8")
    builders = builders_of(text)
    wanted = True
    for line in text.splitlines(keepends=True):
        if line[0].isalnum():
            wanted = line.partition("==")[0] not in builders
        if wanted:
            yield line


def builders_of(lock: str) -> set[str]:
    """Return the packages of a lock that only build the project, by whom the lock says they serve.

    A package serves builders if all that need it are builders.
    """
    needed_by: dict[str, set[str]] = {}
    name = ""
    for line in lock.splitlines():
        if line[0].isalnum():
            name = line.partition("==")[0]
            needed_by[name] = set()
        elif line.startswith(("    # via ", "    #   ")):
            who = line.removeprefix("    # via ").removeprefix("    #   ")
            if not who.startswith("-c "):
                needed_by[name].add(who)
    builders = {_BUILDERS}
    while more := {name for name, who in needed_by.items() if who <= builders} - builders:
        builders |= more
    return builders - {_BUILDERS}


def _target(architecture: str) -> Iterator[str]:
    """Yield pip's options for the target: whichever Python builds, the same wheels are taken."""
    machine = _MACHINES[architecture]
    yield from ("--only-binary", ":all:", "--implementation", "cp")
    yield from ("--python-version", f"3.{PYTHON_MINOR}")
    for abi in (f"cp3{PYTHON_MINOR}", "abi3", "none"):
        yield from ("--abi", abi)
    names = [f"manylinux_2_{minor}" for minor in range(GLIBC_MINOR_MAX, 4, -1)]
    for name in (*names, "manylinux2014", "manylinux2010", "manylinux1"):
        yield from ("--platform", f"{name}_{machine}")


def _lay_out(source: Source, root: Path, deploy: Path, out: Path) -> None:
    """Write everything but the environment to where Debian has it."""
    systemd = root / "usr/lib/systemd/system"
    left_out = shutil.ignore_patterns("sysusers.conf", "tmpfiles.conf")
    shutil.copytree(deploy / "systemd", systemd, ignore=left_out)
    for unit in systemd.rglob("*.*"):
        unit.chmod(0o755 if unit.is_dir() else 0o644)
    shared = source.folder / "build" / "share"
    share = root / "usr/share"
    places = {
        deploy / "systemd" / "sysusers.conf": root / "usr/lib/sysusers.d/hundi.conf",
        deploy / "systemd" / "tmpfiles.conf": root / "usr/lib/tmpfiles.d/hundi.conf",
        deploy / "debian" / "hundi.toml": root / "etc/hundi/hundi.toml",
        deploy / "debian" / "hundi.sh": root / "usr/bin/hundi",
        deploy / "debian" / "copyright": share / "doc/hundi/copyright",
        deploy / "debian" / "overrides": share / "lintian/overrides/hundi",
        **{shared / name: share / place for name, place in _SHARED.items()},
    }
    for origin, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, place)
        place.chmod(0o644)
    (root / "usr/bin/hundi").chmod(0o755)
    for samples in _SAMPLES:
        for origin in (deploy / samples).iterdir():
            place = share / "doc/hundi/examples" / samples / origin.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin, place)
            place.chmod(0o644)
    licences = out / f"hundi-{source.version}-licences.txt"
    _compress(licences.read_bytes(), share / "doc/hundi/licences.txt.gz")
    _compress((source.folder / "CHANGELOG.md").read_bytes(), share / "doc/hundi/changelog.gz")
    _compress((shared / "man/man1/hundi.1").read_bytes(), share / "man/man1/hundi.1.gz")
    for private in ("credentials", "operator"):
        (root / "etc/hundi" / private).mkdir(mode=0o700)


def _compress(content: bytes, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(gzip.compress(content, mtime=0))


def _control(source: Source, root: Path, version: str, architecture: str) -> None:
    debian = source.folder / "deploy" / "debian"
    day = datetime.fromtimestamp(int(source.environment["SOURCE_DATE_EPOCH"]), UTC)
    changelog = (debian / "changelog").read_text("utf-8")
    written = changelog.format(version=version, date=format_datetime(day))
    _compress(written.encode(), root / "usr/share/doc/hundi/changelog.Debian.gz")
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    control = root / "DEBIAN"
    control.mkdir()
    text = (debian / "control").read_text("utf-8")
    kilobytes = sum(path.stat().st_size for path in files) // 1024
    (control / "control").write_text(
        text.format(version=version, architecture=architecture, kilobytes=kilobytes), "utf-8"
    )
    (control / "conffiles").write_text("/etc/hundi/hundi.toml\n")
    sums = run(["md5sum", *sorted(str(path.relative_to(root)) for path in files)], root)
    (control / "md5sums").write_text(
        "".join(line + "\n" for line in sums.splitlines() if "  etc/" not in line)
    )
    for name in _SCRIPTS:
        shutil.copyfile(debian / name, control / name)
        (control / name).chmod(0o755)
    for path, _, _ in os.walk(root):
        if not path.endswith(("/credentials", "/operator")):
            Path(path).chmod(0o755)
