"""Commands about settings and envelopes, and the samples that use them."""

import json
import re
from pathlib import Path

import pytest

from hundi.wire import cipher
from tests.system.envelopes import Sender, order
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id
from tests.system.test_contract import ran, shown

pytestmark = pytest.mark.usefixtures("books_hold")


def test_settings_are_shown_masked_and_bad_ones_named(gateway: RunningGateway) -> None:
    known = json.loads(
        ran(
            gateway,
            "settings",
            "--json",
            HUNDI_ACQUIRER_KEY="canary-key-of-a-test",
            HUNDI_PORT="9090",
        )
    )
    assert (known["port"], known["simbank_port"], known["base_url"]) == (
        9090,
        9091,
        "http://127.0.0.1:9090",
    )
    assert known["path_aliases"] == ["/airpay"]
    assert "canary" not in json.dumps(known)
    url = "postgresql://hundi:canary-word@db.example/hundi"
    assert "canary" not in ran(gateway, "settings", "--json", HUNDI_DATABASE_URL=url)
    for environment, named in (
        ({"HUNDI_PORT": "none"}, "HUNDI_PORT"),
        ({"HUNDI_PROT": "1"}, "HUNDI_PROT"),
    ):
        ended = gateway.command("settings", environment=environment)
        assert ended.returncode == 2
        assert named in ended.stderr
        assert "Traceback" not in ended.stderr


def test_envelopes_are_opened_sealed_and_explained(
    gateway: RunningGateway, shop: Shop, sender: Sender
) -> None:
    ours = shop.merchant
    who = {
        "HUNDI_MERCHANT_USERNAME": ours.username, "HUNDI_MERCHANT_PASSWORD": ours.password,
        "HUNDI_MERCHANT_SECRET": ours.secret, "HUNDI_MERCHANT_CLIENT_SECRET": ours.client_secret,
    }  # fmt: skip
    asked = order(new_order_id())
    sealed = json.loads(ran(gateway, "envelope", "seal", json.dumps(asked), "--json", **who))
    assert sealed["privatekey"] == ours.privatekey
    assert json.loads(cipher.open_(ours.key, sealed["encdata"])) == asked
    # What it seals, the gateway takes.
    reply = sender.verify(
        ours,
        {},
        encdata=ours.sealed({"orderid": "x"}),
        checksum=None,
        privatekey=sealed["privatekey"],
    )
    assert reply.code == "503"
    assert json.loads(ran(gateway, "envelope", "open", sealed["encdata"], "--json", **who)) == asked
    body = json.dumps({"merchant_id": ours.merchant_id, **sealed})
    right = json.loads(
        ran(gateway, "envelope", "explain", "--body", "-", "--json", text=body, **who)
    )
    assert right["wrong"] == []
    wrong = json.dumps({"merchant_id": ours.merchant_id, **sealed, "checksum": "0" * 64})
    found = json.loads(
        ran(gateway, "envelope", "explain", "--body", "-", "--json", text=wrong, status=1, **who)
    )
    assert found["wrong"] == ["checksum"]
    assert found["findings"]["checksum"]["verdict"] == "wrong"
    assert found["findings"]["privatekey"]["verdict"] != "wrong"
    assert any(re.fullmatch(r"[0-9a-f]{64}", each["value"]) for each in found["canonical_texts"])
    assert ours.secret not in json.dumps(found)
    damaged = sealed["encdata"][:-8]
    ran(gateway, "envelope", "open", damaged, "--json", status=1, **who)


def test_what_samples_read_of_a_merchant_is_what_adding_one_prints(gateway: RunningGateway) -> None:
    """A newcomer's first file has the names that pages give as "one entry of `merchants`"."""
    pages = [each.read_text() for each in Path("docs").glob("*.md")]
    rows = [
        row
        for page in pages
        for row in re.findall(r"^\| (.+) \| one entry of `merchants` \|$", page, re.MULTILINE)
    ]
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {"merchant_id", "webhook_key"} <= names
    added = shown(gateway, "merchant", "add", "First file")
    assert names <= added.keys()
    assert added["webhook_key"] == added["webhook_keys"][0]
