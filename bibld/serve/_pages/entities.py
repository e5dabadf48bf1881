"""The pages about what publications are linked to: works, persons, organisations, subjects, places and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from urllib.parse import quote, urlencode

import msgspec
import pyoxigraph as ox

from bibld.serve._graph import Incoming
from bibld.serve._language import PageLanguage
from bibld.serve._pages import codes, fields, structured, summaries, views
from bibld.serve._pages.lists import PublicationLists, PublicationsOfThing, group_of_role
from bibld.serve._pages.maps import locate
from bibld.serve._pages.relatives import Hierarchies, Hierarchy
from bibld.serve._pages.structured import script_json
from bibld.serve._pages.work_pages import WorkPages, WorksOfAgent
from bibld.serve._pages.works import work_of
from bibld.serve._pictures.drawing import Picture
from bibld.serve._things import OpenRelease, Thing

INCOMING_ON_PAGE = 100
"""Of what points to an entity, in each form."""

Render = Callable[..., bytes]
"""Renders a template by its name, with values for it."""


def letter_about(thing: str, contact: str) -> str:
    """Return the address of a letter about a thing to those who run the site; empty if theirs is not known."""
    return f"mailto:{contact}?{urlencode({'subject': thing}, quote_via=quote)}" if contact else ""


class EntityPage(msgspec.Struct, frozen=True):
    """A page about what publications are linked to, and the number of the pages about it."""

    body: bytes
    pages: int


class PageContext(msgspec.Struct, frozen=True):
    """Where the pages are: the release, its names, the labels of libraries, and what renders templates."""

    release: OpenRelease
    names: summaries.NamesInLanguage
    language: PageLanguage
    source_label: Callable[[str], str]
    render: Render


class EntityPages:
    """Makes the pages about what publications are linked to, in one language."""

    def __init__(self, place: PageContext) -> None:
        self._names = place.names
        self._language = place.language
        self._render = place.render
        self._source_label = place.source_label
        self._release = place.release
        self._addresses = place.release.addresses
        self._base = place.release.addresses.iris.base
        search = place.release.search
        self._hierarchies: Hierarchies | None = None
        if place.release.published is not None:
            self._hierarchies = Hierarchies(
                place.release.published, search, self._addresses, place.names.title, place.release.has_services
            )
        self._works = WorkPages(place.release, place.names, place.language)
        self._publications: PublicationLists | None = None
        if search is not None:
            self._publications = PublicationLists(search, self._addresses, self._language, place.release.has_services)

    def page(self, thing: Thing, triples: Sequence[ox.Triple], page: int) -> EntityPage:
        """Return a page about a thing; ``page`` counts from 1."""
        return (self._work if thing.path.startswith("work/") else self._summary)(thing, triples, page)

    def picture(self, thing: Thing, name: str, facet: str) -> Picture | None:
        """Return a picture of the page about a thing: ``years`` or ``locator``; None if it has none.

        ``facet`` is the filter of the search that finds the publications of ``years``; empty for the most frequent one.
        """
        match name:
            case "years" if self._publications is not None:
                return self._publications.years(thing.path, facet)
            case "locator" if thing.path.startswith("place/"):
                labels = self._names.labels(thing.iri)
                triples = self._release.graph.description(thing.iri)
                others = summaries.entity_summary(
                    thing.iri, thing.path, triples, self._base, {}, self._language
                ).other_names
                names = [label.text for label in (*labels, *others)]
                return locate(names[0] if names else thing.path, names, self._language)
        return None

    def _summary(self, thing: Thing, triples: Sequence[ox.Triple], page: int) -> EntityPage:
        labels = self._names.labels(thing.iri)
        incoming = self._release.graph.incoming(
            thing.iri,
            INCOMING_ON_PAGE,
            (page - 1) * INCOMING_ON_PAGE,
            lambda each: summaries.is_stated_twice(each, self._base),
        )
        shown = self._shown(thing, triples)
        if shown.kind == "concept" and {summaries.role_of(each) for each in incoming.things} == {"genre"}:
            shown = msgspec.structs.replace(shown, kind="genre")
        heading = labels[0].text if labels else thing.path
        address = self._form(thing, "html")
        works = WorksOfAgent()
        if thing.path.startswith("agent/"):
            works = self._works.of_agent(thing.iri, shown.kind, page, INCOMING_ON_PAGE)
        publications = PublicationsOfThing()
        if self._publications is not None:
            publications = self._publications.of_page(
                thing.path, shown.kind, page, INCOMING_ON_PAGE, works.publications
            )
        others = summaries.distinct_names(labels, shown.other_names)
        hierarchy = self._hierarchy(thing.path, shown.kind, heading) if page == 1 else Hierarchy()
        all_names = [heading, *(label.text for label in others)]
        pages = max(1, -(-incoming.total // INCOMING_ON_PAGE), works.pages)
        body = self._render(
            "summary.html",
            works=works.sections,
            publications=publications,
            locator=locate(heading, all_names, self._language) if shown.kind == "place" else None,
            heading=heading,
            heading_language=(labels[0].language if labels else "") or fields.language_of(heading),
            kind=self._language.text(summaries.KINDS[shown.kind]),
            summary=structured.entity_line(shown, self._uses(thing.path), self._language),
            entity=shown,
            person=self._release.persons.note(number.address for number in shown.numbers) if page == 1 else None,
            names=others,
            hierarchy=hierarchy,
            linked=self._named_links(shown),
            roles=self._role_lists(incoming, shown, works, bool(publications.roles or publications.decades)),
            incoming=incoming,
            page=page,
            before=f"{address}?page={page - 1}" if page > 1 else "",
            after=f"{address}?page={page + 1}" if page < pages else "",
            structured=script_json(
                structured.entity(
                    structured.SchemaThing(heading, thing.iri, summaries.SCHEMA_TYPES.get(shown.kind, "Thing")),
                    shown.years,
                    [label.text for label in others],
                    [*(number.address for number in shown.numbers if number.address), *shown.absorbed],
                )
            ),
            **self._common(thing),
        )
        return EntityPage(body, pages)

    def _shown(self, thing: Thing, triples: Sequence[ox.Triple]) -> summaries.EntitySummary:
        figures = self._release.manifest.figures.sources
        sources = {each.source: self._source_label(each.source) for each in figures}
        return summaries.entity_summary(thing.iri, thing.path, triples, self._base, sources, self._language)

    def _work(self, thing: Thing, triples: Sequence[ox.Triple], page: int) -> EntityPage:
        work = work_of(thing.iri, triples)
        shown = self._shown(thing, triples)
        heading = work.title or thing.path
        names = summaries.distinct_names(work.labels, ())
        every = summaries.distinct_names(work.labels, shown.other_names)
        facts_of_work = self._works.facts(work)
        shelf = self._works.shelf(work, page, INCOMING_ON_PAGE)
        address = self._form(thing, "html")
        body = self._render(
            "work.html",
            heading=heading,
            heading_language=(work.labels[0].language if work.labels else "") or fields.language_of(heading),
            kind=self._language.text(summaries.KINDS["work"]),
            summary=structured.work_line(self._works.makers(work), shelf.count, self._language),
            entity=shown,
            names=names,
            others=[name for name in every if name.text not in {each.text for each in names}],
            facts=facts_of_work,
            shelf=shelf,
            page=page,
            before=f"{address}?page={page - 1}" if page > 1 else "",
            after=f"{address}?page={page + 1}" if page < shelf.pages else "",
            structured=script_json(structured.work(self._works.schema(work, shelf, every, shown))),
            **self._common(thing),
        )
        return EntityPage(body, shelf.pages)

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

    def _role_lists(
        self, incoming: Incoming, shown: summaries.EntitySummary, works: WorksOfAgent, has_publications: bool
    ) -> list[views.LinkGroup]:
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
        roles = [(each, summaries.role_of(each)) for each in incoming.things]
        things = [
            each
            for each, role in roles
            if each.iri not in shown.related
            and each.iri[len(self._base) :] not in works.publications.get(group_of_role(role), ())
            and (not has_publications or role in summaries.ROLES_WITHOUT_WORKS)
        ]
        return summaries.role_lists(things, links, shown.kind, self._language)

    def _named_links(self, shown: summaries.EntitySummary) -> Mapping[str, views.PageLink]:
        """Return the links to other things of an entity by their IRIs; only those with a name."""
        others = shown.related, shown.used_instead
        iris = dict.fromkeys(chain(shown.schemes, shown.broader, shown.parts, *others))
        titles = self._names.titles(iri for iri in iris if "#" not in iri and iri.startswith(self._base))
        found = {}
        for iri in iris:
            href = self._addresses.href(iri) or iri
            last = iri.rstrip("/").rpartition("/")[2]
            scheme = codes.words_of(codes.SCHEME_LABELS, last, self._language)
            title = titles.get(iri, "")
            file = codes.name_of_file(f"{iri}/", self._language) if f"{iri}/" in codes.AUTHORITY_FILES else ""
            text = (title if title != last else "") or file or (scheme if scheme != last else views.compact(last, {}))
            found[iri] = views.PageLink(href, text, fields.language_of(text))
        return found

    def _form(self, thing: Thing, form: str) -> str:
        return self._addresses.page(f"doc/{thing.path}.{form}")

    def _common(self, thing: Thing) -> dict[str, object]:
        forms = [form for form in thing.forms if form not in ("html", "statements.html")]
        return {
            "thing": thing,
            "forms": [(form, self._form(thing, form)) for form in forms],
            "here": self._form(thing, "html"),
            "statements_href": self._form(thing, "statements.html"),
            "report_error": letter_about(thing.iri, self._release.contact),
        }
