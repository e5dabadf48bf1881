"""The contents of the pages about the ontologies, in English or Russian."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from bibld.model.iris import Iris
from bibld.serve._language import PageLanguage, read_words
from bibld.serve._pages.views import PageLink
from bibld.serve.ontology import Ontology, OntologyShape, OntologyTerm, by_vocabulary

WORDS = read_words()["ontology"]
"""Of the pages about ontologies: name → words."""

VOCABULARY_NAMES = {
    "bf": "BIBFRAME 2",
    "bibld": "bibld",
    "bibo": "BIBO",
    "dc": "Dublin Core 1.1",
    "dcat": "DCAT",
    "dcterms": "DCMI Metadata Terms",
    "edm": "Europeana Data Model",
    "foaf": "FOAF",
    "frbrer": "FRBRer",
    "isbd": "ISBD",
    "lrm": "IFLA LRM",
    "modsrdf": "MODS RDF",
    "owl": "OWL",
    "prov": "PROV-O",
    "rdac": "RDA: entities",
    "rdae": "RDA: expressions",
    "rdam": "RDA: manifestations",
    "rdau": "RDA: unconstrained",
    "relators": "MARC relators",
    "schema": "schema.org",
    "skos": "SKOS",
    "vann": "VANN",
    "void": "VoID",
}
ANCHOR_OF = {"terms": "ontology terms", "alignment": "ontology alignment", "shapes": "ontology shapes"}
RELATED_SHOWN = 40


class TermExample(msgspec.Struct, frozen=True):
    """A statement of the dataset with a term; ``value`` may have no address."""

    subject: PageLink
    predicate: str
    value: PageLink


class OntologyPages:
    """Makes what the template of the pages about ontologies shows, in one language.

    ``ontologies`` maps what follows ``{base}ontology/`` to Turtle; ``href`` returns the address of an IRI, ``example``
    a statement of the dataset with a term.
    """

    def __init__(
        self,
        iris: Iris,
        ontologies: Mapping[str, str],
        language: PageLanguage,
        href: Callable[[str], str],
        example: Callable[[OntologyTerm], TermExample | None],
    ) -> None:
        self._iris = iris
        self._texts = ontologies
        self._language = language
        self._href = href
        self._example = example
        self._all = Ontology.from_turtle(*(ontologies[name] for name in ("", "terms", "alignment")))
        self.words = {name: language.text(text) for name, text in WORDS.items()}

    def view(self, name: str) -> dict[str, object]:
        """Return what the page about an ontology shows; ``name`` is what follows ``{base}ontology/``."""
        kind = next((each for each in ANCHOR_OF if name.endswith(each)), "own")
        own = Ontology.from_turtle(self._texts[name])
        sections: list[dict[str, object]] = []
        if kind == "own":
            terms = (self._all if not name else own).terms(lambda iri: iri.startswith(f"{self._iris.ontology}#"))
            for anchor, is_wanted in (("classes", True), ("properties", False)):
                shown = [self._term(term) for term in terms if (term.kind == "class") == is_wanted]
                sections.append({"anchor": anchor, "title": self.words[anchor], "terms": shown})
        elif kind != "shapes":
            declared = {term.iri for term in own.terms()} if kind == "terms" else None
            found = self._all.terms(lambda iri: declared is None or iri in declared)
            for prefix, group in by_vocabulary([term for term in found if declared is not None or term.relations]):
                shown = [self._term(term, kind == "terms") for term in group]
                sections.append({"anchor": prefix, "title": VOCABULARY_NAMES.get(prefix, prefix), "terms": shown})
        return {
            "name": name,
            "title": self.words[ANCHOR_OF.get(kind, "ontology")],
            "lead": self.words[kind],
            "sections": sections,
            "shapes": [self._shape(shape, own) for shape in own.shapes()] if kind == "shapes" else [],
            "documents": self._documents(name),
        }

    def _term(self, term: OntologyTerm, is_short: bool = False) -> dict[str, object]:
        relations = {} if is_short else term.relations
        label = self._language.best(term.labels)
        return {
            "anchor": term.name.partition(":")[2],
            "name": term.name,
            "href": self._href(term.iri),
            "kind": self.words[term.kind],
            "label": label,
            "other_labels": sorted((tag, text) for tag, text in term.labels.items() if text != label),
            "definition": self._language.best(term.definitions),
            "rows": [
                (self.words[name], list(map(self._link, iris[:RELATED_SHOWN]))) for name, iris in relations.items()
            ],
            "example": self._example(term),
        }

    def _shape(self, shape: OntologyShape, own: Ontology) -> dict[str, object]:
        return {
            "anchor": shape.iri.rpartition("#")[2],
            "label": self._language.best(shape.labels),
            "targets": [PageLink(self._href(iri), own.compact(iri)) for iri in shape.targets],
            "conditions": [
                {
                    "path": each.path,
                    "severity": each.severity,
                    "word": self.words[each.severity],
                    "message": self._language.best(each.messages),
                }
                for each in shape.conditions
            ],
        }

    def _link(self, iri: str) -> PageLink:
        return PageLink(self._href(iri), self._all.compact(iri))

    def _documents(self, name: str) -> tuple[PageLink, ...]:
        base = self._iris.ontology
        found = [PageLink(self._href(base), self.words["ontology"])]
        found += [PageLink(self._href(f"{base}/{each}"), self.words[key]) for each, key in ANCHOR_OF.items()]
        found.append(PageLink(self._href(f"{base}/context.jsonld"), self.words["context"]))
        ontology = Ontology.from_turtle(self._texts[name])
        subject = f"{base}/{name}" if name.partition("/")[0] in ANCHOR_OF else base
        for key, predicate in (("version", "owl:versionIRI"), ("prior", "owl:priorVersion")):
            for iri in ontology.values(subject, predicate):
                date = iri.removeprefix(f"{base}/").partition("/")[0]
                found.append(PageLink(self._href(iri), f"{self.words[key]} {date}"))
        return tuple(found)
