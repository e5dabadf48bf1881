"""Checks terms against the vocabularies that define them: BIBFRAME 2, schema.org and RDA, as they are published.

The files of these vocabularies are test data (``vocabularies/`` in ``BIBLD_TEST_DATA``). A term has to be defined and
not obsolete; the subject of a property has to belong to a class of its domain, its value to a class or datatype of its
range. Classes are those that are stated, with their superclasses and the classes that schema.org calls equivalent; no
class is inferred from a domain or range. A publication is no work: BIBFRAME has properties of each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyoxigraph as ox

from bibld.model.rdf import PREFIXES

BIBFRAME, SCHEMA = PREFIXES["bf"], PREFIXES["schema"]
RDA = "http://rdaregistry.info/Elements/"
CHECKED = (BIBFRAME, SCHEMA, f"{RDA}c/", f"{RDA}m/")
"""Namespaces of which the file has all terms. Of RDA these are classes and the elements of manifestations."""

_FILES = {"bibframe.rdf": ox.RdfFormat.RDF_XML, "schemaorg.ttl": ox.RdfFormat.TURTLE} | dict.fromkeys(
    ("rda_Elements_c.nt", "rda_m_datatype.nt"), ox.RdfFormat.N_TRIPLES
)
_RDF = PREFIXES["rdf"]
_RDFS = PREFIXES["rdfs"]
_OWL = PREFIXES["owl"]
_TYPE = f"{_RDF}type"
_LITERAL = f"{_RDFS}Literal"
_CLASS_TYPES = {f"{_OWL}Class", f"{_RDFS}Class"}
_DOMAINS = {f"{_RDFS}domain", f"{SCHEMA}domainIncludes"}
_RANGES = {f"{_RDFS}range", f"{SCHEMA}rangeIncludes"}
_OBSOLETE_STATUS = ("bibframe deprecated", "http://metadataregistry.org/uri/RegStatus/1008")
_DATE = re.compile(r"-?\d{4}(-\d\d(-\d\d(T.*)?)?)?")
_INTEGER = re.compile(r"[+-]?\d+")
_DATATYPES = {
    f"{SCHEMA}Text": lambda value: isinstance(value, ox.Literal),
    f"{SCHEMA}URL": lambda value: isinstance(value, ox.NamedNode) or value.value.startswith(("http://", "https://")),
    f"{SCHEMA}Integer": lambda value: isinstance(value, ox.Literal) and bool(_INTEGER.fullmatch(value.value)),
    f"{SCHEMA}Date": lambda value: isinstance(value, ox.Literal) and bool(_DATE.fullmatch(value.value)),
}
_DATATYPES[f"{SCHEMA}DateTime"] = _DATATYPES[f"{SCHEMA}Date"]

CLASSES_OF_OTHERS = {
    "http://id.loc.gov/vocabulary/relators/": "Role",
    "http://id.loc.gov/vocabulary/issuance/": "Issuance",
    "http://id.loc.gov/vocabulary/mstatus/": "Status",
    "http://id.loc.gov/vocabulary/msupplcont/": "SupplementaryContent",
    "http://id.loc.gov/vocabulary/relationship/": "Relationship",
    "http://id.loc.gov/vocabulary/frequencies/": "Frequency",
    "http://id.loc.gov/vocabulary/organizations/": "Organization",
    "http://id.loc.gov/vocabulary/classSchemes/": "Source",
    "http://id.loc.gov/vocabulary/identifiers/": "Source",
    "http://id.loc.gov/vocabulary/nationalbibschemes/": "Source",
}
"""Beginning of the IRIs of a list of the Library of Congress → the class of BIBFRAME of its entries."""
_LISTS_OF_CHARACTERISTICS = ("http://id.loc.gov/vocabulary/m", "http://rdaregistry.info/termList/")
"""Lists of values of 340 to 353 of MARC 21; the class of their entries is that of the property."""


_OURS = {PREFIXES["foaf"] + "Organization": f"{SCHEMA}Organization"}
"""Classes that ``alignment.ttl`` calls equivalent, as schema.org does with ``foaf:Person``."""

_INSTANCE, _WORK = f"{BIBFRAME}Instance", f"{BIBFRAME}Work"


class Misuse(NamedTuple):
    """A term (compact), and why it may not be used where it is."""

    term: str
    cause: str


class Vocabularies:
    """The terms of the published files."""

    def __init__(self, folder: Path) -> None:
        self.terms: set[str] = set()
        self.classes: set[str] = set()
        self.obsolete: set[str] = set()
        self.domains: dict[str, set[str]] = defaultdict(set)
        self.ranges: dict[str, set[str]] = defaultdict(set)
        self._above: dict[str, set[str]] = defaultdict(set, {own: {same} for own, same in _OURS.items()})
        for name, file_format in _FILES.items():
            for triple in ox.parse(path=str(folder / name), format=file_format, base_iri=BIBFRAME):
                self._add(triple)

    def _add(self, triple: ox.Quad) -> None:
        term, predicate, value = _name(triple.subject), _name(triple.predicate), _name(triple.object)
        if predicate == _TYPE:
            self.terms.add(term)
            if value in _CLASS_TYPES:
                self.classes.add(term)
        elif predicate in _DOMAINS:
            self.domains[term].add(value)
        elif predicate in _RANGES:
            self.ranges[term].add(value)
        elif predicate in (f"{_RDFS}subClassOf", f"{_OWL}equivalentClass"):
            self._above[term].add(value)
            if predicate.endswith("equivalentClass"):
                self._above[value].add(term)
        elif predicate == f"{SCHEMA}supersededBy" or value in _OBSOLETE_STATUS:
            self.obsolete.add(term)

    def is_subclass(self, term: str, other: str) -> bool:
        """Whether the published files have a class as a subclass of another, directly or not."""
        return other in self.superclasses((term,))

    def superclasses(self, classes: Iterable[str]) -> set[str]:
        """Return classes with all classes that contain them."""
        found: set[str] = set()
        waiting = list(classes)
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self._above.get(one, ())
        return found

    def fault_of_term(self, term: str) -> str:
        """Return why a term may not be used at all; empty if it may, or is of a vocabulary that is not checked."""
        if not term.startswith(CHECKED):
            return ""
        defined = term.replace(f"{RDA}m/P", f"{RDA}m/datatype/P")
        if defined not in self.terms:
            return "is not defined"
        return "is obsolete" if defined in self.obsolete else ""

    def faults_of_use(self, quad: ox.Quad, classes: dict[str, set[str]]) -> Iterator[str]:
        """Yield why a property is not allowed between its subject and value; ``classes`` are those of all."""
        term = quad.predicate.value
        own = self.superclasses(classes.get(quad.subject.value, ()))
        domain = self.domains.get(term, set())
        if domain and f"{SCHEMA}Thing" not in domain and not domain & own:
            yield f"is not on {_compact(domain)}"
        ranges = self.ranges.get(term, set())
        if ranges and not self._is_in_range(quad.object, ranges, classes):
            yield f"has a value that is none of {_compact(ranges)}"

    def _is_in_range(self, value: ox.NamedNode | ox.Literal, ranges: set[str], classes: dict[str, set[str]]) -> bool:
        if any(_DATATYPES[each](value) for each in ranges if each in _DATATYPES):
            return True
        if isinstance(value, ox.Literal):
            return _LITERAL in ranges
        stated = {BIBFRAME + name for start, name in CLASSES_OF_OTHERS.items() if value.value.startswith(start)}
        if not stated and value.value.startswith(_LISTS_OF_CHARACTERISTICS):
            return True
        return bool(self.superclasses(classes.get(value.value, set()) | stated) & ranges)


def misuses(lines: Iterable[str], vocabularies: Vocabularies) -> tuple[Counter[Misuse], dict[Misuse, str]]:
    """Return how often each misuse of a term occurs in lines of N-Quads, and the first line with it."""
    classes: dict[str, set[str]] = defaultdict(set)
    quads = list(ox.parse("".join(lines).encode(), ox.RdfFormat.N_QUADS))
    for quad in quads:
        if quad.predicate.value == _TYPE:
            classes[quad.subject.value].add(quad.object.value)
    counts: Counter[Misuse] = Counter()
    examples: dict[Misuse, str] = {}
    for quad in quads:
        term = quad.object.value if quad.predicate.value == _TYPE else quad.predicate.value
        fault = vocabularies.fault_of_term(term)
        found = [fault] if fault else []
        if not fault and quad.predicate.value != _TYPE:
            found += vocabularies.faults_of_use(quad, classes)
        elif _INSTANCE in classes[quad.subject.value] and _WORK in vocabularies.superclasses((term,)):
            found.append("is a class of works on bf:Instance")
        for cause in found:
            misuse = Misuse(_compact({term}), cause)
            counts[misuse] += 1
            examples.setdefault(misuse, str(quad))
    return counts, examples


def _name(term: ox.NamedNode | ox.BlankNode | ox.Literal) -> str:
    """Return the text of a term. schema.org is published with https in its namespace, and used with http."""
    return " ".join(term.value.split()).replace("https://schema.org/", SCHEMA, 1)


def _compact(terms: Iterable[str]) -> str:
    names = []
    for term in sorted(terms):
        prefix = next((prefix for prefix, space in PREFIXES.items() if term.startswith(space)), "")
        names.append(f"{prefix}:{term.removeprefix(PREFIXES[prefix])}" if prefix else term.rpartition("#")[2])
    return ", ".join(names)
