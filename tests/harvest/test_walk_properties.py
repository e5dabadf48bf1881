"""Whatever the sizes of lists and parts are, and whichever passing faults come when: all records arrive, each once."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harvest import small_oai
from tests.harvest.hostile_oai import Reply, error, serving
from tests.harvest.small_oai import Library
from tests.harvest.test_hostile_oai import configured, fetch
from tests.harvest.test_oaipmh import titles

PASSING = {
    "fine": lambda reply: reply,
    "busy": lambda reply: Reply(b"busy", 503),
    "failing": lambda reply: Reply(b"oops", 500),
    "page": lambda reply: Reply(b"<html><title>Maintenance</title></html>"),
    "empty": lambda reply: Reply(b""),
    "cut": lambda reply: reply._replace(body=reply.body[: len(reply.body) // 2]),
    "broken off": lambda reply: reply._replace(body=reply.body[:200], lie=500),
    "unknown error": lambda reply: error("Exception"),
}
"""Faults that the next request does not meet."""


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 200), unique=True, max_size=40),
    st.integers(1, 9),
    st.lists(st.sampled_from(sorted(PASSING)), max_size=12),
    st.integers(-1, 6),
)
def test_all_records_arrive_once(numbers, part, faults, expires):
    """``expires``: the number of the part whose token is refused once (-1: none)."""
    library = Library()
    for number in numbers:
        library.put(number, f"Title {number}")
    library.clock += 3600
    waiting = list(faults)
    refused = []

    def change(request, answer):
        if request.verb != "ListRecords":
            return library.answer(request)
        if waiting:
            kind = waiting.pop()
            if kind != "fine":
                return PASSING[kind](library.answer(request))
        asked = [path for path in server.requests if "ListRecords" in path]
        if request.token is not None and len(refused) < 2 and len(asked) > expires >= 0:
            refused.append(request.token)  # in both forms in which it is sent
            return error("badResumptionToken")
        return library.answer(request)

    before, small_oai.PART = small_oai.PART, part
    try:
        with serving(change) as server, tempfile.TemporaryDirectory() as folder:
            config = configured(Path(folder), server.url, tries=20, first_wait=0.0001)
            result = fetch(config)
            assert result.outcome == "complete", result.reasons
            assert titles(config) == library.titles()
            assert result.stored == len(numbers)
    finally:
        small_oai.PART = before
