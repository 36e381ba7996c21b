"""The chart as helm rendered it, and the values that it takes."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from hundi.infra.settings import load_settings
from tests.deploy.helm.chart_sum import CHART, HERE, chart_sum
from tests.deploy.monitoring.test_rules import ALARMS, SAMPLES

RENDERED = HERE / "rendered.yaml"
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
OF_PARTS = (
    {"HUNDI_CONFIG", "CREDENTIALS_DIRECTORY"},
    {"PGHOST", "PGPORT", "PGUSER", "PGPASSFILE"},
)
"""The variables of containers of ours, and of PostgreSQL's program: no secret is one."""
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text())


@pytest.fixture(scope="module")
def objects() -> dict[tuple[str, str], Any]:
    """The rendered objects by kind and name."""
    every = [each for each in yaml.safe_load_all(RENDERED.read_text()) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in every}


def pods(objects) -> Iterator[tuple[str, Any]]:
    for (kind, name), each in objects.items():
        if kind in {"Deployment", "Job"}:
            yield name, each["spec"]["template"]
        if kind == "CronJob":
            yield name, each["spec"]["jobTemplate"]["spec"]["template"]


def test_what_is_tested_here_was_rendered_from_this_chart() -> None:
    """`make containers` renders it anew, with helm."""
    assert RENDERED.read_text().partition("\n")[0] == f"# sha256 of the chart: {chart_sum()}"


def test_the_defaults_fit_the_schema_and_every_default_is_in_it() -> None:
    jsonschema.validate(DEFAULTS, SCHEMA)
    assert set(DEFAULTS) <= set(SCHEMA["properties"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"settings": {"database_url": "postgresql://x"}},
        {"settings": {"upstream_secret": "x"}},
        {"settings": {"metrics_port": 1}},
        {"settings": {"base_url": "https://pay.example.in/path"}},
        {"api": {"replica": 2}},
        {"secrets": {"api": "Not A Name"}},
        {"image": {"repository": "x", "digest": "sha256:1"}},
        {"secret": {}},
    ],
)
def test_values_that_help_nobody_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(DEFAULTS | wrong, SCHEMA)


def test_every_object_is_there(objects) -> None:
    assert set(objects) == {
        ("ConfigMap", "hundi-backup"),
        ("ConfigMap", "hundi-settings"),
        ("ConfigMap", "hundi-migrate-settings"),
        ("CronJob", "hundi-backup"),
        ("Deployment", "hundi-api"),
        ("Deployment", "hundi-worker"),
        ("Ingress", "hundi"),
        ("Job", "hundi-migrate"),
        ("NetworkPolicy", "hundi"),
        ("NetworkPolicy", "hundi-api"),
        ("NetworkPolicy", "hundi-worker"),
        ("PodDisruptionBudget", "hundi-api"),
        ("PodDisruptionBudget", "hundi-worker"),
        ("PodMonitor", "hundi"),
        ("PrometheusRule", "hundi"),
        ("Service", "hundi"),
    }


def test_no_pod_is_root_or_can_write_to_its_files_or_become_more(objects) -> None:
    seen = 0
    for name, pod in pods(objects):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"]:
            seen += 1
            own = {"runAsUser": 10003} if container["name"] == "metrics" else {}
            assert container["securityContext"] == own | {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert set(container["resources"]) == {"limits", "requests"}, container["name"]
    assert seen == 6


def test_each_part_has_the_credentials_of_its_own_role_and_no_others(objects) -> None:
    for _, pod in pods(objects):
        secrets = {
            each["name"]: each["secret"]["secretName"]
            for each in pod["spec"]["volumes"]
            if "secret" in each
        }
        for container in pod["spec"]["containers"]:
            mounts = [each["name"] for each in container["volumeMounts"]]
            (own,) = [each for each in mounts if each in secrets]
            assert secrets[own] == f"hundi-{container['name']}"
            variables = {each["name"]: each["value"] for each in container["env"]}
            assert set(variables) in OF_PARTS
            assert "envFrom" not in container


def test_a_backup_is_made_each_night_where_the_alarm_finds_it(objects) -> None:
    job = objects["CronJob", "hundi-backup"]["spec"]
    assert job["concurrencyPolicy"] == "Forbid"
    pod = job["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (mount,) = (m for m in container["volumeMounts"] if m["name"] == "backup-credentials")
    variables = {each["name"]: each["value"] for each in container["env"]}
    assert variables["PGPASSFILE"] == f"{mount['mountPath']}/pgpass"
    assert container["command"] == ["sh", "/etc/hundi/backup.sh", "/backups", "7"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    assert volumes["backups"]["persistentVolumeClaim"] == {"claimName": "hundi-backups"}
    script = objects["ConfigMap", "hundi-backup"]["data"]["backup.sh"]
    assert script == (CHART / "files" / "backup.sh").read_text()
    (name,) = re.findall('cronjob=~"(.*?)"', ALARMS["BackupOld"]["expr"])
    assert re.fullmatch(name, "hundi-backup")
    assert not DEFAULTS["backup"]["enabled"], "a provider's database has its own"


def test_the_alarms_are_those_that_promtool_tested(objects) -> None:
    rules = objects["PrometheusRule", "hundi"]
    assert rules["spec"] == yaml.safe_load((SAMPLES / "rules.yml").read_text())
    monitor = objects["PodMonitor", "hundi"]
    for each in (rules, monitor):
        assert each["metadata"]["labels"]["release"] == "prometheus"
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    (relabeled,) = endpoint["relabelings"]
    assert relabeled["targetLabel"] == "parts"
    assert 'up{parts=~".*worker.*"}' in ALARMS["PartMissing"]["expr"]
    for part in ("api", "worker"):
        pod = objects["Deployment", f"hundi-{part}"]["spec"]["template"]
        labels, metrics = pod["metadata"]["labels"], pod["spec"]["containers"][1]
        assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert labels[monitor["spec"]["jobLabel"]] == "hundi", "the job that the alarms know"
        assert endpoint["port"] in {port["name"] for port in metrics["ports"]}
        annotations = pod["metadata"]["annotations"]
        assert "prometheus.io/scrape" not in annotations, "they would be read twice"
    defaults = DEFAULTS["metrics"]["operator"]
    assert not defaults["podMonitor"], "a cluster without Prometheus' operator refuses it"
    assert not defaults["rules"]


def test_the_settings_file_is_one_that_the_gateway_takes(objects, tmp_path: Path) -> None:
    text = objects["ConfigMap", "hundi-settings"]["data"]["hundi.toml"]
    assert tomllib.loads(text)["trusted_proxies"] == ["10.2.0.0/16"]
    assert text == objects["ConfigMap", "hundi-migrate-settings"]["data"]["hundi.toml"]
    (tmp_path / "hundi.toml").write_text(text)
    settings = load_settings({}, config=str(tmp_path / "hundi.toml"))
    assert settings.base_url == "https://pay.example.in"
    assert (settings.metrics_port, settings.workers) == (9400, 2)


def test_the_schema_of_the_database_is_brought_up_before_anything_new_starts(objects) -> None:
    hooks = {
        (kind, name): each["metadata"]["annotations"]
        for (kind, name), each in objects.items()
        if "helm.sh/hook" in (each["metadata"].get("annotations") or {})
    }
    assert set(hooks) == {("Job", "hundi-migrate"), ("ConfigMap", "hundi-migrate-settings")}
    assert {each["helm.sh/hook"] for each in hooks.values()} == {"pre-install,pre-upgrade"}
    weights = {kind: int(each["helm.sh/hook-weight"]) for (kind, _), each in hooks.items()}
    assert weights["ConfigMap"] < weights["Job"]


def test_probes_ask_the_addresses_of_health(objects) -> None:
    api = objects["Deployment", "hundi-api"]["spec"]["template"]["spec"]["containers"][0]
    assert api["readinessProbe"]["httpGet"]["path"] == "/health/ready"
    assert api["livenessProbe"]["httpGet"]["path"] == "/health/live"
    assert api["startupProbe"]["httpGet"]["path"] == "/health/live"
    for part in ("api", "worker"):
        pod = objects["Deployment", f"hundi-{part}"]["spec"]["template"]["spec"]
        assert [each["name"] for each in pod["containers"]] == [part, "metrics"]
        assert pod["shareProcessNamespace"], "else two processes would count in one file"


def test_what_sees_the_processes_of_another_is_another_user(objects) -> None:
    """The same user would read its memory, environment and secrets in /proc."""
    seen = 0
    for name, pod in pods(objects):
        spec = pod["spec"]
        users = [
            each["securityContext"].get("runAsUser", spec["securityContext"].get("runAsUser"))
            for each in spec["containers"]
        ]
        if spec.get("shareProcessNamespace"):
            seen += 1
            assert len(set(users)) == len(users), name
            assert spec["securityContext"]["runAsGroup"] == spec["securityContext"]["fsGroup"]
    assert seen == 2


def test_selectors_find_the_pods_that_they_mean(objects) -> None:
    for part in ("api", "worker"):
        labels = objects["Deployment", f"hundi-{part}"]["spec"]["template"]["metadata"]["labels"]
        for kind, field in (("PodDisruptionBudget", "selector"), ("NetworkPolicy", "podSelector")):
            wanted = objects[kind, f"hundi-{part}"]["spec"][field]["matchLabels"]
            assert wanted.items() <= labels.items()
            assert wanted["app.kubernetes.io/component"] == part
    of_service = objects["Service", "hundi"]["spec"]["selector"]
    assert of_service["app.kubernetes.io/component"] == "api"


def test_the_way_out_leads_to_names_the_database_and_the_internet(objects) -> None:
    every = objects["NetworkPolicy", "hundi"]["spec"]
    assert every["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in every
    ports = [sorted(port["port"] for port in rule["ports"]) for rule in every["egress"]]
    assert ports == [[53, 53], [5432]]
    (outside,) = objects["NetworkPolicy", "hundi-worker"]["spec"]["egress"]
    assert [port["port"] for port in outside["ports"]] == [443]
    assert "169.254.0.0/16" in outside["to"][0]["ipBlock"]["except"]
    ways_in = objects["NetworkPolicy", "hundi-worker"]["spec"]["ingress"]
    assert [port["port"] for rule in ways_in for port in rule["ports"]] == ["metrics"]
