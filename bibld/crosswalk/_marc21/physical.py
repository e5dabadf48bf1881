"""Form and extent: 007, 008, 245$h, 256, 300, 337, 338, 347, 351, 856$q → physicalDescription."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.fixed import configuration, fixed, leader_code
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values, join
from bibld.model.marc import DataField
from bibld.model.mods import Extent, Form, Note, PhysicalDescription

PHYSICAL = RuleBook()

_ENDS_OF_AREA = (":", ";", "+", ",")
_TITLE_TAGS = ("130", "240", "242", "245", "246", "730")

Parts = dict[str, list[Any]]
"""The children of one physicalDescription under the names of their fields."""


@PHYSICAL.record(
    "physicalDescription: form, reformattingQuality, internetMediaType, extent, digitalOrigin, note",
    tLDR="", t007="", t008="", t130="h", t240="h", t242="h", t245="h", t246="h", t730="h", t256="a", t300="abcefg3",
    t337="ab2", t338="ab2", t347="ab2", t351="abc3", t856="q",
)  # fmt: skip
def physical_description(view: Marc21View) -> Iterator[PhysicalDescription]:
    """One element, and one more for each other script."""
    regular: Parts = {}
    other_scripts: dict[str, Parts] = {}
    linkage = None
    regular["form"] = list(dict.fromkeys(_coded_forms(view)))
    _electronic(view, regular)
    for field in view.fields(*_TITLE_TAGS, "256", "337", "338", "347", "856", "300", "351"):
        linked = view.linkage(field)
        parts = regular
        if linked is not None and linked.is_alternate:
            parts = other_scripts.setdefault(linked.script or "", {})
        if field.tag == "300":
            parts.setdefault("extent", []).extend(_extents(field))
        elif field.tag == "351":
            parts.setdefault("note", []).extend(_arrangements(field))
        else:
            _add_form(field, parts)
        if linked is not None and linkage is None and field.tag == "300":
            linkage = linked
    if any(regular.values()):
        main = _description(regular)
        yield main if linkage is None else linkage.mark(main)
    for script, parts in other_scripts.items():
        if any(parts.values()):
            group = linkage.alt_rep_group if linkage is not None else None
            yield replace(_description(parts), script=script or None, alt_rep_group=group)


def _description(parts: Parts) -> PhysicalDescription:
    return replace(PhysicalDescription(), **{name: tuple(dict.fromkeys(values)) for name, values in parts.items()})


# --- coded data


def _coded_forms(view: Marc21View) -> Iterator[Form]:
    form = form_of_item(view)
    if form is not None:
        yield Form(value=form, authority="marcform")
    for text in view.controls("007"):
        category = codes.MATERIAL_CATEGORY.get(text[:1])
        if category is None:
            continue
        yield Form(value=category, authority="marccategory")
        designation = codes.MATERIAL_DESIGNATION.get(text[0], {}).get(text[1:2])
        if designation is not None:
            yield Form(value=designation, authority="marcsmd")


def form_of_item(view: Marc21View) -> str | None:
    """Return the form from 008/23 or 008/29, or else from the leader."""
    kind = configuration(view)
    code = fixed(view, 29 if kind in (codes.MAP, codes.VISUAL) else 23)
    named = codes.FORM_OF_ITEM.get(code)
    if named is not None:
        return named
    if leader_code(view, 6) == "m":
        return "electronic"
    if leader_code(view, 6) == "o":
        return "kit"
    other_medium = any(text[:1] in ("c", "h") for text in view.controls("007"))
    written = leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,)
    printed = not written and (kind in (codes.BOOK, codes.SERIAL) or leader_code(view, 6) == "c")
    return "print" if code in (" ", "#") and printed and not other_medium else None


def _electronic(view: Marc21View, parts: Parts) -> None:
    for text in view.controls("007"):
        if text[:1] != "c":
            continue
        for name, value in (
            ("reformatting_quality", codes.REFORMATTING_QUALITY.get(text[13:14])),
            ("digital_origin", codes.DIGITAL_ORIGIN.get(text[11:12])),
        ):
            if value is not None:
                parts.setdefault(name, []).append(value)


# --- fields


def _add_form(field: DataField, parts: Parts) -> None:
    """Add what a field states of the physical form."""
    if field.tag == "856":
        for text in field.values("q"):
            if len(text) > 1:
                parts.setdefault("internet_media_type", []).append(text)
        return
    forms = parts.setdefault("form", [])
    if field.tag in ("337", "338"):
        kind = "media" if field.tag == "337" else "carrier"
        forms += [
            Form(value=text, type=kind, authority=field.first("2")) for text in field.values("a") or field.values("b")
        ]
    elif field.tag == "347":
        for subfield in field.subfields:
            characteristic = {"a": "file type", "b": "encoding format"}.get(subfield.code)
            if characteristic is not None:
                forms.append(Form(value=chop(subfield.value), type=characteristic, authority=field.first("2")))
    elif field.tag == "256":
        forms += map(Form, chopped_values(field, "a"))
    else:
        designations = (chop(text).lstrip("[").partition("]")[0].strip() for text in field.values("h"))
        forms += [Form(value=text, authority="gmd") for text in designations if text]


def _extents(field: DataField) -> Iterator[Extent]:
    if field.first("f") is None:
        text = _punctuated_extent(field).rstrip(" +:;,")
        if text:
            yield Extent(value=text)
        return
    counted: list[Extent] = []
    for subfield in field.subfields:
        if subfield.code == "f" and counted:
            counted[-1] = replace(counted[-1], unit=chop(subfield.value) or None)
        elif subfield.code == "a" or (subfield.code in "bceg" and not counted):
            counted.append(Extent(value=subfield.value.rstrip(" +:;,")))
        elif subfield.code in "bceg":
            counted[-1] = replace(counted[-1], value=f"{counted[-1].value} {subfield.value}")
    yield from counted


_MARK_OF_EXTENT = {"b": " :", "c": " ;", "e": " +"}


def _punctuated_extent(field: DataField) -> str:
    """Join the subfields of 300; records without ISBD punctuation (Russia, Germany) get the marks between them."""
    text = ""
    for subfield in field.subfields:
        if subfield.code not in "abce3g":
            continue
        mark = _MARK_OF_EXTENT.get(subfield.code, "")
        text = (
            f"{text if not mark or text.endswith(_ENDS_OF_AREA) else text + mark} {subfield.value}"
            if text
            else subfield.value
        )
    return text


def _arrangements(field: DataField) -> Iterator[Note]:
    text, materials = join(field, "abc"), field.first("3")
    if text:
        yield Note(value=f"{chop(materials)}: {text}" if materials else text, type="arrangement")
