"""Settings come from overrides, environment and file, in that order, and are told off in words."""

import os
from pathlib import Path

import pytest

from hundi.infra.settings import Settings, SettingsError, load_settings
from hundi.infra.settings_shown import without_password


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HUNDI_")]:
        monkeypatch.delenv(name)


def test_defaults_follow_from_each_other(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, host="0.0.0.0", port=9000, demo=True)
    assert settings.base_url == settings.payment_page_url == "http://127.0.0.1:9000"
    assert settings.simbank_url == "http://127.0.0.1:9001"
    assert settings.key_file == tmp_path / "kek"
    assert settings.allow_private_callbacks
    assert not load_settings().allow_private_callbacks


def test_order_of_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text('port = 1000\nhost = "file"\nworkers = 3\npath_aliases = ["/a", "/b"]\n')
    monkeypatch.setenv("HUNDI_CONFIG", str(file))
    monkeypatch.setenv("HUNDI_PORT", "2000")
    monkeypatch.setenv("HUNDI_HOST", "environment")
    settings = load_settings(host="override", workers=None)
    assert (settings.host, settings.port, settings.workers, settings.path_aliases) == (
        "override",
        2000,
        3,
        ("/a", "/b"),
    )


def test_every_fault_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text("token_seconds = 0\nprot = 1\n")
    monkeypatch.setenv("HUNDI_CONFIG", str(file))
    monkeypatch.setenv("HUNDI_DEMO", "perhaps")
    with pytest.raises(SettingsError) as caught:
        load_settings(workers=0, base_url="ftp://x")
    text = str(caught.value)
    for part in (
        "token_seconds: Expected `int` >= 1",
        "prot is not a setting; the nearest is port",
        "HUNDI_DEMO: Expected `bool`",
        "--workers",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("text", "value"),
    [("on", True), ("ON", True), ("true", True), ("1", True), ("off", False), ("false", False)],
)
def test_switches_are_on_or_off(monkeypatch: pytest.MonkeyPatch, text: str, *, value: bool) -> None:
    monkeypatch.setenv("HUNDI_ALLOW_PRIVATE_CALLBACKS", text)
    assert load_settings().allow_private_callbacks is value


def test_variables_of_the_envelope_commands_are_no_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUNDI_MERCHANT_PASSWORD", "demo-pass")
    assert load_settings() == load_settings()


def test_addresses_are_web_addresses() -> None:
    with pytest.raises(SettingsError, match="HUNDI_BASE_URL"):
        load_settings(base_url="ftp://shop.example")


def test_the_environment_hands_settings_on(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(
        demo=True, database_url="postgresql://u:p@h/db", path_aliases="", acquirer_key="k" * 16
    )
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_secrets_are_masked() -> None:
    shown = load_settings(
        database_url="postgresql://user:canary@host/db", keys="a:canary", acquirer_key="canary" * 3
    ).masked()
    assert "canary" not in str(shown)
    assert shown["database_url"] == "postgresql://user:********@host/db"


def test_acquirers_come_from_the_file_and_their_secrets_from_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text(
        """
        [acquirers.south]
        kind = "sandbox"
        url = "http://operator:canary@127.0.0.1:9"
        methods = ["card"]

        [acquirers.north]
        kind = "sandbox"
        url = "http://127.0.0.1:8"
        """
    )
    monkeypatch.setenv("HUNDI_CONFIG", str(file))
    monkeypatch.setenv("HUNDI_ACQUIRERS__SOUTH__KEY", "canary-canary-canary")
    monkeypatch.setenv("HUNDI_ACQUIRERS__EAST__KIND", "sandbox")
    settings = load_settings()
    assert list(settings.acquirers) == ["south", "north", "east"]
    assert settings.acquirers["south"]["key"] == "canary-canary-canary"
    shown = settings.masked()["acquirers"]
    assert shown["south"]["methods"] == ["card"]
    assert "canary" not in str(shown)


def test_acquirers_reach_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(acquirers={"north": {"kind": "sandbox", "timeout_s": 3}})
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert load_settings() == settings


def test_the_key_of_the_simulated_bank_makes_it_the_first_acquirer() -> None:
    settings = load_settings(acquirer_key="k" * 16, acquirers={"north": {"kind": "sandbox"}})
    assert list(settings.acquirers) == ["sandbox", "north"]
    assert settings.acquirers["sandbox"] == {
        "kind": "sandbox",
        "url": settings.simbank_url,
        "key": "k" * 16,
    }
    assert load_settings(demo=True).acquirers == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("north", "HUNDI_ACQUIRERS: must be a JSON object"),
        ('{"north": {}, "north": {}}', "HUNDI_ACQUIRERS: .*north stands there twice"),
        ('{"north": 4}', "HUNDI_ACQUIRERS: Expected `object`"),
    ],
)
def test_acquirers_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.setenv("HUNDI_ACQUIRERS", text)
    with pytest.raises(SettingsError, match=words):
        load_settings()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://h:canary@db/hundi", "postgresql://h:********@db/hundi"),
        ("postgresql://canary:canary@db/a", "postgresql://canary:********@db/a"),
        ("postgresql://h:can@ary@db/hundi", "postgresql://h:********@db/hundi"),
        ("postgresql://h@db/hundi?password=canary", "postgresql://h@db/hundi?password=********"),
        (
            "postgresql://h:canary@a:5432,b:5433/d?sslmode=require&sslpassword=canary",
            "postgresql://h:********@a:5432,b:5433/d?sslmode=require&sslpassword=********",
        ),
        (
            "postgresql:///d?host=/run/x&p%61ssword=canary&passfile=/canary",
            "postgresql:///d?host=/run/x&p%61ssword=********&passfile=********",
        ),
        ("postgresql://h@/hundi?host=/run/x&port=1", "postgresql://h@/hundi?host=/run/x&port=1"),
        *((f"postgresql://h:1can{each}ary@db/hundi", "********") for each in "/#?"),
        *((f"postgresql://h:12{each}canary@db/hundi", "********") for each in "/#?"),
        ("postgresql://h:can[ary@db/hundi", "********"),
    ],
)
def test_no_password_of_a_database_is_shown(url: str, shown: str) -> None:
    assert Settings(database_url=url).masked()["database_url"] == shown
    assert without_password(url) == shown, "the same in what a lost database is called"


@pytest.mark.parametrize(
    "password", ["can/ary", "can#ary", "can?ary", "12/ary", "12?ary", "12#ary"]
)
def test_an_address_whose_password_cannot_be_told_is_refused(password: str) -> None:
    variables = {"HUNDI_DATABASE_URL": f"postgresql://h:{password}@db:5432/hundi"}
    with pytest.raises(SettingsError) as refused:
        load_settings(variables)
    assert str(refused.value) == (
        "these settings cannot be used:\n  HUNDI_DATABASE_URL: this is no address of a database;"
        " in a password write / as %2F, ? as %3F, # as %23, % as %25"
    )


@pytest.mark.parametrize(
    "address", ["postgresql:///hundi", "postgresql://h:a%2Fb@[::1]:5432/hundi"]
)
def test_an_address_that_can_be_read_is_taken(address: str) -> None:
    assert load_settings({"HUNDI_DATABASE_URL": address}).database_url == address
