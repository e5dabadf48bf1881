"""Requests for searches, and their results."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from bibld.search._documents import AUTHOR, WORK, EntryKind

SORTS = ("relevance", "year", "-year", "title", "libraries")
FACETS = (
    *("library", "year", "language", "type", "online", "author", "subject", "publisher", "place"),
    *("merged", "authority"),
)
"""The names of facets, as in addresses."""

FLAGS = ("online", "merged", "authority")
"""The facets whose values are ``true`` and ``false``."""

EXCLUDABLE = ("library", "language", "type", "author", "subject", "publisher", "place")
"""The facets whose values can be excluded."""


_MAX_AGENTS = 4


class SearchRequest(msgspec.Struct, frozen=True):
    """A search. ``filters``: values by the name of a facet, of which one has to hold for each facet.

    ``excluded``: values of ``EXCLUDABLE`` facets, of which none may hold. The values of ``author``, ``subject``,
    ``publisher``, ``series``, ``place`` and ``work`` are paths. ``literal``: without correcting the text. Pages begin
    with 1. ``is_folded``: each work is one result, with its publications; else each publication is one.
    """

    text: str = ""
    filters: dict[str, tuple[str, ...]] = {}
    sort: str = "relevance"
    page: int = 1
    per_page: int = 20
    literal: bool = False
    with_facets: bool = True
    excluded: dict[str, tuple[str, ...]] = {}
    is_folded: bool = False


class Relation(StrEnum):
    """How the work of a publication is related to the one under which readers expect it."""

    EDITION = ""
    PART = "part"
    TRANSLATION = "translation"


class Agent(msgspec.Struct, frozen=True):
    """A person or organisation of a publication, with its role (a code of MARC relators, or ``creator``)."""

    path: str
    name: str
    role: str


class IndexedLink(msgspec.Struct, frozen=True, array_like=True):
    """A link of a publication: see ``LinkedPath``. ``name`` is that of an agent or subject, if it has one."""

    field: str
    role: str
    path: str
    name: str


class StoredPublication(msgspec.Struct, frozen=True, array_like=True, tag_field="tagged", tag=0):
    """What the index stores of a publication. ``records`` are paths after ``record/``.

    ``parts`` are numbers and names of parts, and statements of the edition. ``why``: in a result, where the words are.
    ``role``: among the publications of a thing, the role in which it is linked (of an agent a code of MARC relators).
    ``top_work`` is the path of the work under which readers expect the publication: the original of a translation, the
    set of a volume, else its work; empty without a work. ``relation`` is that of its work to the top one.
    ``work_titles`` are titles of these works that the publication itself has not.
    """

    path: str
    title: str
    statement: str
    imprint: str
    year: str
    type: str
    languages: tuple[str, ...]
    records: tuple[str, ...]
    isbns: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    links: tuple[IndexedLink, ...] = ()
    parts: tuple[str, ...] = ()
    why: str = ""
    role: str = ""
    top_work: str = ""
    relation: Relation = Relation.EDITION
    work_titles: tuple[str, ...] = ()

    @property
    def work(self) -> str:
        """The path of its work; empty if it has none."""
        return next((link.path for link in self.links if link.field == WORK), "")

    @property
    def top(self) -> str:
        """The path under which it is folded: that of ``top_work``, else its own."""
        return self.top_work or self.path

    @property
    def libraries(self) -> tuple[str, ...]:
        """The ids of the sources that have it."""
        return tuple(dict.fromkeys(record.partition("/")[0] for record in self.records))

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The first agents, each once."""
        agents: dict[str, Agent] = {}
        for link in self.links:
            if link.field == AUTHOR and link.name and link.path not in agents:
                agents[link.path] = Agent(link.path, link.name, link.role)
        return tuple(agents.values())[:_MAX_AGENTS]


class WorkGroup(msgspec.Struct, frozen=True):
    """The publications of a work, of its translations and parts, as far as the filters of a search agree.

    ``publications`` are the first of them by year, ``total`` is the number of all. ``years``: the first and the last.
    ``creators`` are those that the best publication names, else all: others may be the same people in other records.
    ``languages`` and ``libraries``: those of most publications first.
    """

    path: str
    title: str
    creators: tuple[Agent, ...]
    total: int
    years: tuple[int, ...]
    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    publications: tuple[StoredPublication, ...]


class FacetValue(msgspec.Struct, frozen=True):
    """A value of a facet with the number of publications. ``label`` is empty where the value has no name."""

    value: str
    label: str
    count: int


class Correction(msgspec.Struct, frozen=True):
    """What was searched for instead: ``kind`` is script, beginning, keyboard, spelling, anywhere or without.

    ``beginning``: the last word begins other words, which were searched for, too. ``anywhere``: in any field;
    ``without``: words were left out (``removed``).
    """

    kind: str
    text: str
    removed: tuple[str, ...] = ()


class SearchResult(msgspec.Struct, frozen=True):
    """The result of a search.

    ``correction``: why these are not the results of the text itself. ``missing_number``: the text is an identifier that
    no publication has: isbn, issn, doi or number. ``wrong_check_digit``: of an ISBN, the last digit is wrong.
    ``understood``: the parts of the query by the name of a field. ``is_cut``: the text was too
    long. ``total`` is the number of publications. Of a folded search: ``hits`` has the best publication of each work,
    ``groups`` all of that work, or None if there is no other; ``works`` is the number of works, which is estimated if
    ``is_estimate``. ``has_next``: more pages follow. ``paths`` are those of all publications that were found, if
    they are few and sorted by relevance.
    """

    hits: tuple[StoredPublication, ...]
    total: int
    groups: tuple[WorkGroup | None, ...] = ()
    works: int | None = None
    is_estimate: bool = False
    has_next: bool = False
    paths: tuple[str, ...] = ()
    facets: dict[str, tuple[FacetValue, ...]] = {}
    correction: Correction | None = None
    understood: dict[str, object] = {}
    wrong_check_digit: bool = False
    is_cut: bool = False
    missing_number: str = ""


class Related(msgspec.Struct, frozen=True):
    """A thing that occurs together with another one, in ``count`` publications."""

    path: str
    name: str
    kind: EntryKind
    count: int


class NamedThing(msgspec.Struct, frozen=True):
    """A thing with a name. ``data``: values by the name of a property; those of ``LINKED`` are paths."""

    path: str
    kind: EntryKind
    title: str
    forms: tuple[str, ...]
    data: dict[str, tuple[str, ...]]
    uses: int = 0


LINKED = ("author", "publisher", "place", "subject", "series", "work")
"""The properties whose values are paths of other things."""
