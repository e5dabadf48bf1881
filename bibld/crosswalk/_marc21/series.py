"""Series and works: 440, 490, 700-740 with a title, 800-830 → relatedItem (MODS guidelines, relatedItem)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bibld.crosswalk._authority_links import NO_LINKS
from bibld.crosswalk._marc21.corrections import Corrections
from bibld.crosswalk._marc21.identifiers import issn_identifier, system_identifier
from bibld.crosswalk._marc21.names import authority_href, heading_kind, heading_links, heading_name
from bibld.crosswalk._marc21.related import relation_attributes
from bibld.crosswalk._marc21.titles import title_before_parts, title_info, title_parts
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import address, chop, join
from bibld.crosswalk._view import View
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Element, Form, PhysicalDescription, RelatedItem, TitleInfo, collected

SERIES = RuleBook()

_SERIES_HEADINGS = ("800", "810", "811", "830")


@SERIES.field("490", "avx", "relatedItem[series] for each $a (not beside 8XX where the first indicator is 1)")
def series_statement(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """Series statement; a traced one yields to its heading in 8XX."""
    is_kept = view.settings.traced_series_kept and not view.has(*_SERIES_HEADINGS)
    if field.indicator1 != "1" or is_kept:
        yield from _stated_series(field)


@SERIES.field("440", "anpvx", "relatedItem[series]")
def series_title(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """Series statement and heading in one (until 2008)."""
    yield from _stated_series(field)


def _stated_series(field: DataField) -> Iterator[RelatedItem]:
    held: list[Subfield] = []
    for subfield in (*field.subfields, Subfield("a", "")):
        if subfield.code == "a" and any(earlier.code == "a" for earlier in held):
            yield from _one_series(replace(field, subfields=tuple(held)))
            held = []
        held.append(subfield)


def _one_series(field: DataField) -> Iterator[RelatedItem]:
    title = chop(join(field, "a"))
    if title:
        numbers, names = title_parts(field, "nv")
        skipped = field.indicator2 if field.tag == "440" else " "
        made: list[Element] = [title_info(title, skipped, part_number=numbers, part_name=names)]
        made.extend(_issns(field))
        yield RelatedItem(mods=collected(made), type="series")


def _issns(field: DataField) -> Iterator[Element]:
    for text in field.values("x"):
        made = issn_identifier(text)
        if made is not None:
            yield made


_NAME_AND_TITLE = {"00": "abcdeq4", "10": "abcde4", "11": "acdejq4"}
_TITLE_CODES = "fghiklmnoprstvx01"


@SERIES.fields(
    "relatedItem with titleInfo and name (with $t)",
    t700=_NAME_AND_TITLE["00"] + _TITLE_CODES,
    t710=_NAME_AND_TITLE["10"] + _TITLE_CODES,
    t711=_NAME_AND_TITLE["11"] + _TITLE_CODES,
)
def work_under_name(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """A work under a name: contained (second indicator 2), or related as ``$i`` says."""
    if field.first("t") is None:
        return
    made = _name_and_title(field, view)
    if made:
        kind = "constituent" if field.indicator2 == "2" else None
        yield RelatedItem(mods=collected(made), xlink_href=_href(field, view), **relation_attributes(kind, field, view))


@SERIES.fields(
    "relatedItem[series] with titleInfo and name",
    t800=_NAME_AND_TITLE["00"] + _TITLE_CODES + "w",
    t810=_NAME_AND_TITLE["10"] + _TITLE_CODES + "w",
    t811=_NAME_AND_TITLE["11"] + _TITLE_CODES + "w",
)
def series_under_name(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """A series entered under a name."""
    made = _name_and_title(field, view)
    if made:
        made.extend(system_identifier(text) for text in field.values("w"))
        yield RelatedItem(mods=collected(made), type="series", xlink_href=_href(field, view))


def _href(field: DataField, view: View[Corrections]) -> str | None:
    if view.settings.authority_links_resolved:
        return heading_links(field).value_uri
    return authority_href(field) if field.tag in _SERIES_HEADINGS else None


def _name_and_title(field: DataField, view: View[Corrections]) -> list[Element]:
    title = _title_of_work(field)
    # The links in $0 and $1 are the work's, not the name's.
    name = heading_name(heading_kind(field), field, view.settings, before_title=True, links=NO_LINKS)
    made: list[Element] = []
    if title is not None:
        made.append(title)
    if name is not None:
        made.append(name)
    if not made:
        view.warn(f"{field.tag} holds neither name nor title")
        return made
    made.extend(_forms(field))
    made.extend(_issns(field))
    return made


def _title_of_work(field: DataField) -> TitleInfo | None:
    work: Sequence[Subfield] = ()
    for position, subfield in enumerate(field.subfields):
        if subfield.code == "t":
            work = field.subfields[position:]
            break
    titled = replace(field, subfields=tuple(work))
    title = title_before_parts(titled, "tfgklmors")
    if not title:
        return None
    numbers, names = title_parts(titled, "nv")
    return title_info(title, part_number=numbers, part_name=names)


@SERIES.field("730", "adfghiklmnoprsx01", "relatedItem[constituent] (second indicator 2)")
def contained_uniform_title(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """A work that the resource contains, under its uniform title."""
    if field.indicator2 == "2":
        yield from _under_title(field, "constituent", field.indicator1, view)


@SERIES.field("740", "ahnp", "relatedItem[constituent] (second indicator 2)")
def contained_title(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """A work that the resource contains, under its own title."""
    if field.indicator2 == "2":
        yield from _under_title(field, "constituent", field.indicator1, view)


@SERIES.field("830", "adfghklmnoprstvwx01", "relatedItem[series]")
def series_under_title(field: DataField, view: View[Corrections]) -> Iterator[RelatedItem]:
    """A series under its title."""
    yield from _under_title(field, "series", field.indicator2, view)


def _under_title(field: DataField, kind: str, skipped: str, view: View[Corrections]) -> Iterator[RelatedItem]:
    title = title_before_parts(field, "adfgklmorst")
    if not title:
        return
    numbers, names = title_parts(field, "nv")
    made: list[Element] = [title_info(title, skipped, part_number=numbers, part_name=names)]
    made.extend(_forms(field))
    made.extend(_issns(field))
    made.extend(system_identifier(text) for text in field.values("w"))
    href = next((link for link in map(address, field.values("0", "1")) if link is not None), None)
    if not view.settings.authority_links_resolved:
        href = _href(field, view)
    attributes = relation_attributes(kind, field, view) if field.tag == "730" else {"type": kind}
    yield RelatedItem(mods=collected(made), xlink_href=href, **attributes)


def _forms(field: DataField) -> Iterator[PhysicalDescription]:
    forms = tuple(Form(value=text) for text in map(chop, field.values("h")) if text)
    if forms:
        yield PhysicalDescription(form=forms)
