"""Authority records out of RDF: SKOS, MADS, the GND ontology, schema.org (VIAF, FAST) and Wikidata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import groupby
from typing import BinaryIO, TypeVar

import msgspec
import pyoxigraph

from bibld.errors import HarvestError
from bibld.link._names import Life, life_of, year_of
from bibld.link._values import AuthorityKind, AuthorityLabel, AuthorityRecord
from bibld.model.iris import web_iri
from bibld.model.rdf import PREFIXES

Meaning = TypeVar("Meaning")


class _Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``vocabulary.toml`` states; names have prefixes, of which one may stand for several namespaces."""

    prefixes: dict[str, str]
    properties: dict[str, str]
    classes: dict[AuthorityKind, str]
    names_in_gnd: dict[str, AuthorityKind]

    def by_iri(self, table: Mapping[Meaning, str]) -> dict[str, Meaning]:
        """Return the meaning of each IRI of a table."""
        return {
            namespace + name: meaning
            for meaning, names in table.items()
            for prefix, _, name in (stated.partition(":") for stated in names.split())
            for namespace in self.prefixes[prefix].split()
        }


_VOCABULARY = msgspec.toml.decode(
    resources.files("bibld.link").joinpath("vocabulary.toml").read_text(encoding="utf-8"), type=_Vocabulary
)
_ROLE_OF_PROPERTY = _VOCABULARY.by_iri(_VOCABULARY.properties)
_KINDS = _VOCABULARY.by_iri(_VOCABULARY.classes)
_GND = _VOCABULARY.prefixes["gnd"]
_TYPE = f"{PREFIXES['rdf']}type"
_NORMALIZED = "http://www.wikidata.org/prop/direct-normalized/"
_UNDIFFERENTIATED = f"{_GND}UndifferentiatedPerson"
_INSTANCE_OF = f"{_VOCABULARY.prefixes['wdt']}P31"

Triple = tuple[str, str, pyoxigraph.NamedNode | pyoxigraph.Literal]


def read_rdf(stream: BinaryIO, name: str, is_n_triples: bool) -> Iterator[AuthorityRecord]:
    """Yield the records of a file in N-Triples or Turtle; statements about one subject may be spread over the file.

    Then it has more than one record, which the index merges. Raises ``HarvestError`` at a syntax error.
    """
    form = pyoxigraph.RdfFormat.N_TRIPLES if is_n_triples else pyoxigraph.RdfFormat.TURTLE
    try:
        for subject, group in groupby(_triples(stream, form), key=lambda triple: triple[0]):
            record = _record_of(subject, group)
            if record is not None:
                yield record
    except SyntaxError as error:
        raise HarvestError(
            f"{name}: is not valid {form.name}: {error}; correct this line, or fetch the file again"
        ) from error


def _triples(stream: BinaryIO, form: pyoxigraph.RdfFormat) -> Iterator[Triple]:
    """Yield the statements about things with an IRI whose value is an IRI or a literal."""
    for quad in pyoxigraph.parse(input=stream, format=form, lenient=True):
        subject, value = quad.subject, quad.object
        if isinstance(subject, pyoxigraph.NamedNode) and isinstance(value, pyoxigraph.NamedNode | pyoxigraph.Literal):
            yield subject.value, quad.predicate.value, value


def _record_of(subject: str, triples: Iterator[Triple]) -> AuthorityRecord | None:
    """Make a record of adjacent statements about one subject; None if they state nothing that linking needs."""
    collected = _Collected()
    for _, predicate, value in triples:
        collected.add(predicate, value)
    return collected.record(subject)


class _Collected:
    """The statements about one subject, as far as linking needs them."""

    def __init__(self) -> None:
        self._labels: set[AuthorityLabel] = set()
        self._texts: dict[str, set[str]] = {}
        self._years: dict[str, int] = {}
        self._kinds: set[AuthorityKind] = set()
        self._is_undifferentiated = False

    def add(self, predicate: str, value: pyoxigraph.NamedNode | pyoxigraph.Literal) -> None:
        """Add a statement."""
        if predicate in (_TYPE, _INSTANCE_OF):
            self._is_undifferentiated |= value.value == _UNDIFFERENTIATED
            if value.value in _KINDS:
                self._kinds.add(_KINDS[value.value])
        elif isinstance(value, pyoxigraph.Literal):
            self._add_literal(predicate, value)
        elif _ROLE_OF_PROPERTY.get(predicate) == "number" or predicate.startswith(_NORMALIZED):
            self._add_text("number", web_iri(value.value) or "")

    def _add_literal(self, predicate: str, value: pyoxigraph.Literal) -> None:
        role = _ROLE_OF_PROPERTY.get(predicate, "")
        if predicate.startswith(_GND) and "NameForThe" in predicate:
            name = predicate[len(_GND) :]
            if (kind := _VOCABULARY.names_in_gnd.get(name[name.index("ForThe") + 3 :])) is not None:
                self._kinds.add(kind)
            self._labels.add(AuthorityLabel(value.value, "", name.startswith("preferred")))
        elif role in ("preferred", "variant"):
            self._labels.add(AuthorityLabel(value.value, value.language or "", role == "preferred"))
        elif role in ("born", "died"):
            if (year := year_of(value.value)) is not None:
                self._years.setdefault(role, year)
        elif role:
            self._add_text(role, value.value if role != "number" else web_iri(value.value) or "")

    def _add_text(self, role: str, text: str) -> None:
        if text:
            self._texts.setdefault(role, set()).add(text)

    def record(self, subject: str) -> AuthorityRecord | None:
        """Return the record; None if nothing was collected."""
        if not (self._labels or self._texts or self._years or self._kinds or self._is_undifferentiated):
            return None
        kind: AuthorityKind = min(self._kinds) if self._kinds else ""
        stated = Life(self._years.get("born"), self._years.get("died"))
        if stated == Life() and kind == "person":
            stated = next((life_of(label.text) for label in sorted(self._labels) if label.is_preferred), stated)
        return AuthorityRecord(
            iri=subject,
            kind=kind,
            labels=tuple(sorted(self._labels)),
            born=stated.born,
            died=stated.died,
            numbers=tuple(sorted(self._texts.get("number", ()))),
            works=tuple(sorted(self._texts.get("work", ()))),
            occupations=tuple(sorted(self._texts.get("occupation", ()))),
            notations=tuple(sorted(self._texts.get("notation", ()))),
            is_undifferentiated=self._is_undifferentiated,
            titles=tuple(sorted({label.text for label in self._labels})) if kind == "work" else (),
        )
