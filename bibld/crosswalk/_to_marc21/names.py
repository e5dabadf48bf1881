"""name → 100, 110, 111, 700, 710, 711, 720; its parts, roles and links in other headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.crosswalk._marc21.names import CONFERENCE, CORPORATE, FAMILY, PERSONAL
from bibld.crosswalk._texts import address
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import enclosed, split_meeting
from bibld.model.authorities import read_authority_iri, read_authority_number
from bibld.model.mods import Controlled, Genre, Mods, Name, NameIdentifier
from bibld.model.relators import TERM_OF_RELATOR, relators_of

BOOK = WriterBook()

_TAIL_OF_KIND = {PERSONAL: "00", FAMILY: "00", CORPORATE: "10", CONFERENCE: "11"}
_FULLER_FORM = re.compile(r"(?P<name>.*\S) (?P<fuller>\([^()]+\))")
_NUMERATION = re.compile(r"(?P<numeration>[IVXLC]+\.?,?)(?: (?P<titles>.+))?")
_FORENAME, _SURNAME = "0", "1"
_ORGANISATION_OF_SCHEME = {
    scheme: organisation for organisation, scheme in reversed([
        ("DE-588", "gnd"), ("viaf", "viaf"), ("isni", "isni"), ("orcid", "orcid"), ("DLC", "lccn"), ("OCoLC", "fast"),
        ("FrPBN", "bnf"), ("CStmoGRI", "aat"), ("IDREF", "idref"), ("wikidata", "wikidata"), ("DNLM", "mesh"),
    ])
}  # fmt: skip
_LENGTH_OF_FAST = 8
_REAL_WORLD = (
    "/rwo/",
    "wikidata.org",
    "viaf.org",
    "isni.org",
    "orcid.org",
    "id.oclc.org/worldcat/entity",
    "rism.online",
)
"""Parts of addresses of persons, bodies and things; other addresses are those of authority records."""


def main_entry(mods: Mods) -> Name | None:
    """Return the name that becomes the main entry: the first that is primary and of a kind that 1XX has."""
    return next((name for name in mods.name if name.usage == "primary" and _TAIL_OF_KIND.get(name.type or "")), None)


@BOOK.writes(
    "name",
    {
        "name[@usage=primary]": "100, 110 or 111 by @type; further ones 700, 710, 711",
        "name": "700 (personal, family), 710 (corporate), 711 (conference); without @type 720",
        "name/namePart": "$a and $q; of bodies $a and $b; of meetings $a $n $d $c",
        "name/namePart[@type=date]": "$d",
        "name/namePart[@type=termsOfAddress]": "$b for Roman numerals, $c",
        "name/role": "$e (of meetings $j), $4 for a code without a term or a term that is not of the MARC list",
        "name/affiliation": "$u of persons",
        "name/nameIdentifier": "$0 with the code of the organisation in parentheses",
        "name/@valueURI": "$0; $1 for the address of a person or thing",
    },
)
def names(mods: Mods, draft: MarcDraft) -> None:
    """Names of persons, families, bodies and meetings."""
    entry = main_entry(mods)
    for name in mods.name:
        tail = _TAIL_OF_KIND.get(name.type or "")
        is_entry = entry is not None and (name is entry or (name.type == entry.type and is_counterpart(name, entry)))
        if tail is None:
            text = ", ".join(part.value for part in name.name_part) or " ".join(name.display_form)
            draft.add("720", "  ", (("a", text), *role_subfields(name, "e")), name)
        else:
            draft.add(f"{'1' if is_entry else '7'}{tail}", f"{entry_indicator(name)} ", heading_subfields(name), name)


def entry_indicator(name: Name) -> str:
    """Return the first indicator of a heading: how its entry element is formed."""
    text = next((part.value for part in name.name_part if part.type is None), "")
    if name.type == PERSONAL:
        return _SURNAME if "," in text else _FORENAME
    if name.type == FAMILY:
        return "3"
    return "2"


def tail_of_kind(name: Name) -> str | None:
    """Return the last two digits of the tag of a heading: ``00``, ``10`` or ``11``; None for a name of no kind."""
    return _TAIL_OF_KIND.get(name.type or "")


def heading_subfields(name: Name, *, has_links: bool = True) -> Subfields:
    """Return the subfields of a heading: parts, roles and, with ``has_links``, affiliation and links."""
    parts = _personal(name) if name.type in (PERSONAL, FAMILY) else _corporate(name)
    roles = role_subfields(name, "j" if name.type == CONFERENCE else "e")
    if not has_links:
        return (*parts, *roles)
    return (*parts, *roles, *(("u", text) for text in name.affiliation), *link_subfields(name, name.name_identifier))


def _personal(name: Name) -> Subfields:
    stated = [part.value for part in name.name_part if part.type in (None, "family", "given")]
    text = ", ".join(stated) or " ".join(name.display_form)
    fuller = _FULLER_FORM.fullmatch(text) if name.type == PERSONAL else None
    yield "a", fuller["name"] if fuller is not None else text
    if fuller is not None:
        yield "q", fuller["fuller"]
    for part in name.name_part:
        if part.type == "termsOfAddress":
            found = _NUMERATION.fullmatch(part.value)
            yield "b", found["numeration"] if found is not None else None
            yield "c", found["titles"] if found is not None else part.value
    for part in name.name_part:
        if part.type == "date":
            yield "d", part.value


def _corporate(name: Name) -> Subfields:
    parts = [part.value for part in name.name_part if part.type != "date"] or list(name.display_form)
    if name.type == CONFERENCE:
        meeting = split_meeting(parts[0]) if parts else None
        if meeting is not None:
            heading, number, date, place = meeting
            yield "a", heading
            yield from enclosed((("n", number), ("d", date), ("c", place)))
            parts = parts[1:]
        elif parts:
            yield "a", parts.pop(0)
        for part in parts:
            yield "e", part
        return
    for position, part in enumerate(parts):
        is_of_meeting = position and part.startswith("(") and part.endswith(")")
        meeting = split_meeting(f" {part}") if is_of_meeting else None
        if meeting is not None:
            yield from enclosed((("n", meeting[1]), ("d", meeting[2]), ("c", meeting[3])))
        else:
            yield "b" if position else "a", part


def role_subfields(name: Name, text_code: str) -> Subfields:
    """Return the roles, each once: terms, and codes without a term or beside one that is not of the MARC list."""
    return dict.fromkeys(_roles(name, text_code))


def _roles(name: Name, text_code: str) -> Iterator[tuple[str, str]]:
    for role in name.role:
        texts = [term.value for term in role.role_term if term.type != "code"]
        codes = [term.value for term in role.role_term if term.type == "code"]
        for text in texts:
            yield text_code, text
        is_implied = bool(texts) and all(_implies(text, codes) for text in texts)
        for code in () if is_implied else codes:
            yield "4", code


def _implies(text: str, codes: list[str]) -> bool:
    """Whether a term of the MARC list stands for these codes."""
    found = relators_of(text)
    return bool(found) and list(found) == codes and (len(found) > 1 or TERM_OF_RELATOR[found[0]] == text.casefold())


def link_subfields(element: Controlled, identifiers: tuple[NameIdentifier, ...] = ()) -> Subfields:
    """Yield the links of an element to authority files: numbers in ``$0``, addresses in ``$0`` or ``$1``.

    An address that only repeats one of the numbers is not written.
    """
    numbers = [(_organisation(one), _number(one)) for one in identifiers if one.type != "uri" and one.value]
    for organisation, number in numbers:
        yield "0", f"({organisation}){number}" if organisation else number
    link = element.value_uri
    if link is not None and element.authority_uri is not None and numbers:
        known = (read_authority_number(organisation, number) for organisation, number in numbers)
        link = None if any(one is not None and one.iri == element.value_uri for one in known) else link
    if link:
        is_cited = isinstance(element, Genre) and element.authority in _SCHEMES_WITH_NUMBERS
        yield _link(link, is_number=is_cited or element.authority_uri is not None)
    for one in identifiers:
        if one.type == "uri":
            yield _link(one.value, is_number=False)


_SCHEMES_WITH_NUMBERS = ("fast", "gnd", "gnd-content", "gnd-music")
"""Thesauri whose headings are cited by number, with the code of their organisation."""


def _link(text: str, *, is_number: bool) -> tuple[str, str]:
    """Return a link as a subfield; ``is_number``: the address was made of a number."""
    found = read_authority_iri(text) if is_number else None
    organisation = _ORGANISATION_OF_SCHEME.get(found.authority) if found is not None else None
    if found is not None and organisation is not None:
        number = f"fst{found.number.zfill(_LENGTH_OF_FAST)}" if found.authority == "fast" else found.number
        number = f"aat{number}" if found.authority == "aat" else number
        return "0", f"({organisation}){number}"
    is_thing = address(text) is not None and any(part in text for part in _REAL_WORLD)
    return ("1" if is_thing else "0"), text


def _organisation(identifier: NameIdentifier) -> str:
    if identifier.type in (None, "local"):
        return ""
    scheme = identifier.type or ""
    return _ORGANISATION_OF_SCHEME.get(scheme, scheme)


def _number(identifier: NameIdentifier) -> str:
    if identifier.type == "fast":
        return f"fst{identifier.value.zfill(_LENGTH_OF_FAST)}"
    return identifier.value
