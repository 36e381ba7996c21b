"""A mail relay that takes letters over TCP, and can keep its last answer to itself."""

import socketserver
import threading
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Self, cast


class _Session(socketserver.StreamRequestHandler):
    """One connection of a client."""

    def handle(self) -> None:
        relay = cast("MailRelay", self.server)
        self.say(relay.greeting)
        recipient = ""
        while line := self.rfile.readline():
            command = line[:4].upper()
            if command == b"QUIT":
                self.say("221 Bye")
                return
            if command == b"RCPT":
                recipient = line.decode().partition("<")[2].partition(">")[0]
                self.say(relay.answers.get(recipient, "250 Ok"))
            elif command == b"DATA":
                self.say("354 Go on")
                content = b"".join(iter(self.rfile.readline, b".\r\n"))
                relay.take(recipient, content)
                # The client is killed while it waits, and never reads this.
                relay.answering.wait()
                self.say("250 Taken")
            else:
                self.say("250 relay.example")

    def say(self, text: str) -> None:
        try:
            self.wfile.write(text.encode() + b"\r\n")
        except OSError:
            return


class MailRelay(socketserver.ThreadingTCPServer):
    """A relay on a free port of this machine. answers: to recipients, else it takes them."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.greeting = "220 relay.example ESMTP"
        self.answers: dict[str, str] = {}
        self.answering = threading.Event()
        self.answering.set()
        self.taken: list[tuple[str, EmailMessage]] = []
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of a gateway that sends its mails here."""
        return {
            "HUNDI_SMTP_HOST": "127.0.0.1",
            "HUNDI_SMTP_PORT": str(self.port),
            "HUNDI_SMTP_SECURITY": "none",
            "HUNDI_MAIL_FROM": "no-reply@pay.example",
        }

    def take(self, recipient: str, content: bytes) -> None:
        message = message_from_bytes(content, policy=default)
        assert isinstance(message, EmailMessage)
        self.taken.append((recipient, message))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answering.set()
        self.shutdown()
        self.server_close()
