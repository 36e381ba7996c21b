"""What an operator may say of a line, and what is refused with which words."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.answers import Approved, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Connector
from hundi_testbed.switch.server import SwitchBehaviour
from tests.acquirers.iso8583.line import Line, card

GIVEN = {
    "kind": "iso8583",
    "host": "switch.example.in",
    "port": 8583,
    "acquirer_id": "408999",
    "terminal_id": "HUNDI001",
    "acceptor_id": "HUNDI0000000001",
    "acceptor_name": "ASHA HANDLOOMS",
    "category": "5651",
}
KEY = "0123456789ABCDEFFEDCBA9876543210"


def opened(**other: Any) -> Connector:
    registry = open_registry({"switch": {**GIVEN, **other}}, lambda _name: "", ShortMemory())
    (live,) = registry.all()
    assert not live.simulated
    return live


def test_a_line_opens_nothing_and_serves_cards_without_their_holder() -> None:
    registry = open_registry(
        {"switch": {**GIVEN, "mac": "aes-cmac", "mac_key": KEY}}, lambda _name: "", ShortMemory()
    )
    assert registry.default_for("card_moto") is not None
    assert registry.default_for("card") is None
    assert opened(port="8583").reachable(), "variables are texts"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"mac": "x9.19"}, "mac_key: mac = x9.19 needs one"),
        ({"mac_key": KEY}, "mac_key: mac = none needs no key"),
        ({"mac": "x9.19", "mac_key_before": KEY}, "mac_key: mac = x9.19 needs one"),
        ({"mac": "x9.19", "mac_key": KEY[:16]}, "mac_key: 32 hexadecimal digits"),
        (
            {"mac": "aes-cmac", "mac_key": KEY, "mac_key_before": "00"},
            "mac_key: 32 or 48 or 64 hexadecimal digits",
        ),
        ({"fields": {"1": "n 6"}}, "fields: 1: a number from 2 to 127, without 64"),
        ({"fields": {"64": "b 4"}}, "fields: 64: a number from 2 to 127, without 64"),
        ({"fields": {"x": "n 6"}}, "fields: x: a number from 2 to 127, without 64"),
        ({"fields": {"48": "words"}}, "fields: 48: words: not n, an, ans, z or b"),
        (
            {"version": "2003", "card_code_field": 48},
            "card_code_field: 48 is no field of this dialect",
        ),
        ({"version": "1993"}, "version"),
        ({"port": 0}, "port"),
        ({"answer_s": 30}, "answer_s"),
        ({"ca_file": "/nowhere/ca.pem"}, "ca_file, certificate_file: No such file or directory"),
    ],
)
def test_what_cannot_be_is_said_without_a_key(other: dict[str, Any], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError) as refused:
        opened(**other)
    assert str(refused.value).startswith("acquirers.switch: ")
    assert words in str(refused.value)
    assert KEY not in str(refused.value)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a file with a new key and its certificate, of a switch at 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "switch")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(
            name, name, key.public_key(), 1, now - timedelta(days=1), now + timedelta(days=1)
        )
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, SHA256())
    )
    file = tmp_path / "switch.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


async def test_a_line_is_encrypted_and_its_switch_has_to_be_known(certificate: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    line = await Line("1987", SwitchBehaviour()).open(server)
    known, unknown = line.process(tls=True, ca_file=str(certificate)), line.process(tls=True)
    assert isinstance(await known.charge_moto(line.charge(), card(), capture=True), Approved)
    for other in (unknown, line.process(tls=False)):
        answer = await other.charge_moto(line.charge(), card(), capture=True)
        assert isinstance(answer, Unknown)
        assert not answer.sent
    assert len(line.entries) == 1
    await line.close()


def test_a_client_certificate_that_is_none_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "client.pem"
    broken.write_text("no certificate")
    with pytest.raises(AcquirerConfigurationError, match="certificate_file"):
        opened(certificate_file=str(broken))
