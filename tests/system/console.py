"""A browser without windows at the console.

Signs in as the demo's people, keeps cookies, sends forms with their token.
"""

import re
import time
from contextlib import ExitStack
from typing import Any, Self

import httpx
from pyotp.totp import TOTP

from tests.system.machine import TRUSTED
from tests.system.running import RunningGateway

_TOKEN = re.compile(r'name="form_token" value="([^"]*)"')
CODE_S = 30
"""So long a code of the second factor is shown, and it is good once."""


class Console:
    """One person's browser."""

    def __init__(self, gateway: RunningGateway, address: str = "198.51.100.7") -> None:
        """Begin without cookies.

        address: as the proxy in front says it, so that tests do not share limits.
        """
        self.gateway = gateway
        self.users: dict[str, dict[str, str]] = {
            each["email"]: each for each in gateway.demo["console"]["users"]
        }
        headers = {
            "x-forwarded-for": address,
            "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0",
        }
        self.http = httpx.Client(
            base_url=gateway.base_url, trust_env=False, verify=TRUSTED, timeout=30, headers=headers
        )

    def __enter__(self) -> Self:
        """Hand over the browser."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.http.close()

    def get(self, path: str, **query: Any) -> httpx.Response:
        """Look at a page of the console."""
        return self.http.get(f"/console/{path}", params=query or None)

    def token(self, path: str) -> str:
        """Return the token that a page's forms carry."""
        found = _TOKEN.search(self.get(path).text)
        assert found, path
        return found[1]

    def field(self, path: str, name: str) -> str:
        """Return what a page's form carries in a field."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.get(path).text)
        assert found, (path, name)
        return found[1]

    def post(self, path: str, *, seen_at: str = "you", **fields: str) -> httpx.Response:
        """Send a form of the console, with the token that a page of it has."""
        return self.http.post(
            f"/console/{path}", data={"form_token": self.token(seen_at), **fields}
        )

    def post_called_otherwise(self, email: str, path: str, **fields: str) -> httpx.Response:
        """Send a form from another address, as somebody who can write rows gives it."""
        self.gateway.rows("UPDATE people SET email = 'other@ops.example' WHERE email = $1", email)
        try:
            return self.post(path, **fields)
        finally:
            self.gateway.rows(
                "UPDATE people SET email = $1 WHERE email = 'other@ops.example'", email
            )

    @classmethod
    def signed_in(cls, gateway: RunningGateway, email: str, address: str = "198.51.100.7") -> Self:
        """Return a browser in which somebody is signed in.

        Who is not let in leaves no connection open: its warning would be taken for another test's
        fault.
        """
        with ExitStack() as closing:
            browser = closing.enter_context(cls(gateway, address))
            answer = browser.sign_in(email)
            if answer.status_code == 403:
                # Another test signed in within this half minute, and a code is good once.
                time.sleep(CODE_S - time.time() % CODE_S)
                answer = browser.show_code(email)
            assert answer.headers.get("location") == "/console/", (answer.status_code, answer.text)
            closing.pop_all()
        return browser

    def sign_in(self, email: str) -> httpx.Response:
        """Sign in as one of the demo's people, by password and code, and return the answer."""
        show_password(self.http, email, self.users[email])
        return self.show_code(email)

    def show_code(self, email: str, back: int = 0) -> httpx.Response:
        """Show the second factor. back: steps before now, because each code is good once."""
        return show_code(self.http, self.users[email], back)

    def join(self, link: str, email: str) -> None:
        """Choose password and second factor by a one-time link, for later sign-ins."""
        self.users[email] = joined(self.http, link, email)

    def code(self, email: str, back: int = 0) -> str:
        """Return a one-time password of one of the demo's people."""
        return code_of(self.users[email], back)


def code_of(user: dict[str, str], back: int = 0) -> str:
    """Return a one-time password. back: steps before now, because each is good once."""
    return TOTP(user["totp_secret"]).at(int(time.time()) - CODE_S * back)


def joined(http: httpx.Client, link: str, email: str) -> dict[str, str]:
    """Choose password and second factor by a one-time link, and return them."""
    page = http.get(link).text
    offered = re.search(r'name="offered" value="(\w+)"', page)
    secret = re.search(r"[A-Z2-7]{4}(?: [A-Z2-7]{4}){7}", page)
    assert offered
    assert secret
    user = {"password": f"three words of {email}", "totp_secret": secret[0].replace(" ", "")}
    # A code is good once: that of the half minute before leaves the present one to the sign-in.
    fields = {
        "password": user["password"],
        "password_again": user["password"],
        "offered": offered[1],
    }
    answer = http.post(link, data=fields | {"code": code_of(user, back=1)})
    assert "recovery codes" in answer.text, answer.text
    return user


def show_password(http: httpx.Client, email: str, user: dict[str, str]) -> None:
    """Begin to sign in."""
    answer = http.post("/console/sign-in", data={"email": email, "password": user["password"]})
    assert answer.status_code == 303, answer.text


def show_code(http: httpx.Client, user: dict[str, str], back: int = 0) -> httpx.Response:
    """End to sign in, and return the answer. back: steps before now."""
    token = _TOKEN.search(http.get("/console/sign-in/code").text)
    assert token
    fields = {"form_token": token[1], "code": code_of(user, back)}
    return http.post("/console/sign-in/code", data=fields)
