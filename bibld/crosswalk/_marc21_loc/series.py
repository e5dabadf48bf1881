"""Series and works: 440, 490, 700-740 with a title, 800-830 → relatedItem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, PERSONAL, heading_links
from bibld.crosswalk._marc21.related import relation_attributes
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, has_any, join_around, text_or_blank, title_parts
from bibld.crosswalk._marc21_loc.names import name_part, roles, terms_and_dates, units
from bibld.crosswalk._marc21_loc.related import (
    Build,
    build_children,
    fields_of_item,
    forms,
    has_no_indicator,
    identifiers,
)
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import Element, Name, RelatedItem, TitleInfo, collected

SERIES = RuleBook()

_SERIES_HEADINGS = ("800", "810", "811", "830")
_ISSN: dict[str, str | None] = {"x": "issn"}


# --- stated series


@SERIES.field("490", "av", "relatedItem[series] (first indicator 1: nothing)")
def series_statement(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Series statement that is not traced."""
    is_untraced = view.settings.traced_series_kept and not view.has(*_SERIES_HEADINGS)
    if has_no_indicator(field) or (field.indicator1 == "1" and is_untraced):
        yield from _stated(fields_of_item(field, view, takes=has_no_indicator), view)


@SERIES.field("440", "av", "relatedItem[series]")
def series_title(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """Series statement and heading in one (until 2008)."""
    if has_no_indicator(field):
        yield from _stated(fields_of_item(field, view, has_no_indicator), view)


def _stated(fields: list[DataField], view: StylesheetView) -> Iterator[RelatedItem]:
    if fields:
        yield RelatedItem(mods=collected(build_children(fields, view, _statement)), type="series")


def _statement(field: DataField, view: StylesheetView) -> Iterator[Element]:
    numbers = (text_or_blank(chop(join(field, "v"))),) if has_any(field, "v") else ()
    yield view.mark(TitleInfo(title=text_or_blank(chop(join(field, "a"))), part_number=numbers), field)


# --- works under a name


@SERIES.fields(
    "relatedItem with titleInfo and name (with $t)",
    t700="abcdefgiklmnopqrstvxh4", t710="abcdefgiklmnoprstxh4", t711="acdefgiklnpqstxh4",
)  # fmt: skip
def work_under_name(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """A work under a name: contained (second indicator 2), or not said how it is related."""
    if field.first("t") is not None:
        yield from _work(
            fields_of_item(field, view, lambda other: other.first("t") is not None), field, view, _BUILDS[field.tag]
        )


@SERIES.field("730", "adfghiklmnoprsx", "relatedItem[constituent] (second indicator 2)")
def contained_uniform_title(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """A work that the resource contains, under its uniform title."""
    if field.indicator2 == "2":
        yield from _work(fields_of_item(field, view, lambda other: other.indicator2 == "2"), field, view, _under_title)


@SERIES.field("740", "ahinp", "relatedItem[constituent] (second indicator 2)")
def contained_title(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """A work that the resource contains, under its own title."""
    if field.indicator2 == "2":
        yield from _work(
            fields_of_item(field, view, lambda other: other.indicator2 == "2"), field, view, _under_own_title
        )


def _work(fields: list[DataField], field: DataField, view: StylesheetView, build: Build) -> Iterator[RelatedItem]:
    if not fields:
        return
    kind = "constituent" if field.indicator2 == "2" else None
    attributes: dict[str, str | None] = {"type": kind, "other_type": field.first("i")}
    if view.settings.relations_named:
        attributes = relation_attributes(kind, field, view)
    href = heading_links(field).value_uri if view.settings.authority_links_resolved and field.tag != "740" else None
    yield RelatedItem(mods=collected(build_children(fields, view, build)), xlink_href=href, **attributes)


def _under_person(field: DataField, view: StylesheetView) -> Iterator[Element]:
    number, name = title_parts(field, view)
    title = join_around(field, "t", "tfklmorsv", after="g")
    yield view.mark(TitleInfo(title=text_or_blank(chop(title)), part_number=number, part_name=name), field)
    yield _person(field, view)
    yield from forms(field, view)
    yield from identifiers(field, view, _ISSN)


def _under_body(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield _title_with_parts(field, view, "tfklmors", "dg")
    meeting = join_around(field, "t", "c", before="dgn")
    yield _body(field, view, (meeting,) if meeting.strip() else ())
    yield from forms(field, view)
    yield from identifiers(field, view, _ISSN)


def _under_conference(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield _title_with_parts(field, view, "tfkls", "g")
    yield _conference(field, view)
    yield from forms(field, view)
    yield from identifiers(field, view, _ISSN)


def _under_title(field: DataField, view: StylesheetView) -> Iterator[Element]:
    number, name = title_parts(field, view)
    title = chop(join(field, "adfgklmors"))
    yield view.mark(TitleInfo(title=text_or_blank(title), part_number=number, part_name=name), field)
    yield from forms(field, view)
    yield from identifiers(field, view, _ISSN)


def _under_own_title(field: DataField, view: StylesheetView) -> Iterator[Element]:
    number, name = title_parts(field, view)
    title = chop(field.first("a") or "")
    yield view.mark(TitleInfo(title=text_or_blank(title), part_number=number, part_name=name), field)
    yield from forms(field, view)


# --- series headings


@SERIES.fields(
    "relatedItem[series] with titleInfo and name",
    t800="abcdefgklmnopqrstvh04", t810="abcdefgklmnoprstvh04", t811="acdefgklnpqstvh04",
)  # fmt: skip
def series_under_name(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """A series entered under a name."""
    yield from _series(field, view, _BUILDS[field.tag])


@SERIES.field("830", "adfgklmorsvh0", "relatedItem[series]")
def series_under_title(field: DataField, view: StylesheetView) -> Iterator[RelatedItem]:
    """A series under its title; its parts are lost."""
    yield from _series(field, view, _series_title)


def _series(field: DataField, view: StylesheetView, build: Build) -> Iterator[RelatedItem]:
    fields = fields_of_item(field, view)
    if fields:
        links = [text for text in field.values("0") if text]
        href = links[-1] if links else None
        if view.settings.authority_links_resolved:
            href = heading_links(field).value_uri
        yield RelatedItem(mods=collected(build_children(fields, view, build)), type="series", xlink_href=href)


def _series_under_person(field: DataField, view: StylesheetView) -> Iterator[Element]:
    title = join_around(field, "t", "tfklmors", after="g")
    made = TitleInfo(
        title=text_or_blank(chop(title)),
        part_number=_chopped(field, "n") + _chopped(field, "v"),
        part_name=_chopped(field, "p"),
    )
    yield view.mark(made, field)
    yield _person(field, view)
    yield from forms(field, view)


def _series_under_body(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield _title_with_parts(field, view, "tfklmors", "dg", "v")
    yield _body(field, view, (join_around(field, "t", "c", before="dgn"),))
    yield from forms(field, view)


def _series_under_conference(field: DataField, view: StylesheetView) -> Iterator[Element]:
    yield _title_with_parts(field, view, "tfkls", "g", "v")
    yield _conference(field, view)
    yield from forms(field, view)


def _series_title(field: DataField, view: StylesheetView) -> Iterator[Element]:
    numbers = (text_or_blank(chop(join(field, "v"))),) if has_any(field, "v") else ()
    title = chop(join(field, "adfgklmors"))
    yield view.mark(TitleInfo(title=text_or_blank(title), part_number=numbers), field)
    yield from forms(field, view)


_BUILDS: dict[str, Build] = {
    "700": _under_person, "710": _under_body, "711": _under_conference,
    "800": _series_under_person, "810": _series_under_body, "811": _series_under_conference,
}  # fmt: skip


# --- titles and names


def _title_with_parts(field: DataField, view: StylesheetView, codes: str, after: str, volume: str = "") -> TitleInfo:
    number = chop(join_around(field, "t", "n", after="n"))
    numbers = (number,) if number else ()
    made = TitleInfo(
        title=text_or_blank(chop(join_around(field, "t", codes, after=after))),
        part_number=numbers + (_chopped(field, volume) if volume else ()),
        part_name=_chopped(field, "p"),
    )
    return view.mark(made, field)


def _chopped(field: DataField, code: str) -> tuple[str, ...]:
    return tuple(text_or_blank(chop(text)) for text in field.values(code))


def _person(field: DataField, view: StylesheetView) -> Name:
    heading = name_part(join_around(field, "t", "aq", before="g"), view)
    return _name(field, view, name_part=(heading, *terms_and_dates(field, view)), type=PERSONAL)


def _body(field: DataField, view: StylesheetView, meeting: tuple[str, ...]) -> Name:
    name_parts = (*units(field, view), *(name_part(text, view) for text in meeting))
    return _name(field, view, name_part=name_parts, type=CORPORATE)


def _conference(field: DataField, view: StylesheetView) -> Name:
    heading = name_part(join_around(field, "t", "aqdc", before="gn"), view)
    return _name(field, view, name_part=(heading,), type=CONFERENCE)


def _name(field: DataField, view: StylesheetView, **attributes: Any) -> Name:  # noqa: ANN401
    text_code = "j" if attributes["type"] == CONFERENCE and view.settings.conference_roles_read else "e"
    return view.mark(Name(role=roles(field, view, text_code), **attributes), field)
