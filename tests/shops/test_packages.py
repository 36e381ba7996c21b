"""The plugins' packages: the same bytes each time, and in step with what is declared once."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.house.source import ROOT
from tools.shop_packages import FIELD, PLUGINS, SHOPS, Plugin, pack, template

SETTINGS = (SHOPS / "common" / "src" / "Settings.php").read_text("utf-8")


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda each: each.folder)
def test_the_same_source_gives_the_same_bytes(plugin: Plugin, tmp_path: Path) -> None:
    first, again = (pack(plugin, tmp_path / name) for name in ("first", "again"))
    assert first.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = {each.removeprefix(plugin.within) for each in archive.namelist()}
        sdk = {each.name for each in (ROOT / "sdks" / "php" / "src").glob("*.php")}
        assert {f"{plugin.library}/hundi/{name}" for name in sdk} < names
        assert f"{plugin.library}/shop/PaymentDesk.php" in names
        assert archive.testzip() is None


def test_no_plugin_has_a_copy_of_the_sdk() -> None:
    sdk = {each.name for each in (ROOT / "sdks" / "php" / "src").glob("*.php")}
    sources = [each for each in SHOPS.rglob("*.php") if "build" not in each.parts]
    copied = [each for each in sources if "namespace Hundi;" in each.read_text("utf-8")]
    assert len(sdk) > 20
    assert copied == []


def test_the_template_of_translations_has_every_text() -> None:
    texts = template()
    for text in ("Customers can choose Hundi", "Webhook key", "The connection works."):
        assert f'msgid "{text}"' in texts
    assert texts.count("msgid") == texts.count("msgstr") > 40


def test_magentos_settings_are_those_of_all_shops() -> None:
    system = (SHOPS / "magento" / "etc" / "adminhtml" / "system.xml").read_text("utf-8")
    asked = re.findall(r'type="(text|obscure)" sortOrder="1\d"[^>]*>\s*<label>([^<]+)<', system)
    declared = re.findall(r"\['([^']+)', '[^']+', (true|false)\]", SETTINGS)
    kinds = {"true": "obscure", "false": "text"}
    assert asked == [(kinds[secret], label) for label, secret in declared]
    assert len(asked) == len(FIELD.findall(SETTINGS)) == 10


def test_no_text_is_longer_than_a_house_file() -> None:
    sources = [each for each in SHOPS.rglob("*.*") if each.suffix in {".php", ".js", ".twig"}]
    own = [each for each in sources if not {"build", "dist"} & set(each.parts)]
    long = [each.name for each in own if each.read_text("utf-8").count("\n") > 400]
    assert (len(own) > 50, long) == (True, [])


def test_magentos_xml_is_sound_and_names_classes_that_exist() -> None:
    """A proxy is made by Magento, of the class before it."""
    magento = SHOPS / "magento"
    named: set[str] = set()
    for file in magento.rglob("*.xml"):
        root = ET.fromstring(file.read_text("utf-8"))  # noqa: S314 (a file of ours)
        values = [value for each in root.iter() for value in (each.text, *each.attrib.values())]
        named |= {value.strip() for value in values if value and "Hundi\\Payments\\" in value}
    files = {
        each.partition("::")[0].removesuffix("\\Proxy").partition("Hundi\\Payments\\")[2]
        for each in named
    }
    assert len(files) > 5
    assert [
        each for each in files if not (magento / f"{each}.php".replace("\\", "/")).is_file()
    ] == []
