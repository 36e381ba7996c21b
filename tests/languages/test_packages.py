"""Each SDK as a package: installed into an empty project by its language's own tool, and used."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.languages.conftest import LANGUAGES
from tests.patience import PATIENCE_S

SDKS = ROOT / "sdks"
KEY = "whsec_" + "A" * 43 + "="
NODE = f"""
const own = new Credentials({{ merchantId: "10001", username: "u", password: "p",
  apiSecret: "s", oauthClientId: "c", oauthClientSecret: "cs", webhookKeys: ["{KEY}"] }});
console.log(own.merchantId, typeof new Callbacks(own).readReturn);
"""
JAVA = f"""
class Uses {{
  public static void main(String[] arguments) {{
    var own = new hundi.Credentials("10001", "u", "p", "s", "c", "cs", java.util.List.of("{KEY}"));
    System.out.println(own + " " + new hundi.Callbacks(own).getClass().getSimpleName());
  }}
}}
"""
GO = f"""package main

import (
	"fmt"

	hundi "hundi.example/go"
	_ "hundi.example/go/shop"
)

func main() {{
	own := hundi.Credentials{{MerchantID: "10001", Username: "u", Password: "p", APISecret: "s",
		OAuthClientID: "c", OAuthClientSecret: "cs", WebhookKeys: []string{{"{KEY}"}}}}
	_, err := hundi.NewCallbacks(own)
	fmt.Println(own.MerchantID, err)
}}
"""
PHP = f"""<?php
require 'vendor/autoload.php';
$own = new Hundi\\Credentials('10001', 'u', 'p', 's', 'c', 'cs', ['{KEY}']);
echo $own->merchantId, ' ', (new Hundi\\Callbacks($own))::class, ' ', Hundi\\PaymentRequest::class;
var_dump(class_exists(Hundi\\PaymentRequest::class));
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>shop</artifactId>
  <version>1</version><packaging>jar</packaging>
  <properties><maven.compiler.source>17</maven.compiler.source>
  <maven.compiler.target>17</maven.compiler.target>
  <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>hundi</groupId><artifactId>hundi</artifactId>
  <version>0.1.0</version></dependency></dependencies>
</project>
"""


def ran(folder: Path, *command: str, **more: str) -> str:
    """Run a command in a folder, and return what it printed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 8,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def php(empty: Path) -> None:
    """Composer validates the package, and installs it from its folder."""
    own = {"COMPOSER_HOME": str(empty / "home"), "COMPOSER_ALLOW_SUPERUSER": "1"}
    for package in ("php", "php/laravel"):
        ran(SDKS / package, "composer", "validate", "--no-check-lock", **own)
    wanted = {
        "repositories": [
            {"type": "path", "url": str(SDKS / "php"), "options": {"symlink": False}},
            {"packagist.org": False},
        ],
        "require": {"hundi/hundi": "*"},
    }
    (empty / "composer.json").write_text(json.dumps(wanted))
    ran(empty, "composer", "install", "--no-interaction", "--no-progress", **own)
    (empty / "uses.php").write_text(PHP)
    assert ran(empty, "php", "uses.php").split() == [
        *("10001", "Hundi\\Callbacks", "Hundi\\PaymentRequestbool(true)")
    ]


def node(empty: Path) -> None:
    """`npm pack`, then ES modules, CommonJS, and the compiler's strict look at the types."""
    ran(
        SDKS / "node",
        "npm",
        "pack",
        "--silent",
        "--ignore-scripts",
        "--pack-destination",
        f"{empty}",
    )
    (archive,) = empty.glob("*.tgz")
    (empty / "package.json").write_text('{"private": true}')
    ran(
        empty,
        "npm",
        "install",
        "--silent",
        "--offline",
        "--no-audit",
        "--ignore-scripts",
        f"{archive}",
    )
    imported = 'import { Callbacks, Credentials } from "hundi";'
    required = 'const { Callbacks, Credentials } = require("hundi");'
    typed = 'import hundi = require("hundi");\nconst { Callbacks, Credentials } = hundi;'
    (empty / "uses.mjs").write_text(imported + NODE)
    (empty / "uses.cjs").write_text(required + NODE)
    (empty / "typed.mts").write_text(imported + NODE)
    (empty / "typed.cts").write_text(typed + NODE)
    for name in ("uses.mjs", "uses.cjs"):
        assert ran(empty, "node", name) == "10001 function\n"
    tools = SDKS / "node" / "node_modules"
    options = ("--noEmit", "--strict", "--module", "node20", "--types", "node")
    roots = ("--typeRoots", str(tools / "@types"))
    ran(empty, str(tools / ".bin" / "tsc"), *options, *roots, "typed.mts", "typed.cts")


def java(empty: Path) -> None:
    """`mvn install` into a repository, and a project that depends on it."""
    package = empty / "hundi"
    shutil.copytree(SDKS / "java" / "src" / "main", package / "src" / "main")
    shutil.copy(SDKS / "java" / "pom.xml", package)
    ran(package, "mvn", "-q", "--batch-mode", "install")
    source = empty / "src" / "main" / "java"
    source.mkdir(parents=True)
    (source / "Uses.java").write_text(JAVA)
    (empty / "pom.xml").write_text(POM)
    ran(empty, "mvn", "-q", "--batch-mode", "package")
    (archive,) = (package / "target").glob("hundi-*.jar")
    shown = ran(empty, "java", "-cp", f"target/classes:{archive}", "Uses")
    assert shown == "Credentials[merchantId=10001] Callbacks\n"


def go(empty: Path) -> None:
    """A module that replaces the placeholder of the path by the folder; nothing is fetched."""
    (empty / "go.mod").write_text(
        "module shop\n\ngo 1.22\n\nrequire hundi.example/go v0.0.0\n\n"
        f"replace hundi.example/go => {SDKS / 'go'}\n"
    )
    (empty / "main.go").write_text(GO)
    ran(empty, "go", "vet", ".", GOPROXY="off", GOFLAGS="-mod=mod")
    assert ran(empty, "go", "run", ".", GOPROXY="off") == "10001 <nil>\n"


PACKAGES: Mapping[str, Callable[[Path], None]] = {"php": php, "node": node, "java": java, "go": go}


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_empty_project_installs_and_uses_it(name: str, tmp_path: Path) -> None:
    PACKAGES[name](tmp_path)
