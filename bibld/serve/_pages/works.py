"""The publications that are linked to a thing, by year and role, and what occurs together with it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from urllib.parse import urlencode

import msgspec

from bibld.search import EntryKind, NamedThing, SearchRequest, SearchView, StoredPublication
from bibld.serve._addresses import Addresses
from bibld.serve._citations.reference import Reference
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import fields
from bibld.serve._pages.facts import folded
from bibld.serve._pages.summaries import role_heading
from bibld.serve._pages.views import LinkGroup, PageLink
from bibld.serve._pictures.columns import Words, draw_years
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.text.romanisation import transcription_key

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
_MAX_EDITIONS = 12
_MAX_VOLUMES = 60
_END_OF_MAIN_TITLE = re.compile(r"\.\s")
_NUMBER = re.compile(r"\d{1,9}")
_END_OF_TITLE = re.compile(r"\s[:=/;]\s|\.\s")


class WorkLine(msgspec.Struct, frozen=True):
    """A publication in a list: ``agents`` in one line, ``libraries`` their number."""

    href: str
    title: str
    language: str
    year: str
    agents: str
    libraries: int


class Decade(msgspec.Struct, frozen=True):
    """Publications of ten years; ``name`` is empty for those without a year."""

    name: str
    works: tuple[WorkLine, ...]


class WorksInRole(msgspec.Struct, frozen=True):
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


class Editions(msgspec.Struct, frozen=True):
    """Other publications of the same text: in the same language, other volumes, and in other languages."""

    editions: tuple[WorkLine, ...] = ()
    volumes: tuple[WorkLine, ...] = ()
    translations: tuple[WorkLine, ...] = ()


class Kin(msgspec.Struct, frozen=True):
    """What statements relate to a publication: the paths of its sets and parts, and the other volumes of its set."""

    family: frozenset[str] = frozenset()
    volumes: Mapping[str, WorkLine] = {}


_NO_KIN = Kin()


class Timeline(msgspec.Struct, frozen=True):
    """A picture of publications by year; ``file`` is its address as a file, empty where no server answers."""

    picture: Picture
    file: str


class WorksOfThing(msgspec.Struct, frozen=True):
    """What a page shows of the publications of a thing: on the first one by role, with timelines, else by decade.

    ``all_href`` is the address of the search for them in the most frequent roles; on further pages it is empty where
    several searches find them. Each search has a timeline, since what is published in a place is not about it.
    """

    roles: Sequence[WorksInRole] = ()
    decades: tuple[Decade, ...] = ()
    timelines: Sequence[Timeline] = ()
    companions: Sequence[LinkGroup] = ()
    all_href: str = ""


class WorkLists(msgspec.Struct, frozen=True):
    """Reads lists of publications from the names of a release, for pages in one language.

    Without ``has_search`` the pages are on a site that has no search, so nothing leads to it.
    """

    search: SearchView
    addresses: Addresses
    language: PageLanguage
    has_search: bool = True

    def of_page(self, path: str, kind: str, page: int, size: int) -> WorksOfThing:
        """Return what a page shows of the publications of a thing; ``page`` counts from 1, ``size`` is that of one."""
        if page > 1:
            decades = self.page(path, kind, size, (page - 1) * size)
            has_one_search = bool(decades) and len(self.facets(path)) == 1
            return WorksOfThing(decades=decades, all_href=self.search_href(path) if has_one_search else "")
        facets = self.facets(path)
        if not facets:
            return WorksOfThing()
        roles = self.in_roles(path, kind, facets)
        drawn = [(facet, self._draw_years(path, facet, facets)) for facet in facets]
        address = f"{self.addresses.page(f'picture/years/{path}')}.svg" if self.has_search else ""
        timelines = [
            Timeline(picture, f"{address}?of={facet}" if address and len(facets) > 1 else address)
            for facet, picture in drawn
            if picture is not None
        ]
        return WorksOfThing(roles, (), timelines, self.companions(path), roles[0].href)

    def in_roles(self, path: str, kind: str, facets: Mapping[str, Sequence[str]] | None = None) -> list[WorksInRole]:
        """Return the publications of a thing by role, those together that one search finds, the most frequent first.

        ``facets`` are those that ``facets`` returns, if they are known.
        """
        facets = facets if facets is not None else self.facets(path)
        groups: dict[tuple[str, str], dict[str, StoredPublication]] = {}
        totals: dict[tuple[str, str], int] = {}
        for facet, role in ((facet, role) for facet, roles in facets.items() for role in roles):
            works, total = self.search.works(path, role, "year", _MAX_IN_A_ROLE)
            group = facet, _ROLES.get(role, role)
            known = groups.setdefault(group, {})
            totals[group] = totals.get(group, 0) + total - sum(work.path in known for work in works)
            known.update((work.path, work) for work in works)
        found = []
        for facet in facets:
            href = self.search_href(path, facet)
            of_facet = sorted((group for group in groups if group[0] == facet), key=lambda group: -totals[group])
            for group in of_facet:
                is_last = group == of_facet[-1]
                heading = role_heading(group[1], kind, self.language)
                decades = self._decades(groups[group].values(), kind)
                count = self._count(path, facet) if is_last else 0
                is_shared = is_last and len(of_facet) > 1
                found.append(WorksInRole(heading, totals[group], decades, href, count, is_shared))
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

    def editions(
        self, path: str, author: str, reference: Reference, uniform: Sequence[str] = (), kin: Kin = _NO_KIN
    ) -> Editions:
        """Return other publications of an author (its path) with the title of this one (its path).

        ``uniform`` are titles of the original that the description states, in any script. Sets and parts of the
        publication are none of them, and the other volumes of its set are always volumes.
        """
        title = folded(reference.title)
        editions: list[WorkLine] = []
        volumes = list(kin.volumes.values())
        translations: list[WorkLine] = []
        originals = list(dict.fromkeys(main_title(text) for text in uniform))
        wanted = {_key_of_title(text) for text in (reference.title, *originals)}
        named_so = [each for text in (reference.title, *originals) for each in self._named(text)] if title else []
        found = {each.path: each for each in named_so if author and author in each.data.get("author", ())}
        languages = self._languages((path, *found))
        for named in found.values():
            if named.path == path or named.path in kin.family or named.path in kin.volumes:
                continue
            parts = [folded(part) for part in _END_OF_TITLE.split(named.title)]
            has_title = parts[:1] == [title]
            if not has_title and not any(_key_of_title(main_title(form)) in wanted for form in named.forms):
                continue
            year = next(iter(named.data.get("year", ())), "")
            language = fields.language_of(named.title)
            line = WorkLine(self.addresses.page(named.path), named.title, language, year, "", named.uses)
            is_same_language = _is_same_language(languages.get(path, ()), languages.get(named.path, ()))
            if is_same_language is None:
                is_same_language = has_title or language == fields.language_of(reference.title)
            if not is_same_language:
                translations.append(line)
            elif has_title and reference.part and year == reference.year and folded(reference.part) not in parts:
                volumes.append(line)
            else:
                editions.append(line)
        return Editions(
            tuple(sorted(editions, key=by_year)[:_MAX_EDITIONS]),
            tuple(sorted(volumes, key=by_number)[:_MAX_VOLUMES]),
            tuple(sorted(translations, key=by_year)[:_MAX_EDITIONS]),
        )

    def _languages(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the codes of the languages of publications by their paths."""
        if len(paths) < 2:
            return {}
        return {path: work.languages for path, work in self.search.publications(paths).items()}

    def _named(self, title: str) -> list[NamedThing]:
        return self.search.find(title, (EntryKind.PUBLICATION,))

    def _decades(self, works: Iterable[StoredPublication], kind: str) -> tuple[Decade, ...]:
        lines = [self._line(work, kind) for work in works]
        return tuple(
            Decade(name, tuple(group))
            for name, group in itertools.groupby(sorted(lines, key=by_year), key=lambda line: self._decade(line.year))
        )

    def _decade(self, year: str) -> str:
        if not year[:4].isdecimal():
            return ""
        first = int(year[:4]) // 10 * 10
        return f"{first}–{first + 9}"

    def _line(self, work: StoredPublication, kind: str) -> WorkLine:
        agents = () if kind == "person" else tuple(agent.name for agent in work.agents[:2])
        return WorkLine(
            self.addresses.page(work.path),
            work.title,
            fields.language_of(work.title),
            work.year,
            "; ".join(agents),
            len(work.libraries),
        )


def _key_of_title(title: str) -> str:
    """Return what is equal for a title in all scripts and romanisations."""
    return transcription_key(title).replace(" ", "")


def by_year(line: WorkLine) -> tuple[str, str, str]:
    """Return what sorts publications by year."""
    return line.year[:4] or "9999", line.title.casefold(), line.href


def by_issue(line: WorkLine) -> tuple[str, tuple[int, ...], str, str]:
    """Return what sorts issues by year, those of one year by their numbers."""
    year, title, href = by_year(line)
    return year, numbers_of(line.title), title, href


def by_number(line: WorkLine) -> tuple[bool, tuple[int, ...], str, str, str]:
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


def _is_same_language(some: Sequence[str], others: Sequence[str]) -> bool | None:
    """Whether two publications have a language in common; None if that of one of them is not known."""
    if not some or not others:
        return None
    return not set(some).isdisjoint(others)


def first_author(reference: Reference, entities: Sequence[tuple[str, Set[str]]]) -> str:
    """Return the path of the first author among entities (path, folded names); empty if it is none of them."""
    if not reference.authors:
        return ""
    name = folded(f"{reference.authors[0].family} {reference.authors[0].given}")
    return next((path for path, names in entities if any(each.startswith(name) for each in names)), "")
