"""Names: 100, 110, 111, 700, 710, 711, 720 → name, and the names in related items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, FAMILY, PERSONAL, heading_links
from bibld.crosswalk._marc21.names import roles as paired_roles
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, has_any, text_or_blank
from bibld.crosswalk._marc21_loc.titles import name_title_group
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop_name, join
from bibld.model.marc import DataField
from bibld.model.mods import Name, NameIdentifier, NamePart, Role, RoleTerm

NAMES = RuleBook()

_PERSONAL_OR_FAMILY = {"0": PERSONAL, "1": PERSONAL, "3": FAMILY}


def name_part(text: str, view: StylesheetView, kind: str | None = None) -> NamePart:
    """A part of a name, as it stands or tidied."""
    return NamePart(value=chop_name(text) if view.settings.names_tidied else text, type=kind)


def terms_and_dates(field: DataField, view: StylesheetView) -> tuple[NamePart, ...]:
    """What stands beside a person's name: terms of address, dates."""
    terms = (name_part(join(field, "bc"), view, "termsOfAddress"),) if has_any(field, "bc") else ()
    return (*terms, *(NamePart(value=chop(text), type="date") for text in field.values("d")))


def units(field: DataField, view: StylesheetView) -> list[NamePart]:
    """A corporate body and its units."""
    return [name_part(text, view) for text in (*field.values("a"), *field.values("b"))]


def roles(field: DataField, view: StylesheetView, text_code: str = "e") -> tuple[Role, ...]:
    """One role for each term, one for each code."""
    if view.settings.roles_paired:
        return paired_roles(field, text_code)
    terms = [Role((RoleTerm(value=chop(text), type="text"),)) for text in field.values(text_code)]
    return (*terms, *coded_roles(field))


def coded_roles(field: DataField) -> Iterator[Role]:
    """The codes of ``$4``, as they stand."""
    for code in field.values("4"):
        yield Role((RoleTerm(value=code, type="code", authority="marcrelator"),))


def conference_roles(field: DataField, view: StylesheetView) -> tuple[Role, ...]:
    """The roles of a conference."""
    return roles(field, view, "j" if view.settings.conference_roles_read else "e")


def _linked(made: Name, field: DataField, view: StylesheetView, has_href: bool = True) -> Name:
    if not has_any(field, "0"):
        return made
    if view.settings.authority_links_resolved:
        links = heading_links(field)
        return replace(
            made,
            name_identifier=links.identifiers,
            authority_uri=links.authority_uri,
            value_uri=links.value_uri,
        )
    texts = [text for text in field.values("0") if text]
    identifier = NameIdentifier(value=join(field, "0"))
    return replace(made, name_identifier=(identifier,), xlink_href=texts[-1] if texts and has_href else None)


def _person(field: DataField, view: StylesheetView, **attributes: Any) -> Iterator[Name]:  # noqa: ANN401
    kind = _PERSONAL_OR_FAMILY.get(field.indicator1)
    if kind is None and view.settings.every_name_kept:
        kind = PERSONAL
    if kind is None:
        return
    made = Name(
        name_part=(name_part(join(field, "aq"), view), *terms_and_dates(field, view)),
        affiliation=tuple(map(text_or_blank, field.values("u"))),
        role=roles(field, view),
        type=kind,
        **attributes,
    )
    yield view.mark(_linked(made, field, view, kind == PERSONAL), field)


def _body(field: DataField, view: StylesheetView, **attributes: Any) -> Name:  # noqa: ANN401
    name_parts = units(field, view)
    if has_any(field, "cdn"):
        name_parts.append(name_part(join(field, "cdn"), view))
    made = Name(name_part=tuple(name_parts), role=roles(field, view), type=CORPORATE, **attributes)
    return view.mark(_linked(made, field, view), field)


def _conference(field: DataField, view: StylesheetView, **attributes: Any) -> Name:  # noqa: ANN401
    parts = (name_part(join(field, "acdenq"), view),)
    made = Name(name_part=parts, role=conference_roles(field, view), type=CONFERENCE, **attributes)
    return view.mark(_linked(made, field, view), field)


@NAMES.field("100", "abcdequ04", "name[personal, family], primary")
def main_person(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """The person or family under which the work is entered; lost where the first indicator is another."""
    if field.first("t") is None:
        yield from _person(field, view, usage="primary", name_title_group=name_title_group(field, view))


@NAMES.field("110", "abcden04", "name[corporate]")
def main_body(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """The body under which the work is entered."""
    if field.first("t") is None:
        yield _body(field, view, name_title_group=name_title_group(field, view))


@NAMES.field("111", "acdenq04", "name[conference]")
def main_conference(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """The conference under which the work is entered."""
    if field.first("t") is None:
        yield _conference(field, view, name_title_group=name_title_group(field, view))


@NAMES.fields("name (with $t: a related item)", t700="abcdequ04", t710="abcden04", t711="acdenq04")
def added_entry(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """A further name."""
    if field.first("t") is not None:
        return
    if field.tag == "700":
        yield from _person(field, view)
    else:
        yield _body(field, view) if field.tag == "710" else _conference(field, view)


@NAMES.field("720", "ae4", "name, personal where the first indicator is 1")
def uncontrolled_name(field: DataField, view: StylesheetView) -> Iterator[Name]:
    """A name that is not under authority control."""
    if field.first("t") is None:
        kind = PERSONAL if field.indicator1 == "1" else None
        made = Name(name_part=(name_part(field.first("a") or "", view),), role=roles(field, view), type=kind)
        yield view.mark(made, field)
