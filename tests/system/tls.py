"""Servers with TLS certificates of a test's own authority: proxies, acquirers, shops."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[BaseHTTPRequestHandler], None]
LOCALHOST = "localhost"


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@dataclass(frozen=True)
class ServerCertificate:
    """A certificate of a server, its key, and whom programs have to believe, as files."""

    chain: Path
    key: Path
    authority: Path

    def trust(self) -> ssl.SSLContext:
        """Return the trust of a client that knows this authority and no other."""
        return ssl.create_default_context(cafile=str(self.authority))

    def context(self) -> ssl.SSLContext:
        """Return what the server shows."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain, self.key)
        return context


class TestAuthority:
    """Signs certificates; programs believe it by SSL_CERT_FILE."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(f"Test authority of {folder}"[-60:])
        certificate = self._signed(self._name, self._key, timedelta(days=365), None)
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def _signed(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        ends_in: timedelta,
        host: str | None,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=400))
            .not_valid_after(now + ends_in)
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host is not None:
            names: list[x509.GeneralName] = [x509.DNSName(host)]
            if host == LOCALHOST:
                names.append(x509.IPAddress(ip_address("127.0.0.1")))
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def issued(self, *, ends_in: timedelta, host: str = LOCALHOST) -> ServerCertificate:
        """Return a certificate for a server of this host. ends_in: from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(_name(host), key, ends_in, host)
        stem = f"{host}-{certificate.serial_number}"
        made = ServerCertificate(
            self._folder / f"{stem}.pem", self._folder / f"{stem}.key", self.file
        )
        made.chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return made

    def context(self, *, ends_in: timedelta, host: str = LOCALHOST) -> ssl.SSLContext:
        """Return what a server of this host shows."""
        return self.issued(ends_in=ends_in, host=host).context()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def __init__(self, answer: Answer, *arguments: object) -> None:
        self._answer = answer
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer(self)

    do_POST = do_GET  # noqa: N815 (the same)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (the same)
        """Say nothing: what a test looks at is what was answered."""


@contextmanager
def serving(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Serve on a free port of this machine during the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, answer)) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def proxy_to(
    url: str, *, forwarded: str = "198.51.100.9", host: str = "", hsts: bool = True
) -> Answer:
    """Return a proxy. forwarded: whom it names as the caller; host: what it puts in its place."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        headers = {name: value for name, value in request.headers.items() if name != "Connection"}
        headers |= {"Host": host} if host else {}
        headers |= {"X-Forwarded-For": forwarded} if forwarded else {}
        got = httpx.get(url + request.path, headers=headers, trust_env=False)
        request.send_response(got.status_code)
        if hsts:
            request.send_header("Strict-Transport-Security", "max-age=31536000")
        request.end_headers()
        request.wfile.write(got.content)

    return answer


def dated(difference: timedelta, body: bytes = b"{}") -> Answer:
    """Return a server whose clock differs from this machine's."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response_only(200)
        request.send_header("Date", format_datetime(datetime.now(UTC) + difference, usegmt=True))
        request.end_headers()
        request.wfile.write(body)

    return answer
