"""Values of a description as fields of MARC 21 (https://www.loc.gov/marc/bibliographic/)."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.enrich._fields import Fields, dates_of_name, main_part, terms_of_name
from bibld.enrich._slices import NewField
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Classification, Genre, Geographic, Name, Subject, Temporal, TitleInfo, Topic, Url

_THESAURUS = {"lcsh": "0", "lcshac": "1", "mesh": "2", "nal": "3", "cash": "5", "rvm": "6"}
_UNKNOWN_THESAURUS, _STATED_THESAURUS = "4", "7"
_LEADING = {Topic: ("650", "a"), Geographic: ("651", "a"), Temporal: ("648", "a"), Genre: ("655", "a")}
_SUBDIVISION = {Topic: "x", Geographic: "z", Temporal: "y", Genre: "v"}
_NAME_TAG = {"personal": "600", "family": "600", "corporate": "610", "conference": "611"}
_CLASS_TAG = {"udc": ("080", "  "), "ddc": ("082", "04"), "lcc": ("050", " 4"), "nlm": ("060", " 4")}
_TITLE = "t"


def _publication(iri: str, work: str) -> Iterator[NewField]:
    """Return the fields with the IRI of a publication, and of its work (empty: none)."""
    yield NewField("024", "7 ", (Subfield("a", iri), Subfield("2", "uri")))
    if work:
        yield NewField("758", "  ", (Subfield("i", "Work manifested:"), Subfield("1", work)))


def _classification(value: Classification) -> NewField | None:
    """Return the field of a class mark; None without a scheme."""
    if not value.authority:
        return None
    tag, indicators = _CLASS_TAG.get(value.authority, ("084", "  "))
    subfields = [Subfield("a", value.value)]
    if value.authority in ("ddc", "udc") and value.edition:
        subfields.append(Subfield("2", value.edition))
    elif tag == "084":
        subfields.append(Subfield("2", value.authority))
    return NewField(tag, indicators, tuple(subfields))


def _address(value: Url, is_cover: bool) -> NewField:
    """Return the field of an address: of a picture of the cover, or of another version of the resource."""
    label = value.display_label or ("Cover image" if is_cover else "")
    subfields = [Subfield("3", label)] if label else []
    return NewField("856", "42" if is_cover else "41", (*subfields, Subfield("u", value.value)))


def _subject(value: Subject) -> NewField | None:
    """Return the field of a subject heading; None if its first part has no field."""
    if not value.parts:
        return None
    first, *rest = value.parts
    if isinstance(first, Topic) and not rest and not value.authority:
        return NewField("653", "  ", (Subfield("a", first.value),))
    if isinstance(first, Name):
        tag, before, subfields = _name(first)
    elif isinstance(first, TitleInfo):
        tag, before, subfields = "630", "0", [Subfield("a", f"{first.non_sort or ''}{first.title}")]
    elif type(first) in _LEADING and isinstance(first, Topic | Geographic | Temporal | Genre):
        tag, code = _LEADING[type(first)]
        before, subfields = " ", [Subfield(code, first.value)]
    else:
        return None
    for part in rest:
        if isinstance(part, TitleInfo) and isinstance(first, Name) and part is rest[0]:
            subfields.append(Subfield(_TITLE, f"{part.non_sort or ''}{part.title}"))
        elif isinstance(part, Topic | Geographic | Temporal | Genre):
            subfields.append(Subfield(_SUBDIVISION[type(part)], part.value))
        else:
            return None
    scheme = value.authority or ""
    thesaurus = _THESAURUS.get(scheme, _STATED_THESAURUS if scheme else _UNKNOWN_THESAURUS)
    if thesaurus == _STATED_THESAURUS:
        subfields.append(Subfield("2", scheme))
    return NewField(tag, before + thesaurus, tuple(subfields))


def _name(name: Name) -> tuple[str, str, list[Subfield]]:
    heading, dates = main_part(name), dates_of_name(name)
    tag = _NAME_TAG.get(name.type or "", "600")
    before = ("1" if "," in heading else "0") if tag == "600" else "2"
    subfields = [Subfield("a", heading)]
    subfields += [Subfield("c", term) for term in terms_of_name(name) if tag == "600"]
    return tag, before, [*subfields, *([Subfield("d", dates)] if dates else [])]


def _name_forms(field: DataField) -> list[str]:
    """Return the forms that the name of a heading may have; none for a work under a name."""
    if field.first(_TITLE) is not None:
        return []
    parts = ["a", "b"] if field.tag.endswith("10") else ["a", "b", "c"]
    own = [subfield for subfield in field.subfields if subfield.code in parts]
    full = " ".join(subfield.value for subfield in own)
    return list(dict.fromkeys((full, *(subfield.value for subfield in own[:1] if not field.tag.endswith("10")))))


def _concept_form(field: DataField) -> tuple[str, str]:
    """Return scheme and text of a subject heading, its parts with ``--`` between."""
    scheme = next((name for name, sign in _THESAURUS.items() if sign == field.indicator2), field.first("2") or "")
    return scheme, "--".join(item.value for item in field.subfields if item.code.isalpha() and item.code not in "eu")


def _number_subfields(numbers: dict[str, str], local: str, is_concept: bool) -> tuple[Subfield, ...]:
    """Return the numbers of authority records: IRIs, and one behind the code of its organisation in parentheses."""
    found = (*numbers.values(), *([local] if local.startswith("(") else []))
    return tuple(Subfield("0", text) for text in found)


def _link_subfields(links: dict[str, str]) -> tuple[Subfield, ...]:
    """Return the IRIs of the thing itself."""
    return tuple(Subfield("1", iri) for iri in links.values())


_NAMES = ("100", "110", "111", "700", "710", "711", "600", "610", "611")
_CONCEPTS = ("648", "650", "651", "655")

MARC21 = Fields(
    isbn_tag="020",
    language=("041", "  "),
    abstract=("520", "  "),
    contents=("505", "8 "),
    name_tags=_NAMES,
    concept_tags=_CONCEPTS,
    link_tags=(*_NAMES, *_CONCEPTS),
    class_tags={tag: scheme for scheme, (tag, _) in _CLASS_TAG.items()} | {"083": "ddc", "084": ""},
    number_code="0",
    link_code="1",
    publication=_publication,
    subject=_subject,
    classification=_classification,
    address=_address,
    name_forms=_name_forms,
    concept_form=_concept_form,
    number_subfields=_number_subfields,
    link_subfields=_link_subfields,
)
