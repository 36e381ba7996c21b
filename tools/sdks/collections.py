"""Collections for Postman and Bruno: a request for each operation, with the script that seals it.

The script is one text for both, over each program's own variables. Both bring crypto-js.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from hundi.wire.merchant.table import OPERATIONS, TAGS, operations_of
from hundi.wire.operation import Operation
from tools.sdks.samples import SAMPLES, GivenValue, variables
from tools.sdks.sealed_samples import fields_of

POSTMAN, BRUNO = "sdks/collections/hundi.postman_collection.json", "sdks/collections/bruno"
_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
VARIABLES = (
    *("base_url", "merchant_id", "username", "password", "api_secret"),
    *("oauth_client_id", "oauth_client_secret", "token"),
    *(each.lower() for each in variables()),
)
"""The variables that a person fills in; the first request writes `token`."""
_OUTER = ("merchant_id", "privatekey", "encdata")
_SEAL = """\
const fields = ⟨fields⟩;
const CryptoJS = require("crypto-js");
const of = (name) => ⟨get⟩ ?? "";
const text = JSON.stringify(fields).replace(/{{(\\w+)}}/g, (_, name) => of(name));
const asked = JSON.parse(text);
const utf8 = CryptoJS.enc.Utf8;
const base64 = CryptoJS.enc.Base64;
if (Array.isArray(asked.transactions)) {
  asked.transactions = base64.stringify(utf8.parse(JSON.stringify(asked.transactions)));
}
const key = utf8.parse(CryptoJS.MD5(of("username") + "~:~" + of("password")).toString());
const iv = CryptoJS.lib.WordArray.random(8).toString();
const sealed = CryptoJS.AES.encrypt(JSON.stringify(asked), key, { iv: utf8.parse(iv) });
const whose = of("api_secret") + "@" + of("username") + ":|:" + of("password");
⟨set⟩("privatekey", CryptoJS.SHA256(whose).toString());
⟨set⟩("encdata", iv + sealed.ciphertext.toString(base64));
"""
_KEEP = '⟨set⟩("token", ⟨reply⟩.data?.access_token ?? "");\n'
_TOKEN = {
    "client_id": "{{oauth_client_id}}",
    "client_secret": "{{oauth_client_secret}}",
    "merchant_id": "{{merchant_id}}",
    "grant_type": "client_credentials",
    "scope": "operations",
}
_PROGRAM_CALLS = {
    "postman": {"get": "pm.variables.get(name)", "set": "pm.collectionVariables.set"},
    "bruno": {"get": "bru.getVar(name) ?? bru.getEnvVar(name)", "set": "bru.setVar"},
}


def fields_for(operation: Operation[Any, Any]) -> dict[str, Any]:
    """Return example fields of an operation: those of its first sample, or none."""
    if operation.method == "access_token":
        return _TOKEN
    samples = [each for each in SAMPLES if each.method == operation.method]
    return _typed(fields_of(samples[0])) if samples else {}


def _typed(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return JSON with variables as both programs write them."""
    if isinstance(value, GivenValue):
        return f"{{{{{value.name.lower()}}}}}{value.after}"
    if isinstance(value, dict):
        return {name: _typed(each) for name, each in value.items()}
    return [_typed(each) for each in value] if isinstance(value, list) else value


def sealing(operation: Operation[Any, Any], program: str) -> str:
    """Return the script that runs before a request."""
    fields = json.dumps(fields_for(operation), indent=2, ensure_ascii=False)
    return _filled(_SEAL, {"fields": fields, **_PROGRAM_CALLS[program]})


def keeping(program: str, reply: str) -> str:
    """Return the script that keeps a token. reply: the program's own way to the answer's JSON."""
    return _filled(_KEEP, {"reply": reply, **_PROGRAM_CALLS[program]})


def _filled(text: str, values: dict[str, str]) -> str:
    return re.sub("⟨(\\w+)⟩", lambda found: values[found[1]], text)


def _address(operation: Operation[Any, Any]) -> str:
    token = "?token={{token}}" if "token" in operation.proofs else ""
    return "{{base_url}}" + operation.address + token


def files() -> dict[str, str]:
    """Return every file of both collections, by its path."""
    return {POSTMAN: _postman(), **{f"{BRUNO}/{name}": text for name, text in _bruno()}}


def _postman() -> str:
    folders = [
        {
            "name": tag.name,
            "description": tag.description,
            "item": [_postman_request(each) for room in rooms for each in operations_of(room)],
        }
        for tag, rooms in TAGS.items()
    ]
    collection = {
        "info": {"name": "Hundi", "schema": _SCHEMA},
        "item": folders,
        "variable": [{"key": name, "value": ""} for name in VARIABLES],
    }
    return json.dumps(collection, indent=2, ensure_ascii=False) + "\n"


def _event(listen: str, script: str) -> dict[str, Any]:
    lines = script.rstrip().split("\n")
    return {"listen": listen, "script": {"type": "text/javascript", "exec": lines}}


def _postman_request(operation: Operation[Any, Any]) -> dict[str, Any]:
    events = [_event("prerequest", sealing(operation, "postman"))]
    if operation.method == "access_token":
        events.append(_event("test", keeping("postman", "pm.response.json()")))
    outer = [{"key": name, "value": f"{{{{{name}}}}}"} for name in _OUTER]
    body = {"mode": "urlencoded", "urlencoded": outer}
    request = {"method": "POST", "url": _address(operation), "body": body}
    return {"name": operation.title, "event": events, "request": request}


def _bruno() -> Iterator[tuple[str, str]]:
    about = {"version": "1", "name": "Hundi", "type": "collection"}
    yield "bruno.json", json.dumps(about, indent=2) + "\n"
    yield "environments/local.bru", _block("vars", "\n".join(f"{each}: " for each in VARIABLES))
    for number, operation in enumerate(OPERATIONS, 1):
        yield f"{operation.name.replace('/', '-')}.bru", _bruno_request(operation, number)


def _bruno_request(operation: Operation[Any, Any], number: int) -> str:
    outer = "\n".join(f"{name}: {{{{{name}}}}}" for name in _OUTER)
    address = f"url: {_address(operation)}\nbody: formUrlEncoded\nauth: none"
    blocks = [
        _block("meta", f"name: {operation.title}\ntype: http\nseq: {number}"),
        _block("post", address),
        _block("body:form-urlencoded", outer),
        _block("script:pre-request", sealing(operation, "bruno").rstrip()),
    ]
    if operation.method == "access_token":
        blocks.append(_block("script:post-response", keeping("bruno", "res.getBody()").rstrip()))
    return "\n".join(blocks)


def _block(name: str, text: str) -> str:
    lines = "\n".join(f"  {line}".rstrip() for line in text.split("\n"))
    return f"{name} {{\n{lines}\n}}\n"
