"""Authority files as sources: what a library's own headings add to the data, in MARC 21 and in RUSMARC.

Each test runs made-up files and looks at the statements about a thing, which are lines such as ``skos:prefLabel
Libraries``: the property and the value, IRIs of the dataset without its base.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pyoxigraph as ox
import pytest

from bibld import config, link, pipeline, triplify
from bibld.catalog import Catalog
from bibld.ingest import public_original_of
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import RecordId
from bibld.model.rdf import PREFIXES
from bibld.pipeline import Summary
from bibld.progress import Silent
from bibld.serve.site import Site
from tests.configuration import source, write_config
from tests.crosswalk.test_rusmarc import record
from tests.ontology.published_terms import Vocabularies, misuses
from tests.serve.client import running

BASE = "https://data.example.org/"
DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")

MARC21_AUTHORITY, MARC21_BOOK = "00000nz  a2200000n  4500", "00000nam a2200000 i 4500"
RUSMARC_AUTHORITY, RUSMARC_BOOK = "00000nx  a2200000 3 450 ", "00000nam0 2200000 i 450 "


def heading(*fields: str, leader: str = MARC21_AUTHORITY, code: str = "z") -> MarcRecord:
    """A MARC 21 authority record of the file XX; ``code`` is 008/11, the list of subject headings, or 008/32."""
    coded = f"008 900101n| an{code}nnbabn          |a aaa      "
    return record("003 XX", coded, *fields, leader=leader)


def subject(number: str, *fields: str, leader: str = MARC21_AUTHORITY) -> MarcRecord:
    """A subject heading of the list ``xxsh``."""
    return heading(f"001 {number}", "040 ##$fxxsh", *fields, leader=leader)


def book(number: str, *fields: str) -> MarcRecord:
    return record(f"001 {number}", f"245 10$aBook {number}", *fields, leader=MARC21_BOOK)


def russian_heading(number: str, *fields: str, leader: str = RUSMARC_AUTHORITY) -> MarcRecord:
    return record(f"001 RU\\AAA\\AUTH\\{number}", *fields, leader=leader)


def russian_book(number: str, *fields: str) -> MarcRecord:
    return record(f"001 {number}", f"200 1#$aКнига {number}", *fields, leader=RUSMARC_BOOK)


ANY_BOOK = book("0")


class Progress(Silent):
    """Keeps the warnings of a run."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        self.warnings.append(message)


class Library:
    """A workspace with the sources ``books`` and ``headings``; ``more`` are further keys of the latter."""

    def __init__(self, folder: Path, more: str = "", **sources: str) -> None:
        self.folder = folder
        names = sources or {"books": "books.mrc", "headings": "headings.mrc"}
        *first, last = names.items()
        tables = "".join(source(name, path) for name, path in first)
        write_config(folder, f"{tables}{source(*last)}{more}")
        self.config = config.load(folder / "bibld.toml")
        self.night = 0
        self.warnings: list[str] = []
        self.quads: list[str] = []

    def write(self, name: str, records: Iterable[MarcRecord], charset: str = "utf-8") -> None:
        (self.folder / name).write_bytes(b"".join(to_iso2709(one, charset) for one in records))

    def run(
        self,
        books: Sequence[MarcRecord] | None = None,
        headings: Sequence[MarcRecord] | None = None,
        until: str = "triplify",
        **options: bool,
    ) -> Summary:
        """Write the files that are given, and run."""
        for name, records in (("books.mrc", books), ("headings.mrc", headings)):
            if records is not None:
                self.write(name, records)
        self.night += 1
        progress = Progress()
        time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=self.night)
        summary = pipeline.run(self.config, time, progress, until=until, allow_deletes=True, **options)
        self.warnings = progress.warnings
        with Catalog(self.config.workspace, read_only=True) as catalog:
            self.quads = list(triplify.catalog_quads(catalog, Iris(BASE), ()))
        return summary

    def about(self, path: str) -> set[str]:
        """The statements about a thing of the dataset."""
        found = ox.parse("".join(self.quads).encode(), ox.RdfFormat.N_QUADS)
        return {f"{short(one.predicate)} {short(one.object)}" for one in found if one.subject.value == BASE + path}

    def subjects(self, number: str) -> set[str]:
        """The subjects of a book."""
        lines = self.about(f"resource/books/{number}")
        return {line.removeprefix("dcterms:subject ") for line in lines if line.startswith("dcterms:subject ")}

    def labelled(self, label: str) -> set[str]:
        """The things that have a preferred label."""
        found = ox.parse("".join(self.quads).encode(), ox.RdfFormat.N_QUADS)
        return {
            one.subject.value.removeprefix(BASE)
            for one in found
            if one.predicate.value.endswith("#prefLabel") and one.object.value == label
        }


def short(term: ox.NamedNode | ox.Literal) -> str:
    if isinstance(term, ox.Literal):
        return f"{term.value}@{term.language}" if term.language else term.value
    text = term.value.removeprefix(BASE)
    for prefix, space in PREFIXES.items():
        if text.startswith(space):
            return f"{prefix}:{text.removeprefix(space)}"
    return text


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


LIBRARIES = subject(
    "7", "150 ##$aLibraries", "450 ##$aBook houses", "450 ##$wnnna$aOld libraries", "550 ##$wg$aInstitutions$0(XX)8",
    "550 ##$aArchives$0(XX)9", "680 ##$iHere are entered works on libraries.",
)  # fmt: skip
INSTITUTIONS = subject("8", "150 ##$aInstitutions", "550 ##$wh$aMuseums$0(XX)6")
ARCHIVES, MUSEUMS = subject("9", "150 ##$aArchives"), subject("6", "150 ##$aMuseums")
SUBJECTS = [LIBRARIES, INSTITUTIONS, ARCHIVES, MUSEUMS]

БИБЛИОТЕКИ = russian_heading(
    "7", "152 ##$bnlr_sh", "250 ##$aБиблиотеки", "450 ##$aКнигохранилища", "550 ##$5g$aУчреждения$3RU\\AAA\\AUTH\\8",
    "550 ##$aАрхивы$3RU\\AAA\\AUTH\\9", "330 ##$aОбщие работы о библиотеках.",
)  # fmt: skip
УЧРЕЖДЕНИЯ = russian_heading("8", "152 ##$bnlr_sh", "250 ##$aУчреждения", "550 ##$5h$aМузеи$3RU\\AAA\\AUTH\\6")
АРХИВЫ = russian_heading("9", "152 ##$bnlr_sh", "250 ##$aАрхивы")
МУЗЕИ = russian_heading("6", "152 ##$bnlr_sh", "250 ##$aМузеи")
РУБРИКИ = [БИБЛИОТЕКИ, УЧРЕЖДЕНИЯ, АРХИВЫ, МУЗЕИ]
SEVEN, EIGHT, NINE, SIX = (f"concept/xxsh/headings~3A{number}" for number in "7896")
СЕМЬ, ВОСЕМЬ, ДЕВЯТЬ, ШЕСТЬ = (f"concept/nlr_sh/RU~5CAAA~5CAUTH~5C{number}" for number in "7896")


# --- subjects


def test_a_subject_that_cites_a_number_is_the_heading_of_the_record(library: Library) -> None:
    library.run([book("1", "650 #7$aLibraries$2xxsh$0(XX)7"), book("2", "650 #7$aBooks, where they are$2xxsh$0(XX)7")],
                SUBJECTS)  # fmt: skip
    assert library.subjects("1") == library.subjects("2") == {SEVEN}
    assert library.about(SEVEN) >= {
        "rdf:type skos:Concept", "skos:prefLabel Libraries", "skos:altLabel Book houses",
        "skos:altLabel Books, where they are", "skos:hiddenLabel Old libraries", "skos:inScheme concept/xxsh",
        "skos:broader " + EIGHT, "skos:related " + NINE, "skos:scopeNote Here are entered works on libraries.",
        "prov:wasDerivedFrom record/headings/7",
    }  # fmt: skip
    assert "foaf:primaryTopic " + SEVEN in library.about("record/headings/7")
    assert library.about("resource/headings/7") == set()


def test_a_russian_subject_that_cites_a_number_is_the_heading_of_the_record(library: Library) -> None:
    cited = "606 0#$aБиблиотеки$2nlr_sh$3RU\\AAA\\AUTH\\7"
    library.run([russian_book("1", cited), russian_book("2", "606 0#$aКнигохранилища$2nlr_sh")], РУБРИКИ)
    assert library.subjects("1") == library.subjects("2") == {СЕМЬ}
    assert library.about(СЕМЬ) >= {
        "skos:prefLabel Библиотеки@ru", "skos:altLabel Книгохранилища@ru", "skos:broader " + ВОСЕМЬ,
        "skos:related " + ДЕВЯТЬ, "skos:scopeNote Общие работы о библиотеках.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("headings", "narrow", "broad"), [(SUBJECTS, SIX, EIGHT), (РУБРИКИ, ШЕСТЬ, ВОСЕМЬ)], ids=["marc21", "rusmarc"]
)
def test_a_narrower_term_has_the_heading_as_its_broader_term(
    library: Library, headings: Sequence[MarcRecord], narrow: str, broad: str
) -> None:
    library.run([ANY_BOOK], headings)
    assert "skos:broader " + broad in library.about(narrow)


def test_a_subject_without_a_number_is_the_only_heading_with_its_text(library: Library) -> None:
    books = [book("1", "650 #7$aLibraries$2xxsh"), book("2", "650 #7$aBook houses$2xxsh")]
    library.run([*books, book("3", "650 #7$aLibraries$2other"), book("4", "650 #7$aTwins$2xxsh")],
                [*SUBJECTS, subject("21", "150 ##$aTwins"), subject("22", "150 ##$aTwins")])  # fmt: skip
    assert library.subjects("1") == library.subjects("2") == {SEVEN}
    assert library.subjects("3") != {SEVEN}
    assert not library.subjects("4") & {"concept/xxsh/headings~3A21", "concept/xxsh/headings~3A22"}


def test_a_subdivision_is_not_the_subject_of_the_same_text(library: Library) -> None:
    subdivision = heading("001 12", "040 ##$fxxsh", "180 ##$xArchives")
    library.run([book("1", "650 #7$aArchives$2xxsh")], [ARCHIVES, subdivision])
    assert library.subjects("1") == {NINE}
    assert "skos:prefLabel Archives" in library.about("concept/xxsh/headings~3A12")


def test_a_heading_that_no_book_has_is_published_with_its_number(library: Library) -> None:
    summary = library.run([ANY_BOOK], SUBJECTS)
    assert "skos:prefLabel Museums" in library.about(SIX)
    assert (summary.figures.records, summary.figures.clusters) == (1, 1)


# --- persons, bodies, places, works

TOLSTOY = heading(
    "001 1", "024 7#$a96987389$2viaf", "046 ##$f18280909$g19101120", "100 1#$aTolstoy, Leo,$cgraf,$d1828-1910",
    "400 1#$aТолстой, Лев Николаевич,$d1828-1910", "370 ##$aYasnaya Polyana", "372 ##$aLiterature", "374 ##$aNovelists",
    "375 ##$amale", "377 ##$arus", "678 0#$aRussian writer.",
)  # fmt: skip
ТОЛСТОЙ = russian_heading(
    "1", "010 ##$a0000 0001 2144 1970", "101 ##$arus", "103 ##$a18280909$b19101120", "120 ##$aba",
    "200 #1$aТолстой$bЛ. Н.$gЛев Николаевич$f1828-1910", "400 #1$aTolstoy$bLeo$f1828-1910", "340 ##$aПисатель.",
)  # fmt: skip


def test_a_person_has_what_the_record_states(library: Library) -> None:
    library.run([book("1", "100 1#$aTolstoĭ, L.$0(XX)1")], [TOLSTOY])
    assert "dcterms:creator agent/viaf-96987389" in library.about("resource/books/1")
    assert library.about("agent/viaf-96987389") >= {
        "rdf:type foaf:Person", "skos:prefLabel Tolstoy, Leo, graf", "skos:altLabel Толстой, Лев Николаевич",
        "skos:altLabel Tolstoĭ, L.", "schema:birthDate 1828", "schema:birthDate 1828-09-09", "schema:deathDate 1910",
        "schema:knowsAbout Literature", "schema:jobTitle Novelists", "schema:gender male", "skos:note Russian writer.",
        "dcterms:language http://id.loc.gov/vocabulary/iso639-2/rus", "owl:sameAs http://viaf.org/viaf/96987389",
        "owl:sameAs agent/headings~3A1",
    }  # fmt: skip
    (place,) = library.labelled("Yasnaya Polyana")
    assert f"schema:birthPlace {place}" in library.about("agent/viaf-96987389")


def test_a_russian_person_has_what_the_record_states(library: Library) -> None:
    library.run([russian_book("1", "700 #1$aТолстой$bЛ. Н.$3RU\\AAA\\AUTH\\1$4070")], [ТОЛСТОЙ])
    (agent,) = library.labelled("Толстой, Лев Николаевич")
    assert f"dcterms:creator {agent}" in library.about("resource/books/1")
    assert library.about(agent) >= {
        "skos:altLabel Tolstoy, Leo", "schema:birthDate 1828", "schema:birthDate 1828-09-09", "schema:gender male",
        "skos:note Писатель.", "owl:sameAs https://isni.org/isni/0000000121441970",
    }  # fmt: skip


def test_a_name_with_dates_is_the_person_of_the_only_record_with_it_in_any_script(library: Library) -> None:
    books = [
        book("1", "100 1#$aTolstoy, Leo,$d1828-1910"),
        book("2", "100 1#$aТолстой, Лев Николаевич,$d1828-1910"),
        book("3", "100 1#$aTolstoy, Leo,$d1900-1950"),
    ]
    library.run(books, [TOLSTOY])
    creators = [
        {line for line in library.about(f"resource/books/{number}") if line.startswith("dcterms:creator")}
        for number in "123"
    ]
    assert creators[0] == creators[1] == {"dcterms:creator agent/viaf-96987389"} != creators[2]


def test_an_undifferentiated_name_is_nobody_whom_a_book_names(library: Library) -> None:
    undifferentiated = record(
        "001 5", "003 XX", "008 900101n| acannaabn          |a aba      ", "100 1#$aSmith, John Brown",
        leader=MARC21_AUTHORITY,
    )  # fmt: skip
    library.run([book("1", "100 1#$aSmith, John Brown")], [undifferentiated])
    assert "dcterms:creator agent/headings~3A5" not in library.about("resource/books/1")
    assert "skos:prefLabel Smith, John Brown" in library.about("agent/headings~3A5")


def test_a_body_is_tied_by_any_of_its_names_and_has_earlier_and_later_bodies(library: Library) -> None:
    body = heading(
        "001 3", "110 2#$aNational Library", "410 2#$aState Library", "510 2#$wa$aPublic Library$0(XX)4",
        "046 ##$s1992", "371 ##$aMain Street 1$bTown",
    )  # fmt: skip
    earlier = heading("001 4", "110 2#$aPublic Library")
    library.run([book("1", "710 2#$aState Library")], [body, earlier])
    assert "dcterms:contributor agent/headings~3Aorganisation~3A3" in library.about("resource/books/1")
    assert library.about("agent/headings~3Aorganisation~3A3") >= {
        "rdf:type foaf:Organization", "dcterms:replaces agent/headings~3Aorganisation~3A4",
        "schema:address Main Street 1, Town",
    }  # fmt: skip


def test_a_place_is_a_place_and_a_subject(library: Library) -> None:
    headings = [subject("31", "151 ##$aZalesye", "451 ##$aOpolye", "551 ##$wg$aRus'$0(XX)32"),
                subject("32", "151 ##$aRus'")]  # fmt: skip
    library.run([book("1", "651 #7$aZalesye$2xxsh$0(XX)31")], headings)
    assert library.subjects("1") == {"concept/xxsh/headings~3A31"}
    assert "dcterms:spatial place/headings~3A31" in library.about("resource/books/1")
    assert library.about("place/headings~3A31") >= {"skos:prefLabel Zalesye", "skos:altLabel Opolye"}
    assert "skos:broader concept/xxsh/headings~3A32" in library.about("concept/xxsh/headings~3A31")


def test_a_work_and_a_genre_are_things_of_the_dataset(library: Library) -> None:
    work = heading(
        "001 41", "100 1#$aTolstoy, Leo,$d1828-1910.$tWar and peace", "400 1#$aTolstoy, Leo,$d1828-1910.$tВойна и мир"
    )
    genre = heading("001 42", "040 ##$flcgft", "155 ##$aNovels", "455 ##$aRomans")
    library.run([book("1", "655 #7$aRomans$2lcgft")], [work, genre])
    assert "bf:genreForm concept/lcgft/headings~3A42" in library.about("work/books/1")
    assert library.about("work/headings~3A41") >= {
        "rdf:type bf:Work", "rdfs:label War and peace", "skos:altLabel Война и мир",
    }  # fmt: skip


def test_matching_knows_all_names_of_a_person(library: Library) -> None:
    headings = [
        heading("001 1", "100 1#$aGorky, Maksim,$d1868-1936", "400 1#$aPeshkov, Alekseĭ Maksimovich,$d1868-1936"),
        russian_heading("2", "200 #1$aЧехонте$bА.$gАнтоша", "400 #1$aЧехов$bА. П.$gАнтон Павлович$f1860-1904"),
        heading("001 3", "100 1#$aOne, Name"),
        SUBJECTS[0],
    ]
    library.run([ANY_BOOK], headings, until="read")
    with Catalog(library.config.workspace, read_only=True) as catalog:
        assert list(link.names_of_persons(catalog, library.config)) == [
            ["Gorky, Maksim", "Peshkov, Alekseĭ Maksimovich"], ["Чехонте, Антоша", "Чехов, Антон Павлович"],
        ]  # fmt: skip


# --- headings that are not used any more


@pytest.mark.parametrize(
    "replaced",
    [
        subject("5", "150 ##$aBook collections", "682 ##$iSee$aLibraries$0(XX)7", leader="00000xz  a2200000n  4500"),
        subject("5", "150 ##$aBook collections", "682 ##$iReplaced by$aLibraries", leader="00000dz  a2200000n  4500"),
    ],
    ids=["with-number", "without-number"],
)  # fmt: skip
def test_a_replaced_heading_leads_to_the_one_that_is_used_instead(library: Library, replaced: MarcRecord) -> None:
    library.run([book("1", "650 #7$aBook collections$2xxsh$0(XX)5"), book("2", "650 #7$aBook collections$2xxsh")],
                [*SUBJECTS, replaced])  # fmt: skip
    assert library.subjects("1") == library.subjects("2") == {SEVEN}
    assert library.about(SEVEN) >= {"skos:altLabel Book collections", "skos:exactMatch concept/xxsh/headings~3A5"}
    assert "foaf:primaryTopic " + SEVEN in library.about("record/headings/5")


def test_a_russian_replaced_heading_leads_to_the_one_that_is_used_instead(library: Library) -> None:
    replaced = russian_heading("5", "152 ##$bnlr_sh", "250 ##$aКнигохранение", "835 ##$bБиблиотеки$3RU\\AAA\\AUTH\\7",
                               leader="00000dx  a2200000 3 450 ")  # fmt: skip
    library.run([russian_book("1", "606 0#$aКнигохранение$2nlr_sh$3RU\\AAA\\AUTH\\5")], [*РУБРИКИ, replaced])
    assert library.subjects("1") == {СЕМЬ}


def test_a_cancelled_number_leads_to_the_heading_that_has_it_unless_two_have(library: Library) -> None:
    one, other = (subject(number, f"150 ##$aTerm {number}", "035 ##$z(XX)50") for number in ("51", "52"))
    books = [book("1", "650 #7$aOld term$2xxsh$0(XX)50")]
    library.run(books, [one])
    assert library.subjects("1") == {"concept/xxsh/headings~3A51"}
    library.run(books, [one, other])
    assert not library.subjects("1") & {"concept/xxsh/headings~3A51", "concept/xxsh/headings~3A52"}


def test_a_heading_that_was_split_names_those_that_are_used_instead(library: Library) -> None:
    split = subject(
        "5", "150 ##$aLibraries and archives", "682 ##$iSplit into$aLibraries$0(XX)7$aArchives$0(XX)9",
        leader="00000sz  a2200000n  4500",
    )  # fmt: skip
    library.run([book("1", "650 #7$aLibraries and archives$2xxsh$0(XX)5")], [*SUBJECTS, split])
    assert library.subjects("1") == {"concept/xxsh/headings~3A5"}
    assert library.about("concept/xxsh/headings~3A5") >= {
        "skos:prefLabel Libraries and archives", "dcterms:isReplacedBy " + SEVEN, "dcterms:isReplacedBy " + NINE,
    }  # fmt: skip


def test_of_a_deleted_heading_only_the_record_has_a_tombstone(library: Library) -> None:
    library.run([ANY_BOOK], SUBJECTS)
    library.run([ANY_BOOK], SUBJECTS[:3])
    assert library.about(SIX) == {
        line for line in library.about(SIX) if "Museums" in line or not line.startswith("prov:")
    }
    assert any(line.startswith("prov:invalidatedAtTime") for line in library.about("record/headings/6"))
    assert library.about("resource/headings/6") == set()


# --- bad input


def test_a_number_that_no_record_has_is_reported_and_its_heading_published(library: Library) -> None:
    library.run([ANY_BOOK], SUBJECTS[:1])
    assert library.warnings == [
        "headings: related headings cite 2 numbers that no record of the source has (8 in record 7, 9 in record 7);"
        " they are published without a record"
    ]
    assert "skos:prefLabel Institutions" in library.about(EIGHT)
    library.run([ANY_BOOK], SUBJECTS)
    assert library.warnings == []


def test_a_number_that_a_book_cites_and_no_record_has_is_reported(library: Library) -> None:
    cited = "650 #7$aNowhere$2xxsh$0(XX)99", "700 1#$aNobody, Nemo$0(XX)98", "650 #7$aElsewhere$2yysh$0(YY)1"
    library.run([book("1", *cited), book("2", "650 #7$aLibraries$2xxsh$0(XX)7")], SUBJECTS)
    assert library.warnings == [
        "triplify: publications cite 2 numbers of headings that no authority record has ((xx)98 in books:1, (xx)99 in"
        " books:1); the headings are published without a record"
    ]
    assert library.labelled("Nowhere") & library.subjects("1")


def test_a_number_without_a_heading_is_a_link_only_if_there_is_a_record(library: Library) -> None:
    library.run([ANY_BOOK], [russian_heading("7", "152 ##$bnlr_sh", "250 ##$aБиблиотеки", "550 ##$3RU\\AAA\\AUTH\\9")])
    assert not any(line.startswith("skos:related") for line in library.about(СЕМЬ))
    library.run(
        [ANY_BOOK], [russian_heading("7", "152 ##$bnlr_sh", "250 ##$aБиблиотеки", "550 ##$3RU\\AAA\\AUTH\\9"), АРХИВЫ]
    )
    assert "skos:related " + ДЕВЯТЬ in library.about(СЕМЬ)


def test_a_cycle_of_broader_terms_is_reported_and_published(library: Library) -> None:
    cycle = [
        subject(str(one), f"150 ##$aTerm {one}", f"550 ##$wg$aTerm {one % 3 + 1}$0(XX){one % 3 + 1}")
        for one in (1, 2, 3)
    ]
    library.run([ANY_BOOK], cycle, until="publish")
    assert library.warnings == ["headings: 1 cycle of broader terms (records 1, 2, 3); they are published as stated"]
    assert "skos:broader concept/xxsh/headings~3A1" in library.about("concept/xxsh/headings~3A3")


def test_each_record_is_converted_as_what_it_is(library: Library) -> None:
    summary = library.run([book("1"), LIBRARIES], [ARCHIVES, book("2")])
    assert [(one.read, one.converted, one.rejected) for one in summary.sources] == [(2, 2, 0), (2, 2, 0)]
    assert summary.figures.clusters == 2
    assert "rdf:type bf:Instance" in library.about("resource/headings/2")
    assert "skos:prefLabel Libraries" in library.about("concept/xxsh/books~3A7")
    assert not [line for line in library.warnings if "publication" in line]


def test_a_book_in_a_source_of_authority_records_is_converted_with_a_warning(tmp_path: Path) -> None:
    library = Library(tmp_path, 'kind = "authority"\n')
    library.run([book("1")], [ARCHIVES, book("2")])
    assert library.warnings == [
        "headings: headings.mrc: 1 of 2 records: the record describes a publication, but its source is one of authority"
        ' records; put them into a source without kind = "authority"'
    ]
    assert "rdf:type bf:Instance" in library.about("resource/headings/2")


def test_a_book_and_a_heading_with_one_number_in_one_source_are_reported(library: Library) -> None:
    summary = library.run([book("7"), LIBRARIES], SUBJECTS)
    assert (summary.sources[0].converted, summary.sources[0].superseded) == (1, 1)
    assert library.warnings[:1] == [
        "books: 1 record took the place of an authority record or of a description of a publication with the same"
        " number (001) in this load; put authority records into a source without the others"
    ]


def test_a_record_without_a_heading_is_rejected_with_a_reason(library: Library) -> None:
    summary = library.run([ANY_BOOK], [LIBRARIES, subject("90", "680 ##$iNo heading")])
    assert [(one.read, one.converted, one.rejected) for one in summary.sources][1] == (2, 1, 1)
    with Catalog(library.config.workspace, read_only=True) as catalog:
        (reject,) = catalog.records.rejects("headings")
        assert "authority record without a heading (1XX)" in reject.reason


def test_a_file_in_another_charset_is_read_as_other_files_are(tmp_path: Path) -> None:
    library = Library(tmp_path, 'charset = "cp1251"\n')
    library.write("headings.mrc", РУБРИКИ, "cp1251")
    library.run([ANY_BOOK])
    assert "skos:prefLabel Библиотеки@ru" in library.about(СЕМЬ)


def test_subfields_that_no_rule_reads_are_counted(library: Library) -> None:
    library.run([ANY_BOOK], [subject("7", "150 ##$aLibraries", "667 ##$aFor cataloguers", "035 ##$a(XX)1$q9")])
    with Catalog(library.config.workspace, read_only=True) as catalog:
        counted = {row for row in catalog.records.coverage() if row[0] == "marc21-authority"}
    assert counted == {("marc21-authority", "667$a", "private", 1), ("marc21-authority", "035$q", "unmapped", 1)}


# --- other sources, suppressions, updates


def test_sources_that_cite_bare_numbers_are_named_in_the_configuration(tmp_path: Path) -> None:
    library = Library(tmp_path, 'cited_by = ["books"]\n')
    library.run([book("1", "100 1#$aTolstoĭ, L.$01")], [TOLSTOY])
    assert "dcterms:creator agent/viaf-96987389" in library.about("resource/books/1")


def test_a_source_that_does_not_exist_cites_nothing(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r'cited_by: no \[\[source\]\] has the id "catalogue"'):
        Library(tmp_path, 'cited_by = ["catalogue"]\n')


def test_a_suppressed_value_is_in_no_statement(tmp_path: Path) -> None:
    library = Library(tmp_path, '[publish]\nsuppress = "suppress.csv"\n')
    (tmp_path / "suppress.csv").write_text("record,value,reason\nheadings:1,male,asked for\n", "utf-8")
    library.run([ANY_BOOK], [TOLSTOY])
    assert "schema:gender male" not in library.about("agent/viaf-96987389")
    assert "schema:jobTitle Novelists" in library.about("agent/viaf-96987389")
    (tmp_path / "suppress.csv").write_text("record,value,reason\nheadings:1,,asked for\n", "utf-8")
    library.run([ANY_BOOK], [TOLSTOY])
    assert library.about("agent/viaf-96987389") == library.about("record/headings/1") == set()


def test_updates_end_in_the_same_statements_as_a_rebuild(library: Library, tmp_path: Path) -> None:
    books = [
        book("1", "650 #7$aLibraries$2xxsh$0(XX)7", "100 1#$aTolstoy, Leo,$d1828-1910"),
        book("2", "650 #7$aBook collections$2xxsh$0(XX)5", "100 1#$aТолстой, Лев Николаевич,$d1828-1910"),
    ]
    replaced = subject("5", "150 ##$aBook collections", "682 ##$aLibraries$0(XX)7", leader="00000xz  a2200000n  4500")
    renamed = subject("7", "150 ##$aLibrary buildings", "450 ##$aLibraries", "550 ##$wg$aInstitutions$0(XX)8")
    nights = [
        (books, [ARCHIVES]),
        (books, [*SUBJECTS, TOLSTOY]),
        (books, [*SUBJECTS, TOLSTOY, replaced]),
        (books[:1], [INSTITUTIONS, renamed, replaced]),
        (books, [*SUBJECTS[:3], replaced]),
        (books, [LIBRARIES, book("9"), subject("1", "150 ##$aNumber of a person before")]),
        ([*books, LIBRARIES], [ARCHIVES]),
        (books, [TOLSTOY]),
    ]
    for number, (of_books, of_headings) in enumerate(nights):
        library.run(of_books, of_headings)
        updated = set(library.quads)
        library.run(rebuild=True)
        assert set(library.quads) == updated, f"night {number}"
        named = {
            one for line in updated for one in line.split() if one.startswith((f"<{BASE}concept/", f"<{BASE}agent/"))
        }
        subjects = {line.split()[0] for line in updated}
        same = {line.split()[2] for line in updated if "#exactMatch" in line or "#sameAs" in line}
        assert {one for one in named if "#" not in one} <= subjects | same, f"night {number}"


def test_only_the_last_version_of_an_authority_record_is_in_force(library: Library) -> None:
    summary = library.run([ANY_BOOK], [subject("7", "150 ##$aFirst"), subject("7", "150 ##$aSecond")])
    assert (summary.sources[1].converted, summary.sources[1].superseded) == (1, 1)
    assert "skos:prefLabel Second" in library.about(SEVEN)
    with Catalog(library.config.workspace, read_only=True) as catalog:
        stored = catalog.record(RecordId("headings", "7"))
        assert stored is not None and stored.authority is not None
        assert stored.authority.headings[0].text == "Second"


# --- the site


def test_every_iri_answers_and_pages_show_the_headings(library: Library) -> None:
    split = subject("5", "150 ##$aLibraries and archives", "682 ##$iSplit into$aLibraries$0(XX)7$aArchives$0(XX)9",
                    leader="00000sz  a2200000n  4500")  # fmt: skip
    replaced = subject("4", "150 ##$aBook collections", "682 ##$aLibraries$0(XX)7", leader="00000xz  a2200000n  4500")
    books = [book("1", "650 #7$aLibraries$2xxsh$0(XX)7", "700 1#$aTolstoĭ, L.$0(XX)1")]
    library.run(books, [*SUBJECTS, TOLSTOY, split, replaced, *РУБРИКИ, ТОЛСТОЙ], until="publish")
    release, manifest = pipeline.current_release(library.config)
    text = "".join(library.quads)
    iris = sorted({found.partition("#")[0] for found in re.findall(f"<({BASE}[^>]*)>", text)})
    with Catalog(library.config.workspace, read_only=True) as catalog:
        original = partial(public_original_of, catalog=catalog)
        with running(Site(manifest, release, catalog, original, library.config.serve)) as client:
            answers = [client.get("/" + iri.removeprefix(BASE), "text/turtle") for iri in iris]
            answers = [
                client.get(one.headers["location"], "text/turtle") if one.is_redirect else one for one in answers
            ]
            assert [iri for iri, one in zip(iris, answers, strict=True) if one.status_code != 200] == []
            page = client.get(f"/doc/{SEVEN}.html").text
            for words in ("Institutions", "Archives", "Here are entered works on libraries", "Book houses", "Book 1"):
                assert words in page
            assert "Old libraries" not in page
            assert "Museums" in client.get(f"/doc/{EIGHT}.html").text
            assert "Used instead" in client.get("/doc/concept/xxsh/headings~3A5.html").text
            page = client.get("/doc/record/headings/7.html", accept_language="ru").text
            assert "Она описывает рубрику" in page and "=150" in page
            assert client.get("/doc/record/headings/4.html").status_code == 200
            assert client.get("/resource/headings/7").status_code == 404


@REAL
def test_every_term_is_used_as_its_vocabulary_allows(library: Library) -> None:
    body = heading(
        "001 3", "110 2#$aNational Library", "046 ##$s1992$t2001", "370 ##$eTown", "371 ##$aMain Street 1",
        "373 ##$aMinistry", "372 ##$aBooks",
    )  # fmt: skip
    work = heading(
        "001 41", "100 1#$aTolstoy, Leo,$d1828-1910.$tWar and peace", "046 ##$k1869", "500 1#$iTranslation of:$aA$tB"
    )
    library.run([ANY_BOOK], [*SUBJECTS, TOLSTOY, body, work, *РУБРИКИ, ТОЛСТОЙ])
    counts, examples = misuses(library.quads, Vocabularies(DATA / "vocabularies"))
    places = ("schema:birthPlace", "schema:location")  # alignment.ttl states that bf:Place is a schema:Place
    assert {found: examples[found] for found in counts if found.term not in places} == {}


@REAL
def test_every_record_of_the_real_files_is_published(tmp_path: Path) -> None:
    names = {
        "iish": "marc21/authorities_utf8.mrc",
        "names": "authorities/loc_names.mrc",
        "lcsh": "authorities/loc_subjects.mrc",
    }
    library = Library(tmp_path, **{name: str(DATA / path) for name, path in names.items()})
    summary = library.run()
    assert [(one.read, one.converted, one.rejected) for one in summary.sources] == [
        (548, 548, 0), (11, 11, 0), (6, 6, 0),
    ]  # fmt: skip
    topics = {line for line in library.quads if "primaryTopic" in line}
    assert len(topics) == 565
    assert library.about("concept/lcsh/lcsh-sh85028571") >= {
        "skos:prefLabel Colonization@en", "skos:altLabel Colonisation@en",
        "skos:exactMatch http://id.loc.gov/authorities/subjects/sh85028571",
    }  # fmt: skip
