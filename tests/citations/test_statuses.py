from typing import get_args

import pytest
from django.utils import translation

from citations.segments import LocationStatus
from citations.statuses import status_words

STATUSES = get_args(LocationStatus)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("page", [None, 4])
@pytest.mark.parametrize("status", STATUSES)
def test_every_status_has_its_own_words(status: str, page: int | None, language: str) -> None:
    with translation.override(language):
        words = status_words(status, page=page, places=3)
        broken = status_words("failed")
    assert words.name
    assert words.sentence
    assert (words.sentence == broken.sentence) is (status == "failed")


def test_only_a_confirmed_place_sounds_good() -> None:
    good = {status for status in STATUSES if status_words(status, page=1).tone == "good"}
    assert good == {"matched"}


def test_an_unknown_status_is_a_failure_not_a_confirmation() -> None:
    assert status_words("splendid") == status_words("failed")
