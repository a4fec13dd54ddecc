"""The services that Lito brings along: PostgreSQL with pgvector and Redis, without Docker."""

from lito.services.errors import ServiceError
from lito.services.running import embedded, running_services

__all__ = ("ServiceError", "embedded", "running_services")
