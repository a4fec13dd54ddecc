"""Pages about the installation itself."""

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import Redis, RedisError

log = structlog.get_logger(__name__)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 if a page could be answered now, else 503 with what is missing."""
    answers = {"database": _database_answers(), "redis": _redis_answers()}
    healthy = all(answers.values())
    return JsonResponse({"healthy": healthy, **answers}, status=200 if healthy else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return True
    except DatabaseError as error:
        log.warning("database does not answer", error=str(error))
        return False


def _redis_answers() -> bool:
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=2) as client:
            return bool(client.ping())
    except RedisError as error:
        log.warning("redis does not answer", error=str(error))
        return False
