"""Maps show each place where it is, names that do not overlap, and results of queries that have places."""

from __future__ import annotations

import math
import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.serve._language import language_named
from bibld.serve._pages.maps import ResultMaps, ResultTable, draw_places, locate, town_name
from bibld.serve._pictures.drawing import Caption
from bibld.serve._pictures.map import RUSSIA, WORLD, Spot, _draw_earth, draw_map, to_path, view_of
from bibld.text.geography.towns import FILE, find_town

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
def test_every_place_is_on_the_map_unless_it_is_near_the_south_pole(spots: list[Spot]) -> None:
    view = view_of(spots)
    assert all(
        view.contains(spot) for spot in spots if (spot.latitude > -57 and spot.latitude < 84) or not view.is_world
    )


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_a_place_alone_is_in_the_middle_of_its_map(latitude: float, longitude: float) -> None:
    spot = Spot("a", latitude, longitude, 1)
    across, down = view_of([spot]).position(spot)
    assert (across, down) == (pytest.approx(0.5), pytest.approx(413 / 688 / 2))


PLACES_OF_RUSSIA = {
    "Калининград": (54.7, 20.5),
    "Дербент": (42.06, 48.29),
    "Владивосток": (43.12, 131.89),
    "Анадырь": (64.73, 177.5),
    "Уэлен": (66.16, -169.81),
    "Мурманск": (68.97, 33.07),
    "мыс Челюскин": (77.72, 104.3),
}


@pytest.mark.parametrize("name", PLACES_OF_RUSSIA)
def test_all_of_russia_is_on_the_map_if_most_of_what_is_counted_is_there(name: str) -> None:
    view = view_of([Spot("Москва", 55.75, 37.62, 60, country="RU"), Spot("New York", 40.7, -74, 40, country="US")])
    assert view == RUSSIA
    assert view.contains(Spot(name, *PLACES_OF_RUSSIA[name], 1))
    assert view_of([Spot("Москва", 55.75, 37.62, 40, country="RU"), Spot("New York", 40.7, -74, 40)]) == WORLD


def test_chukotka_is_to_the_east_of_kamchatka_although_it_is_beyond_the_180th_meridian():
    west, east, north = (
        RUSSIA.position(Spot("", *at, 1)) for at in ((53.02, 158.65), PLACES_OF_RUSSIA["Уэлен"], (73.5, 142.0))
    )
    assert west[0] < east[0] + 0.1
    assert east[1] < west[1]
    assert WORLD.position(Spot("", *PLACES_OF_RUSSIA["Уэлен"], 1))[0] > 0.84
    assert north[0] < east[0]


def test_a_map_keeps_areas_in_proportion():
    for frame in (RUSSIA, WORLD):
        areas = []
        for latitude in (45.0, 65.0):
            corners = [Spot("", latitude + up, 90.0 + across, 1) for up, across in ((0, 0), (0, 1), (1, 0))]
            (x, y), (right, y_right), (x_up, up) = map(frame.position, corners)
            area = abs((right - x) * (up - y) - (x_up - x) * (y_right - y))
            areas.append(area / math.cos(math.radians(latitude + 0.5)))
        assert areas[0] == pytest.approx(areas[1], rel=0.02)


def test_a_circle_is_as_large_as_its_count_and_the_largest_is_drawn_first():
    picture = draw_map(CAPTION, [Spot("a", 50, 10, 25), Spot("b", 40, 20, 100), Spot("c", 45, 15, 0)])
    assert picture is not None
    radii = [float(radius) for radius in re.findall(r'class="spot"[^>]* r="([\d.]+)%"', picture.wide)]
    assert radii[0] == pytest.approx(2 * radii[1], abs=0.02)
    assert [[cell.value for cell in row] for row in picture.rows] == [["b", 100], ["a", 25]]
    assert draw_map(CAPTION, [Spot("c", 45, 15, 0)]) is None


@pytest.mark.parametrize(
    ("counts", "key"),
    [
        ([203, 8], ["Records:", "10", "50", "200"]),
        ([9, 1], ["Records:", "2", "5"]),
        ([1, 1], []),
        ([1_234_567], ["Records:", "50\u202f000", "200\u202f000", "1\u202f000\u202f000"]),
    ],
)
def test_the_key_states_what_a_circle_of_which_size_means(counts: list[int], key: list[str]) -> None:
    picture = draw_map(CAPTION, [Spot("a", 50, 10 + number, count) for number, count in enumerate(counts)])
    assert picture is not None
    assert re.findall(r'class="quiet"[^>]*>([^<]+)', picture.wide) == key
    assert ("with-key" in picture.kind) == bool(key)


def test_the_proportions_of_maps_are_those_of_the_style():
    style = resources.files("bibld.serve").joinpath("styles", "drawing.css").read_text()
    for spots in ([1, 1], [1, 50]):
        for longitude in (20.0, 120.0):
            places = [Spot("a", 50, 10, spots[0]), Spot("b", 50, longitude, spots[1])]
            picture = draw_map(CAPTION, places)
            assert picture is not None
            assert f".picture.{picture.kind.replace(' ', '.')} {{" in style
            rule = style.partition(f".picture.{picture.kind.replace(' ', '.')} {{")[2].partition("}")[0]
            assert f"aspect-ratio: 688 / {picture.height};" in rule


def test_places_beyond_the_map_are_named_in_its_description():
    spots = [Spot("Москва", 55.75, 37.62, 1200, country="RU"), Spot("Нью-Йорк", 40.7, -74, 40, country="US")]
    picture = draw_places(CAPTION, spots, language_named("ru"))
    assert picture is not None
    assert picture.caption.description == "Where За пределами карты: Нью-Йорк (40)."
    assert "Нью-Йорк" not in picture.wide
    assert rows_of(picture) == [["Москва", 1200], ["Нью-Йорк", 40]]


def test_an_outline_is_cut_to_the_drawing():
    assert to_path([[(-50, -50), (50, -50), (50, 50), (-50, 50)]], 100, 100) == "M0 0l50 0 0 50-50 0z"
    assert to_path([[(200, 200), (300, 200), (300, 300)]], 100, 100) == ""
    assert to_path([[(1, 1), (2, 1), (2, 2)]], 100, 100) == "", "too small to be seen"


def test_places_on_both_sides_of_the_180th_meridian_are_near_each_other():
    west, east = Spot("Anadyr", 64.7, 177.5, 1), Spot("Nome", 64.5, -165.4, 1)
    view = view_of([west, east])
    assert not view.is_world
    assert 0 < view.position(west)[0] < view.position(east)[0] < 1
    assert view_of([Spot("Tokyo", 35.7, 139.7, 1), Spot("New York", 40.7, -74, 1)]) == WORLD
    assert WORLD.position(Spot("New York", 40.7, -74, 1))[0] < 0.5


def test_land_is_drawn_on_both_sides_of_the_180th_meridian(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bibld.serve._pictures.map.outlines", lambda _: [[17000, 0, 19500, 0, 19500, 900]])
    _draw_earth.cache_clear()
    for spots, parts in (
        ([Spot("a", 0, 170, 1), Spot("b", 0, -165, 1)], 1),
        ([Spot("a", 0, 1, 1), Spot("b", 0, 170, 1)], 2),
    ):
        picture = draw_map(CAPTION, spots)
        assert picture is not None
        assert re.search(r'class="ground" d="([^"]+)"', picture.wide)[1].count("M") == parts
    _draw_earth.cache_clear()


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


@needs_towns
@pytest.mark.parametrize(
    ("names", "russian", "english"),
    [
        (["М.", "Москва", "Moskva", "Moscow"], "Москва", "Moscow"),
        (
            ["Л.", "Ленинград", "Пг.", "Петроград", "СПб.", "Sankt-Peterburg", "St. Petersburg"],
            "Санкт-Петербург",
            "Saint Petersburg",
        ),
        (["Свердловск", "Екатеринбург"], "Екатеринбург", "Yekaterinburg"),
        (["Ростов н/Д", "Ростов-на-Дону"], "Ростов-на-Дону", "Rostov-on-Don"),
        (["Сыктывкар"], "Сыктывкар", "Syktyvkar"),
        (["К.", "Киев", "Kiev"], "Киев", "Kyiv"),
        (["Paris", "Париж"], "Париж", "Paris"),
        (["Hamburg", "Гамбург"], "Гамбург", "Hamburg"),
        (["N.Y.", "New York"], "Нью-Йорк", "New York City"),
        (["Cambridge, Mass."], "Кембридж", "Cambridge"),
    ],
)
def test_a_town_has_one_name_in_the_language_of_the_page(names: list[str], russian: str, english: str) -> None:
    found = [find_town(name) for name in names]
    assert all(town is not None for town in found)
    assert {town.number for town in found} == {found[0].number}
    assert {town_name(town, language_named("ru")) for town in found} == {russian}
    assert {town_name(town, language_named("en")) for town in found} == {english}
