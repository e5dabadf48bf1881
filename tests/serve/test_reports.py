"""Reports of a release: the newest validation, in the language of the page, and reasons without names of classes."""

from __future__ import annotations

import msgspec
import pytest

from bibld.model.iris import Iris
from bibld.model.report import (
    SHAPES_FILE,
    Count,
    Report,
    ShapeFigure,
    Shared,
    SourceReport,
    TownCount,
    Validation,
)
from bibld.serve._language import language_named
from bibld.serve._pages.codes import reject_words
from bibld.serve._pages.report_pictures import ReportPictures
from bibld.serve._pages.reports import shape_words
from bibld.serve.ontology import ontology_text
from bibld.text.geography.towns import FILE as TOWNS_FILE


def test_the_last_validation_of_a_workspace_is_read(tmp_path):
    assert Validation.read(tmp_path) == Validation()
    (tmp_path / "reports").mkdir()
    found = Validation(3, (ShapeFigure("publication", "A text.", "violation", 2),))
    (tmp_path / "reports" / SHAPES_FILE).write_bytes(msgspec.json.encode(found))
    assert Validation.read(tmp_path) == found
    (tmp_path / "reports" / SHAPES_FILE).write_bytes(b"[1, {")
    assert Validation.read(tmp_path) == Validation(), "what this version cannot read is none"


def test_every_name_and_message_of_a_shape_has_russian_words():
    shapes = ontology_text("shapes.ttl", Iris("https://data.example.org/"))
    russian, english = (shape_words(shapes, tag) for tag in ("ru", "en"))
    assert russian["An ISBN-13 has thirteen digits without hyphens."] == "ISBN-13: тринадцать цифр без дефисов."
    assert russian["place"] == "место"
    assert set(russian) == set(english)
    assert all(key == value for key, value in english.items())
    assert len(russian) > 50


@pytest.mark.parametrize(("tag", "words"), [("en", "unreadable"), ("ru", "не читается")])
def test_a_reader_sees_no_name_of_a_class(tag, words):
    language = language_named(tag)
    assert reject_words("ReadError: no directory: N bytes", language) == f"{words}: no directory: N bytes"
    assert reject_words("something else", language) == "something else"


# -- pictures ----------------------------------------------------------------------------------------------------------


def pictures_of(tag: str, *sources: SourceReport, overlap: dict[str, int] | None = None) -> ReportPictures:
    """Pictures of libraries with names of one letter; ``overlap``: their ids, separated by blanks → publications."""
    shared = tuple(Shared(tuple(ids.split()), count) for ids, count in (overlap or {}).items())
    report = Report(1, "2026-01-01T00:00:00Z", shared, sources)
    return ReportPictures(report, language_named(tag), str.upper, "/")


def table_of(picture) -> list[tuple[str | int, ...]]:
    return [tuple(cell.value for cell in row) for row in picture.rows]


def of_libraries(count: int) -> list[SourceReport]:
    return [SourceReport(f"l{number}", 10, 10, 0) for number in range(count)]


def test_an_overlap_is_ordered_by_the_number_of_libraries():
    overlap = {"l0": 50, "l0 l1": 30, "l1": 10, "l0 l1 l2": 8, "l1 l2": 2}
    picture = pictures_of("en", *of_libraries(3), overlap=overlap).overlap()
    assert picture.caption.title == "Overlap between libraries: in one library only — 60\u00a0%"
    assert table_of(picture) == [
        ("In 1 library only", "60 · 60\u00a0%"),
        ("L0", "50 · 50\u00a0%"),
        ("L1", "10 · 10\u00a0%"),
        ("In 2 libraries", "32 · 32\u00a0%"),
        ("L0 + L1", "30 · 30\u00a0%"),
        ("L1 + L2", "2 · 2.0\u00a0%"),
        ("In all libraries", "8 · 8.0\u00a0%"),
    ]
    assert [row[0].href for row in picture.rows][-1] == "/search?held_by=l0,l1,l2"


def test_an_overlap_of_thirty_libraries_has_few_bars():
    ids = [f"l{number}" for number in range(30)]
    overlap = {" ".join(ids[start : start + size]): 100 - size for size in range(1, 31) for start in range(31 - size)}
    picture = pictures_of("ru", *of_libraries(30), overlap=overlap).overlap()
    names = [str(name) for name, _ in table_of(picture)]
    assert [name for name in names if name.startswith("В ")] == [
        "В 1 библиотеке",
        "В 2 библиотеках",
        "В 3 библиотеках",
        "В 4 библиотеках",
        "В 5 и более библиотеках",
    ]
    assert len(names) < 30
    assert "В других библиотеках: 2" in picture.wide
    few = {" ".join(ids): 3, " ".join(ids[1:]): 2, " ".join(ids[:4]): 1}
    assert "Все, кроме: L0" in [
        name for name, _ in table_of(pictures_of("ru", *of_libraries(30), overlap=few).overlap())
    ]


def town(name: str, count: int, *forms: str) -> TownCount:
    number, latitude, longitude = {"Moscow": (524901, 55.75, 37.62), "Saint Petersburg": (498817, 59.94, 30.31)}[name]
    return TownCount(number, forms, latitude, longitude, count)


@pytest.mark.skipif(not TOWNS_FILE.exists(), reason="make additions makes the table of towns")
@pytest.mark.parametrize(
    ("tag", "names"), [("en", ["Moscow", "Saint Petersburg"]), ("ru", ["Москва", "Санкт-Петербург"])]
)
def test_a_town_of_many_names_is_one_circle_and_one_bar(tag, names):
    russian = (town("Saint Petersburg", 5, "Ленинград", "Пг."), town("Moscow", 5, "М."))
    foreign = (town("Saint Petersburg", 2, "Leningrad"), town("Moscow", 2, "Moskva", "М."))
    sources = SourceReport("a", 20, 20, 0, towns=russian), SourceReport("b", 8, 8, 0, towns=foreign)
    for picture in (pictures_of(tag, *sources).map(), pictures_of(tag, *sources).places()):
        assert [row[0].value for row in picture.rows] == names
        assert all("Leningrad" in row[0].href or "Moskva" in row[0].href for row in picture.rows)
        assert f": {names[0]} — 25\u00a0%" in picture.caption.title
    assert pictures_of(tag, *sources).map().wide.count('class="spot" cx') == 2 + 2, "and two of the key"


def test_classes_are_grouped_by_classification_and_named_in_words():
    counts = (Count("rubbk Ш5", 6), Count("bbk 84", 3), Count("rubbk Р2", 1), Count("lcc PG", 4), Count("udc 82", 2))
    picture = pictures_of("en", SourceReport("a", 20, 20, 0, classes=counts)).classes()
    assert picture.caption.title == "Subjects by class: Philology. Literature (Ш) — 90\u00a0%"
    assert [name for name, _ in table_of(picture)] == [
        "BBK",
        "Philology. Literature (Ш)",
        "Fiction, or medicine (Р1, Р2, Р4)",
        "LCC",
        "Language and literature (P)",
        "UDC",
        "Linguistics. Literature (8)",
    ]


@pytest.mark.parametrize(
    ("years", "title"),
    [
        ({}, "Years of publication"),
        ({1990: 5}, "Years of publication: half of the records are of 1990"),
        ({1900: 1, 1950: 1, 1980: 1, 2000: 1}, "Years of publication: half of the records are of 1900–1980"),
    ],
)
def test_the_title_of_a_timeline_states_the_years_of_half_of_the_records(years, title):
    found = tuple(Count(str(year), count) for year, count in years.items())
    assert pictures_of("en", SourceReport("a", 20, 20, 0, years=found)).years().caption.title == title
