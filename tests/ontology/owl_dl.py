"""Checks whether an RDF graph is an ontology in OWL 2 DL, as far as the ontologies of bibld use OWL.

The rules are from the mapping of OWL 2 to RDF graphs (https://www.w3.org/TR/owl2-mapping-to-rdf/) and from sections 3
and 11 of the structural specification (https://www.w3.org/TR/owl2-syntax/). Class expressions (blank nodes) are not
needed here, and are reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import rdflib
from rdflib.namespace import OWL, RDF, RDFS, XSD

KINDS = {
    OWL.Class: "class",
    RDFS.Datatype: "datatype",
    OWL.ObjectProperty: "object property",
    OWL.DatatypeProperty: "datatype property",
    OWL.AnnotationProperty: "annotation property",
}
PROPERTIES = ("object property", "datatype property", "annotation property")
BUILT_IN = {
    **dict.fromkeys((OWL.Thing, OWL.Nothing), frozenset(("class",))),
    **dict.fromkeys((RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy), frozenset(("annotation property",))),
    **dict.fromkeys(
        (OWL.deprecated, OWL.versionInfo, OWL.priorVersion, OWL.backwardCompatibleWith, OWL.incompatibleWith),
        frozenset(("annotation property",)),
    ),
    **dict.fromkeys(
        (RDFS.Literal, XSD.string, XSD.boolean, XSD.decimal, XSD.integer, XSD.double, XSD.anyURI, XSD.dateTime),
        frozenset(("datatype",)),
    ),
}
"""Not among them: ``xsd:date`` and ``xsd:gYear``, which OWL 2 does not have."""

ON_OBJECT_PROPERTIES = (
    OWL.TransitiveProperty,
    OWL.SymmetricProperty,
    OWL.AsymmetricProperty,
    OWL.ReflexiveProperty,
    OWL.IrreflexiveProperty,
    OWL.InverseFunctionalProperty,
)
NEEDS_SIMPLE = (
    OWL.FunctionalProperty,
    OWL.InverseFunctionalProperty,
    OWL.IrreflexiveProperty,
    OWL.AsymmetricProperty,
)
OTHER_TYPES = (OWL.Ontology, OWL.NamedIndividual, OWL.FunctionalProperty, *ON_OBJECT_PROPERTIES)
RESERVED = (str(RDF), str(RDFS), str(OWL), str(XSD))
BETWEEN_CLASSES = (RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith)
BETWEEN_PROPERTIES = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.propertyDisjointWith)
OF_ONTOLOGIES = (OWL.imports, OWL.versionIRI)


def violations(graph: rdflib.Graph) -> list[str]:
    """Return what keeps the graph from being an ontology in OWL 2 DL, sorted; the graph contains what it imports."""
    return sorted(set(_Checker(graph).check()))


class _Checker:
    def __init__(self, graph: rdflib.Graph) -> None:
        self.graph = graph
        self.kinds = {term: set(kinds) for term, kinds in BUILT_IN.items()}
        for subject, kind in graph.subject_objects(RDF.type):
            if kind in KINDS:
                self.kinds.setdefault(subject, set()).add(KINDS[kind])

    def check(self) -> Iterator[str]:
        yield from self._declarations()
        for subject, predicate, value in self.graph:
            if isinstance(subject, rdflib.BNode) or isinstance(value, rdflib.BNode):
                yield f"{subject} {predicate}: a blank node"
            elif predicate == RDF.type:
                yield from self._type(subject, value)
            elif predicate in BETWEEN_CLASSES:
                yield from self._expect(subject, "class")
                yield from self._expect(value, "class")
            elif predicate in BETWEEN_PROPERTIES:
                yield from self._same_kind(subject, predicate, value)
            elif predicate == OWL.inverseOf:
                yield from self._expect(subject, "object property")
                yield from self._expect(value, "object property")
            elif predicate == RDFS.domain:
                yield from self._expect(subject, *PROPERTIES)
                yield from self._expect(value, "class")
            elif predicate == RDFS.range:
                yield from self._range(subject, value)
            elif predicate in OF_ONTOLOGIES:
                if (subject, RDF.type, OWL.Ontology) not in self.graph:
                    yield f"{subject} has {predicate} and is no ontology"
            else:
                yield from self._assertion(subject, predicate, value)
        yield from self._not_simple()

    def _declarations(self) -> Iterator[str]:
        for term, kinds in self.kinds.items():
            if len(kinds.intersection(PROPERTIES)) > 1 or {"class", "datatype"} <= kinds:
                yield f"{term} is declared as {' and '.join(sorted(kinds))}"
            if term not in BUILT_IN and str(term).startswith(RESERVED):
                yield f"{term} is a reserved term and is declared"

    def _expect(self, term, *kinds: str) -> Iterator[str]:
        if not self.kinds.get(term, set()).intersection(kinds):
            yield f"{term} is used as {' or '.join(kinds)} and is not declared so"

    def _type(self, subject, kind) -> Iterator[str]:
        if kind in KINDS or kind in OTHER_TYPES:
            if kind in ON_OBJECT_PROPERTIES:
                yield from self._expect(subject, "object property")
            if kind == OWL.FunctionalProperty:
                yield from self._expect(subject, "object property", "datatype property")
        else:
            yield from self._expect(kind, "class")

    def _same_kind(self, subject, predicate, value) -> Iterator[str]:
        kinds = [self.kinds.get(term, set()).intersection(PROPERTIES) for term in (subject, value)]
        if not kinds[0] or not kinds[1] or kinds[0] != kinds[1]:
            yield f"{subject} and {value} are not properties of one kind"
        elif "annotation property" in kinds[0] and predicate != RDFS.subPropertyOf:
            yield f"{subject} is an annotation property, and {predicate} is an axiom about it"

    def _range(self, subject, value) -> Iterator[str]:
        yield from self._expect(subject, *PROPERTIES)
        if "object property" in self.kinds.get(subject, ()):
            yield from self._expect(value, "class")
        if "datatype property" in self.kinds.get(subject, ()):
            yield from self._expect(value, "datatype")

    def _assertion(self, subject, predicate, value) -> Iterator[str]:
        yield from self._expect(predicate, *PROPERTIES)
        kinds = self.kinds.get(predicate, set())
        if "object property" in kinds:
            if isinstance(value, rdflib.Literal):
                yield f"{predicate} is an object property, and {subject} has a literal"
            for term in (subject, value):
                if str(term).startswith(RESERVED):
                    yield f"{term} is a reserved term and is used as an individual"
        if "datatype property" in kinds and not isinstance(value, rdflib.Literal):
            yield f"{predicate} is a datatype property, and {subject} has an IRI"

    def _not_simple(self) -> Iterator[str]:
        """A property that a transitive one is below of is not simple (section 11.1)."""
        for transitive in self.graph.subjects(RDF.type, OWL.TransitiveProperty):
            for above in self.graph.transitive_objects(transitive, RDFS.subPropertyOf):
                for kind in NEEDS_SIMPLE:
                    if (above, RDF.type, kind) in self.graph:
                        yield f"{above} is not simple and is declared as {kind}"
