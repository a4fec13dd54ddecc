"""The health address, in good days and bad."""

import pytest
from django.test import Client
from pytest_django import Settings
from redis import Redis


@pytest.mark.django_db
def test_health_is_200_when_database_and_redis_answer(client: Client, redis: Redis) -> None:
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"healthy": True, "database": True, "redis": True}
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_health_is_503_and_names_what_is_missing(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock?db=0"
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"healthy": False, "database": True, "redis": False}


@pytest.mark.django_db
def test_health_needs_no_sign_in_and_takes_no_posts(client: Client) -> None:
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db
def test_every_response_forbids_inline_and_foreign_content(client: Client) -> None:
    policy = client.get("/healthz").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
