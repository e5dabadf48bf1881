"""The contents of the pages about the ontologies, in English or Russian."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from bibld.model.iris import Iris
from bibld.serve._pages.views import PageLink
from bibld.serve.ontology import Condition, Ontology, OntologyShape, OntologyTerm, best_text, by_vocabulary

WORDS = {
    "en": {
        "kind": "Vocabulary",
        "languages": "This page in other languages",
        "classes": "Classes",
        "properties": "Properties",
        "documents": "Documents",
        "address": "Address",
        "as data": "As data",
        "own": "The terms that this dataset defines. All other statements use published vocabularies.",
        "terms": "The terms of other vocabularies in the data, as the data use them. A link leads to the definition.",
        "alignment": "How the terms are related to each other and to other models.",
        "shapes": "Conditions that the data fulfil.",
        "class": "class",
        "object property": "property with IRIs",
        "datatype property": "property with literals",
        "annotation property": "property of names",
        "domain": "of",
        "range": "leads to",
        "above": "kind of",
        "below": "includes",
        "equivalent": "same as",
        "inverse": "inverse of",
        "disjoint": "never also",
        "close": "close to",
        "example": "Example",
        "applies to": "Applies to",
        "Violation": "always",
        "Warning": "where records allow it",
        "Info": "for information",
        "ontology": "Ontology of bibld",
        "ontology terms": "Terms of other vocabularies",
        "ontology alignment": "Alignment",
        "ontology shapes": "Shapes (SHACL)",
        "context": "JSON-LD context",
        "version": "Version",
        "prior": "Earlier version",
    },
    "ru": {
        "kind": "Словарь",
        "languages": "Эта страница на других языках",
        "classes": "Классы",
        "properties": "Свойства",
        "documents": "Документы",
        "address": "Адрес",
        "as data": "В виде данных",
        "own": "Термины, которые определяет этот набор данных. Остальное сказано терминами опубликованных словарей.",
        "terms": "Термины других словарей в этих данных, как они здесь употребляются. Ссылка ведёт к определению.",
        "alignment": "Как термины соотносятся друг с другом и с другими моделями.",
        "shapes": "Условия, которым отвечают данные.",
        "class": "класс",
        "object property": "свойство, значение которого имеет IRI",
        "datatype property": "свойство со значением-литералом",
        "annotation property": "свойство-наименование",
        "domain": "у чего",
        "range": "значение",
        "above": "вид чего",
        "below": "включает",
        "equivalent": "то же, что",
        "inverse": "обратное к",
        "disjoint": "никогда вместе с",
        "close": "близко к",
        "example": "Пример",
        "applies to": "Относится к",
        "Violation": "всегда",
        "Warning": "где позволяют записи",
        "Info": "для сведения",
        "ontology": "Онтология bibld",
        "ontology terms": "Термины других словарей",
        "ontology alignment": "Соответствия",
        "ontology shapes": "Формы (SHACL)",
        "context": "Контекст JSON-LD",
        "version": "Версия",
        "prior": "Предыдущая версия",
    },
}
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


class TermView(msgspec.Struct, frozen=True):
    """A term for people: ``rows`` are the word of a relation with the terms that it leads to."""

    anchor: str
    name: str
    href: str
    kind: str
    label: str
    other_labels: tuple[tuple[str, str], ...]
    definition: str
    rows: tuple[tuple[str, tuple[PageLink, ...]], ...]
    example: TermExample | None


class ConditionView(msgspec.Struct, frozen=True):
    """A condition of a shape: the property, its severity (name and word) and the message."""

    path: str
    severity: str
    word: str
    message: str


class ShapeView(msgspec.Struct, frozen=True):
    """A shape for people."""

    anchor: str
    label: str
    targets: tuple[PageLink, ...]
    conditions: tuple[ConditionView, ...]


class Section(msgspec.Struct, frozen=True):
    """A heading with terms."""

    anchor: str
    title: str
    terms: tuple[TermView, ...]


class OntologyView(msgspec.Struct, frozen=True):
    """What a page about an ontology contains."""

    name: str
    title: str
    lead: str
    sections: tuple[Section, ...]
    shapes: tuple[ShapeView, ...]
    documents: tuple[PageLink, ...]


class OntologyPages:
    """Makes the views of the ontologies of a site.

    ``ontologies`` maps what follows ``{base}ontology/`` to Turtle; ``href`` returns the address of an IRI, ``example``
    a statement of the dataset with a term.
    """

    def __init__(
        self,
        iris: Iris,
        ontologies: Mapping[str, str],
        href: Callable[[str], str],
        example: Callable[[OntologyTerm], TermExample | None],
    ) -> None:
        self._iris = iris
        self._texts = ontologies
        self._href = href
        self._example = example
        self._all = Ontology.from_turtle(*(ontologies[name] for name in ("", "terms", "alignment")))

    def view(self, name: str, language: str) -> OntologyView:
        """Return the view of an ontology; ``name`` is what follows ``{base}ontology/``."""
        words = WORDS[language]
        kind = next((each for each in ANCHOR_OF if name.endswith(each)), "own")
        own = Ontology.from_turtle(self._texts[name])
        shapes: tuple[ShapeView, ...] = ()
        sections: tuple[Section, ...] = ()
        if kind == "shapes":
            shapes = tuple(self._shape(shape, own, words, language) for shape in own.shapes())
        elif kind == "own":
            terms = (self._all if not name else own).terms(lambda iri: iri.startswith(f"{self._iris.ontology}#"))
            views = [(term.kind == "class", self._term(term, words, language)) for term in terms]
            sections = tuple(
                Section(anchor, words[anchor], tuple(view for is_class, view in views if is_class == wanted))
                for anchor, wanted in (("classes", True), ("properties", False))
            )
        else:
            declared = {term.iri for term in own.terms()} if kind == "terms" else None
            found = [
                term
                for term in self._all.terms(lambda iri: declared is None or iri in declared)
                if declared is not None or term.relations
            ]
            sections = tuple(
                Section(
                    prefix,
                    VOCABULARY_NAMES.get(prefix, prefix),
                    tuple(self._term(term, words, language, kind == "terms") for term in group),
                )
                for prefix, group in by_vocabulary(found)
            )
        title = words[ANCHOR_OF.get(kind, "ontology")]
        return OntologyView(name, title, words[kind], sections, shapes, self._documents(name, words))

    def _term(self, term: OntologyTerm, words: dict[str, str], language: str, is_short: bool = False) -> TermView:
        relations = {} if is_short else term.relations
        rows = tuple((words[name], tuple(map(self._link, iris[:RELATED_SHOWN]))) for name, iris in relations.items())
        label = best_text(term.labels, language)
        return TermView(
            term.name.partition(":")[2],
            term.name,
            self._href(term.iri),
            words[term.kind],
            label,
            tuple(sorted((tag, text) for tag, text in term.labels.items() if text != label)),
            best_text(term.definitions, language),
            rows,
            self._example(term),
        )

    def _shape(self, shape: OntologyShape, own: Ontology, words: dict[str, str], language: str) -> ShapeView:
        def view(condition: Condition) -> ConditionView:
            word = words[condition.severity]
            return ConditionView(condition.path, condition.severity, word, best_text(condition.messages, language))

        targets = tuple(PageLink(self._href(iri), own.compact(iri)) for iri in shape.targets)
        conditions = tuple(map(view, shape.conditions))
        return ShapeView(shape.iri.rpartition("#")[2], best_text(shape.labels, language), targets, conditions)

    def _link(self, iri: str) -> PageLink:
        return PageLink(self._href(iri), self._all.compact(iri))

    def _documents(self, name: str, words: dict[str, str]) -> tuple[PageLink, ...]:
        base = self._iris.ontology
        found = [PageLink(self._href(base), words["ontology"])]
        found += [PageLink(self._href(f"{base}/{each}"), words[key]) for each, key in ANCHOR_OF.items()]
        found.append(PageLink(self._href(f"{base}/context.jsonld"), words["context"]))
        ontology = Ontology.from_turtle(self._texts[name])
        subject = f"{base}/{name}" if name.partition("/")[0] in ANCHOR_OF else base
        for key, predicate in (("version", "owl:versionIRI"), ("prior", "owl:priorVersion")):
            for iri in ontology.values(subject, predicate):
                date = iri.removeprefix(f"{base}/").partition("/")[0]
                found.append(PageLink(self._href(iri), f"{words[key]} {date}"))
        return tuple(found)
