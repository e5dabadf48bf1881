"""Names: 100, 110, 111, 700, 710, 711, 720 → name, and the names within titles, subjects and series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._addresses import address
from bibld.crosswalk._authority_links import NO_LINKS, AuthorityLinks, authority_links
from bibld.crosswalk._isbd import chop, chop_name
from bibld.crosswalk._relators import RELATOR_OF_TERM, TERM_OF_RELATOR
from bibld.crosswalk._rules import RuleBook, View
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Name, NamePart, Role, RoleTerm

NAMES = RuleBook()

PERSONAL, FAMILY, CORPORATE, CONFERENCE = "personal", "family", "corporate", "conference"

_RELATOR_URIS = ("http://id.loc.gov/vocabulary/relators/", "https://id.loc.gov/vocabulary/relators/")

PERSONAL_CODES = "abcdequ014"
CORPORATE_CODES = "abcden014"
CONFERENCE_CODES = "acdejnq014"
"""The subfields that :func:`named` reads, for each kind."""


def named(kind: str, field: DataField, before_title: bool = False, links: AuthorityLinks | None = None) -> Name | None:
    """The name in a heading, without its title; None where the heading holds none.

    ``before_title``: only the subfields before ``$t`` are the name's (7XX, 8XX). ``links`` replace those that ``$0``
    and ``$1`` say.
    """
    subfields = _before_title(field.subfields) if before_title else field.subfields
    if kind in (PERSONAL, FAMILY):
        name_parts, affiliation = _personal_parts(subfields)
    elif kind == CORPORATE:
        name_parts, affiliation = _corporate_parts(subfields), ()
    else:
        name_parts, affiliation = _conference_parts(subfields), ()
    if not name_parts or name_parts[0].type is not None:
        return None
    if links is None:
        links = links_of(field)
    return Name(
        name_part=tuple(name_parts),
        affiliation=affiliation,
        role=roles(field, "j" if kind == CONFERENCE else "e"),
        name_identifier=links.identifiers,
        type=kind,
        authority_uri=links.authority_uri,
        value_uri=links.value_uri,
    )


def links_of(field: DataField) -> AuthorityLinks:
    """The authority links of a heading: the record in ``$0`` before the thing itself in ``$1``."""
    texts = field.values("0") + field.values("1")
    return authority_links(texts) if texts else NO_LINKS


def personal_kind(field: DataField) -> str:
    """Person or family, by the first indicator (an unknown value counts as a person)."""
    return FAMILY if field.indicator1 == "3" else PERSONAL


def heading_kind(field: DataField) -> str:
    """What a field X00, X10 or X11 names."""
    if field.tag[1:] == "00":
        return personal_kind(field)
    return CORPORATE if field.tag[1:] == "10" else CONFERENCE


def roles(field: DataField, text_code: str) -> tuple[Role, ...]:
    """Relator terms (``text_code``) and codes (``$4``), paired where they say the same.

    A term of the MARC list has its code beside it even where the record gives none; a term in another language is
    paired with the code that stands in its place.
    """
    texts: list[str] = []
    codes: list[RoleTerm] = []
    for subfield in field.subfields:
        if subfield.code == text_code:
            text = chop(subfield.value)
            if text and text not in texts:
                texts.append(text)
        elif subfield.code == "4":
            code = _relator(subfield.value)
            if code not in codes:
                codes.append(code)
    if not texts and not codes:
        return ()
    return _paired(texts, codes)


def _paired(texts: list[str], codes: list[RoleTerm]) -> tuple[Role, ...]:
    known = [RELATOR_OF_TERM.get(text.casefold()) or RELATOR_OF_TERM.get(text.casefold() + ".") for text in texts]
    given = {term.value: term for term in codes}
    free_codes = [term for term in codes if term.value not in known]
    free_texts = [text for text, code in zip(texts, known, strict=True) if code is None]
    in_place = dict(zip(free_texts, free_codes, strict=True)) if len(free_texts) == len(free_codes) else {}
    made: list[Role] = []
    for text, code in zip(texts, known, strict=True):
        said = RoleTerm(value=text, type="text", authority="marcrelator" if _is_term(text, code) else None)
        if code is not None:
            made.append(Role((said, given.get(code) or _marc_relator(code))))
        elif text in in_place:
            made.append(Role((said, in_place[text])))
        else:
            made.append(Role((said,)))
    if not in_place:
        made.extend(Role((code,)) for code in free_codes)
    return tuple(dict.fromkeys(made))


def _is_term(text: str, code: str | None) -> bool:
    return code is not None and TERM_OF_RELATOR.get(code) == text.casefold()


def _relator(text: str) -> RoleTerm:
    code = text.strip()
    for uri in _RELATOR_URIS:
        if code.startswith(uri):
            code = code[len(uri) :]
    code = code.strip(" .,")
    if code.casefold() in TERM_OF_RELATOR:
        return _marc_relator(code.casefold())
    return RoleTerm(value=code, type="code", value_uri=address(code))


def _marc_relator(code: str) -> RoleTerm:
    return RoleTerm(value=code, type="code", authority="marcrelator")


def _before_title(subfields: Sequence[Subfield]) -> Sequence[Subfield]:
    for position, subfield in enumerate(subfields):
        if subfield.code == "t":
            return subfields[:position]
    return subfields


def _personal_parts(subfields: Iterable[Subfield]) -> tuple[list[NamePart], tuple[str, ...]]:
    heading: list[str] = []
    terms: list[str] = []
    dates: list[str] = []
    affiliation: list[str] = []
    for subfield in subfields:
        code = subfield.code
        if code in "aq":
            heading.append(subfield.value)
        elif code in "bc":
            terms.append(subfield.value)
        elif code == "d":
            dates.append(subfield.value)
        elif code == "u":
            affiliation.append(subfield.value)
    name_parts = _untyped([" ".join(heading)])
    term = chop(" ".join(terms)) if terms else ""
    if term:
        name_parts.append(NamePart(value=term, type="termsOfAddress"))
    for text in dates:
        date = chop(text)
        if date:
            name_parts.append(NamePart(value=date, type="date"))
    return name_parts, tuple(affiliation)


def _corporate_parts(subfields: Iterable[Subfield]) -> list[NamePart]:
    units: list[str] = []
    meeting: list[str] = []
    for subfield in subfields:
        if subfield.code in "ab":
            units.append(subfield.value)
        elif subfield.code in "cdn":
            meeting.append(subfield.value)
    return _untyped([*units, " ".join(meeting)])


def _conference_parts(subfields: Iterable[Subfield]) -> list[NamePart]:
    return _untyped([" ".join([subfield.value for subfield in subfields if subfield.code in "acdenq"])])


def _untyped(texts: Iterable[str]) -> list[NamePart]:
    return [NamePart(value=text) for text in map(chop_name, texts) if text]


@NAMES.fields(
    "name[personal, family, corporate, conference], primary: nameParts, dates, roles, identifiers",
    t100=PERSONAL_CODES, t110=CORPORATE_CODES, t111=CONFERENCE_CODES,
)  # fmt: skip
def main_entry(field: DataField, view: View[Any]) -> Iterator[Name]:
    """The name under which the work is entered."""
    name = named(heading_kind(field), field)
    if name is None:
        view.warn(f"{field.tag} holds no name")
        return
    group = "1" if view.has("240") else None
    yield replace(name, usage="primary", name_title_group=group)


@NAMES.fields(
    "name[personal, family, corporate, conference] (with $t: a related item)",
    t700=PERSONAL_CODES, t710=CORPORATE_CODES, t711=CONFERENCE_CODES,
)  # fmt: skip
def added_entry(field: DataField, view: View[Any]) -> Iterator[Name]:
    """A further name."""
    if field.first("t") is not None:
        return
    name = named(heading_kind(field), field)
    if name is None:
        view.warn(f"{field.tag} holds no name")
    else:
        yield name


@NAMES.field("720", "ae4", "name without authority; personal where the first indicator is 1")
def uncontrolled_name(field: DataField, view: View[Any]) -> Iterator[Name]:
    """A name that is not under authority control."""
    name_parts = _untyped(field.values("a"))
    if name_parts:
        kind = PERSONAL if field.indicator1 == "1" else None
        yield Name(name_part=tuple(name_parts), role=roles(field, "e"), type=kind)
