"""The page of a worklist: how many lines of each kind there are, how that changes, and the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.model.enrichment import EnrichmentReport
from bibld.model.origin import RecordId
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages.views import PageLink
from bibld.serve._worklists import LINES_OF_PAGE, WorklistView
from bibld.worklist import WorklistCount, WorklistLine

_RUNS_SHOWN = 12

KIND_WORDS = {
    "duplicate-record": message("Duplicates in the catalogue"),
    "possible-duplicate": message("Possible duplicates in the catalogue"),
    "pair-to-decide": message("Pairs to decide with other libraries"),
    "other-part": message("Others state another volume or part"),
    "other-identifier": message("Others state another ISBN"),
    "other-year": message("Others state another year"),
    "other-language": message("Others state another language"),
    "other-name": message("Others name other persons"),
    "encoded-twice": message("Text encoded twice"),
    "wrong-check-digit": message("Wrong check digits"),
    "missing-field": message("Missing fields"),
    "missing-record": message("Links to records that do not exist"),
    "bad-character": message("Damaged characters"),
    "contradicting-dates": message("Dates that contradict each other"),
    "wrong-length": message("Fields of a wrong length"),
    "wrong-code": message("Wrong codes"),
    "missing-subfield": message("Missing subfields"),
    "repeated-field": message("Fields that must not be repeated"),
    "wrong-form": message("Values of a wrong form"),
    "undefined-field": message("Undefined fields"),
    "wrong-indicator": message("Wrong indicators"),
    "undefined-subfield": message("Undefined subfields"),
    "repeated-subfield": message("Subfields that must not be repeated"),
    "deprecated-field": message("Obsolete fields"),
    "deprecated-indicator": message("Obsolete indicators"),
    "deprecated-subfield": message("Obsolete subfields"),
    "deprecated-code": message("Obsolete codes"),
    "missing-authority": message("Headings without the number of their authority record"),
}


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
        return self._language.text(KIND_WORDS[kind]) if kind in KIND_WORDS else kind

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
