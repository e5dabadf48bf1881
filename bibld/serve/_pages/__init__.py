"""The pages: templates filled with views. Everything that comes from records is escaped by the templates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import jinja2
import msgspec
import pyoxigraph as ox

from bibld.model.origin import RecordId
from bibld.serve._addresses import CatalogueLinks
from bibld.serve._files import SCRIPTS_WITH_EDITOR, assets
from bibld.serve._forms import MEDIA_TYPES
from bibld.serve._graph import Names
from bibld.serve._http import ProblemError
from bibld.serve._language import PageLanguage, language_named, message
from bibld.serve._pages import fields, matches, ontology, overview, queries, summaries, views
from bibld.serve._pages.entities import INCOMING_ON_PAGE, PageContext
from bibld.serve._pages.environment import make_environment
from bibld.serve._pages.file_matches import MatchPages
from bibld.serve._pages.maps import ResultMaps
from bibld.serve._pages.neighbourhoods import NeighbourhoodPages
from bibld.serve._pages.queries import SparqlView as SparqlView
from bibld.serve._pages.report_pictures import ReportPictures
from bibld.serve._pages.reports import ReportPages
from bibld.serve._pages.reviews import ReviewPages
from bibld.serve._pages.structured import LOCALES
from bibld.serve._pages.things import ThingPages, heading_of
from bibld.serve._pages.worklists import WorklistPages
from bibld.serve._pictures.drawing import Picture
from bibld.serve._review.site import ReviewView
from bibld.serve._things import OpenRelease, Thing
from bibld.serve.ontology import LANGUAGES, OntologyTerm

_SAMPLES = 8
_STATEMENTS_SHOWN = 500
_ROWS_SHOWN = 1000
_MAX_LINKED_LENGTH = 4000
_ANY_QUERY = "SELECT * WHERE { ?s ?p ?o } LIMIT 10"
"""Characters of a query that the links to the page in other languages contain."""

FORM_NAMES = {
    "html": "HTML",
    "ttl": "Turtle",
    "nt": "N-Triples",
    "jsonld": "JSON-LD",
    "json": "JSON",
    "rdf": "RDF/XML",
    "mods.xml": "MODS XML",
    "marcxml": "MARCXML",
    "mrk": message("MARC as text"),
    "bib": "BibTeX",
    "ris": "RIS",
    "csl.json": "CSL-JSON",
}


class Pages:
    """Makes the bytes of every page in one language."""

    def __init__(self, release: OpenRelease, names: Names | None = None, language: PageLanguage | None = None) -> None:
        self.language = language or language_named(LANGUAGES[0])
        self._names = summaries.NamesInLanguage(names or release.graph, release.addresses.iris, self.language)
        self._manifest = release.manifest
        self._catalog = release.catalog
        self._graph = release.graph
        self._addresses = release.addresses
        self._vocabulary = release.vocabulary
        self._original = release.original
        self._sources = {figures.source: figures for figures in release.manifest.figures.sources}
        self._templates = self._environment(release)
        self.things = ThingPages(PageContext(release, self._names, self.language, self._source_label, self._render))
        self._reviews = ReviewPages(self._addresses, self.language, heading_of, self._render)
        common = self._addresses, self.language, self._source_label, self._record_href, self._render
        self.matching = MatchPages(*common, CatalogueLinks(self._sources.values()))
        self.worklists = WorklistPages(*common)
        maps = ResultMaps(self.language, self._local, self._names.titles, f"{self._addresses.iris.base}place/")
        self._results = queries.ResultPictures(self.language, self._local, self._compact, maps)
        self._report = release.report
        self._search = release.search if release.has_services else None
        self.neighbourhoods: NeighbourhoodPages | None = None
        if self._search is not None:
            self.neighbourhoods = NeighbourhoodPages(release, self._search, self._names, self.language, self._render)
        self.reports: ReportPages | None = None
        if release.report is not None:
            known = release.published.titles if release.published is not None else lambda _: {}
            pictures = ReportPictures(
                *(release.report, self.language, self._source_label, self._addresses.mount, known),
                has_search=self._search is not None,
            )
            self.reports = ReportPages(
                release.report, release, self.language, pictures, self._render, self._record_href
            )
        self._ontologies = ontology.OntologyPages(
            self._addresses.iris,
            self._vocabulary.ontologies,
            self.language,
            lambda iri: self._addresses.href(iri) or iri,
            self._example,
        )

    def _environment(self, release: OpenRelease) -> jinja2.Environment:
        values = {
            "manifest": self._manifest,
            "has_search": release.has_services and release.search is not None,
            "has_lists": release.search is not None,
            "has_services": release.has_services,
            "has_matching": release.has_services and release.has_matching,
            "dataset": self._manifest.dataset,
            "source_label": self._source_label,
            "source_labels": self._source_labels,
            "catalogues": CatalogueLinks(self._sources.values()),
            "record_href": self._record_href,
            "resource_href": self._resource_href,
            "form_names": FORM_NAMES,
            "decision_words": matches.DECISION_WORDS,
            "media_types": MEDIA_TYPES,
            "open_graph_locale": LOCALES.get(self.language.tag, self.language.tag),
        }
        return make_environment(self.language, self._addresses.mount, values)

    def _render(self, template: str, **values: object) -> bytes:
        return self._templates.get_template(template).render(**values).encode()

    def home(self) -> bytes:
        """Return the first page."""
        samples = []
        for founder in self._catalog.sample_founders(_SAMPLES):
            merged = self._catalog.merged(founder)
            if merged is not None:
                samples.append((self._resource_href(founder), merged, heading_of(merged.mods, self.language)))
        return self._render(
            "home.html",
            here=self._addresses.mount,
            samples=samples,
            queries=overview.example_queries(
                (heading.title for _, _, heading in samples), (heading.name for _, _, heading in samples)
            ),
            browse=overview.browse_groups(self._search, self._addresses, self.language) if self._search else (),
            pictures=self._first_pictures(),
        )

    def _first_pictures(self) -> list[Picture]:
        """Return the pictures of the first page: how the libraries overlap, and how the catalogue grew."""
        if self.reports is None or self._report is None:
            return []
        pictures = self.reports.pictures
        shown = [pictures.overlap()] if len(self._report.overlap) > 1 else []
        return shown + ([pictures.growth()] if len(self._report.growth) > 1 else [])

    def about(self) -> bytes:
        """Return the page about the dataset: how to search, query, download and cite it."""
        founders = self._catalog.sample_founders(1)
        iris = self._addresses.iris
        return self._render(
            "about.html",
            here=self._addresses.page("about"),
            example=iris.resource(founders[0]) if founders else iris.dataset,
            downloads=overview.downloads(self._manifest),
            words_of=overview.words_of_file,
            patches=overview.recent_patches(self._manifest),
            has_feed=self._manifest.file("feed.ttl") is not None,
            citation=overview.citation(self._manifest, self.language),
        )

    def problem(self, problem: ProblemError) -> bytes:
        """Return the page for an error."""
        return self._render("problem.html", problem=problem)

    def search(self, view: object, here: str, query: str, template: str = "search.html") -> bytes:
        """Return the page with the results of a search, or a list; ``here`` and ``query`` are its address."""
        return self._render(template, view=view, here=here, query_string=query)

    def sparql(self, view: SparqlView) -> bytes:
        """Return the query page with or without a result."""
        examples = self._vocabulary.examples
        code = queries.uncommented(view.query)
        chosen = next((each for each in examples if queries.uncommented(each.sparql) == code), None)
        if chosen is not None:
            view = msgspec.structs.replace(view, query=queries.commented(chosen, self.language))
        first = queries.commented(examples[0], self.language) if examples else _ANY_QUERY
        return self._render(
            "sparql.html",
            here=self._addresses.page("sparql"),
            query_string=urlencode({"query": view.query}) if 0 < len(view.query) < _MAX_LINKED_LENGTH else "",
            view=view,
            address=f"{self._addresses.page('sparql')}?{urlencode({'query': view.query})}",
            pictures=self._results.draw(view),
            faulty_line=view.faulty_line,
            result_forms=view.forms if len(view.query) < _MAX_LINKED_LENGTH else (),
            table_forms=queries.TABLE_FORMS,
            graph_forms=queries.GRAPH_FORMS,
            first_query=first,
            topics=queries.by_topic(examples),
            chosen=chosen.name if chosen is not None else "",
            editor=SCRIPTS_WITH_EDITOR in assets(),
            local=self._local,
            compact=self._compact,
        )

    def _local(self, iri: str) -> str | None:
        return self._addresses.href(iri)

    def _compact(self, iri: str) -> str:
        return views.compact(iri, self._vocabulary.prefixes, self._addresses.iris)

    def document(self, thing: Thing, triples: Sequence[ox.Triple]) -> bytes:
        """Return the page about a thing, of several the first."""
        forms = [(form, self._addresses.page(f"doc/{thing.path}.{form}")) for form in thing.forms if form != "html"]
        if thing.kind not in ("dataset", "graph"):
            return self.things.document(thing, triples)
        common = {"thing": thing, "forms": forms, "here": self._here(thing.path)}
        if self.reports is not None and thing.path == "dataset":
            rest = [each for each in triples if not views.is_of_partition(each, thing.iri)]
            return self.reports.dataset(triples, self._statements(rest, thing), common)
        source = self.reports.source_of(thing) if self.reports is not None else None
        if self.reports is not None and source is not None:
            return self.reports.source(source, self._statements(triples, thing), common)
        return self._graph_page(thing, triples, common)

    def review(self, view: ReviewView) -> bytes:
        """Return the page on which a person decides about a pair."""
        return self._reviews.review(view)

    def vocabulary(self, thing: Thing) -> bytes:
        """Return the page about an ontology."""
        forms = [(form, self._addresses.page(f"doc/{thing.path}.{form}")) for form in thing.forms if form != "html"]
        return self._render(
            "ontology.html",
            thing=thing,
            forms=forms,
            here=self._here(thing.path),
            words=self._ontologies.words,
            view=self._ontologies.view(thing.ontology),
        )

    def _example(self, term: OntologyTerm) -> ontology.TermExample | None:
        """Return a statement of the dataset with a term."""
        found = self._graph.example(term.iri, term.kind == "class")
        if found is None or not isinstance(found.subject, ox.NamedNode):
            return None
        prefixes = self._vocabulary.prefixes
        iri = found.subject.value
        subject = views.PageLink(self._addresses.href(iri) or iri, views.compact(iri, prefixes, self._addresses.iris))
        (row,) = views.statements([found], iri, self._names, self._addresses, prefixes, self.language)
        text = views.compact(term.iri, prefixes) if term.kind == "class" else row.text
        return ontology.TermExample(subject, row.predicate, views.PageLink(row.href or "", text, row.language))

    def _graph_page(self, thing: Thing, triples: Sequence[ox.Triple], common: dict[str, object]) -> bytes:
        labels = self._names.labels(thing.iri)
        incoming = self._graph.incoming(thing.iri, INCOMING_ON_PAGE)
        titles = self._names.titles(subject for _, subject in incoming.links)
        titles[self._addresses.iris.dataset] = self.language.best(self._manifest.dataset.title)
        pointing = []
        for predicate, subject in incoming.links:
            text = titles.get(subject) or views.compact(subject, {}, self._addresses.iris)
            href = self._addresses.href(subject)
            if href is not None:
                kind = views.compact(predicate, self._vocabulary.prefixes)
                pointing.append(views.PageLink(href, text, fields.language_of(text), kind=kind))
        heading = labels[0].text if labels else thing.path
        partitions = views.partitions(triples, self._addresses, self._vocabulary.prefixes)
        if partitions:
            triples = [each for each in triples if not views.is_of_partition(each, thing.iri)]
        return self._render(
            "entity.html",
            partitions=partitions,
            heading=heading,
            heading_language=(labels[0].language if labels else "") or fields.language_of(heading),
            other_names=[label for label in labels[1:] if label.text != heading],
            kind=views.ENTITY_KINDS.get(thing.path.partition("/")[0], thing.path.partition("/")[0].capitalize()),
            pointing=sorted(pointing, key=lambda link: (link.text.casefold(), link.href)),
            incoming=incoming,
            statements=self._statements(triples, thing),
            **common,
        )

    def _statements(self, triples: Iterable[ox.Triple], thing: Thing) -> list[views.StatementRow]:
        shown = itertools.islice(triples, _STATEMENTS_SHOWN)
        return views.statements(
            shown, thing.iri, self._names, self._addresses, self._vocabulary.prefixes, self.language
        )

    def _here(self, path: str) -> str:
        """Return the address of the page about a thing."""
        return self._addresses.page(f"doc/{path}.html")

    def _record_href(self, record: RecordId) -> str:
        return self._addresses.href(self._addresses.iris.record(record)) or ""

    def _resource_href(self, record: RecordId) -> str:
        return self._addresses.href(self._addresses.iris.resource(record)) or ""

    def _source_label(self, source: str) -> str:
        figures = self._sources.get(source)
        return self.language.best(figures.label) if figures is not None and figures.label else source

    def _source_labels(self, sources: Iterable[str]) -> str:
        return ", ".join(map(self._source_label, sources))


PagesByLanguage = Mapping[str, Pages]
"""Tag of a language → its pages."""


def pages_by_language(release: OpenRelease, names: Names | None = None) -> PagesByLanguage:
    """Return the pages of a release in all languages."""
    return {tag: Pages(release, names, language_named(tag)) for tag in LANGUAGES}


def result_view(query: str, kind: str, body: bytes) -> SparqlView:
    """Return a result for the query page, from SPARQL 1.1 JSON of a table or boolean, or from RDF text."""
    if kind == "graph":
        return SparqlView(query, text=body.decode())
    document = msgspec.json.decode(body)
    if kind == "boolean":
        return SparqlView(query, boolean=bool(document["boolean"]))
    variables = tuple(document["head"]["vars"])
    bindings = document["results"]["bindings"]
    rows = tuple(tuple(row.get(name) for name in variables) for row in bindings[:_ROWS_SHOWN])
    return SparqlView(query, variables, rows, len(bindings))
