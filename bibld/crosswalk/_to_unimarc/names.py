"""name → 700-722, 730, 790, 791, and the same parts of headings in block 6."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.crosswalk._to_marc.draft import RUSMARC, UNIMARC, MarcDraft, Subfields, WriterBook, is_counterpart
from bibld.crosswalk._to_marc.texts import single_codes, split_meeting
from bibld.crosswalk._unimarc.codes import RELATOR
from bibld.model.mods import Mods, Name
from bibld.model.relators import relators_of

BOOK = WriterBook()

_BLOCK_OF_KIND = {"personal": "70", "corporate": "71", "conference": "71", "family": "72"}
_KIND_OF_HEADING = {"personal": "0", "corporate": "1", "conference": "1", "family": "2"}
_PRIMARY, _ALTERNATIVE, _SECONDARY = "0", "1", "2"
_CREATORS = frozenset(("aut", "cmp", "cre"))
"""Roles of those who are responsible for a work beside the first."""
_CODE_OF_RELATOR = single_codes({**RELATOR, "070": "aut", "340": "edt", "730": "trl", "440": "ill", "230": "cmp"})
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.[ -]*)+")
_ROMAN = re.compile(r"[IVXLC]+\.?")
_QUALIFIED = re.compile(r"(?P<name>.+?) \((?P<qualifier>[^()]*)\)")
_UNCONTROLLED = {"personal": "1", "corporate": "2"}
_ONE_NUMBER = ("700", "710", "711", "712", "720")
"""Fields that may have one number of an authority record; in block 6 all may have more."""
_OF_COPY = ("702", "712", "722")
"""Fields of names that may be those of one copy, whose library is in ``$5``, and may have a part in words (``$r``)."""
_CODED_ROLE = re.compile(r"\d{3}")


@BOOK.writes(
    "name",
    {
        "name[@usage=primary]": "700 (personal), 710 (corporate, conference), 720 (family)",
        "name": "701, 711, 721 for authors, and names without a role beside a primary one; 702, 712, 722; "
        "without @type 730",
        "name/namePart": "$a entry element, $b initials, $g full forenames (in UNIMARC $b without initials); of bodies "
        "$a $b $c; of meetings $d $e $f",
        "name/namePart[@type=termsOfAddress]": "$d for Roman numerals, $c",
        "name/namePart[@type=date]": "$f",
        "name/role": "$4, codes of UNIMARC; words $r of 702, 712, 722; a person has a 702 for each further role",
        "name/affiliation": "$p of persons",
        "name/description": "$p of bodies, $d of families",
        "name/nameIdentifier": "$o for ISNI, $3",
        "name/@valueURI": "$3",
        "name/alternativeName": "790, 791, with the heading in $z; in RUSMARC with $6",
    },
)
def names(mods: Mods, draft: MarcDraft) -> None:
    """Persons, bodies and families."""
    primary: Name | None = None
    forms = 0
    has_primary = draft.is_nested or any(name.usage == "primary" for name in mods.name)
    for name in mods.name:
        block = _BLOCK_OF_KIND.get(name.type or "")
        text = next((part.value for part in name.name_part), "") or next(iter(name.display_form), "")
        if block is None:
            coded = [one for one in role_subfields(name) if one[0] == "4"]
            draft.add("730", f"{_UNCONTROLLED.get(name.type or '', '0')} ", (("a", text), *coded), name)
            continue
        level = _level(name, has_primary=has_primary)
        is_primary = name.usage == "primary" or (draft.is_nested and level == _ALTERNATIVE)
        if is_primary and (primary is None or is_counterpart(name, primary)):
            level, primary = _PRIMARY, primary or name
        tag = f"{block}{level}"
        heading = _heading(name, tag, draft.flavour)
        roles = [one for one in role_subfields(name) if one[0] == "4"]
        parts = [one for one in role_subfields(name) if one[0] == "r" and tag in _OF_COPY]
        here, further = ([*roles, *parts], []) if block == "71" else ([*roles[:1], *parts], roles[1:])
        form_tag = "790" if block == "70" else "791"
        forms += bool(name.alternative_name)
        link = ("6", f"z{forms:02}{form_tag}" if draft.flavour == RUSMARC and name.alternative_name else None)
        draft.add(tag, heading_indicators(name), (link, *heading, *here), name)
        for role in further:  # the fields of persons and families have one role each
            draft.add(f"{block}{_SECONDARY}", heading_indicators(name), (*heading, role), name)
        for other in name.alternative_name:
            form = " ".join(part.value for part in other.name_part if part.type is None)
            numbers = tuple(("3", one.value) for one in other.name_identifier)
            entry = " ".join(value for code, value in heading if code in "ab" and value)
            of_heading = ("6", f"z{forms:02}{tag}") if draft.flavour == RUSMARC else ("z", entry)
            draft.add(form_tag, " 0", (*numbers, ("a", form), of_heading))


def _heading(name: Name, tag: str, flavour: str) -> list[tuple[str, str | None]]:
    """Return the subfields of a heading of block 7 without roles."""
    subfields = [*heading_subfields(name, flavour)]
    if tag in _ONE_NUMBER:
        number = next((one for one in subfields if one[0] == "3" and one[1]), None)
        subfields = [*(one for one in subfields if one[0] != "3"), *([number] if number is not None else [])]
    return [*subfields, ("5", name.display_label if tag in _OF_COPY else None)]


def _level(name: Name, *, has_primary: bool) -> str:
    """Return the third digit of the tag: a name without a role is an alternative to the primary one."""
    codes = {term.value for role in name.role for term in role.role_term if term.type == "code"}
    return _ALTERNATIVE if codes & _CREATORS or (has_primary and not name.role) else _SECONDARY


def heading_indicators(name: Name) -> str:
    """Return the indicators of a heading: of a meeting, and whether the name is inverted."""
    if name.type == "personal":
        text = next((part.value for part in name.name_part if part.type is None), "")
        return f" {'1' if ', ' in text else '0'}"
    return "12" if name.type == "conference" else "02" if name.type == "corporate" else "  "


def kind_of_heading(name: Name) -> str:
    """Return the digit that states in a tag what a heading names; a name of no kind is a person."""
    return _KIND_OF_HEADING.get(name.type or "", "0")


def heading_subfields(name: Name, flavour: str, *, has_links: bool = True) -> Subfields:
    """Return the subfields of a heading without roles; ``has_links``: with its numbers in authority files."""
    parts = _body(name)
    if name.type in ("personal", None):
        parts = _personal(name, flavour)
    elif name.type == "family":
        parts = _family(name)
    links: Subfields = _links(name) if has_links else ()
    return (*parts, *links)


def _links(name: Name) -> Subfields:
    for one in name.name_identifier:
        yield ("o" if one.type == "isni" else "3"), one.value
    yield "3", name.value_uri


def _personal(name: Name, flavour: str) -> Subfields:
    """Yield the parts of a person's name; full forenames without initials are ``$b`` in UNIMARC, ``$g`` in RUSMARC."""
    stated = [part.value for part in name.name_part if part.type in (None, "family", "given")]
    text = ", ".join(stated) or " ".join(name.display_form)
    entry, comma, rest = text.partition(", ")
    initials, full = (rest, "") if _INITIALS.fullmatch(rest) else ("", rest)
    if full:
        initials = next((form.partition(", ")[2] for form in name.display_form if form.startswith(f"{entry}, ")), "")
        if not initials and flavour == UNIMARC:
            initials, full = full, ""
    yield "a", entry if comma else text
    yield "b", initials
    for part in name.name_part:
        if part.type == "termsOfAddress":
            yield ("d" if _ROMAN.fullmatch(part.value) else "c"), part.value
    yield from _dates(name)
    yield "g", full
    yield from (("p", one) for one in name.affiliation)


def _dates(name: Name) -> Subfields:
    yield from (("f", part.value) for part in name.name_part if part.type == "date")


def _family(name: Name) -> Subfields:
    for part in name.name_part:
        if part.type in (None, "family"):
            yield "a", part.value
        elif part.type == "termsOfAddress":
            yield "c", part.value
    yield from _dates(name)
    yield from (("d", text) for text in name.description)


def _body(name: Name) -> Subfields:
    stated = [part.value for part in name.name_part if part.type != "date"] or list(name.display_form)
    for position, text in enumerate(stated):
        code = "b" if position else "a"
        meeting = split_meeting(text) if text.endswith(")") else None
        qualified = _QUALIFIED.fullmatch(text)
        if meeting is not None and (name.type == "conference" or meeting[2]):
            yield code, meeting[0]
            yield "d", meeting[1]
            yield "f", meeting[2]
            yield "e", meeting[3]
        elif qualified is not None:
            yield code, qualified["name"]
            yield "c", qualified["qualifier"]
        else:
            yield code, text
    yield from (("p", text) for text in name.description)


def role_subfields(name: Name) -> Subfields:
    """Return the relators that have a code in UNIMARC, each once."""
    return dict.fromkeys(_relators(name))


def _relators(name: Name) -> Iterator[tuple[str, str]]:
    for role in name.role:
        codes = [term.value for term in role.role_term if term.type == "code"]
        texts = [term.value for term in role.role_term if term.type != "code" and not codes]
        codes += [code for text in texts for code in relators_of(text)]
        for code in (_CODE_OF_RELATOR.get(code, code) for code in codes):
            if _CODED_ROLE.fullmatch(code):
                yield "4", code
        yield from (("r", text) for text in texts if not relators_of(text))
