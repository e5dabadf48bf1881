"""Headings of UNIMARC and RUSMARC authority records: 2XX, references 4XX and 5XX, parallel headings 7XX, 835, 836.

UNIMARC Manual, Authorities Format (IFLA), and its Russian version. The parts of a heading are made by the rules for the
same heading in bibliographic records, so that both become the same label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._authorities import relations
from bibld.crosswalk._authorities.statements import (
    cancelled_number,
    read_number,
    replacements,
    script_of_heading,
    stated_heading,
)
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._texts import address
from bibld.crosswalk._unimarc.names import corporate_name, family_name, personal_name
from bibld.crosswalk._unimarc.subjects import hierarchical_place
from bibld.crosswalk._unimarc.view import UnimarcView, plain_values, punctuate, title_info
from bibld.model import mods
from bibld.model.authority import Equivalent, Heading, HeadingKind, RecordNumber, RelatedHeading, Relation, Variant
from bibld.model.marc import DataField
from bibld.text.languages import language_code

HEADINGS = RuleBook()

_SUBDIVISIONS: dict[str, type[mods.Topic] | type[mods.Geographic] | type[mods.Temporal] | type[mods.Genre]] = {
    "j": mods.Genre, "x": mods.Topic, "y": mods.Geographic, "z": mods.Temporal,
}  # fmt: skip

_MEETING = "1"
"""The first indicator of a body."""


# -- the parts of a heading ------------------------------------------------------------------------------------------


def _named(make: Callable[[DataField, UnimarcView], mods.Name | None]) -> Callable[..., list[mods.SubjectPart]]:
    """Return the parts of the heading of a name, or of a work under it (``$t``)."""

    def parts(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
        name = make(field, view)
        if name is None:
            return []
        # Repeated subfields are other forms of the name, which MODS has as display forms within subjects.
        forms = tuple(part.value for other in name.alternative_name for part in other.name_part)
        name = replace(name, display_form=(*name.display_form, *forms), alternative_name=(), display_label=None)
        return [name, *(title_info(text) for text in field.values("t"))]

    return parts


def _place(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    return [mods.Geographic(value=text) for text in field.values("a")]


def _topic(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    return [mods.Topic(value=text) for text in field.values("a")]


def _trademark(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    text = " ".join(field.values("a", "c", "f"))
    return [mods.Topic(value=text)] if text else []


def _title(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    text = punctuate(field, dict.fromkeys("abeklmnqrsuvw", ". "))
    if not text:
        return []
    numbers, names = tuple(plain_values(field, "h")), tuple(plain_values(field, "i"))
    return [title_info(text, part_number=numbers, part_name=names)]


def _work(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    """Return the title of a work or expression: form, date and place are its qualifiers, and a language follows."""
    text = punctuate(field, dict.fromkeys("aklm", ". "))
    qualifiers = " ; ".join(field.values("c", "d", "e"))
    text = f"{text} ({qualifiers})" if text and qualifiers else text
    numbers, names = tuple(plain_values(field, "h")), tuple(plain_values(field, "i"))
    return [title_info(text, part_number=numbers, part_name=names)] if text else []


def _conventional_title(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    text = punctuate(field, dict.fromkeys("abcefiklnt", ". "))
    return [title_info(text)] if text else []


def _name_and_title(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    """Return the parts of the embedded fields, a name and a title; else of ``$a`` and ``$t``."""
    inner = [one for one in field.embedded if isinstance(one, DataField) and one.tag[1:] in FORMS]
    parts = [part for one in inner for part in FORMS[one.tag[1:]].parts(_own(one), view)]
    if not parts:
        parts = [mods.Name(name_part=(mods.NamePart(value=text),)) for text in field.values("a")]
        parts += [title_info(text) for text in field.values("t")]
    return parts


def _hierarchical_place(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    made = hierarchical_place(replace(field, tag="620"), view)
    return [part for subject in made if isinstance(subject, mods.Subject) for part in subject.parts]


def _genre(field: DataField, view: UnimarcView) -> list[mods.SubjectPart]:
    # As in 608, where subdivisions follow after a hyphen.
    text = "-".join(field.values("a", *_SUBDIVISIONS))
    return [mods.Genre(value=text)] if text else []


class HeadingForm(NamedTuple):
    """A kind of heading: its subfields, and how they are read.

    ``tidied_as`` is the bibliographic field by whose conventions marks are removed and embedded fields are found.
    """

    kind: HeadingKind
    codes: str
    tidied_as: str
    parts: Callable[[DataField, UnimarcView], list[mods.SubjectPart]]


_PERSON = HeadingForm("person", "abcdfgt", "700", _named(personal_name))
_BODY = HeadingForm("organisation", "abcdefght", "710", _named(corporate_name))
_FAMILY = HeadingForm("family", "acdft", "720", _named(family_name))
_UNIFORM_TITLE = HeadingForm("title", "abehiklmnqrsuvw", "500", _title)
_TITLE_OF_WORK = HeadingForm("title", "acdehiklm", "500", _work)
_NAME_AND_TITLE = HeadingForm("name-title", "at", "604", _name_and_title)

FORMS = {
    "00": _PERSON, "01": _PERSON, "02": _PERSON, "10": _BODY, "11": _BODY, "12": _BODY,
    "15": HeadingForm("place", "a", "607", _place), "16": HeadingForm("trademark", "acf", "616", _trademark),
    "17": HeadingForm("trademark", "acf", "616", _trademark), "20": _FAMILY, "21": _FAMILY, "22": _FAMILY,
    "30": _UNIFORM_TITLE, "31": _TITLE_OF_WORK, "32": _TITLE_OF_WORK, "35": _UNIFORM_TITLE, "40": _NAME_AND_TITLE,
    "41": _NAME_AND_TITLE, "42": _NAME_AND_TITLE, "43": HeadingForm("title", "abcefiklnt", "740", _conventional_title),
    "45": _NAME_AND_TITLE, "50": HeadingForm("topic", "a", "606", _topic),
    "60": HeadingForm("place", "abcdefghikmno", "620", _hierarchical_place),
    "80": HeadingForm("genre", "a", "608", _genre),
}  # fmt: skip
"""The last two digits of the tag of a heading. Those of 501, 511 and 521 are creators of a work; 502 … are others."""

_GENRE = "80"
_CREATORS = ("501", "511", "521")


def _tags(digit: str, codes: str) -> dict[str, str]:
    """Return what a rule for all headings of a block reads: their parts and further subfields."""
    return {f"t{digit}{form}": one.codes + "jxyz" + codes for form, one in FORMS.items()}


def _own(field: DataField) -> DataField:
    """Return a field with the subfields of its heading alone: the others would be read as those of a publication."""
    codes = FORMS[field.tag[1:]].codes + "".join(_SUBDIVISIONS)
    return replace(field, subfields=tuple(subfield for subfield in field.subfields if subfield.code in codes))


def read_heading(field: DataField, view: UnimarcView) -> Heading | None:
    """Return the heading in a field 2XX, 4XX, 5XX or 7XX; None if it has none."""
    form, own = field.tag[1:], _own(field)
    parts = FORMS[form].parts(own, view)
    lead = len(parts)
    if form != _GENRE:
        subdivisions = (sub for sub in own.subfields if sub.code in _SUBDIVISIONS)
        parts = [*parts, *(_SUBDIVISIONS[sub.code](value=sub.value) for sub in subdivisions)]
    if not parts:
        return None
    inner = (value for one in own.embedded if isinstance(one, DataField) for value in one.values())
    return Heading(
        kind=_kind(form, own, parts, has_subdivisions=lead < len(parts)),
        parts=tuple(parts),
        language=_language(field),
        script=script_of_heading(" ".join([*own.values(), *inner])),
        scheme=(field.first("2") or "").strip(),
    )


def _kind(form: str, field: DataField, parts: list[mods.SubjectPart], has_subdivisions: bool) -> HeadingKind:
    if has_subdivisions:
        return "topic"
    if any(isinstance(part, mods.TitleInfo) for part in parts):
        return "name-title" if isinstance(parts[0], mods.Name) else "title"
    return "meeting" if form == "10" and field.indicator1 == _MEETING else FORMS[form].kind


def _language(field: DataField) -> str:
    """Return the language of a heading: the second code of ``$8``, of a term in words also a single one."""
    codes = (field.first("8") or "").strip()
    stated = codes[3:6] or (codes[:3] if field.tag[1:] in ("15", "50", "60", "80") else "")
    return language_code(stated) or ""


def _numbers(field: DataField, view: UnimarcView) -> tuple[RecordNumber, ...]:
    """Return the numbers in ``$3``, of the file in ``$2``; a bare one in a record of the Sudoc is one of IdRef."""
    found: dict[RecordNumber, None] = {}
    for text in field.values("3"):
        number = read_number(text, (field.first("2") or "").strip())
        reference = view.authority_reference(text)
        if number is not None and not number.iri and reference is not None and address(reference) is not None:
            number = replace(number, iri=reference)
        if number is not None:
            found[number] = None
    return tuple(found)


# -- 2XX -------------------------------------------------------------------------------------------------------------


@HEADINGS.record("heading: MODS name, titleInfo, topic … with subdivisions, in each script", **_tags("2", "238"))
def preferred_heading(view: UnimarcView) -> Elements:
    """Heading, repeated for the same in other scripts."""
    first = ""
    for field in view.fields(*(f"2{form}" for form in FORMS)):
        heading = read_heading(field, view)
        if heading is None:
            view.warn(f"{field.tag} contains no heading; left out")
            continue
        first = first or field.tag
        if field.tag == first:
            yield heading
        else:
            view.warn(f"the record has a heading in {first} and another one in {field.tag}, taken as a variant")
            yield Variant(heading)
        yield from _numbers(field, view)


def own_headings(view: UnimarcView) -> list[Heading]:
    """Return the headings of the record."""
    fields = view.fields(*(f"2{form}" for form in FORMS))
    return [heading for field in fields if (heading := read_heading(field, view)) is not None]


def kind_of(view: UnimarcView) -> HeadingKind | None:
    """Return what the record describes; None without a heading."""
    return next((heading.kind for heading in own_headings(view)), None)


def _is_own(heading: Heading, view: UnimarcView) -> bool:
    return any(own.kind == heading.kind and own.parts == heading.parts for own in own_headings(view))


# -- 4XX and 5XX -------------------------------------------------------------------------------------------------------


def _control(field: DataField, position: int) -> str:
    """Return a position of ``$5``."""
    return (field.first("5") or "")[position : position + 1].casefold()


def _is_shown(field: DataField) -> bool:
    return _control(field, 1) != relations.REFERENCE_BLOCKED


@HEADINGS.fields("variant: heading with the type in $5, words in $0", **_tags("4", "02358"))
def variant(field: DataField, view: UnimarcView) -> Elements:
    """See reference."""
    heading = read_heading(field, view)
    if heading is None:
        view.warn(f"{field.tag} contains no heading; left out")
    elif _is_own(heading, view):
        view.warn(f"{field.tag} repeats the heading of the record; left out")
    else:
        # The words in $0 lead to the heading of the record: they name no type of the variant.
        kind = relations.VARIANT_OF_UNIMARC.get(_control(field, 0), "")
        yield Variant(heading, kind, " ".join(field.values("0")).rstrip(" :"), _is_shown(field))


@HEADINGS.fields("related: relation by $5, heading, number in $3", **_tags("5", "02358"))
def related(field: DataField, view: UnimarcView) -> Elements:
    """See also reference."""
    heading, numbers = read_heading(field, view), _numbers(field, view)
    if heading is None and not numbers:
        view.warn(f"{field.tag} contains neither heading nor number; left out")
        return
    own_number = view.record.control_number
    if (heading is not None and _is_own(heading, view)) or own_number in [number.value for number in numbers]:
        view.warn(f"{field.tag} refers to the record itself; left out")
        return
    label = " ".join(field.values("0")).rstrip(" :")
    headings = (heading,) if heading is not None else ()
    yield RelatedHeading(_relation(field), headings, numbers, label, is_shown=_is_shown(field))


def _relation(field: DataField) -> Relation:
    if _control(field, 4) == relations.CREATOR or field.tag in _CREATORS:
        return "creator"
    stated = relations.RELATION_OF_UNIMARC.get(_control(field, 0))
    return stated or relations.RELATION_OF_AGENTS.get(_control(field, 3)) or "related"


# -- 7XX: in another language or script --------------------------------------------------------------------------------


@HEADINGS.fields("equivalent: heading in another language, script or file ($2), number in $3", **_tags("7", "0238"))
def equivalent(field: DataField, view: UnimarcView) -> Elements:
    """Parallel heading."""
    heading = read_heading(field, view)
    if heading is None:
        view.warn(f"{field.tag} contains no heading; left out")
    else:
        yield Equivalent(heading, _numbers(field, view), " ".join(field.values("0")).rstrip(" :"))


# -- deleted headings --------------------------------------------------------------------------------------------------


@HEADINGS.field("835", "abd3", "related[replacement]: heading in $b, number in $3; note[deletion]")
def replacement(field: DataField, view: UnimarcView) -> Elements:
    """Headings that are used instead of the deleted one of the record."""
    text = " ".join(field.values("a", "b", "d"))
    if text:
        yield mods.Note(value=text, type="deletion")
    stated = ((sub.code == "3", sub.value) for sub in field.subfields if sub.code in "b3")
    yield from replacements(stated, next(iter(own_headings(view)), None))


@HEADINGS.field("836", "abd3", "variant[earlier heading] of $b; its number, which is cancelled, of $3")
def replaced_heading(field: DataField, view: UnimarcView) -> Elements:
    """Headings of deleted records instead of which this one is used."""
    own = next(iter(own_headings(view)), None)
    for text in field.values("b"):
        heading = stated_heading(text, own)
        if not _is_own(heading, view):
            yield Variant(heading, "earlier heading")
    yield from _cancelled(field)
    note = " ".join(field.values("a", "b", "d"))
    if field.first("a") and note:
        yield mods.Note(value=note, type="replaced heading")


def _cancelled(field: DataField) -> Iterator[RecordNumber]:
    for text in field.values("3"):
        number = cancelled_number(text)
        if number is not None:
            yield number
