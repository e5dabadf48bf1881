"""Headings of MARC 21 authority records: 1XX, references 4XX and 5XX, linking entries 7XX, 682.

MARC 21 Format for Authority Data (https://www.loc.gov/marc/authority/). The parts of a heading are made by the rules
for the same heading in bibliographic records, so that both become the same label.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from bibld.crosswalk._authorities import relations
from bibld.crosswalk._authorities.statements import (
    parse_period,
    read_numbers,
    replacements,
    script_of_heading,
)
from bibld.crosswalk._marc21.codes import SUBJECT_AUTHORITY
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.names import NO_LINKS, heading_name, work_of_heading
from bibld.crosswalk._marc21.subjects import SUBDIVISIONS, period, place, topic
from bibld.crosswalk._marc21.titles import title_before_parts, title_info, title_parts
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._texts import address, chop, join
from bibld.crosswalk._view import Linkage
from bibld.model import mods
from bibld.model.authority import (
    EntityAttribute,
    Equivalent,
    Heading,
    HeadingKind,
    RecordNumber,
    RelatedHeading,
    Relation,
    Variant,
    VariantType,
)
from bibld.model.marc import DataField
from bibld.text.languages import language_code

HEADINGS = RuleBook()

KINDS: dict[str, HeadingKind] = {
    "00": "person", "10": "organisation", "11": "meeting", "30": "title", "47": "event", "48": "period",
    "50": "topic", "51": "place", "55": "genre", "62": "medium of performance",
    "80": "subdivision", "81": "subdivision", "82": "subdivision", "85": "subdivision",
}  # fmt: skip
"""The last two digits of the tag of a heading."""

_PARTS = {
    "00": "abcdfgklmnopqrst", "10": "abcdfgklmnoprst", "11": "acdefgklnpqst", "30": "adfgklmnoprst", "47": "acdg",
    "48": "a", "50": "abcdg", "51": "ag", "55": "ab", "62": "a", "80": "", "81": "", "82": "", "85": "",
}  # fmt: skip
_SUBDIVISIONS = "vxyz"
_NAMES = frozenset(("00", "10", "11"))
_FAMILY = "3"


def _tags(digit: str, codes: str) -> dict[str, str]:
    """Return what a rule for all headings of a block reads: their parts and further subfields."""
    return {f"t{digit}{form}": parts + _SUBDIVISIONS + codes for form, parts in _PARTS.items()}


# -- the parts of a heading ------------------------------------------------------------------------------------------


def _name_and_title(field: DataField, view: Marc21View) -> list[mods.SubjectPart]:
    parts: list[mods.SubjectPart] = []
    name = heading_name(field, before_title=True, links=NO_LINKS)
    if name is not None:
        parts.append(name)
    work = work_of_heading(field)
    title = title_before_parts(work, "tfgklmors")
    if title:
        numbers, names = title_parts(work)
        parts.append(title_info(title, part_number=numbers, part_name=names))
    return parts


def _title(field: DataField, view: Marc21View) -> list[mods.SubjectPart]:
    title = title_before_parts(field, "adfgklmorst")
    numbers, names = title_parts(field)
    return [title_info(title, field.indicator2, part_number=numbers, part_name=names)] if title else []


def _genre(field: DataField, view: Marc21View) -> list[mods.SubjectPart]:
    # As in 655, where subdivisions follow after two hyphens.
    value = "--".join(filter(None, map(chop, field.values(*"ab", *_SUBDIVISIONS))))
    return [mods.Genre(value=value)] if value else []


def _medium(field: DataField, view: Marc21View) -> list[mods.SubjectPart]:
    value = chop(join(field, "a"))
    return [mods.Topic(value=value)] if value else []


def _as_subject(
    tag: str, rule: Callable[[DataField, Marc21View], Elements]
) -> Callable[[DataField, Marc21View], list[mods.SubjectPart]]:
    """Return the parts that a rule for subjects makes of a heading, without its subdivisions."""

    def parts(field: DataField, view: Marc21View) -> list[mods.SubjectPart]:
        own = tuple(subfield for subfield in field.subfields if subfield.code not in _SUBDIVISIONS)
        made = rule(replace(field, tag=tag, subfields=own), view)
        return [part for subject in made if isinstance(subject, mods.Subject) for part in subject.parts]

    return parts


_READERS: dict[str, Callable[[DataField, Marc21View], list[mods.SubjectPart]]] = {
    "00": _name_and_title, "10": _name_and_title, "11": _name_and_title, "30": _title,
    "47": _as_subject("647", topic), "48": _as_subject("648", period), "50": _as_subject("650", topic),
    "51": _as_subject("651", place), "55": _genre, "62": _medium,
}  # fmt: skip


def read_heading(field: DataField, view: Marc21View, scheme: str = "") -> Heading | None:
    """Return the heading in a field 1XX, 4XX, 5XX or 7XX; None if it has none."""
    form = field.tag[1:]
    codes = _PARTS[form] + _SUBDIVISIONS
    own = replace(field, subfields=tuple(subfield for subfield in field.subfields if subfield.code in codes))
    parts = _READERS[form](own, view) if form in _READERS else []
    lead = len(parts)
    if form != "55":
        texts = ((SUBDIVISIONS[sub.code], chop(sub.value)) for sub in own.subfields if sub.code in _SUBDIVISIONS)
        parts += [kind(value=text) for kind, text in texts if text]
    if not parts:
        return None
    kind = _kind(form, own, parts, has_subdivisions=lead < len(parts))
    linkage = view.linkage(field)
    script = linkage.script if linkage is not None else None
    text = " ".join(own.values())
    return Heading(
        kind=kind,
        parts=tuple(parts),
        language=_local_value(field, "L") and (language_code(_local_value(field, "L")) or ""),
        script=script or script_of_heading(text),
        scheme=scheme,
    )


def _kind(form: str, field: DataField, parts: list[mods.SubjectPart], has_subdivisions: bool) -> HeadingKind:
    if has_subdivisions and form not in ("80", "81", "82", "85"):
        return "topic"
    if form in _NAMES and any(isinstance(part, mods.TitleInfo) for part in parts):
        return "name-title" if isinstance(parts[0], mods.Name) else "title"
    return "family" if form == "00" and field.indicator1 == _FAMILY else KINDS[form]


def _local_value(field: DataField, letter: str) -> str:
    """Return what the German authority file states in ``$9`` after a letter and a colon, such as ``L:eng``."""
    return next((text[2:].strip() for text in field.values("9") if text.startswith(f"{letter}:")), "")


_WITHOUT_TITLE = {"00": "abcdqvxyz", "10": "abcdnvxyz", "11": "acdenqvxyz"}
"""The subfields of names without ``$t`` that are part of the heading."""


def _account(field: DataField, letters: str, view: Marc21View) -> None:
    """Count what no part of a heading has: ``$9`` without one of these letters, elements of titles without ``$t``."""
    _account_local(field, letters, view)
    codes = _WITHOUT_TITLE.get(field.tag[1:])
    if codes is not None and field.first("t") is None:
        parts = _PARTS[field.tag[1:]]
        view.unmapped += [
            f"{field.tag}${sub.code}" for sub in field.subfields if sub.code in parts and sub.code not in codes
        ]


def _account_local(field: DataField, letters: str, view: Marc21View) -> None:
    """Count those ``$9`` as private that do not begin with one of these letters."""
    view.private += [f"{field.tag}$9" for text in field.values("9") if text[:1] not in letters or text[1:2] != ":"]


def numbers_of(field: DataField) -> tuple[RecordNumber, ...]:
    """Return the numbers in ``$0`` and ``$1``."""
    return read_numbers(field.values("0", "1"))


# -- 1XX -------------------------------------------------------------------------------------------------------------

_OWN = "019"


@HEADINGS.record("heading: MODS name, titleInfo, topic … with subdivisions; number of $0 and $1", **_tags("1", _OWN))
def preferred_heading(view: Marc21View) -> Elements:
    """Heading, and the same in other scripts (880)."""
    first = ""
    for field in view.fields(*(f"1{form}" for form in KINDS)):
        _account(field, "L", view)
        heading = read_heading(field, view)
        if heading is None:
            view.warn(f"{field.tag} contains no heading; left out")
            continue
        first = first or field.tag
        if field.tag == first:
            yield heading
        else:
            view.warn(
                f"the record has a heading in {first} and another one in {field.tag}, which is taken as a variant"
            )
            yield Variant(heading)
        yield from numbers_of(field)


def own_headings(view: Marc21View) -> list[Heading]:
    """Return the headings of the record, also those in local fields."""
    fields = view.fields(*(f"1{form}" for form in KINDS))
    found = [heading for field in fields if (heading := read_heading(field, view)) is not None]
    return found + [heading for field in view.fields(_LOCAL_HEADING) for heading in _local_headings(field, view)]


# -- 4XX -------------------------------------------------------------------------------------------------------------


def _control(field: DataField, position: int) -> str:
    """Return a position of ``$w``."""
    return (field.first("w") or "")[position : position + 1]


@HEADINGS.fields("variant: heading with the type in $w, $i, $4", **_tags("4", "i4w9"))
def variant(field: DataField, view: Marc21View) -> Elements:
    """See reference."""
    _account(field, "L4v", view)
    heading = read_heading(field, view)
    if heading is None:
        view.warn(f"{field.tag} contains no heading; left out")
        return
    if _is_own(heading, view):
        view.warn(f"{field.tag} repeats the heading of the record; left out")
        return
    label = chop(join(field, "i")) or _local_value(field, "v")
    is_shown = _control(field, 3) != relations.NOT_SHOWN
    kind = _variant_type(field, label)
    yield Variant(heading, kind, label or ("" if kind else _code(field)), is_shown)


def _code(field: DataField) -> str:
    """Return the relation in ``$4``, an IRI before a code."""
    codes = field.values("4")
    return next((code for code in codes if address(code) is not None), codes[0] if codes else "")


def _variant_type(field: DataField, label: str) -> VariantType:
    by_control = relations.VARIANT_OF_W.get(_control(field, 0))
    if by_control is not None:
        return by_control
    codes = [*field.values("4"), _local_value(field, "4")]
    stated = next((relations.VARIANT_OF_GND[code] for code in codes if code in relations.VARIANT_OF_GND), None)
    named = relations.variant_named(label) if _control(field, 0) != relations.INSTRUCTION else ""
    if stated is None and not named and _control(field, 2) and _control(field, 2) in relations.EARLIER_HEADINGS:
        return "earlier heading"
    return stated or named


def _is_own(heading: Heading, view: Marc21View) -> bool:
    return any(own.kind == heading.kind and own.parts == heading.parts for own in own_headings(view))


# -- 5XX -------------------------------------------------------------------------------------------------------------

_RELATED = "i4w019"


@HEADINGS.record(
    "related: relation by $w, $i or $4, heading, numbers; of the German authority file also occupations and places",
    **_tags("5", _RELATED),
)
def related(view: Marc21View) -> Elements:
    """See also reference; a field and its counterpart in another script (880) are one."""
    for tag in (f"5{form}" for form in KINDS):
        fields = view.tagged(tag)
        groups = {linkage.alt_rep_group for field in fields if (linkage := _regular_linkage(field, view))}
        for field in fields:
            linkage = view.linkage(field)
            if linkage is not None and linkage.is_alternate and linkage.alt_rep_group in groups - {None}:
                continue
            group = linkage.alt_rep_group if linkage is not None else None
            others = [] if group is None else [other for other in fields if _is_counterpart(other, group, view)]
            yield from _related(field, [other for other in others if other is not field], view)


def _regular_linkage(field: DataField, view: Marc21View) -> Linkage | None:
    linkage = view.linkage(field)
    return linkage if linkage is not None and not linkage.is_alternate else None


def _is_counterpart(field: DataField, group: str, view: Marc21View) -> bool:
    linkage = view.linkage(field)
    return linkage is not None and linkage.is_alternate and linkage.alt_rep_group == group


def _related(field: DataField, others: list[DataField], view: Marc21View) -> Elements:
    _account(field, "L4vZ", view)
    codes = [*field.values("4"), _local_value(field, "4")]
    label = chop(join(field, "i")) or _local_value(field, "v")
    found = [heading for one in (field, *others) if (heading := read_heading(one, view)) is not None]
    numbers = numbers_of(field)
    if field.tag == "548" and not relations.DATES_OF_GND.isdisjoint(codes):
        return
    stated = _stated_property(field, codes, numbers)
    if stated:
        yield from stated
        return
    if not found and not numbers:
        view.warn(f"{field.tag} contains neither heading nor number; left out")
        return
    own_number = view.record.control_number
    if any(_is_own(heading, view) for heading in found) or own_number in [number.value for number in numbers]:
        view.warn(f"{field.tag} refers to the record itself; left out")
        return
    is_shown = _control(field, 3) != relations.NOT_SHOWN
    period_stated = parse_period(_local_value(field, "Z"))
    relation = _relation(field, codes, label)
    yield RelatedHeading(
        relation,
        tuple(found),
        numbers,
        label or (_code(field) if relation == "related" else ""),
        period_stated,
        is_shown,
    )


def _relation(field: DataField, codes: list[str], label: str) -> Relation:
    by_control = relations.RELATION_OF_W.get(_control(field, 0))
    if by_control is not None:
        return by_control
    by_code = next((relations.RELATION_OF_GND[code] for code in codes if code in relations.RELATION_OF_GND), None)
    is_instruction = _control(field, 0) == relations.INSTRUCTION
    return by_code or (None if is_instruction else relations.relation_named(label)) or "related"


def _stated_property(field: DataField, codes: list[str], numbers: tuple[RecordNumber, ...]) -> list[EntityAttribute]:
    """Return what a field 550 or 551 of the German authority file states of the entity, by its code in ``$4``."""
    text = chop(join(field, "ag", " "))
    if not text:
        return []
    types = (relations.ATTRIBUTE_OF_GND[code] for code in codes if code in relations.ATTRIBUTE_OF_GND)
    link = next((number.iri for number in numbers if number.iri), "")
    period_stated = parse_period(_local_value(field, "Z"))
    return [EntityAttribute(kind, text, iri=link, period=period_stated) for kind in types]


def kind_of(view: Marc21View) -> HeadingKind | None:
    """Return what the record describes; None without a heading."""
    return next((heading.kind for heading in own_headings(view)), None)


# -- 7XX: the same in other files --------------------------------------------------------------------------------------

_OTHER_FILE = "7"


@HEADINGS.fields("equivalent: heading, scheme of the second indicator or $2, numbers", **_tags("7", "i4012"))
def equivalent(field: DataField, view: Marc21View) -> Elements:
    """Heading of the same thing in another file."""
    scheme = field.first("2") if field.indicator2 == _OTHER_FILE else SUBJECT_AUTHORITY.get(field.indicator2)
    heading = read_heading(field, view, (scheme or "").strip())
    _account(field, "L", view)
    if heading is None:
        view.warn(f"{field.tag} contains no heading; left out")
        return
    yield Equivalent(heading, numbers_of(field), chop(join(field, "i")) or _code(field))


# -- deleted headings --------------------------------------------------------------------------------------------------


@HEADINGS.field("682", "ai0", "related[replacement]: heading in $a, number in $0; note[deletion]")
def replacement(field: DataField, view: Marc21View) -> Elements:
    """Headings that are used instead of a deleted one."""
    text = join(field, "ia")
    if text:
        yield mods.Note(value=text, type="deletion")
    stated = ((sub.code != "a", chop(sub.value)) for sub in field.subfields if sub.code in "a0")
    yield from replacements((one for one in stated if one[1]), next(iter(own_headings(view)), None))


# -- local fields of the International Institute of Social History -----------------------------------------------------

_LOCAL_HEADING = "103"
_INSTITUTE = "IISG"
_LANGUAGES = (("a", "dut"), ("b", "eng"))


def _local_headings(field: DataField, view: Marc21View) -> list[Heading]:
    """Return the terms in ``$a`` and ``$b``, which are Dutch and English in records of the institute."""
    is_of_institute = (view.control("003") or "").strip() == _INSTITUTE
    return [
        Heading("topic", (mods.Topic(value=text),), language if is_of_institute else "", script_of_heading(text))
        for code, language in _LANGUAGES
        for text in map(chop, field.values(code))
        if text
    ]


@HEADINGS.field(_LOCAL_HEADING, "ab", "heading: topic in $a (Dutch) and $b (English); local use of the IISG")
def local_heading(field: DataField, view: Marc21View) -> Elements:
    """Topic in two languages."""
    yield from _local_headings(field, view)


@HEADINGS.field("403", "ab", "variant: topic in $a (Dutch) and $b (English); local use of the IISG")
def local_variant(field: DataField, view: Marc21View) -> Elements:
    """See reference from a topic."""
    own = [heading.parts for heading in own_headings(view)]
    for heading in _local_headings(field, view):
        if heading.parts in own:
            view.warn("403 repeats the heading of the record; left out")
        else:
            yield Variant(heading)


@HEADINGS.field("503", "ab", "related: topic in $a (Dutch) and $b (English); local use of the IISG")
def local_related(field: DataField, view: Marc21View) -> Elements:
    """See also reference to a topic."""
    found = _local_headings(field, view)
    if any(heading.parts == own.parts for heading in found for own in own_headings(view)):
        view.warn("503 refers to the record itself; left out")
    elif found:
        yield RelatedHeading("related", tuple(found))
