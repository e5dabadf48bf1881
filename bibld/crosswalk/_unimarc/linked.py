"""The content of a link field (4XX): the fields that describe the other resource, and the place in it.

The embedded technique has fields after ``$1``; the standard technique has a subfield for each element (UNIMARC Manual,
block 4). Both give the same fields here.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._designations import is_pages, parse_part, split_issue_designation
from bibld.crosswalk._unimarc.view import fold_words
from bibld.model.marc import ControlField, DataField, Field, Subfield
from bibld.model.mods import Date, Part, PartText

LINK_CODES = "abcdefghilmnopstuvxyz035"
"""The subfields of the standard technique."""

_STANDARD = {
    "a": ("730", "a"), "t": ("200", "a"), "o": ("200", "e"), "f": ("200", "f"), "g": ("200", "g"), "h": ("200", "h"),
    "b": ("200", "b"), "i": ("200", "i"), "l": ("200", "d"), "v": ("200", "v"), "e": ("205", "a"), "c": ("210", "a"),
    "n": ("210", "c"), "d": ("210", "d"), "p": ("215", "a"), "s": ("225", "a"), "u": ("856", "u"), "x": ("011", "a"),
    "y": ("010", "a"), "m": ("013", "a"), "z": ("040", "a"), "3": ("035", "a"),
}  # fmt: skip


class Link(msgspec.Struct, frozen=True):
    """The content of a link field: a description of the other resource, and the place of the record in it.

    ``fields`` describe the other resource, without the values that are in ``part``; ``title`` is its title proper
    (empty if there is none, or only the designation of an issue), ``volume`` the designation in 200$v or ``$v``,
    ``number`` its control number, ``label`` the copy that the link describes (``$5``).
    """

    tag: str
    fields: tuple[ControlField | DataField, ...]
    part: Part
    title: str
    volume: str
    number: str
    label: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether the other resource is identified by a title, a control or standard number, a name or a subject."""
        return bool(self.title or self.number) or any(
            field.tag[:1] in "67" or field.tag in ("010", "011", "035", "500") for field in self.fields
        )


def parse_link(field: DataField, *, issue_titles: bool = False) -> Link:
    """Parse a link field; with ``issue_titles``, a title that only designates an issue becomes a part of the place."""
    fields: list[ControlField | DataField] = []
    texts: list[str] = []
    names: list[str] = []
    title, volume, number, date = "", "", "", ""
    for inner in _with_title(fields_of_link(field)):
        if isinstance(inner, ControlField):
            number = number or (inner.value if inner.tag == "001" else "")
            fields.append(inner)
        elif inner.tag == "200":
            proper = inner.first("a") or ""
            designation, name = split_issue_designation(proper) if issue_titles else ("", "")
            if issue_titles and (designation or not proper):
                names += [name, *inner.values("e", "i")] if name else inner.values("e", "i")
                texts += [designation] if designation else []
                texts += [item.value for item in inner.subfields if item.code not in "aei"]
                continue
            title = title or proper
            volume = volume or (inner.first("v") or "")
            texts += inner.values("v")
            inner = _without(inner, "v")
            if inner.subfields:
                fields.append(inner)
        elif inner.tag == "215" and any(is_pages(text) for text in inner.values("a")):
            texts += [text for text in inner.values("a") if is_pages(text)]
            others = tuple(item for item in inner.subfields if item.code != "a" or not is_pages(item.value))
            if others:
                fields.append(replace(inner, subfields=others))
        else:
            if inner.tag == "210":
                date = date or (inner.first("d") or "")
            fields.append(inner)
    part = _with_names(parse_part(texts), names)
    if issue_titles and part.detail and date and Date(value=date) not in part.date:
        part = replace(part, date=(*part.date, Date(value=date)))
    return Link(field.tag, tuple(fields), part, title, volume, number, "; ".join(field.values("5")) or None)


def _with_title(fields: list[Field]) -> list[Field]:
    """Return the fields with the uniform title (500) as the title of a resource that has no other."""
    tags = [field.tag for field in fields]
    if "200" in tags or "500" not in tags:
        return fields
    position = tags.index("500")
    uniform = fields[position]
    if not isinstance(uniform, DataField) or not {item.code for item in uniform.subfields} <= set("ahiv"):
        return fields
    return [*fields[:position], replace(uniform, tag="200"), *fields[position + 1 :]]


def fields_of_link(field: DataField) -> list[Field]:
    """Return the embedded fields, and fields made of the subfields of the standard technique."""
    if not field.subfields:
        return list(field.embedded)
    subfields_by_tag: dict[str, list[Subfield]] = {}
    controls: list[Field] = []
    for subfield in field.subfields:
        if subfield.code == "0":
            controls.append(ControlField("001", subfield.value))
        elif subfield.code in _STANDARD:
            tag, code = _STANDARD[subfield.code]
            subfields_by_tag.setdefault(tag, []).append(Subfield(code, subfield.value))
    standard = [DataField(tag, subfields=tuple(subfields)) for tag, subfields in subfields_by_tag.items()]
    return [*controls, *standard, *field.embedded]


def is_abbreviation(short: str, full: str) -> bool:
    """Return whether each word of one title abbreviates that of the other: ``Шк. классики``, ``Школа классики``."""
    left = [fold_words(word) for word in short.split()]
    right = [fold_words(word) for word in full.split()]
    left, right = [words for words in left if words], [words for words in right if words]
    return bool(left) and len(left) == len(right) and all(map(_abbreviates, left, right))


def _abbreviates(short: list[str], full: list[str]) -> bool:
    word = "".join(full)
    if len(short) == 1:
        return word.startswith(short[0])
    # A contraction such as б-ка has the beginning and the end of the word.
    return word.startswith(short[0]) and word.endswith(short[-1])


def _with_names(part: Part, names: list[str]) -> Part:
    """Return a part whose last detail has the names of the issue; without a detail they are a text."""
    if not names:
        return part
    if not part.detail:
        return replace(part, text=(*part.text, *(PartText(value=name) for name in names)))
    return replace(part, detail=(*part.detail[:-1], replace(part.detail[-1], title=tuple(names))))


def _without(field: DataField, code: str) -> DataField:
    return replace(field, subfields=tuple(item for item in field.subfields if item.code != code))
