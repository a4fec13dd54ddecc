"""Empty copies of tables for a measurement, in a schema that is gone afterwards."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

PREFIX = "lito_measurement_"


@contextmanager
def scratch_tables(tables: Sequence[str]) -> Iterator[None]:
    """Within the block this connection finds empty tables, without indexes, under these names.

    Nobody else sees them, and the rows of the real ones are not touched. What a killed process left
    is swept away first: as long as one lives, it holds a lock on its schema's name.
    """
    _sweep()
    schema = PREFIX + secrets.token_hex(4)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext(%s))", [schema])
        cursor.execute(f"CREATE SCHEMA {schema}")
        try:
            for table in tables:
                cursor.execute(
                    f"CREATE UNLOGGED TABLE {schema}.{table} (LIKE public.{table}"
                    " INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING STORAGE)"
                )
            cursor.execute(f"SET search_path = {schema}, public")
            yield
        finally:
            cursor.execute("RESET search_path")
            cursor.execute(f"DROP SCHEMA {schema} CASCADE")
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", [schema])


def _sweep() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", [f"{PREFIX}%"])
        for (schema,) in cursor.fetchall():
            cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s))", [schema])
            if cursor.fetchone() == (True,):
                cursor.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s))", [schema])
