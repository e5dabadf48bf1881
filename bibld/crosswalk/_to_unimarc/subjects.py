"""subject → 600-610, 617, 660, 661, 123, 206; classification → 675, 676, 680, 686."""

from __future__ import annotations

from collections.abc import Sequence

from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import parts_of_title
from bibld.crosswalk._to_unimarc.names import heading_indicators, heading_subfields, kind_of_heading
from bibld.crosswalk._to_unimarc.titles import marked_title
from bibld.model.mods import (
    Cartographics,
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

_CODE_OF_SUBDIVISION: dict[type[SubjectPart], str] = {Genre: "j", Topic: "x", Temporal: "z", Geographic: "y"}
_LENGTH_OF_AREA = 7
_LOCAL = "local"
_LEVELS = {
    "country": "a", "state": "b", "county": "c", "city": "d", "area": "e", "city_section": "k",
    "extraterrestrial_area": "n",
}  # fmt: skip


@BOOK.writes(
    "subject",
    {
        "subject/name": "600, 601, 602; with subject/titleInfo 604",
        "subject/titleInfo": "605",
        "subject/topic": "606; one without @authority or of a local list 610; after another part $x",
        "subject/geographic": "607; after another part $y",
        "subject/temporal": "606; after another part $z; [@encoding=iso8601, w3cdtf] 122",
        "subject/genre": "608; after another part $j",
        "subject/hierarchicalGeographic": "617",
        "subject/geographicCode": "660; of another list than MARC's 607",
        "subject/cartographics": "206 $a $c $d",
        "subject/@authority": "$2",
        "subject/@valueURI": "$3",
    },
)
def subjects(mods: Mods, draft: MarcDraft) -> None:
    """Subject headings."""
    for subject in mods.subject:
        lead = subject.parts[0] if subject.parts else None
        if isinstance(lead, GeographicCode):
            for part in subject.parts:
                if isinstance(part, GeographicCode) and part.authority == "marcgac":
                    draft.add("660", "  ", (("a", part.value.ljust(_LENGTH_OF_AREA, "-")),))
                elif isinstance(part, GeographicCode):
                    draft.add("607", "  ", (("a", part.value), ("2", part.authority)))
        elif isinstance(lead, Cartographics):
            stated = [part for part in subject.parts if isinstance(part, Cartographics)]
            subfields = [
                *(("a", text) for part in stated for text in part.scale),
                *(("c", text) for part in stated for text in part.projection),
                *(("d", text) for part in stated for text in part.coordinates),
            ]
            draft.add("206", "  ", subfields, subject)
        elif isinstance(lead, Temporal) and lead.encoding in ("iso8601", "w3cdtf"):
            _period(subject, draft)
        elif lead is not None:
            _heading(subject, lead, draft)


def _period(subject: Subject, draft: MarcDraft) -> None:
    stated = [part.value for part in subject.parts if isinstance(part, Temporal)]
    is_range = len(stated) > 1
    texts = [f"c{text[1:]}" if text.startswith("-") else f"d{text.replace('-', '')}" for text in stated]
    draft.add("122", f"{'2' if is_range else '0'} ", [("a", text) for text in texts])


def _heading(subject: Subject, lead: SubjectPart, draft: MarcDraft) -> None:
    rest = subject.parts[1:]
    scheme = ("2", subject.authority)
    number = ("3", subject.value_uri)
    if isinstance(lead, Name) and rest and isinstance(rest[0], TitleInfo):
        indicators = heading_indicators(lead)
        own = heading_subfields(lead, draft.flavour, has_links=False)
        title = (("a", marked_title(rest[0])), ("3", rest[0].value_uri), *_subdivisions(rest[1:]))
        subfields = (("1", f"7{kind_of_heading(lead)}0{indicators}"), *own, ("1", "50010"), *title, scheme)
        draft.add("604", "  ", subfields, subject)
    elif isinstance(lead, Name):
        own = heading_subfields(lead, draft.flavour)
        subfields = (*own, number, *_subdivisions(rest), scheme, ("5", subject.display_label))
        draft.add(f"60{kind_of_heading(lead)}", heading_indicators(lead), subfields, subject)
    elif isinstance(lead, TitleInfo):
        title_parts = (("a", marked_title(lead)), *parts_of_title(lead, "h", "i"))
        draft.add("605", "  ", (number, *title_parts, *_subdivisions(rest), scheme), subject)
    elif isinstance(lead, HierarchicalGeographic):
        levels = [(code, text) for name, code in _LEVELS.items() for text in getattr(lead, name)]
        draft.add("617", "  ", (number, *levels, ("2", subject.authority)), subject)
    else:
        value = str(getattr(lead, "value", ""))
        if isinstance(lead, Topic) and _is_uncontrolled(subject):
            named = subject.authority if subject.authority != _LOCAL else None
            terms = (("a", text) for _, text in _subdivisions(rest))
            draft.add("610", "0 ", (("a", value), *terms, ("2", named)), subject)
            return
        tag = "607" if isinstance(lead, Geographic) else "608" if isinstance(lead, Genre) else "606"
        draft.add(tag, "  ", (number, ("a", value), *_subdivisions(rest), scheme), subject)


def _is_uncontrolled(subject: Subject) -> bool:
    """Whether a subject is of no list, or of a list of one library."""
    if subject.authority is None:
        return subject.value_uri is None
    return subject.authority.casefold().startswith(_LOCAL)


def _subdivisions(parts: Sequence[SubjectPart]) -> Subfields:
    for part in parts:
        code = _CODE_OF_SUBDIVISION.get(type(part), "x")
        if isinstance(part, Name):
            yield code, " ".join(one.value for one in part.name_part)
        elif isinstance(part, TitleInfo):
            yield code, marked_title(part)
        elif isinstance(part, (Genre, Topic, Temporal, Geographic, Occupation)):
            yield code, part.value


@BOOK.writes(
    "classification",
    {
        "classification[@authority=udc]": "675 $a $v",
        "classification[@authority=ddc]": "676 $a $v",
        "classification[@authority=lcc]": "680 $a $b",
        "classification": "686 $a $2 $v, @displayLabel $h; without @authority $2 local in RUSMARC",
    },
)
def classifications(mods: Mods, draft: MarcDraft) -> None:
    """Class marks."""
    for one in mods.classification:
        if one.authority in ("udc", "ddc"):
            draft.add("675" if one.authority == "udc" else "676", "  ", (("a", one.value), ("v", one.edition)))
        elif one.authority == "lcc":
            number, _, item = one.value.partition(" ")
            draft.add("680", "  ", (("a", number), ("b", item)))
        else:
            scheme = one.authority or (_LOCAL if draft.flavour == RUSMARC else None)
            subfields = (("2", scheme), ("v", one.edition), ("a", one.value), ("h", one.display_label))
            draft.add("686", "  ", subfields)
