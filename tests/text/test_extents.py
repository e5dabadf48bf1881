"""Volumes, leaves and heights in statements of extent, as they are compared when records are matched."""

from __future__ import annotations

import pytest

from bibld.dedup.features import features_of
from bibld.model.mods import Extent, Mods, PhysicalDescription
from bibld.text.extents import height, pages, pages_or_leaves, volumes


@pytest.mark.parametrize(
    ("extent", "number"),
    [
        ("48, 520 с.", 520),
        ("520 с., 48 л. ил.", 520),
        ("[4], [16] л.", 16),
        ("2 p. l., 120 p.", 120),
        ("120 с. : ил. ; 2000 см", 120),
        ("3 v.", 0),
        ("349 с., 3 т.", 349),
        ("349", 0),
        ("xii p.", 0),
        ("[xii] л.", 0),
        ("", 0),
    ],
)
def test_pages_or_leaves(extent: str, number: int) -> None:
    assert pages_or_leaves(extent) == number


@pytest.mark.parametrize(
    ("extent", "number"), [("3 т.", 3), ("12 v. ; 20 cm", 12), ("120 с.", 0), ("1917 г. 2 кн.", 2), ("", 0)]
)
def test_volumes(extent: str, number: int) -> None:
    assert volumes(extent) == number


@pytest.mark.parametrize(
    ("extent", "number"),
    [
        ("120 с. ; 21 см", 21),
        ("21,5 см", 21),
        ("20х26 см", 20),
        ("24 x 30 cm", 24),
        ("9 см", 0),
        ("120 с. : ил. ; 20", 20),
        ("12 с. ; 10х15", 10),
        ("430 с. : 1 л. портр.", 0),
        ("20", 0),
    ],
)
def test_height(extent: str, number: int) -> None:
    assert height(extent) == number


@pytest.mark.parametrize("extents", [("48 с.", "366 с."), ("366 с.", "48 с."), ("[8], 48, 366 с.",)])
def test_the_largest_pagination_is_the_one_that_is_compared(extents: tuple[str, ...]) -> None:
    description = PhysicalDescription(extent=tuple(map(Extent, extents)))
    assert features_of(Mods(physical_description=(description,))).pages == 366
    assert max(pages(extent) or 0 for extent in extents) == 366
