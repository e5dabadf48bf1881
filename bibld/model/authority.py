"""Authority records as values: headings, their variants and relations, and what is stated of the thing they name.

The words are those of MADS (https://www.loc.gov/standards/mads/), where a heading consists of elements of MODS. A
heading here has the same parts as the heading of a bibliographic record, so that both become the same label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal, get_args, get_type_hints

import msgspec

from bibld.model import mods

AUTHORITY_FLAVOURS = ("marc21-authority", "unimarc-authority")
"""The flavours of the records that are stored as an ``Authority``; all others are stored as MODS."""

HeadingKind = Literal[
    "person", "family", "organisation", "meeting", "title", "name-title", "topic", "place", "genre", "period", "event",
    "medium of performance", "trademark", "subdivision",
]  # fmt: skip
"""What a heading names. A name or place with subdivisions is a topic; a *subdivision* is used only after headings."""

VariantType = Literal[
    "", "abbreviation", "full form", "pseudonym", "real name", "earlier name", "later name", "official name",
    "name in religion", "secular name", "married name", "birth name", "earlier heading", "other rules",
    "other script", "other language",
]  # fmt: skip
"""What a variant is to the preferred heading; an *earlier heading* is one that the catalogue preferred before."""

Relation = Literal[
    "related", "earlier", "later", "broader", "narrower", "pseudonym", "real identity", "name in religion",
    "secular name", "parent body", "subordinate body", "member", "member of", "founder", "founded", "employer",
    "affiliation", "family", "creator", "translation of", "translation", "adaptation of", "adaptation", "part of",
    "part", "replacement",
]  # fmt: skip
"""What a related heading is to the heading of the record: *broader* is a broader term than it, and so on."""

DateType = Literal["birth", "death", "start", "end", "activity", "creation", "event", "period"]
"""*start* and *end* are those of a body or family, *period* is what a heading covers."""

AttributeType = Literal[
    "field of activity", "occupation", "affiliation", "gender", "birth place", "death place", "country", "residence",
    "headquarters", "place of activity", "place of origin", "place", "type of body", "type of jurisdiction",
    "type of family", "prominent member", "hereditary title", "title", "designation", "form of work",
    "distinguishing characteristic", "medium of performance", "number", "key", "content type", "audience",
    "creator characteristic", "fuller form", "address",
]  # fmt: skip

RecordStatus = Literal["", "new", "changed", "deleted", "replaced", "split", "obsolete"]
"""*replaced* and *split*: deleted, because one or more other headings are used instead."""


class RecordNumber(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The number of a record in an authority file, or an IRI.

    ``source`` is the code of the file or of its organisation as stated, empty for the file of the record itself.
    ``iri`` is that of a known authority file, or the one that is stated.
    """

    value: str
    source: str = ""
    iri: str = ""
    is_cancelled: bool = False


class Heading(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A name, title or term under which things are entered: its parts in their order.

    A name is a ``Name``, a work under a name a ``Name`` and a ``TitleInfo``; subdivisions follow. The parts have no
    identifiers. ``language`` is a code of ISO 639-2/B, ``script`` one of ISO 15924, both empty if they are not known.
    ``scheme`` is the code of the rules or of the list of subject headings that it belongs to.
    """

    kind: HeadingKind
    parts: tuple[mods.SubjectPart, ...]
    language: str = ""
    script: str = ""
    scheme: str = ""

    @property
    def text(self) -> str:
        """The words of the heading, for lists and messages."""
        return "--".join(filter(None, map(_words_of_part, self.parts)))


def _words_of_part(part: mods.SubjectPart) -> str:
    if isinstance(part, mods.Name):
        return ", ".join(one.value for one in part.name_part) or next(iter(part.display_form), "")
    if isinstance(part, mods.TitleInfo):
        return ". ".join((f"{part.non_sort or ''}{part.title}", *part.part_number, *part.part_name))
    if isinstance(part, mods.HierarchicalGeographic):
        levels = (getattr(part, name) for name in part.__struct_fields__)
        return ", ".join(one for level in levels if isinstance(level, tuple) for one in level)
    return str(getattr(part, "value", ""))


class Variant(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A heading that is not preferred (see reference).

    ``label`` are words of the record for the reference. ``is_shown`` is false if the record wants no such reference:
    the form serves searching alone.
    """

    heading: Heading
    type: VariantType = ""
    label: str = ""
    is_shown: bool = True


class Equivalent(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The heading of the same thing in another file, language or script, with its numbers there."""

    heading: Heading
    numbers: tuple[RecordNumber, ...] = ()
    label: str = ""


class RelatedHeading(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The heading of something else (see also reference), in each script; there may be only its numbers.

    ``label`` are words of the record for the relation, or an IRI of it; ``period`` is its time in EDTF.
    """

    relation: Relation
    headings: tuple[Heading, ...] = ()
    numbers: tuple[RecordNumber, ...] = ()
    label: str = ""
    period: str = ""
    is_shown: bool = True


class AuthorityDate(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A date in EDTF, and the text that states it; ``value`` is empty if the text is not understood."""

    type: DateType
    value: str = ""
    stated: str = ""


class EntityAttribute(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A property of the thing: a text, and the IRI or code of a list (``scheme``) that it is from.

    ``period`` is the time in which it holds, in EDTF.
    """

    type: AttributeType
    value: str
    scheme: str = ""
    iri: str = ""
    period: str = ""


class SourceConsulted(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A source in which the cataloguer looked, and what was found there (``is_found``: anything)."""

    citation: str
    information: str = ""
    links: tuple[str, ...] = ()
    is_found: bool = True


class TitleOfEntity(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The title of a work that the entity made; or (``is_related`` false) of one that somebody else made."""

    title: mods.TitleInfo
    date: str = ""
    numbers: tuple[RecordNumber, ...] = ()
    is_related: bool = True


class HeadingState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a record states of itself and of the use of its heading; None where it is silent.

    ``record_type`` is *established* for a record of a heading, *reference* for one that only leads to others,
    *explanatory* for one that explains a group of them. ``is_provisional``: the heading may change. Whether it is
    differentiated is asked of names of persons: one that is not names more than one person.
    """

    status: RecordStatus = ""
    record_type: Literal["established", "reference", "explanatory", "subdivision", "node label"] = "established"
    scheme: str = ""
    is_provisional: bool | None = None
    is_differentiated: bool | None = None
    is_used_as_name: bool | None = None
    is_used_as_subject: bool | None = None
    is_used_as_series: bool | None = None


class Authority(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One authority record.

    ``headings`` are the preferred forms, one for each language and script, that of the catalogue first; a deleted
    record may have none. ``cited_by`` are other sources whose records cite the number of this one without naming its
    file. What is private in a record (instructions, addresses of persons, local fields) is not here.
    """

    control_number: str = ""
    cited_by: tuple[str, ...] = ()
    state: HeadingState = HeadingState()
    headings: tuple[Heading, ...] = ()
    variants: tuple[Variant, ...] = ()
    equivalents: tuple[Equivalent, ...] = ()
    related: tuple[RelatedHeading, ...] = ()
    numbers: tuple[RecordNumber, ...] = ()
    dates: tuple[AuthorityDate, ...] = ()
    attributes: tuple[EntityAttribute, ...] = ()
    languages: tuple[mods.Language, ...] = ()
    areas: tuple[mods.GeographicCode, ...] = ()
    coordinates: tuple[mods.Cartographics, ...] = ()
    classifications: tuple[mods.Classification, ...] = ()
    notes: tuple[mods.Note, ...] = ()
    sources: tuple[SourceConsulted, ...] = ()
    titles: tuple[TitleOfEntity, ...] = ()
    identifiers: tuple[mods.Identifier, ...] = ()
    locations: tuple[mods.Location, ...] = ()
    record_info: tuple[mods.RecordInfo, ...] = ()

    elements: ClassVar[tuple[str, ...]]
    """The names of the fields that contain more than one value."""

    @property
    def kind(self) -> HeadingKind | None:
        """What the record describes; None without a heading."""
        return self.headings[0].kind if self.headings else None

    @property
    def replacements(self) -> tuple[RelatedHeading, ...]:
        """The headings that are used instead of the one of this record."""
        return tuple(one for one in self.related if one.relation == "replacement")

    @property
    def is_deleted(self) -> bool:
        """Whether the heading was deleted, and the record does not state what is used instead."""
        return self.state.status in ("deleted", "replaced", "split") and not self.replacements

    @property
    def names_of_person(self) -> tuple[str, ...]:
        """All names of a person, without dates and titles; none of others, and of a name that several persons have."""
        if self.kind != "person" or self.state.is_differentiated is False:
            return ()
        headings = (*self.headings, *(one.heading for one in self.variants if one.heading.kind == "person"))
        names = (heading.parts[0] for heading in headings)
        texts = (
            ", ".join(part.value for part in name.name_part if part.type not in _BESIDE_A_NAME)
            for name in names
            if isinstance(name, mods.Name)
        )
        return tuple(dict.fromkeys(text for text in texts if text))

    def to_mods(self) -> mods.Mods:
        """Return the texts of the record as MODS, for lists and searches of records of all kinds.

        The heading is the title, its variants are other titles, all else is notes.
        """
        titles = [mods.TitleInfo(title=heading.text) for heading in self.headings]
        titles += [mods.TitleInfo(title=one.heading.text, type="alternative") for one in self.variants]
        notes = [*self.notes, *(mods.Note(value=one.value, type=one.type) for one in self.attributes)]
        notes += [mods.Note(value=text) for one in self.sources for text in (one.citation, one.information) if text]
        return mods.Mods(title_info=tuple(titles), note=tuple(notes), record_info=self.record_info)


_BESIDE_A_NAME = ("date", "termsOfAddress")
"""Types of parts of the heading of a person that are no name."""

_FIELDS_OF_RECORD = ("control_number", "cited_by", "state")
Authority.elements = tuple(name for name in Authority.__struct_fields__ if name not in _FIELDS_OF_RECORD)

_FIELD_OF = {get_args(hint)[0]: name for name, hint in get_type_hints(Authority).items() if name in Authority.elements}


def collect_authority(control_number: str, elements: Iterable[msgspec.Struct]) -> Authority:
    """Put the parts of an authority record together, each once; within each kind the order of the stream is kept.

    The last ``HeadingState`` counts. Anything that is not part of an authority record raises ``TypeError``.
    """
    kinds: dict[str, dict[msgspec.Struct, None]] = {}
    state = HeadingState()
    for element in elements:
        if isinstance(element, HeadingState):
            state = element
        elif type(element) in _FIELD_OF:
            kinds.setdefault(_FIELD_OF[type(element)], {})[element] = None
        else:
            raise TypeError(f"{type(element).__name__} is not part of an authority record")
    values = {name: tuple(found) for name, found in kinds.items()}
    return Authority(control_number=control_number, state=state, **values)  # type: ignore[arg-type]


class ConvertedAuthority(msgspec.Struct, frozen=True, gc=False):
    """An authority record, the subfields that are not in it (named for each occurrence, as ``667$a``), and warnings."""

    authority: Authority
    unmapped: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
