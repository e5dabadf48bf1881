"""The page of a work: its facts, and a shelf of its editions, translations, parts and other related works."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, TypeVar

import msgspec

from bibld.model.rdf import expand
from bibld.search import StoredPublication
from bibld.serve._addresses import CatalogueLinks
from bibld.serve._graph import Label, Names
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import codes, fields, views, works
from bibld.serve._pages.lists import (
    ListedItem,
    PublicationLine,
    by_issue,
    by_number,
    by_year,
    group_of_role,
    line_of,
    numbers_of,
)
from bibld.serve._pages.structured import SchemaThing, SchemaWork
from bibld.serve._pages.summaries import EntitySummary, role_heading
from bibld.serve._pages.views import PageLink
from bibld.serve._pages.works import TRANSLATOR, StatedWork, WorkLine, WorkLists
from bibld.serve._things import OpenRelease

_BOOKS = frozenset(("book", "multivolume"))
_PERIODICAL = "periodical"
_FROM_WORK = {
    works.TRANSLATION_OF: message("Translation of"),
    works.PART_OF: message("Part of"),
    works.DERIVATIVE_OF: message("Based on"),
    works.PRECEDED_BY: message("Continues"),
    works.SUCCEEDED_BY: message("Continued by"),
}
"""Properties of a work whose values are works → how a fact of its page is called."""

_INVERSE = {works.PRECEDED_BY: works.SUCCEEDED_BY, works.SUCCEEDED_BY: works.PRECEDED_BY}
_IN_LISTS = frozenset(
    (
        works.INSTANCE_OF, works.TRANSLATION_OF, works.PART_OF, works.HAS_PART, works.DERIVATIVE_OF, works.RELATED_TO,
        works.PRECEDED_BY, works.SUCCEEDED_BY, works.SUBJECT, expand("dcterms:subject"),
    )
)  # fmt: skip
"""Properties that point to a work for which its page has a list or a fact, and that of publications about it."""


_VALUES = {
    works.LANGUAGE: message("Language"),
    works.CONTENT: message("Form"),
    works.GENRE_FORM: message("Genre"),
    works.SUBJECT: message("Subjects"),
    works.AUDIENCE: message("Audience"),
}
"""Other properties of a work → how a fact of its page is called."""


_SECTIONS = {
    "originals": message("Original"),
    "volumes": message("Volumes"),
    "issues": message("Issues"),
    "parts": message("Parts"),
    "articles": message("Articles and chapters"),
    "translations": message("Translations"),
    "others": message("Other translations"),
    "contents": message("Contains"),
    "collections": message("In collections"),
    "derived": message("Adaptations and other works based on it"),
    "related": message("Related works"),
    "about": message("Works about it"),
}
"""Lists of works on the page of one → their headings."""

_CREATORS = frozenset(("aut", "cre", "cmp"))
"""Roles in which an agent is the first whom a work names."""

_MAX_BESIDE = 12
_MAX_SORTED = 300
"""Works of one list that are all read, to be sorted by what is stated about them."""


_SCHEMA_OF_WORKS = {
    works.TRANSLATION_OF: "translationOfWork",
    works.PART_OF: "isPartOf",
    works.DERIVATIVE_OF: "isBasedOn",
}
"""Properties of works → those of schema.org."""

_LISTS_OF_PARTS = ("volumes", "issues", "parts", "contents")


class WorkFact(msgspec.Struct, frozen=True):
    """What is stated about a work: a label and values, of which those without an address are text."""

    label: str
    values: tuple[PageLink, ...]


class SectionGroup(msgspec.Struct, frozen=True):
    """Works below a heading, or without one."""

    heading: str
    lines: tuple[WorkLine, ...]


class WorkSection(msgspec.Struct, frozen=True):
    """A list of works on a page: some of ``total``, in groups. ``name`` is its id in the page.

    ``is_all`` is false where counting was given up.
    """

    name: str
    heading: str
    total: int
    groups: tuple[SectionGroup, ...]
    is_all: bool = True

    @property
    def lines(self) -> list[WorkLine]:
        """The works of all groups."""
        return [line for group in self.groups for line in group.lines]


class LibraryCount(msgspec.Struct, frozen=True):
    """A library (the id of the source) with the number of editions that it has.

    ``href`` is the address of the first of them in its own catalogue, empty if none is known.
    """

    source: str
    editions: int
    href: str = ""


class Shelf(msgspec.Struct, frozen=True):
    """What a page of a work lists: some of its editions, of which there are ``count``, and other works.

    ``named_by`` are other things that name it. ``pages`` is the number of pages that all lists need. ``is_book``: its
    editions are books.
    """

    count: int
    editions: tuple[PublicationLine, ...]
    holders: tuple[LibraryCount, ...]
    sections: tuple[WorkSection, ...]
    named_by: tuple[PageLink, ...]
    pages: int
    is_book: bool


_Item = TypeVar("_Item")
_Order = Callable[[WorkLine], tuple[Any, ...]]


class WorksOfAgent(msgspec.Struct, frozen=True):
    """The works of an agent on a page by role; ``publications`` are the paths of those of all its works, by role.

    ``pages`` is the number of pages that the lists need.
    """

    sections: Sequence[WorkSection] = ()
    publications: Mapping[str, Set[str]] = {}
    pages: int = 0


class _Slice(NamedTuple):
    """The part of each list that a page shows."""

    start: int
    size: int

    def of(self, items: Sequence[_Item]) -> Sequence[_Item]:
        return items[self.start : self.start + self.size]


class WorkPages:
    """Reads what pages show of works, in one language."""

    def __init__(self, release: OpenRelease, names: Names, language: PageLanguage) -> None:
        self.lists = WorkLists(release, names, language)
        self._graph = release.graph
        self._addresses = release.addresses
        self._catalogues = CatalogueLinks(release.manifest.figures.sources)
        self._base = release.addresses.iris.base
        self._names = names
        self._language = language

    # -- facts

    def facts(self, work: StatedWork) -> list[WorkFact]:
        """Return what is stated about a work, apart from its titles."""
        pointing = self.lists.pointing([work])
        related = {
            predicate: [
                link
                for link in self._work_links(
                    [*work.values.get(predicate, ()), *pointing.get(_INVERSE.get(predicate, ""), ())]
                )
                if link.href != self.lists.href(work)
            ]
            for predicate in _FROM_WORK
        }
        found = self._agent_facts(work)
        found += [(self._language.text(label), related[predicate]) for predicate, label in _FROM_WORK.items()]
        found += [(self._language.text(label), self._values(work, predicate)) for predicate, label in _VALUES.items()]
        return [WorkFact(label, tuple(links)) for label, links in found if links]

    def _agent_facts(self, work: StatedWork) -> list[tuple[str, list[PageLink]]]:
        """Return the agents of a work by role."""
        found: dict[str, list[PageLink]] = {}
        for agent, name in self.lists.people(work):
            link = self._link_of(agent.iri, name)
            words = [codes.role_words(code, self._language) for code in agent.roles if not agent.terms or code != "ctb"]
            for role in (*words, *agent.terms):
                if role:
                    found.setdefault(role[:1].upper() + role[1:], []).append(link)
        return list(found.items())

    @staticmethod
    def concepts(work: StatedWork) -> list[str]:
        """Return the IRIs of the genres and audiences of a work."""
        return [iri for predicate in (works.GENRE_FORM, works.AUDIENCE) for iri in work.values.get(predicate, ())]

    def _values(self, work: StatedWork, predicate: str) -> list[PageLink]:
        iris = work.values.get(predicate, ())
        links = self._links(iri for iri in iris if iri.startswith(self._base))
        found = []
        for iri in iris:
            words = codes.term_words(iri, self._language)
            link = links.get(iri)
            if link is not None and (predicate == works.AUDIENCE or views.is_worth_a_visit(link.path, link.text)):
                found.append(link)
            elif words:
                found.append(PageLink("", words))
        return list({link.text.casefold(): link for link in found}.values())

    def _links(self, iris: Iterable[str]) -> dict[str, PageLink]:
        """Return the links to things of the dataset that have a name, by their IRIs."""
        iris = dict.fromkeys(iris)
        titles = self._names.titles(iris) if iris else {}
        return {iri: self._link_of(iri, title) for iri, title in titles.items()}

    def _link_of(self, iri: str, title: str) -> PageLink:
        path = self._addresses.iris.path(iri) or ""
        return PageLink(self._addresses.href(iri) or iri, title, fields.language_of(title), path=path)

    def _work_links(self, iris: Iterable[str]) -> list[PageLink]:
        return [self.link(work) for work in self.lists.works(iris)]

    def link(self, work: StatedWork) -> PageLink:
        """Return the link to the page of a work."""
        title, language = self.lists.title(work)
        path = work.iri.removeprefix(self._base)
        return PageLink(self._addresses.page(path), title, language, len(work.instances), path=path)

    def makers(self, work: StatedWork) -> list[str]:
        """Return the names of those under whom a work is entered."""
        return [name for agent, name in self.lists.people(work) if agent.is_primary]

    def schema(self, work: StatedWork, shelf: Shelf, others: Iterable[Label], shown: EntitySummary) -> SchemaWork:
        """Return a work in terms of schema.org, with what its page lists."""
        kind = "Book" if shelf.is_book else "CreativeWork"
        lists = {section.name: [self._schema_of(line) for line in section.lines] for section in shelf.sections}
        agents: dict[str, list[SchemaThing]] = {"author": [], "translator": []}
        for agent, name in self.lists.people(work):
            role = "translator" if TRANSLATOR in agent.roles else "author" if agent.is_primary else ""
            if role:
                agents[role].append(SchemaThing(name, agent.iri, ""))
        linked = {
            name: [
                SchemaThing(link.text, self._base + link.path, "CreativeWork")
                for link in self._work_links(work.values.get(predicate, ()))
            ]
            for predicate, name in _SCHEMA_OF_WORKS.items()
        }
        parts = [thing for name in _LISTS_OF_PARTS for thing in lists.get(name, ())]
        return SchemaWork(
            SchemaThing(work.title, work.iri, kind),
            [label.text for label in others],
            work.languages,
            [*(number.address for number in shown.numbers if number.address), *shown.absorbed],
            [(self._schema_of(line, kind), line.year) for line in shelf.editions],
            {**agents, **linked, "workTranslation": lists.get("translations", []), "hasPart": parts},
        )

    def _schema_of(self, line: ListedItem, kind: str = "CreativeWork") -> SchemaThing:
        return SchemaThing(line.title, self._base + line.href.removeprefix(self._addresses.mount), kind)

    # -- the shelf

    def shelf(self, work: StatedWork, page: int, size: int) -> Shelf:
        """Return what a page of a work lists; ``page`` counts from 1, ``size`` is that of each list on it."""
        shown = _Slice((page - 1) * size, size)
        pointing = self.lists.pointing([work])
        editions = self.lists.editions(work)
        types = {each.type for each in editions}
        related = [*work.values.get(works.RELATED_TO, ()), *pointing.get(works.RELATED_TO, ())]
        sections = [
            self._parts(work, pointing.get(works.PART_OF, ()), shown, is_serial=_PERIODICAL in types),
            self._translations("translations", work, pointing.get(works.TRANSLATION_OF, ()), shown),
            self._translations("others", work, self.other_translations(work), shown),
            self._works("contents", work, work.values.get(works.HAS_PART, ()), shown),
            self._works("collections", work, pointing.get(works.HAS_PART, ()), shown),
            self._works("derived", work, pointing.get(works.DERIVATIVE_OF, ()), shown),
            self._works("related", work, related, shown),
            self._works("about", work, pointing.get(works.SUBJECT, ()), shown),
        ]
        totals = [len(editions), *(section.total for section in sections)]
        return Shelf(
            count=len(work.instances),
            editions=tuple(line_of(each, self._addresses, has_agents=False) for each in shown.of(editions)),
            holders=self._holders(editions),
            sections=tuple(section for section in sections if section.lines),
            named_by=tuple(shown.of(self._named_by(work, pointing))),
            pages=max(1, -(-max(totals) // size)),
            is_book=bool(types & _BOOKS),
        )

    def _holders(self, editions: Iterable[StoredPublication]) -> tuple[LibraryCount, ...]:
        """Return the libraries that have some publications, those with most of them first."""
        counts: Counter[str] = Counter()
        hrefs: dict[str, str] = {}
        for each in editions:
            counts.update(each.libraries)
            for source, href in self._catalogues.libraries(each.records, next(iter(each.isbns), "")):
                hrefs[source] = hrefs.get(source) or href
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(LibraryCount(source, count, hrefs.get(source, "")) for source, count in ordered)

    def other_translations(self, work: StatedWork) -> list[str]:
        """Return the IRIs of the other translations of what a work is a translation of."""
        originals = self.lists.works(work.values.get(works.TRANSLATION_OF, ()))
        return self.lists.pointing(originals).get(works.TRANSLATION_OF, []) if originals else []

    def _named_by(self, work: StatedWork, pointing: Mapping[str, Sequence[str]]) -> list[PageLink]:
        """Return the other things that point to a work."""
        iris = {
            iri.partition("#")[0]
            for predicate, subjects in pointing.items()
            if predicate not in _IN_LISTS
            for iri in subjects
        }
        links = self._links(iri for iri in sorted(iris.difference(work.iris)) if iri.startswith(self._base))
        return sorted(links.values(), key=lambda link: (link.text.casefold(), link.href))

    def _works(self, name: str, work: StatedWork, iris: Sequence[str], shown: _Slice) -> WorkSection:
        """Return a list of works by title."""
        total, lines = self._lines(work, iris, "aut", shown, lambda line: (line.title.casefold(), *by_year(line)))
        return WorkSection(name, self._language.text(_SECTIONS[name]), total, (SectionGroup("", tuple(lines)),))

    def _parts(self, work: StatedWork, iris: Sequence[str], shown: _Slice, *, is_serial: bool) -> WorkSection:
        """Return the volumes, issues or parts of a work by their numbers, articles and chapters last."""
        order = by_issue if is_serial else by_number
        total, lines = self._lines(work, iris, "", shown, lambda line: (line.is_article, *order(line)))
        articles = [line for line in lines if line.is_article]
        others = [line for line in lines if not line.is_article]
        name = "issues" if is_serial else "volumes" if all(numbers_of(line.title) for line in others) else "parts"
        if not others:
            return self._section("articles", total, [("", articles)])
        return self._section(name, total, [("", others), (_SECTIONS["articles"], articles)])

    def _translations(self, name: str, work: StatedWork, iris: Sequence[str], shown: _Slice) -> WorkSection:
        """Return translations by language, in each by year."""

        def language(line: WorkLine) -> str:
            names = map(self._language.name_of_language, line.languages)
            text = ", ".join(names) or self._language.text("Language not stated")
            return text[:1].upper() + text[1:]

        total, lines = self._lines(work, iris, TRANSLATOR, shown, lambda line: (language(line), *by_year(line)))
        groups = [(name, list(group)) for name, group in itertools.groupby(lines, language)]
        return self._section(name, total, groups)

    def _section(self, name: str, total: int, groups: Iterable[tuple[str, Sequence[WorkLine]]]) -> WorkSection:
        found = tuple(SectionGroup(self._language.text(heading), tuple(lines)) for heading, lines in groups if lines)
        return WorkSection(name, self._language.text(_SECTIONS[name]), total, found)

    def _lines(
        self,
        work: StatedWork,
        iris: Iterable[str],
        role: str,
        shown: _Slice,
        key: Callable[[WorkLine], tuple[Any, ...]],
    ) -> tuple[int, Sequence[WorkLine]]:
        """Return how many works there are among some IRIs, and the lines of those that are shown, in an order.

        Too many to be read are in the order of the numbers in their titles.
        """
        iris = dict.fromkeys(iris)
        if not iris:
            return 0, []
        titles = self._names.titles(iris)
        ordered = sorted(titles, key=lambda iri: (numbers_of(titles[iri]), titles[iri].casefold(), iri))
        if len(ordered) > _MAX_SORTED:
            return len(ordered), self.lists.lines(self.lists.works(shown.of(ordered)), role)
        found = [each for each in self.lists.works(ordered) if each.iri != work.iri]
        return len(found), shown.of(sorted(self.lists.lines(found, role), key=key))

    # -- beside a publication, and below a person

    def beside(self, work: StatedWork, *, has_volumes: bool) -> list[WorkSection]:
        """Return the volumes beside the work of a publication, its own ones, its original and translations.

        ``has_volumes``: the page has publications that are its volumes, or other volumes, already.
        """
        shown = _Slice(0, _MAX_BESIDE)
        pointing = self.lists.pointing([work])
        wholes = self.lists.works(work.values.get(works.PART_OF, ()))
        siblings = self.lists.pointing(wholes).get(works.PART_OF, []) if wholes else []
        sections = [
            self._works("originals", work, work.values.get(works.TRANSLATION_OF, ()), shown),
            self._translations("translations", work, pointing.get(works.TRANSLATION_OF, ()), shown),
            self._translations("others", work, self.other_translations(work), shown),
        ]
        if not has_volumes:
            sections.insert(0, self._parts(work, pointing.get(works.PART_OF, ()), shown, is_serial=False))
            volumes = self._parts(work, siblings, shown, is_serial=False)
            volumes = msgspec.structs.replace(volumes, name="siblings", heading=self._language.text("Other volumes"))
            sections.insert(1, volumes)
        return [section for section in sections if section.lines]

    def of_agent(self, iri: str, kind: str, page: int, size: int) -> WorksOfAgent:
        """Return the works of an agent by role, those with most publications first.

        Translations of a work of the agent, and its volumes, are counted with it.
        """
        nodes = (node.partition("#") for node in self._graph.subjects(works.AGENT, iri, works.MAX_POINTING))
        iris = dict.fromkeys(thing for thing, mark, _ in nodes if mark and thing.startswith(f"{self._base}work/"))
        read = self.lists.works(iris)
        by_role: dict[str, list[StatedWork]] = {}
        for work in read:
            for role in (role for agent in work.agents if agent.iri == iri for role in agent.roles):
                by_role.setdefault(group_of_role(role), []).append(work)
        sections = []
        for role, own in by_role.items():
            folded = _fold(own)
            folded.sort(key=lambda work: (-len(work.instances), work.title.casefold(), work.iri))
            shown = folded[(page - 1) * size : page * size]
            lines = self.lists.lines(shown, "" if role in _CREATORS else "aut")
            heading, is_all = role_heading(role, kind, self._language), len(iris) <= works.MAX_READ
            sections.append(WorkSection(role, heading, len(folded), (SectionGroup("", tuple(lines)),), is_all))
        sections.sort(key=lambda section: (-section.total, section.name))
        publications = {
            role: {instance.removeprefix(self._base) for work in own for instance in work.instances}
            for role, own in by_role.items()
        }
        pages = -(-max((section.total for section in sections), default=0) // size)
        return WorksOfAgent([section for section in sections if section.lines], publications, pages)


def _fold(found: Sequence[StatedWork]) -> list[StatedWork]:
    """Return works with the publications and languages of those among them that are their translations or volumes."""
    answering = {iri: work.iri for work in found for iri in work.iris}
    above: dict[str, str] = {}
    for work in found:
        wholes = work.values.get(works.PART_OF, ()) if numbers_of(work.title) else ()
        known = [answering.get(iri, work.iri) for iri in (*work.values.get(works.TRANSLATION_OF, ()), *wholes)]
        top = next((iri for iri in known if iri != work.iri), None)
        if top is not None:
            above[work.iri] = top
    below: dict[str, list[StatedWork]] = {}
    for work in found:
        below.setdefault(_top(work.iri, above), []).append(work)
    tops = {work.iri: work for work in found}
    return [_with_publications(tops[iri], members) for iri, members in below.items()]


def _top(iri: str, above: Mapping[str, str]) -> str:
    """Return the work under which one is listed; of a cycle it is the one with the first IRI."""
    seen = [iri]
    while (iri := above.get(iri, iri)) not in seen:
        seen.append(iri)
    return iri if iri == seen[-1] else min(seen[seen.index(iri) :])


def _with_publications(work: StatedWork, members: Sequence[StatedWork]) -> StatedWork:
    """Return a work with the publications and languages of several."""
    others = [each for each in members if each is not work]
    values = {
        predicate: tuple(dict.fromkeys(value for each in (work, *others) for value in each.values.get(predicate, ())))
        for predicate in (works.HAS_INSTANCE, works.LANGUAGE)
    }
    return msgspec.structs.replace(work, values={**work.values, **values})
