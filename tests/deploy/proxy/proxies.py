"""The samples of `deploy/proxy`, run with the ports and files of a test."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import httpx

from hundi.infra.processes import end_with_parent
from tests.patience import PATIENCE_S
from tests.system.machine import free_port
from tests.system.tls import LOCALHOST, ServerCertificate
from tests.system.waiting import until

SAMPLES = Path(__file__).parents[3] / "deploy" / "proxy"
NAME = LOCALHOST
_SYSTEM = f"{os.environ['PATH']}:/usr/sbin:/sbin"


@dataclass
class Proxy:
    """A running proxy.

    upstreams: the ports of the gateway's instances, of which Caddy takes the first alone. changes:
    what else of a sample a test has otherwise.
    """

    kind: str
    folder: Path
    certificate: ServerCertificate
    upstreams: tuple[int, int]
    port: int = field(default_factory=free_port)
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Return the address for clients."""
        return f"https://{NAME}:{self.port}"

    @property
    def logs(self) -> Path:
        """Return the folder of its logs."""
        return self.folder / "logs"

    def logged(self) -> str:
        """Return everything that it has written."""
        return "\n".join(each.read_text(errors="replace") for each in self.logs.iterdir())

    def client(self, address: str = "127.0.0.1", **options: object) -> httpx.Client:
        """Return a client that comes from an address of this machine."""
        transport = httpx.HTTPTransport(
            verify=self.certificate.trust(), local_address=address, http2=False
        )
        return httpx.Client(
            base_url=self.address, transport=transport, trust_env=False, timeout=60, **options
        )

    def __enter__(self) -> Self:
        self.logs.mkdir(parents=True)
        command = {"nginx": self._nginx, "caddy": self._caddy}[self.kind]()
        with (self.logs / "said").open("wb") as said:
            self._process = subprocess.Popen(
                command,
                env={"PATH": _SYSTEM, "HOME": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
            )
        until(self._answers, f"{self.kind} to answer")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.logged()
        try:
            with self.client() as client:
                return client.get("/metrics").status_code == 404
        except httpx.TransportError:
            return False

    def _changed(self, sample: str, changes: Mapping[str, str]) -> str:
        """Return a sample with a test's values in place of an operator's, each of which it has."""
        text = (SAMPLES / sample).read_text()
        first, _ = self.upstreams
        common = {
            "pay.example.in": NAME,
            "/etc/ssl/hundi/fullchain.pem": str(self.certificate.chain),
            "/etc/ssl/hundi/privkey.pem": str(self.certificate.key),
            "127.0.0.1:8080": f"127.0.0.1:{first}",
        }
        for sampled, ours in {**common, **changes, **self.changes}.items():
            assert sampled in text, (sample, sampled)
            text = text.replace(sampled, ours)
        return text

    def _nginx(self) -> list[str]:
        """Write what Debian's own main file has around a site, and return the command."""
        site = self._changed(
            "nginx.conf",
            {
                "listen 443": f"listen 127.0.0.1:{self.port}",
                "/var/log/nginx": str(self.logs),
                "127.0.0.1:8081": f"127.0.0.1:{self.upstreams[1]}",
            },
        )
        temporary = "".join(
            f"    {each}_temp_path {self.folder}/{each};\n"
            for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        main = (
            f"{'user root;' if os.geteuid() == 0 else ''}\n"
            f"worker_processes 2;\npid {self.folder}/pid;\ndaemon off;\n"
            f"error_log {self.logs}/main-errors.log info;\n"
            "events { worker_connections 768; }\n"
            f"http {{\n{temporary}    default_type application/octet-stream;\n    gzip on;\n"
            f"    access_log {self.logs}/main.log;\n{site}\n}}\n"
        )
        path = self.folder / "nginx.conf"
        path.write_text(main)
        return ["nginx", "-p", str(self.folder), "-e", f"{self.logs}/begin.log", "-c", str(path)]

    def _caddy(self) -> list[str]:
        text = self._changed(
            "Caddyfile",
            {
                f"\n{NAME} {{": f"\n{self.address} {{\n\tbind 127.0.0.1",
                "/var/log/caddy": str(self.logs),
            },
        )
        path = self.folder / "Caddyfile"
        path.write_text(text)
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(path)]
