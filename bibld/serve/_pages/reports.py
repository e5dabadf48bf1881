"""The pages about the dataset and its sources, and the reports of matching and data quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import pyoxigraph as ox

from bibld.model.origin import RecordId
from bibld.model.report import Count, Report, SourceReport, Validation
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import overview, views
from bibld.serve._pages.codes import ELEMENTS, reject_words
from bibld.serve._pages.report_pictures import ReportPictures
from bibld.serve._things import OpenRelease, Thing

SEVERITIES = (message("violation"), message("warning"), message("info"))
"""Of results of SHACL."""

Render = Callable[..., bytes]
"""Renders a template (its name) with values."""


class ReportPages:
    """Makes these pages in one language; ``render`` fills templates, ``record_href`` gives the path of a record."""

    def __init__(
        self,
        report: Report,
        release: OpenRelease,
        language: PageLanguage,
        pictures: ReportPictures,
        render: Render,
        record_href: Callable[[RecordId], str],
    ) -> None:
        self.pictures = pictures
        self._report = report
        self._manifest = release.manifest
        self._addresses = release.addresses
        self._prefixes = release.vocabulary.prefixes
        self._render = render
        self._language = language
        self._record_href = record_href
        self._validation = release.validation
        self._shapes = release.vocabulary.ontologies["shapes"]

    def dataset(
        self, triples: Sequence[ox.Triple], statements: Sequence[views.StatementRow], common: dict[str, object]
    ) -> bytes:
        """Return the page about the dataset."""
        return self._render(
            "dataset.html",
            report=self._report,
            pictures=self.pictures,
            is_sample=self._is_sample,
            has_classes=any(source.classes for source in self._report.sources),
            partitions=views.partitions(triples, self._addresses, self._prefixes),
            statements=statements,
            downloads=overview.downloads(self._manifest),
            **common,
        )

    def has_source(self, name: str) -> bool:
        """Return whether there is a source with this id."""
        return any(source.source == name for source in self._report.sources)

    def source_of(self, thing: Thing) -> SourceReport | None:
        """Return the report of the source that a thing is; None if it is none."""
        folder, _, name = thing.path.partition("/")
        if folder != "dataset":
            return None
        return next((source for source in self._report.sources if source.source == name), None)

    def source(
        self, source: SourceReport, statements: Sequence[views.StatementRow], common: dict[str, object]
    ) -> bytes:
        """Return the page about a source."""
        name = source.source
        shared = {
            other.source: self._in_both({name, other.source}) for other in self._report.sources if other.source != name
        }
        return self._render(
            "source.html",
            source=source,
            rejects=self._rejects(source),
            figures=next(each for each in self._manifest.figures.sources if each.source == name),
            pictures=self.pictures,
            others=sorted(shared.items(), key=lambda pair: -pair[1]),
            samples=[(self._record_href(RecordId(name, number)), number) for number in source.samples],
            statements=statements,
            **common,
        )

    def matching(self) -> bytes:
        """Return the report of matching."""
        bins = self._report.matching.histogram
        return self._render(
            "matching.html",
            here=self._addresses.page("report/matching.html"),
            report=self._report,
            pictures=self.pictures,
            pairs=sum(each.same + each.review + each.related + each.different for each in bins),
            waiting=sum(each.review for each in bins),
        )

    def validation(self) -> Validation:
        """Return the results of the last validation: those that were noted last, or that the release has."""
        noted = self._validation()
        return noted if noted.release else Validation(self._report.validated, self._report.shapes)

    def quality(self, validation: Validation) -> bytes:
        """Return the report of data quality."""
        sources = self._report.sources
        found = [({each.value: each.count for each in source.coverage}, source.sampled) for source in sources]
        coverage = [
            (words, [round(counts.get(name, 0) / sampled * 100) if sampled else 0 for counts, sampled in found])
            for name, words in ELEMENTS.items()
        ]
        return self._render(
            "quality.html",
            here=self._addresses.page("report/quality.html"),
            report=self._report,
            validation=validation,
            shape_words=shape_words(self._shapes, self._language.tag),
            pictures=self.pictures,
            coverage=coverage,
            is_sample=self._is_sample,
            rejects={source.source: self._rejects(source) for source in sources},
            rejected=any(source.rejects for source in self._report.sources),
            repaired=any(source.repairs for source in self._report.sources),
        )

    def _rejects(self, source: SourceReport) -> list[Count]:
        return [Count(reject_words(each.value, self._language), each.count) for each in source.rejects]

    def _in_both(self, sources: set[str]) -> int:
        """Return how many publications have records of all these sources."""
        return sum(each.publications for each in self._report.overlap if sources <= set(each.sources))

    @property
    def _is_sample(self) -> bool:
        return any(source.sampled < source.records for source in self._report.sources)


@lru_cache(maxsize=8)
def shape_words(shapes: str, language: str) -> Mapping[str, str]:
    """Return the English names and messages of the shapes (Turtle) → those in a language."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for each in ox.parse(shapes.encode(), format=ox.RdfFormat.TURTLE):
        if isinstance(each.object, ox.Literal) and each.object.language:
            texts.setdefault((str(each.subject), each.predicate.value), {})[each.object.language] = each.object.value
    return {found["en"]: found[language] for found in texts.values() if "en" in found and language in found}
