"""Names: 100, 110, 111, 700, 710, 711, 720 → name, and the names within titles, subjects and series.

Their links to authority files, ``$0`` and ``$1`` (MARC 21, Appendix A), are a URI, or a number after the code of the
organisation that gave it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import address, chop, chop_name
from bibld.model.authorities import AUTHORITIES, read_authority_number
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Name, NameIdentifier, NamePart, Role, RoleTerm
from bibld.model.relators import TERM_OF_RELATOR, relators_of

_PREFIXED = re.compile(r"\(([^()]+)\)\s*(\S.*)")

SCHEME_OF_ORGANISATION = {
    "de-588": "gnd", "viaf": "viaf", "isni": "isni", "orcid": "orcid", "dlc": "lccn", "fast": "fast",
    "ocolc": "fast", "fr-pabn": "bnf", "idref": "idref", "wikidata": "wikidata", "dnlm": "mesh", "uri": "uri",
}  # fmt: skip


class AuthorityLinks(msgspec.Struct, frozen=True):
    """``value_uri`` is the first URI, stated or made of a number; ``identifiers`` are the numbers and further URIs.

    ``cited`` is the first number as it is stated, with the code of its organisation in parentheses.
    """

    authority_uri: str | None = None
    value_uri: str | None = None
    identifiers: tuple[NameIdentifier, ...] = ()
    cited: str | None = None

    @property
    def reference(self) -> str | None:
        """The first URI, or else the first number that names its organisation, for elements that have room for one."""
        return self.value_uri or self.cited


NO_LINKS = AuthorityLinks()


def authority_links(texts: Iterable[str]) -> AuthorityLinks:
    """Read the texts of ``$0`` and ``$1``; a number of an organisation that is not known keeps its code as type."""
    links: dict[str, str | None] = {}
    identifiers: list[NameIdentifier] = []
    cited: str | None = None
    for text in texts:
        text = text.strip()
        prefixed = _PREFIXED.fullmatch(text)
        link = address(text if prefixed is None else prefixed[2])
        if link is not None:
            links[link] = None
        elif prefixed is not None:
            identifiers.append(_identifier(prefixed[1].strip(), prefixed[2].strip()))
            number = read_authority_number(prefixed[1], prefixed[2])
            if number is not None and number.iri:
                links.setdefault(number.iri, AUTHORITIES[number.authority].template.partition("{}")[0])
            elif number is None:
                cited = cited or text
        elif text:
            identifiers.append(NameIdentifier(value=text, type="local"))
    stated = [link for link, base in links.items() if base is None]
    first = next(iter(links), None)
    identifiers += [NameIdentifier(value=link, type="uri") for link in stated if link != first]
    return AuthorityLinks(links[first] if first else None, first, tuple(dict.fromkeys(identifiers)), cited)


def _identifier(organisation: str, number: str) -> NameIdentifier:
    scheme = SCHEME_OF_ORGANISATION.get(organisation.casefold(), organisation)
    if scheme == "fast":
        if organisation.casefold() == "ocolc" and not number.startswith("fst"):
            return NameIdentifier(value=number, type=organisation)
        number = number.removeprefix("fst").lstrip("0") or number
    return NameIdentifier(value=number.replace(" ", "") if scheme == "isni" else number, type=scheme)


NAMES = RuleBook()

PERSONAL, FAMILY, CORPORATE, CONFERENCE = "personal", "family", "corporate", "conference"

_RELATOR_URIS = ("http://id.loc.gov/vocabulary/relators/", "https://id.loc.gov/vocabulary/relators/")

PERSONAL_CODES = "abcdequ014"
CORPORATE_CODES = "abcden014"
CONFERENCE_CODES = "acdejnq014"
"""The subfields that :func:`heading_name` reads, for each kind."""


def heading_name(field: DataField, before_title: bool = False, links: AuthorityLinks | None = None) -> Name | None:
    """Return the name in a heading X00, X10 or X11, without its title; None where the heading has none.

    ``before_title``: only the subfields before ``$t`` are the name's (7XX, 8XX). ``links`` replace those that ``$0``
    and ``$1`` give.
    """
    if field.tag[1:] == "00":
        field = _with_separate_roles(field)
    subfields = field.subfields
    if before_title:
        subfields = subfields[: len(subfields) - len(work_of_heading(field).subfields)]
    if field.tag[1:] == "00":
        kind = FAMILY if field.indicator1 == "3" else PERSONAL
        name_parts = _personal_parts(subfields)
    elif field.tag[1:] == "10":
        kind = CORPORATE
        meeting = " ".join([subfield.value for subfield in subfields if subfield.code in "cdn"])
        name_parts = _untyped([*(subfield.value for subfield in subfields if subfield.code in "ab"), meeting])
    else:
        kind = CONFERENCE
        heading = " ".join([subfield.value for subfield in subfields if subfield.code in "acdenq"])
        name_parts = _untyped([heading])
    if not name_parts or name_parts[0].type is not None:
        return None
    name = Name(
        name_part=tuple(name_parts),
        affiliation=tuple(subfield.value for subfield in subfields if subfield.code == "u" and field.tag[1:] == "00"),
        role=roles(field, "j" if kind == CONFERENCE else "e"),
        type=kind,
    )
    if links is None:
        links = heading_links(field)
    return replace(
        name, name_identifier=links.identifiers, authority_uri=links.authority_uri, value_uri=links.value_uri
    )


def _with_separate_roles(field: DataField) -> DataField:
    """Return the heading of a person with roles in ``$e`` that a record has after the name or the dates.

    Such a role is an abbreviation after a comma: ``$aBrunet, Gustave,$d1807-1896, éd.``
    """
    subfields: list[Subfield] = []
    for subfield in field.subfields:
        before, comma, role = subfield.value.rpartition(", ")
        is_complete = subfield.code == "d" or (subfield.code == "a" and "," in before)
        if comma and is_complete and role.endswith(".") and role[0].islower() and relators_of(role):
            subfields += (Subfield(subfield.code, before), Subfield("e", role))
        else:
            subfields.append(subfield)
    return replace(field, subfields=tuple(subfields)) if len(subfields) > len(field.subfields) else field


def heading_links(field: DataField) -> AuthorityLinks:
    """Return the authority links of a heading: the record in ``$0`` before the thing itself in ``$1``."""
    texts = field.values("0") + field.values("1")
    return authority_links(texts) if texts else NO_LINKS


def roles(field: DataField, text_code: str) -> tuple[Role, ...]:
    """Return relator terms (``text_code``) and codes (``$4``), paired where they mean the same.

    A term of the MARC list has its code beside it even where the record gives none; a term in another language is
    paired with the code in the same place.
    """
    texts: dict[str, None] = {}
    codes: dict[RoleTerm, None] = {}
    for subfield in field.subfields:
        if subfield.code == text_code:
            # Some records have the library of a copy ($5) in the text.
            text = chop(subfield.value.partition("$5")[0])
            if text:
                texts[text] = None
        elif subfield.code == "4":
            codes.update(dict.fromkeys(_relators(subfield.value)))
    return _paired(texts, codes) if texts or codes else ()


def _paired(texts: Iterable[str], codes: Iterable[RoleTerm]) -> tuple[Role, ...]:
    known = {text: relators_of(text) for text in texts}
    stated = {code for found in known.values() for code in found}
    given = {term.value: term for term in codes}
    free_codes = [term for term in codes if term.value not in stated]
    free_texts = [text for text, found in known.items() if not found]
    in_place = dict(zip(free_texts, free_codes, strict=True)) if len(free_texts) == len(free_codes) else {}
    element: list[Role] = []
    for text, found in known.items():
        is_marc_term = len(found) == 1 and TERM_OF_RELATOR[found[0]] == text.casefold()
        term = RoleTerm(value=text, type="text", authority="marcrelator" if is_marc_term else None)
        terms = [given.get(code) or _marc_relator(code) for code in found]
        if text in in_place:
            terms.append(in_place[text])
        element.append(Role((term, *terms)))
    if not in_place:
        element.extend(Role((code,)) for code in free_codes)
    return tuple(dict.fromkeys(element))


def _relators(text: str) -> list[RoleTerm]:
    """Return the code in ``$4``, which some records write as an IRI, with points or as a word."""
    code = text.strip()
    for uri in _RELATOR_URIS:
        if code.startswith(uri):
            code = code[len(uri) :]
    code = code.strip(" .,")
    if code.casefold() in TERM_OF_RELATOR:
        return [_marc_relator(code.casefold())]
    named = [_marc_relator(code) for code in relators_of(text)]
    return named or [RoleTerm(value=code, type="code", value_uri=address(code))]


def _marc_relator(code: str) -> RoleTerm:
    return RoleTerm(value=code, type="code", authority="marcrelator")


def work_of_heading(field: DataField) -> DataField:
    """Return a heading with the subfields from ``$t`` on alone; without ``$t``, with none."""
    for position, subfield in enumerate(field.subfields):
        if subfield.code == "t":
            return replace(field, subfields=field.subfields[position:])
    return replace(field, subfields=())


def _personal_parts(subfields: Iterable[Subfield]) -> list[NamePart]:
    heading: list[str] = []
    terms: list[str] = []
    dates: list[str] = []
    for subfield in subfields:
        if subfield.code in "aq":
            heading.append(subfield.value)
        elif subfield.code in "bc":
            terms.append(subfield.value)
        elif subfield.code == "d":
            dates.append(chop(subfield.value))
    name_parts = _untyped([" ".join(heading)])
    # A term has no initials to keep the full stop for.
    term = chop(" ".join(terms)) if terms else ""
    if term:
        name_parts.append(NamePart(value=term, type="termsOfAddress"))
    return name_parts + [NamePart(value=date, type="date") for date in dates if date]


_DATES_IN_TEXT = re.compile(r"(.+,.+), ((?:approximately |ca\.? ?)?[0-9]{3,4}\??-(?:[0-9]{3,4}\??)?)")


def name_of_text(text: str, kind: str | None) -> Name | None:
    """Return the name that a linking entry has as one text; None without any.

    Dates of a life at its end show that it is a person: ``Smith, John, 1900-1950``.
    """
    heading = chop_name(text)
    dated = _DATES_IN_TEXT.fullmatch(heading) if kind in (None, PERSONAL) else None
    if dated is None:
        return Name(name_part=(NamePart(value=heading),), type=kind) if heading else None
    return Name(name_part=(NamePart(value=dated[1]), NamePart(value=dated[2], type="date")), type=PERSONAL)


def _untyped(texts: Iterable[str]) -> list[NamePart]:
    return [NamePart(value=text) for text in map(chop_name, texts) if text]


@NAMES.fields(
    "name[personal, family, corporate, conference], primary: nameParts, dates, roles, identifiers",
    t100=PERSONAL_CODES, t110=CORPORATE_CODES, t111=CONFERENCE_CODES,
)  # fmt: skip
def main_entry(field: DataField, view: Marc21View) -> Iterator[Name]:
    """Name under which the work is entered."""
    name = heading_name(field, before_title=True)
    if name is None:
        view.warn(f"{field.tag} contains no name; left out")
        return
    group = "1" if view.has("240") or field.first("t") is not None else None
    yield replace(name, usage="primary", name_title_group=group)


@NAMES.fields(
    "name[personal, family, corporate, conference] (with $t: a related item)",
    t700=PERSONAL_CODES, t710=CORPORATE_CODES, t711=CONFERENCE_CODES,
)  # fmt: skip
def added_entry(field: DataField, view: Marc21View) -> Iterator[Name]:
    """Further name."""
    if field.first("t") is not None:
        return
    name = heading_name(field)
    if name is None:
        view.warn(f"{field.tag} contains no name; left out")
    else:
        yield name


@NAMES.field("720", "ae4", "name without authority; personal where the first indicator is 1")
def uncontrolled_name(field: DataField, view: Marc21View) -> Iterator[Name]:
    """Name that is not under authority control."""
    name_parts = _untyped(field.values("a"))
    if name_parts:
        kind = PERSONAL if field.indicator1 == "1" else None
        yield Name(name_part=tuple(name_parts), role=roles(field, "e"), type=kind)
