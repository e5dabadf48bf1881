"""Headings of authority records as labels, in the form that bibliographic records give the same headings."""

from __future__ import annotations

from bibld.model import mods
from bibld.model.authority import Heading
from bibld.text.folding import tidy, trim
from bibld.triplify._claims import Kind
from bibld.triplify._describe.titles import full_title
from bibld.triplify._describe.works import access_point
from bibld.triplify._headings import dates_of
from bibld.triplify._headings import heading as heading_of_name


def label_of(heading: Heading, kind: Kind) -> str:
    """Return the words of a heading as a label of this kind of thing: a name without its dates, a work without author.

    The elements of a concept are separated as in bibliographic records.
    """
    first, last = heading.parts[0], heading.parts[-1]
    if kind == "agent" and isinstance(first, mods.Name):
        return heading_of_name(first)
    if kind == "work" and isinstance(last, mods.TitleInfo):
        return full_title(last)
    if kind == "series" and isinstance(last, mods.TitleInfo):
        names = [heading_of_name(one).rstrip(".") for one in heading.parts if isinstance(one, mods.Name)]
        return ". ".join([*names, full_title(last)])
    if isinstance(first, mods.HierarchicalGeographic):
        levels = [tidy(level) for level in (*first.country, *first.state, *first.county, *first.city, *first.area)]
        return levels[-1] if levels else tidy(heading.text)
    return "--".join(filter(None, map(_words_of_part, heading.parts)))


def dates_of_heading(heading: Heading, kind: Kind) -> str:
    """Return the dates of a name as the heading has them; empty for other kinds of things."""
    name = heading.parts[0]
    return dates_of(name) if kind == "agent" and isinstance(name, mods.Name) else ""


def _words_of_part(part: mods.SubjectPart) -> str:
    if isinstance(part, mods.Name):
        return ", ".join(filter(None, (heading_of_name(part), dates_of(part))))
    if isinstance(part, mods.TitleInfo):
        return full_title(part)
    return trim(tidy(str(getattr(part, "value", ""))))


def access_point_of(heading: Heading) -> str:
    """Return the heading of a work: its creators with their dates, and its title."""
    names = [part for part in heading.parts if isinstance(part, mods.Name)]
    last = heading.parts[-1]
    return access_point(names, last) if isinstance(last, mods.TitleInfo) else label_of(heading, "concept")
