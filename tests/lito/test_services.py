import pytest
from projects.models import User
from django.db import connection

@pytest.mark.django_db
def test_a():
    User.objects.create(username="a")
    with connection.cursor() as c:
        c.execute("select '[1,2]'::vector"); print(c.fetchall())

@pytest.mark.django_db(transaction=True)
def test_b(redis):
    User.objects.create(username="b")
    redis.set("a", 1)
    assert redis.connection_pool.connection_kwargs["db"] >= 0
