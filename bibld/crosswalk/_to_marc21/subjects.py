"""subject → 034, 043, 045, 255, 600-662; classification → 050-086."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bibld.crosswalk._marc21.subjects import PLACE_LEVELS
from bibld.crosswalk._to_marc.draft import MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import full_title, parts_of_title
from bibld.crosswalk._to_marc21.form import authority_indicator, authority_subfields
from bibld.crosswalk._to_marc21.names import entry_indicator, heading_subfields, link_subfields, tail_of_kind
from bibld.crosswalk._to_marc21.uniform_titles import uniform_title_subfields
from bibld.model.mods import (
    Cartographics,
    Classification,
    Genre,
    Geographic,
    GeographicCode,
    HierarchicalGeographic,
    Mods,
    Name,
    Occupation,
    Subject,
    SubjectPart,
    Temporal,
    TitleInfo,
    Topic,
)

BOOK = WriterBook()

_CODE_OF_SUBDIVISION = {Genre: "v", Topic: "x", Temporal: "y", Geographic: "z"}
_TAG_OF_LEAD: dict[type[SubjectPart], str] = {Topic: "650", Geographic: "651", Temporal: "648", Occupation: "656"}
_KIND_OF_UNCONTROLLED: dict[type[SubjectPart], str] = {
    Topic: " ", Temporal: "4", Geographic: "5", Genre: "6",
}  # fmt: skip
_INDICATOR_OF_NAME = {"personal": "1", "family": "1", "corporate": "2", "conference": "3"}
_LENGTH_OF_AREA = 7
_COORDINATES = re.compile(r"([EWNS+-][\d.]+)" * 4)
_BEFORE_OUR_ERA = "-"


@BOOK.writes(
    "subject",
    {
        "subject/name": "600, 610, 611",
        "subject/titleInfo": "630; after a name $t",
        "subject/topic": "650; after another part $x",
        "subject/geographic": "651; after another part $z",
        "subject/temporal": "648; after another part $y; [@encoding=iso8601] 045 $b",
        "subject/genre": "653 _6; after another part $v",
        "subject/occupation": "656",
        "subject/hierarchicalGeographic": "662",
        "subject/geographicCode": "043 $a, [@authority=iso3166] $c",
        "subject/cartographics": "255 $a $b $c; coordinates and scales as codes 034",
        "subject without @authority and subdivisions": "653",
        "subject/@authority": "second indicator, else $2",
        "subject/@valueURI": "$0, $1",
    },
)
def subjects(mods: Mods, draft: MarcDraft) -> None:
    """Subject headings."""
    areas: list[tuple[str, str | None]] = []
    for subject in mods.subject:
        lead = subject.parts[0] if subject.parts else None
        if isinstance(lead, GeographicCode):
            areas += [_area(part) for part in subject.parts if isinstance(part, GeographicCode)]
        elif isinstance(lead, Cartographics):
            _mathematical_data(subject, draft)
        elif isinstance(lead, Temporal) and lead.encoding in ("iso8601", "w3cdtf"):
            _period(subject, draft)
        elif lead is not None:
            _heading(subject, lead, draft)
    draft.add("043", "  ", areas)


def _area(part: GeographicCode) -> tuple[str, str | None]:
    if part.authority == "iso3166":
        return "c", part.value
    return ("a", part.value.ljust(_LENGTH_OF_AREA, "-")) if part.authority == "marcgac" else ("b", part.value)


def _heading(subject: Subject, lead: SubjectPart, draft: MarcDraft) -> None:
    if _is_uncontrolled(subject, lead):
        _uncontrolled(subject, lead, draft)
        return
    rest = subject.parts[1:]
    indicators = f" {authority_indicator(subject.authority)}"
    links = [*authority_subfields(subject)]
    if isinstance(lead, Name):
        title = rest[0] if rest and isinstance(rest[0], TitleInfo) else None
        own = heading_subfields(lead, has_links=title is None)
        work: Subfields = ()
        if title is not None:
            rest = rest[1:]
            text = full_title(title)[0]
            work = (*uniform_title_subfields(text, "t"), *parts_of_title(title, "n", "p"), *link_subfields(title))
        tail = tail_of_kind(lead) or "00"
        draft.add(
            f"6{tail}", entry_indicator(lead) + indicators[1], (*own, *work, *_subdivisions(rest), *links), subject
        )
    elif isinstance(lead, TitleInfo):
        text, skipped = full_title(lead)
        subfields = (*uniform_title_subfields(text), *parts_of_title(lead, "n", "p"), *_subdivisions(rest), *links)
        draft.add("630", skipped + indicators[1], subfields, subject)
    elif isinstance(lead, HierarchicalGeographic):
        levels = [(code, text) for name, code in PLACE_LEVELS.items() for text in getattr(lead, name)]
        draft.add("662", "  ", (*levels, ("2", subject.authority), *link_subfields(subject)), subject)
    else:
        tag = _TAG_OF_LEAD.get(type(lead), "655")
        value = str(getattr(lead, "value", ""))
        draft.add(tag, indicators, (("a", value), *_subdivisions(rest), *links), subject)


def _subdivisions(parts: Sequence[SubjectPart]) -> Subfields:
    for part in parts:
        code = _CODE_OF_SUBDIVISION.get(type(part))
        if code is not None:
            yield code, str(getattr(part, "value", ""))
        elif isinstance(part, Name):
            yield "x", " ".join(one.value for one in part.name_part)
        elif isinstance(part, TitleInfo):
            yield "x", full_title(part)[0]
        elif isinstance(part, Occupation):
            yield "x", part.value


def _is_uncontrolled(subject: Subject, lead: SubjectPart) -> bool:
    """Whether a subject is one term of no thesaurus."""
    if subject.authority is not None or subject.value_uri is not None or len(subject.parts) > 1:
        return False
    if isinstance(lead, Name):
        return len(lead.name_part) == 1 and not lead.name_identifier and lead.value_uri is None
    return type(lead) in _KIND_OF_UNCONTROLLED


def _uncontrolled(subject: Subject, lead: SubjectPart, draft: MarcDraft) -> None:
    if isinstance(lead, Name):
        first = "3" if lead.type == "family" else " "
        kind = _INDICATOR_OF_NAME.get(lead.type or "", " ")
        draft.add("653", f"{first}{kind}", (("a", lead.name_part[0].value),), subject)
    else:
        draft.add("653", f" {_KIND_OF_UNCONTROLLED[type(lead)]}", (("a", str(getattr(lead, "value", ""))),), subject)


def _period(subject: Subject, draft: MarcDraft) -> None:
    stated = [part for part in subject.parts if isinstance(part, Temporal)]
    texts = [
        f"c{part.value[1:]}" if part.value.startswith(_BEFORE_OUR_ERA) else f"d{part.value.replace('-', '')}"
        for part in stated
    ]
    kind = "2" if any(part.point for part in stated) else "1" if len(texts) > 1 else "0"
    draft.add("045", f"{kind} ", [("b", text) for text in texts])


def _mathematical_data(subject: Subject, draft: MarcDraft) -> None:
    stated = [part for part in subject.parts if isinstance(part, Cartographics)]
    coordinates = [text for part in stated for text in part.coordinates]
    coded = [found for text in coordinates if (found := _COORDINATES.fullmatch(text)) is not None]
    if coded:
        scales = [("b", text.removeprefix("1:")) for part in stated for text in part.scale]
        draft.add("034", "1 ", [("a", "a"), *scales, *zip("defg", coded[0].groups(), strict=True)])
        return
    subfields = [
        *(("a", text) for part in stated for text in part.scale),
        *(("b", text) for part in stated for text in part.projection),
        *(("c", f"({text})") for text in coordinates),
    ]
    draft.add("255", "  ", subfields, subject)


_TAG_OF_SCHEME = {
    "lcc": "050", "nlm": "060", "udc": "080", "ddc": "082", "sudocs": "086", "candoc": "086", "agricola": "072",
    "bisacsh": "072",
}  # fmt: skip
_INDICATORS = {"050": " 4", "060": " 4", "080": "  ", "082": "04", "084": "  "}
_INDICATORS_OF_SCHEME = {"sudocs": "0 ", "candoc": "1 ", "agricola": " 0", "bisacsh": " 7"}
_GOVERNMENT_NUMBER, _CATEGORY = "086", "072"
_SERIES_OF_DEWEY = re.compile(r"\d{3}.* s")
_LETTERS = re.compile(r"[^\W\d]")


@BOOK.writes(
    "classification",
    {
        "classification[@authority=lcc]": "050 $a $b",
        "classification[@authority=nlm]": "060 $a $b",
        "classification[@authority=udc]": "080 $a $2",
        "classification[@authority=ddc]": "082 $a $b $2",
        "classification[@authority=sudocs, candoc]": "086",
        "classification[@authority=agricola, bisacsh]": "072",
        "classification": "084 $a $2",
    },
)
def classifications(mods: Mods, draft: MarcDraft) -> None:
    """Class marks."""
    for one in mods.classification:
        _class_mark(one, draft)


def _class_mark(one: Classification, draft: MarcDraft) -> None:
    scheme = one.authority
    tag = _TAG_OF_SCHEME.get(scheme or "", "084")
    if (scheme is None and _SERIES_OF_DEWEY.fullmatch(one.value)) or (scheme is None and one.edition is not None):
        tag = "082"
    elif scheme is None and _LETTERS.match(one.value):
        tag = "050"
    if tag in (_GOVERNMENT_NUMBER, _CATEGORY):
        named = None if scheme in ("sudocs", "candoc", "agricola") else scheme
        draft.add(tag, _INDICATORS_OF_SCHEME[scheme or ""], (("a", one.value), ("2", named)), one)
        return
    number, item = one.value, None
    if tag in ("050", "060", "082") and scheme is not None:
        first, _, rest = one.value.partition(" ")
        number, item = (first, rest) if first and rest and not first.isalpha() else (one.value, None)
    source = one.edition if tag in ("080", "082") else scheme if tag == "084" else None
    label = one.display_label if tag == "050" else None
    draft.add(tag, _INDICATORS[tag], (("3", label), ("a", number), ("b", item), ("1", one.value_uri), ("2", source)))
