"""The statements of one cluster while they are collected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import msgspec

from bibld.model.iris import Iris
from bibld.model.linkage import Merged, ValueSource
from bibld.model.mods import Note
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal, quad, term
from bibld.text.folding import tidy
from bibld.triplify._claims import Claim, Contribution, EntityClaim, Kind, NameForm
from bibld.triplify._codes import scheme_iri
from bibld.triplify._identity import RomanisedName
from bibld.triplify._languages import Languages

if TYPE_CHECKING:
    from bibld.triplify._works import PublicationWorks

PROVENANCE = "provenance"
"""The name of the graph for provenance."""

_TYPE = term("rdf:type")

Quad = tuple[str, str, str, str]

Life = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""The years, from the first to the last, in which a person may have been born, and may have died."""


class Mention(msgspec.Struct, frozen=True):
    """An agent that the publication names, with what decides whether another one that it names is the same.

    ``organisations`` are the compared names of an organisation, ``short_names`` the words that may mean it in its
    record (``bureau``, ``fda``). ``is_identified``: by a number or by name and dates. ``records`` are those that name
    the agent so.
    """

    agent: str
    names: tuple[RomanisedName, ...]
    organisations: frozenset[str]
    short_names: frozenset[str]
    life: Life
    is_identified: bool
    roles: frozenset[str]
    records: frozenset[RecordId]


class EntityForm(msgspec.Struct, frozen=True):
    """A form in which records name an entity; see ``Draft.add_form``."""

    entity: str
    kind: Kind
    text: str
    records: frozenset[RecordId]


def sort_quads(quads: Iterable[Quad], first: str) -> tuple[str, ...]:
    """Return quads (graph, subject, predicate, value) as lines, each once.

    The default graph comes first, in it the subject ``first``; of each subject its types come first.
    """
    keys = [
        (graph, subject != first, subject, predicate != _TYPE, predicate, value)
        for graph, subject, predicate, value in set(quads)
    ]
    keys.sort()
    return tuple([quad(subject, predicate, value, graph or None) for graph, _, subject, _, predicate, value in keys])


class Draft:
    """Collects quads and claims; ``subject`` is the term of the merged resource.

    ``properties`` are the IRIs of the properties that notes may state.
    """

    def __init__(
        self,
        merged: Merged,
        works: PublicationWorks,
        iris: Iris,
        exists: Callable[[RecordId], bool],
        properties: Collection[str] = (),
    ) -> None:
        self.merged = merged
        self.mods = merged.mods
        self.iris = iris
        self.languages = Languages.from_mods(merged.mods)
        self.quads: list[Quad] = []
        self.claims: list[Claim] = []
        self.mentions: list[Mention] = []
        self.forms: list[EntityForm] = []
        self.related_to_work: list[tuple[str, str]] = []
        self.values_of_work: list[tuple[str, str]] = []
        self.contributions_to_work: list[Contribution] = []
        self.existence_dependencies: list[RecordId] = []
        self.works = works
        self.subject = iri(iris.resource(merged.cluster.founder))
        self._exists = exists
        self._properties = properties
        self._records_by_path = {source.path: source.records for source in merged.sources}
        self._hidden: dict[str, list[ValueSource]] = {}
        for source in merged.sources:
            if not source.is_shown:
                self._hidden.setdefault(source.place, []).append(source)
        self._count: dict[str, int] = {}
        self._graphs: dict[str, str] = {}
        self._own_terms: dict[str, str] = {}
        self._record_terms: dict[RecordId, str] = {}

    # -- statements --------------------------------------------------------------------------------------------------

    def add(self, predicate: str, value: str, subject: str | None = None, graph: str = "") -> None:
        """Add a statement; ``predicate`` is a compact IRI or a term, the others are terms, ``graph`` a graph's name."""
        if graph and graph not in self._graphs:
            self._graphs[graph] = iri(self.iris.graph(graph))
        property_ = predicate if predicate[0] == "<" else term(predicate)
        self.quads.append((self._graphs[graph] if graph else "", subject or self.subject, property_, value))

    def add_class(self, class_: str, subject: str | None = None, graph: str = "") -> None:
        """Add the class (a compact IRI or a term) that the subject belongs to."""
        self.add("rdf:type", class_ if class_.startswith("<") else term(class_), subject, graph)

    def add_text(self, predicate: str, text: str, subject: str | None = None, language: str | None = None) -> None:
        """Add a statement with a plain or language-tagged literal, unless the text is empty."""
        tidied = tidy(text)
        if tidied:
            self.add(predicate, literal(tidied, language), subject)

    def add_node(self, predicate: str, class_: str, kind: str, subject: str | None = None) -> str:
        """Add a statement whose value is a new node of a class, and return the node."""
        node = self.new_node(kind)
        self.add(predicate, node, subject)
        self.add_class(class_, node)
        return node

    def add_labelled_node(
        self, predicate: str, class_: str, kind: str, label: str, subject: str | None = None
    ) -> str | None:
        """Add a statement whose value is a new node of a class with a label; return the node.

        Return None, and add nothing, if the label is empty.
        """
        tidied = tidy(label)
        if not tidied:
            return None
        node = self.add_node(predicate, class_, kind, subject)
        self.add("rdfs:label", literal(tidied), node)
        return node

    def add_claim(self, entity: str, kind: Kind, value: EntityClaim, path: str) -> None:
        """Add a claim about an entity for each record that has the value at a path; of a concept also its scheme."""
        self.claims += [Claim(entity, kind, value, record) for record in self.records_at(path)]
        if kind == "concept" and value.scheme:
            self.claim_scheme(value.scheme, path)

    def add_form(self, entity: str, kind: Kind, text: str, path: str) -> None:
        """Note in which form the records that have the value at a path name a publisher or series.

        Publications of one record need none of it.
        """
        if len(self.merged.cluster.members) > 1:
            self.forms.append(EntityForm(entity, kind, text, frozenset(self.records_at(path))))

    def claim_scheme(self, code: str, path: str) -> str:
        """Claim the scheme with a code, and return its IRI."""
        scheme = scheme_iri(code, self.iris)
        self.add_claim(scheme, "scheme", EntityClaim(label=NameForm(code), notation=code), path)
        return scheme

    # -- the work of the publication ---------------------------------------------------------------------------------

    def add_to_work(self, predicate: str, value: str) -> None:
        """Add a statement about the work of the publication; ``predicate`` is a compact IRI, ``value`` a term."""
        self.values_of_work.append((predicate, value))

    def relate_work(self, predicate: str, entity: str) -> None:
        """Add a statement about the work whose value is the IRI of an entity."""
        self.related_to_work.append((predicate, entity))

    def has_related_work(self, predicate: str) -> bool:
        """Whether the work is related to an entity by a property."""
        return any(known == predicate for known, _ in self.related_to_work)

    # -- terms -------------------------------------------------------------------------------------------------------

    def own_term(self, name: str) -> str:
        """Return a term of bibld's ontology."""
        if name not in self._own_terms:
            self._own_terms[name] = iri(self.iris.term(name))
        return self._own_terms[name]

    def property_of_note(self, note: Note) -> str | None:
        """Return the term of the property that a note states by its type; None if it is a note of another kind."""
        return iri(note.type_uri) if note.type_uri is not None and note.type_uri in self._properties else None

    def record_term(self, record: RecordId) -> str:
        """Return the term of a source record."""
        if record not in self._record_terms:
            self._record_terms[record] = iri(self.iris.record(record))
        return self._record_terms[record]

    def new_node(self, kind: str) -> str:
        """Return the next hash IRI of a kind, such as ``…#title1``."""
        self._count[kind] = self._count.get(kind, 0) + 1
        return self.hash_iri(f"{kind}{self._count[kind]}")

    def hash_iri(self, fragment: str) -> str:
        """Return the hash IRI of the resource with this fragment, which has no characters that no IRI may contain."""
        return f"{self.subject[:-1]}#{fragment}>"

    @staticmethod
    def name_form(text: str, language: str | None) -> NameForm:
        """Return a form of a name as it is published."""
        return NameForm(tidy(text), (language or "").lower())

    # -- records -----------------------------------------------------------------------------------------------------

    def records_at(self, path: str) -> tuple[RecordId, ...]:
        """Return the records that have the value at a path of the merged description."""
        members = self.merged.cluster.members
        while path and len(members) > 1:
            stated = self._records_by_path.get(path)
            if stated is not None:
                return tuple([record for record in members if record in stated]) or members
            path = path.rpartition("/")[0]
        return members

    def source_at(self, path: str) -> str:
        """Return the source of the first record that has the value at a path."""
        return self.records_at(path)[0].source

    def hidden_values(self, path: str) -> list[ValueSource]:
        """Return the values of records that the merged description does not show, which has another one at a path."""
        return self._hidden.get(path, [])

    def is_in_catalog(self, record: RecordId) -> bool:
        """Whether a record is in the catalog; the answer becomes an existence dependency of the statements."""
        self.existence_dependencies.append(record)
        return self._exists(record)
