"""The publications that are linked to a thing, by year and role, and what occurs together with it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Protocol
from urllib.parse import urlencode

import msgspec

from bibld.search import EntryKind, SearchRequest, SearchView, StoredPublication
from bibld.serve._addresses import Addresses
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import fields
from bibld.serve._pages.facts import folded
from bibld.serve._pages.summaries import role_heading
from bibld.serve._pages.views import LinkGroup, PageLink
from bibld.serve._pictures.columns import Words, draw_years
from bibld.serve._pictures.drawing import Caption, Picture

_FACET_OF_FOLDER = {
    "agent": "author",
    "concept": "subject",
    "publisher": "publisher",
    "series": "series",
    "work": "subject",
}
"""First segment of a path → the filter of the search for roles that are none of ``_FACET_OF_ROLE``."""

_FACET_OF_ROLE = {"subject": "subject", "publisher": "publisher", "series": "series", "place": "place"}
"""Roles of the search → the filter that finds the publications of a thing in such a role."""

_ROLES = {
    "subject": "about",
    "publisher": "published",
    "place": "published",
    "agent": "ctb",
    "creator": "aut",
    "cre": "aut",
    "contributor": "ctb",
}
"""Roles of the search → those of ``summaries.ROLE_HEADINGS``."""

COMPANIONS = {
    EntryKind.PERSON: message("Together with"),
    EntryKind.SUBJECT: message("Subjects"),
    EntryKind.PUBLISHER: message("Publishers"),
    EntryKind.SERIES: message("Series"),
    EntryKind.PLACE: message("Places"),
}
"""The kinds of things that occur together with a thing, in words."""

_MAX_COMPANIONS = 12
_MAX_IN_A_ROLE = 60
_MIN_YEARS = 3
_MAX_LEFT_OUT = 500
_NOTHING: Mapping[str, Set[str]] = {}
_END_OF_MAIN_TITLE = re.compile(r"\.\s")
_NUMBER = re.compile(r"\d{1,9}")
_END_OF_TITLE = re.compile(r"\s[:=/;]\s|\.\s")


class PublicationLine(msgspec.Struct, frozen=True):
    """A publication in a list: ``agents`` in one line, ``libraries`` are ids of sources.

    ``imprint`` is place and publisher, ``parts`` are volumes and statements of the edition. ``records`` are paths after
    ``record/``.
    """

    href: str
    title: str
    language: str
    year: str
    agents: str = ""
    libraries: tuple[str, ...] = ()
    imprint: str = ""
    parts: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    isbn: str = ""


class ListedItem(Protocol):
    """What is sorted in a list: a publication or a work."""

    @property
    def href(self) -> str:
        """The address of its page."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def year(self) -> str:
        """The year of publication, of a work that of the first one; it may be empty."""


class Decade(msgspec.Struct, frozen=True):
    """Publications of ten years; ``name`` is empty for those without a year."""

    name: str
    publications: tuple[PublicationLine, ...]


class PublicationsInRole(msgspec.Struct, frozen=True):
    """Publications in one role: ``count`` of them in all, of which some are in ``decades``.

    ``href`` is the address of the search for them, which may find those in other roles, too: a search for a person does
    not know what the person did. The last list that has the address has ``found``, the number that the search finds,
    and in ``is_shared`` whether lists before it have the address, too.
    """

    heading: str
    count: int
    decades: tuple[Decade, ...]
    href: str = ""
    found: int = 0
    is_shared: bool = False


class Timeline(msgspec.Struct, frozen=True):
    """A picture of publications by year; ``file`` is its address as a file, empty where no server answers."""

    picture: Picture
    file: str


class PublicationsOfThing(msgspec.Struct, frozen=True):
    """What a page shows of the publications of a thing: on the first one by role, with timelines, else by decade.

    ``all_href`` is the address of the search for them in the most frequent roles; on further pages it is empty where
    several searches find them. Each search has a timeline, since what is published in a place is not about it.
    """

    roles: Sequence[PublicationsInRole] = ()
    decades: tuple[Decade, ...] = ()
    timelines: Sequence[Timeline] = ()
    companions: Sequence[LinkGroup] = ()
    all_href: str = ""


class PublicationLists(msgspec.Struct, frozen=True):
    """Reads lists of publications from the names of a release, for pages in one language.

    Without ``has_search`` the pages are on a site that has no search, so nothing leads to it.
    """

    search: SearchView
    addresses: Addresses
    language: PageLanguage
    has_search: bool = True

    def of_page(
        self, path: str, kind: str, page: int, size: int, listed: Mapping[str, Set[str]] = _NOTHING
    ) -> PublicationsOfThing:
        """Return what a page shows of the publications of a thing; ``page`` counts from 1, ``size`` is that of one.

        ``listed`` are the paths of the publications that the page has below their works, by role.
        """
        if page > 1:
            decades = self.page(path, kind, size, (page - 1) * size)
            has_one_search = bool(decades) and len(self.facets(path)) == 1
            return PublicationsOfThing(decades=decades, all_href=self.search_href(path) if has_one_search else "")
        facets = self.facets(path)
        if not facets:
            return PublicationsOfThing()
        roles = self.in_roles(path, kind, facets, listed)
        drawn = [(facet, self._draw_years(path, facet, facets)) for facet in facets]
        address = f"{self.addresses.page(f'picture/years/{path}')}.svg" if self.has_search else ""
        timelines = [
            Timeline(picture, f"{address}?of={facet}" if address and len(facets) > 1 else address)
            for facet, picture in drawn
            if picture is not None
        ]
        return PublicationsOfThing(roles, (), timelines, self.companions(path), self.search_href(path))

    def in_roles(
        self,
        path: str,
        kind: str,
        facets: Mapping[str, Sequence[str]] | None = None,
        listed: Mapping[str, Set[str]] = _NOTHING,
    ) -> list[PublicationsInRole]:
        """Return the publications of a thing by role, those together that one search finds, the most frequent first.

        ``facets`` are those that ``facets`` returns, if they are known. ``listed`` are the paths of publications that
        are left out, by role.
        """
        facets = facets if facets is not None else self.facets(path)
        groups: dict[tuple[str, str], dict[str, StoredPublication]] = {}
        totals: dict[tuple[str, str], int] = {}
        for facet, role in ((facet, role) for facet, roles in facets.items() for role in roles):
            group = facet, group_of_role(role)
            left_out = listed.get(group[1], frozenset())
            limit = _MAX_IN_A_ROLE + min(len(left_out), _MAX_LEFT_OUT)
            publications, total = self.search.works(path, role, "year", limit)
            known = groups.setdefault(group, {})
            new = [each for each in publications if each.path not in left_out and each.path not in known]
            totals[group] = totals.get(group, 0) + total - (len(publications) - len(new))
            known.update((each.path, each) for each in new)
        found = []
        for facet in facets:
            href = self.search_href(path, facet)
            of_facet = [group for group in groups if group[0] == facet and groups[group]]
            of_facet.sort(key=lambda group: -totals[group])
            for group in of_facet:
                is_last = group == of_facet[-1]
                heading = role_heading(group[1], kind, self.language)
                decades = self._decades(list(groups[group].values())[:_MAX_IN_A_ROLE], kind)
                count = self._count(path, facet) if is_last else 0
                is_shared = is_last and len(of_facet) > 1
                found.append(PublicationsInRole(heading, totals[group], decades, href, count, is_shared))
        return found

    def facets(self, path: str) -> dict[str, list[str]]:
        """Return the filters of the search that find publications of a thing, with its roles, the most frequent first.

        The most frequent role of a filter decides where it is.
        """
        found: dict[str, list[str]] = {}
        for role, _ in self.search.roles(path):
            facet = _FACET_OF_ROLE.get(role) or _FACET_OF_FOLDER.get(path.partition("/")[0], "author")
            found.setdefault(facet, []).append(role)
        return found

    def _count(self, path: str, facet: str) -> int:
        """Return how many publications a filter of the search finds."""
        return self.search.works(path, "agent" if facet == "author" else facet, limit=0)[1]

    def page(self, path: str, kind: str, limit: int, offset: int) -> tuple[Decade, ...]:
        """Return some publications of a thing in the order of their years."""
        works, _ = self.search.works(path, None, "year", limit, offset)
        return self._decades(works, kind)

    def years(self, path: str, facet: str = "") -> Picture | None:
        """Draw the publications of a thing by year; None if there are few years.

        ``facet`` is the filter of the search that finds them, empty for that of the most frequent role.
        """
        facets = self.facets(path)
        facet = facet or next(iter(facets), "")
        return self._draw_years(path, facet, facets) if facet in facets else None

    def _draw_years(self, path: str, facet: str, facets: Mapping[str, Sequence[str]]) -> Picture | None:
        counts = self.search.years(SearchRequest(filters={facet: (path,)}))
        if len(counts) < _MIN_YEARS:
            return None
        title = self.language.text("Publications by year")
        groups = list(dict.fromkeys(_ROLES.get(role, role) for role in facets[facet]))
        if len(facets) > 1 and len(groups) == 1:
            title = f"{title}: {role_heading(groups[0], '', self.language)}"
        caption = Caption(
            "years" if len(facets) == 1 else f"years-{facet}",
            title,
            self.language.plural(
                "%(num)s publication with a year, from %(first)s to %(last)s",
                "%(num)s publications with a year, from %(first)s to %(last)s",
                sum(count for _, count in counts),
                first=counts[0][0],
                last=counts[-1][0],
            ),
            (self.language.text("Year"), self.language.text("Publications")),
        )

        def tip(name: str, count: int) -> str:
            publications = self.language.plural("%(num)s publication", "%(num)s publications", count)
            return f"{name}: {publications}"

        def href(first: int, last: int) -> str:
            return self.search_href(path, facet, year=str(first) if first == last else f"{first}-{last}")

        return draw_years(caption, [(year, (count,)) for year, count in counts], Words(tip, href))

    def companions(self, path: str) -> list[LinkGroup]:
        """Return what occurs together with a thing, kind by kind."""
        found = []
        for kind, heading in COMPANIONS.items():
            things = tuple(
                PageLink(self.addresses.page(each.path), each.name, fields.language_of(each.name), each.count)
                for each in self.search.related(path, kind, _MAX_COMPANIONS)
            )
            if things:
                found.append(LinkGroup(self.language.text(heading), things))
        return found

    def search_href(self, path: str, facet: str = "", **more: str) -> str:
        """Return the address of the search for the publications of a thing; empty where there is no search.

        ``facet`` is the filter that finds them, empty for that of the most frequent role.
        """
        if not self.has_search:
            return ""
        facet = facet or next(iter(self.facets(path)), "")
        return f"{self.addresses.mount}search?{urlencode({**({facet: path} if facet else {}), **more}, safe='/~')}"

    def _decades(self, works: Iterable[StoredPublication], kind: str) -> tuple[Decade, ...]:
        lines = [line_of(work, self.addresses, has_agents=kind != "person") for work in works]
        return tuple(
            Decade(name, tuple(group))
            for name, group in itertools.groupby(sorted(lines, key=by_year), key=lambda line: self._decade(line.year))
        )

    def _decade(self, year: str) -> str:
        if not year[:4].isdecimal():
            return ""
        first = int(year[:4]) // 10 * 10
        return f"{first}–{first + 9}"


def group_of_role(role: str) -> str:
    """Return the list, a key of ``summaries.ROLE_HEADINGS`` or a code of MARC relators, for a role of the search."""
    return _ROLES.get(role, role)


def line_of(publication: StoredPublication, addresses: Addresses, *, has_agents: bool = True) -> PublicationLine:
    """Return the line of a publication in a list; ``has_agents``: with its first agents."""
    agents = "; ".join(agent.name for agent in publication.agents[:2]) if has_agents else ""
    return PublicationLine(
        addresses.page(publication.path),
        publication.title,
        fields.language_of(publication.title),
        publication.year,
        agents,
        publication.libraries,
        _imprint(publication),
        tuple(part for part in publication.parts if folded(part) not in folded(publication.title)),
        publication.records,
        next(iter(publication.isbns), ""),
    )


def _imprint(publication: StoredPublication) -> str:
    """Return place and publisher: the imprint without the year, which may be in brackets, at its end."""
    beginning, comma, year = publication.imprint.rpartition(", ")
    return beginning if comma and year.strip("[]") == publication.year else publication.imprint


def by_year(line: ListedItem) -> tuple[str, str, str]:
    """Return what sorts publications by year."""
    return line.year[:4] or "9999", line.title.casefold(), line.href


def by_issue(line: ListedItem) -> tuple[str, tuple[int, ...], str, str]:
    """Return what sorts issues by year, those of one year by their numbers."""
    year, title, href = by_year(line)
    return year, numbers_of(line.title), title, href


def by_number(line: ListedItem) -> tuple[bool, tuple[int, ...], str, str, str]:
    """Return what sorts volumes by their numbers, those without one last."""
    numbers = numbers_of(line.title)
    return not numbers, numbers, *by_year(line)


def main_title(title: str) -> str:
    """Return a title without its subtitle, volume and statement of responsibility."""
    return _END_OF_TITLE.split(title, maxsplit=1)[0]


def numbers_of(title: str) -> tuple[int, ...]:
    """Return the numbers of the volume or issue that a title names: ``Works. Vol. 2. Part 3`` has 2 and 3."""
    designation = _END_OF_MAIN_TITLE.split(title, maxsplit=1)[1:]
    return tuple(int(number) for number in _NUMBER.findall("".join(designation)))
