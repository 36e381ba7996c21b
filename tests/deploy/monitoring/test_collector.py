"""The sample for the OpenTelemetry collector fits what the gateway sends and writes."""

import json
import re
from datetime import datetime
from typing import Any

import yaml

from tests.deploy.monitoring.test_rules import SAMPLES
from tests.house.source import ROOT
from tests.system.running import RunningGateway

SAMPLE: dict[str, Any] = yaml.safe_load((SAMPLES / "collector.yaml").read_text())


def test_every_pipeline_names_parts_that_are_there() -> None:
    pipelines = SAMPLE["service"]["pipelines"]
    assert set(pipelines) == {"traces", "logs"}
    for parts in ("receivers", "processors", "exporters"):
        used = {name for pipeline in pipelines.values() for name in pipeline[parts]}
        assert used == set(SAMPLE[parts])


def test_it_listens_where_the_page_sends_traces() -> None:
    place = SAMPLE["receivers"]["otlp"]["protocols"]["http"]["endpoint"]
    for page in (ROOT / "docs" / "monitoring.md", SAMPLES / "collector.yaml"):
        assert f"HUNDI_TRACES_TO=http://{place}" in page.read_text()


def test_a_line_of_the_log_has_what_is_read_from_it(gateway: RunningGateway) -> None:
    """Time, severity and the words stand where the sample looks for them."""
    parser, move = SAMPLE["receivers"]["filelog"]["operators"]
    begins = re.search(r'body startsWith "(.)"', parser["if"])
    assert begins
    lines = [each for each in gateway.log.read_text().splitlines() if each.startswith(begins[1])]
    assert lines
    for line in map(json.loads, lines):
        read = {"attributes." + name: value for name, value in line.items()}
        assert datetime.fromisoformat(read[parser["timestamp"]["parse_from"]]).tzinfo
        assert read[parser["severity"]["parse_from"]] in {"debug", "info", "warning", "error"}
        assert read[move["from"]]
