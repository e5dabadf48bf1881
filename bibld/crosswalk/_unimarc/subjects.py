"""Subjects and classification: block 6."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import period_of_code
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.names import heading_name
from bibld.crosswalk._unimarc.view import UnimarcView, punctuate, title_info
from bibld.model import mods
from bibld.model.marc import DataField

BOOK = RuleBook()

_DEWEY = re.compile(r"\[?\d{3}(?![\d(])")
_AUTHOR_MARK = re.compile(r"\s+[А-ЯЁA-Z]-?\d{1,3}[а-я]?$")
"""The mark of the author that follows the class in a shelf mark: ``74 П24``."""
_SHELF_MARK = re.compile(r"[А-ЯЁ]\s[А-ЯЁ]-?\d{1,3}")
"""The mark of a department or an age and that of the author: no class."""
_LOST_LETTER = re.compile(r"~(?=ос\b|ус\b)")
"""A capital of ``Рос=Рус`` that a system has lost."""
_LIBRARY_BIBLIOGRAPHIC = re.compile(r"[А-Я]\d|\d\d?(?:[.(]|$|\s|я|[А-Я])|\d{2}\.\d")
_SUBDIVISIONS: dict[str, type[mods.Topic] | type[mods.Geographic] | type[mods.Temporal] | type[mods.Genre]] = {
    "j": mods.Genre, "x": mods.Topic, "y": mods.Geographic, "z": mods.Temporal,
}  # fmt: skip
_WITH_LOCAL_FORM = _SUBDIVISIONS | {"9": mods.Genre}
"""In 604 to 606 the National Library of Russia puts form subdivisions into $9; in 600 to 602, $9 is a copy's number."""


def _subdivisions(
    field: DataField,
    kinds: Mapping[
        str, type[mods.Topic] | type[mods.Geographic] | type[mods.Temporal] | type[mods.Genre]
    ] = _SUBDIVISIONS,
) -> list[mods.SubjectPart]:
    return [kinds[item.code](value=item.value) for item in field.subfields if item.code in kinds]


def _subject(
    parts: list[mods.SubjectPart], field: DataField, view: UnimarcView, value_uri: str | None
) -> Iterator[mods.Subject]:
    if parts:
        label = "; ".join(field.values("5")) or None
        yield mods.Subject(parts=tuple(parts), authority=field.first("2"), value_uri=value_uri, display_label=label)


def _as_subject(name: mods.Name) -> mods.Name:
    """Return a name for a subject: its alternative names become display forms, since MODS allows no others there."""
    forms = tuple(part.value for other in name.alternative_name for part in other.name_part)
    return replace(name, display_form=forms, alternative_name=(), display_label=None)


_NAME_SUBJECT = "subject/name, titleInfo for $t, subdivisions in order; $2 @authority, $5 @displayLabel"


@BOOK.field("600", "abcdfgjoptxyz235", _NAME_SUBJECT)
@BOOK.field("601", "abcdefghjoptxyz235", _NAME_SUBJECT)
@BOOK.field("602", "acdfjotxyz235", _NAME_SUBJECT)
def name_as_subject(field: DataField, view: UnimarcView) -> Elements:
    """Persons, bodies and families as subjects; with ``$t`` works, whose number in the authority file ``$3`` is."""
    titles = field.values("t")
    name = heading_name(field, view)
    parts: list[mods.SubjectPart] = []
    if name is not None and titles:
        name = replace(name, value_uri=None, name_identifier=())
    if name is not None:
        parts.append(_as_subject(name))
    parts += [title_info(value, value_uri=view.reference(field)) for value in titles]
    yield from _subject(parts + _subdivisions(field), field, view, None)


@BOOK.field("604", "jxyz29", "subject/name and subject/titleInfo of the embedded fields")
def name_and_title_as_subject(field: DataField, view: UnimarcView) -> Elements:
    """Work as a subject: an embedded name and an embedded uniform title."""
    described = view.describe(field.embedded)
    titles = [mods.TitleInfo(title=info.title, non_sort=info.non_sort) for info in described.title_info]
    parts = [*map(_as_subject, described.name), *titles, *_subdivisions(field, _WITH_LOCAL_FORM)]
    # A $2 after the embedded fields was parsed as a subfield of the last one.
    scheme = next((info.authority for info in described.title_info if info.authority is not None), None)
    for subject in _subject(parts, field, view, None):
        yield replace(subject, authority=subject.authority or scheme)


_TITLE_CODES = "abhijklmnqrsuwxyz239"


@BOOK.field("605", _TITLE_CODES, "subject/titleInfo, subdivisions in order")
def title_as_subject(field: DataField, view: UnimarcView) -> Elements:
    """Title as subject."""
    text = punctuate(field, dict.fromkeys("abklmnqrsuw", ". "))
    parts: list[mods.SubjectPart] = []
    if text:
        parts.append(title_info(text, part_number=tuple(field.values("h")), part_name=tuple(field.values("i"))))
    yield from _subject(parts + _subdivisions(field, _WITH_LOCAL_FORM), field, view, view.reference(field))


@BOOK.field(
    "606", "ajxyz239", "subject/topic, then subdivisions in order: topic $x, geographic $y, temporal $z, genre $j"
)
def topic(field: DataField, view: UnimarcView) -> Elements:
    """Topics."""
    parts: list[mods.SubjectPart] = [mods.Topic(value=value) for value in field.values("a")]
    yield from _subject(parts + _subdivisions(field, _WITH_LOCAL_FORM), field, view, view.reference(field))


@BOOK.field("607", "ajxyz235", "subject/geographic, then subdivisions in order")
def place(field: DataField, view: UnimarcView) -> Elements:
    """Places."""
    parts: list[mods.SubjectPart] = [mods.Geographic(value=value) for value in field.values("a")]
    yield from _subject(parts + _subdivisions(field), field, view, view.reference(field))


@BOOK.field("608", "ajxyz235", "genre[@authority=$2], subdivisions joined with -; $5 @displayLabel")
def form_heading(field: DataField, view: UnimarcView) -> Elements:
    """Form, genre and physical characteristics of the resource itself."""
    text = "-".join(field.values("a", "j", "x", "y", "z"))
    if text:
        yield mods.Genre(
            value=text,
            authority=field.first("2"),
            value_uri=view.reference(field),
            display_label="; ".join(field.values("5")) or None,
        )


@BOOK.field("610", "ajxyz23", "subject/topic for each $a")
def uncontrolled_terms(field: DataField, view: UnimarcView) -> Elements:
    """Terms without an authority file, each a subject; some libraries give them a scheme and subdivisions."""
    headings: list[list[mods.SubjectPart]] = []
    for subfield in field.subfields:
        if subfield.code == "a":
            headings.append([mods.Topic(value=subfield.value)])
        elif subfield.code in "jxyz":
            part = _SUBDIVISIONS[subfield.code](value=subfield.value)
            if headings:
                headings[-1].append(part)
            else:
                headings.append([part])
    reference = view.reference(field)
    for heading in headings:
        yield from _subject(heading, field, view, reference if len(headings) == 1 else None)


@BOOK.field("615", "axnm23", "subject/topic of $a and $x; classification[@authority=$2] of $n and $m")
def category(field: DataField, view: UnimarcView) -> Elements:
    """Subject categories, as text and as code."""
    parts: list[mods.SubjectPart] = [mods.Topic(value=value) for value in field.values("a", "x")]
    yield from _subject(parts, field, view, view.reference(field))
    code = "".join(field.values("n", "m"))
    if code:
        yield mods.Classification(value=code, authority=field.first("2"))


@BOOK.field("616", "acfjxyz23", "subject/topic, then subdivisions in order")
def trademark(field: DataField, view: UnimarcView) -> Elements:
    """Trademarks as subjects."""
    text = " ".join(field.values("a", "c", "f"))
    parts: list[mods.SubjectPart] = [mods.Topic(value=text)] if text else []
    yield from _subject(parts + _subdivisions(field), field, view, view.reference(field))


@BOOK.field("617 620", "abcdefghikmno23", "subject/hierarchicalGeographic; $f $i temporal, $g $h topic")
def hierarchical_place(field: DataField, view: UnimarcView) -> Elements:
    """Places from the largest unit down, with the dates and events that belong to them."""
    found = mods.HierarchicalGeographic(
        country=tuple(field.values("a")),
        state=tuple(field.values("b")),
        county=tuple(field.values("c")),
        city=tuple(field.values("d")),
        city_section=tuple(field.values("k")),
        area=tuple(field.values("e", "m", "o")),
        extraterrestrial_area=tuple(field.values("n")),
    )
    parts: list[mods.SubjectPart] = [found] if found != mods.HierarchicalGeographic() else []
    parts += [mods.Temporal(value=value) for value in field.values("f", "i")]
    parts += [mods.Topic(value=value) for value in field.values("g", "h")]
    yield from _subject(parts, field, view, view.reference(field))


@BOOK.field("621", "abcdefghikmno5", "note[@type=ownership]")
def provenance(field: DataField, view: UnimarcView) -> Elements:
    """Places and dates in the history of a copy."""
    text = punctuate(field, dict.fromkeys("abcdefghikmno", ", "))
    if text:
        yield mods.Note(value=text, type="ownership", display_label=field.first("5"))


@BOOK.field("660", "a", "subject/geographicCode[@authority=marcgac]")
def area_code(field: DataField, view: UnimarcView) -> Elements:
    """Geographic area codes."""
    for value in field.values("a"):
        if value.rstrip("- "):
            yield mods.Subject(parts=(mods.GeographicCode(value=value.rstrip("- "), authority="marcgac"),))


@BOOK.field("661", "a", "subject/temporal[@encoding=iso8601]: beginning and end; another text as it is")
def period_code(field: DataField, view: UnimarcView) -> Elements:
    """Time period codes."""
    for value in field.values("a"):
        years = period_of_code(value.strip())
        if years is None:
            yield mods.Subject(parts=(mods.Temporal(value=value),))
        else:
            parts = zip(years, ("start", "end"), strict=True)
            yield mods.Subject(
                parts=tuple(mods.Temporal(value=year, encoding="iso8601", point=at) for year, at in parts)
            )


@BOOK.field("675 676", "av", "classification[@authority=udc; 676: ddc][@edition=$v]")
def decimal_class(field: DataField, view: UnimarcView) -> Elements:
    """Universal and Dewey Decimal Classification; some libraries put shelf marks with a class of the LBC into 676."""
    for stated in field.values("a"):
        value = stated if field.tag == "675" else _LOST_LETTER.sub("Р", stated)
        authority = "udc" if field.tag == "675" else "ddc" if _DEWEY.match(value) else None
        if authority is None and _SHELF_MARK.fullmatch(value):
            yield mods.Location(shelf_locator=(value,))
            continue
        if authority is None and _LIBRARY_BIBLIOGRAPHIC.match(value):
            view.warn(f"676 {value!r} is not a Dewey number but a class mark of the Russian LBC; written as rubbk")
            value, authority = _AUTHOR_MARK.sub("", value), "rubbk"
            if value != stated:
                yield mods.Location(shelf_locator=(stated,))
        yield mods.Classification(value=value, authority=authority, edition=field.first("v"))


@BOOK.field("680", "ab", "classification[@authority=lcc]")
def library_of_congress(field: DataField, view: UnimarcView) -> Elements:
    """Library of Congress Classification."""
    text = " ".join(field.values("a", "b"))
    if text:
        yield mods.Classification(value=text, authority="lcc")


@BOOK.field("679 686", "abcv2hj", "classification[@authority=$2][@edition=$v], $h and $j @displayLabel")
def other_classification(field: DataField, view: UnimarcView) -> Elements:
    """Other classifications, one for each $a with the item number that follows it; $h and $j are the class in words."""
    marks: list[str] = []
    for subfield in field.subfields:
        if subfield.code == "a" or (subfield.code in "bc" and not marks):
            marks.append(subfield.value)
        elif subfield.code in "bc":
            marks[-1] = f"{marks[-1]} {subfield.value}"
    scheme = field.first("2") or (view.settings.classification if field.tag == "686" else None)
    label = " -- ".join(item.value for item in field.subfields if item.code in "hj") or None
    if label is not None and not marks:
        marks, label = [label], None
    for mark in marks:
        yield mods.Classification(value=mark, authority=scheme, edition=field.first("v"), display_label=label)
