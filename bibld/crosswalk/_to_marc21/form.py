"""genre, physicalDescription → 047, 256, 300, 306, 336-353, 655; typeOfResource and coded forms are in ``fixed``."""

from __future__ import annotations

import re

from bibld.crosswalk._marc21.characteristics import DURATION, DURATION_OF_PART
from bibld.crosswalk._marc21.codes import CHARACTERISTICS, SUBJECT_AUTHORITY
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import single_codes
from bibld.crosswalk._to_marc21.names import link_subfields
from bibld.model.mods import Controlled, Form, Genre, Mods, PhysicalDescription
from bibld.text.resource_types import code_iri, type_code

BOOK = WriterBook()

_INDICATOR_OF_AUTHORITY = single_codes(SUBJECT_AUTHORITY)
_MUSICAL_COMPOSITION = "musical composition"
_CODED = ("marcform", "marccategory", "marcsmd")
_LIST_OF_KIND = {"content": ("336", "contentTypes"), "media": ("337", "mediaTypes"), "carrier": ("338", "carriers")}
_FIELD_OF_KIND = {
    kind: (tag, code) for tag, kinds in reversed(CHARACTERISTICS.items()) for code, kind in reversed(kinds.items())
}
_PIECE = re.compile(r" (?P<mark>[:;+]) (?![^(]*\))")
"""A mark of ISBD between two parts of an extent; not one within parentheses."""
_CODE_OF_MARK = {":": "b", ";": "c", "+": "e"}
_SIZE = re.compile(r"\d+(?:[.,]\d+)?(?: ?[x×-] ?\d+(?:[.,]\d+)?)? ?(?:cm|mm|см|мм|in)\b.*")
_MATERIALS = re.compile(r"(?P<materials>[^\d(:;+]{3,60}(?<! ):) (?P<rest>.+)")
_NOT_DIGITS = re.compile(r"\D")
_YEARS = re.compile(r"\D*\d{4}.*|\d\d?(?:st|nd|rd|th) century")


@BOOK.writes(
    "genre",
    {
        "genre[@authority=rdacontent]": "336 $a $b $2",
        "genre[@type='musical composition']": "047",
        "genre": "655 $a, $v $x $y $z after --; the second indicator or $2 from @authority",
        "physicalDescription/extent": "300 $a $b $c $e, divided at the marks of ISBD",
        "physicalDescription/extent[@unit=duration]": "306",
        "physicalDescription/form[@type=media, carrier]": "337, 338 $a $b $2",
        "physicalDescription/form[@authority=gmd]": "245 $h",
        "physicalDescription/form[@type=material …]": "340, 344-348, 353 by @type",
        "physicalDescription/form": "256",
        "physicalDescription/note[@type=arrangement]": "351",
        "physicalDescription/note[@type='physical details']": "300 $b",
        "physicalDescription/note": "500",
        "physicalDescription/internetMediaType": "856 $q",
    },
)
def form(mods: Mods, draft: MarcDraft) -> None:
    """Genre and physical form."""
    for genre in mods.genre:
        if genre.authority != "marcgt":
            _genre(genre, draft)
    for description in mods.physical_description:
        _extents(description, draft)
        for one in description.form:
            if one.authority not in (*_CODED, "gmd"):
                _form(one, draft)
        for note in description.note:
            if note.type == "arrangement":
                draft.add("351", "  ", (("a", note.value),))
            elif note.type != "physical details":
                draft.add("500", "  ", (("a", note.value),))


def _genre(genre: Genre, draft: MarcDraft) -> None:
    if genre.type == _MUSICAL_COMPOSITION:
        is_marc = genre.authority == "marcmuscomp"
        draft.add(
            "047", f" {' ' if is_marc else '7'}", (("a", genre.value), ("2", None if is_marc else genre.authority))
        )
    elif (genre.authority or "").startswith("rdaco") or (
        genre.authority is None and type_code("contentTypes", genre.value) is not None
    ):
        _rda("336", "contentTypes", genre, genre.value, draft)
    else:
        heading, *subdivisions = genre.value.split("--")
        subfields = [("a", heading), *(("y" if _YEARS.fullmatch(text) else "x", text) for text in subdivisions)]
        draft.add("655", f" {authority_indicator(genre.authority)}", (*subfields, *authority_subfields(genre)))


def authority_indicator(authority: str | None) -> str:
    """Return the second indicator of a subject or genre: its thesaurus, ``7`` for one in ``$2``, ``4`` for none."""
    return _INDICATOR_OF_AUTHORITY.get(authority, "7") if authority else "4"


def authority_subfields(element: Controlled) -> Subfields:
    """Yield the thesaurus in ``$2``, where the second indicator does not name it, and the link."""
    if authority_indicator(element.authority) == "7":
        yield "2", element.authority
    yield from link_subfields(element)


def _rda(tag: str, list_: str, element: Controlled, value: str, draft: MarcDraft) -> None:
    """Add a term of RDA with its code, or a code alone; a link that states the same as the code is not written."""
    code = type_code(list_, value)
    link = element.value_uri
    is_of_code = False
    if code is None and link is not None:
        code = link.rpartition("/")[2] if code_iri(list_, link.rpartition("/")[2]) == link else None
        is_of_code = code is not None
    is_code = code == value
    subfields = (
        ("a", None if is_code else value), ("b", code), ("2", element.authority), ("0", None if is_of_code else link),
    )  # fmt: skip
    draft.add(tag, "  ", subfields)


def _form(one: Form, draft: MarcDraft) -> None:
    if one.type in _LIST_OF_KIND:
        tag, list_ = _LIST_OF_KIND[one.type]
        _rda(tag, list_, one, one.value, draft)
    elif one.type in _FIELD_OF_KIND:
        tag, code = _FIELD_OF_KIND[one.type]
        draft.add(tag, "  ", ((code, one.value), *link_subfields(one), ("2", one.authority)))
    elif draft.has("256"):
        draft.add("500", "  ", (("a", one.value),))
    else:
        draft.add("256", "  ", (("a", one.value),))


def _extents(description: PhysicalDescription, draft: MarcDraft) -> None:
    details = [note.value for note in description.note if note.type == "physical details"]
    for extent in description.extent:
        if extent.unit in (DURATION, DURATION_OF_PART):
            digits = _NOT_DIGITS.sub("", extent.value)
            draft.add("306", "  ", (("a", digits if len(digits) == 6 else None),))
            continue
        draft.add("300", "  ", extent_subfields(extent.value), description)
    for text in details:
        draft.add("300", "  ", (("b", text),), description)


def extent_subfields(text: str) -> Subfields:
    """Divide an extent at the marks of ISBD; a size that is the only statement is one of ``$c``.

    >>> list(extent_subfields("xi, 325 p. : ill. ; 23 cm + 1 map"))
    [('a', 'xi, 325 p.'), ('b', 'ill.'), ('c', '23 cm'), ('e', '1 map')]
    """
    found = _MATERIALS.fullmatch(text)
    if found is not None:
        yield "3", found["materials"]
        text = found["rest"]
    pieces = _PIECE.split(text)
    code = "c" if _SIZE.fullmatch(pieces[0]) else "a"
    subfields = [(code, pieces[0])]
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        following = _CODE_OF_MARK[mark]
        if following == code or code == "e" or (code == "c" and following == "b"):
            subfields[-1] = (code, f"{subfields[-1][1]} {mark} {piece}")
        else:
            code = following
            subfields.append((code, piece))
    yield from subfields
