"""OAI-PMH 2.0: repositories and library systems, in any metadata format that bibld reads.

Changes are fetched by the server's own clock, with an overlap; from time to time the whole list shows what disappeared
without a word. Broken answers are repaired record by record, and what cannot be repaired is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from bibld.harvest._settings import days_of, faults_of_http
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._steps import Settings as Settings
from bibld.protocols import Fetched


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    if settings.full_every:
        try:
            days_of(settings.full_every)
        except ValueError as error:
            yield "full_every", str(error)
    if not settings.sets or (len(settings.sets) > 1 and not all(settings.sets)):
        yield "set", "names no set, or an empty one beside others; leave the key out for the whole repository"
    if settings.begin:
        try:
            datetime.fromisoformat(settings.begin)
        except ValueError:
            yield "begin", f'"{settings.begin}" is not a day or time; write 2020-01-31 or 2020-01-31T00:00:00Z'


def probe(visit: Visit, settings: Settings) -> str:
    """Ask the server who it is, and for the first part of the list; raises ``HarvestError``."""
    from bibld.harvest.oaipmh._harvest import describe_server  # loads the HTTP client

    return describe_server(visit, settings)


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch the changes since the last complete harvest, or the full list if that is due; raises ``HarvestError``."""
    from bibld.harvest.oaipmh._harvest import fetch_records

    return fetch_records(visit, settings)
