"""Every setting of a merchant has a meaning and a place where it is changed."""

import re

from hundi.console import settings_pages
from hundi.console.routing import all_routes
from hundi.infra.settings_described import described
from hundi.merchants.directory.rules import MerchantSettings


def test_every_setting_says_what_it_does() -> None:
    meanings = settings_pages.meanings()
    assert set(meanings) == set(MerchantSettings.__struct_fields__)
    assert all(words.endswith(".") for words in meanings.values())
    assert meanings["success_url"] == meanings["failure_url"]
    assert [name for name, words in meanings.items() if re.search(r"docs/|\.md", words)] == []


def test_every_setting_has_a_place_that_there_is() -> None:
    places = settings_pages.places()
    assert set(places) == set(MerchantSettings.__struct_fields__)
    forms = {(route.path, route.at) for route in all_routes() if route.method == "POST"}
    for place in places.values():
        at = "all" if place.at_all else "merchant"
        assert not place.path or {(place.path, at), (place.path, "both")} & forms
    assert places["channels"].path == "integration/methods"
    assert places["logo"].path == "brand"
    assert places["refund_alone_paise"].path == ""
    assert places["currencies"].words == "hundi merchant currencies"


def test_values_are_words() -> None:
    assert settings_pages.text_of("moto", value=False) == "off"
    assert settings_pages.text_of("refund_alone_paise", 1_000_000) == "₹10,000.00"
    assert settings_pages.text_of("domains", ()) == "none"
    assert settings_pages.text_of("channels", ("upi", "pg")) == "upi, pg"
    assert all(settings_pages.text_of(each.name, each.default) for each in described())
