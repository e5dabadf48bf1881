"""The pages about things: publications, source records, matches, and what publications are linked to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain

import msgspec
import pyoxigraph as ox

from bibld.model.card import title_text
from bibld.model.linkage import Edge
from bibld.model.marc_writers import to_mrk
from bibld.model.mods import Cartographics, Mods, Subject
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.protocols import SourceRecord
from bibld.serve._citations.files import STYLES, coins
from bibld.serve._citations.reference import reference_of
from bibld.serve._graph import Incoming, Names
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import codes, facts, fields, matches, structured, summaries, views
from bibld.serve._pages.maps import locate
from bibld.serve._pages.relatives import Hierarchies, Hierarchy, RelativeLists
from bibld.serve._pages.works import WorkLists, WorksOfThing, first_author
from bibld.serve._pictures.drawing import Picture
from bibld.serve._things import OpenRelease, Thing

INCOMING_ON_PAGE = 100
"""Of what points to an entity, in each form."""

_COMPARED = 12
_EDGES_SHOWN = 40
_STATEMENTS_SHOWN = 2000
_TOPIC = expand("foaf:primaryTopic")

STYLE_NAMES = {
    "gost": message("GOST R 7.0.5"),
    "apa": message("APA"),
    "chicago": message("Chicago"),
}
"""Styles of citation (``bibld.serve._citations``) in words."""

Render = Callable[..., bytes]
"""Renders a template by its name, with values for it."""


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


class PageContext(msgspec.Struct, frozen=True):
    """Where the pages are: the release, its names, the labels of libraries, and what renders templates."""

    release: OpenRelease
    names: Names
    language: PageLanguage
    source_label: Callable[[str], str]
    render: Render


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
        search = place.release.search
        self._entities = views.EntityLinks(place.names, self._addresses)
        self._relatives = RelativeLists(place.release, place.names, place.language)
        self._hierarchies: Hierarchies | None = None
        if place.release.published is not None:
            self._hierarchies = Hierarchies(
                place.release.published, search, self._addresses, place.release.has_services
            )
        self._works: WorkLists | None = None
        if search is not None:
            self._works = WorkLists(search, self._addresses, self._language, place.release.has_services)

    def document(self, thing: Thing, triples: Sequence[ox.Triple], page: int = 1) -> bytes:
        """Return the page about a thing; ``page`` is that of the list of what points to an entity, from 1."""
        match thing.kind:
            case "resource":
                return self.publication(thing, _links(thing.iri, triples))
            case "record":
                return self._record(thing, _topics(triples))
            case "match":
                return self._match(thing)
            case _:
                return self._summary(thing, triples, page)

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
        entities = self._entities.among(linked.things)
        reference = reference_of(merged.mods, thing.iri, merged.sources)
        edges = views.edge_views(self._catalog.edges_of(members), self._addresses) if len(members) > 1 else []
        values = fields.values(merged.mods, self._language)
        groups = facts.merged_facts(merged, values, self._language, views.links_by_text(entities))
        # Of one record, the merged description is most often its own.
        side_by_side = [
            (each.id, values if each.mods == merged.mods else fields.values(each.mods, self._language))
            for each in records
        ]
        heading = heading_of(merged.mods, self._language)
        page = self._base + f"doc/{thing.path}.html"
        headings = [fields.subject_parts(subject) for subject in merged.mods.subject]
        topics = [parts for parts, subject in zip(headings, merged.mods.subject, strict=True) if not _is_scale(subject)]
        linked_things = structured.linked_things(linked, self._entities, topics, self._base)
        same = [self._release.addresses.iris.resource(member) for member in members if member != merged.cluster.founder]
        author = first_author(reference, [(link.path, names) for link, names in entities])
        return self._render(
            "publication.html",
            relatives=self._relatives.relatives(merged, reference, author),
            heading=heading,
            kind=self._language.text(codes.KIND_LABELS[reference.kind]),
            responsibility=reference.responsibility,
            imprint=structured.imprint(reference),
            parallel=self._parallel_titles(merged.mods, heading.title),
            groups=[group for group in groups if group.name not in (fields.ABOUT_RECORD, "access")],
            members=members,
            letters=[(facts.letter_of(number), record) for number, record in enumerate(members[:_COMPARED])],
            holdings=facts.holdings(records),
            comparison=views.values_side_by_side(side_by_side),
            edges=edges[:_EDGES_SHOWN],
            more_edges=max(0, len(edges) - _EDGES_SHOWN),
            entities=views.by_kind(
                [(link, names) for link, names in entities if views.is_worth_a_visit(link.path, link.text)],
                {facts.folded(genre.value) for genre in merged.mods.genre},
                {facts.folded("--".join(parts)) for parts in headings},
            ),
            events=self._events(members),
            citations=[(self._language.text(name), STYLES[style](reference)) for style, name in STYLE_NAMES.items()]
            if reference.title
            else [],
            coins=coins(reference),
            summary=structured.summary(reference),
            structured=_script_json(structured.publication(reference, page, linked_things, same)),
            open_graph=structured.open_graph(reference, heading.title, page, self._dataset_title(), self._language.tag),
            **self._common(thing, "html"),
        )

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
            left_out=_by_fate(self._release.beside_mods(record)),
            founder=founder,
            publication=heading_of(merged.mods, self._language) if merged is not None else None,
            is_authority=record.authority is not None,
            topics=[(self._addresses.href(iri) or iri, title) for iri, title in titles.items()],
            siblings=[each for each in cluster.members if each != record.id][:INCOMING_ON_PAGE] if cluster else [],
            edges=self._edges_of_record(record, cluster.members if cluster else ()),
            events=self._events([record.id]),
            **common,
        )

    def _edges_of_record(self, record: SourceRecord, members: Sequence[RecordId]) -> list[tuple[Edge, str]]:
        edges = self._catalog.edges_of(members) if 1 < len(members) <= INCOMING_ON_PAGE else []
        own = (edge for edge in edges if record.id in (edge.pair.left, edge.pair.right))
        return views.edge_views(own, self._addresses)[:_EDGES_SHOWN]

    def _match(self, thing: Thing) -> bytes:
        edge = thing.edge
        assert edge is not None
        pair = (edge.pair.left, edge.pair.right)
        records = [record for record in map(self._catalog.record, pair) if record is not None]
        comparison = views.comparison([(record.id, record.mods) for record in records], self._language)
        agreed = None
        if len(records) == 2:
            agreed = matches.agreement(records[0].mods, records[1].mods, self._language)
            comparison = matches.mark_differences(comparison, agreed, self._language)
        return self._render(
            "match.html",
            edge=edge,
            sides=[(record, heading_of(record.mods, self._language)) for record in records],
            decision=matches.words_for(matches.DECISION_WORDS, edge.verdict.decision, self._language),
            relation=matches.words_for(matches.RELATION_WORDS, edge.verdict.relation, self._language),
            agreement=agreed,
            in_words=matches.labels_in_words,
            reasons=[matches.reason_words(reason, self._language) for reason in edge.verdict.reasons],
            by=matches.words_for(matches.SCORER_WORDS, edge.verdict.by, self._language),
            waterfall=matches.waterfall(edge, self._language),
            features=matches.feature_lines(edge.score.features, self._language),
            comparison=comparison,
            **self._common(thing, "html"),
        )

    # -- pictures as files

    def picture(self, thing: Thing, name: str, facet: str) -> Picture | None:
        """Return a picture of the page about a thing: ``years``, ``locator`` or ``waterfall``; None if it has none.

        ``facet`` is the filter of the search that finds the publications of ``years``; empty for the most frequent one.
        """
        match name:
            case "years" if self._works is not None:
                return self._works.years(thing.path, facet)
            case "locator" if thing.path.startswith("place/"):
                labels = self._names.labels(thing.iri)
                triples = self._release.graph.description(thing.iri)
                others = summaries.entity_summary(
                    thing.iri, thing.path, triples, self._base, {}, self._language
                ).other_names
                names = [label.text for label in (*labels, *others)]
                return locate(names[0] if names else thing.path, names, self._language)
            case "waterfall" if thing.edge is not None:
                return matches.waterfall(thing.edge, self._language)
        return None

    # -- what publications are linked to

    def _summary(self, thing: Thing, triples: Sequence[ox.Triple], page: int) -> bytes:
        labels = self._names.labels(thing.iri)
        incoming = self._release.graph.incoming(thing.iri, INCOMING_ON_PAGE, (page - 1) * INCOMING_ON_PAGE)
        sources = {
            figures.source: self._source_label(figures.source) for figures in self._release.manifest.figures.sources
        }
        shown = summaries.entity_summary(thing.iri, thing.path, triples, self._base, sources, self._language)
        if shown.kind == "concept" and {summaries.role_of(each) for each in incoming.things} == {"genre"}:
            shown = msgspec.structs.replace(shown, kind="genre")
        labels = summaries.labels_for_reader(labels, shown.kind, self._language)
        heading = labels[0].text if labels else thing.path
        address = self._form(thing, "html")
        works = WorksOfThing()
        if self._works is not None:
            works = self._works.of_page(thing.path, shown.kind, page, INCOMING_ON_PAGE)
        others = summaries.distinct_names(labels, shown.other_names)
        hierarchy = self._hierarchy(thing.path, shown.kind, heading) if page == 1 else Hierarchy()
        all_names = [heading, *(label.text for label in others)]
        return self._render(
            "summary.html",
            works=works,
            locator=locate(heading, all_names, self._language) if shown.kind == "place" else None,
            heading=heading,
            heading_language=(labels[0].language if labels else "") or fields.language_of(heading),
            kind=self._language.text(summaries.KINDS[shown.kind]),
            summary=structured.entity_line(shown, self._uses(thing.path), self._language),
            entity=shown,
            names=others,
            hierarchy=hierarchy,
            linked=self._named_links(shown),
            roles=self._role_lists(incoming, shown, bool(works.roles or works.decades)),
            incoming=incoming,
            page=page,
            before=f"{address}?page={page - 1}" if page > 1 else "",
            after=f"{address}?page={page + 1}" if incoming.more else "",
            structured=_script_json(
                structured.entity(
                    structured.SchemaThing(heading, thing.iri, summaries.SCHEMA_TYPES.get(shown.kind, "Thing")),
                    shown.years,
                    [label.text for label in others],
                    [*(number.address for number in shown.numbers if number.address), *shown.absorbed],
                )
            ),
            **self._common(thing, "html"),
        )

    def _uses(self, path: str) -> int:
        """Return the number of publications of an entity; 0 if it is not known."""
        named = self._release.search.named(path) if self._release.search is not None else None
        return named.uses if named is not None else 0

    def _hierarchy(self, path: str, kind: str, heading: str) -> Hierarchy:
        """Return what is broader and narrower than a heading or class, or the headings of a list."""
        if self._hierarchies is None:
            return Hierarchy()
        if kind == "scheme":
            return self._hierarchies.of_scheme(path)
        return self._hierarchies.of_concept(path, heading) if kind in ("concept", "class", "genre") else Hierarchy()

    def _role_lists(self, incoming: Incoming, shown: summaries.EntitySummary, has_works: bool) -> list[views.LinkGroup]:
        """Return what points to an entity by role; with lists of publications beside it, only what is in none.

        Related headings that the entity names itself are left out.
        """
        titles = self._names.titles(thing.iri for thing in incoming.things)
        links = {}
        for thing in incoming.things:
            href = self._addresses.href(thing.iri)
            if href is not None:
                text = titles.get(thing.iri) or views.compact(thing.iri, {}, self._addresses.iris)
                links[thing.iri] = views.PageLink(href, text, fields.language_of(text))
        things = tuple(each for each in incoming.things if each.iri not in shown.related)
        if has_works:
            things = tuple(each for each in things if summaries.role_of(each) in summaries.ROLES_WITHOUT_WORKS)
        return summaries.role_lists(things, links, shown.kind, self._language)

    def _named_links(self, shown: summaries.EntitySummary) -> Mapping[str, views.PageLink]:
        """Return the links to other things of an entity by their IRIs; only those with a name."""
        others = shown.related, shown.used_instead
        iris = dict.fromkeys(chain(shown.schemes, shown.broader, shown.parts, shown.creators, *others))
        titles = self._names.titles(iri for iri in iris if "#" not in iri and iri.startswith(self._base))
        found = {}
        for iri in iris:
            href = self._addresses.href(iri) or iri
            last = iri.rstrip("/").rpartition("/")[2]
            scheme = codes.words_of(codes.SCHEME_LABELS, last, self._language)
            labels = self._names.labels(iri) if iri in titles else ()
            own = next((label.text for label in labels if label.language == self._language.tag), "")
            title = titles.get(iri, "")
            file = codes.name_of_file(f"{iri}/", self._language) if f"{iri}/" in codes.AUTHORITY_FILES else ""
            text = (
                own
                or (title if title != last else "")
                or file
                or (scheme if scheme != last else views.compact(last, {}))
            )
            found[iri] = views.PageLink(href, text, fields.language_of(text))
        return found

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
            "reason_words": lambda reason: matches.reason_words(reason, self._language),
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


def _is_scale(subject: Subject) -> bool:
    """Whether a subject states the scale or the coordinates of a map, not what it is about."""
    return all(isinstance(part, Cartographics) for part in subject.parts)


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


def _script_json(document: object) -> str:
    """Write JSON for a script element: no character in it ends the element."""
    text = msgspec.json.encode(document).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
