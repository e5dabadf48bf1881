"""MODS 3.8 as values: the standard's elements and attributes under their own names, in snake_case.

Every class is one element of MODS (https://www.loc.gov/standards/mods/userguide/). A field annotated ``Attribute`` is
an attribute, ``value`` is the text of the element, every other field holds child elements; a tuple where the standard
lets the child repeat. ``bibld.model.mods_xml`` reads and writes the XML from these declarations alone.

No value can contain itself, so the garbage collector can ignore them (``gc=False``): conversion is a fifth faster.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, get_args, get_type_hints

import msgspec

from bibld.model.brief import brief

Attribute = Annotated[str | None, "attribute"]
"""Marks a field that is an XML attribute."""

Inline = "inline"
"""Marks a field whose elements are direct children, not wrapped in an element of the field's name."""

RawXml = "raw xml"
"""Marks a field that contains a foreign XML element as text."""


class Element(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True, repr_omit_defaults=True):
    """The attributes that nearly every element of MODS may have."""

    lang: Attribute = None
    xml_lang: Attribute = None
    script: Attribute = None
    transliteration: Attribute = None
    alt_rep_group: Attribute = None
    display_label: Attribute = None
    usage: Attribute = None
    id: Attribute = None


class Controlled(Element, frozen=True, omit_defaults=True, kw_only=True):
    """An element whose value may come from a controlled list."""

    authority: Attribute = None
    authority_uri: Attribute = None
    value_uri: Attribute = None


class Text(Element, frozen=True, omit_defaults=True):
    """An element that contains text, and may have a ``type``."""

    value: str = ""
    type: Attribute = None


class ControlledValue(Controlled, frozen=True, omit_defaults=True):
    """An element that contains text, which may come from a controlled list."""

    value: str = ""


class Term(ControlledValue, frozen=True, omit_defaults=True):
    """A text that may come from a controlled list, and its ``type``, such as code or text."""

    type: Attribute = None


class TitleInfo(Controlled, frozen=True, omit_defaults=True, tag_field="element", tag="titleInfo"):
    """A title with its parts. ``non_sort`` keeps the blank that separates it from the title."""

    title: str = ""
    non_sort: str | None = None
    sub_title: tuple[str, ...] = ()
    part_number: tuple[str, ...] = ()
    part_name: tuple[str, ...] = ()
    type: Attribute = None
    other_type: Attribute = None
    supplied: Attribute = None
    name_title_group: Attribute = None
    xlink_href: Attribute = None


class NamePart(Text, frozen=True, omit_defaults=True):
    """A part of a name; ``type`` is date, family, given, termsOfAddress or absent."""


class RoleTerm(Term, frozen=True, omit_defaults=True):
    """What a name did; ``type`` is code or text."""


class Role(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One role, as a code, a text or both."""

    role_term: tuple[RoleTerm, ...] = ()


class NameIdentifier(Text, frozen=True, omit_defaults=True):
    """An identifier of a person or body; ``type`` names the scheme (isni, viaf, local …)."""

    type_uri: Attribute = None
    invalid: Attribute = None


class AlternativeName(Element, frozen=True, omit_defaults=True):
    """Another form of a name."""

    name_part: tuple[NamePart, ...] = ()
    name_identifier: tuple[NameIdentifier, ...] = ()
    alt_type: Attribute = None


class Name(Controlled, frozen=True, omit_defaults=True, tag_field="element", tag="name"):
    """A person, body, conference or family (``type``) with roles."""

    name_part: tuple[NamePart, ...] = ()
    display_form: tuple[str, ...] = ()
    affiliation: tuple[str, ...] = ()
    role: tuple[Role, ...] = ()
    description: tuple[str, ...] = ()
    name_identifier: tuple[NameIdentifier, ...] = ()
    alternative_name: tuple[AlternativeName, ...] = ()
    etal: str | None = None
    type: Attribute = None
    name_title_group: Attribute = None
    supplied: Attribute = None
    xlink_href: Attribute = None


class TypeOfResource(ControlledValue, frozen=True, omit_defaults=True):
    """The kind of content, such as text, cartographic or notated music."""

    collection: Attribute = None
    manuscript: Attribute = None


class Genre(Term, frozen=True, omit_defaults=True, tag_field="element", tag="genre"):
    """A genre or form."""

    xlink_href: Attribute = None


class PlaceTerm(Term, frozen=True, omit_defaults=True):
    """A place, as a code or a text (``type``)."""


class Cartographics(Controlled, frozen=True, omit_defaults=True, tag_field="element", tag="cartographics"):
    """Scale, projection and coordinates of a map."""

    scale: tuple[str, ...] = ()
    projection: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()


class Place(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A place of publication or production."""

    place_term: tuple[PlaceTerm, ...] = ()
    place_identifier: tuple[str, ...] = ()
    cartographics: tuple[Cartographics, ...] = ()
    supplied: Attribute = None


class Publisher(ControlledValue, frozen=True, omit_defaults=True):
    """A publisher, producer or manufacturer."""

    supplied: Attribute = None


class Date(Element, frozen=True, omit_defaults=True):
    """A date; ``encoding`` is w3cdtf, iso8601, marc, temper or edtf, ``point`` start or end."""

    value: str = ""
    encoding: Attribute = None
    qualifier: Attribute = None
    point: Attribute = None
    key_date: Attribute = None
    calendar: Attribute = None
    type: Attribute = None


class Edition(Element, frozen=True, omit_defaults=True):
    """An edition statement."""

    value: str = ""
    supplied: Attribute = None


class Frequency(ControlledValue, frozen=True, omit_defaults=True):
    """How often a serial appears."""


class OriginInfo(Element, frozen=True, omit_defaults=True):
    """Publication, production, distribution or manufacture (``event_type``)."""

    place: tuple[Place, ...] = ()
    publisher: tuple[Publisher, ...] = ()
    date_issued: tuple[Date, ...] = ()
    date_created: tuple[Date, ...] = ()
    date_captured: tuple[Date, ...] = ()
    date_valid: tuple[Date, ...] = ()
    date_modified: tuple[Date, ...] = ()
    copyright_date: tuple[Date, ...] = ()
    date_other: tuple[Date, ...] = ()
    display_date: tuple[str, ...] = ()
    edition: tuple[Edition, ...] = ()
    issuance: tuple[str, ...] = ()
    frequency: tuple[Frequency, ...] = ()
    agent: tuple[Name, ...] = ()
    event_type: Attribute = None
    event_type_uri: Attribute = None


class LanguageTerm(Term, frozen=True, omit_defaults=True):
    """A language, as a code or a text (``type``)."""


class ScriptTerm(Term, frozen=True, omit_defaults=True):
    """A script, as a code or a text (``type``)."""


class Language(Element, frozen=True, omit_defaults=True):
    """A language of the resource, or of a part of it (``object_part``)."""

    language_term: tuple[LanguageTerm, ...] = ()
    script_term: tuple[ScriptTerm, ...] = ()
    object_part: Attribute = None


class Form(Term, frozen=True, omit_defaults=True):
    """A physical form."""


class Extent(Element, frozen=True, omit_defaults=True):
    """The number and kind of units, as stated."""

    value: str = ""
    unit: Attribute = None


class Note(Text, frozen=True, omit_defaults=True):
    """A note; ``type`` from the list of the MODS editorial committee, or absent."""

    type_uri: Attribute = None
    xlink_href: Attribute = None


class PhysicalDescription(Element, frozen=True, omit_defaults=True):
    """What the resource is physically."""

    form: tuple[Form, ...] = ()
    reformatting_quality: tuple[str, ...] = ()
    internet_media_type: tuple[str, ...] = ()
    extent: tuple[Extent, ...] = ()
    digital_origin: tuple[str, ...] = ()
    note: tuple[Note, ...] = ()


class Abstract(Text, frozen=True, omit_defaults=True):
    """A summary."""

    shareable: Attribute = None
    alt_format: Attribute = None
    content_type: Attribute = None
    xlink_href: Attribute = None


class TableOfContents(Abstract, frozen=True, omit_defaults=True):
    """Contents."""


class TargetAudience(ControlledValue, frozen=True, omit_defaults=True):
    """For whom the resource is meant."""


class Topic(ControlledValue, frozen=True, omit_defaults=True, tag_field="element", tag="topic"):
    """A topical term."""


class Geographic(ControlledValue, frozen=True, omit_defaults=True, tag_field="element", tag="geographic"):
    """A geographic name."""


class Temporal(ControlledValue, frozen=True, omit_defaults=True, tag_field="element", tag="temporal"):
    """A period."""

    encoding: Attribute = None
    qualifier: Attribute = None
    point: Attribute = None
    key_date: Attribute = None


class GeographicCode(ControlledValue, frozen=True, omit_defaults=True, tag_field="element", tag="geographicCode"):
    """A code for a place."""


class Occupation(ControlledValue, frozen=True, omit_defaults=True, tag_field="element", tag="occupation"):
    """An occupation reflected in the resource."""


class HierarchicalGeographic(
    Controlled, frozen=True, omit_defaults=True, tag_field="element", tag="hierarchicalGeographic"
):
    """A place from the largest unit down."""

    extraterrestrial_area: tuple[str, ...] = ()
    continent: tuple[str, ...] = ()
    country: tuple[str, ...] = ()
    province: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    territory: tuple[str, ...] = ()
    county: tuple[str, ...] = ()
    city: tuple[str, ...] = ()
    city_section: tuple[str, ...] = ()
    island: tuple[str, ...] = ()
    area: tuple[str, ...] = ()


SubjectPart = (
    Topic
    | Geographic
    | Temporal
    | TitleInfo
    | Name
    | GeographicCode
    | HierarchicalGeographic
    | Cartographics
    | Occupation
    | Genre
)
"""What a subject heading is made of."""


class Subject(Controlled, frozen=True, omit_defaults=True):
    """A subject heading: its parts in their order."""

    parts: Annotated[tuple[SubjectPart, ...], Inline] = ()
    xlink_href: Attribute = None


class Classification(ControlledValue, frozen=True, omit_defaults=True):
    """A class mark; ``authority`` names the classification."""

    edition: Attribute = None
    generator: Attribute = None


class Identifier(Text, frozen=True, omit_defaults=True):
    """An identifier; ``type`` names the scheme (isbn, issn, doi …), ``invalid`` is yes for a cancelled or wrong one."""

    type_uri: Attribute = None
    invalid: Attribute = None


class PhysicalLocation(Term, frozen=True, omit_defaults=True):
    """The institution or shelf area that holds the resource."""

    xlink_href: Attribute = None


class Url(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The address of an electronic resource."""

    value: str = ""
    display_label: Attribute = None
    usage: Attribute = None
    access: Attribute = None
    note: Attribute = None
    date_last_accessed: Attribute = None


class ItemIdentifier(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The number of a copy."""

    value: str = ""
    type: Attribute = None


class EnumerationAndChronology(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Which volumes and years a library has: of the basic unit (``unit_type`` 1), supplements (2) or indexes (3)."""

    value: str = ""
    unit_type: Attribute = None


class CopyInformation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One copy in one place."""

    form: tuple[Form, ...] = ()
    sub_location: tuple[str, ...] = ()
    shelf_locator: tuple[str, ...] = ()
    electronic_locator: tuple[str, ...] = ()
    note: tuple[Note, ...] = ()
    enumeration_and_chronology: tuple[EnumerationAndChronology, ...] = ()
    item_identifier: tuple[ItemIdentifier, ...] = ()


class HoldingSimple(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Copies."""

    copy_information: tuple[CopyInformation, ...] = ()


class HoldingExternal(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Holdings in another schema, as XML."""

    content: Annotated[tuple[str, ...], RawXml] = ()


class Location(Element, frozen=True, omit_defaults=True):
    """Where the resource is."""

    physical_location: tuple[PhysicalLocation, ...] = ()
    shelf_locator: tuple[str, ...] = ()
    url: tuple[Url, ...] = ()
    holding_simple: HoldingSimple | None = None
    holding_external: HoldingExternal | None = None


class AccessCondition(ControlledValue, frozen=True, omit_defaults=True):
    """A restriction on access or use (``type``); ``content`` holds foreign XML where the condition is not text."""

    content: Annotated[tuple[str, ...], RawXml] = ()
    type: Attribute = None
    alt_format: Attribute = None
    content_type: Attribute = None
    xlink_href: Attribute = None


class Detail(Element, frozen=True, omit_defaults=True):
    """A volume, issue, chapter … (``type``) of a host."""

    number: tuple[str, ...] = ()
    caption: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    type: Attribute = None
    level: Attribute = None


class PartExtent(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The pages (or other ``unit``) that a part takes."""

    start: str | None = None
    end: str | None = None
    total: str | None = None
    list: str | None = None
    unit: Attribute = None


class PartText(Text, frozen=True, omit_defaults=True):
    """A part, as stated."""


class Part(Element, frozen=True, omit_defaults=True):
    """Which part of a host, series or set the resource is."""

    detail: tuple[Detail, ...] = ()
    extent: tuple[PartExtent, ...] = ()
    date: tuple[Date, ...] = ()
    text: tuple[PartText, ...] = ()
    type: Attribute = None
    order: Attribute = None


class Extension(Element, frozen=True, omit_defaults=True):
    """Foreign XML."""

    content: Annotated[tuple[str, ...], RawXml] = ()
    type: Attribute = None


class RecordContentSource(ControlledValue, frozen=True, omit_defaults=True):
    """Who made the record."""


class RecordIdentifier(Element, frozen=True, omit_defaults=True):
    """The control number of the record; ``source`` names its owner."""

    value: str = ""
    source: Attribute = None


class RecordInfoNote(Text, frozen=True, omit_defaults=True):
    """A note about the record."""


class DescriptionStandard(ControlledValue, frozen=True, omit_defaults=True):
    """The cataloguing rules."""


class RecordInfo(Element, frozen=True, omit_defaults=True):
    """About the record, not the resource."""

    record_content_source: tuple[RecordContentSource, ...] = ()
    record_creation_date: tuple[Date, ...] = ()
    record_change_date: tuple[Date, ...] = ()
    record_identifier: tuple[RecordIdentifier, ...] = ()
    record_origin: tuple[str, ...] = ()
    language_of_cataloging: tuple[Language, ...] = ()
    description_standard: tuple[DescriptionStandard, ...] = ()
    record_info_note: tuple[RecordInfoNote, ...] = ()


class RelatedItem(Element, frozen=True, omit_defaults=True):
    """Another resource and its relation (``type``, ``other_type``); ``mods`` describes it with any elements of MODS."""

    mods: Annotated[Mods, Inline] = msgspec.field(default_factory=lambda: Mods())
    type: Attribute = None
    other_type: Attribute = None
    other_type_auth: Attribute = None
    other_type_auth_uri: Attribute = None
    other_type_uri: Attribute = None
    xlink_href: Attribute = None


class Mods(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One description: the twenty top-level elements of MODS, each in the order in which it is written."""

    title_info: tuple[TitleInfo, ...] = ()
    name: tuple[Name, ...] = ()
    type_of_resource: tuple[TypeOfResource, ...] = ()
    genre: tuple[Genre, ...] = ()
    origin_info: tuple[OriginInfo, ...] = ()
    language: tuple[Language, ...] = ()
    physical_description: tuple[PhysicalDescription, ...] = ()
    abstract: tuple[Abstract, ...] = ()
    table_of_contents: tuple[TableOfContents, ...] = ()
    target_audience: tuple[TargetAudience, ...] = ()
    access_condition: tuple[AccessCondition, ...] = ()
    note: tuple[Note, ...] = ()
    subject: tuple[Subject, ...] = ()
    classification: tuple[Classification, ...] = ()
    location: tuple[Location, ...] = ()
    related_item: tuple[RelatedItem, ...] = ()
    identifier: tuple[Identifier, ...] = ()
    part: tuple[Part, ...] = ()
    extension: tuple[Extension, ...] = ()
    record_info: tuple[RecordInfo, ...] = ()

    elements: ClassVar[tuple[str, ...]]
    """The names of the twenty fields, in order."""

    __repr__ = brief

    @property
    def record_identifier(self) -> str | None:
        """The first identifier of the record itself."""
        for info in self.record_info:
            for identifier in info.record_identifier:
                return identifier.value
        return None


Mods.elements = Mods.__struct_fields__


def collected(elements: object) -> Mods:
    """Put a stream of top-level elements into one ``Mods``; within each kind the order of the stream is kept.

    ``elements`` is an iterable of instances of the twenty classes; anything else raises ``TypeError``.
    """
    kinds: dict[str, list[object]] = {}
    for element in elements:  # type: ignore[attr-defined]
        kind = _FIELD_OF[type(element)]
        if kind in kinds:
            kinds[kind].append(element)
        else:
            kinds[kind] = [element]
    return Mods(**{name: tuple(values) for name, values in kinds.items()})  # type: ignore[arg-type]


_FIELD_OF = {get_args(hint)[0]: name for name, hint in get_type_hints(Mods).items() if name in Mods.elements}
