"""The places of publication of the real files: how many are found as towns, how fast, which are not; the map of all."""

import tempfile
from collections import Counter
from pathlib import Path

from _measure import real_config, real_data, seconds

import bibld
from bibld.catalog import Catalog
from bibld.config import load
from bibld.model.mods_plan import countries_of
from bibld.serve._pictures.drawing import Caption
from bibld.serve._pictures.map import Spot, draw_map
from bibld.text.geography.towns import towns

SHOWN = 20


def stated_places(file: Path) -> Counter[tuple[str, tuple[str, ...]]]:
    """Return how often each place of publication is stated, with the countries that the record states."""
    stated: Counter[tuple[str, tuple[str, ...]]] = Counter()
    settings = load(file)
    with Catalog(settings.workspace, read_only=True) as catalog, catalog.snapshot():
        for source in settings.sources:
            for record in catalog.figures.sample(source.id, 10**9):
                for origin in record.mods.origin_info:
                    terms = [term for place in origin.place for term in place.place_term if term.type != "code"]
                    countries = tuple(sorted(countries_of(origin)))
                    stated.update((term.value, countries) for term in terms)
    return stated


def main() -> None:
    known = towns()
    assert known is not None, "run make additions first"
    with tempfile.TemporaryDirectory() as folder:
        file = real_config(real_data(), Path(folder))
        bibld.Workspace(file).run(until="read")
        stated = stated_places(file)
    found = {place: known.find(*place) for place in stated}
    count = sum(number for place, number in stated.items() if found[place])
    distinct = sum(town is not None for town in found.values())
    print(f"places: {stated.total():,}, found {count:,} ({count / stated.total():.1%})")
    print(f"different ones: {len(stated):,}, found {distinct:,} ({distinct / len(stated):.1%})")
    spent = seconds(lambda: [known.find(*place) for place in stated])
    print(f"microseconds to find one: {spent / len(stated) * 1e6:.0f}")
    spots: dict[int, Spot] = {}
    for place, number in stated.items():
        town = found[place]
        if town is not None:
            before = spots[town.number].count if town.number in spots else 0
            spots[town.number] = Spot(town.name, town.latitude, town.longitude, before + number)
    picture = draw_map(Caption("map", "Places of publication"), list(spots.values()))
    assert picture is not None
    spent = seconds(lambda: draw_map(Caption("map", "Places of publication"), list(spots.values())))
    print(f"map of {len(spots):,} towns: {spent * 1000:.1f} ms, {len(picture.inline()):,} bytes")
    others: Counter[str] = Counter()
    for place, number in stated.items():
        others[place[0]] += number if found[place] is None else 0
    print("most frequent of the others:")
    for name, number in others.most_common(SHOWN):
        print(f"  {number:6,} {name}")


if __name__ == "__main__":
    main()
