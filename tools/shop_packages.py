"""Packs the plugins of `shops`, each with the SDK: the same source gives the same bytes.

Run by `make -C shops dist`; it needs Python alone.
"""

import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOPS = ROOT / "shops"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file: the first that a zip can say."""
FILE_MODE = 0o100644 << 16
TEXT = re.compile(r"\b(?:esc_html__|esc_attr__|__)\(\s*'((?:[^'\\]|\\.)*)',\s*'hundi-payments'")
FIELD = re.compile(r"^ {8}'[a-z_]+' => \['([^']+)', '([^']+)', (?:true|false)\],$", re.MULTILINE)


@dataclass(frozen=True)
class Plugin:
    """A plugin: its folder, the file it is packed into, and where it stands in that file.

    library: where its copy of SDK and common part stands, below the plugin.
    """

    folder: str
    package: str
    within: str
    library: str


PLUGINS = (
    Plugin("woocommerce", "hundi-payments.zip", "hundi-payments/", "lib"),
    Plugin("opencart", "hundi.ocmod.zip", "", "system/library"),
    Plugin("prestashop", "hundi.zip", "hundi/", "lib"),
    Plugin("magento", "hundi-magento.zip", "", "lib"),
)


def contents(plugin: Plugin) -> Iterator[tuple[str, bytes]]:
    """Yield each file of a package with what it holds."""
    own = SHOPS / plugin.folder
    for path in sorted(each for each in own.rglob("*") if each.is_file()):
        yield path.relative_to(own).as_posix(), path.read_bytes()
    common = SHOPS / "common"
    yield f"{plugin.library}/autoload.php", (common / "autoload.php").read_bytes()
    for path in sorted((common / "src").glob("*.php")):
        yield f"{plugin.library}/shop/{path.name}", path.read_bytes()
    for path in sorted((ROOT / "sdks" / "php" / "src").glob("*.php")):
        yield f"{plugin.library}/hundi/{path.name}", path.read_bytes()
    yield f"{plugin.library}/LICENSE", (ROOT / "LICENSE").read_bytes()
    if plugin.folder == "woocommerce":
        yield "languages/hundi-payments.pot", template().encode()


def template() -> str:
    """Return the texts of the WooCommerce plugin as translators of WordPress get them."""
    texts: dict[str, str] = {}
    for path in sorted((SHOPS / "woocommerce").rglob("*.php")):
        for text in TEXT.findall(path.read_text("utf-8")):
            texts.setdefault(text, path.name)
    for pair in FIELD.findall((SHOPS / "common" / "src" / "Settings.php").read_text("utf-8")):
        for text in pair:
            texts.setdefault(text, "Settings.php")
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    entries = (
        f'#: {place}\nmsgid "{text.replace(chr(34), chr(92) + chr(34))}"\nmsgstr ""\n'
        for text, place in texts.items()
    )
    return "\n".join((head, *entries))


def pack(plugin: Plugin, folder: Path) -> Path:
    """Write the package of a plugin into a folder and return its place."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / plugin.package
    with zipfile.ZipFile(place, "w") as archive:
        for name, data in sorted(contents(plugin)):
            entry = zipfile.ZipInfo(plugin.within + name, EARLIEST)
            entry.external_attr = FILE_MODE
            entry.create_system = 3  # Unix, wherever it is packed
            # As it is: what a compressor makes of it depends on its version.
            archive.writestr(entry, data, zipfile.ZIP_STORED)
    return place


if __name__ == "__main__":
    for packed in PLUGINS:
        print(pack(packed, Path(sys.argv[1])))
