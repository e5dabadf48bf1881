"""Works: what is stated about them, and lists of them with their publications."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec
import pyoxigraph as ox

from bibld.model.rdf import expand
from bibld.search import StoredPublication
from bibld.serve._graph import Label, Names, labels_among, triples_of
from bibld.serve._language import PageLanguage
from bibld.serve._pages import fields
from bibld.serve._pages.lists import PublicationLine, by_year, line_of
from bibld.serve._things import OpenRelease
from bibld.text.names import are_spellings_of_one_name

(
    INSTANCE_OF, HAS_INSTANCE, TRANSLATION_OF, PART_OF, HAS_PART, DERIVATIVE_OF, PRECEDED_BY, SUCCEEDED_BY, RELATED_TO,
    LANGUAGE, CONTENT, GENRE_FORM, SUBJECT, AUDIENCE,
) = map(
    expand,
    (
        "bf:instanceOf", "bf:hasInstance", "bf:translationOf", "bf:partOf", "bf:hasPart", "bf:derivativeOf",
        "bf:precededBy", "bf:succeededBy", "bf:relatedTo",
        "bf:language", "bf:content", "bf:genreForm", "bf:subject", "bf:intendedAudience",
    ),
)  # fmt: skip
AGENT = expand("bf:agent")
_ROLE, _TYPE, _SAME_AS = map(expand, ("bf:role", "rdf:type", "owl:sameAs"))
_PRIMARY = expand("bf:PrimaryContribution")
_ROLE_LABEL = expand("rdfs:label")
_RELATORS = "http://id.loc.gov/vocabulary/relators/"
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"
_DATES = re.compile(r",?\s*\d[\s\S]*\Z")
TRANSLATOR = "trl"

MAX_READ = 1000
"""Works or publications that one page reads: a serial may have ten thousand parts."""

MAX_POINTING = 10_000
"""Statements that point to one IRI which a page reads."""

_REMEMBERED = 1024
"""Works: the publications of one, and those that are related to it, are often read one after the other."""

_MAX_EDITIONS = 5000
_MAX_OF_A_WORK = 100
_MAX_SHOWN_OF_A_WORK = 6
_MAX_ALIASES = 100
_MAX_AGENTS = 2
_MAX_COMPARED = 30


class WorkAgent(msgspec.Struct, frozen=True):
    """What an agent (its IRI) contributed to a work: relator codes or, where there is none, ``aut`` or ``ctb``.

    ``terms`` are roles in the words of the records; ``is_stated``: the records state a role.
    """

    iri: str
    roles: tuple[str, ...]
    terms: tuple[str, ...] = ()
    is_primary: bool = False
    is_stated: bool = True


class StatedWork(msgspec.Struct, frozen=True):
    """What is stated about a work: its titles, the best first, who made it, and the IRIs that each property has."""

    iri: str
    labels: tuple[Label, ...] = ()
    agents: tuple[WorkAgent, ...] = ()
    values: Mapping[str, tuple[str, ...]] = {}

    @property
    def title(self) -> str:
        """The best title, or nothing."""
        return self.labels[0].text if self.labels else ""

    @property
    def instances(self) -> tuple[str, ...]:
        """The IRIs of its publications."""
        return self.values.get(HAS_INSTANCE, ())

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of its languages (ISO 639-2)."""
        return tuple(iri.removeprefix(_LANGUAGES) for iri in self.values.get(LANGUAGE, ()))

    @property
    def iris(self) -> tuple[str, ...]:
        """Its IRI, and the others that lead to it."""
        return (self.iri, *self.values.get(_SAME_AS, ())[:_MAX_ALIASES])


class WorkLine(msgspec.Struct, frozen=True):
    """A work in a list, with the first of its publications, of which there are ``count``.

    ``agents`` are names in one line; ``year`` is that of the first publication, ``years`` from it to the last one;
    ``languages`` are codes.
    """

    href: str
    title: str
    language: str
    agents: str = ""
    year: str = ""
    years: str = ""
    languages: tuple[str, ...] = ()
    count: int = 0
    publications: tuple[PublicationLine, ...] = ()
    is_article: bool = False


def work_of(iri: str, triples: Iterable[ox.Triple]) -> StatedWork:
    """Return what triples state about a work."""
    values: dict[str, dict[str, None]] = {}
    nodes: dict[str, dict[str, list[str]]] = {}
    named = []
    for triple in triples:
        if not isinstance(triple.subject, ox.NamedNode) or isinstance(triple.object, ox.Triple | ox.BlankNode):
            continue
        subject, predicate, value = triple.subject.value, triple.predicate.value, triple.object.value
        if subject.startswith(f"{iri}#"):
            nodes.setdefault(subject, {}).setdefault(predicate, []).append(value)
        elif subject == iri and isinstance(triple.object, ox.NamedNode):
            if value != iri:
                values.setdefault(predicate, {})[value] = None
        elif subject == iri:
            named.append(triple)
    agents = tuple(_agents(nodes))
    labels = labels_among(named).get(iri, [])
    return StatedWork(iri, tuple(labels), agents, {predicate: tuple(found) for predicate, found in values.items()})


def _agents(nodes: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterable[WorkAgent]:
    found = []
    for node in nodes.values():
        is_primary = _PRIMARY in node.get(_TYPE, ())
        roles = node.get(_ROLE, ())
        codes = [role.removeprefix(_RELATORS) for role in roles if role.startswith(_RELATORS)]
        terms = [text for role in roles for text in nodes.get(role, {}).get(_ROLE_LABEL, ())]
        known = tuple(codes) or (("aut",) if is_primary and not terms else ("ctb",))
        found += [
            WorkAgent(agent, known, tuple(terms), is_primary, bool(codes or terms)) for agent in node.get(AGENT, ())
        ]
    return sorted(found, key=lambda each: (not each.is_primary, TRANSLATOR in each.roles))


class WorkLists:
    """Reads works from the documents of a release, or from its store, and their publications from its search."""

    def __init__(self, release: OpenRelease, names: Names, language: PageLanguage) -> None:
        self._graph = release.graph
        self._published = release.published
        self._addresses = release.addresses
        self._iris = release.addresses.iris
        self._search = release.search
        self._names = names
        self._language = language
        self.work = lru_cache(_REMEMBERED)(self._read)
        """Return the work with an IRI, or the one that answers in its place; None if there is none."""

    # -- works

    def _read(self, iri: str) -> StatedWork | None:
        path = self._iris.path(iri)
        if path is None or not path.startswith("work/"):
            return None
        if self._published is not None:
            document = self._published.document(path)
            if document is not None and document.status == 303:
                document = self._published.document(document.target)
            if document is None or document.status != 200:
                return None
            return work_of(self._iris.base + document.path, triples_of(document.quads))
        for answering in (iri, *self._graph.subjects(_SAME_AS, iri)):
            found = work_of(answering, self._graph.description(answering))
            if found.labels:
                return found
        return None

    def works(self, iris: Iterable[str]) -> list[StatedWork]:
        """Return the works with some IRIs, each once; at most ``MAX_READ`` are read."""
        read = map(self.work, itertools.islice(dict.fromkeys(iris), MAX_READ))
        return list({work.iri: work for work in read if work is not None}.values())

    def work_of_publication(self, iri: str) -> StatedWork | None:
        """Return the work of a publication."""
        return next(iter(self.works(self._graph.objects(iri, INSTANCE_OF))), None)

    def pointing(self, works: Iterable[StatedWork]) -> dict[str, list[str]]:
        """Return the IRIs of what points to some works, or to other IRIs of them, by predicate."""
        return self._graph.pointing((iri for work in works for iri in work.iris), MAX_POINTING)

    # -- lines

    def lines(self, works: Iterable[StatedWork], role: str = "") -> list[WorkLine]:
        """Return the lines of works, with their agents: ``aut`` for all who are no translators, ``trl``, or none."""
        works = list(works)
        if not works:
            return []
        paths = [self._path(iri) for work in works for iri in work.instances[:_MAX_OF_A_WORK]]
        publications = self.publications(paths[:MAX_READ])
        iris = {agent.iri for work in works for agent in _agents_in_role(work, role)}
        names = self._names.titles(iris)
        return [self._line(work, role, names, publications) for work in works]

    def publications(self, paths: Sequence[str]) -> dict[str, StoredPublication]:
        """Return publications by their paths; without a search, only their titles are known."""
        if not paths:
            return {}
        if self._search is not None:
            return self._search.publications(paths)
        titles = self._names.titles(self._iris.base + path for path in paths)
        named = ((path, titles.get(self._iris.base + path)) for path in paths)
        return {path: StoredPublication(path, title, "", "", "", "", (), ()) for path, title in named if title}

    def editions(self, work: StatedWork) -> list[StoredPublication]:
        """Return the publications of a work in the order of their years, at most ``_MAX_EDITIONS``."""
        found = self.publications([self._path(iri) for iri in work.instances[:_MAX_EDITIONS]])
        return sorted(found.values(), key=lambda each: (each.year or "9999", each.title.casefold(), each.path))

    def people(self, work: StatedWork) -> list[tuple[WorkAgent, str]]:
        """Return who made a work with the names: each once, with all roles, by the IRI that most publications have."""
        titles = self._names.titles(dict.fromkeys(agent.iri for agent in work.agents))
        agents = {agent.iri: agent for agent in work.agents if agent.iri in titles}
        found = []
        for group in by_person({iri: titles[iri] for iri in agents}):
            best = max(group, key=lambda iri: (self._uses(iri), len(titles[iri]), iri)) if len(group) > 1 else group[0]
            own = [agents[iri] for iri in group]
            stated = any(agent.is_stated for agent in own)
            roles = dict.fromkeys(role for agent in own if agent.is_stated or not stated for role in agent.roles)
            terms = dict.fromkeys(term for agent in own for term in agent.terms)
            found.append((WorkAgent(best, tuple(roles), tuple(terms), own[0].is_primary, stated), titles[best]))
        return found

    def _uses(self, iri: str) -> int:
        named = self._search.named(self._path(iri)) if self._search is not None else None
        return named.uses if named is not None else 0

    def title(self, work: StatedWork) -> tuple[str, str]:
        """Return the title of a work, and its language tag."""
        title = work.title or self._language.text("Without title")
        return title, (work.labels[0].language if work.labels else "") or fields.language_of(title)

    def href(self, work: StatedWork) -> str:
        """Return the address of the page of a work."""
        return self._addresses.page(self._path(work.iri))

    def _path(self, iri: str) -> str:
        return iri.removeprefix(self._iris.base)

    def _line(
        self, work: StatedWork, role: str, names: Mapping[str, str], publications: Mapping[str, StoredPublication]
    ) -> WorkLine:
        own = [publications[path] for path in map(self._path, work.instances) if path in publications]
        lines = sorted((line_of(each, self._addresses, has_agents=False) for each in own), key=by_year)
        years = [line.year for line in lines if line.year]
        title, language = self.title(work)
        return WorkLine(
            href=self.href(work),
            title=title,
            language=language,
            agents="; ".join(_first_names(_agents_in_role(work, role), names)),
            year=years[0] if years else "",
            years=years[0] if len(set(years)) == 1 else f"{years[0]}–{years[-1]}" if years else "",
            languages=work.languages or tuple(dict.fromkeys(code for each in own for code in each.languages)),
            count=len(work.instances),
            publications=tuple(lines[:_MAX_SHOWN_OF_A_WORK]),
            is_article=any(each.type == "article" for each in own),
        )


def _agents_in_role(work: StatedWork, role: str) -> list[WorkAgent]:
    if not role:
        return []
    return [agent for agent in work.agents if (TRANSLATOR in agent.roles) == (role == TRANSLATOR)]


def _first_names(agents: Iterable[WorkAgent], names: Mapping[str, str]) -> list[str]:
    first = itertools.islice((agent.iri for agent in agents if agent.iri in names), _MAX_COMPARED)
    named = {iri: names[iri] for iri in first}
    return [named[group[0]] for group in by_person(named)[:_MAX_AGENTS]]


def by_person(names: Mapping[str, str]) -> list[list[str]]:
    """Group what has names so that spellings of one name are together: agents of one work so named are one person.

    Only the first ``_MAX_COMPARED`` names are compared with each other.
    """
    groups: list[list[str]] = []
    for position, (key, name) in enumerate(names.items()):
        spelled = _DATES.sub("", name)
        for group in groups if position < _MAX_COMPARED else ():
            first = _DATES.sub("", names[group[0]])
            if spelled == first or are_spellings_of_one_name(spelled, first):
                group.append(key)
                break
        else:
            groups.append([key])
    return groups
