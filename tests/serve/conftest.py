"""A small release made by hand: two libraries hold one book, a third record is alone, two have been withdrawn."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pyoxigraph
import pytest

from bibld.model import mods as m
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Feature, Merged, Pair, Score, ValueSource, Verdict
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin, RecordId
from bibld.model.rdf import iri, literal, quad, typed_literal
from bibld.model.release import DatasetDescription, Figures, Manifest, ReleaseFile, SourceFigures
from bibld.protocols import RecordEvent, SourceRecord
from bibld.serve import Settings
from bibld.serve.site import Site
from tests.serve.client import Client, running

BASE = "https://data.example.org/lod/"
IRIS = Iris(BASE)
FOUNDER = RecordId("rsl", "RU\\NLR\\bibl\\204591")
MEMBER = RecordId("nlr", "0042 17")
ALONE = RecordId("rsl", "01003120729")
WITHOUT_REDIRECT = RecordId("nlr", "13")
DELETED = RecordId("nlr", "14")
NEVER = RecordId("rsl", "99")
AUTHOR = IRIS.agent("толстой, лев николаевич|1828-1910|personal")
AUTHOR_ELSEWHERE = IRIS.agent("rsl:77571")
"""The author by another key."""

WORK = IRIS.work_of(FOUNDER)
TRANSLATION = f"{BASE}work/english"

HOSTILE = "Война </script><script>alert(1)</script> & мир\u202e"

TERMS = {
    "title": "http://purl.org/dc/terms/title",
    "creator": "http://purl.org/dc/terms/creator",
    "type": "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "same": "http://www.w3.org/2002/07/owl#sameAs",
    "derived": "http://www.w3.org/ns/prov#wasDerivedFrom",
    "topic": "http://xmlns.com/foaf/0.1/primaryTopic",
    "part": "http://id.loc.gov/ontologies/bibframe/title",
    "homepage": "http://xmlns.com/foaf/0.1/homepage",
    "instance_of": "http://id.loc.gov/ontologies/bibframe/instanceOf",
    "has_instance": "http://id.loc.gov/ontologies/bibframe/hasInstance",
    "contribution": "http://id.loc.gov/ontologies/bibframe/contribution",
    "agent": "http://id.loc.gov/ontologies/bibframe/agent",
    "translation_of": "http://id.loc.gov/ontologies/bibframe/translationOf",
    "language": "http://id.loc.gov/ontologies/bibframe/language",
}


def description(title: str, *, publisher: str, year: str, isbn: str | None = None) -> m.Mods:
    author = m.Name(
        name_part=(m.NamePart(value="Толстой, Лев Николаевич"), m.NamePart(value="1828-1910", type="date")),
        role=(m.Role(role_term=(m.RoleTerm(value="aut", type="code"),)),),
        type="personal",
        usage="primary",
    )
    return m.Mods(
        title_info=(m.TitleInfo(title=title, sub_title=("роман в четырёх томах",), part_number=("Т. 1",)),),
        name=(author,),
        origin_info=(
            m.OriginInfo(
                place=(m.Place(place_term=(m.PlaceTerm(value="Москва", type="text"),)),),
                publisher=(m.Publisher(value=publisher),),
                date_issued=(m.Date(value=year, encoding="w3cdtf"),),
            ),
        ),
        language=(m.Language(language_term=(m.LanguageTerm(value="rus", type="code"),)),),
        physical_description=(m.PhysicalDescription(extent=(m.Extent(value="350 с. : ил. ; 21 см"),)),),
        note=(m.Note(value="Тираж 50 000 экз."),),
        subject=(m.Subject(parts=(m.Topic(value="Русская литература"), m.Temporal(value="19 в."))),),
        classification=(m.Classification(value="84(2Рос=Рус)1-44", authority="rubbk"),),
        identifier=(m.Identifier(value=isbn, type="isbn"),) if isbn else (),
        location=(m.Location(url=(m.Url(value="https://example.org/read"), m.Url(value="javascript:alert(1)"))),),
    )


def marc(control_number: str, title: str) -> MarcRecord:
    field = DataField("200", "1", " ", (Subfield("a", title), Subfield("f", "Л. Н. Толстой")))
    return MarcRecord(
        Origin("rsl", "dump.iso", 1, 0),
        Leader("00000nam0 2200000   450 "),
        (ControlField("001", control_number), field),
    )


class FakeCatalog:
    """A catalog in memory."""

    def __init__(self, records: Iterable[SourceRecord], merged: Iterable[Merged], edges: Iterable[Edge]) -> None:
        self._records = {record.id: record for record in records}
        self._merged = {each.cluster.founder: each for each in merged}
        self._edges = {edge.pair: edge for edge in edges}

    def record(self, record: RecordId) -> SourceRecord | None:
        return self._records.get(record)

    def cluster_of(self, record: RecordId) -> Cluster | None:
        return next((each.cluster for each in self._merged.values() if record in each.cluster.members), None)

    def merged(self, founder: RecordId) -> Merged | None:
        return self._merged.get(founder)

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        wanted = set(records)
        return [edge for pair, edge in sorted(self._edges.items()) if {pair.left, pair.right} <= wanted]

    def edge(self, pair: Pair) -> Edge | None:
        return self._edges.get(pair)

    def events_of(self, record: RecordId) -> list[RecordEvent]:
        if record != MEMBER:
            return [RecordEvent("2025-12-01T00:00:00+00:00", "appeared")]
        return [
            RecordEvent("2025-12-01T00:00:00+00:00", "appeared"),
            RecordEvent("2026-01-02T03:04:05+00:00", "absorbed", FOUNDER),
        ]

    def redirect_target(self, record: RecordId) -> RecordId | None:
        return MEMBER if record == DELETED else None

    def sample_founders(self, count: int) -> list[RecordId]:
        founders = sorted(self._merged.values(), key=lambda each: -len(each.cluster.members))
        return [each.cluster.founder for each in founders][:count]


def catalog() -> FakeCatalog:
    one = description("Война и мир", publisher="Художественная литература", year="1978", isbn="5280010000")
    other = description("Война и мир", publisher="Худож. лит.", year="1978")
    alone = description(HOSTILE, publisher="Наука\u202e", year="1989")
    records = [
        SourceRecord(
            record,
            ordinal,
            Origin(record.source, "dump.iso", ordinal, 0),
            b"",
            "iso2709",
            b"{}",
            flavour,
            mods,
            is_deleted,
        )
        for ordinal, (record, flavour, mods, is_deleted) in enumerate(
            (
                (FOUNDER, "rusmarc", one, False),
                (MEMBER, "rusmarc", other, False),
                (ALONE, "marc21", alone, False),
                (WITHOUT_REDIRECT, "rusmarc", other, True),
                (DELETED, "rusmarc", other, True),
            ),
            start=1,
        )
    ]
    both = msgspec.structs.replace(
        one,
        origin_info=(
            msgspec.structs.replace(
                one.origin_info[0], publisher=one.origin_info[0].publisher + other.origin_info[0].publisher
            ),
        ),
    )
    sources = (
        ValueSource("title_info/0", (FOUNDER, MEMBER)),
        ValueSource("origin_info/0/publisher/0", (FOUNDER,)),
        ValueSource("origin_info/0/publisher/1", (MEMBER,)),
        ValueSource("identifier/0", (FOUNDER,)),
    )
    merged = (
        Merged(Cluster(FOUNDER, (FOUNDER, MEMBER)), both, sources),
        Merged(Cluster(ALONE, (ALONE,)), alone, ()),
    )
    features = (
        Feature("title", 1.0),
        Feature("author", 1.0),
        Feature("publisher", 0.62, -0.5),
        Feature("isbn", -1.0, 0.125),
    )
    score = Score(0.964, features, ("title+year",), "model 1f3a9c04")
    edge = Edge(
        Pair.from_records(FOUNDER, MEMBER), score, Verdict("same", "model", ("Title, author and year agree.",)), "abc"
    )
    return FakeCatalog(records, merged, (edge,))


def quads() -> list[str]:
    founder, member, alone = (iri(IRIS.resource(record)) for record in (FOUNDER, MEMBER, ALONE))
    term = {name: iri(value) for name, value in TERMS.items()}
    provenance = iri(IRIS.graph("provenance"))
    match = IRIS.match(Pair.from_records(FOUNDER, MEMBER))
    lines = [
        quad(founder, term["type"], iri("http://purl.org/ontology/bibo/Book")),
        quad(founder, term["title"], literal("Война и мир", "ru")),
        quad(founder, term["label"], literal("Война и мир", "ru")),
        quad(founder, term["creator"], iri(AUTHOR)),
        quad(founder, term["same"], member),
        quad(founder, term["part"], iri(f"{IRIS.resource(FOUNDER)}#title1")),
        quad(iri(f"{IRIS.resource(FOUNDER)}#title1"), term["label"], literal("Война и мир : роман", "ru")),
        quad(founder, term["derived"], iri(IRIS.record(FOUNDER)), provenance),
        quad(founder, term["derived"], iri(IRIS.record(MEMBER)), provenance),
        quad(iri(IRIS.record(MEMBER)), term["topic"], member, provenance),
        quad(alone, term["title"], literal(HOSTILE, "ru")),
        quad(alone, term["creator"], iri(AUTHOR)),
        quad(alone, term["homepage"], iri("javascript:alert(1)")),
        quad(iri(AUTHOR), term["type"], iri("http://xmlns.com/foaf/0.1/Person")),
        quad(iri(AUTHOR), term["label"], literal("Толстой, Лев Николаевич, 1828-1910", "ru")),
        quad(iri(AUTHOR), term["label"], literal("Tolstoĭ, Lev", "ru-Latn")),
        quad(iri(AUTHOR), term["same"], iri(AUTHOR_ELSEWHERE)),
        quad(iri(AUTHOR), term["same"], iri("http://www.wikidata.org/entity/Q7243")),
        quad(alone, term["derived"], iri(IRIS.record(ALONE)), provenance),
        quad(iri(f"{IRIS.resource(FOUNDER)}#value-1"), term["derived"], iri(IRIS.record(FOUNDER)), provenance),
        quad(iri(match), iri(IRIS.term("left")), iri(IRIS.record(MEMBER)), provenance),
        quad(iri(match), iri(IRIS.term("right")), iri(IRIS.record(FOUNDER)), provenance),
        quad(iri(match), iri(IRIS.term("decision")), literal("same"), provenance),
        quad(iri(match), iri(IRIS.term("rule")), literal("model"), provenance),
        quad(iri(match), iri(IRIS.term("reason")), literal("Title, author and year agree."), provenance),
        quad(iri(match), iri(IRIS.term("scorer")), literal("model 1f3a9c04"), provenance),
        quad(iri(match), iri(IRIS.term("score")), typed_literal("0.964", "decimal"), provenance),
        quad(
            iri(IRIS.source("rsl")), term["label"], literal("Russian State Library", "en"), iri(IRIS.graph("dataset"))
        ),
    ]
    work, translation, contribution = iri(WORK), iri(TRANSLATION), iri(IRIS.node_of(WORK, AUTHOR))
    lines += [
        quad(founder, term["instance_of"], work),
        quad(alone, term["instance_of"], work),
        quad(work, term["has_instance"], founder),
        quad(work, term["has_instance"], alone),
        quad(work, term["type"], iri("http://id.loc.gov/ontologies/bibframe/Work")),
        quad(work, term["label"], literal("Война и мир", "ru")),
        quad(work, term["language"], iri("http://id.loc.gov/vocabulary/iso639-2/rus")),
        quad(work, term["contribution"], contribution),
        quad(contribution, term["type"], iri("http://id.loc.gov/ontologies/bibframe/PrimaryContribution")),
        quad(contribution, term["agent"], iri(AUTHOR)),
        quad(translation, term["type"], iri("http://id.loc.gov/ontologies/bibframe/Work")),
        quad(translation, term["label"], literal("War and peace", "en")),
        quad(translation, term["translation_of"], work),
        quad(translation, term["language"], iri("http://id.loc.gov/vocabulary/iso639-2/eng")),
    ]
    for number in range(150):
        topic = iri(IRIS.concept("topic", f"тема {number}"))
        lines.append(quad(topic, term["label"], literal(f"Тема {number}", "ru")))
        lines.append(quad(topic, term["creator"], iri(IRIS.publisher("наука"))))
    return lines


def build_release(folder: Path, base: str = BASE) -> Manifest:
    text = "".join(quads()).replace(BASE, base)
    store = pyoxigraph.Store(str(folder / "store"))
    store.bulk_load(text.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    store.flush()
    del store
    void = f"<{Iris(base).dataset}> a <http://rdfs.org/ns/void#Dataset> ."
    files = []
    for name, data, media_type in (
        ("bibld.nq.gz", b"not really gzip", "application/n-quads"),
        ("bibld.nq.zst", b"not really zstd", "application/n-quads"),
        ("void.ttl", void.encode(), "text/turtle"),
    ):
        (folder / name).write_bytes(data)
        files.append(ReleaseFile(name, len(data), hashlib.sha256(data).hexdigest(), media_type))
    (folder / "secret.txt").write_text("nobody may read this")
    source = SourceFigures(
        "rsl",
        {"en": "Russian State Library", "ru": "Российская государственная библиотека"},
        "https://creativecommons.org/publicdomain/zero/1.0/",
        read=3,
        converted=2,
        superseded=0,
        rejected=1,
    )
    nlr = SourceFigures("nlr", {"en": "National Library of Russia"}, "by agreement", 5, 3, 0, 0, 2)
    return Manifest(
        1,
        "2026-01-02T03:04:05Z",
        "test",
        DatasetDescription(
            base,
            {"en": "Books of two libraries", "ru": "Книги двух библиотек"},
            "https://creativecommons.org/publicdomain/zero/1.0/",
            "Example Consortium",
        ),
        Figures((source, nlr), 5, 2, 1, 1, len(text.splitlines()), 2),
        tuple(files),
    )


def make_site(folder: Path, settings: Settings, base: str = BASE) -> Site:
    def original(record: SourceRecord) -> MarcRecord | None:
        return None if record.id == ALONE else marc(record.id.control_number, "Война и мир")

    return Site(build_release(folder, base), folder, catalog(), original, settings)


PATIENCE = 600.0
"""Seconds: nothing that a test waits for takes as long, even on a machine that does much else."""
SMALL = Settings(
    query_timeout=PATIENCE, query_memory=256, query_workers=2, query_queue=2, query_share=0.25, max_result=1
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("release"), SMALL)


@pytest.fixture
def site_in() -> Callable[[Path], Site]:
    """Makes a site in a folder."""

    def make(folder: Path) -> Site:
        folder.mkdir(parents=True, exist_ok=True)
        return make_site(folder, SMALL)

    return make


@pytest.fixture(name="quads")
def quads_fixture() -> list[str]:
    """The quads of the store."""
    return quads()


@pytest.fixture
def iris() -> Iris:
    return IRIS


@pytest.fixture
def site_at(tmp_path: Path) -> Callable[[str], Site]:
    """Makes a site with another base."""
    return lambda base: make_site(tmp_path, SMALL, base)


@pytest.fixture(name="running", scope="session")
def running_fixture() -> Callable[..., AbstractContextManager[Client]]:
    return running


@pytest.fixture(scope="session")
def client(site: Site) -> Iterator[Client]:
    with running(site) as opened:
        yield opened


@pytest.fixture
def hasty_client(site: Site) -> Iterator[Client]:
    """A client of an application that gives queries one second."""
    hasty = msgspec.structs.replace(site.settings, query_timeout=1.0)
    with running(msgspec.structs.replace(site, settings=hasty)) as opened:
        yield opened


@pytest.fixture
def here() -> PathOf:
    return PathOf()


class PathOf:
    """Where the server has what an IRI names."""

    def __call__(self, thing: str) -> str:
        return thing.removeprefix("https://data.example.org")

    def document(self, thing: str, form: str = "") -> str:
        path = self(IRIS.document(thing))
        return f"{path}.{form}" if form else path
