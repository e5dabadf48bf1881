"""SRU (1.1, 1.2, 2.0): the records that a query finds, in portions, with the counts of the server compared.

SRU is made for searching, and many servers limit how many records one query gives; ``split`` divides it then.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._records import XML_FORM
from bibld.harvest._search import ResultPosition, Save, SearchPlan, begin, fetch_by_search
from bibld.harvest._settings import as_tuple, faults_of_http
from bibld.harvest._visit import Visit
from bibld.harvest.sru._session import PortionWalk, Session, Settings
from bibld.protocols import Fetched

__all__ = ["Settings", "faults", "fetch", "probe"]


def faults(folder: object, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    if not all(query.strip() for query in as_tuple(settings.query)) or not as_tuple(settings.query):
        yield "query", 'is empty; write a query in CQL, such as "cql.allRecords=1"'
    if settings.split_range[0] > settings.split_range[1]:
        yield "split_range", "its first number is larger than its last one"


def probe(visit: Visit, settings: Settings) -> str:
    """Ask the server how many records the queries have, and in which version and schema."""
    session = Session(visit, settings)
    total = session.negotiate(as_tuple(settings.query)[0]).total or 0
    total += sum(session.count(query) for query in as_tuple(settings.query)[1:])
    dialect = session.dialect
    title = f"{session.explained.title}, " if session.explained.title else ""
    schema = f"schema {dialect.schema}" if dialect.schema else "the schema of the server"
    return f"{title}SRU {dialect.version}, {schema}, {total:,} records"


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch all records of the queries."""
    if visit.options.since:
        raise HarvestError("SRU has no list of changes; leave --since out, or state the date in the query")
    visit.store.records.form = XML_FORM
    server = f"{settings.url} {settings.schema}"
    plan = SearchPlan(server, as_tuple(settings.query), settings.limit, bool(settings.split), settings.split_range)
    is_continued = begin(visit, plan)
    session = Session(visit, settings)
    session.negotiate(as_tuple(settings.query)[0])
    plan = msgspec.structs.replace(plan, form=session.root)
    return fetch_by_search(visit, _Searcher(visit, session, settings), plan, is_continued)


class _Searcher:
    """Searches a server of SRU."""

    def __init__(self, visit: Visit, session: Session, settings: Settings) -> None:
        self._visit = visit
        self._session = session
        self._settings = settings
        self.count = session.count

    def within(self, query: str, low: int, high: int) -> str:
        return f"({query}) and {self._numbers(low, high)}"

    def outside(self, query: str, low: int, high: int) -> str:
        return f"({query}) not ({self._numbers(low, high)})"

    def _numbers(self, low: int, high: int) -> str:
        return f"{self._settings.split}>={low} and {self._settings.split}<={high}"

    def walk(self, query: str, start: ResultPosition, save: Save) -> list[str]:
        return PortionWalk(self._visit, self._session, self._settings.portion, start).fetch(query, save)
