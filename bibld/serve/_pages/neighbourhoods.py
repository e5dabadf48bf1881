"""The page with the neighbourhood of a thing as a graph, in which each neighbour can be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.model.iris import record_of_path
from bibld.search import EntryKind, NamedThing, SearchView
from bibld.serve._citations.reference import reference_of
from bibld.serve._graph import Names
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import views
from bibld.serve._pages.environment import parted
from bibld.serve._pages.lists import COMPANIONS, ListedItem, PublicationLists
from bibld.serve._pages.relatives import RelativeLists
from bibld.serve._pages.work_pages import WorkPages, WorksOfAgent
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._pictures.neighbourhood import Neighbour, Sector, draw_neighbourhood
from bibld.serve._things import OpenRelease

MAX_OPENED = 4
"""Things whose neighbours are shown beside those of the thing in the middle."""

_MAX_OF_A_KIND = 8
_MAX_OF_AN_OPENED, _MAX_OF_ITS_KINDS = 12, 3

_LINKED = {
    "author": message("People and organisations"),
    "subject": COMPANIONS[EntryKind.SUBJECT],
    "publisher": COMPANIONS[EntryKind.PUBLISHER],
    "place": COMPANIONS[EntryKind.PLACE],
    "series": COMPANIONS[EntryKind.SERIES],
}
"""What a publication is linked to (``NamedThing.data``), in words."""

Render = Callable[..., bytes]
"""Renders a template (its name) with values."""


class _Other(msgspec.Struct, frozen=True):
    """A neighbour: its path, its name, and how many publications link it."""

    path: str
    name: str
    count: int = 1


class _Group(msgspec.Struct, frozen=True):
    """Neighbours of one kind, of which there are ``total``; ``href`` leads to all of them, or is empty."""

    heading: str
    others: tuple[_Other, ...]
    total: int
    href: str = ""


class NeighbourhoodPages:
    """Makes these pages in one language."""

    def __init__(
        self, release: OpenRelease, search: SearchView, names: Names, language: PageLanguage, render: Render
    ) -> None:
        self._search = search
        self._names = names
        self._addresses = release.addresses
        self._catalog = release.catalog
        self._language = language
        self._render = render
        self._publications = PublicationLists(search, release.addresses, language)
        self._works = WorkPages(release, names, language)
        self._relatives = RelativeLists(release, names, language)

    def page(self, path: str, opened: Sequence[str]) -> bytes | None:
        """Return the page about a thing (its path) with some of its neighbours opened; None if it is unknown."""
        named = self._search.named(path)
        if named is None:
            return None
        return self._render(
            "neighbourhood.html",
            here=self._addresses.page(f"neighbourhood/{path}"),
            query_string=_query(opened),
            heading=_name(named),
            page_of_thing=self._addresses.page(path),
            picture=self._draw(named, opened),
            file=self._address(path, opened, ".svg"),
            is_opened=bool(opened),
        )

    def picture(self, path: str, opened: Sequence[str]) -> Picture | None:
        """Return the picture of a page."""
        named = self._search.named(path)
        return self._draw(named, opened) if named is not None else None

    def _draw(self, middle: NamedThing, opened: Sequence[str]) -> Picture:
        text = self._language.text
        shown = {middle.path: _name(middle)}
        sectors = []
        for group in self._around(middle):
            kept = group.others[:_MAX_OF_A_KIND]
            shown.update((each.path, each.name) for each in kept)
            rest = group.total - len(kept)
            more = text("and %(number)s more", number=rest) if rest > 0 else ""
            neighbours = tuple(self._neighbour(each, middle.path, opened) for each in kept)
            sectors.append(Sector(group.heading, neighbours, more, group.href))
        for path in opened:
            named = self._search.named(path)
            if named is not None:
                sectors.append(self._opened(named, middle.path, opened, shown))
        caption = Caption(
            "neighbourhood",
            text("Neighbourhood"),
            text("What is linked with it in most publications. Each name opens: its own neighbours appear, too."),
            (text("Name"), text("How it is linked"), text("Publications")),
        )
        return draw_neighbourhood(caption, _name(middle), sectors)

    def _opened(self, named: NamedThing, middle: str, opened: Sequence[str], names: dict[str, str]) -> Sector:
        """Return the neighbours of an opened neighbour that have no name in the picture yet, and note their names."""
        others = []
        for group in self._around(named):
            new = [each for each in group.others if each.path not in names]
            others += [(each, group.heading) for each in new[:_MAX_OF_ITS_KINDS]]
        kept = others[:_MAX_OF_AN_OPENED]
        names.update((each.path, each.name) for each, _ in kept)
        neighbours = tuple(self._neighbour(each, middle, opened, heading) for each, heading in kept)
        own = self._address(named.path, (), "")
        return Sector(_name(named), neighbours, self._language.text("Its own graph"), own, names.get(named.path, ""))

    def _neighbour(self, other: _Other, middle: str, opened: Sequence[str], heading: str = "") -> Neighbour:
        """Return a neighbour that opens by its link, or closes if it is open."""
        left = [path for path in opened if path != other.path]
        following = left if len(left) < len(opened) else [*opened, other.path][-MAX_OPENED:]
        tip = f"{heading}: {other.name}" if heading else other.name
        return Neighbour(
            other.name, self._address(middle, following, ""), other.count, tip, self._addresses.page(other.path)
        )

    def _address(self, path: str, opened: Sequence[str], suffix: str) -> str:
        address = f"{self._addresses.page(f'neighbourhood/{path}')}{suffix}"
        return f"{address}?{_query(opened)}" if opened else address

    # -- what is around a thing

    def _around(self, named: NamedThing) -> Iterator[_Group]:
        """Yield the neighbours of a thing, kind by kind."""
        yield from (group for group in self._groups(named) if group.others)

    def _groups(self, named: NamedThing) -> Iterator[_Group]:
        if named.kind is EntryKind.PUBLICATION:
            yield from self._of_publication(named)
            return
        kind = "person" if named.kind is EntryKind.PERSON else ""
        start = self._addresses.mount
        made = WorksOfAgent()
        if named.kind is EntryKind.WORK:
            yield from self._of_work(named)
        elif named.path.startswith("agent/"):
            made = self._works.of_agent(self._addresses.iris.base + named.path, kind, 1, _MAX_OF_A_KIND)
            for section in made.sections:
                yield self._group(section.heading, section.lines, section.total, named.path)
        for role in self._publications.in_roles(named.path, kind, listed=made.publications):
            publications = [each for decade in role.decades for each in decade.publications]
            publications.sort(key=lambda each: (-len(each.libraries), each.year or "9999", each.title))
            yield self._group(role.heading, publications, role.count, named.path, role.href)
        for companions in self._publications.companions(named.path):
            others = tuple(
                _Other(thing.href.removeprefix(start), parted(thing.text), thing.count) for thing in companions.links
            )
            yield _Group(companions.heading, others, len(others), self._addresses.page(named.path))

    def _of_publication(self, named: NamedThing) -> Iterator[_Group]:
        yield from self._linked(named)
        merged = self._catalog.merged(record_of_path(named.path.removeprefix("resource/")))
        if merged is None:  # the catalog has changed since the release
            return
        iri = self._addresses.iris.resource(merged.cluster.founder)
        reference = reference_of(merged.mods, iri, merged.sources)
        found = self._relatives.relatives(merged, reference, self._works.lists.work_of_publication(iri))
        text = self._language.text
        work = [_Other(found.work.path, found.work.text, max(1, found.work.count))] if found.work is not None else []
        yield _Group(text("Work"), tuple(work), len(work), self._addresses.page(named.path))
        groups: list[tuple[str, Sequence[ListedItem], int]] = [
            (text("Part of"), found.hosts, len(found.hosts)),
            *((group.heading, group.lines, group.total) for group in found.parts),
            (text("Other volumes"), found.volumes, len(found.volumes)),
            (text("Other editions"), found.editions, len(found.editions)),
            *((section.heading, section.lines, section.total) for section in found.works),
        ]
        for heading, lines, total in groups:
            yield self._group(heading, lines, total, named.path)

    def _of_work(self, named: NamedThing) -> Iterator[_Group]:
        work = self._works.lists.work(self._addresses.iris.base + named.path)
        if work is None:
            return
        for fact in self._works.facts(work):
            others = tuple(
                _Other(link.path, parted(link.text), max(1, link.count)) for link in fact.values if link.path
            )
            yield _Group(fact.label, others, len(others), self._addresses.page(named.path))
        shelf = self._works.shelf(work, 1, _MAX_OF_A_KIND)
        yield self._group(self._language.text("Editions"), shelf.editions, shelf.count, named.path)
        for section in shelf.sections:
            yield self._group(section.heading, section.lines, section.total, named.path)

    def _group(self, heading: str, lines: Sequence[ListedItem], total: int, path: str, href: str = "") -> _Group:
        """Return publications or works as neighbours; ``href`` leads to all of them, or the page of a path does."""
        mount = self._addresses.mount
        others = tuple(_Other(line.href.removeprefix(mount), _with_year(line.title, line.year)) for line in lines)
        return _Group(heading, others, total, href or self._addresses.page(path))

    def _linked(self, named: NamedThing) -> Iterator[_Group]:
        """Yield the people, subjects and other things that a publication is linked to."""
        base = self._addresses.iris.base
        titles = self._names.titles(base + path for name in _LINKED for path in named.data.get(name, ()))
        for name, heading in _LINKED.items():
            paths = named.data.get(name, ())
            known = [(path, title) for path in paths if (title := titles.get(base + path))]
            others = tuple(_Other(path, parted(title)) for path, title in known if views.is_worth_a_visit(path, title))
            if others:
                yield _Group(self._language.text(heading), others, len(others))


def _query(opened: Sequence[str]) -> str:
    return urlencode([("open", path) for path in opened], safe="/~")


def _name(named: NamedThing) -> str:
    """Return the name of a thing as pages show it: with dashes between the parts of a heading."""
    return named.title if named.kind is EntryKind.PUBLICATION else parted(named.title)


def _with_year(title: str, year: str) -> str:
    return f"{title}, {year}" if year else title
