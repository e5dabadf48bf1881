"""The lines of the worklist of a source, sorted by harm."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import msgspec

from bibld.catalog import Catalog, StoredLink
from bibld.model.card import name_text, title_text
from bibld.model.linkage import Pair
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.worklist._avram import FormatDefinition
from bibld.worklist._checker import read_findings
from bibld.worklist._faults import FormatFault, WorkKind, WorklistPart, describe_fault
from bibld.worklist._statements import (
    Contradiction,
    Statements,
    field_of,
    find_contradictions,
    find_missing_authorities,
    has_number,
    is_name_of,
)

_LARGEST_COMPARED = 50
"""Members of a cluster whose statements are compared; a larger one is a mistake of matching."""

_KEY_BYTES = 8
_OCCURRENCE = re.compile(r"\[\d+\]")

_WORDS: dict[WorkKind, tuple[str, str]] = {
    WorkKind.OTHER_PART: ("other libraries state another part", "compare with the publication; they have {stated}"),
    WorkKind.OTHER_IDENTIFIER: (
        "other libraries state another ISBN",
        "compare with the publication; they have {stated}",
    ),
    WorkKind.OTHER_YEAR: ("other libraries state another year", "compare with the publication; they have {stated}"),
    WorkKind.OTHER_LANGUAGE: (
        "other libraries state another language",
        "compare with the publication; they have {stated}",
    ),
    WorkKind.OTHER_NAME: ("other libraries name other persons", "compare with the publication; they have {stated}"),
    WorkKind.MISSING_AUTHORITY: ("the heading has no number of its authority record", "add {stated}"),
}


class WorklistLine(msgspec.Struct, frozen=True):
    """One thing to mend.

    ``record`` is the id of the record, ``kind`` and ``harm`` those of :class:`WorkKind`; ``where`` is a field with its
    occurrence, ``value`` what it contains, ``wrong`` what is wrong, ``remedy`` what to do. ``others`` are the records
    of others that state something else, each with its statement, or the other record of a pair. ``key`` stays the same
    until the line is mended; ``state`` is ``new`` if the last worklist of an earlier run did not have it. A line that
    ``is_private`` is about a subfield that is not published, or a record with values that must not be.
    """

    source: str
    record: str
    kind: str
    harm: int
    where: str
    value: str
    wrong: str
    remedy: str
    others: tuple[str, ...]
    key: str
    state: str = "known"
    is_private: bool = False


class SourceWorklist:
    """Finds the lines of one source in a catalog after a run; ``definition_of`` returns the definition of a flavour."""

    def __init__(self, catalog: Catalog, source: str, definition_of: Callable[[str], FormatDefinition | None]) -> None:
        self._catalog = catalog
        self._source = source
        self._definition_of = definition_of
        self._keys: Counter[str] = Counter()

    def lines(self, kinds: Collection[WorkKind] = ()) -> list[WorklistLine]:
        """Return the lines of some kinds, or of all, the most harmful first, then by kind, record and location."""
        wanted = frozenset(kinds or WorkKind)
        parts = {kind.part for kind in wanted}
        self._keys.clear()
        found: list[WorklistLine] = []
        if WorklistPart.FORMAT in parts:
            found += self._format_lines()
        if WorklistPart.DUPLICATES in parts:
            found += self._pair_lines()
        if parts & {WorklistPart.DUPLICATES, WorklistPart.CONTRADICTIONS, WorklistPart.AUTHORITIES}:
            found += self._cluster_lines(wanted)
        if WorkKind.MISSING_AUTHORITY in wanted:
            kind = WorkKind.MISSING_AUTHORITY.value
            found += self._link_lines({(line.record, line.value) for line in found if line.kind == kind})
        names = {kind.value for kind in wanted}
        chosen = [line for line in found if line.kind in names]
        return sorted(chosen, key=lambda line: (-line.harm, line.kind, line.record, line.where, line.key))

    def _line(
        self, kind: WorkKind, ordinal: int, where: str, value: str, words: tuple[str, str], others: Iterable[str] = ()
    ) -> WorklistLine:
        record = self._catalog.register.record(ordinal)
        others = tuple(others)
        # Fields move when others are added before them: the occurrence is no part of the key.
        place = "".join(part.partition("]")[2] if number else part for number, part in enumerate(where.split("[")))
        identity = [str(record), kind.value, place, value]
        if kind.part is WorklistPart.DUPLICATES:
            identity += sorted(others)
        text = "\0".join(identity)
        self._keys[text] += 1
        text += f"\0{self._keys[text]}"
        key = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_KEY_BYTES).hexdigest()
        return WorklistLine(self._source, str(record), kind.value, kind.harm, where, value, *words, others, key)

    # -- faults of the format ----------------------------------------------------------------------------------------

    def _format_lines(self) -> Iterator[WorklistLine]:
        missing: list[tuple[int, FormatFault, FormatDefinition]] = []
        links = 0
        for ordinal, flavour, body in self._catalog.worklist.findings(self._source):
            definition = self._definition_of(flavour)
            if definition is None:
                continue
            findings = read_findings(body)
            is_private = self._privacy_of(ordinal)
            for fault in findings.faults:
                line = self._fault_line(ordinal, fault, definition)
                yield msgspec.structs.replace(line, is_private=True) if is_private(fault.where) else line
            links += len(findings.links)
            for link in findings.links:
                if not self._has_record(link.number):
                    missing.append((ordinal, FormatFault(WorkKind.MISSING_RECORD, link.where, link.number), definition))
        # If none of the links leads to a record, their numbers are not those of this catalogue.
        if len(missing) < links:
            for ordinal, fault, definition in missing:
                yield self._fault_line(ordinal, fault, definition)

    def _privacy_of(self, ordinal: int) -> Callable[[str], bool]:
        """Return what decides whether the content of a field of a record must not be published."""
        private = self._catalog.records.private_subfields(ordinal)
        is_withheld = bool(self._catalog.suppressions.withheld_values(ordinal))

        def is_private(where: str) -> bool:
            field, dollar, code = _OCCURRENCE.sub("", where).partition(" ")[0].partition("/0")[0].partition("$")
            if dollar:
                return is_withheld or f"{field}${code[:1]}" in private
            return is_withheld or any(name.partition("$")[0] == field for name in private)

        return is_private

    def _fault_line(self, ordinal: int, fault: FormatFault, definition: FormatDefinition) -> WorklistLine:
        return self._line(fault.kind, ordinal, fault.where, fault.value, describe_fault(fault, definition))

    def _has_record(self, number: str) -> bool:
        ordinal = self._catalog.register.ordinal(RecordId.from_control_number(self._source, number))
        return ordinal is not None and self._catalog.records.is_live(ordinal)

    # -- duplicates --------------------------------------------------------------------------------------------------

    def _pair_lines(self) -> Iterator[WorklistLine]:
        decided = self._catalog.register.verdicts()
        for left, right in self._catalog.worklist.pairs_for_review(self._source):
            records = {ordinal: self._catalog.register.record(ordinal) for ordinal in (left, right)}
            if Pair.from_records(*records.values()) in decided:
                continue
            own = [ordinal for ordinal, record in records.items() if record.source == self._source]
            other = left if own[-1] == right else right
            if len(own) == 2:
                kind, wrong = WorkKind.POSSIBLE_DUPLICATE, "the record may describe the same publication as another one"
            else:
                kind = WorkKind.PAIR_TO_DECIDE
                wrong = "the record may describe the same publication as that of another library"
            words = (wrong, "decide with `bibld review`")
            yield self._line(kind, own[-1], "", self._title(own[-1]), words, [str(records[other])])

    def _title(self, ordinal: int) -> str:
        return _title_of(self._catalog.records.mods(ordinal))

    # -- clusters ----------------------------------------------------------------------------------------------------

    def _cluster_lines(self, wanted: frozenset[WorkKind]) -> Iterator[WorklistLine]:
        compares = any(kind.part in (WorklistPart.CONTRADICTIONS, WorklistPart.AUTHORITIES) for kind in wanted)
        for _, members in self._catalog.worklist.clusters(self._source):
            own = [ordinal for ordinal, source, _ in members if source == self._source]
            for ordinal in own[1:]:
                words = ("the record describes the same publication as another one", "merge the two, or delete one")
                first = str(self._catalog.register.record(own[0]))
                yield self._line(WorkKind.DUPLICATE_RECORD, ordinal, "", self._title(ordinal), words, [first])
            if compares and len(members) <= _LARGEST_COMPARED:
                stated = [Statements.from_mods(*one, self._catalog.records.mods(one[0])) for one in members]
                for one in stated:
                    if one.source == self._source:
                        yield from self._statement_lines(one, stated)

    def _statement_lines(self, own: Statements, members: list[Statements]) -> Iterator[WorklistLine]:
        found: list[Contradiction] = list(find_contradictions(own, members))
        found += find_missing_authorities(own, members)
        for one in found:
            others = [f"{self._catalog.register.record(ordinal)}: {value}" for ordinal, value in one.others]
            words = _WORDS[one.kind][0], _WORDS[one.kind][1].format(stated=one.suggestion)
            yield self._line(one.kind, own.ordinal, one.where, one.value, words, others)

    # -- links -------------------------------------------------------------------------------------------------------

    def _link_lines(self, known: Collection[tuple[str, str]]) -> Iterator[WorklistLine]:
        """Yield the headings without a number whose entity has an accepted link to one record of an authority file.

        ``known`` are the records and headings that have a line already.
        """
        for entity, rows in groupby(self._catalog.worklist.linked_records(self._source), key=itemgetter(0)):
            links = [link for link in self._catalog.links.of_entity(entity) if link.status == "accepted"]
            for _, ordinal in rows:
                yield from self._lines_of_links(ordinal, links, known)

    def _lines_of_links(
        self, ordinal: int, links: list[StoredLink], known: Collection[tuple[str, str]]
    ) -> Iterator[WorklistLine]:
        record = str(self._catalog.register.record(ordinal))
        words = _WORDS[WorkKind.MISSING_AUTHORITY]
        for name in self._catalog.records.mods(ordinal).name:
            heading = name_text(name)
            if has_number(name) or (record, heading) in known:
                continue
            targets = sorted({link.target for link in links if is_name_of(name, link.label)})
            sets = {link.link_set for link in links if link.target in targets}
            if targets and len(targets) == len(sets):
                numbers = ", ".join(targets)
                where = field_of(WorkKind.MISSING_AUTHORITY, self._catalog.worklist.flavour(ordinal))
                yield self._line(
                    WorkKind.MISSING_AUTHORITY, ordinal, where, heading, (words[0], words[1].format(stated=numbers))
                )


def _title_of(mods: Mods) -> str:
    return title_text(mods.title_info[0]) if mods.title_info else ""
