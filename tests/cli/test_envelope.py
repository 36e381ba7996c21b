"""`hundi envelope` end to end: credentials from option, environment or prompt, text and JSON."""

import json

import pytest
from typer.testing import CliRunner

from hundi.cli.envelope import app
from hundi.wire import cipher

NAMES = {
    "HUNDI_MERCHANT_USERNAME": "demo-user",
    "HUNDI_MERCHANT_PASSWORD": "demo-pass",
    "HUNDI_MERCHANT_SECRET": "demo-secret",
}
MESSAGE = '{"orderid":"ORD-1","amount":10.50}'


@pytest.fixture
def run():
    """Return a function that runs the command with arguments, environment and typed input."""
    runner = CliRunner()
    return lambda *arguments, env=NAMES, typed=None: runner.invoke(
        app, arguments, env=env, input=typed
    )


@pytest.fixture
def sealed(run):
    """Return what `seal --json` prints for the message."""
    return json.loads(run("seal", MESSAGE, "--json").stdout)


def test_what_seal_makes_opens(run, sealed):
    assert json.loads(run("open", sealed["encdata"], "--json").stdout) == json.loads(MESSAGE)
    assert '"amount": 10.50' in run("open", "-", typed=sealed["encdata"] + "\n").stdout


def test_what_seal_makes_explains_as_right(run, sealed):
    options = [part for name, value in sealed.items() for part in (f"--{name}", value)]
    result = run("explain", *options)
    assert result.exit_code == 0
    assert result.stdout.count(": right: ") == 3
    assert "10.50ORD-1" in result.stdout


def test_a_whole_body_is_explained(run, sealed, tmp_path):
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"mid": "1", **sealed, "checksum": "0"}))
    result = run("explain", "--body", str(body), "--json")
    shown = json.loads(result.stdout)
    assert result.exit_code == 1
    assert shown["wrong"] == ["checksum"]
    assert shown["findings"]["checksum"]["words"].endswith("you sent 0")
    assert {"form", "text", "value"} == set(shown["canonical_texts"][0])


def test_a_body_from_a_pipe_is_explained_and_what_it_lacks_is_an_error(run, sealed):
    whole = run("explain", typed=json.dumps({"merchant_id": "1", **sealed}))
    assert (whole.exit_code, whole.stdout.count(": right: ")) == (0, 3)
    lacking = run("explain", typed=json.dumps({"merchant_id": "1", "encdata": sealed["encdata"]}))
    assert lacking.exit_code == 1
    assert "privatekey: missing" in lacking.stdout
    assert run("explain", typed="").exit_code == 1


def test_a_body_that_cannot_be_read_is_named(run, tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for path in (tmp_path / "nowhere", binary):
        result = run("explain", "--body", str(path))
        assert result.exit_code == 1
        assert f"body: wrong: {path} cannot be read" in result.stderr


def test_a_message_is_explained_as_of_the_moment_it_was_sent(run, sealed):
    then = run(
        "explain",
        "--checksum",
        sealed["checksum"],
        "--encdata",
        sealed["encdata"],
        "--at",
        "2020-01-01T00:00:00",
    )
    assert then.exit_code == 1
    assert "checksum: wrong: we computed" in then.stdout


def test_credentials_are_asked_on_standard_error(run):
    result = run(
        "seal",
        MESSAGE,
        "--json",
        env=dict.fromkeys(NAMES, ""),
        typed="demo-user\ndemo-pass\ndemo-secret\n",
    )
    assert result.exit_code == 0
    printed = json.loads(
        result.stdout.splitlines()[-1]
    )  # the runner, not the command, echoes what was typed before it
    assert (
        cipher.open_(cipher.encryption_key("demo-user", "demo-pass"), printed["encdata"])
        == MESSAGE.encode()
    )
    assert "API secret (not the OAuth client secret)" in result.stderr
    assert "demo-pass" not in result.stderr


def test_options_go_before_the_environment(run, sealed):
    result = run("open", sealed["encdata"], "--username", "somebody")
    assert result.exit_code == 1
    assert "no known key opens it" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("open", "nonsense", "--json"), "cut or damaged"),
        (("seal", "[1]", "--json"), "not an object"),
        (("seal", "{}", "--iv", "short", "--json"), "16 printable"),
        (("explain", "--body", "-", "--json"), "not a JSON object"),
    ],
)
def test_errors_are_json_too(run, arguments, words):
    result = run(*arguments, typed="{broken")
    assert result.exit_code == 1
    assert words in next(iter(json.loads(result.stdout)["errors"].values()))


def test_a_reply_has_its_secure_hash_checked(run):
    record = {
        "orderid": "ORD1",
        "ap_transactionid": "777",
        "amount": "10.00",
        "transaction_status": "200",
        "message": "Success",
        "merchant_id": "12345",
        "ap_SecureHash": "3102939120",
    }
    response = cipher.seal(
        cipher.encryption_key("demo-user", "demo-pass"), json.dumps({"data": record}).encode()
    )
    assert "ap_SecureHash: right" in run("open", response).stderr


def test_seal_dates_the_checksum_in_india(run, sealed):
    options = ("--encdata", sealed["encdata"], "--checksum", sealed["checksum"])
    shown = json.loads(run("explain", *options, "--json").stdout)
    assert "v4-ist" in shown["findings"]["checksum"]["words"]
