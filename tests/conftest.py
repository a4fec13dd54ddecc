"""What every test may use: real PostgreSQL, real Redis, the corpus, a browser, a running Lito.

The folder and the addresses are set before Django reads its settings. Services start with the first
test that needs one; under xdist all processes share them and the last one out stops them.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
WORKER_NUMBER = int(WORKER.removeprefix("gw")) + 1 if WORKER else 0
CONTROLLER = not WORKER

if CONTROLLER:
    os.environ["LITO_HOME"] = tempfile.mkdtemp(prefix="lito-test-")
    Path(os.environ["LITO_HOME"]).chmod(0o755)
os.environ["DJANGO_SETTINGS_MODULE"] = "lito.settings"
os.environ["LITO_ENV_FILE"] = os.devnull  # a .env of this machine must not change what is tested
os.environ["LITO_EMBEDDING_IN_PROCESS"] = "true"

from lito.paths import home, socket_directory  # noqa: E402
from lito.services import embedded  # noqa: E402

OWN_POSTGRES = not os.environ.get("DATABASE_URL")
OWN_REDIS = "LITO_TEST_REDIS" in os.environ or not os.environ.get("REDIS_URL")
if OWN_REDIS:
    os.environ["LITO_TEST_REDIS"] = "own"  # tells the xdist workers whose address they inherited
    os.environ["REDIS_URL"] = f"unix://{socket_directory()}/redis.sock?db={WORKER_NUMBER}"


def pytest_configure() -> None:
    from django.conf import settings

    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    for folder in (settings.STATIC_ROOT, settings.LITO_FILES, settings.LITO_CACHE):
        Path(folder).mkdir(parents=True, exist_ok=True)


def pytest_unconfigure() -> None:
    if CONTROLLER:
        shutil.rmtree(home(), ignore_errors=True)
        if socket_directory().parent != home():
            shutil.rmtree(socket_directory(), ignore_errors=True)


@pytest.fixture(scope="session")
def services() -> Iterator[None]:
    """PostgreSQL and Redis answer. Durability is switched off: the data dies with the session."""
    quick = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
    with embedded(postgres=OWN_POSTGRES, redis=OWN_REDIS, settings=quick):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, services: None
) -> None:
    """The services stand before pytest-django makes its test database, one for each xdist worker."""


@pytest.fixture
def redis(services: None) -> Iterator["object"]:
    """A client of this process's own Redis database, empty before and after."""
    from django.conf import settings
    from redis import Redis

    client = Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real papers and question sets beside the checkout."""
    if not CORPUS.is_dir():
        pytest.skip("needs the corpus of real papers in ../shared/corpus, which is not here")
    return CORPUS
