"""Which references of authority records are broken: numbers without a record, and cycles of broader terms.

The statements are published as the records make them; a person has to correct the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from bibld.catalog import Catalog
from bibld.model.authority import Authority, RelatedHeading
from bibld.model.origin import RecordId
from bibld.progress import Progress, with_number
from bibld.triplify._claims import read_assertion
from bibld.triplify._identity import NUMBER_TIE

_EXAMPLES = 3


class BrokenReferences(msgspec.Struct, frozen=True):
    """What is wrong with the references of one source.

    ``missing`` are pairs of a record and a number that it cites and no record has, both control numbers; ``cycles``
    are groups of records, each of which is broader than itself by way of the others.
    """

    source: str
    missing: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, ...], ...]

    def warnings(self) -> Iterator[str]:
        """Yield a warning for each cause, with some examples."""
        if self.missing:
            shown = ", ".join(f"{number} in record {record}" for record, number in self.missing[:_EXAMPLES])
            count = with_number(len(self.missing), "number")
            yield (
                f"{self.source}: related headings cite {count} that no record of the source has ({shown}); they are"
                " published without a record"
            )
        if self.cycles:
            shown = "; ".join(", ".join(cycle) for cycle in self.cycles[:_EXAMPLES])
            count = with_number(len(self.cycles), "cycle")
            yield f"{self.source}: {count} of broader terms (records {shown}); they are published as stated"


def find_broken_references(authorities: Iterable[tuple[RecordId, Authority]]) -> list[BrokenReferences]:
    """Return what is wrong with the references between the authority records of each source that has any fault."""
    by_source: dict[str, list[tuple[str, Authority]]] = {}
    for record, authority in authorities:
        by_source.setdefault(record.source, []).append((record.control_number, authority))
    found = (_check_source(source, records) for source, records in sorted(by_source.items()))
    return [one for one in found if one.missing or one.cycles]


def warn_of_broken_references(authorities: Iterable[tuple[RecordId, Authority]], progress: Progress) -> None:
    """Warn of what is wrong with references, once for each source and cause; all of it goes to the details."""
    for found in find_broken_references(authorities):
        for warning in found.warnings():
            progress.warn(warning)
        for record, number in found.missing:
            progress.detail(f"triplify: {found.source}: record {record} cites {number}, which no record has")
        for cycle in found.cycles:
            progress.detail(f"triplify: {found.source}: a cycle of broader terms: records {', '.join(cycle)}")


def warn_of_uncatalogued_numbers(cited: Iterable[tuple[bytes, RecordId, bool]], progress: Progress) -> None:
    """Warn of the numbers that headings of publications cite in an authority file and that none of its records has.

    ``cited`` are assertions with such numbers in their ties (``NUMBER_MARK``), the record that founded the cluster
    which makes each, and whether it is an authority record.
    """
    known: set[str] = set()
    records: dict[str, RecordId] = {}
    for body, record, is_authority in cited:
        for tie in read_assertion(body).value.ties:
            if tie.startswith(NUMBER_TIE) and is_authority:
                known.add(tie)
            elif tie.startswith(NUMBER_TIE):
                records[tie] = min(record, records.get(tie, record))
    files = set(map(_file_of_number, known))
    missing = sorted(tie for tie in records.keys() - known if _file_of_number(tie) in files)
    if missing:
        shown = ", ".join(f"{tie.removeprefix(NUMBER_TIE)} in {records[tie]}" for tie in missing[:_EXAMPLES])
        count = with_number(len(missing), "number")
        progress.warn(
            f"triplify: publications cite {count} of headings that no authority record has ({shown}); the headings are"
            " published without a record"
        )
    for tie in missing:
        progress.detail(f"triplify: {records[tie]} cites {tie.removeprefix(NUMBER_TIE)}, which no record has")


NUMBER_MARK = f'"{NUMBER_TIE}'
"""What the stored form of an assertion contains if it has a number among its ties."""

_FILE_OF_NUMBER = re.compile(r".*[)/\\]")


def _file_of_number(tie: str) -> str:
    found = _FILE_OF_NUMBER.match(tie)
    return found[0] if found is not None else ""


def numbers_cited(catalog: Catalog) -> Iterator[tuple[bytes, RecordId, bool]]:
    """Yield the assertions of a catalog that :func:`warn_of_uncatalogued_numbers` needs."""
    authorities = frozenset(catalog.records.authorities())
    for body, founder in catalog.entities.assertions_with(NUMBER_MARK):
        yield body, catalog.register.record(founder), founder in authorities


def live_authorities(catalog: Catalog) -> Iterator[tuple[RecordId, Authority]]:
    """Yield the live authority records of a catalog."""
    for ordinal in catalog.records.authorities():
        authority = catalog.records.authority(ordinal)
        if authority is not None:
            yield catalog.register.record(ordinal), authority


def _check_source(source: str, records: Sequence[tuple[str, Authority]]) -> BrokenReferences:
    known = {number: number for number, _ in records}
    headings: dict[str, str] = {}
    for number, authority in records:
        known.update((one.iri, number) for one in authority.numbers if one.iri)
        known.update((one.value, number) for one in authority.numbers if one.is_cancelled and one.value not in known)
        headings.update((heading.text, number) for heading in authority.headings)
    missing: dict[tuple[str, str], None] = {}
    broader: dict[str, set[str]] = {}
    for number, authority in records:
        own = _own_file(authority)
        for related in authority.related:
            missing.update(((number, cited), None) for cited in _missing_numbers(source, related, own, known))
            other = _record_of(source, related, known, headings)
            if other is not None and related.relation in ("broader", "narrower"):
                narrow, broad = (number, other) if related.relation == "broader" else (other, number)
                broader.setdefault(narrow, set()).add(broad)
    return BrokenReferences(source, tuple(missing), tuple(_cycles(broader)))


def _own_file(authority: Authority) -> str:
    identifiers = (one.source or "" for info in authority.record_info for one in info.record_identifier)
    return next(filter(None, identifiers), "").strip()


def _missing_numbers(source: str, related: RelatedHeading, own: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the numbers of a related heading in the file of its record that no record has."""
    for number in related.numbers:
        is_own = not number.iri and number.source in ("", own)
        if is_own and RecordId.from_control_number(source, number.value).control_number not in known:
            yield number.value


def _record_of(
    source: str, related: RelatedHeading, known: Mapping[str, str], headings: Mapping[str, str]
) -> str | None:
    for number in related.numbers:
        key = number.iri or RecordId.from_control_number(source, number.value).control_number
        if key in known:
            return known[key]
    return next((headings[one.text] for one in related.headings if one.text in headings), None)


def _cycles(broader: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """Return the groups of records each of which can be reached from every other one, by repeated walks (Kosaraju)."""
    narrower: dict[str, set[str]] = {}
    for one, others in broader.items():
        for other in others:
            narrower.setdefault(other, set()).add(one)
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(broader):
        order += _walk(start, broader, seen)
    seen.clear()
    groups = (_walk(one, narrower, seen) for one in reversed(order))
    return sorted(tuple(sorted(group)) for group in groups if len(group) > 1)


def _walk(start: str, following: Mapping[str, set[str]], seen: set[str]) -> list[str]:
    """Return what can be reached from a record and was not seen before, each after all that follow it."""
    if start in seen:
        return []
    seen.add(start)
    done: list[str] = []
    waiting = [(start, iter(sorted(following.get(start, ()))))]
    while waiting:
        one, others = waiting[-1]
        other = next((each for each in others if each not in seen), None)
        if other is None:
            done.append(one)
            waiting.pop()
        else:
            seen.add(other)
            waiting.append((other, iter(sorted(following.get(other, ())))))
    return done
