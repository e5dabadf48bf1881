"""A small release of works: a novel with editions, volumes, translations and adaptations, and works only named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.iris import Iris
from bibld.model.rdf import expand
from bibld.model.release import Figures, SourceFigures
from bibld.search import open_search, write_search
from bibld.serve._addresses import Addresses
from bibld.serve._graph import PreparedNames, ReleaseGraph
from bibld.serve._language import language_named
from bibld.serve._pages.summaries import NamesInLanguage

BASE = "https://data.example.org/"
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"
_RELATORS = "http://id.loc.gov/vocabulary/relators/"


def line(subject: str, term: str, value: str) -> str:
    """A statement: the subject is a path, the value a literal, an IRI in angle brackets, or a path."""
    written = value if value[:1] in '"<' else f"<{BASE}{value}>"
    return f"<{BASE}{subject}> <{expand(term)}> {written} .\n"


def agent(path: str, name: str) -> list[str]:
    return [line(path, "rdfs:label", f'"{name}"'), line(path, "rdf:type", f"<{expand('foaf:Person')}>")]


def work(
    path: str, titles: str, language: str = "", agents: str = "", aliases: tuple[str, ...] = (), **links: str
) -> list[str]:
    """A work; ``titles`` have bars between them, the first is preferred; ``agents`` are paths with a role after ``=``.

    ``links`` are properties of BIBFRAME with paths, between which there are blanks.
    """
    label, *others = titles.split("|")
    lines = [line(path, "rdf:type", f"<{expand('bf:Work')}>"), line(path, "rdfs:label", f'"{label}"')]
    lines += [line(path, "skos:altLabel", f'"{title}"') for title in others]
    lines += [line(path, "bf:language", f"<{_LANGUAGES}{language}>")] if language else []
    lines += [line(path, "owl:sameAs", alias) for alias in aliases]
    for stated in agents.split():
        name, _, role = stated.partition("=")
        node = f"{path}#{name}"
        kind = "bf:Contribution" if role in ("trl", "ill") else "bf:PrimaryContribution"
        lines += [line(path, "bf:contribution", node), line(node, "rdf:type", f"<{expand(kind)}>")]
        lines += [line(node, "bf:agent", name)]
        lines += [line(node, "bf:role", f"<{_RELATORS}{role}>")] if role else []
    lines += [line(path, f"bf:{name}", target) for name, targets in links.items() for target in targets.split()]
    return lines


def publication(path: str, title: str, year: str, of: str, *libraries: str, agents: str = "") -> list[str]:
    """A publication of a work; ``libraries`` are those that have it beside the first, ``agents`` as those of a work."""
    lines = [
        line(path, "rdfs:label", f'"{title}"'),
        line(path, "bf:instanceOf", of),
        line(of, "bf:hasInstance", path),
        line(path, "dcterms:issued", f'"{year}"^^<http://www.w3.org/2001/XMLSchema#gYear>'),
        line(path, "bf:publicationStatement", f'"Москва : Наука, {year}"'),
    ]
    number = path.partition("/")[2]
    lines += [line(path, "prov:wasDerivedFrom", f"record/{each}") for each in (number, *libraries)]
    for stated in agents.split():
        name, _, role = stated.partition("=")
        lines += [line(path, "dcterms:creator" if role != "trl" else "dcterms:contributor", name)]
        lines += [line(path, f"relators:{role}", name)] if role else []
    return lines


NOVEL, ALIAS, ENGLISH = "work/rsl/1", "work/nlr/9", "work/rsl/en1"
TOLSTOY = "agent/tolstoy=aut"
QUADS = [
    *agent("agent/tolstoy", "Толстой, Лев Николаевич, 1828-1910"),
    *agent("agent/tolstoi", "Tolstoĭ, Lev"),
    *agent("agent/maude", "Maude, Aylmer"),
    *agent("agent/bondarchuk", "Бондарчук, Сергей"),
    *work(
        NOVEL,
        "Война и мир|Толстой. Война и мир",
        "rus",
        f"{TOLSTOY} agent/tolstoi",
        (ALIAS,),
        intendedAudience="concept/marctarget/adult",
        subject="concept/x/war",
    ),
    line("concept/x/war", "rdfs:label", '"Отечественная война--1812"'),
    line("concept/marctarget/adult", "rdfs:label", '"adult"'),
    *publication("resource/rsl/3", "Война и мир", "1978", NOVEL, "nlr/3", agents=TOLSTOY),
    *publication("resource/rsl/1", "Война и мир : роман", "1936", NOVEL, agents=TOLSTOY),
    *work("work/rsl/v10", "Война и мир. Т. 10", "rus", TOLSTOY, partOf=ALIAS),
    *publication("resource/rsl/v10", "Война и мир. Т. 10", "1980", "work/rsl/v10", agents=TOLSTOY),
    *work("work/rsl/v2", "Война и мир. Т. 2", "rus", TOLSTOY, partOf=NOVEL),
    *publication("resource/rsl/v2", "Война и мир. Т. 2", "1980", "work/rsl/v2", agents=TOLSTOY),
    *work(ENGLISH, "War and peace", "eng", f"{TOLSTOY} agent/maude=trl", translationOf=ALIAS),
    *publication("resource/rsl/en1", "War and peace", "1942", ENGLISH, agents=f"{TOLSTOY} agent/maude=trl"),
    *publication("resource/rsl/en2", "War and peace", "2001", ENGLISH, agents=f"{TOLSTOY} agent/maude=trl"),
    *work("work/rsl/en3", "War & peace", "eng", TOLSTOY, translationOf=NOVEL),
    *publication("resource/rsl/en3", "War & peace", "1904", "work/rsl/en3", agents=TOLSTOY),
    *work("work/rsl/de", "Krieg und Frieden", "ger", TOLSTOY, translationOf=NOVEL),
    *publication("resource/rsl/de", "Krieg und Frieden", "1950", "work/rsl/de", agents=TOLSTOY),
    *work("work/rsl/film", "Война и мир : фильм", "rus", "agent/bondarchuk=drt", derivativeOf=NOVEL),
    *publication("resource/rsl/film", "Война и мир : фильм", "1967", "work/rsl/film"),
    *work("work/rsl/novels", "Романы", "rus", TOLSTOY, hasPart=f"{NOVEL} work/resurrection"),
    *publication("resource/rsl/novels", "Романы", "1990", "work/rsl/novels", agents=TOLSTOY),
    *work("work/resurrection", "Воскресение", "", TOLSTOY),
    *work("work/rsl/book", "О романе", "rus", subject=NOVEL),
    *publication("resource/rsl/book", "О романе", "1999", "work/rsl/book"),
    line("resource/rsl/book", "dcterms:subject", NOVEL),
    *work("work/nothing", "Никем не изданное"),
    line("resource/rsl/book", "dcterms:relation", "work/nothing"),
    *work("work/rsl/journal", "Октябрь", "rus"),
    *publication("resource/rsl/journal", "Октябрь", "1924", "work/rsl/journal"),
    line("resource/rsl/journal", "rdf:type", f"<{expand('bibo:Periodical')}>"),
    *(
        each
        for number in range(1, 131)
        for each in (
            *work(f"work/rsl/i{number}", f"Октябрь. № {number}", partOf="work/rsl/journal"),
            *publication(
                f"resource/rsl/i{number}", f"Октябрь. № {number}", str(1930 + number % 2), f"work/rsl/i{number}"
            ),
        )
    ),
]


class Quads:
    """A store of these lines."""

    def __init__(self) -> None:
        self._by_subject: dict[str, list[str]] = {}
        self._by_value: dict[str, list[str]] = {}
        for each in QUADS:
            subject, _, value = each.split(" ", 2)
            self._by_subject.setdefault(subject, []).append(each)
            self._by_value.setdefault(value.removesuffix(" .\n"), []).append(each)

    def quads(
        self, subject: str | None = None, predicate: str | None = None, value: str | None = None
    ) -> Iterator[str]:
        found = self._by_subject if subject is not None else self._by_value
        for each in found.get(f"<{subject if subject is not None else value}>", ()):
            if predicate is None or each.split(" ", 2)[1] == f"<{predicate}>":
                yield each


def open_release(folder: Path, *, is_prepared: bool) -> tuple[SimpleNamespace, object]:
    """The release with the names of its things; ``is_prepared``: with documents and a search."""
    graph = ReleaseGraph(Quads())
    iris = Iris(BASE)
    sources = tuple(SourceFigures(source, {}, "", 0, 0, 0, 0, 0) for source in ("rsl", "nlr"))
    release = SimpleNamespace(
        manifest=SimpleNamespace(figures=Figures(sources, 0, 0, 0, 0, 0, 0)),
        graph=graph,
        addresses=Addresses(iris),
        published=None,
        search=None,
        has_services=True,
        catalog=None,
    )
    if not is_prepared:
        return release, NamesInLanguage(graph, iris, language_named("en"))
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(QUADS)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    release.published = open_published(folder, 1)
    release.search = open_search(folder)
    return release, NamesInLanguage(PreparedNames(release.published, iris, graph), iris, language_named("en"))
