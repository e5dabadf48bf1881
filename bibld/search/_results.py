"""Results of a search for programs: publications and works by IRI, for the JSON of the site and of the command."""

from __future__ import annotations

from typing import Any

import msgspec

from bibld.model.origin import from_slug
from bibld.search._values import Relation, SearchResult, StoredPublication, WorkGroup


class FoundAgent(msgspec.Struct, frozen=True):
    """A person or organisation; ``role``: a code of MARC relators, ``creator``, or empty."""

    iri: str
    name: str
    role: str


class FoundEdition(msgspec.Struct, frozen=True, kw_only=True):
    """A publication by its IRI, with what a list shows.

    ``work`` is the IRI of its work, ``top_work`` that of the work under which readers expect it, ``relation`` that of
    the former to the latter: ``part``, ``translation``, or empty.
    """

    iri: str
    title: str
    statement: str
    imprint: str
    year: str
    type: str
    language: tuple[str, ...]
    agents: tuple[FoundAgent, ...]
    records: tuple[str, ...]
    libraries: tuple[str, ...]
    isbn: tuple[str, ...]
    work: str | None
    top_work: str | None
    relation: Relation


class FoundWork(msgspec.Struct, frozen=True):
    """A work with its publications; see ``WorkGroup``. ``years``: the first and the last."""

    iri: str
    title: str
    creators: tuple[FoundAgent, ...]
    total: int
    years: tuple[int, ...]
    languages: tuple[str, ...]
    libraries: tuple[str, ...]
    publications: tuple[FoundEdition, ...]


class FoundPublication(FoundEdition, frozen=True, kw_only=True):
    """A result: a publication, and where in it the words are.

    ``group``: in a folded search the work whose best publication this is, if it has others.
    """

    why: str
    group: FoundWork | None = None


def record_id(path: str) -> str:
    """Return the id of a record, such as ``rsl:01001``, by the part of its path after ``record/``."""
    source, _, slug = path.partition("/")
    return f"{source}:{from_slug(slug)}"


def results_of(found: SearchResult, base: str) -> tuple[FoundPublication, ...]:
    """Return the results of a search of a dataset whose IRIs begin with ``base``."""
    groups = found.groups or (None,) * len(found.hits)
    return tuple(
        FoundPublication(**_fields(hit, base), why=hit.why, group=_work(group, base) if group is not None else None)
        for hit, group in zip(found.hits, groups, strict=True)
    )


def _work(group: WorkGroup, base: str) -> FoundWork:
    return FoundWork(
        base + group.path,
        group.title,
        tuple(FoundAgent(base + agent.path, agent.name, agent.role) for agent in group.creators),
        group.total,
        group.years,
        group.languages,
        group.libraries,
        tuple(FoundEdition(**_fields(each, base)) for each in group.publications),
    )


def _fields(hit: StoredPublication, base: str) -> dict[str, Any]:
    return {
        "iri": base + hit.path,
        "title": hit.title,
        "statement": hit.statement,
        "imprint": hit.imprint,
        "year": hit.year,
        "type": hit.type,
        "language": hit.languages,
        "agents": tuple(FoundAgent(base + agent.path, agent.name, agent.role) for agent in hit.agents),
        "records": tuple(map(record_id, hit.records)),
        "libraries": hit.libraries,
        "isbn": hit.isbns,
        "work": base + hit.work if hit.work else None,
        "top_work": base + hit.top_work if hit.top_work else None,
        "relation": hit.relation,
    }
