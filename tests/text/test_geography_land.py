"""The outlines of the land go on where they cross the 180th meridian, and around the pole."""

from __future__ import annotations

from bibld.text.geography.build import rings_of
from bibld.text.geography.land import outlines


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
        "objects": {"land": {"geometries": [{"type": "MultiPolygon", "arcs": polygons}]}},
    }


def test_a_ring_is_a_line_of_hundredths_of_degrees():
    assert rings_of(topology([(0, 0), (10, 0), (10, 5), (0, 0)])) == [[0, 0, 1000, 0, 1000, 500, 0, 0]]


def test_land_across_the_180th_meridian_is_there_on_both_sides():
    east, west = rings_of(topology([(170, 60), (-170, 60), (-170, 70), (170, 60)]))
    assert east[::2] == [17000, 19000, 19000, 17000]
    assert west[::2] == [-19000, -17000, -17000, -19000]


def test_land_around_the_pole_goes_to_the_pole():
    (ring,) = (
        ring for ring in rings_of(topology([(-180, -70), (-60, -70), (60, -70), (180, -70)])) if min(ring) >= -18000
    )
    assert ring[-4:] == [18000, -9000, -18000, -9000]


def test_an_arc_is_used_backwards_by_the_land_on_its_other_side():
    land = topology([(0, 0), (10, 0), (10, 5)], [(0, 0), (10, 5)])
    land["objects"] = {"land": {"geometries": [{"type": "Polygon", "arcs": [[0, ~1]]}]}}
    assert rings_of(land) == [[0, 0, 1000, 0, 1000, 500, 0, 0]]


def test_a_map_of_a_region_gets_the_finer_outline():
    coarse, fine = (sum(map(len, outlines(degrees))) for degrees in (0.5, 0.1))
    assert coarse == fine == 0 or fine > 2 * coarse > 0
