"""Why reading a file ended without a text, in the language of whoever asks.

Workers speak no language of a person's. They store a code, and beside it a sentence for failures
that have more to say than their code.
"""

from django.utils.translation import gettext_lazy

from documents.models import Version

WORKER_DIED, UNREADABLE = "worker_died", "unreadable"
FILE_MISSING, INTERNAL_ERROR = "file_missing", "internal_error"
SENTENCES = {
    WORKER_DIED: gettext_lazy(
        "Reading this file brought the worker down several times. The file may be damaged."
    ),
    UNREADABLE: gettext_lazy("The PDF could not be opened within the limits."),
    FILE_MISSING: gettext_lazy("The stored file is gone. Upload it again."),
    INTERNAL_ERROR: gettext_lazy("Reading this file failed. Try again."),
}


def failure_words(version: Version) -> str:
    """What a person is told of the version's failure; "" if there is none."""
    sentence = SENTENCES.get(version.failure_code)
    return str(sentence) if sentence else version.failure
