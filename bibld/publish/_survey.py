"""Counts what the records of a sample of one source contain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from bibld.catalog import CatalogFigures, SampledRecord
from bibld.model.mods import Mods, OriginInfo
from bibld.model.report import Count, SourceReport
from bibld.text.dates import year

_MOST = 200
"""Values of one kind that are listed, the most frequent first."""

_SAMPLES = 5
_CLASSIFICATIONS = ("udc", "rubbk", "bbk", "ddc", "lcc")
_CLASS = re.compile(r"\w{1,2}")
_QUOTED = re.compile(r"""(["'«“‹`]).*?(["'»”›`])""")
_DIGITS = re.compile(r"\d+")
_LONGEST = 160


def survey(figures: CatalogFigures, report: SourceReport, most: int) -> SourceReport:
    """Complete the report of a source from a sample of at most ``most`` of its records."""
    tally = _Tally()
    for record in figures.sample(report.source, most):
        tally.add(record)
    return msgspec.structs.replace(
        report,
        sampled=tally.records,
        coverage=listed(tally.coverage),
        years=tuple(Count(str(number), count) for number, count in sorted(tally.years.items())),
        without_year=tally.records - sum(tally.years.values()),
        languages=listed(tally.languages),
        types=listed(tally.types),
        places=listed(tally.places),
        classes=listed(tally.classes),
        unmapped=listed(figures.unmapped(tally.subfields)),
        repairs=listed(tally.repairs),
        samples=tuple(tally.samples),
    )


def listed(counter: Counter[str]) -> tuple[Count, ...]:
    """Return the most frequent values, then in their order."""
    ordered = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Count(value, count) for value, count in ordered[:_MOST])


def general_reason(text: str) -> str:
    """Return a message without what is from the record: numbers and quotations, so that equal causes are one."""
    return _DIGITS.sub("N", _QUOTED.sub(r"\1…\2", text))[:_LONGEST]


class _Tally:
    """The counts of one sample."""

    def __init__(self) -> None:
        self.records = 0
        self.coverage: Counter[str] = Counter()
        self.years: Counter[int] = Counter()
        self.languages: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.places: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.repairs: Counter[str] = Counter()
        self.subfields: list[bytes] = []
        self.samples: list[str] = []

    def add(self, record: SampledRecord) -> None:
        mods = record.mods
        self.records += 1
        if len(self.samples) < _SAMPLES:
            self.samples.append(record.control_number)
        self.coverage.update([name for name in Mods.elements if getattr(mods, name)])
        published = _year(mods.origin_info)
        if published is not None:
            self.years[published] += 1
        terms = (term for language in mods.language for term in language.language_term)
        self.languages.update({term.value for term in terms if term.type == "code" and term.value})
        self.types.update({kind.value for kind in mods.type_of_resource if kind.value})
        self.places.update(_places(mods.origin_info))
        self.classes.update(_classes(mods))
        self.repairs.update({general_reason(text) for text in record.repairs})
        if record.subfields:
            self.subfields.append(record.subfields)


def _year(origins: Iterable[OriginInfo]) -> int | None:
    """Return the first year of publication that is stated."""
    for origin in origins:
        for date in (*origin.date_issued, *origin.copyright_date):
            found = year(date.value)
            if found is not None:
                return found
    return None


def _places(origins: Iterable[OriginInfo]) -> set[str]:
    """Return the names of the places of publication as the records write them, without brackets and punctuation."""
    terms = (term for origin in origins for place in origin.place for term in place.place_term)
    return {name for term in terms if term.type != "code" and (name := term.value.strip(" []:;,.?"))}


def _classes(mods: Mods) -> set[str]:
    """Return the main classes of the classifications, such as ``udc 53``."""
    found = set()
    for each in mods.classification:
        start = _CLASS.match(each.value.strip())
        if each.authority in _CLASSIFICATIONS and start is not None:
            found.add(f"{each.authority} {start[0]}")
    return found
