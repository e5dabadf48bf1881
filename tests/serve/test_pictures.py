"""Pictures are well-formed SVG for any data, count everything, and nothing in them overlaps."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bibld.serve._pictures.columns import Column, Line, Mark, Words, draw_columns, draw_lines, draw_years
from bibld.serve._pictures.drawing import NARROW, SIZE, WIDE, Caption, Picture, fit, width_of, wrap
from bibld.serve._pictures.lists import (
    BarGroup,
    ChartBar,
    WaterfallStep,
    WaterfallTotal,
    draw_bars,
    draw_groups,
    draw_waterfall,
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
NEIGHBOURS = st.lists(st.builds(Neighbour, LABELS, HREFS, st.integers(1, 1000), LABELS), max_size=15).map(tuple)
SECTORS = st.lists(st.builds(Sector, LABELS, NEIGHBOURS, st.sampled_from(["", "and 3 more"]), HREFS), max_size=6)
BARS = st.lists(st.builds(ChartBar, LABELS, st.floats(0, 1e6), LABELS, LABELS, HREFS), max_size=12)
GROUPS = st.lists(st.builds(BarGroup, st.builds(ChartBar, LABELS, st.floats(0, 1e6), LABELS), BARS.map(tuple), LABELS))
STEPS = st.lists(st.builds(WaterfallStep, LABELS, st.floats(-20, 20), LABELS), max_size=12)
TOTALS = st.builds(WaterfallTotal, LABELS, st.floats(-20, 20), LABELS)
SPOTS = st.builds(Spot, LABELS, st.floats(-90, 90), st.floats(-180, 180), st.integers(1, 10**7), LABELS, HREFS)
COLUMNS = st.lists(st.builds(Column, LABELS, st.tuples(COUNTS, COUNTS), LABELS, HREFS), max_size=40)
YEARS = st.lists(st.tuples(st.integers(1400, 2030), st.tuples(COUNTS, COUNTS)), max_size=60)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Any picture of any data."""
    caption = draw(CAPTIONS)
    match draw(st.integers(0, 7)):
        case 0:
            return draw_columns(caption, draw(COLUMNS), ["a", draw(LABELS)], [Mark(0.5, draw(LABELS))], draw(LABELS))
        case 1:
            return draw_years(caption, draw(YEARS), Words(lambda name, count: f"{name}: {count}"), ["<", "&"])
        case 2:
            return draw_groups(caption, draw(GROUPS))
        case 3:
            return draw_neighbourhood(caption, draw(LABELS), draw(SECTORS))
        case 4:
            return draw_bars(caption, draw(BARS))
        case 5:
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


Box = tuple[float, float, float, float]
NAMES = st.text("абвгдшщijklmwДШW -", min_size=1, max_size=40) | st.sampled_from(["Санкт-Петербург", "New York City"])
VALUES = st.integers(0, 10**7).map(lambda count: f"{count:,} · 8.4\u00a0%")
NAMED_BARS = st.builds(ChartBar, NAMES, st.floats(0, 1e6), VALUES)
NAMED_SPOTS = st.builds(Spot, NAMES, st.floats(-90, 90), st.floats(-180, 180), st.integers(1, 10**6))
TOWNS_OF_RUSSIA = st.builds(
    Spot, NAMES, st.floats(43, 69), st.floats(28, 140), st.integers(1, 10**6), country=st.just("RU")
)


def length(value: str, full: float) -> float:
    return float(value.rstrip("%")) / 100 * full if value.endswith("%") else float(value)


def texts_and_circles(picture: Picture, width: float) -> tuple[list[Box], list[tuple[float, float, float]]]:
    """Return the boxes of the letters, and the circles, that a page shows where the drawing has this width."""
    drawings = etree.fromstring(f"<div>{picture.inline()}</div>".encode())
    is_phone = width < WIDE
    drawing = drawings[-1] if is_phone else drawings[0]
    height = float(drawing.get("height"))
    if picture.kind.startswith("map"):
        height *= width / WIDE
    hidden = "of-screen" if is_phone else "of-phone"
    boxes, circles = [], []
    for text in drawing.iter(f"{SVG}text"):
        if text.text and hidden not in text.get("class", ""):
            x = length(text.get("x"), width) + float(text.get("dx", 0))
            y = length(text.get("y"), height) + float(text.get("dy", 0))
            room = width_of(text.text, SIZE)
            left = x - {"end": room, "middle": room / 2}.get(text.get("text-anchor"), 0)
            boxes.append((left, y - 9, left + room, y + 3))
    for circle in drawing.iter(f"{SVG}circle"):
        diagonal = math.hypot(width, height) / math.sqrt(2)
        at = length(circle.get("cx"), width), length(circle.get("cy"), height)
        circles.append((*at, length(circle.get("r"), diagonal)))
    return boxes, circles


def assert_nothing_covers_a_text(picture: Picture, width: float) -> None:
    boxes, circles = texts_and_circles(picture, width)
    for left, _, right, _ in boxes:
        assert left >= -0.1 and right <= width + 0.1
    for one, other in combinations(boxes, 2):
        assert (
            min(one[2], other[2]) - max(one[0], other[0]) < 0.2 or min(one[3], other[3]) - max(one[1], other[1]) < 0.2
        )
    for left, top, right, foot in boxes:
        for x, y, radius in circles:
            assert math.dist((x, y), (min(max(x, left), right), min(max(y, top), foot))) > radius - 1


@pytest.mark.parametrize("width", [NARROW, 420, 687, WIDE, 900])
@given(spots=st.lists(NAMED_SPOTS, min_size=1, max_size=60) | st.lists(TOWNS_OF_RUSSIA, min_size=1, max_size=60))
def test_names_on_a_map_cover_no_circle_and_no_other_name(width: int, spots: list[Spot]) -> None:
    picture = draw_map(Caption("map", "Map", "", ("Place", "Records")), spots)
    assert picture is not None
    assert_nothing_covers_a_text(picture, width)


@pytest.mark.parametrize("width", [NARROW, 420, 687, WIDE, 900])
@given(bars=st.lists(NAMED_BARS, max_size=8), parts=st.lists(NAMED_BARS, max_size=8))
def test_names_and_values_of_bars_do_not_overlap(width: int, bars: list[ChartBar], parts: list[ChartBar]) -> None:
    assert_nothing_covers_a_text(draw_bars(Caption("bars", "Bars"), bars), width)
    groups = [BarGroup(bar, tuple(parts), bar.name) for bar in bars]
    picture = draw_groups(Caption("groups", "Groups"), groups)
    assert_nothing_covers_a_text(picture, width)
    feet = [foot for _, _, _, foot in texts_and_circles(picture, width)[0]]
    assert max(feet, default=0) <= (picture.narrow_height if width < WIDE else picture.height)


@given(LABELS, st.floats(80, 400), st.integers(1, 4))
def test_a_text_is_wrapped_into_lines_that_have_room(label: str, room: float, most: int) -> None:
    lines = wrap(label, room, most)
    assert 1 <= len(lines) <= most
    assert all(width_of(line, SIZE) <= room + 1e-6 for line in lines)
    if not any(line.endswith("…") for line in lines):
        assert " ".join(lines).split() == label.split()


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


def test_parts_of_bars_are_below_them_and_all_in_the_table() -> None:
    parts = (ChartBar("A + B", 6, "6", href="/ab"), ChartBar("A + C", 2, "2", "A and C"))
    groups = [BarGroup(ChartBar("In 2 libraries", 10, "10"), parts, "In other combinations: 2")]
    picture = draw_groups(Caption("overlap", "Overlap"), groups)
    assert [[cell.value for cell in row] for row in picture.rows] == [
        ["In 2 libraries", "10"],
        ["A + B", "6"],
        ["A + C", "2"],
    ]
    assert re.findall(r'class="part" x="16" y="\d+" width="([\d.]+)%"', picture.wide) == ["56.4", "18.8"]
    assert "In other combinations: 2" in picture.wide
    assert [each.get("href") for each in etree.fromstring(picture.standalone()).iter(f"{SVG}a")] == ["/ab"]


def test_a_long_name_of_a_part_has_some_lines_on_a_phone_only() -> None:
    name = "The National Library of Russia + The Russian State Library"
    picture = draw_groups(
        Caption("overlap", "Overlap"), [BarGroup(ChartBar("In 2", 3, "3"), (ChartBar(name, 3, "3"),))]
    )
    assert f">{name}</text>" in picture.wide
    assert f">{name}</text>" not in picture.narrow
    assert picture.narrow_height > picture.height


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
