"""The marks of ISBD and of headings between the subfields of MARC 21 (Appendix of each field: Input Conventions)."""

from __future__ import annotations

from msgspec.structs import replace

from bibld.model.marc import DataField, Subfield

_HEADING = {"b": ".", "c": ",", "d": ",", "e": ",", "j": ",", **dict.fromkeys("tlnpkf", ".")}
_SERIES = {**_HEADING, "v": " ;", "x": ","}
_PERSON = {**_HEADING, "b": "", "m": ",", "r": ",", "u": ","}
_TITLE = {"b": " :", "n": ".", "p": ".", "c": " /", "f": ","}
_UNIFORM = {"m": ",", "r": ",", "n": ".", "p": ".", "l": ".", "k": ".", "f": "."}
_IMPRINT = {"a": " ;", "b": " :", "c": ","}

_MARKS: dict[str, dict[str, str]] = {
    "130": _UNIFORM, "240": _UNIFORM, "630": _UNIFORM, "730": _UNIFORM,
    "245": _TITLE, "246": {**_TITLE, "a": ""}, "247": _TITLE,
    "250": {"b": " /"}, "255": {"b": " ;", "c": ""}, "260": _IMPRINT, "264": _IMPRINT,
    "300": {"b": " :", "c": " ;", "e": " +"}, "490": {"v": " ;", "x": ","}, "830": {**_UNIFORM, "v": " ;", "x": ","},
    **dict.fromkeys(("100", "600", "700"), _PERSON),
    **dict.fromkeys(("110", "111", "610", "611", "710", "711"), _HEADING),
    **dict.fromkeys(("800", "810", "811"), _SERIES),
    "310": {"b": ","}, "321": {"b": ","}, "510": {"b": ",", "c": ","},
}  # fmt: skip
"""Tag → subfield → the mark at the end of the subfield before it."""

_WITH_FULL_STOP = frozenset((
    "100", "110", "111", "130", "245", "250", "260", "264", "600", "610", "611", "630", "650", "651", "700",
    "655", "710", "711", "730", "800", "810", "811", "830",
))  # fmt: skip
"""Fields that end in a full stop; notes are left as they are."""

_BEHIND_CONTENT = "0124568u"
"""Subfields behind the text of a field, which get no mark before them; the full stop is before them."""
_ENDS = (".", "?", "!", ")", "]", "-", ">", "…", ",")
_ENDS_OF_TITLE = (".", "?", "!", "-", "…")
_IN_SUBFIELD = "7"
"""Second indicator of subjects from a list in $2, which have no full stop."""
_OWN_MARKS = ("= ",)


def punctuated(field: DataField) -> DataField:
    """Return a field with the marks that belong before its subfields, and the full stop at the end of its text."""
    marks = _MARKS.get(field.tag, {})
    if not marks and field.tag not in _WITH_FULL_STOP and field.first("i") is None:
        return field
    subfields = list(field.subfields)
    last = -1
    for position, subfield in enumerate(subfields):
        if subfield.code == "i" and not subfield.value.endswith(":"):
            subfields[position] = Subfield("i", f"{subfield.value}:")
        if subfield.code in _BEHIND_CONTENT or subfield.code == "i":
            continue
        if last >= 0:
            _join(subfields, last, position, marks.get(subfield.code, ""))
        last = position
    is_of_list = field.tag[0] == "6" and field.indicator2 == _IN_SUBFIELD
    if last >= 0 and field.tag in _WITH_FULL_STOP and not is_of_list:
        text = subfields[last].value
        if not text.endswith(_ENDS_OF_TITLE if field.tag == "245" else _ENDS):
            subfields[last] = Subfield(subfields[last].code, f"{text}.")
    return replace(field, subfields=tuple(subfields))


def _join(subfields: list[Subfield], before: int, position: int, mark: str) -> None:
    """Put a mark at the end of a subfield; the sign of equality of a parallel title moves there."""
    text, following = subfields[before].value, subfields[position]
    if following.value.startswith(_OWN_MARKS):
        mark = " ="
        subfields[position] = Subfield(following.code, following.value.removeprefix(_OWN_MARKS[0]))
    if text.endswith(" :") or following.value.startswith("("):
        return
    if mark and not text.endswith(mark.strip()) and not (mark in (",", ".") and text.endswith((".", "-", "?", "!"))):
        subfields[before] = Subfield(subfields[before].code, f"{text}{mark}")
