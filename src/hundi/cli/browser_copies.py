"""Requests as a browser copies them: a curl command, a call of `fetch`, or a HAR file of many."""

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode, urlsplit

_CURL_DATA = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode")
_CURL_HEADER = ("-H", "--header")
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
"""How bash, and so a browser, writes a text with an apostrophe or a line's end in it."""
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_OF_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
_FETCH = re.compile(r"(?:await\s+)?fetch\(\s*(?=\")")
Headers = list[tuple[str, str]]


def messages_of(text: str) -> list[str]:
    """Return each request with its head, in their order; any other text as it is.

    Requests without a body, of which a page makes most, are left out of a HAR file.
    """
    text = text.strip().removeprefix("\ufeff")
    if text.startswith("curl "):
        return [_of_curl(text)]
    called = _FETCH.match(text)
    if called:
        return [_of_fetch(text[called.end() :]) or text]
    return list(_of_har(text)) or [text]


def _message(url: str, headers: Headers, body: str) -> str:
    head = [f"{name}: {value}" for name, value in headers]
    return "\n".join((f"POST {urlsplit(url).path or '/'} HTTP/1.1", *head, "", body))


def _of_curl(text: str) -> str:
    """Return the request of a curl command, copied for bash or for Windows."""
    command = text.removeprefix("curl ")
    if "^\n" in command.replace("\r\n", "\n"):
        command = re.sub(r"\^(\r?\n|.)", lambda found: found[1].strip("\r\n"), command)
    command = _ANSI_QUOTED.sub(lambda found: shlex.quote(_ESCAPE.sub(_letter, found[1])), command)
    try:
        words = shlex.split(command)
    except ValueError:
        return text
    pairs = list(pairwise(["", *words]))
    data = [value for name, value in pairs if name in _CURL_DATA]
    heads = [
        (name, value.strip())
        for name, _, value in (each.partition(":") for name, each in pairs if name in _CURL_HEADER)
    ]
    taken = (*_CURL_DATA, *_CURL_HEADER)
    url = next((word for name, word in pairs if "://" in word and name not in taken), "/")
    return _message(url, heads, "&".join(data))


def _letter(escape: re.Match[str]) -> str:
    told = escape[1]
    if len(told) > 1:
        return chr(int(told[1:], 16))
    return _OF_LETTERS.get(told, told)


def _of_fetch(arguments: str) -> str:
    """Return the request of a call of `fetch`, whose arguments browsers write as JSON; else ""."""
    reader = json.JSONDecoder()
    try:
        url, end = reader.raw_decode(arguments)
        rest = arguments[end:].lstrip().removeprefix(",").lstrip()
        options, _ = reader.raw_decode(rest)
    except (ValueError, RecursionError):
        return ""
    if not (isinstance(url, str) and isinstance(options, dict)):
        return ""
    headers = options.get("headers")
    pairs = [(str(name), str(value)) for name, value in headers.items()] if headers else []
    return _message(url, pairs, str(options.get("body") or ""))


def _of_har(text: str) -> Iterator[str]:
    """Yield the requests with a body of a HAR file, in their order."""
    if not text.startswith("{"):
        return
    try:
        recorded = json.loads(text)
        entries = recorded["log"]["entries"]
        for entry in entries:
            yield from _of_entry(entry["request"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return


def _of_entry(request: dict[str, Any]) -> Iterator[str]:
    posted = request.get("postData") or {}
    params = [(each["name"], each.get("value", "")) for each in posted.get("params") or ()]
    body = posted.get("text") or urlencode(params)
    if body:
        headers = [(each["name"], each["value"]) for each in request.get("headers") or ()]
        yield _message(request["url"], headers, body)
