"""What every test may use: real PostgreSQL, real Redis, the corpus, a browser, a running Lito.

The folder and the addresses are set before Django reads its settings. Services start with the first
test that needs one; under xdist all processes share them and the last one out stops them.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings as hypothesis_settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from redis import Redis

    from tests.live import LiveStack

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
os.environ["LITO_LOOKUP"] = "false"  # only where a test says so, and then at a server of its own

from lito.celery import app  # noqa: E402
from lito.paths import broker_url, home, socket_directory  # noqa: E402
from lito.services import embedded  # noqa: E402

OWN_POSTGRES = not os.environ.get("DATABASE_URL")
OWN_REDIS = "LITO_TEST_REDIS" in os.environ or not os.environ.get("REDIS_URL")
if OWN_REDIS:
    os.environ["LITO_TEST_REDIS"] = "own"  # tells the xdist workers whose address they inherited
    os.environ["REDIS_URL"] = f"unix://{socket_directory()}/redis.sock?db={WORKER_NUMBER}"


# How long one example takes depends on who shares the machine; what must be quick is measured.
hypothesis_settings.register_profile("patient", deadline=None)
hypothesis_settings.load_profile("patient")


def pytest_configure() -> None:
    from django.conf import settings

    # In an xdist process Django may have read the controller's address before this file could act.
    settings.REDIS_URL = os.environ["REDIS_URL"]
    settings.CELERY_BROKER_URL = broker_url(settings.REDIS_URL)
    app.conf.update(broker_url=settings.CELERY_BROKER_URL)
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # A sweep of files that this process's database doesn't know must not take another's.
    settings.LITO_FILES = settings.HOME / f"files{WORKER}"
    for folder in (settings.STATIC_ROOT, settings.LITO_FILES, settings.LITO_CACHE):
        Path(folder).mkdir(parents=True, exist_ok=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one running Lito go to one xdist process, so that only one such Lito is started."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "live_stack" in fixtures:
            item.add_marker(pytest.mark.live)
            item.add_marker(pytest.mark.xdist_group("live"))
        if "browser" in fixtures:
            item.add_marker(pytest.mark.browser)


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
    """The services stand before pytest-django makes its test database, one for each process."""


@pytest.fixture
def redis(services: None) -> "Iterator[Redis]":
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


@pytest.fixture(scope="session")
def live_stack() -> "Iterator[LiveStack]":
    """A whole running Lito with its own database: web, workers, embedder, as by `make up`."""
    from tests.live import running_lito

    with running_lito(home() / f"live{WORKER}") as stack:
        yield stack


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A real Chromium or Chrome without a window."""
    from playwright.sync_api import sync_playwright

    from tests.browsers import ARGUMENTS, find_browser

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright keeps a loop in this thread
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_browser(playwright), args=ARGUMENTS
        )
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def loop_of_its_own(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright marks its loop as running in this thread for good: other tests must not see it."""
    if "browser" in request.fixturenames:
        yield
        return
    marked = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(marked)


@pytest.fixture(autouse=True)
def language_of_its_own() -> Iterator[None]:
    """A request leaves its reader's language active in this thread: the next test begins anew."""
    from django.utils import translation

    translation.deactivate()
    yield
    translation.deactivate()


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    """A fresh page with cookies of its own. Errors of scripts on it fail the test."""
    context = browser.new_context(viewport={"width": 1360, "height": 900}, locale="en-US")
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert not errors, f"scripts on the page failed: {errors}"
