"""The page on which anybody matches a file with the release: the form, the progress, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bibld.model.matched import MatchedRecord, MatchProgress
from bibld.model.origin import RecordId
from bibld.serve._addresses import Addresses, CatalogueLinks
from bibld.serve._language import PageLanguage, message
from bibld.serve._matching.site import FORMATS, MatchSummary
from bibld.serve._pages.views import PageLink

_ROWS_HERE = "<!-- rows -->"
"""What the template has in the place of progress and results."""

OUTCOME_WORDS = {
    "same": message("Is in the catalogue"),
    "review": message("Ask a person"),
    "related": message("Another edition, volume or form is in the catalogue"),
    "new": message("New"),
    "rejected": message("Cannot be used"),
}
_FORMAT_WORDS = {
    "html": message("This page"),
    "xlsx": message("Excel workbook"),
    "csv": message("CSV"),
    "jsonl": message("JSON Lines"),
    "parquet": message("Parquet"),
}
_STEPS = {
    "crosswalk": message("The file is being read: %(done)s records"),
    "match": message("%(done)s of %(total)s records are compared"),
}
_LIBRARIES_SHOWN = 5


class MatchRowView(msgspec.Struct, frozen=True):
    """A record as the page shows it: the names of the fields are those of :class:`MatchedRecord`."""

    position: int
    record: str
    title: str
    outcome: str
    words: str
    publication: PageLink | None
    libraries: tuple[PageLink, ...]
    more_libraries: int
    score: str
    reasons: tuple[str, ...]
    duplicates: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    message: str


class MatchPages:
    """Makes the page in one language.

    ``label`` returns what a source is called, ``record_href`` the address of the page of a record; ``catalogues`` has
    those in the libraries' own catalogues.
    """

    def __init__(
        self,
        addresses: Addresses,
        language: PageLanguage,
        label: Callable[[str], str],
        record_href: Callable[[RecordId], str],
        render: Callable[..., bytes],
        catalogues: CatalogueLinks,
    ) -> None:
        self._catalogues = catalogues
        self._addresses = addresses
        self._language = language
        self._label = label
        self._record_href = record_href
        self._render = render

    def match_form(self, size: int) -> bytes:
        """Return the page with the form; ``size`` is that of the largest file in MiB."""
        return self._page(size=size)

    def match_frame(self) -> tuple[bytes, bytes]:
        """Return what is before and after progress and results on their page."""
        before, _, after = self._page(size=0).partition(_ROWS_HERE.encode())
        return before, after

    def _page(self, size: int) -> bytes:
        here = self._addresses.page("match")
        formats = [(name, self._language.text(_FORMAT_WORDS[name])) for name in _FORMAT_WORDS if name in FORMATS]
        return self._render(
            "file_matches.html",
            here=here,
            size=size,
            formats=formats,
            rows_here=_ROWS_HERE,
            address=self._addresses.iris.base + "match",
        )

    def match_step(self, progress: MatchProgress) -> bytes:
        """Return the line about the progress."""
        done, total = (self._language.number(number or 0) for number in (progress.done, progress.total))
        words = self._language.text(_STEPS[progress.step], done=done, total=total)
        return self._render("file_match_step.html", progress=progress, words=words)

    def match_results(self, summary: MatchSummary) -> bytes:
        """Return the results."""
        return self._render(
            "file_match_results.html",
            summary=summary,
            counts=[
                (outcome, self._language.text(words), summary.counts[outcome])
                for outcome, words in OUTCOME_WORDS.items()
                if outcome in summary.counts
            ],
            rows=[self._row(row) for row in summary.rows],
        )

    def _row(self, row: MatchedRecord) -> MatchRowView:
        records = [RecordId.parse(text) for text in row.records]
        by_source = {record.source: record for record in reversed(records)}
        libraries = [PageLink(self._href(by_source[one]), self._label(one)) for one in row.libraries]
        title = row.published_title or row.publication
        href = self._addresses.href(row.publication) if row.publication else None
        return MatchRowView(
            position=row.position,
            record=row.record,
            title=row.title,
            outcome=row.outcome,
            words=self._language.text(OUTCOME_WORDS[row.outcome]),
            publication=PageLink(href, title) if href else None,
            libraries=tuple(libraries[:_LIBRARIES_SHOWN]),
            more_libraries=max(0, len(libraries) - _LIBRARIES_SHOWN),
            score="" if row.score is None else f"{row.score:.3f}",
            reasons=self._reasons(row.reasons),
            duplicates=row.duplicates,
            faults=tuple(self._fault(fault) for fault in row.faults),
            message=row.message,
        )

    def _fault(self, fault: str) -> tuple[str, str]:
        """Return a field, and what is wrong and what to do in the language of the page."""
        where, _, words = fault.partition(": ")
        wrong, _, remedy = words.rpartition("; ")
        return where, "; ".join(self._language.sentence(one) for one in (wrong, remedy))

    def _href(self, record: RecordId) -> str:
        """Return the address of a record in its library's own catalogue, or of its page here."""
        return self._catalogues.href(record.source, record.control_number) or self._record_href(record)

    def _reasons(self, reasons: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._language.sentence(reason) for reason in reasons)
