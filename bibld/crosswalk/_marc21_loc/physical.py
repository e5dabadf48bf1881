"""Form and extent: 007, 008, 245$h, 256, 300, 337, 338, 351, 856$q → physicalDescription."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.corrections import NO_TEXT
from bibld.crosswalk._marc21.fixed import configuration
from bibld.crosswalk._marc21.origin import Parts
from bibld.crosswalk._marc21.physical import form_of_item
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, has_any, mark, subfields_with_linkage
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.crosswalk._view import Linkage
from bibld.model.marc import DataField
from bibld.model.mods import Extent, Form, Note, PhysicalDescription

PHYSICAL = RuleBook()

_CODES = {
    "130": "h", "240": "h", "242": "h", "245": "h", "246": "h", "730": "h", "256": "a", "337": "a", "338": "a",
    "856": "q", "300": "",
}  # fmt: skip
"""The subfields that each describe a form; a 300 does so as a whole."""

Described = tuple[str, object]
"""The name of a child of physicalDescription, and its value."""


@PHYSICAL.record(
    "physicalDescription: form, reformattingQuality, internetMediaType, extent, digitalOrigin, note",
    tLDR="", t007="", t008="", t130="h", t240="h", t242="h", t245="h", t246="h", t730="h", t256="a", t300="abcefg3",
    t337="a2", t338="a2", t351="abc3", t856="q",
)  # fmt: skip
def physical_description(view: StylesheetView) -> Iterator[PhysicalDescription]:
    """One element; where fields have ``$6``, one for each of them and one for the others; one for each 880."""
    fields = [field for field in view.in_order(*_CODES) if field.tag == "300" or has_any(field, _CODES[field.tag])]
    linked = [field for field in fields if view.linkage(field) is not None]
    others = [field for field in fields if view.linkage(field) is None]
    form = form_of_item(view)
    item = [("form", Form(value=form, authority="marcform"))] if form is not None else []
    coded = [*item, *_coded(view)]
    in_linked = coded if view.settings.coded_forms_in_every_script else item
    for field in linked:
        for described, linkage in _described(field, view):
            yield mark(_description([*in_linked, *described]), linkage)
    if linked and others:
        yield _description([*coded, *_all(others, view)])
    elif not linked:
        arrangements = (("note", _arrangement(field)) for field in view.regular("351"))
        told = [*coded, *_all(fields, view), *arrangements]
        if any(_says_something(value) for _, value in told):
            yield _description(told)
    for field in view.fields(*_CODES):
        if view.is_alternate(field) and field.tag != "856":
            for described, linkage in _described(field, view):
                yield mark(_description(described), linkage)


def _description(told: Iterable[Described]) -> PhysicalDescription:
    parts: Parts = {}
    for name, value in told:
        parts.setdefault(name, []).append(value)
    return replace(PhysicalDescription(), **{name: tuple(values) for name, values in parts.items()})


def _says_something(value: object) -> bool:
    return bool((value if isinstance(value, str) else value.value).strip(NO_TEXT))  # type: ignore[attr-defined]


# --- coded data


def _coded(view: StylesheetView) -> Iterator[Described]:
    texts = view.controls("007")
    if configuration(view) == codes.FILE:
        for code in dict.fromkeys(text[11:12] for text in texts):
            if code in codes.DIGITAL_ORIGIN:
                yield "digital_origin", codes.DIGITAL_ORIGIN[code]
    for category in dict.fromkeys(text[:1] for text in texts):
        if category in codes.MATERIAL_CATEGORY:
            yield "form", Form(value=codes.MATERIAL_CATEGORY[category], authority="marccategory")
    for start in dict.fromkeys(text[:2] for text in texts):
        designation = codes.MATERIAL_DESIGNATION.get(start[:1], {}).get(start[1:])
        if designation is not None:
            yield "form", Form(value=designation, authority="marcsmd")
    for text in texts:
        if text.startswith("c") and text[13:14] in codes.REFORMATTING_QUALITY:
            yield "reformatting_quality", codes.REFORMATTING_QUALITY[text[13]]


# --- fields


def _all(fields: Iterable[DataField], view: StylesheetView) -> Iterator[Described]:
    for field in fields:
        for described, _ in _described(field, view):
            yield from described


def _described(field: DataField, view: StylesheetView) -> Iterator[tuple[list[Described], Linkage | None]]:
    if field.tag == "300":
        yield [("extent", _extent(field))], view.linkage(field)
        return
    for text, linkage in subfields_with_linkage(field, _CODES[field.tag], view):
        if field.tag == "856":
            yield [("internet_media_type", text)] if len(text) > 1 else [], linkage
        else:
            yield [("form", _form(text, field))], linkage


def _form(text: str, field: DataField) -> Form:
    if field.tag in ("337", "338"):
        kind = "media" if field.tag == "337" else "carrier"
        return Form(value=text, type=kind, authority=field.first("2") or "")
    if field.tag == "256":
        return Form(value=text)
    designation = chop(text)
    return Form(value=designation[1:-1] if designation.startswith("[") else designation, authority="gmd")


def _extent(field: DataField) -> Extent:
    return Extent(value=join(field, "abce3g"), unit=join(field, "f") if has_any(field, "f") else None)


def _arrangement(field: DataField) -> Note:
    materials = "".join([f"{text}: " for text in field.values("3")])
    return Note(value=materials + join(field, "abc"), type="arrangement")
