"""The page of a worklist: how many lines of each kind there are, how that changes, and the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.model.enrichment import EnrichmentReport
from bibld.model.origin import RecordId
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage, message, read_words
from bibld.serve._pages.views import PageLink
from bibld.serve._worklists import LINES_OF_PAGE, WorklistView
from bibld.worklist import WorklistCount, WorklistLine

_RUNS_SHOWN = 12


ADDITION_WORDS: Mapping[str, str] = {
    "identifiers": message("Identifiers of publications and works"),
    "authorities": message("Numbers of authority records"),
    "links": message("Links to authority files"),
    "isbn": message("ISBN"),
    "subjects": message("Subject headings"),
    "classification": message("Class marks"),
    "language": message("Codes of languages"),
    "abstract": message("Abstracts"),
    "contents": message("Tables of contents"),
    "covers": message("Covers"),
    "full_text": message("Addresses of full texts"),
}
"""What libraries get back, by ``bibld.model.enrichment.ReturnElement``."""


class RunTotal(msgspec.Struct, frozen=True):
    """The lines of the worklist after one run."""

    run: int
    lines: int
    new: int
    mended: int


class LineView(msgspec.Struct, frozen=True):
    """A line as the page shows it."""

    record: PageLink
    kind: str
    where: str
    value: str
    wrong: str
    remedy: str
    others: tuple[PageLink, ...]
    is_new: bool


class WorklistPages:
    """Makes the page in one language.

    ``label`` returns what a source is called, ``record_href`` the address of the page of a record.
    """

    def __init__(
        self,
        addresses: Addresses,
        language: PageLanguage,
        label: Callable[[str], str],
        record_href: Callable[[RecordId], str],
        render: Callable[..., bytes],
    ) -> None:
        self._addresses = addresses
        self._language = language
        self._label = label
        self._record_href = record_href
        self._render = render

    def worklist(self, view: WorklistView) -> bytes:
        """Return the page."""
        here = self._addresses.page(f"worklist/{view.source}")
        counts = view.last_counts if view.counts else []
        pages = -(-view.total // LINES_OF_PAGE) if view.counts else 0
        return self._render(
            "worklist.html",
            here=here,
            query_string=_query(view.kind, view.page),
            view=view,
            label=self._label(view.source),
            counts=[
                (one, self._kind(one.kind), f"{here}?{_query(one.kind)}") for one in counts if one.lines or one.mended
            ],
            runs=_totals(view.counts),
            additions=[(self._language.text(ADDITION_WORDS[name]), count) for name, count in _additions(view.returned)],
            kind=self._kind(view.kind) if view.kind else "",
            lines=[self._line(line) for line in view.lines],
            pages=pages,
            previous=f"{here}?{_query(view.kind, view.page - 1)}" if view.page > 1 else "",
            following=f"{here}?{_query(view.kind, view.page + 1)}" if view.page < pages else "",
        )

    def _kind(self, kind: str) -> str:
        return self._language.text(read_words()["work_kind"].get(kind, kind))

    def _line(self, line: WorklistLine) -> LineView:
        return LineView(
            record=self._record(line.record),
            kind=self._kind(line.kind),
            where=line.where,
            value=line.value,
            wrong=self._language.sentence(line.wrong),
            remedy=self._language.sentence(line.remedy),
            others=tuple(self._other(other) for other in line.others),
            is_new=line.state == "new",
        )

    def _record(self, text: str) -> PageLink:
        record = RecordId.parse(text)
        return PageLink(self._record_href(record), record.control_number)

    def _other(self, text: str) -> PageLink:
        """Return the record of another library, with what it states, if anything."""
        number, _, stated = text.partition(": ")
        record = RecordId.parse(number)
        label = self._label(record.source)
        return PageLink(self._record_href(record), f"{label}: {stated or record.control_number}")


def _query(kind: str, page: int = 1) -> str:
    return urlencode({name: value for name, value in (("kind", kind), ("page", page)) if value not in ("", 1)})


def _additions(files: Sequence[EnrichmentReport]) -> list[tuple[str, int]]:
    """Return the additions to all files by element, the most frequent first."""
    found: Counter[str] = Counter()
    for file in files:
        found.update(dict(file.elements))
    return found.most_common()


def _totals(counts: Sequence[WorklistCount]) -> list[RunTotal]:
    """Return the sums of the last runs, the newest first."""
    runs: dict[int, list[WorklistCount]] = {}
    for one in counts:
        runs.setdefault(one.run, []).append(one)
    totals = [
        RunTotal(run, *(sum(getattr(one, name) for one in found) for name in ("lines", "new", "mended")))
        for run, found in runs.items()
    ]
    return totals[::-1][:_RUNS_SHOWN]
