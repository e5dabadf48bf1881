"""Pictures are well-formed SVG for any data, count everything, and nothing in them overlaps."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bibld.serve._pictures.columns import Column, Line, Mark, Words, draw_columns, draw_lines, draw_years
from bibld.serve._pictures.drawing import Caption, Picture, fit, width_of
from bibld.serve._pictures.lists import (
    ChartBar,
    Combination,
    Tile,
    WaterfallStep,
    WaterfallTotal,
    draw_bars,
    draw_overlap,
    draw_treemap,
    draw_waterfall,
    tile,
)
from bibld.serve._pictures.map import Spot, draw_map
from bibld.serve._pictures.neighbourhood import MAX_NAMES, Neighbour, Sector, draw_neighbourhood, place_around

SVG = "{http://www.w3.org/2000/svg}"
LABELS = st.text(max_size=60) | st.sampled_from(
    [
        "Толстой, Лев Николаевич",
        "<script>alert(1)</script>",
        '"&]]>',
        "\x00\x0b\ufffe",
        "e\u0301" * 40,
        "文" * 40,
        "\u202eabc",
    ]
)
COUNTS = st.integers(0, 10**7)
CAPTIONS = st.builds(Caption, st.just("picture"), LABELS, LABELS)
HREFS = st.sampled_from(["", "/search?q=1&year=2", '/x"y'])
PARTS = st.lists(st.builds(Tile, LABELS, COUNTS, LABELS, HREFS), max_size=30)
NEIGHBOURS = st.lists(st.builds(Neighbour, LABELS, HREFS, st.integers(1, 1000), LABELS), max_size=15).map(tuple)
SECTORS = st.lists(st.builds(Sector, LABELS, NEIGHBOURS, st.sampled_from(["", "and 3 more"]), HREFS), max_size=6)
BARS = st.lists(st.builds(ChartBar, LABELS, st.floats(0, 1e6), LABELS, LABELS, HREFS), max_size=12)
STEPS = st.lists(st.builds(WaterfallStep, LABELS, st.floats(-20, 20), LABELS), max_size=12)
TOTALS = st.builds(WaterfallTotal, LABELS, st.floats(-20, 20), LABELS)
SPOTS = st.builds(Spot, LABELS, st.floats(-90, 90), st.floats(-180, 180), st.integers(1, 10**7), LABELS, HREFS)
COLUMNS = st.lists(st.builds(Column, LABELS, st.tuples(COUNTS, COUNTS), LABELS, HREFS), max_size=40)
YEARS = st.lists(st.tuples(st.integers(1400, 2030), st.tuples(COUNTS, COUNTS)), max_size=60)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Any picture of any data."""
    caption = draw(CAPTIONS)
    match draw(st.integers(0, 8)):
        case 0:
            return draw_columns(caption, draw(COLUMNS), ["a", draw(LABELS)], [Mark(0.5, draw(LABELS))], draw(LABELS))
        case 1:
            return draw_years(caption, draw(YEARS), Words(lambda name, count: f"{name}: {count}"), ["<", "&"])
        case 2:
            found = [Combination((0, 1), draw(COUNTS), draw(LABELS), "/x"), Combination((1,), draw(COUNTS))]
            return draw_overlap(caption, [(draw(LABELS), draw(HREFS)), (draw(LABELS), "")], found, draw(LABELS))
        case 3:
            return draw_neighbourhood(caption, draw(LABELS), draw(SECTORS))
        case 4:
            return draw_treemap(caption, draw(PARTS))
        case 5:
            return draw_bars(caption, draw(BARS))
        case 7:
            picture = draw_map(caption, [draw(SPOTS), *draw(st.lists(SPOTS))])
            assert picture is not None
            return picture
        case 6:
            return draw_waterfall(caption, draw(TOTALS), draw(STEPS), draw(TOTALS))
        case _:
            return draw_lines(caption, [draw(LABELS), "2"], [Line(draw(LABELS), (draw(COUNTS), draw(COUNTS)))])


@given(pictures())
def test_is_well_formed_and_named_for_any_data(picture: Picture) -> None:
    root = etree.fromstring(picture.standalone())
    assert root.tag == f"{SVG}svg"
    assert [child.tag for child in root[:3]] == [f"{SVG}title", f"{SVG}desc", f"{SVG}style"]
    page = etree.fromstring(f"<div>{picture.inline()}</div>".encode())
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for drawing in page:
        assert set(drawing.get("aria-labelledby").split()) <= set(ids)


@given(pictures())
def test_needs_no_script_no_inline_style_and_no_foreign_host(picture: Picture) -> None:
    page = etree.fromstring(f"<div>{picture.inline()}</div>".encode())
    for element in page.iter():
        assert element.tag != f"{SVG}script"
        assert "style" not in element.attrib
        assert not any(name.startswith("on") for name in element.attrib)
        assert not (element.get("href") or "/").startswith("http")


@given(pictures())
def test_an_image_has_no_links_because_assistive_technology_would_not_find_them(picture: Picture) -> None:
    page = etree.fromstring(f"<div>{picture.inline()}</div>".encode())
    for drawing in page:
        assert drawing.get("role") == "group" or not list(drawing.iter(f"{SVG}a"))


@given(YEARS)
def test_a_timeline_counts_every_publication_once(years: list[tuple[int, tuple[int, int]]]) -> None:
    picture = draw_years(Caption("years", "Years"), years, Words(lambda name, count: name))
    assert sum(int(cell.value) for row in picture.rows for cell in row[1:]) == sum(sum(parts) for _, parts in years)


@pytest.mark.parametrize(
    ("last", "names"),
    [(1910, ["1865", "1910"]), (1990, ["1864–1865", "1990–1991"]), (2003, ["1864–1865", "2002–2003"])],
)
def test_the_table_of_a_timeline_names_the_span_of_each_column(last: int, names: list[str]) -> None:
    words = Words(lambda name, count: name, lambda first, end: f"{first}–{end}")
    picture = draw_years(Caption("years", "Years"), [(1865, (1,)), (last, (2,))], words)
    assert [row[0].value for row in picture.rows] == names
    assert [row[0].href for row in picture.rows] == [name if "–" in name else f"{name}–{name}" for name in names]


@given(YEARS)
def test_columns_of_a_timeline_do_not_overlap(years: list[tuple[int, tuple[int, int]]]) -> None:
    picture = draw_years(Caption("years", "Years"), years, Words(lambda name, count: name))
    rooms = re.findall(r'class="room" x="([\d.]+)%" width="([\d.]+)%"', picture.wide)
    for (left, width), (right, _) in pairwise([(float(x), float(width)) for x, width in rooms]):
        assert left + width <= right + 0.02
    assert len(rooms) <= 81


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=60))
def test_tiles_fill_the_room_in_proportion_and_do_not_overlap(counts: list[int]) -> None:
    counts = sorted(counts, reverse=True)
    boxes = tile(counts, 100.0, 320.0, 6.88)
    assert sum(box.width * box.height for box in boxes) == pytest.approx(100.0 * 320.0, rel=1e-6)
    for box in boxes:
        assert box.width * box.height == pytest.approx(counts[box.number] / sum(counts) * 100 * 320, rel=1e-6)
        assert box.x >= -1e-6 and box.x + box.width <= 100 + 1e-6
        assert box.y >= -1e-6 and box.y + box.height <= 320 + 1e-6
    for one, other in combinations(boxes, 2):
        across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
        down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
        assert across < 1e-6 or down < 1e-6


@given(SECTORS)
def test_names_around_a_thing_do_not_overlap_and_stay_inside(sectors: list[Sector]) -> None:
    used = [sector for sector in sectors if sector.neighbours]
    picture = draw_neighbourhood(Caption("near", "Near"), "Thing", sectors)
    placed = list(place_around(used))
    for side in (True, False):
        lines = sorted(each.y for each in placed if each.is_right is side)
        assert all(lower - upper >= 16 for upper, lower in pairwise(lines))
        assert all(10 <= y <= picture.height - 4 for y in lines)
    for each in placed:
        outside = 688 * (1 - each.dot) if each.is_right else 688 * each.dot
        assert each.room + 12 <= outside
    shown = sum(min(MAX_NAMES, len(sector.neighbours)) for sector in used)
    assert sum(1 for each in placed if each.count) == shown
    assert len(picture.rows) == sum(len(sector.neighbours) for sector in used)


def test_an_overlap_shows_the_twenty_largest_combinations_and_lists_all() -> None:
    found = [Combination((number % 5, 5 + number % 7), 100 - number, href=f"/x{number}") for number in range(30)]
    picture = draw_overlap(Caption("overlap", "Overlap"), [(f"Library {n}", "") for n in range(12)], found, "10 more")
    links = [each.get("href") for each in etree.fromstring(picture.standalone()).iter(f"{SVG}a")]
    assert links == [f"/x{number}" for number in range(20)]
    assert len(picture.rows) == 30
    assert "10 more" in picture.wide


def test_a_long_name_of_a_set_is_cut_on_a_phone_only() -> None:
    name = "In the manner of the National Library of Russia"
    drawn = draw_overlap(Caption("overlap", "Overlap"), [(name, ""), ("B", "")], [Combination((0, 1), 3)]).wide
    root = etree.fromstring(f'<svg xmlns="{SVG[1:-1]}">{drawn}</svg>')
    names = {each.get("class"): "".join(each.itertext()) for each in root.iter(f"{SVG}g")}
    assert names["long-name"] == name
    assert names["short-name"].endswith("…")


def test_a_waterfall_begins_each_bar_where_the_one_before_ended() -> None:
    picture = draw_waterfall(
        Caption("reasons", "Reasons"),
        WaterfallTotal("Before", -6.0, "0.2 %"),
        [WaterfallStep("Titles", 5.0, "+5"), WaterfallStep("Numbers", 4.0, "+4"), WaterfallStep("Years", -2.0, "-2")],
        WaterfallTotal("Score", 1.0, "0.73"),
    )
    bars = [
        (float(x), float(x) + float(width))
        for x, width in re.findall(r'<rect class="\w+" x="([\d.]+)%" width="([\d.]+)%"', picture.wide)
    ]
    prior, titles, agreeing, years, score = bars
    assert titles[0] == prior[0]
    assert agreeing[0] == pytest.approx(titles[1], abs=0.02)
    assert years[1] == pytest.approx(agreeing[1], abs=0.02)
    assert score[1] == pytest.approx(years[0], abs=0.02)


@given(LABELS, st.floats(1, 400))
def test_a_text_that_is_cut_has_room(label: str, room: float) -> None:
    assert width_of(fit(label, room, 12), 12) <= room + 1e-6
