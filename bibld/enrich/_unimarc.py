"""Values of a description as fields of UNIMARC and RUSMARC (https://www.ifla.org/g/unimarc-rg/)."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.enrich._fields import Fields, dates_of_name, main_part, terms_of_name
from bibld.enrich._slices import NewField
from bibld.model.authorities import read_authority_iri
from bibld.model.dublin_core import subject_text
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Classification, Genre, Geographic, Name, Subject, Temporal, TitleInfo, Topic, Url

_LEADING = {Topic: ("606", "0 "), Geographic: ("607", "  "), Genre: ("608", "  ")}
_SUBDIVISION = {Topic: "x", Geographic: "y", Temporal: "z", Genre: "j"}
_CLASS_TAG = {"udc": "675", "ddc": "676", "lcc": "680"}
_BODIES = ("601", "710", "711", "712")


def _publication(iri: str, work: str) -> Iterator[NewField]:
    """Return the fields with the IRI of a publication, and of its work (empty: none)."""
    yield NewField("033", "  ", (Subfield("a", iri),))
    if work:
        yield NewField("017", "70", (Subfield("a", work), Subfield("2", "uri")))


def _classification(value: Classification) -> NewField | None:
    """Return the field of a class mark; None without a scheme. RUSMARC requires the edition in 676."""
    if not value.authority:
        return None
    tag = "686" if value.authority == "ddc" and not value.edition else _CLASS_TAG.get(value.authority, "686")
    subfields = [Subfield("a", value.value)]
    if value.edition:
        subfields.append(Subfield("v", value.edition))
    if tag == "686":
        subfields.append(Subfield("2", value.authority))
    return NewField(tag, "  ", tuple(subfields))


def _address(value: Url, is_cover: bool) -> NewField:
    """Return the field of an address: of a picture of the resource, or of the resource."""
    label = [Subfield("2", value.display_label)] if value.display_label else []
    return NewField("856", "41" if is_cover else "40", (Subfield("u", value.value), *label))


def _subject(value: Subject) -> NewField | None:
    """Return the field of a subject heading; None if its first part has no field.

    RUSMARC requires the scheme of headings: without one the terms are uncontrolled (610), and a genre has no field.
    """
    if not value.parts:
        return None
    first, *rest = value.parts
    if not value.authority:
        text = subject_text(value)
        return NewField("610", "0 ", (Subfield("a", text),)) if text and not isinstance(first, Genre) else None
    if isinstance(first, Name):
        tag, indicators, subfields = _name(first)
    elif isinstance(first, TitleInfo):
        tag, indicators, subfields = "605", "  ", [Subfield("a", f"{first.non_sort or ''}{first.title}")]
    elif isinstance(first, Topic | Geographic | Genre) and type(first) in _LEADING:
        tag, indicators = _LEADING[type(first)]
        subfields = [Subfield("a", first.value)]
    else:
        return None
    for part in rest:
        if not isinstance(part, Topic | Geographic | Temporal | Genre):
            return None
        subfields.append(Subfield(_SUBDIVISION[type(part)], part.value))
    return NewField(tag, indicators, (*subfields, Subfield("2", value.authority)))


def _name(name: Name) -> tuple[str, str, list[Subfield]]:
    heading, dates = main_part(name), dates_of_name(name)
    if name.type in ("corporate", "conference"):
        return "601", "12" if name.type == "conference" else "02", [Subfield("a", heading)]
    family, comma, given = heading.partition(", ")
    subfields = [Subfield("a", family)]
    subfields += [Subfield("b", given)] if given else []
    subfields += [Subfield("c", term) for term in terms_of_name(name)]
    return "600", " 1" if comma else " 0", [*subfields, *([Subfield("f", dates)] if dates else [])]


def _name_forms(field: DataField) -> list[str]:
    """Return the forms that the name of a heading may have; none for a work under a name."""
    if field.first("t") is not None or field.first("1") is not None or field.embedded:
        return []
    family = " ".join(field.values("a"))
    if field.tag in _BODIES:
        return [" ".join(field.values("a", "b"))]
    terms = [" ".join(field.values("c")), ""]
    given = [" ".join(field.values(code)) for code in "gb"]
    return list(
        dict.fromkeys(
            ", ".join(filter(None, (family, name, term))) for name in given for term in terms if name or not any(given)
        )
    )


def _concept_form(field: DataField) -> tuple[str, str]:
    """Return scheme and text of a subject heading, its parts with ``--`` between."""
    return field.first("2") or "", "--".join(item.value for item in field.subfields if item.code.isalpha())


def _number_subfields(numbers: dict[str, str], local: str, is_concept: bool) -> tuple[Subfield, ...]:
    r"""Return the number of the authority record that names its organisation, such as ``RU\NLR\AUTH\7``.

    A heading of a thesaurus whose records have IRIs gets that (003 of the authority record).
    """
    number = local or next(iter(numbers.values() if is_concept else ()), "")
    return (Subfield("3", number),) if number else ()


def _link_subfields(links: dict[str, str]) -> tuple[Subfield, ...]:
    """Return the international standard identifier of a name, behind the letters of its kind; ISNI if there is one."""
    for name in ("isni", "viaf"):
        found = read_authority_iri(links[name]) if name in links else None
        if found is not None:
            return (Subfield("o", f"{name.upper()}{found.number}"),)
    return ()


_RESPONSIBILITY = ("700", "701", "702", "710", "711", "712")

UNIMARC = Fields(
    isbn_tag="010",
    language=("101", "| "),
    abstract=("330", "  "),
    contents=("327", "0 "),
    name_tags=(*_RESPONSIBILITY, "600", "601"),
    concept_tags=("606", "607", "608"),
    link_tags=_RESPONSIBILITY,
    class_tags={tag: scheme for scheme, tag in _CLASS_TAG.items()} | {"686": ""},
    number_code="3",
    link_code="o",
    publication=_publication,
    subject=_subject,
    classification=_classification,
    address=_address,
    name_forms=_name_forms,
    concept_form=_concept_form,
    number_subfields=_number_subfields,
    link_subfields=_link_subfields,
)
