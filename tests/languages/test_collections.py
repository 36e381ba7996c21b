"""The collections for Postman and Bruno: every request, sealed by its own script, is understood."""

import json
import subprocess
from typing import Any

import httpx
import pytest

from hundi.wire import cipher
from hundi.wire.merchant import privatekey
from hundi.wire.merchant.table import OPERATIONS
from tests.house.source import ROOT
from tests.languages.conftest import LANGUAGES
from tests.languages.test_samples import given
from tests.patience import PATIENCE_S
from tests.system.conftest import sender
from tests.system.shop import Shop
from tools.sdks import collections
from tools.sdks.samples import SAMPLES

__all__ = ["given", "sender"]
pytestmark = pytest.mark.skipif("node" not in LANGUAGES, reason="Node.js runs the scripts")
WITH_FIELDS = {"access_token", *(each.method for each in SAMPLES)}


def sealed(program: str, values: dict[str, str]) -> list[dict[str, Any]]:
    """Return what the requests of a collection would send."""
    ran = subprocess.run(
        ["node", "sdks/collections/sealed.mjs", program],
        cwd=ROOT,
        input=json.dumps(values),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("program", ["postman", "bruno"])
def test_every_request_is_sealed_and_answered(
    program: str, shop: Shop, given: dict[str, str]
) -> None:
    own, values = shop.merchant.credentials, {name.lower(): text for name, text in given.items()}
    values["token"] = shop.client.access_token()
    requests = sealed(program, values)
    titles = {each.title: each for each in OPERATIONS}
    assert sorted(each["name"] for each in requests) == sorted(titles)
    key = cipher.encryption_key(own.username, own.password)
    derived = privatekey.derive(own.api_secret, own.username, own.password)
    for request in sorted(requests, key=lambda each: OPERATIONS.index(titles[each["name"]])):
        operation, fields = titles[request["name"]], request["fields"]
        assert request["url"].startswith(given["BASE_URL"] + operation.address)
        assert (fields["merchant_id"], fields["privatekey"]) == (own.merchant_id, derived)
        opened = json.loads(cipher.open_(key, fields["encdata"]))
        assert set(opened) == set(collections.fields_for(operation))
        assert "{{" not in json.dumps(opened)
        if operation.method in WITH_FIELDS:
            reply = httpx.post(request["url"], data=fields).json()
            assert reply["status"] == "success", (request["name"], reply["message"])


def test_the_postman_collection_has_the_form_of_its_version() -> None:
    whole = json.loads((ROOT / collections.POSTMAN).read_text("utf-8"))
    assert set(whole) == {"info", "item", "variable"}
    assert whole["info"]["schema"].endswith("/collection/v2.1.0/collection.json")
    for request in (each for folder in whole["item"] for each in folder["item"]):
        assert set(request) == {"name", "event", "request"}
        assert {each["listen"] for each in request["event"]} <= {"prerequest", "test"}
        assert all(isinstance(each["script"]["exec"], list) for each in request["event"])
        assert request["request"]["body"]["mode"] == "urlencoded"
