"""`hundi envelope`: opens and seals messages, and names the wrong input of a refused one."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn, cast

import typer

from hundi.wire import cipher, envelope, strict_json
from hundi.wire.merchant import checksum, explain, privatekey
from hundi.wire.merchant.explain import ClaimedCredentials, Explanation

app = typer.Typer(help="Open, seal and explain encrypted messages.", no_args_is_help=True)

STDIN = "-"

Username = Annotated[str, typer.Option(envvar="HUNDI_MERCHANT_USERNAME", help="Merchant username.")]
Password = Annotated[str, typer.Option(envvar="HUNDI_MERCHANT_PASSWORD", help="Merchant password.")]
Secret = Annotated[
    str,
    typer.Option(envvar="HUNDI_MERCHANT_SECRET", help="API secret (not the OAuth client secret)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("open")
def open_(
    encdata: Annotated[
        str,
        typer.Argument(help="The encrypted text (encdata or response), or - for standard input."),
    ],
    username: Username = "",
    password: Password = "",
    as_json: AsJson = False,  # noqa: FBT002 (typer turns it into a flag)
) -> None:
    """Decrypt a message and print the JSON inside; a reply's ap_SecureHash is checked too."""
    credentials = _credentials(username, password)
    sealed = _argument(encdata)
    try:
        fields = cipher.open_json(credentials.key, sealed)
    except cipher.UnreadableCipher:
        explanation = explain.explain(
            envelope.OuterEnvelope(encdata=sealed), credentials, datetime.now(UTC)
        ).findings[1]
        _fail({"encdata": explanation.words}, as_json=as_json)
    secure_hash = explain.explain_secure_hash(fields, credentials.username)
    if as_json:
        typer.echo(strict_json.compact(fields))
        return
    typer.echo(_indented(fields))
    if secure_hash is not None:
        typer.echo(f"{secure_hash.input}: {secure_hash.verdict}: {secure_hash.words}", err=True)


@app.command()
def seal(
    message: Annotated[
        str, typer.Argument(help="The JSON object to encrypt, or - for standard input.")
    ],
    username: Username = "",
    password: Password = "",
    secret: Secret = "",
    iv: Annotated[str, typer.Option(help="16 printable ASCII characters; left out, random.")] = "",
    as_json: AsJson = False,  # noqa: FBT002 (typer turns it into a flag)
) -> None:
    """Encrypt a JSON object and print encdata, checksum (form v4, of today) and privatekey."""
    credentials = _credentials(username, password, secret, ask_secret=True)
    text = _argument(message).encode()
    try:
        fields = strict_json.parse(text)
        encdata = cipher.seal(credentials.key, text, iv or None)
    except ValueError as error:
        _fail({"message": str(error)}, as_json=as_json)
    today = datetime.now(checksum.INDIA).date()
    sealed = {
        "privatekey": privatekey.derive(
            credentials.secret, credentials.username, credentials.password
        ),
        "encdata": encdata,
        "checksum": checksum.v4(fields, today),
    }
    typer.echo(
        json.dumps(sealed)
        if as_json
        else "\n".join(f"{name}: {value}" for name, value in sealed.items())
    )


@app.command("explain")
def explain_(
    body: Annotated[
        Path | None, typer.Option(help="A whole request body (form or JSON), - for standard input.")
    ] = None,
    merchant_id: Annotated[str, typer.Option(help="As sent.")] = "",
    privatekey_sent: Annotated[str, typer.Option("--privatekey", help="As sent.")] = "",
    encdata_sent: Annotated[str, typer.Option("--encdata", help="As sent.")] = "",
    checksum_sent: Annotated[str, typer.Option("--checksum", help="As sent.")] = "",
    username: Username = "",
    password: Password = "",
    secret: Secret = "",
    client_secret: Annotated[
        str,
        typer.Option(
            envvar="HUNDI_MERCHANT_CLIENT_SECRET", help="OAuth client secret, to detect mix-ups."
        ),
    ] = "",
    at: Annotated[
        datetime | None, typer.Option(help="When it was sent, UTC; left out, now.")
    ] = None,
    as_json: AsJson = False,  # noqa: FBT002 (typer turns it into a flag)
) -> None:
    """Say which input of a request is wrong, why, and what the gateway computes.

    Exit code 1 when one is.

    Without inputs it reads a whole body from a pipe; of a whole body each input has to be there.
    """
    fields = (merchant_id, privatekey_sent, encdata_sent, checksum_sent)
    if body is None and not any(fields):
        if sys.stdin.isatty():
            _fail(
                {"body": "nothing to explain: give --body, single inputs, or a pipe"},
                as_json=as_json,
            )
        body = Path(STDIN)
    outer = envelope.OuterEnvelope(*fields)
    if body is not None:
        try:
            outer = envelope.parse_outer("", _argument(str(body), file=True).encode())
        except envelope.UnreadableEnvelope as error:
            _fail({"body": error.reason}, as_json=as_json)
        except (OSError, UnicodeDecodeError) as error:
            _fail({"body": f"{body} cannot be read: {error}"}, as_json=as_json)
    credentials = _credentials(
        username, password, secret, client_secret, ask_secret=bool(outer.privatekey)
    )
    moment = datetime.now(UTC) if at is None else at.replace(tzinfo=UTC)
    explanation = explain.explain(outer, credentials, moment)
    typer.echo(_explanation_json(explanation) if as_json else _explanation_text(explanation))
    # Only payment initiation requires a checksum.
    incomplete = body is not None and not (outer.merchant_id and outer.privatekey and outer.encdata)
    if explanation.wrong or incomplete:
        raise typer.Exit(1)


def _credentials(
    username: str,
    password: str,
    secret: str = "",
    client_secret: str = "",
    *,
    ask_secret: bool = False,
) -> ClaimedCredentials:
    """Return the credentials; ask on the terminal for missing ones."""
    username = username or cast("str", typer.prompt("Merchant username", err=True))
    password = password or cast("str", typer.prompt("Merchant password", hide_input=True, err=True))
    if ask_secret and not secret:
        secret = cast(
            "str",
            typer.prompt("API secret (not the OAuth client secret)", hide_input=True, err=True),
        )
    return ClaimedCredentials(username, password, secret, client_secret)


def _argument(argument: str, *, file: bool = False) -> str:
    if argument == STDIN:
        return sys.stdin.read().rstrip("\r\n")
    return Path(argument).read_text().rstrip("\r\n") if file else argument


def _fail(errors: Mapping[str, str], *, as_json: bool) -> NoReturn:
    lines = "\n".join(f"{name}: wrong: {words}" for name, words in errors.items())
    typer.echo(
        json.dumps({"errors": dict(errors)}, ensure_ascii=False) if as_json else lines,
        err=not as_json,
    )
    raise typer.Exit(1)


def _indented(fields: Mapping[str, strict_json.JsonValue]) -> str:
    pairs = (
        f"  {json.dumps(name, ensure_ascii=False)}: {strict_json.compact(value)}"
        for name, value in fields.items()
    )
    return "{\n" + ",\n".join(pairs) + "\n}"


def _explanation_json(explanation: Explanation) -> str:
    findings = {
        finding.input: {"verdict": finding.verdict, "words": finding.words}
        for finding in explanation.findings
    }
    texts = [text._asdict() for text in explanation.texts]
    result = {
        "wrong": explanation.wrong,
        "findings": findings,
        "plaintext": explanation.plaintext,
        "canonical_texts": texts,
    }
    return json.dumps(result, ensure_ascii=False)


def _explanation_text(explanation: Explanation) -> str:
    lines = [
        f"{finding.input}: {finding.verdict}: {finding.words}" for finding in explanation.findings
    ]
    if explanation.texts:
        lines += [
            "",
            "inside encdata (secrets masked):",
            f"  {explanation.plaintext}",
            "",
            "what we compute as checksum:",
        ]
        lines += [
            f"  {text.form}\n    over  {text.text}\n    gives {text.value}"
            for text in explanation.texts
        ]
    return "\n".join(lines)
