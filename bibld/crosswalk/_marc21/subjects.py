"""Subjects: 6XX, 034, 043, 045, 052, 072, 083, 255 → subject, classification; 752 → note (MODS guidelines, subject)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import SUBJECT_AUTHORITY, period_of_code
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.names import (
    CONFERENCE,
    CORPORATE,
    FAMILY,
    NO_LINKS,
    PERSONAL,
    heading_links,
    heading_name,
    work_of_heading,
)
from bibld.crosswalk._marc21.titles import title_info, title_parts
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values, join
from bibld.model import mods
from bibld.model.marc import DataField

SUBJECTS = RuleBook()

SUBDIVISIONS: dict[str, type[mods.Genre] | type[mods.Topic] | type[mods.Temporal] | type[mods.Geographic]] = {
    "v": mods.Genre, "x": mods.Topic, "y": mods.Temporal, "z": mods.Geographic,
}  # fmt: skip


def authority_of(field: DataField) -> str | None:
    """Return the thesaurus that the second indicator or ``$2`` names."""
    if field.indicator2 == "7":
        return field.first("2")
    return SUBJECT_AUTHORITY.get(field.indicator2)


def _subdivisions(field: DataField) -> Iterator[mods.SubjectPart]:
    for subfield in field.subfields:
        kind = SUBDIVISIONS.get(subfield.code)
        if kind is not None:
            text = chop(subfield.value)
            if text:
                yield kind(value=text)


def _before_subdivisions(field: DataField) -> DataField:
    """Return a heading without its subdivisions and the links behind them if the name or term before has a link."""
    has_link = False
    for position, subfield in enumerate(field.subfields):
        if subfield.code in SUBDIVISIONS:
            return replace(field, subfields=field.subfields[:position]) if has_link else field
        has_link = has_link or subfield.code in "01"
    return field


def _subject(field: DataField, lead: Sequence[mods.SubjectPart], authority: str | None) -> Iterator[mods.Subject]:
    found = (*lead, *_subdivisions(field))
    if found:
        links = heading_links(field)
        if links is not NO_LINKS and _before_subdivisions(field) is not field:
            links = NO_LINKS
        yield mods.Subject(
            parts=found, authority=authority, authority_uri=links.authority_uri, value_uri=links.reference
        )


_TITLE_CODES = "fghklmnoprst"


@SUBJECTS.fields(
    "subject: name[personal, family, corporate, conference], titleInfo, subdivisions",
    t600="abcdequ4" + _TITLE_CODES + "vxyz012",
    t610="abcden4" + _TITLE_CODES + "vxyz012",
    t611="acdejnq4" + _TITLE_CODES + "vxyz012",
)
def name_as_subject(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Name, or work under a name; the links in ``$0`` and ``$1`` are those of the work."""
    work = work_of_heading(field)
    title = chop(join(work, "tfhklmors"))
    name = heading_name(_before_subdivisions(field), before_title=True, links=NO_LINKS if title else None)
    lead: list[mods.SubjectPart] = []
    if name is not None:
        lead.append(name)
    else:
        view.warn(f"{field.tag} contains no name; left out")
    if title:
        numbers, names = title_parts(work)
        links = heading_links(_before_subdivisions(field))
        element = title_info(title, part_number=numbers, part_name=names)
        lead.append(replace(element, authority_uri=links.authority_uri, value_uri=links.reference))
    if lead:
        yield from _subject(field, lead, authority_of(field))


@SUBJECTS.field("630", "adfghklmnoprstvxyz0124", "subject: titleInfo, subdivisions")
def title_as_subject(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Uniform title."""
    title = chop(join(field, "adfghklmorst"))
    if title:
        numbers, names = title_parts(field)
        lead = title_info(title, field.indicator1, part_number=numbers, part_name=names)
        yield from _subject(field, (lead,), authority_of(field))


@SUBJECTS.field("648", "abcdvxyz012", "subject: temporal, subdivisions")
def period(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Period."""
    text = chop(join(field, "abcd"))
    if text:
        yield from _subject(field, (mods.Temporal(value=text),), field.first("2") or authority_of(field))


@SUBJECTS.fields(
    "subject: topic (647: a named event, 657: a function, 688: anything), subdivisions",
    t647="acdgvxyz012", t650="abcdgvxyz012", t657="avxyz012", t688="agvxyz012",
)  # fmt: skip
def topic(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Topical term, named event, or function of an organisation."""
    text = chop(join(field, "abcdg"))
    topics = [mods.Topic(value=piece) for piece in map(chop, text.split(" -- ")) if piece]
    yield from _subject(field, topics, authority_of(field))


@SUBJECTS.field("651", "agvxyz012", "subject: geographic, subdivisions")
def place(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Geographic name."""
    lead = list(map(mods.Geographic, chopped_values(field, "a", "g")))
    yield from _subject(field, lead, authority_of(field))


@SUBJECTS.field("654", "abcvyz012", "subject: topics of a faceted term, subdivisions")
def faceted_term(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Faceted topical term: focus and other terms."""
    lead = list(map(mods.Topic, chopped_values(field, "a", "b")))
    if lead:
        yield from _subject(field, lead, field.first("2"))


@SUBJECTS.field("656", "akvxyz012", "subject: occupation, subdivisions")
def occupation(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Occupation."""
    text = chop(field.first("a") or "")
    if text:
        yield from _subject(field, (mods.Occupation(value=text),), field.first("2"))


@SUBJECTS.field("653", "a01", "subject, one for each $a; what it is by the second indicator")
def uncontrolled_term(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Uncontrolled index terms; those of genre (second indicator 6) are subjects too."""
    for value in field.values("a"):
        found = _LIST_OF_TERM.fullmatch(chop(value.rstrip(" -")))
        kind, text = found.groups() if found is not None else (None, "")
        if text and kind not in _LISTS_WITHOUT_SUBJECTS:
            yield mods.Subject(parts=(_uncontrolled(text, field),))


_LIST_OF_TERM = re.compile(
    r"(?:\((VLB-\w+|Produktform|Zielgruppe|BISAC Subject Heading|BIC subject category)\) ?(?:[A-Z]{0,3}\d+: )?)?(.*)",
    re.DOTALL,
)
"""A list of the book trade before its term, perhaps with a code, as the German National Library writes it."""
_LISTS_WITHOUT_SUBJECTS = ("VLB-PF", "VLB-PG", "VLB-WN", "VLB-WI", "Produktform", "Zielgruppe")
"""Lists of forms of products, groups of goods and readers."""


def _uncontrolled(text: str, field: DataField) -> mods.SubjectPart:
    kind = {"1": FAMILY if field.indicator1 == "3" else PERSONAL, "2": CORPORATE, "3": CONFERENCE}.get(field.indicator2)
    if kind is not None:
        return mods.Name(name_part=(mods.NamePart(value=text),), type=kind)
    if field.indicator2 == "4":
        return mods.Temporal(value=text)
    if field.indicator2 == "5":
        return mods.Geographic(value=text)
    return mods.Genre(value=text) if field.indicator2 == "6" else mods.Topic(value=text)


PLACE_LEVELS = {
    "country": "a", "state": "b", "county": "c", "city": "d", "city_section": "f", "area": "g",
    "extraterrestrial_area": "h",
}  # fmt: skip


ADDED_PLACE = "place of publication, production or event"
"""The ``type`` of a note on a place as an added entry."""


@SUBJECTS.field("662", "abcdfgh012", "subject: hierarchicalGeographic")
def hierarchical_place(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Place from the country down."""
    levels = {name: tuple(chopped_values(field, code)) for name, code in PLACE_LEVELS.items()}
    element = replace(mods.HierarchicalGeographic(), **levels)
    if element != mods.HierarchicalGeographic():
        yield mods.Subject(parts=(element,), authority=field.first("2"), value_uri=heading_links(field).reference)


@SUBJECTS.fields(
    "note[the relator in $e, or place of publication, production or event]", t751="aeg4012", t752="abcdefgh4012"
)
def added_place(field: DataField, view: Marc21View) -> Iterator[mods.Note]:
    """Place as an added entry, from the country down: it is no subject, though the stylesheet makes 752 one."""
    levels = chopped_values(field, *PLACE_LEVELS.values())
    if levels:
        roles = chopped_values(field, "e")
        yield mods.Note(value=", ".join(reversed(levels)), type=roles[0] if roles else ADDED_PLACE)


@SUBJECTS.field("043", "abc2", "subject: geographicCode")
def area_codes(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Codes of geographic areas, without the hyphens that fill them."""
    found: list[mods.SubjectPart] = []
    for subfield in field.subfields:
        value = subfield.value.rstrip("-") if subfield.code == "a" else subfield.value
        if not value:
            continue
        if subfield.code == "a":
            found.append(mods.GeographicCode(value=value, authority="marcgac"))
        elif subfield.code == "c":
            found.append(mods.GeographicCode(value=value, authority="iso3166"))
        elif subfield.code == "b":
            found.append(mods.GeographicCode(value=value, authority=None))
    if found:
        yield mods.Subject(parts=tuple(found))


@SUBJECTS.field("045", "ab", "subject: temporal[iso8601], from $b or the code in $a")
def covered_period(field: DataField, view: Marc21View) -> Iterator[mods.Subject]:
    """Time covered (``d`` before years of our era, ``c`` before those before it); codes where nothing else is."""
    stated = field.values("b")
    texts = [f"-{text[1:]}" if text.startswith("c") else text.removeprefix("d") for text in stated]
    texts = [text for text in texts if text]
    if field.indicator1 == "2" and len(texts) >= 2:
        yield _period(texts[0], texts[1])
    else:
        for text in texts:
            yield mods.Subject(parts=(mods.Temporal(value=text, encoding="iso8601"),))
    for text in field.values("a") if not texts else ():
        years = period_of_code(text.strip())
        if years is None:
            view.warn(f"045$a {text!r} is not a code of a period that has a beginning; left out")
        else:
            yield _period(*years)


def _period(first: str, last: str) -> mods.Subject:
    return mods.Subject(
        parts=(
            mods.Temporal(value=first, encoding="iso8601", point="start"),
            mods.Temporal(value=last, encoding="iso8601", point="end"),
        )
    )


_SCHEME_OF_AREA = {" ": "lcc", "1": "usdd"}
_SCHEME_OF_CATEGORY = {"0": "agricola"}


@SUBJECTS.field("052", "ab2", "classification[lcc: class G; $2], one for each $b")
def geographic_class(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Area that a map or text covers, by the numbers of class G without its letter."""
    scheme = field.first("2") if field.indicator1 == "7" else _SCHEME_OF_AREA.get(field.indicator1)
    for area in field.values("a")[:1]:
        number = f"G{area}" if scheme == "lcc" and area.isdecimal() else area
        for part in field.values("b") or [""]:
            yield mods.Classification(value=f"{number}.{part}" if part else number, authority=scheme)


@SUBJECTS.field("083", "a2", "classification[ddc], one for each $a; edition from $2")
def further_dewey_number(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Further Dewey numbers of the same resource."""
    for value in field.values("a"):
        yield mods.Classification(value=value, authority="ddc", edition=field.first("2"))


@SUBJECTS.field("072", "ax2", "classification[agricola, $2]")
def subject_category(field: DataField, view: Marc21View) -> Iterator[mods.Classification]:
    """Code of a subject category, such as of BISAC (``LAW018000``)."""
    scheme = field.first("2") if field.indicator2 == "7" else _SCHEME_OF_CATEGORY.get(field.indicator2)
    value = join(field, "ax", "" if scheme == "bisacsh" else " ")
    if value and field.first("a"):
        yield mods.Classification(value=value, authority=scheme)


@SUBJECTS.record("subject: cartographics (scale, projection, coordinates)", t034="bdefg", t255="abc")
def cartographics(view: Marc21View) -> Iterator[mods.Subject]:
    """Mathematical data, as stated and as coded."""
    for field in view.fields("255"):
        stated = _mathematical(
            tuple(chopped_values(field, "a")), tuple(chopped_values(field, "b")), _enclosed(field.values("c"))
        )
        if stated:
            yield view.mark(mods.Subject(parts=stated), field)
    for field in view.fields("034"):
        coordinates = join(field, "defg")
        scales = [f"1:{text}" for text in field.values("b") if text.isdecimal() and not view.has("255")]
        coded = _mathematical(scales, (), (coordinates,) if coordinates else ())
        if coded:
            yield mods.Subject(parts=coded)


def _mathematical(
    scales: Sequence[str], projections: Sequence[str], coordinates: tuple[str, ...]
) -> tuple[mods.Cartographics, ...]:
    """Return an element, and one more for each further scale or projection, since MODS allows one of each."""
    element = [
        mods.Cartographics(scale=(scale,) if scale else (), projection=(projection,) if projection else ())
        for scale, projection in zip_longest(scales, projections, fillvalue="")
    ]
    if coordinates:
        element[:1] = [replace(element[0] if element else mods.Cartographics(), coordinates=coordinates)]
    return tuple(element)


def _enclosed(texts: list[str]) -> tuple[str, ...]:
    found = []
    for text in map(chop, texts):
        bare = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        if bare:
            found.append(bare)
    return tuple(found)
