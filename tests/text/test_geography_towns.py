"""The town that a record means by a place of publication: in any language, abbreviated, renamed, one of several."""

from __future__ import annotations

import pytest

from bibld.text.geography.build import write_towns
from bibld.text.geography.towns import FILE, Towns, towns

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="make additions makes the table of towns")

FOUND = [
    ("Москва", "", "Moscow RU"),
    ("М.", "", "Moscow RU"),
    ("[М.]", "", "Moscow RU"),
    ("Moskva", "", "Moscow RU"),
    ("Moscow", "ru", "Moscow RU"),
    ("Moscow", "idu", "Moscow US"),
    ("Moscow, Idaho", "", "Moscow US"),
    ("Л.", "", "Saint Petersburg RU"),
    ("Пг.", "", "Saint Petersburg RU"),
    ("Въ Санктпетербургѣ", "", "Saint Petersburg RU"),
    ("С.-Петербургъ", "", "Saint Petersburg RU"),
    ("St. Petersburg", "", "Saint Petersburg RU"),
    ("St. Petersburg, Fla.", "", "St. Petersburg US"),
    ("Свердловск", "ur", "Yekaterinburg RU"),
    ("Горький", "", "Nizhniy Novgorod RU"),
    ("Фрунзе", "", "Bishkek KG"),
    ("Тифлис", "", "Tbilisi GE"),
    ("Дерпт", "", "Tartu EE"),
    ("Варшава", "ru", "Warsaw PL"),
    ("Danzig", "", "Gdańsk PL"),
    ("Ростов н/Д", "", "Rostov-on-Don RU"),
    ("Lipsiae", "", "Leipzig DE"),
    ("Venice", "", "Venice IT"),
    ("東京市", "ja", "Tokyo JP"),
    ("Cambridge", "enk", "Cambridge GB"),
    ("Cambridge", "mau", "Cambridge US"),
    ("Cambridge, Mass.", "enk", "Cambridge US"),
    ("Cambridge [Cambridgeshire]", "enk", "Cambridge GB"),
    ("Stuttgart, Germany", "", "Stuttgart DE"),
    ("London", "xxu", "London GB"),
    ("Singapore", "", "Singapore SG"),
    ("Philadelphia", "", "Philadelphia US"),
]
"""Place, codes of countries that the record states → name and country in GeoNames."""

UNCLEAR = [
    ("Cambridge", ""),  # of two countries
    ("Japan", "ja"),
    ("Miṣr", "ua"),  # Egypt
    ("مصر", "ua"),
    ("Б. м.", ""),
    ("[S.l.]", ""),
    ("?", ""),
    ("", ""),
    ("Research Triangle Park, NC", "ncu"),
    ("Мухосранск", "ru"),
    ("Mukhosransk, N.Y.", "nyu"),
]


@pytest.mark.parametrize(("place", "countries", "town"), FOUND)
def test_a_place_of_publication_is_found(place: str, countries: str, town: str) -> None:
    known = towns()
    assert known is not None
    found = known.find(place, countries.split())
    assert found is not None
    assert f"{found.name} {found.country}" == town


@pytest.mark.parametrize(("place", "countries"), UNCLEAR)
def test_what_is_no_town_or_may_be_one_of_some_is_not_found(place: str, countries: str) -> None:
    known = towns()
    assert known is not None
    assert known.find(place, countries.split()) is None


def test_a_table_is_written_from_the_objects_of_the_package(tmp_path) -> None:
    cities = [
        {
            "geonameid": number,
            "name": name,
            "latitude": 1.23456,
            "longitude": -2.5,
            "countrycode": country,
            "population": population,
            "admin1code": "AA",
            "alternatenames": others,
        }
        for number, name, country, population, others in (
            (1, "Largetown", "US", 900_000, ["Старград", "XLG", "lalgetaun"]),
            (2, "Largetown", "GB", 20_000, []),
            (3, "Twin", "US", 50_000, []),
            (4, "Twin", "GB", 40_000, []),
        )
    ]
    write_towns(cities, tmp_path / "towns.db")
    known = Towns(tmp_path / "towns.db")
    large = known.find("Largetown")
    assert large is not None
    assert (large.number, large.latitude, large.state) == (1, 1.235, "AA")
    assert known.find("Старград").number == 1
    assert known.find("XLG") is None, "a code is no name"
    assert known.find("lalgetaun") is None, "nor is a romanisation of another script"
    assert known.find("Twin") is None
    assert known.find("Twin", ["enk"]).number == 4


def test_a_very_long_text_is_no_name_of_a_place():
    known = towns()
    assert known is not None
    assert known.find("Moscow (Russia)") is not None
    assert known.find(f"Moscow ({'Russia, ' * 10_000})") is None
