"""The pages about things: publications, source records, matches, and what publications are linked to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
import pyoxigraph as ox

from bibld.model.card import title_text
from bibld.model.linkage import Edge, Pair
from bibld.model.marc_writers import to_mrk
from bibld.model.mods import Cartographics, Mods, Subject
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.protocols import SourceRecord
from bibld.search import type_of_classes
from bibld.serve._addresses import CatalogueLinks
from bibld.serve._citations.files import STYLES, coins
from bibld.serve._citations.reference import reference_of
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import codes, facts, fields, matches, structured, views
from bibld.serve._pages.entities import INCOMING_ON_PAGE, EntityPages, PageContext, letter_about
from bibld.serve._pages.relatives import RelativeLists
from bibld.serve._pages.structured import script_json
from bibld.serve._pages.work_pages import WorkPages
from bibld.serve._pictures.drawing import Picture
from bibld.serve._things import Thing

_COMPARED = 12
_EDGES_SHOWN = 40
_ISBN_DIGITS = 13
_STATEMENTS_SHOWN = 2000
_TOPIC = expand("foaf:primaryTopic")

STYLE_NAMES = {
    "gost": message("GOST R 7.0.5"),
    "gost-description": message("GOST R 7.0.100"),
    "apa": message("APA"),
    "chicago": message("Chicago"),
}
"""Styles of citation (``bibld.serve._citations``) in words."""


class PublicationHeading(msgspec.Struct, frozen=True):
    """The heading of a page about a publication."""

    title: str
    name: str
    year: str
    language: str


def heading_of(mods: Mods, language: PageLanguage) -> PublicationHeading:
    """Return the heading for a description."""
    title = fields.title(mods)
    text = title or language.text(message("Without title"))
    return PublicationHeading(
        text, fields.main_name(mods), fields.year(mods), fields.language_of(title) if title else ""
    )


class ThingPages:
    """Makes the pages about things in one language."""

    def __init__(self, place: PageContext) -> None:
        self._names = place.names
        self._language = place.language
        self._render = place.render
        self._source_label = place.source_label
        self._release = place.release
        self._catalog = place.release.catalog
        self._addresses = place.release.addresses
        self._base = place.release.addresses.iris.base
        self._links = views.EntityLinks(place.names, self._addresses)
        self._relatives = RelativeLists(place.release, place.names, place.language)
        self._works = WorkPages(place.release, place.names, place.language)
        self.entities = EntityPages(place)

    def document(self, thing: Thing, triples: Sequence[ox.Triple]) -> bytes:
        """Return the page about a thing, of several the first."""
        match thing.kind:
            case "resource":
                return self.publication(thing, _links(thing.iri, triples))
            case "record":
                return self._record(thing, _topics(triples))
            case "match":
                return self._match(thing)
            case _:
                return self.entities.page(thing, triples, 1).body

    def statements(self, thing: Thing, triples: Sequence[ox.Triple]) -> bytes:
        """Return the page with all statements about a thing as a table."""
        heading = self._heading_of_thing(thing)
        rows = views.statements(
            triples[:_STATEMENTS_SHOWN],
            thing.iri,
            self._names,
            self._addresses,
            self._release.vocabulary.prefixes,
            self._language,
        )
        return self._render(
            "statements.html",
            heading=heading,
            heading_language=fields.language_of(heading),
            statements=rows,
            more=max(0, len(triples) - _STATEMENTS_SHOWN),
            page_of_thing=self._form(thing, "html"),
            **self._common(thing, "statements.html"),
        )

    def _heading_of_thing(self, thing: Thing) -> str:
        if thing.merged is not None:
            return heading_of(thing.merged.mods, self._language).title
        if thing.record is not None:
            return heading_of(thing.record.mods, self._language).title
        if thing.edge is not None:
            return f"{thing.edge.pair.left} – {thing.edge.pair.right}"
        labels = self._names.labels(thing.iri)
        return labels[0].text if labels else thing.path

    # -- publications

    def publication(self, thing: Thing, linked: structured.LinkedIris) -> bytes:
        """Return the page about a publication; ``linked`` are the IRIs that its description points to."""
        merged = thing.merged
        assert merged is not None
        members = merged.cluster.members
        records = [record for record in map(self._catalog.record, members[:_COMPARED]) if record is not None]
        work = next(iter(self._works.lists.works(linked.works)), None)
        of_work = self._works.concepts(work) if work is not None else []
        entities = self._links.among([*linked.things, *of_work])
        reference = reference_of(merged.mods, thing.iri, merged.sources, self._release.manifest.created[:10])
        values = fields.values(merged.mods, self._language)
        described = [value for value in values if value.group != fields.ABOUT_RECORD and _is_no_place(value)]
        groups = facts.merged_facts(merged, described, self._language, views.links_by_text(entities))
        # A publication of one record is not shown twice.
        compared = records if len(members) > 1 else []
        side_by_side = [(each.id, fields.values(each.mods, self._language)) for each in compared]
        edges = sorted(self._catalog.edges_of(members), key=_best_first) if len(members) > 1 else []
        heading = heading_of(merged.mods, self._language)
        kind = self._language.text(codes.TYPE_NAMES[type_of_classes(linked.classes)])
        page = self._base + f"doc/{thing.path}.html"
        headings = [fields.subject_parts(subject) for subject in merged.mods.subject]
        topics = [parts for parts, subject in zip(headings, merged.mods.subject, strict=True) if not _is_scale(subject)]
        linked_things = structured.linked_things(linked, self._links, topics, self._base)
        if work is not None:
            example = structured.SchemaThing(work.title, work.iri, "CreativeWork")
            linked_things = msgspec.structs.replace(linked_things, work=example)
        holdings = facts.holdings(records)
        catalogues = CatalogueLinks(self._release.manifest.figures.sources)
        in_catalogues = [
            (self._source_label(record.source), href)
            for holding in holdings
            for record in holding.records
            if (href := catalogues.href(record.source, record.control_number, holding.isbn, holding.call_number))
        ]
        same = [self._release.addresses.iris.resource(member) for member in members if member != merged.cluster.founder]
        return self._render(
            "publication.html",
            relatives=self._relatives.relatives(merged, reference, work),
            heading=heading,
            kind=kind[:1].upper() + kind[1:],
            responsibility=reference.responsibility,
            imprint=structured.imprint(reference),
            parallel=self._parallel_titles(merged.mods, heading.title),
            groups=groups,
            makers=facts.makers_with_pages(groups),
            cover=self._cover(reference.isbn),
            full_texts=facts.full_texts(records),
            members=members,
            letters=[(facts.letter_of(number), record) for number, record in enumerate(members[:_COMPARED])],
            holdings=holdings,
            comparison=matches.compare(side_by_side, self._language)[0],
            edges=matches.shown_edges(edges[:_EDGES_SHOWN], self._addresses, self._language, dict(side_by_side)),
            more_edges=max(0, len(edges) - _EDGES_SHOWN),
            in_words=matches.labels_in_words,
            entities=views.by_kind(
                [(link, names) for link, names in entities if _leads_on(link.path, link.text)],
                {facts.folded(genre.value) for genre in merged.mods.genre},
                {facts.folded("--".join(parts)) for parts in headings},
            ),
            events=self._events(members),
            citations=[(self._language.text(name), STYLES[style](reference)) for style, name in STYLE_NAMES.items()]
            if reference.title
            else [],
            coins=coins(reference),
            summary=structured.summary(reference),
            structured=script_json(structured.publication(reference, page, linked_things, same, in_catalogues)),
            open_graph=structured.open_graph(reference, heading.title, page, self._dataset_title(), self._language.tag),
            **self._common(thing, "html"),
        )

    def _cover(self, isbns: Iterable[str]) -> str:
        """Return the address of a picture of the cover; empty if no service is configured, or there is no ISBN."""
        template = self._release.covers
        if not template:
            return ""
        numbers = (number for number in map(structured.thirteen_digits, isbns) if len(number) == _ISBN_DIGITS)
        return next((template.replace("{isbn}", number) for number in numbers if number.isdecimal()), "")

    def _parallel_titles(self, mods: Mods, title: str) -> list[tuple[str, str]]:
        """Return the other main titles and those in other languages, with their language tags."""
        others = [info for info in mods.title_info if info.type in (None, "translated")]
        texts = {title_text(info): fields.language_of(title_text(info), info) for info in others}
        return [(text, language) for text, language in texts.items() if text and text != title][:3]

    def _events(self, members: Sequence[RecordId]) -> list[tuple[str, RecordId, str, RecordId | None]]:
        """Return the history of the IRIs of a publication: day, record, what happened, the other record or none."""
        found = []
        for member in members[:_COMPARED]:
            for event in self._catalog.events_of(member):
                found.append((event.run_time, member, event.kind, event.other))
        return sorted(found, key=lambda each: (each[0], each[1]))

    # -- source records and matches

    def _record(self, thing: Thing, topics: Sequence[str]) -> bytes:
        record = thing.record
        assert record is not None
        original = self._release.original(record)
        cluster = self._catalog.cluster_of(record.id)
        founder = cluster.founder if cluster is not None else record.id
        common = self._common(thing, "html")
        if original is None:
            common["forms"] = [pair for pair in self._forms(thing) if pair[0] not in ("marcxml", "mrk")]
        merged = self._catalog.merged(founder) if record.authority is None else None
        titles = self._names.titles(topics) if record.authority is not None else {}
        groups = facts.facts_of(fields.values(record.mods, self._language), self._language, {})
        return self._render(
            "record.html",
            record=record,
            heading=heading_of(record.mods, self._language),
            groups=groups,
            original=to_mrk(original) if original is not None else "",
            formats=[
                codes.words_of(codes.FORMAT_LABELS, each, self._language)
                for each in (record.reader, record.flavour)
                if each
            ],
            left_out=_by_fate(self._release.beside_mods(record)),
            founder=founder,
            publication=heading_of(merged.mods, self._language) if merged is not None else None,
            is_authority=record.authority is not None,
            topics=[(self._addresses.href(iri) or iri, title) for iri, title in titles.items()],
            holding=facts.holdings([record])[0],
            siblings=[each for each in cluster.members if each != record.id][:INCOMING_ON_PAGE] if cluster else [],
            edges=matches.shown_edges(
                self._edges_of_record(record, cluster.members if cluster else ()), self._addresses, self._language
            ),
            in_words=matches.labels_in_words,
            events=self._events([record.id]),
            **common,
        )

    def _edges_of_record(self, record: SourceRecord, members: Sequence[RecordId]) -> list[Edge]:
        edges = self._catalog.edges_of(members) if 1 < len(members) <= INCOMING_ON_PAGE else []
        own = (edge for edge in edges if record.id in (edge.pair.left, edge.pair.right))
        return sorted(own, key=_best_first)[:_EDGES_SHOWN]

    def _match(self, thing: Thing) -> bytes:
        edge = thing.edge
        assert edge is not None
        pair = (edge.pair.left, edge.pair.right)
        records = [record for record in map(self._catalog.record, pair) if record is not None]
        valued = [(record.id, fields.values(record.mods, self._language)) for record in records]
        comparison, agreed = matches.compare(valued, self._language, edge.score.features)
        reasons, numbers = matches.verdict_reasons(edge.verdict.reasons, self._language)
        return self._render(
            "match.html",
            edge=edge,
            sides=[(record, heading_of(record.mods, self._language)) for record in records],
            decision=matches.words_for(matches.DECISION_WORDS, edge.verdict.decision, self._language),
            relation=matches.words_for(matches.RELATION_WORDS, edge.verdict.relation, self._language),
            agreement=agreed,
            in_words=matches.labels_in_words,
            reasons=reasons,
            numbers=numbers,
            by=matches.words_for(matches.SCORER_WORDS, edge.verdict.by, self._language),
            waterfall=matches.waterfall(edge, self._language),
            features=matches.feature_lines(edge.score.features, self._language),
            comparison=comparison,
            **self._common(thing, "html"),
        )

    def picture(self, thing: Thing, name: str, facet: str) -> Picture | None:
        """Return a picture of the page about a thing; see ``EntityPages.picture``, and ``waterfall`` of a match."""
        if name == "waterfall" and thing.edge is not None:
            return matches.waterfall(thing.edge, self._language)
        return self.entities.picture(thing, name, facet)

    # -- what pages share

    def _form(self, thing: Thing, form: str) -> str:
        return self._addresses.page(f"doc/{thing.path}.{form}")

    def _forms(self, thing: Thing) -> list[tuple[str, str]]:
        return [(form, self._form(thing, form)) for form in thing.forms if form not in ("html", "statements.html")]

    def _common(self, thing: Thing, form: str) -> dict[str, object]:
        return {
            "thing": thing,
            "forms": self._forms(thing),
            "here": self._form(thing, form),
            "statements_href": self._form(thing, "statements.html"),
            "letter_of": facts.letter_of,
            "event_words": _EVENT_WORDS,
            "day": _day,
            "report_error": letter_about(thing.iri, self._release.contact),
        }

    def _dataset_title(self) -> str:
        return self._language.best(self._release.manifest.dataset.title)


_EVENT_WORDS = {
    "appeared": message("appeared"),
    "absorbed": message("was merged into"),
    "returned": message("was separated from"),
    "deleted": message("was deleted"),
    "restored": message("was restored"),
}


def _best_first(edge: Edge) -> tuple[float, Pair]:
    return -edge.score.value, edge.pair


def _is_no_place(value: fields.FieldValue) -> bool:
    """Whether a value is not in the list of the libraries that have the publication: addresses that are no links."""
    return not value.path.startswith("location/") or ("/url/" in value.path and not value.address)


def _is_scale(subject: Subject) -> bool:
    """Whether a subject states the scale or the coordinates of a map, not what it is about."""
    return all(isinstance(part, Cartographics) for part in subject.parts)


def _leads_on(path: str, text: str) -> bool:
    """Whether an entity is listed beside a publication; the libraries that have it have a list to themselves."""
    return views.is_worth_a_visit(path, text) and not path.startswith(("agent/library-", "agent/isil-"))


def _links(thing: str, triples: Iterable[ox.Triple]) -> structured.LinkedIris:
    pairs = [(each, each.object.value) for each in triples if isinstance(each.object, ox.NamedNode)]

    def objects(predicate: str) -> list[str]:
        subject, link = ox.NamedNode(thing), ox.NamedNode(predicate)
        return [value for each, value in pairs if each.subject == subject and each.predicate == link]

    return structured.LinkedIris.from_objects((value for _, value in pairs), objects)


def _topics(triples: Iterable[ox.Triple]) -> list[str]:
    """Return the IRIs of what a record is about."""
    return [
        each.object.value
        for each in triples
        if each.predicate.value == _TOPIC and isinstance(each.object, ox.NamedNode)
    ]


def _by_fate(subfields: Iterable[tuple[str, str]]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the subfields that are not in the MODS with their numbers, by what became of them."""
    counts = Counter(subfields)
    found = []
    for fate in ("unmapped", "private"):
        of_fate = sorted((name, number) for (name, other), number in counts.items() if other == fate)
        if of_fate:
            found.append((fate, of_fate))
    return found


def _day(run_time: str) -> str:
    """Return the day of a time (ISO 8601); the text itself if it is none."""
    try:
        return datetime.fromisoformat(run_time.replace("Z", "+00:00")).date().isoformat()
    except ValueError:
        return run_time
