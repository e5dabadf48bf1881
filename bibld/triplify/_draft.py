"""The statements of one cluster while they are gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bibld.model.iris import Iris
from bibld.model.linkage import Merged, ValueSource
from bibld.model.origin import RecordId
from bibld.model.rdf import XSD, iri, literal, quad, term
from bibld.text.folding import tidy
from bibld.triplify._claims import Claim, EntityClaim, Form, Kind
from bibld.triplify._language import Languages

_TYPE = term("rdf:type")

Quad = tuple[str, str, str, str]


def in_order(quads: Iterable[Quad], first: str) -> tuple[str, ...]:
    """The lines of quads (graph, subject, predicate, value): the default graph first, in it the subject ``first``, of
    each subject its types first."""
    keys = [
        (graph, subject != first, subject, predicate != _TYPE, predicate, value)
        for graph, subject, predicate, value in set(quads)
    ]
    keys.sort()
    return tuple([quad(subject, predicate, value, graph or None) for graph, _, subject, _, predicate, value in keys])


class Draft:
    """Gathers quads and claims; ``subject`` is the term of the merged resource."""

    def __init__(self, merged: Merged, iris: Iris, exists: Callable[[RecordId], bool]) -> None:
        self.merged = merged
        self.mods = merged.mods
        self.iris = iris
        self.languages = Languages.of(merged.mods)
        self._resource = iris.resource(merged.cluster.founder)
        self.subject = iri(self._resource)
        self._exists = exists
        self._holders = {source.path: frozenset(source.records) for source in merged.sources}
        self._not_shown: dict[str, list[ValueSource]] = {}
        for source in merged.sources:
            if not source.is_shown:
                self._not_shown.setdefault(source.place, []).append(source)
        self._count: dict[str, int] = {}
        self._graphs: dict[str, str] = {}
        self._own: dict[str, str] = {}
        self._records: dict[RecordId, str] = {}
        self.quads: list[Quad] = []
        self.claims: list[Claim] = []
        self.sought: list[RecordId] = []

    def say(self, predicate: str, value: str, subject: str | None = None, graph: str = "") -> None:
        """Add a statement; ``predicate`` is a compact IRI or a term, the others are terms, ``graph`` a graph's name."""
        if graph and graph not in self._graphs:
            self._graphs[graph] = iri(self.iris.graph(graph))
        property_ = predicate if predicate[0] == "<" else term(predicate)
        self.quads.append((self._graphs[graph] if graph else "", subject or self.subject, property_, value))

    def a(self, kind: str, subject: str | None = None, graph: str = "") -> None:
        """Say what class (a compact IRI or a term) the subject belongs to."""
        self.say("rdf:type", kind if kind.startswith("<") else term(kind), subject, graph)

    def text(self, predicate: str, text: str, subject: str | None = None, language: str | None = None) -> None:
        """Add a statement with a plain or language-tagged literal; an empty text says nothing."""
        tidied = tidy(text)
        if tidied:
            self.say(predicate, literal(tidied, language), subject)

    def typed(self, predicate: str, text: str, datatype: str, subject: str | None = None, graph: str = "") -> None:
        """Add a statement with a literal of a datatype of XML Schema."""
        self.say(predicate, literal(text, datatype=XSD + datatype), subject, graph)

    def own(self, name: str) -> str:
        """A term of bibld's ontology."""
        if name not in self._own:
            self._own[name] = iri(self.iris.term(name))
        return self._own[name]

    def record(self, record: RecordId) -> str:
        """The term for a source record."""
        if record not in self._records:
            self._records[record] = iri(self.iris.record(record))
        return self._records[record]

    def node(self, kind: str) -> str:
        """A new hash IRI of the resource, such as ``…#title1``."""
        self._count[kind] = self._count.get(kind, 0) + 1
        return self.part(f"{kind}{self._count[kind]}")

    def part(self, fragment: str) -> str:
        """The hash IRI of the resource with this fragment."""
        return iri(f"{self._resource}#{fragment}")

    def labelled(self, predicate: str, kind: str, fragment: str, label: str, subject: str | None = None) -> str | None:
        """Add a hash node that has a class and a label; None where the label is empty."""
        tidied = tidy(label)
        if not tidied:
            return None
        node = self.node(fragment)
        self.say(predicate, node, subject)
        self.a(kind, node)
        self.say("rdfs:label", literal(tidied), node)
        return node

    def holders(self, path: str) -> tuple[RecordId, ...]:
        """The records that hold the value at a path of the merged description."""
        members = self.merged.cluster.members
        while path and len(members) > 1:
            if path in self._holders:
                return tuple(record for record in members if record in self._holders[path]) or members
            path = path.rpartition("/")[0]
        return members

    def not_shown(self, path: str) -> list[ValueSource]:
        """What records have in the place of a value, and the merged description does not show."""
        return self._not_shown.get(path, [])

    def source_of(self, path: str) -> str:
        """The source of the first record that holds the value at a path."""
        return self.holders(path)[0].source

    def claim(self, entity: str, kind: Kind, value: EntityClaim, path: str) -> None:
        """Note what the records that hold the value at a path say about an entity."""
        self.claims.extend(Claim(entity, kind, value, record) for record in self.holders(path))

    def exists(self, record: RecordId) -> bool:
        """Whether a record is in the catalog; the question is noted."""
        self.sought.append(record)
        return self._exists(record)

    def form(self, text: str, language: str | None) -> Form:
        """A form of a name, as it is published."""
        return Form(tidy(text), (language or "").lower())
