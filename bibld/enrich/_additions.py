"""Find what a record lacks and other records of its publication, or authority files, have."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config, ReturnConfig
from bibld.enrich._editing import Addition
from bibld.enrich._fields import SUBDIVISIONS, Fields
from bibld.enrich._slices import LEADER_TAG, NO_TAG, NewField, SlicedRecord
from bibld.enrich._stated import StatedValues
from bibld.model.authorities import read_authority_iri
from bibld.model.enrichment import AdditionSource, ReturnElement
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged, ValueSource
from bibld.model.marc import ControlField, DataField, MarcRecord, Subfield
from bibld.model.mods import Location
from bibld.model.origin import RecordId
from bibld.publish import WorkReader
from bibld.text.folding import fold_or_tidy, tidy
from bibld.text.libraries import is_isil
from bibld.triplify import is_qualified_number, parse_identity, read_assertion

_ENTITIES_REMEMBERED = 50_000
_LINK_FILES = ("viaf", "isni", "wikidata", "orcid")
"""Files whose IRIs identify the person or thing, in the order in which they are written."""

_NUMBER_FILES = (
    "lcnaf", "lcsh", "lcgft", "lcshac", "gnd", "bnf", "idref", "nta", "bne", "fast", "mesh", "yso", "ulan", "aat",
)  # fmt: skip
"""Files whose IRIs identify an authority record, in the order in which they are written."""

_FILES_OF_SCHEMES = {
    "rameau": ("bnf", "idref"), "ram": ("bnf", "idref"), "swd": ("gnd",), "gnd-content": ("gnd",), "embne": ("bne",),
}  # fmt: skip
"""The authority files of thesauri with other names."""

_BY_PERSON, _CLOSE = "person", "skos:closeMatch"
_PERSONAL = "personal"
_ACCESS_TO_COVER = "preview"
_ACCESS_TO_TEXT = ("object in context", "raw object")
_PRIMARY = "primary display"

EntitiesByForm = Mapping[tuple[str, str], set[str]]
"""The IRIs of entities by scheme (empty: none) and folded name."""


class Located(msgspec.Struct, frozen=True):
    """The publication of a record of a file. ``member`` is the id of the record; None if the catalog does not have it.

    ``score`` is the match score of a record that the catalog does not have.
    """

    cluster: Cluster
    member: RecordId | None = None
    score: float = 1.0


class _Numbers(msgspec.Struct, frozen=True):
    """The IRI and the numbers of an entity.

    ``by_file`` maps authority files that have exactly one number for the entity to the IRI of the number and the
    confidence of the link that has it (None: records state it). ``local`` is the only number of a file without IRIs,
    which names its organisation; empty if there is none, or more than one.
    """

    iri: str
    by_file: dict[str, tuple[str, float | None]]
    local: str


class AdditionFinder:
    """Finds the additions to the records of one source by a policy; ``elements`` replaces those of the policy."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        source: str,
        policy: ReturnConfig,
        elements: Sequence[ReturnElement] = (),
    ) -> None:
        self._catalog = catalog
        self._source = source
        self._policy = policy
        self._elements = tuple(elements) or policy.elements
        self._iris = Iris(config.dataset.base)
        self._works = WorkReader(catalog, self._iris)
        self._sources = {one.id: one.config for one in config.sources}
        self._numbers = lru_cache(_ENTITIES_REMEMBERED)(self._read_numbers)

    def find(self, located: Located, record: MarcRecord, sliced: SlicedRecord, fields: Fields) -> list[Addition]:
        """Return the additions to a record in the order of the elements: each missing value once."""
        known = _KnownRecord(self._catalog, located, self._givers(located))
        found: list[Addition] = []
        for element in self._elements:
            if element == "identifiers":
                found += self._identifiers(located.cluster, fields)
            elif element in ("authorities", "links"):
                found += self._of_entities(element, known, record, sliced, fields)
            else:
                found += self._values(element, known, record, fields)
        stated = StatedValues(record, fields)
        return [one for one in found if one.field is not None or not stated.contains(one)]

    def _identifiers(self, cluster: Cluster, fields: Fields) -> Iterator[Addition]:
        source = AdditionSource("identifiers", self._iris.dataset)
        work = self._works.work_of(cluster.founder).work
        for field in fields.publication(self._iris.resource(cluster.founder), work):
            yield _new_field(source, field)

    # -- values of other records ---------------------------------------------------------------------------------------

    def _givers(self, located: Located) -> dict[RecordId, float]:
        """Return the records whose values may be added, each with the score of its match with the record."""
        allowed = self._policy.from_
        others = [
            one
            for one in located.cluster.members
            if one != located.member and (one.source in allowed if allowed else one.source != self._source)
        ]
        if not others:
            return {}
        if located.member is None:
            return dict.fromkeys(others, located.score) if located.score >= self._policy.score else {}
        scores = self._scores(located.cluster, located.member)
        return {one: scores[one] for one in others if scores.get(one, 0.0) >= self._policy.score}

    def _scores(self, cluster: Cluster, member: RecordId) -> dict[RecordId, float]:
        """Return for each record of a cluster the certainty that it describes the same publication as ``member``.

        Of all paths of matched pairs between the two, it is the highest of their lowest scores.
        """
        ordinals = [self._catalog.register.ordinal(one) for one in cluster.members]
        scores: dict[RecordId, list[tuple[float, RecordId]]] = defaultdict(list)
        for edge in self._catalog.linkage.edges_among([one for one in ordinals if one is not None], is_brief=True):
            if edge.verdict.decision == "same":
                score = 1.0 if edge.verdict.by == _BY_PERSON else edge.score.value
                scores[edge.pair.left].append((score, edge.pair.right))
                scores[edge.pair.right].append((score, edge.pair.left))
        found: dict[RecordId, float] = {}
        waiting = [(-1.0, member)]
        while waiting:
            score, record = heapq.heappop(waiting)
            if record not in found:
                found[record] = -score
                for other, neighbour in scores[record]:
                    heapq.heappush(waiting, (-min(-score, other), neighbour))
        return found

    def _values(
        self, element: ReturnElement, known: _KnownRecord, record: MarcRecord, fields: Fields
    ) -> Iterator[Addition]:
        """Yield the values of an element that the record lacks; of some elements only if it has no value at all."""
        kind = _KINDS[element]
        if kind.is_once and known.has_any(kind.mods):
            return
        schemes = self._policy.schemes if element in ("subjects", "classification") else ()
        for value, giver, score in known.missing(kind.mods):
            if schemes and value.authority not in schemes:
                continue
            field = kind.field(fields, value)
            if field is None or (kind.is_once and any(record.fields(field.tag))):
                continue
            yield _new_field(self._source_of(element, giver, score), field)
            if kind.is_once:
                return

    def _source_of(self, element: ReturnElement, giver: RecordId, score: float) -> AdditionSource:
        """Return where a value of a record is from."""
        given = self._sources.get(giver.source)
        isil = given.isil if given is not None else ""
        agency = isil or (given.label.get("en", given.id) if given is not None else "")
        record = f"({isil}){giver.control_number}" if is_isil(isil) else ""
        return AdditionSource(element, self._iris.record(giver), agency, score, record)

    # -- numbers and links of names and subjects ----------------------------------------------------------------------

    def _of_entities(
        self, element: ReturnElement, known: _KnownRecord, record: MarcRecord, sliced: SlicedRecord, fields: Fields
    ) -> Iterator[Addition]:
        """Yield numbers or links for the headings of a record, at most one of each authority file."""
        for position, field in _headings(record, sliced, fields):
            is_wanted = element != "links" or field.tag in fields.link_tags
            iri = self._entity_of(field, known, fields) if is_wanted else ""
            if not iri:
                continue
            numbers = self._numbers(iri)
            if not numbers.by_file and not numbers.local:
                continue
            stated = _files_of(field, fields, self._source)
            names = _LINK_FILES if element == "links" else _number_files(field, fields)
            known_of = {name: numbers.by_file[name] for name in names if name in numbers.by_file and name not in stated}
            wanted = {name: number for name, (number, _) in known_of.items()}
            has_number = field.first(fields.number_code) is not None
            if element == "links":
                subfields = fields.link_subfields(wanted)
            else:
                local = "" if has_number else numbers.local
                subfields = fields.number_subfields(wanted, local, not has_number and _is_concept(field, fields))
            if subfields:
                confidences = [confidence for _, confidence in known_of.values() if confidence is not None]
                source = AdditionSource(element, numbers.iri, confidence=min(confidences, default=None))
                yield Addition(source, field.tag, subfields, field=position)

    def _entity_of(self, field: DataField, known: _KnownRecord, fields: Fields) -> str:
        """Return the IRI of the entity that a heading names; empty if it is not certain."""
        found: set[str] = set()
        if not _is_concept(field, fields):
            for form in fields.name_forms(field):
                found |= known.entities("agent").get(("", fold_or_tidy(form)), frozenset())
        else:
            scheme, text = fields.concept_form(field)
            found |= known.entities("concept").get((scheme, fold_or_tidy(text)), frozenset())
        if len(found) == 1:
            return found.pop()
        founders = {self._catalog.entities.founder_of_iri(iri): iri for iri in sorted(found)}
        if _is_concept(field, fields):  # a thesaurus has a heading once, with or without number
            numbered = {founder: iri for founder, iri in founders.items() if self._numbers(iri).by_file}
            founders = numbered or founders
        return founders.popitem()[1] if len(founders) == 1 else ""

    def _read_numbers(self, iri: str) -> _Numbers:
        """Return the numbers of an entity, from all records that name it and from its links to authority files."""
        entities = self._catalog.entities
        founder = entities.founder_of_iri(iri)
        if founder is None:
            return _Numbers(iri, {}, "")
        found: dict[str, dict[str, float | None]] = defaultdict(dict)
        local: set[str] = set()
        for entity in entities.load(entities.members(founder)):
            for body, _ in entity.assertions:
                claim = read_assertion(body).value
                for link in claim.links:
                    _add_number(found, link, None)
                numbers = (text.partition(" ")[2] for text in claim.numbers)
                local.update(number for number in numbers if is_qualified_number(number))
        founder_iri = entities.iri(founder) or iri
        for accepted in self._catalog.links.of_entity(founder_iri):
            is_same = accepted.status == "accepted" and accepted.predicate != _CLOSE
            if is_same and accepted.confidence >= self._policy.score:
                _add_number(found, accepted.target, accepted.confidence)
        certain = {name: next(iter(numbers.items())) for name, numbers in found.items() if len(numbers) == 1}
        return _Numbers(founder_iri, certain, local.pop() if len(local) == 1 else "")


class _KnownRecord:
    """The merged description of the publication of a record, with the records that have each value."""

    def __init__(self, catalog: Catalog, located: Located, givers: Mapping[RecordId, float]) -> None:
        self._catalog = catalog
        self._member = located.member
        self._givers = givers
        founder = catalog.register.ordinal(located.cluster.founder)
        assert founder is not None  # a record of the catalog has one
        self._founder = founder
        self._description: Merged | None = None
        self._entities: dict[str, dict[tuple[str, str], set[str]]] | None = None

    @property
    def _merged(self) -> Merged:
        if self._description is None:
            self._description = self._catalog.descriptions.merged(self._founder)
        return self._description

    def has_any(self, element: str) -> bool:
        """Whether the record itself has any value of an element of MODS, shown or not."""
        beginnings = (f"{element}/", f"{element}#")
        return self._member is not None and any(
            self._member in source.records for source in self._sources() if source.path.startswith(beginnings)
        )

    def missing(self, element: str) -> Iterator[tuple[Any, RecordId, float]]:
        """Yield the values of an element that other records have, each with the record that matches best."""
        if not self._givers:
            return
        for source in self._sources():
            name, _, index = source.path.partition("/")
            if name != element or not index.isdecimal() or self._member in source.records:
                continue
            giver = max((one for one in source.records if one in self._givers), key=self._rank, default=None)
            if giver is not None:
                yield getattr(self._merged.mods, element)[int(index)], giver, self._givers[giver]

    def _rank(self, record: RecordId) -> tuple[float, str]:
        return self._givers[record], str(record)

    def _sources(self) -> Sequence[ValueSource]:
        merged = self._merged
        if merged.sources:
            return merged.sources
        record = (merged.cluster.founder,)
        return [
            ValueSource(f"{element}/{index}", record)
            for element in merged.mods.elements
            for index in range(len(getattr(merged.mods, element)))
        ]

    def entities(self, kind: str) -> EntitiesByForm:
        """Return the entities of a kind that the records of the cluster name."""
        if self._entities is None:
            self._entities = {"agent": defaultdict(set), "concept": defaultdict(set)}
            for iri, body in self._catalog.entities.asserted_by(self._founder):
                assertion = read_assertion(body)
                if assertion.kind in self._entities:
                    claim = assertion.value
                    texts = {form.text for form in (claim.label, *claim.others)}
                    if claim.type == _PERSONAL:  # the heading of another record may lack titles such as count
                        texts |= {", ".join(text.split(", ")[:2]) for text in texts}
                    for text in texts:
                        self._entities[assertion.kind][claim.scheme, fold_or_tidy(text)].add(iri)
        return self._entities[kind]


class _ValueKind(msgspec.Struct, frozen=True):
    """How an element is added: its name in MODS, what makes its field, and whether only records without it get it."""

    mods: str
    field: Callable[[Fields, Any], NewField | None]
    is_once: bool = False


def _address(fields: Fields, location: Location, is_cover: bool) -> NewField | None:
    for url in location.url:
        is_text = url.access in _ACCESS_TO_TEXT or (url.usage == _PRIMARY and url.access != _ACCESS_TO_COVER)
        if (url.access == _ACCESS_TO_COVER) if is_cover else is_text:
            return fields.address(url, is_cover)
    return None


def _text_field(place: tuple[str, str], text: str) -> NewField | None:
    return NewField(*place, (Subfield("a", text),)) if text.strip() else None


_KINDS: Mapping[str, _ValueKind] = {
    "isbn": _ValueKind("identifier", Fields.standard_number),
    "subjects": _ValueKind("subject", lambda fields, value: fields.subject(value)),
    "classification": _ValueKind("classification", lambda fields, value: fields.classification(value)),
    "language": _ValueKind("language", Fields.language_field, is_once=True),
    "abstract": _ValueKind("abstract", lambda fields, value: _text_field(fields.abstract, value.value), is_once=True),
    "contents": _ValueKind(
        "table_of_contents", lambda fields, value: _text_field(fields.contents, value.value), is_once=True
    ),
    "covers": _ValueKind("location", lambda fields, value: _address(fields, value, is_cover=True)),
    "full_text": _ValueKind("location", lambda fields, value: _address(fields, value, is_cover=False)),
}


def _new_field(source: AdditionSource, field: NewField) -> Addition:
    subfields = tuple(Subfield(one.code, tidy(one.value)) for one in field.subfields)
    return Addition(source, field.tag, subfields, field.indicators)


def _headings(record: MarcRecord, sliced: SlicedRecord, fields: Fields) -> Iterator[tuple[int, DataField]]:
    """Yield the headings of a record with the positions of their slices; none if fields and slices do not agree."""
    positions = [at for at, field in enumerate(sliced.fields) if field.tag not in (LEADER_TAG, NO_TAG)]
    read: Sequence[ControlField | DataField] = record.all_fields
    if len(read) == len(positions) + 1:  # a reader may make 001 of what is before each line
        read = read[1:]
    if [sliced.fields[at].tag for at in positions] == [field.tag for field in read]:
        wanted = (*fields.name_tags, *fields.concept_tags)
        for at, field in zip(positions, read, strict=True):
            if field.tag in wanted and isinstance(field, DataField):
                yield at, field


def _add_number(found: dict[str, dict[str, float | None]], iri: str, confidence: float | None) -> None:
    number = read_authority_iri(iri)
    if number is not None and number.iri:
        found[number.authority].setdefault(number.iri, confidence)


def _number_files(field: DataField, fields: Fields) -> Sequence[str]:
    """Return the authority files that can have the number of a heading; of a subject heading that of its scheme."""
    if not _is_concept(field, fields):
        return _NUMBER_FILES
    scheme = fields.concept_form(field)[0].partition("/")[0]
    return [name for name in _NUMBER_FILES if name in (scheme, *_FILES_OF_SCHEMES.get(scheme, ()))]


def _is_concept(field: DataField, fields: Fields) -> bool:
    """Whether a heading is one of a thesaurus; so is a name with subdivisions, whose number is not that of the name."""
    is_name = field.tag in fields.name_tags
    return not is_name or (field.tag[0] == "6" and bool(field.values(*SUBDIVISIONS)))


def _files_of(field: DataField, fields: Fields, source: str) -> frozenset[str]:
    """Return the names of the authority files whose numbers a heading has."""
    texts = [text.removeprefix("ISNI") for text in field.values(fields.number_code, fields.link_code)]
    scheme = fields.concept_form(field)[0] if _is_concept(field, fields) else None
    identities = (parse_identity(text, scheme, source) for text in texts)
    return frozenset(identity.authority for identity in identities if identity is not None)
