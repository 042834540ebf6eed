"""What is counted by label is there, at 0, before anything has happened."""

import json
import re
import sys
from pathlib import Path
from subprocess import run

import pytest
from prometheus_client.parser import text_string_to_metric_families

pytestmark = pytest.mark.xdist_group("metrics")

ROOT = Path(__file__).parents[2]
FOLDERS = ("bot", "coordination", "llm", "storage")
README = (ROOT / "README.md").read_text()
ALARM = re.compile(r"`onereply_(\w+?)(?:_total)?(?:\{(\w+)=\"(\w+)\"\})?`")
LABELLED = re.compile(r"\b([A-Z_]+)\.labels\(\"(\w+)\"")
TELL = """
import json
from prometheus_client import REGISTRY, Counter, generate_latest
from bot import app
import coordination.metrics, storage.metrics
counters = {
    name: each._name
    for module in (coordination.metrics, storage.metrics)
    for name, each in vars(module).items()
    if isinstance(each, Counter)
}
print(json.dumps([counters, generate_latest(REGISTRY).decode()]))
"""

Series = dict[str, list[dict[str, str]]]


@pytest.fixture(scope="module")
def at_start() -> tuple[dict[str, str], Series]:
    """Our counters by their names in the code, and the labels of every counter and gauge."""
    told = run([sys.executable, "-c", TELL], cwd=ROOT, capture_output=True, check=True)
    counters, text = json.loads(told.stdout)
    families = text_string_to_metric_families(text)
    series = {
        each.name: [sample.labels for sample in each.samples]
        for each in families
        if each.type != "histogram"
    }
    return counters, series


def test_each_counter_shows_its_series(at_start: tuple[dict[str, str], Series]) -> None:
    counters, series = at_start
    assert set(counters.values()) < set(series)
    assert [name for name, each in series.items() if not each] == []


def test_each_label_that_the_code_counts_under_is_there(
    at_start: tuple[dict[str, str], Series],
) -> None:
    counters, series = at_start
    counted = {
        (counters[name], value)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for name, value in LABELLED.findall(path.read_text())
    }
    assert len(counted) > 8
    missing = {(name, value) for name, value in counted if not has(series, name, value)}
    assert missing == set()


def test_each_alarm_of_the_readme_has_something_to_look_at(
    at_start: tuple[dict[str, str], Series],
) -> None:
    _, series = at_start
    alarms = ALARM.findall(README)
    assert len(alarms) > 8
    missing = [
        alarm for alarm in alarms if not has(series, f"onereply_{alarm[0]}", alarm[2] or None)
    ]
    assert missing == []


def has(series: Series, name: str, value: str | None) -> bool:
    return any(value is None or value in labels.values() for labels in series.get(name, []))
