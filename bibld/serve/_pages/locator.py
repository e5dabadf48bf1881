"""Where a place is, as a small map on its page."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.serve._language import Language
from bibld.serve._pictures import Caption, Picture, Spot, draw_map
from bibld.text.geography.towns import towns


def locate(heading: str, names: Iterable[str], language: Language) -> Picture | None:
    """Return a map with a place; None if none of its names is that of a town, or they are those of several."""
    known = towns()
    if known is None:
        return None
    found = {town.number: town for name in names if (town := known.find(name)) is not None}
    if len(found) != 1:
        return None
    (town,) = found.values()
    caption = Caption(
        "locator",
        language.text("On the map"),
        language.text("%(name)s in GeoNames (CC BY 4.0), found by the name.", name=town.name),
    )
    return draw_map(caption, [Spot(heading, town.latitude, town.longitude, 1)])
