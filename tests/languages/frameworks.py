"""Shops in frameworks: the samples of READMEs, as processes beside the gateway."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hundi.infra.processes import end_with_parent
from tests.house.source import ROOT

PYTHON = str(ROOT / ".venv/frameworks/bin/python")
JARS = "classes:../classes:../spring:../jars/*"
"""Of the shop, the SDK, the starter, and what Maven brought."""


@dataclass(frozen=True)
class Framework:
    """Where its sample stands, where it is written, and how it is started.

    readme: below `sdks`. heading: of the section that begins with the sample. folder: where it
    runs, below `sdks`. before: commands that come first. settings: where the block before the
    sample is written, "" where none is. In commands PORT stands for the port.
    """

    language: str
    readme: str
    heading: str
    folder: str
    file: str
    run: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    settings: str = ""

    def write(self) -> None:
        """Write the sample where it runs."""
        text = (ROOT / "sdks" / self.readme).read_text("utf-8")
        section = text.partition(self.heading)[2]
        samples = re.findall(r"```[a-z]+\n(.*?)```", section, re.DOTALL)
        for name, sample in zip(filter(None, (self.settings, self.file)), samples, strict=False):
            place = self.place / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(sample, "utf-8")

    @property
    def place(self) -> Path:
        """Return the folder in which it runs."""
        return ROOT / "sdks" / self.folder

    def start(
        self, environment: Mapping[str, str], port: int, log: Path
    ) -> subprocess.Popen[bytes]:
        """Start the shop."""
        own = {**environment, "PORT": str(port)}
        with log.open("wb") as out:
            for command in self.before:
                subprocess.run(
                    _with_port(command, port),
                    cwd=self.place,
                    env=own,
                    stdout=out,
                    stderr=out,
                    check=True,
                )
            return subprocess.Popen(
                _with_port(self.run, port),
                cwd=self.place,
                env=own,
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (no thread of ours forks)
            )


def _with_port(command: tuple[str, ...], port: int) -> list[str]:
    return [part.replace("PORT", str(port)) for part in command]


FRAMEWORKS = {
    "django": Framework(
        "python",
        "python/README.md",
        "## Django",
        "python",
        "build/django/shop.py",
        (PYTHON, "build/django/shop.py", "runserver", "--noreload", "127.0.0.1:PORT"),
        ((PYTHON, "build/django/shop.py", "migrate"),),
    ),
    "fastapi": Framework(
        "python",
        "python/README.md",
        "## FastAPI",
        "python/build/fastapi",
        "shop.py",
        (PYTHON, "-m", "uvicorn", "--port", "PORT", "shop:app"),
    ),
    "express": Framework(
        "node",
        "node/README.md",
        "## In Express",
        "node",
        "build/express.mjs",
        ("node", "build/express.mjs"),
    ),
    "fastify": Framework(
        "node",
        "node/README.md",
        "The same in Fastify",
        "node",
        "build/fastify.mjs",
        ("node", "build/fastify.mjs"),
    ),
    "net_http": Framework(
        "go",
        "go/README.md",
        "## In net/http",
        "go/sample",
        "build/main.go",
        ("./build/shop",),
        (("go", "build", "-o", "build/shop", "./build"),),
    ),
    "spring": Framework(
        "java",
        "java/spring/README.md",
        "## A shop",
        "java/target/shop",
        "src/shop/Shop.java",
        ("java", "-cp", JARS, "shop.Shop"),
        (("javac", "-parameters", "-d", "classes", "-cp", JARS, "src/shop/Shop.java"),),
        settings="classes/application.properties",
    ),
    "laravel": Framework(
        "php",
        "php/laravel/README.md",
        "## A shop",
        "php",
        "build/laravel/web.php",
        (
            "env",
            "PHP_CLI_SERVER_WORKERS=4",
            "php",
            "-S",
            "127.0.0.1:PORT",
            "laravel/tests/shop.php",
        ),
        (("php", "laravel/tests/shop.php", "migrate", "--force"),),
        settings="build/laravel/.env",
    ),
}
