"""The works of a catalog, read from the quads that describe them; one at a time, so that memory stays small."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from bibld.catalog import Catalog
from bibld.model.iris import Iris, record_of_path
from bibld.model.origin import RecordId
from bibld.model.rdf import expand, iri, term, unescape
from bibld.model.works import OtherWork, Work, WorkCreator, WorkOfPublication, WorkTitle, find_top_work
from bibld.text.dates import years
from bibld.text.languages import language_tag

_REMEMBERED = 16_384
_LINE = re.compile(
    r"^<(?P<subject>[^>]*)> <(?P<predicate>[^>]*)> "
    r'(?:<(?P<iri>[^>]*)>|"(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<tag>[\w-]+))?)',
    re.MULTILINE,
)
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"
_RELATORS = expand("relators:")
_TYPE_ARTICLE = f"{term('rdf:type')} {term('bibo:Article')}".encode()
_INSTANCE_OF, _ISSUED = (term(curie).encode() for curie in ("bf:instanceOf", "dcterms:issued"))
_TYPE, _ROLE, _AGENT, _CONTRIBUTION = map(expand, ("rdf:type", "bf:role", "bf:agent", "bf:contribution"))
_PRIMARY = expand("bf:PrimaryContribution")
_LABEL, _ALT_LABEL = expand("rdfs:label"), expand("skos:altLabel")
_LANGUAGE, _INSTANCE, _SAME = expand("bf:language"), expand("bf:hasInstance"), expand("owl:sameAs")
_TRANSLATION_OF, _PART_OF = expand("bf:translationOf"), expand("bf:partOf")

_Value = tuple[str, str]
"""An IRI with ``<`` before it, or a text and its language tag."""

_Statements = Mapping[str, Mapping[str, Sequence[_Value]]]
"""Values by predicate by subject (their IRIs)."""


class WorkReader:
    """Reads the works of a catalog. Names of agents and other works are remembered, up to a limit."""

    def __init__(self, catalog: Catalog, iris: Iris) -> None:
        self._catalog = catalog
        self._iris = iris
        self._start = f"<{iris.work('')}".encode()
        self._name = lru_cache(_REMEMBERED)(partial(_read_name, catalog))
        self._other = lru_cache(_REMEMBERED)(partial(_read_other, catalog))
        self._above = lru_cache(_REMEMBERED)(partial(_read_above, catalog))

    def works(self) -> Iterator[Work]:
        """Yield each work once, in the order of the IRIs; those that are only named have no publications."""
        for quads in self._catalog.entities.all_quads():
            if quads.startswith(self._start):
                yield self._work(quads)

    def _work(self, quads: bytes) -> Work:
        work = quads[1 : quads.index(b">")].decode()
        stated = _statements(quads)
        own = stated[work]
        languages = _languages(own)
        labels = [WorkTitle(*value) for value in own.get(_LABEL, ())]
        others = [WorkTitle(*value) for value in own.get(_ALT_LABEL, ())]
        ranked = sorted(labels, key=lambda title: _rank(title, languages))
        creators, contributors = self._agents(own, stated)
        return Work(
            iri=work,
            title=ranked[0].text if ranked else "",
            titles=(*ranked, *sorted(others, key=lambda title: (title.language, title.text))),
            creators=creators,
            contributors=contributors,
            languages=languages,
            translation_of=tuple(self._other(other) for other, _ in own.get(_TRANSLATION_OF, ())),
            part_of=tuple(self._other(other) for other, _ in own.get(_PART_OF, ())),
            publications=tuple(sorted(publication for publication, _ in own.get(_INSTANCE, ()))),
            same_as=tuple(sorted(other for other, _ in own.get(_SAME, ()))),
        )

    def _agents(
        self, own: Mapping[str, Sequence[_Value]], stated: _Statements
    ) -> tuple[tuple[WorkCreator, ...], tuple[WorkCreator, ...]]:
        """Return the agents that a work is entered under, and the others. An agent may have more than one node."""
        roles: dict[str, set[str]] = defaultdict(set)
        primary: dict[str, bool] = {}
        for node, _ in own.get(_CONTRIBUTION, ()):
            properties = stated[node]
            is_primary = any(class_ == _PRIMARY for class_, _ in properties.get(_TYPE, ()))
            for agent, _ in properties.get(_AGENT, ()):
                primary[agent] = is_primary or primary.get(agent, False)
                roles[agent] |= {role for role, _ in properties.get(_ROLE, ()) if role.startswith(_RELATORS)}
        found = {
            agent: WorkCreator(
                agent, self._name(agent), tuple(sorted(role.removeprefix(_RELATORS) for role in roles[agent]))
            )
            for agent in primary
        }
        return (
            tuple(one for agent, one in found.items() if primary[agent]),
            tuple(one for agent, one in found.items() if not primary[agent]),
        )

    def work_of(self, publication: RecordId) -> WorkOfPublication:
        """Return the work of a publication, by the founder of its cluster.

        An article is not expected under its journal.
        """
        ordinal = self._catalog.register.ordinal(publication)
        quads = self._catalog.statements.quads(ordinal) if ordinal is not None else b""
        line = _line_about(quads, self._iris.resource(publication), _INSTANCE_OF)
        if not line:
            return WorkOfPublication()
        work = line.split(b" ", 3)[2][1:-1].decode()
        is_article = bool(_line_about(quads, self._iris.resource(publication), _TYPE_ARTICLE))
        top = find_top_work(work, lambda one: self._above(one)[is_article])
        return WorkOfPublication(work, self._other(work).title, top)

    def years(self, publications: Sequence[str]) -> list[int]:
        """Return the years of publications (their IRIs), ascending."""
        found: set[int] = set()
        for publication in publications:
            ordinal = self._ordinal(publication)
            quads = self._catalog.statements.quads(ordinal) if ordinal is not None else b""
            line = _LINE.match(_line_about(quads, publication, _ISSUED).decode())
            found.update(years(line["text"] or "") if line is not None else ())
        return sorted(found)

    def sources(self, publications: Sequence[str]) -> list[str]:
        """Return the sources of the records of publications (their IRIs), sorted."""
        ordinals = [number for one in publications if (number := self._ordinal(one)) is not None]
        return sorted(
            {record.source for number in ordinals for record in self._catalog.linkage.cluster(number).members}
        )

    def _ordinal(self, publication: str) -> int | None:
        path = self._iris.path(publication) or ""
        return self._catalog.register.ordinal(record_of_path(path.partition("/")[2]))


def _line_about(quads: bytes, subject: str, predicate: bytes) -> bytes:
    """Return the first line with a subject (its IRI) and a predicate; empty if there is none."""
    start = quads.find(iri(subject).encode() + b" " + predicate + b" ")
    return quads[start : quads.index(b"\n", start)] if start >= 0 else b""


def _statements(quads: bytes) -> _Statements:
    found: dict[str, dict[str, list[_Value]]] = defaultdict(lambda: defaultdict(list))
    for line in _LINE.finditer(quads.decode()):
        value = (line["iri"], "") if line["iri"] is not None else (unescape(line["text"]), line["tag"] or "")
        found[line["subject"]][line["predicate"]].append(value)
    return found


def _languages(own: Mapping[str, Sequence[_Value]]) -> tuple[str, ...]:
    return tuple(sorted(value.removeprefix(_LANGUAGES) for value, _ in own.get(_LANGUAGE, ())))


def _rank(title: WorkTitle, languages: Sequence[str]) -> tuple[bool, bool, bool, str, str]:
    """Return the place of a title: in a language of the work, in a stated one, in its own script; then by tag."""
    own = {language_tag(code) for code in languages}
    return title.language not in own, not title.language, "-" in title.language, title.language, title.text


def _quads_of(catalog: Catalog, entity: str) -> bytes:
    number = catalog.entities.number(entity)
    return catalog.entities.quads(number) if number is not None else b""


def _read_other(catalog: Catalog, work: str) -> OtherWork:
    own = _statements(_quads_of(catalog, work))[work]
    languages = _languages(own)
    titles = sorted((WorkTitle(*value) for value in own.get(_LABEL, ())), key=lambda title: _rank(title, languages))
    return OtherWork(work, titles[0].text if titles else "", languages)


def _read_name(catalog: Catalog, agent: str) -> str:
    labels = [WorkTitle(*value) for value in _statements(_quads_of(catalog, agent))[agent].get(_LABEL, ())]
    return min(labels, key=lambda label: _rank(label, ())).text if labels else ""


def _read_above(catalog: Catalog, work: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the wholes and originals of a work, and its originals alone."""
    own = _statements(_quads_of(catalog, work))[work]
    wholes, originals = ([other for other, _ in own.get(one, ())] for one in (_PART_OF, _TRANSLATION_OF))
    return (*wholes, *originals), originals
