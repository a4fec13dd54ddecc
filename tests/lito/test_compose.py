"""docker-compose.yml runs the same commands as `make up`, in containers."""

from typing import Any

import pytest
import yaml

from lito.paths import ROOT
from lito.processes import Process, lito_processes

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]


@pytest.mark.parametrize("process", lito_processes(), ids=lambda process: str(process.name))
def test_each_process_is_a_service_with_the_same_command(process: Process) -> None:
    command = SERVICES[process.name]["command"]
    assert command[:3] == ["python", "-m", process.module]
    given, wanted = command[3:], list(process.arguments)
    if process.name == "parse":  # as many parsers as the machine has room for
        at = wanted.index("--concurrency") + 1
        given[at] = wanted[at]
    if process.name == "embedding":  # over TCP: it may run on a machine of its own
        given = given[: len(wanted)]
    assert given == wanted


@pytest.mark.parametrize("process", lito_processes(), ids=lambda process: str(process.name))
def test_each_process_gets_the_environment_that_it_needs(process: Process) -> None:
    environment = SERVICES[process.name]["environment"]
    assert {name: environment.get(name) for name in process.environment} == process.environment


def test_every_service_but_the_one_shot_has_a_health_check() -> None:
    assert {name for name, service in SERVICES.items() if "healthcheck" not in service} == {
        "migrate"
    }


def test_one_port_is_published() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["${LITO_PORT:-8000}:8000"]}


def test_all_wait_for_the_migrations_and_nothing_for_itself() -> None:
    ours = [process.name for process in lito_processes()]
    for name in ours:
        needs = SERVICES[name]["depends_on"]
        assert needs["migrate"] == {"condition": "service_completed_successfully"}
    assert "migrate" not in SERVICES["migrate"]["depends_on"]


def test_every_named_volume_is_declared() -> None:
    used = {
        volume.split(":", 1)[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    }
    assert used == set(COMPOSE["volumes"])


def test_bge_m3_is_the_default_embedder() -> None:
    assert SERVICES["embedding"]["environment"]["LITO_EMBEDDER"] == "${LITO_EMBEDDER:-bge-m3}"
    assert SERVICES["embedding"]["build"]["target"] == "embedding"
