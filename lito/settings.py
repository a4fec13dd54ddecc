"""All settings. The only file that reads the environment; `.env.example` lists every name."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
import environ

from lito.environment import read_environment_file
from lito.logs import logging_configuration
from lito.paths import ROOT, broker_url, home, socket_directory
from lito.secret_key import kept_secret

django_stubs_ext.monkeypatch()  # so that forms and querysets can be written with their types
read_environment_file()
env = environ.Env()

HOME = home()
LITO_HOST: str = env.str("LITO_HOST", default="127.0.0.1")
LITO_PORT: int = env.int("LITO_PORT", default=8000)
LITO_DEMO: bool = env.bool("LITO_DEMO", default=True)
DEBUG: bool = env.bool("LITO_DEBUG", default=False)
THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS: list[str] = [*env.list("LITO_ALLOWED_HOSTS", default=[]), *THIS_MACHINE]
CSRF_TRUSTED_ORIGINS: list[str] = env.list("LITO_TRUSTED_ORIGINS", default=[])


def _secret_key() -> str:
    """`LITO_SECRET_KEY`, else a key made once and kept in the data folder."""
    given: str = env.str("LITO_SECRET_KEY", default="")
    return given or kept_secret(HOME / "secret_key")


SECRET_KEY = _secret_key()

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "projects",
    "documents",
    "retrieval",
    "citations",
    "chat",
    "lito",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "projects.middleware.first_password",
    "lito.middleware.content_security_policy",
]
ROOT_URLCONF = "lito.urls"
ASGI_APPLICATION = "lito.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
            ],
        },
    }
]

DATABASES: dict[str, Any] = {
    "default": env.db_url("DATABASE_URL")
    if env.str("DATABASE_URL", default="")
    else {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "lito",
        "USER": "lito",
        "HOST": str(socket_directory()),
    }
}
DATABASES["default"].setdefault("OPTIONS", {})
# Threads of the web server and of the `chat` and `locate` workers share this many connections.
# 0: every thread keeps its own.
LITO_DATABASE_POOL: int = env.int("LITO_DATABASE_POOL", default=0)
if LITO_DATABASE_POOL:
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": LITO_DATABASE_POOL,
        "timeout": 20,
    }
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
REDIS_URL: str = env.str("REDIS_URL", default="") or f"unix://{socket_directory()}/redis.sock?db=0"

AUTH_USER_MODEL = "projects.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_COOKIE_HTTPONLY = True
# Reached through a proxy that speaks HTTPS and sets X-Forwarded-Proto itself.
LITO_HTTPS: bool = env.bool("LITO_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LITO_HTTPS
if LITO_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = ["^healthz$"]
    SECURE_HSTS_SECONDS = 30 * 24 * 3600
    # Subdomains and browsers' lists are for those who own the whole domain to decide.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [ROOT / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE: str = env.str("LITO_TIME_ZONE", default="UTC")

STATIC_URL = "/static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = HOME / "files"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LITO_FILES: Path = HOME / "files"
LITO_CACHE: Path = HOME / "cache"
LITO_INDEXES: Path = HOME / "indexes"
LITO_MAX_UPLOAD_BYTES: int = env.int("LITO_MAX_UPLOAD_MB", default=50) * 1024 * 1024
LITO_MAX_IMPORT_BYTES: int = env.int("LITO_MAX_IMPORT_MB", default=500) * 1024 * 1024
LITO_MAX_PAGES: int = env.int("LITO_MAX_PAGES", default=3000)
LITO_PAGE_SECONDS: int = env.int("LITO_PAGE_SECONDS", default=20)
LITO_LAYOUT: bool = env.bool("LITO_LAYOUT", default=False)
LITO_PARSE_MEMORY_MB: int = env.int("LITO_PARSE_MEMORY_MB", default=1024)
LITO_OCR_PAGE_SECONDS: int = env.int("LITO_OCR_PAGE_SECONDS", default=180)
LITO_OCR_MEMORY_MB: int = env.int("LITO_OCR_MEMORY_MB", default=2048)
# Tables: `own` or, besides, `docling` with its models in the folder LITO_DOCLING_PATH.
LITO_TABLE_ENGINE: str = env.str("LITO_TABLE_ENGINE", default="own")
LITO_DOCLING_PATH: str = env.str("LITO_DOCLING_PATH", default=str(HOME / "docling"))
LITO_DOCLING_PAGE_SECONDS: int = env.int("LITO_DOCLING_PAGE_SECONDS", default=120)
LITO_DOCLING_MEMORY_MB: int = env.int("LITO_DOCLING_MEMORY_MB", default=8192)

# Records of DOIs, with retractions: from Crossref and OpenAlex, or servers that speak like them.
LITO_LOOKUP: bool = env.bool("LITO_LOOKUP", default=True)
LITO_LOOKUP_MAILTO: str = env.str("LITO_LOOKUP_MAILTO", default="")
LITO_LOOKUP_TIMEOUT: int = env.int("LITO_LOOKUP_TIMEOUT", default=10)
LITO_CROSSREF_URL: str = env.str("LITO_CROSSREF_URL", default="https://api.crossref.org")
LITO_OPENALEX_URL: str = env.str("LITO_OPENALEX_URL", default="https://api.openalex.org")

# Chat models: any OpenAI-compatible endpoint. Without a base URL the extractive answerer answers.
LITO_LLM_BASE_URL: str = env.str("LITO_LLM_BASE_URL", default="")
LITO_LLM_API_KEY: str = env.str("LITO_LLM_API_KEY", default="")
LITO_LLM_MODEL: str = env.str("LITO_LLM_MODEL", default="")
LITO_LLM_LIGHT_MODEL: str = env.str("LITO_LLM_LIGHT_MODEL", default="")
LITO_LLM_TIMEOUT: int = env.int("LITO_LLM_TIMEOUT", default=120)
# Papers are put into the context whole as long as they have no more tokens together.
LITO_LLM_WHOLE_TOKENS: int = env.int("LITO_LLM_WHOLE_TOKENS", default=60000)

# Embedder: `bundled`, `bge-m3`, or `openai` (any server with /v1/embeddings).
LITO_EMBEDDER: str = env.str("LITO_EMBEDDER", default="bundled")
LITO_BGE_PATH: str = env.str("LITO_BGE_PATH", default="BAAI/bge-m3")
LITO_EMBEDDING_BASE_URL: str = env.str("LITO_EMBEDDING_BASE_URL", default="")
LITO_EMBEDDING_API_KEY: str = env.str("LITO_EMBEDDING_API_KEY", default="")
LITO_EMBEDDING_MODEL: str = env.str("LITO_EMBEDDING_MODEL", default="")
LITO_EMBEDDING_SOCKET: str = env.str(
    "LITO_EMBEDDING_SOCKET", default=str(socket_directory() / "embedding.sock")
)
# A search compares up to so many numbers (vectors times their length); beyond, it asks a graph.
LITO_VECTOR_SCAN: int = env.int("LITO_VECTOR_SCAN", default=20000000)
# Commands and tests may load the bundled model themselves where no embedding service runs.
LITO_EMBEDDING_IN_PROCESS: bool = env.bool("LITO_EMBEDDING_IN_PROCESS", default=False)

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "index"
CELERY_TASK_DEFAULT_ROUTING_KEY = "index"
CELERY_TASK_ROUTES = {
    "documents.tasks.look_up": {"queue": "locate", "routing_key": "locate"},
    "documents.tasks.parse_version": {"queue": "parse", "routing_key": "parse"},
    "documents.tasks.run_import": {"queue": "parse", "routing_key": "parse"},
    "documents.tasks.reread_next": {"queue": "background", "routing_key": "background"},
    "documents.tasks.*": {"queue": "index", "routing_key": "index"},
    "retrieval.tasks.reembed_next": {"queue": "background", "routing_key": "background"},
    "retrieval.tasks.*": {"queue": "index", "routing_key": "index"},
    "citations.tasks.locate*": {"queue": "locate", "routing_key": "locate"},
    "citations.tasks.*": {"queue": "index", "routing_key": "index"},
    "chat.tasks.*": {"queue": "chat", "routing_key": "chat"},
}
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 1800}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# On SIGQUIT a worker gives its tasks this many seconds, then hands them back to the queue.
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 3

LOGGING = logging_configuration(
    level=env.str("LITO_LOG_LEVEL", default="INFO"),
    form=env.str("LITO_LOG_FORMAT", default="console"),
    secrets=(
        SECRET_KEY,
        LITO_LLM_API_KEY,
        LITO_EMBEDDING_API_KEY,
        DATABASES["default"].get("PASSWORD") or "",
        urlsplit(REDIS_URL).password or "",
    ),
)
