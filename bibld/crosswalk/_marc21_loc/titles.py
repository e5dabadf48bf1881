"""Titles: 245, 210, 246, 240, 740, 130, 730, 242 → titleInfo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21.corrections import NO_TEXT
from bibld.crosswalk._marc21.names import heading_links
from bibld.crosswalk._marc21.titles import parallel_titles
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, has_any, join_around, text_or_blank, title_parts
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import TitleInfo

TITLES = RuleBook()

_COUNTS = frozenset("123456789")


@TITLES.field("245", "abfgknps", "titleInfo: title, nonSort, subTitle, partNumber, partName")
def title_proper(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Title statement. The second indicator counts characters of the chopped title, whatever they are."""
    has_rest = has_any(field, "b")
    title = join_around(field, "b", before="afgks") if has_rest else join(field, "abfgks")
    rest = join_around(field, "b", "b", after="afgks") if has_rest else ""
    title = chop(title)
    if view.settings.parallel_titles_split and title.endswith("="):
        title = chop(title.rstrip("= "))
        rest, *parallel = ["", *rest.split(" = ")]
        yield from parallel_titles(parallel, view)
        has_rest = False
    sub_title = (text_or_blank(chop(rest)),) if has_rest else ()
    yield view.mark(_title(title, field, view, sub_title), field)


@TITLES.field("210", "ab", "titleInfo[abbreviated]")
def abbreviated_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Abbreviated title."""
    made = TitleInfo(title=text_or_blank(chop(join(field, "a"))), sub_title=_sub_title(field), type="abbreviated")
    yield view.mark(made, field)


@TITLES.field("246", "abfinp", "titleInfo[alternative] (second indicator 1: translated), displayLabel from $i")
def varying_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Varying form of title."""
    number, name = title_parts(field, view)
    labels = field.values("i")
    made = TitleInfo(
        title=text_or_blank(chop(join(field, "af"))),
        sub_title=_sub_title(field),
        part_number=number,
        part_name=name,
        type="translated" if field.indicator2 == "1" else "alternative",
        display_label=labels[-1] if labels else None,
    )
    yield view.mark(made, field)


@TITLES.field("240", "adfklmnoprs0", "titleInfo[uniform], nameTitleGroup with 100/110/111")
def uniform_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uniform title under a name."""
    yield _uniform(field, view, "", name_title_group=name_title_group(field, view))


def name_title_group(field: DataField, view: StylesheetView) -> str | None:
    """Group 1 for a main entry and its 240; their counterparts in another script are counted from 2."""
    others = ("100", "110", "111") if field.tag == "240" else ("240",)
    is_alternate = view.is_alternate(field)
    if not any(view.is_alternate(other) == is_alternate for other in view.fields(*others)):
        return None
    return str(view.before(field, "700", "710", "711", "880") + 2) if is_alternate else "1"


@TITLES.field("740", "ahnp", "titleInfo[alternative]")
def uncontrolled_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uncontrolled related or analytical title."""
    number, name = title_parts(field, view)
    made = TitleInfo(
        title=text_or_blank(chop(join(field, "ah"))), part_number=number, part_name=name, type="alternative"
    )
    yield view.mark(made, field)


@TITLES.field("130 730", "adfklmnoprs0", "titleInfo[uniform] (730 with second indicator 2: a related item)")
def uniform_title_heading(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Uniform title as main or added entry."""
    if field.tag == "130" or field.indicator2 != "2":
        yield _uniform(field, view, "" if view.settings.version_written_once else "s")


def _uniform(field: DataField, view: StylesheetView, twice: str, **attributes: Any) -> TitleInfo:  # noqa: ANN401
    subfields = field.subfields
    last = max(
        (place for place, subfield in enumerate(subfields) if subfield.code in ("n", "p")), default=len(subfields)
    )
    texts = []
    for place, subfield in enumerate(subfields):
        if subfield.code in twice:
            texts.append(subfield.value)
        if subfield.code in "adfklmors" and place < last:
            texts.append(subfield.value)
    number, name = title_parts(field, view)
    made = TitleInfo(
        title=text_or_blank(chop(" ".join(texts))), part_number=number, part_name=name, type="uniform", **attributes
    )
    return view.mark(_linked(made, field, view), field)


def _linked(made: TitleInfo, field: DataField, view: StylesheetView) -> TitleInfo:
    links = [text for text in field.values("0") if text]
    if not links:
        return made
    if view.settings.authority_links_resolved:
        return replace(made, value_uri=heading_links(field).value_uri)
    return replace(made, xlink_href=links[-1])


@TITLES.field("242", "abnpy", "titleInfo[translated], lang from $y")
def translated_title(field: DataField, view: StylesheetView) -> Iterator[TitleInfo]:
    """Translation of title by the cataloguing agency; not read in other scripts."""
    if view.is_alternate(field):
        return
    languages = field.values("y")
    title = chop(join(field, "a"))
    yield replace(
        _title(title, field, view, _sub_title(field)), type="translated", lang=languages[-1] if languages else None
    )


def _sub_title(field: DataField) -> tuple[str, ...]:
    text = field.first("b")
    return () if text is None else (text_or_blank(chop(text)),)


def _title(title: str, field: DataField, view: StylesheetView, sub_title: tuple[str, ...]) -> TitleInfo:
    number, name = title_parts(field, view)
    non_sort = None
    if field.indicator2 in _COUNTS:
        count = int(field.indicator2)
        non_sort, title = title[:count] + NO_TEXT, title[count:]
    return TitleInfo(
        title=text_or_blank(title), non_sort=non_sort, sub_title=sub_title, part_number=number, part_name=name
    )
