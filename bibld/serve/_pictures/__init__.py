"""Pictures: data in, accessible SVG text out, without any input or output.

Each function returns a :class:`Picture`: its drawing for a page, the same as a file that contains its style, and its
data as the rows of a table. The words come with the data, in the language of the page.
"""

from __future__ import annotations

from bibld.serve._pictures.columns import Column, Line, Mark, Words, draw_columns, draw_lines, draw_years
from bibld.serve._pictures.drawing import Caption, Cell, Picture
from bibld.serve._pictures.lists import (
    Bar,
    Combination,
    Part,
    Step,
    Total,
    draw_bars,
    draw_overlap,
    draw_treemap,
    draw_waterfall,
)
from bibld.serve._pictures.map import Spot, draw_map
from bibld.serve._pictures.neighbourhood import Neighbour, Sector, draw_neighbourhood

__all__ = [
    "Bar",
    "Caption",
    "Cell",
    "Column",
    "Combination",
    "Line",
    "Mark",
    "Neighbour",
    "Part",
    "Picture",
    "Sector",
    "Spot",
    "Step",
    "Total",
    "Words",
    "draw_bars",
    "draw_columns",
    "draw_lines",
    "draw_map",
    "draw_neighbourhood",
    "draw_overlap",
    "draw_treemap",
    "draw_waterfall",
    "draw_years",
]
