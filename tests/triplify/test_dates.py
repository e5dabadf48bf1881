"""Dates of publications, of records and of lives as literals."""

from __future__ import annotations

import pytest

from bibld.model.mods import Date, Mods, OriginInfo, TitleInfo
from bibld.triplify import cluster_statements
from bibld.triplify._dates import date_literal, edtf_literal, edtf_of, life_years, record_date, to_edtf
from bibld.triplify._describe.titles import full_title, main_titles, title_proper
from tests.triplify.merged_book import IRIS, Quads, alone

XSD = "http://www.w3.org/2001/XMLSchema#"
EDTF = "http://id.loc.gov/datatypes/edtf"


def typed(value: str, kind: str) -> str:
    return f'"{value}"^^<{XSD}{kind}>'


def edtf(value: str) -> str:
    return f'"{value}"^^<{EDTF}>'


def stated(*values: str) -> tuple[Date, ...]:
    return tuple(map(Date, values))


def coded(*values: str) -> tuple[Date, ...]:
    points = ("start", "end") if len(values) == 2 else (None,)
    return tuple(Date(value, encoding="marc", point=point) for value, point in zip(values, points, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1978", typed("1978", "gYear")),
        ("1978-02", typed("1978-02", "gYearMonth")),
        ("1978-02-28", typed("1978-02-28", "date")),
        ("1978-02-29", '"1978-02-29"'),
        ("1978-13", '"1978-13"'),
        ("1978-00", '"1978-00"'),
        ("3978", '"3978"'),
        ("197", '"197"'),
        ("1978 г.", '"1978 г."'),
    ],
)
def test_a_date_has_a_type_if_it_is_valid(text, expected):
    assert date_literal(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1978", "1978"),
        ("1978-02", "1978-02"),
        ("197u", "197X"),
        ("19uu", "19XX"),
        ("197?", "197X"),
        ("19--", "19XX"),
        ("1uuu", "1XXX"),
        ("uuuu", ""),
        ("19u", ""),
        ("1978 г.", ""),
        ("", ""),
    ],
)
def test_unknown_digits_of_a_coded_year_are_x(text, expected):
    assert to_edtf(text) == expected


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (coded("1978"), "1978"),
        (coded("197u"), "197X"),
        (coded("uuuu"), ""),
        (coded("1974", "1983"), "1974/1983"),
        (coded("1974", "9999"), "1974/.."),
        (coded("197u", "uuuu"), "197X/"),
        (coded("1974", "1983")[:1], "1974"),
        ((*coded("1974", "1983"), *coded("1990")), "1974/1983"),
        ((*stated("[1980]"), *coded("1974", "1983")), "1974/1983"),
        ((*coded("uuuu"), *stated("[198-?]")), "198X?"),
        ((Date("[1850..]", encoding="edtf", qualifier="questionable"),), "[1850..]"),
        ((Date("1855", encoding="w3cdtf", qualifier="questionable"),), "1855?"),
        ((Date("1855", encoding="w3cdtf", qualifier="approximate"),), "1855~"),
        ((Date("1855", encoding="w3cdtf", qualifier="inferred"),), "1855"),
        (stated("[1978] ;"), "1978"),
        (stated("1974-1983"), "1974/1983"),
        (stated("б. г.", "1979"), "1979"),
        (stated("б. г.", " "), ""),
    ],
)
def test_the_dates_of_an_event_are_one_in_edtf(dates, expected):
    assert edtf_of(dates) == expected


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("1978", typed("1978", "gYear")),
        ("1978-05", typed("1978-05", "gYearMonth")),
        ("198X?", edtf("198X?")),
        ("1974/..", edtf("1974/..")),
    ],
)
def test_only_an_exact_date_is_one_of_xml_schema(date, expected):
    assert edtf_literal(date) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("780231", None),
        ("780228", typed("1978-02-28", "date")),
        ("500101", typed("1950-01-01", "date")),
        ("491231", typed("2049-12-31", "date")),
        ("19780228", typed("1978-02-28", "date")),
        ("1978-02-28", typed("1978-02-28", "date")),
        ("20050101123059.0", typed("2005-01-01T12:30:59", "dateTime")),
        ("2005-01-01T12:30:59Z", typed("2005-01-01T12:30:59", "dateTime")),
        ("20050101993059.0", None),
        ("1978", None),
        ("200501011230", None),
        ("вчера", None),
    ],
)
def test_the_date_of_a_record_is_valid_or_left_out(text, expected):
    assert record_date(Date(text)) == expected


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ("1828-1910", ("1828", "1910")),
        ("(1828) – (1910)", ("1828", "1910")),
        ("988-1015", ("0988", "1015")),
        ("1828-", ("1828", "")),
        ("род. 1930", ("1930", "")),
        ("р. в 1930", ("1930", "")),
        ("born 1930", ("1930", "")),
        ("ум. 1910", ("", "1910")),
        ("-1910", ("", "1910")),
        ("d. 1910", ("", "1910")),
        ("000-1910", ("", "1910")),
        ("ок. 1828-1910", ("", "1910")),
        ("19 в.", ("", "")),
        ("", ("", "")),
    ],
)
def test_the_years_of_a_life_have_four_digits_or_are_left_out(dates, expected):
    assert life_years(dates) == expected


@pytest.mark.parametrize(
    ("child", "predicate"),
    [
        ("date_created", "dcterms:created"),
        ("copyright_date", "dcterms:dateCopyrighted"),
        ("date_valid", "dcterms:valid"),
        ("date_modified", "dcterms:modified"),
        ("date_other", "dcterms:date"),
    ],
)
def test_other_dates_have_their_own_properties(child, predicate):
    dates = (*coded("1978", "1983"), Date(" "))
    description = Mods(origin_info=(OriginInfo(**{child: dates}),))
    made = Quads(cluster_statements(alone(description), [], IRIS).quads)
    assert made.values(predicate) == [f"1978/1983^{EDTF}"]


@pytest.mark.parametrize(
    ("title", "proper", "full"),
    [
        (TitleInfo("Мир"), "Мир", "Мир"),
        (TitleInfo("Мир", non_sort="The", sub_title=("a", "", "b")), "The Мир", "The Мир : a : b"),
        (TitleInfo("art", non_sort="L'"), "L'art", "L'art"),
        (TitleInfo("Мир и т. д.", part_number=("",)), "Мир и т. д.", "Мир и т. д."),
        (TitleInfo("Мир.", part_number=("", "Т. 1")), "Мир. Т. 1", "Мир. Т. 1"),
        (TitleInfo("Мир", non_sort="The "), "The Мир", "The Мир"),
        (TitleInfo("Мир.", part_number=("Ч. 1.",)), "Мир. Ч. 1.", "Мир. Ч. 1."),
        (TitleInfo("Мир", part_number=("1.",), part_name=("Начало",)), "Мир. 1. Начало", "Мир. 1. Начало"),
        (TitleInfo("Мир", part_number=("",), part_name=("Начало",)), "Мир. Начало", "Мир. Начало"),
        (TitleInfo("", sub_title=("a",)), "", "a"),
    ],
)
def test_a_title_is_written_with_one_dot_between_its_parts(title, proper, full):
    assert (title_proper(title), full_title(title)) == (proper, full)


def test_the_main_titles_are_the_variants_if_there_is_no_other():
    main, variant, empty = TitleInfo("Мир"), TitleInfo("Том", type="alternative"), TitleInfo("", sub_title=("a",))
    assert main_titles((variant, empty, main)) == [main]
    assert main_titles((variant, empty)) == [variant]
    assert main_titles((empty,)) == []
