"""Mathematical data of maps: scale, projection and coordinates, stated (206) and coded (120, 123)."""

from __future__ import annotations

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.coded import PROJECTION
from bibld.crosswalk._unimarc.codes import latin, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model.marc import DataField
from bibld.model.mods import Cartographics, Subject

BOOK = RuleBook()

_DIRECTIONS = {"w": "W", "e": "E", "n": "N", "s": "S"}


@BOOK.field("123", "abcdefg", "subject/cartographics: scale, coordinates")
def coded_scale_and_coordinates(field: DataField, view: UnimarcView) -> Elements:
    """Scale and bounding coordinates of a map, from codes."""
    scales = [f"1:{value.strip()}" for value in field.values("b", "c") if value.strip().isdecimal()]
    west, east, north, south = (_coordinate(field.first(code) or "") for code in "defg")
    coordinates = ()
    if west and north:
        coordinates = (f"{west}--{east or west}/{north}--{south or north}",)  # type: ignore[assignment]
    if scales or coordinates:
        yield Subject(parts=(Cartographics(scale=_one(scales), coordinates=coordinates),))


def _coordinate(text: str) -> str:
    direction, digits = _DIRECTIONS.get(latin(text[:1])), text[1:8].strip()
    if direction is None or len(digits) < 3 or not digits.isdecimal():
        return ""
    return f"{direction} {int(digits[:3])}°{digits[3:5] or '00'}'{digits[5:7] or '00'}\""


def _one(texts: list[str]) -> tuple[str, ...]:
    """MODS allows one scale and one projection."""
    return (" ; ".join(texts),) if texts else ()


@BOOK.field("206", "abcdef", "subject/cartographics: scale, projection, coordinates")
def stated_scale(field: DataField, view: UnimarcView) -> Elements:
    """The mathematical data of a map as stated; in $a they stand as one text."""
    cartographics = Cartographics(
        scale=_one(field.values("a", "b")),
        projection=_one(field.values("c")),
        coordinates=tuple(field.values("d", "e", "f")),
    )
    if cartographics != Cartographics():
        yield Subject(parts=(cartographics,))


@BOOK.field("120", "a", "subject/cartographics/projection")
def coded_projection(field: DataField, view: UnimarcView) -> Elements:
    """The projection of a map, from a code."""
    for text in field.values("a"):
        term = PROJECTION.get(latin(without_fill(text))[7:9])
        if term is not None:
            yield Subject(parts=(Cartographics(projection=(term,)),))
