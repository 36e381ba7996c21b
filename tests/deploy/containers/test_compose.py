"""The compose file and the secrets that it takes."""

import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hundi.infra.settings import load_settings

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "containers"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
PARTS = ("migrate", "api", "worker", "metrics", "operator")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    """The folder `secrets` that `prepare` makes."""
    folder = tmp_path_factory.mktemp("compose")
    shutil.copy(FOLDER / "prepare", folder)
    command = f"{Path(sys.executable).parent / 'hundi'}"
    subprocess.run([folder / "prepare", command], check=True, timeout=60, capture_output=True)
    return folder / "secrets"


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_nobody_in_particular_on_files_that_nobody_changes(part: str) -> None:
    service = SERVICES[part]
    assert service["read_only"]
    user, _, group = service["user"].partition(":")
    assert group == "10001"
    assert f"/var/lib/hundi:uid={user},gid={group},mode=0700,size=16m" in service["tmpfs"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("part", PARTS)
def test_each_part_has_secrets_as_files_that_the_gateway_takes(
    part: str, prepared: Path, tmp_path: Path
) -> None:
    for secret in SERVICES[part]["secrets"]:
        source = COMPOSE["secrets"][secret["source"]]["file"]
        shutil.copy(prepared.parent / source, tmp_path / secret["target"])
    settings = load_settings({"CREDENTIALS_DIRECTORY": str(tmp_path)})
    roles = {"migrate": "gateway", "api": "gateway", "metrics": "gateway"}
    assert settings.database_url is not None
    assert f"//hundi_{roles.get(part, part)}:" in settings.database_url
    assert (settings.owner_database_url is not None) == (part == "migrate")
    assert (settings.console_database_url is not None) == (part == "api")
    assert bool(settings.keys) == (part in {"api", "worker", "operator"})


def test_no_secret_is_a_variable() -> None:
    for name, service in SERVICES.items():
        for variable in service.get("environment", {}):
            assert not re.search("PASSWORD$|_URL$|KEY", variable) or variable in {
                "HUNDI_BASE_URL",
                "HUNDI_PAYMENT_PAGE_URL",
            }, f"{name}: {variable}"


def test_every_role_gets_a_password_of_its_own(prepared: Path) -> None:
    script = (prepared / "roles.sql").read_text()
    passwords = re.findall("ALTER ROLE (hundi_[a-z]+) PASSWORD '([A-Za-z0-9=]{32})'", script)
    assert {role for role, _ in passwords} == set(re.findall("CREATE ROLE (hundi_[a-z]+)", script))
    assert len({password for _, password in passwords}) == len(passwords)


def test_nobody_looks_into_the_folder_and_a_second_run_changes_nothing(prepared: Path) -> None:
    assert stat.S_IMODE(prepared.stat().st_mode) == 0o700
    before = {path.name: path.read_bytes() for path in prepared.iterdir()}
    again = subprocess.run([prepared.parent / "prepare", "true"], capture_output=True, text=True)
    assert again.returncode == 1
    assert again.stderr == "The folder secrets is there already: nothing was changed.\n"
    assert {path.name: path.read_bytes() for path in prepared.iterdir()} == before


def test_files_that_it_mounts_are_those_of_this_tree(prepared: Path) -> None:
    mounted = {
        path.partition(":")[0]
        for service in SERVICES.values()
        for path in service.get("volumes", [])
        if path.startswith(".")
    }
    assert "../monitoring/dashboard.json" in mounted
    for path in mounted:
        where = prepared.parent if path.startswith("./secrets") else FOLDER
        assert (where / path).is_file(), path
    assert (prepared.parent / "backups").is_dir(), "made before a container makes it, as root"
    made = {f"./secrets/{path.name}" for path in prepared.iterdir()}
    assert {each["file"] for each in COMPOSE["secrets"].values()} <= made


def test_prometheus_reads_the_port_that_the_metrics_have() -> None:
    port = SERVICES["metrics"]["environment"]["HUNDI_METRICS_PORT"]
    text = (ROOT / "deploy" / "monitoring" / "prometheus.yml").read_text()
    assert f'"127.0.0.1:{port}"' in text
    assert SERVICES["prometheus"]["network_mode"] == "service:metrics"


def test_what_counts_in_one_folder_numbers_its_processes_alike() -> None:
    """Two processes of one number would write one file."""
    counting = [name for name, each in SERVICES.items() if "counters:" in str(each.get("volumes"))]
    assert counting == ["api", "worker", "metrics"]
    assert [SERVICES[name].get("pid") for name in counting] == [None, "service:api", "service:api"]


def test_what_sees_the_processes_of_another_is_another_user() -> None:
    """The same user would read its memory, environment and secrets in /proc."""
    seeing = ["api", *(name for name, each in SERVICES.items() if each.get("pid") == "service:api")]
    assert len({SERVICES[name]["user"] for name in seeing}) == len(seeing) == 3
    options = COMPOSE["volumes"]["counters"]["driver_opts"]["o"]
    assert options == "size=64m,uid=10001,gid=10001,mode=0770", "all of the group count in it"


def test_the_database_has_no_way_out_and_nothing_is_published_to_others() -> None:
    assert SERVICES["database"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    published = [port for each in SERVICES.values() for port in each.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_copying_program_takes_its_password_from_a_file(prepared: Path) -> None:
    service = SERVICES["backup"]
    passwords = (prepared / "backup_passwords").read_text()
    (password,) = re.findall(r"^\*:\*:\*:hundi_backup:([A-Za-z0-9=]{32})\n$", passwords)
    assert f"ALTER ROLE hundi_backup PASSWORD '{password}';" in (prepared / "roles.sql").read_text()
    assert service["secrets"] == ["backup_passwords"]
    assert service["environment"]["PGPASSFILE"] == "/run/secrets/backup_passwords"
