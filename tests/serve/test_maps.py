"""Maps show each place where it is, names that do not overlap, and results of queries that have places."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bibld.serve._language import language_named
from bibld.serve._pages.maps import ResultMaps, ResultTable, locate
from bibld.serve._pictures.drawing import NARROW, WIDE, Caption
from bibld.serve._pictures.map import Spot, draw_map, to_path, view_of
from bibld.text.geography.towns import FILE

CAPTION = Caption("map", "Map", "Where", ("Place", "Records"))
SPOTS = st.lists(
    st.builds(
        Spot,
        st.text(min_size=1, max_size=20),
        st.floats(-90, 90),
        st.floats(-180, 180),
        st.integers(1, 10**6),
    ),
    min_size=1,
    max_size=60,
)
BASE = "https://data.example.org/"
needs_towns = pytest.mark.skipif(not FILE.exists(), reason="make additions makes the table of towns")


@given(SPOTS)
def test_every_place_is_in_the_view(spots: list[Spot]) -> None:
    view = view_of(spots)
    assert view.width <= 360
    for spot in spots:
        assert 0 <= view.across(spot.longitude) <= 1
        assert 0 <= view.down(spot.latitude) <= 1


@given(SPOTS)
def test_names_neither_overlap_nor_leave_the_map_on_phones_and_screens(spots: list[Spot]) -> None:
    picture = draw_map(CAPTION, spots)
    assert picture is not None
    root = etree.fromstring(picture.standalone())
    names = [element for element in root.iter("{*}text") if element.get("y", "").endswith("%")]
    for screen in (NARROW, WIDE):
        lines = []
        for name in names:
            if screen == NARROW and "of-screen" in name.get("class"):
                continue
            x = float(name.get("x").rstrip("%")) / 100 * screen + int(name.get("dx"))
            y = float(name.get("y").rstrip("%")) / 100 * screen * 413 / 688
            lines.append((x, y, name.get("text-anchor") == "end"))
        for number, (x, y, is_left) in enumerate(lines):
            assert -1 <= x <= screen + 1
            for other_x, other_y, other_is_left in lines[:number]:
                # Two names with one anchor begin at different places, or are on different lines.
                assert is_left != other_is_left or abs(y - other_y) > 12 or abs(x - other_x) > 3


def test_a_circle_is_as_large_as_its_count_and_the_largest_is_drawn_first():
    picture = draw_map(CAPTION, [Spot("a", 50, 10, 25), Spot("b", 40, 20, 100), Spot("c", 45, 15, 0)])
    assert picture is not None
    radii = [float(radius) for radius in re.findall(r'class="spot"[^>]* r="([\d.]+)%"', picture.wide)]
    assert radii == [4.2, 2.1]
    assert [[cell.value for cell in row] for row in picture.rows] == [["b", 100], ["a", 25]]
    assert draw_map(CAPTION, [Spot("c", 45, 15, 0)]) is None


def test_an_outline_is_cut_to_the_drawing():
    assert to_path([[(-50, -50), (50, -50), (50, 50), (-50, 50)]], 100, 100) == "M0 0l50 0 0 50-50 0z"
    assert to_path([[(200, 200), (300, 200), (300, 300)]], 100, 100) == ""
    assert to_path([[(1, 1), (2, 1), (2, 2)]], 100, 100) == "", "too small to be seen"


def test_places_on_both_sides_of_the_180th_meridian_are_near_each_other():
    view = view_of([Spot("Anadyr", 64.7, 177.5, 1), Spot("Nome", 64.5, -165.4, 1)])
    assert view.width < 180
    assert 0 < view.across(177.5) < view.across(-165.4) < 1
    assert view_of([Spot("Tokyo", 35.7, 139.7, 1), Spot("New York", 40.7, -74, 1)]).across(-74) < 0.5


def test_land_is_drawn_on_both_sides_of_the_180th_meridian(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bibld.serve._pictures.map.outlines", lambda _: [[-17000, 0, -16000, 0, -16000, 900]])
    picture = draw_map(CAPTION, [Spot("a", 0, 170, 1), Spot("b", 0, -165, 1)])
    assert picture is not None
    assert 'class="ground"' in picture.wide


# -- results of queries ------------------------------------------------------------------------------------------------


def maps(titles: dict[str, str] | None = None) -> ResultMaps:
    known = titles or {}
    return ResultMaps(
        language_named("en"),
        lambda iri: iri.removeprefix(BASE[:-1]) if iri.startswith(BASE) else None,
        lambda iris: {iri: known[iri] for iri in iris if iri in known},
        f"{BASE}place/",
    )


def text(value: object) -> dict[str, str]:
    return {"type": "literal", "value": str(value)}


def thing(path: str) -> dict[str, str]:
    return {"type": "uri", "value": f"{BASE}{path}"}


def rows_of(picture) -> list[list[object]]:
    return [[cell.value for cell in row] for row in picture.rows]


def test_latitudes_and_longitudes_are_drawn():
    rows = [[text("Moscow"), text(55.75), text(37.6), text(7)], [text("Kazan"), text(55.8), text(49.1), text(2)]]
    picture = maps().draw(ResultTable(["name", "lat", "long", "n"], rows, 3))
    assert rows_of(picture) == [["Moscow", 7], ["Kazan", 2]]
    assert "GeoNames" not in picture.caption.description, "the positions are those of the result"


def test_the_coordinates_of_maps_are_drawn_with_the_titles_and_links_of_their_publications():
    rows = [
        [thing("resource/a/1"), text("W 122°--W 121°/N 46°--N 45°")],
        [thing("resource/a/2"), text("E0100000 N0500000")],
    ]
    picture = maps({f"{BASE}resource/a/1": "Mount Hood"}).draw(ResultTable(["map", "at"], rows, None))
    assert sorted(rows_of(picture)) == [["Mount Hood", 1], ["Without a name", 1]]
    assert 'href="/resource/a/1"' in picture.wide


@pytest.mark.parametrize("values", [["-7", "3"], ["0.4", "0.3"], ["1e14", "0.5"]])
def test_numbers_that_are_no_counts_are_not_drawn_as_such(values: list[str]) -> None:
    rows = [[text("a"), text(5), text(5 + at), text(value)] for at, value in enumerate(values)]
    assert rows_of(maps().draw(ResultTable(["name", "lat", "long", "n"], rows, 3))) == [["a", 1], ["a", 1]]


def test_a_triple_is_no_place_and_has_no_name():
    triple = {"type": "triple", "value": {"subject": thing("place/a"), "predicate": thing("p"), "object": text("x")}}
    assert maps().draw(ResultTable(["x"], [[triple]], None)) is None
    picture = maps().draw(ResultTable(["x", "at"], [[triple, text("N 10° E 20°")]], None))
    assert rows_of(picture) == [["Without a name", 1]]


def test_years_are_not_added_up():
    rows = [[text("Moscow"), text(55.75), text(37.6), text(year)] for year in (1970, 1980)]
    picture = maps().draw(ResultTable(["name", "lat", "long", "year"], rows, 3))
    assert rows_of(picture) == [["Moscow", 2]]
    assert picture.caption.headings == ("Place", "Rows")


def test_the_name_of_a_place_is_one_short_line_and_none_of_its_numbers():
    rows = [[text("a\n" * 5000), text(5), text(5), text(2)], [text(""), text(6), text(6), text(1)]]
    (long, _), (without, _) = rows_of(maps().draw(ResultTable(["name", "lat", "long", "n"], rows, 3)))
    assert long.startswith("a a a")
    assert len(long) < 100
    assert without == "Without a name"


@needs_towns
def test_places_of_the_dataset_are_drawn_and_those_of_one_town_together():
    titles = {f"{BASE}place/l": "Ленинград", f"{BASE}place/s": "Санкт-Петербург", f"{BASE}place/m": "Москва"}
    rows = [[thing("place/l"), text(3)], [thing("place/s"), text(4)], [thing("place/m"), text(9)]]
    assert rows_of(maps(titles).draw(ResultTable(["where", "n"], rows, 1))) == [["Москва", 9], ["Ленинград", 7]]


@needs_towns
def test_a_column_of_names_is_drawn_if_its_name_is_that_of_places():
    rows = [[text("Казань")], [text("Рига")], [text("Мухосранск")]]
    assert sorted(rows_of(maps().draw(ResultTable(["place"], rows, None)))) == [["Казань", 1], ["Рига", 1]]
    assert maps().draw(ResultTable(["word"], rows, None)) is None


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[None, None]],
        [[text("x"), text("y")]],
        [[text("95"), text("10")]],
        [[text("1"), text("2")], [text("?"), None], [None, text("5")]],
    ],
)
def test_a_table_with_few_positions_is_no_map(rows: list[list[dict[str, str] | None]]) -> None:
    assert maps().draw(ResultTable(["lat", "long"], rows, None)) is None


# -- the page of a place -----------------------------------------------------------------------------------------------


@needs_towns
def test_the_page_of_a_place_shows_where_it_is_unless_its_names_are_those_of_two_towns():
    english = language_named("en")
    picture = locate("Пг.", ["Пг.", "Ленинград"], english)
    assert picture is not None
    assert "Saint Petersburg in GeoNames" in picture.caption.description
    assert locate("Рига", ["Рига", "Москва"], english) is None
    assert locate("Мухосранск", ["Мухосранск"], english) is None
