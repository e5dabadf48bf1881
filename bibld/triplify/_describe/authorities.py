"""Authority records: what one states about the thing that it describes, as claims; it makes no publication.

The thing has the IRIs of all its numbers, so that it is the same as the heading of a bibliographic record that cites
one; its names are ties, so that a heading without a number is the same if no other thing has the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from bibld.config import TriplifyConfig
from bibld.model import mods
from bibld.model.authority import Authority, Heading, HeadingKind, RecordNumber, RelatedHeading, Relation
from bibld.model.identifiers import issn
from bibld.model.iris import Iris, entity_identity
from bibld.model.linkage import Cluster, Merged
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal
from bibld.text.folding import tidy
from bibld.text.keys import entity_key
from bibld.text.languages import language_tag
from bibld.text.scripts import LATIN
from bibld.triplify._claims import ClusterStatements, Contribution, EntityClaim, Kind, NameForm
from bibld.triplify._codes import SCHEME_LANGUAGES
from bibld.triplify._describe.authority_facts import HeadedThing, dates_of_thing, describe_facts
from bibld.triplify._describe.authority_labels import access_point_of, dates_of_heading, label_of
from bibld.triplify._describe.concepts import FREE_TERMS, claim_concept
from bibld.triplify._describe.entities import (
    claim_agent,
    has_all_names,
    is_identified_by_dates,
    name_ties,
    ties_of_name,
)
from bibld.triplify._describe.places import claim_place
from bibld.triplify._describe.provenance import describe_source_records
from bibld.triplify._draft import Draft, sort_quads
from bibld.triplify._headings import dates_of, heading_to_compare
from bibld.triplify._identity import (
    Identity,
    is_qualified_number,
    name_key,
    numbers_in_files,
    parse_identity,
    tie_of_number,
    years_with_hyphen,
)
from bibld.triplify._languages import ROMANISED
from bibld.triplify._works import WorkFacts, facts_of_heading, find_works

_KINDS: dict[HeadingKind, Kind] = {
    "person": "agent", "family": "agent", "organisation": "agent", "meeting": "agent", "title": "work",
    "name-title": "work", "place": "place",
}  # fmt: skip
"""What a heading is the name of; all others are concepts."""

_ALL: tuple[Kind, ...] = ("agent", "concept", "place", "work", "series")

_NUMBERED_SEPARATELY = ("organisation", "meeting")
"""Headings that libraries may number apart from persons."""

_PROPERTIES: dict[Relation, dict[Kind, str]] = {
    "related": {"concept": "skos:related", "work": "bf:relatedTo"},
    "broader": {"concept": "skos:broader", "place": "dcterms:isPartOf", "agent": "dcterms:isPartOf"},
    "earlier": dict.fromkeys(_ALL, "dcterms:replaces"),
    "later": dict.fromkeys(_ALL, "dcterms:isReplacedBy"),
    "replacement": dict.fromkeys(_ALL, "dcterms:isReplacedBy"),
    "parent body": {"agent": "dcterms:isPartOf"},
    "subordinate body": {"agent": "dcterms:hasPart"},
    "member of": {"agent": "dcterms:isPartOf"},
    "part of": {"work": "bf:partOf", "series": "dcterms:isPartOf"},
    "part": {"work": "bf:hasPart", "series": "dcterms:hasPart"},
    "translation of": {"work": "bf:translationOf"},
    "adaptation of": {"work": "bf:derivativeOf"},
}
"""Relation → by the kind of both things the property from the thing of the record to the other; else ``_RELATED``."""

_INVERSE: dict[Relation, Relation] = {
    "narrower": "broader", "translation": "translation of", "adaptation": "adaptation of", "member": "member of",
}  # fmt: skip
"""Relations that are stated of the other thing."""

_RELATED = "dcterms:relation"


def authority_statements(
    record: RecordId,
    authority: Authority,
    iris: Iris,
    settings: TriplifyConfig,
    exists: Callable[[RecordId], bool] = lambda record: False,
) -> ClusterStatements:
    """Return the description of an authority record, and what it asserts about the thing of its heading and others.

    ``exists`` answers whether a record is in the catalog: a number without a heading is a link only if it is.
    """
    description = authority.to_mods()
    draft = Draft(Merged(Cluster(record, (record,)), description, ()), find_works(description), iris, exists)
    topic = _Describer(draft, authority).claim_all()
    if settings.provenance != "none":
        draft.subject = iri(topic) if topic else draft.record_term(record)
        describe_source_records(draft)
    return ClusterStatements(
        quads=sort_quads(draft.quads, draft.subject),
        claims=tuple(dict.fromkeys(draft.claims)),
        existence_dependencies=tuple(sorted(set(draft.existence_dependencies))),
    )


class _Identities(msgspec.Struct, frozen=True):
    """The numbers of a thing: ``named`` are those that make IRIs, the best one first, ``others`` are of other systems.

    ``cited`` are those by which records of other sources cite it; ``ties`` are with headings that cite a number.
    """

    named: tuple[Identity, ...]
    others: tuple[Identity, ...] = ()
    cited: tuple[Identity, ...] = ()
    ties: tuple[str, ...] = ()


class _Describer:
    """Adds the claims of one authority record to a draft."""

    def __init__(self, draft: Draft, authority: Authority) -> None:
        self._draft = draft
        self._authority = authority
        (self._record,) = draft.merged.cluster.members
        identifiers = (one for info in authority.record_info for one in info.record_identifier)
        self._file = next((one.source for one in identifiers if one.source), "").strip()

    def claim_all(self) -> str | None:
        """Claim all that the record states; return the IRI of the thing that it describes, None if none is known."""
        replacements = self._authority.replacements
        if replacements:
            return self._claim_replaced(replacements)
        if not self._authority.headings:
            return None
        things = [self._claim_thing(kind) for kind in self._kinds(self._authority.headings[0])]
        for thing in things:
            cancelled = [replace(one, is_cancelled=False) for one in self._authority.numbers if one.is_cancelled]
            self._claim_formerly(thing, cancelled)
            for related in self._authority.related:
                self._relate(thing, related)
        return things[0].iri

    # -- kinds, schemes, labels ----------------------------------------------------------------------------------------

    def _kinds(self, heading: Heading) -> tuple[Kind, ...]:
        """Return what a heading names; a place is also a concept of the scheme, as in bibliographic records."""
        kind = _KINDS.get(heading.kind, "concept")
        if kind == "work" and self._authority.state.is_used_as_series:
            return ("series",)
        is_in_levels = isinstance(heading.parts[0], mods.HierarchicalGeographic)
        return (kind, "concept") if kind == "place" and not is_in_levels else (kind,)

    def _scheme(self, heading: Heading | None, kind: Kind) -> str:
        """Return the code of the scheme of a concept; empty for other things."""
        stated = heading.scheme if heading is not None else ""
        return tidy(stated or self._authority.state.scheme) or FREE_TERMS if kind == "concept" else ""

    def _iri(self, kind: Kind, key: str, scheme: str) -> str:
        iris = self._draft.iris
        if kind == "concept":
            return iris.concept(scheme, key)
        make = {"agent": iris.agent, "work": iris.work, "place": iris.place, "series": iris.series}
        return make[kind](key)

    def _form(self, heading: Heading, kind: Kind) -> NameForm:
        text = label_of(heading, kind)
        tag = language_tag(heading.language) if heading.language else None
        scripts = {one.script for one in self._authority.headings}
        if tag is None and heading in self._authority.headings and heading.script == LATIN and len(scripts) > 1:
            tag = ROMANISED
        if tag is None and kind == "concept":
            stated = SCHEME_LANGUAGES.get(self._scheme(heading, kind))
            tag = stated or self._draft.languages.tag_catalogued(text, mods.Topic(value=text))
        return Draft.name_form(text, tag)

    # -- the thing -----------------------------------------------------------------------------------------------------

    def _claim_thing(self, kind: Kind) -> HeadedThing:
        draft, authority, first = self._draft, self._authority, self._authority.headings[0]
        identities = self._own_identities(first.kind)
        scheme = self._scheme(first, kind)
        addresses = [self._iri(kind, one.key, scheme) for one in (*identities.named, *identities.cited)]
        element = mods.Geographic(value=label_of(first, kind))
        place = claim_place(draft, element.value, element, "") if kind == "place" else None
        addresses += [place] if place is not None else []
        addresses += [] if addresses else [self._iri_by_name(first, kind)]
        thing = HeadedThing(addresses[0], kind, first.kind)
        facts = describe_facts(draft, authority, thing)
        others, hidden = self._other_forms(kind)
        forms = {form: heading for heading in authority.headings if (form := self._form(heading, kind)).text}
        ties = set(identities.ties).union(*(self._ties(heading, kind) for heading in self._headings_of_others()))
        general = EntityClaim(
            label=NameForm(""),
            others=tuple(sorted(others - forms.keys())),
            links=tuple(sorted({one.iri for one in identities.named if one.iri} | _links_of_equivalents(authority))),
            issn=_issn(authority) if kind == "series" else "",
            entities=tuple(sorted(set(facts.entities))),
            contributions=self._creators(first, kind),
            values=tuple(sorted({*facts.values, *(("skos:hiddenLabel", one) for one in hidden)})),
            aliases=tuple(sorted(set(addresses[1:]) - {thing.iri})),
            numbers=numbers_in_files((*identities.named, *identities.others)),
            work=_facts_of_work(first) if kind == "work" else None,
            ties=tuple(sorted(ties - {entity_identity(thing.iri)})),
        )
        for position, (form, heading) in enumerate(forms.items()):
            claim = general if position == 0 else EntityClaim(label=form)
            type_, dates = self._type_and_dates(heading, kind)
            is_established = authority.state.record_type == "established"
            claim = replace(claim, label=form, type=type_, dates=dates, scheme=scheme, is_established=is_established)
            draft.add_claim(thing.iri, kind, claim, "")
        return thing

    def _headings_of_others(self) -> list[Heading]:
        """Return the forms that publications may have for the thing without its number.

        There are none of a name that several persons have, of a subdivision, which is used after a heading only, and in
        a record that only leads to other headings.
        """
        authority, state = self._authority, self._authority.state
        if state.is_differentiated is False or state.record_type in ("reference", "explanatory", "subdivision"):
            return []
        variants = [one.heading for one in authority.variants if one.heading.kind == authority.kind]
        return [one for one in (*authority.headings, *variants) if one.kind != "subdivision"]

    def _type_and_dates(self, heading: Heading, kind: Kind) -> tuple[str, str]:
        name = heading.parts[0]
        if kind != "agent" or not isinstance(name, mods.Name):
            return "", ""
        return name.type or "", dates_of_heading(heading, kind) or dates_of_thing(self._authority)

    def _creators(self, heading: Heading, kind: Kind) -> tuple[Contribution, ...]:
        """Claim the creator that the heading of a work begins with."""
        name = heading.parts[0]
        if kind != "work" or not isinstance(name, mods.Name):
            return ()
        creator = claim_agent(self._draft, [(name, "")])
        return (Contribution(creator, is_primary=True),) if creator is not None else ()

    def _other_forms(self, kind: Kind) -> tuple[set[NameForm], set[str]]:
        """Return the other forms of the name, and as literals those that are not to be shown."""
        authority = self._authority
        shown = {self._form(one.heading, kind) for one in authority.variants}
        shown |= {self._form(one.heading, kind) for one in authority.equivalents}
        shown |= {NameForm(tidy(one.value)) for one in authority.attributes if one.type == "fuller form"}
        if kind == "work":
            shown |= {Draft.name_form(access_point_of(heading), None) for heading in authority.headings}
        hidden = {self._form(one.heading, kind) for one in authority.variants if not one.is_shown}
        literals = {literal(form.text, form.language or None) for form in hidden if form.text}
        return {form for form in shown - hidden if form.text}, literals

    # -- ties ----------------------------------------------------------------------------------------------------------

    def _ties(self, heading: Heading, kind: Kind) -> Iterator[str]:
        """Yield the ties of a form of the name with the headings that have it."""
        name = heading.parts[0]
        if kind == "agent" and isinstance(name, mods.Name):
            dates = self._type_and_dates(heading, kind)[1]
            if dates and not dates_of(name) and name.type == "personal":
                name = replace(name, name_part=(*name.name_part, mods.NamePart(value=dates, type="date")))
            yield from ties_of_name(self._draft, name)
            if is_identified_by_dates(name) or has_all_names(name):
                yield entity_identity(self._iri_of_name(name))
        elif kind != "place" and label_of(heading, kind):
            yield entity_identity(self._iri_by_name(heading, kind))
        if kind == "series":
            label = label_of(heading, kind)
            yield from name_ties(self._draft.iris, "series", label, label, self._draft.languages.is_slavic)

    def _iri_of_name(self, name: mods.Name) -> str:
        return self._draft.iris.agent(name_key(heading_to_compare(name), dates_of(name), name.type or ""))

    def _iri_by_name(self, heading: Heading, kind: Kind) -> str:
        """Return the IRI that a heading without a number has in bibliographic records."""
        name = heading.parts[0]
        if kind == "agent" and isinstance(name, mods.Name):
            return self._iri_of_name(name)
        if kind == "work":
            is_dated = isinstance(name, mods.Name) and bool(years_with_hyphen(dates_of(name)))
            return self._draft.iris.work(entity_key(access_point_of(heading), "work", is_slavic=is_dated))
        return self._iri(kind, entity_key(label_of(heading, kind)), self._scheme(heading, kind))

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _own_identities(self, kind: HeadingKind) -> _Identities:
        """Return the identities of the thing of this record."""
        authority, number = self._authority, self._authority.control_number
        is_known = any(one.iri and one.value == "".join(number.split()) for one in authority.numbers)
        own = [] if is_known or not number else [RecordNumber(number)]
        found = self._identities([*own, *authority.numbers], kind)
        cited = [self._identity(RecordNumber(number), kind, source) for source in authority.cited_by if number]
        texts = [f"({self._file}){number}"] if self._file and number and not is_qualified_number(number) else []
        elsewhere = [one for each in authority.equivalents for one in each.numbers if not one.iri and one.source]
        texts += [f"({one.source}){one.value}" for one in elsewhere]
        return replace(
            found,
            cited=tuple(one for one in cited if one is not None and one not in found.named),
            ties=(*found.ties, *map(tie_of_number, texts)),
        )

    def _identities(self, numbers: Iterable[RecordNumber], kind: HeadingKind) -> _Identities:
        """Return the identities of a thing by its numbers in this and in other files; cancelled ones are left out."""
        named: dict[Identity, None] = {}
        others: dict[Identity, None] = {}
        ties: list[str] = []
        for number in numbers:
            identity = None if number.is_cancelled else self._identity(number, kind, self._record.source)
            if identity is None:
                continue
            is_own = self._is_of_own_file(number)
            (named if number.iri or is_own else others)[identity] = None
            if not number.iri and is_qualified_number(identity.key):
                ties.append(tie_of_number(identity.key))
            elif not number.iri and self._file:
                ties.append(tie_of_number(f"({self._file}){number.value}"))
        return _Identities(tuple(sorted(named, key=lambda one: one.rank)), tuple(others), (), tuple(ties))

    def _identity(self, number: RecordNumber, kind: HeadingKind, source: str) -> Identity | None:
        if number.iri:
            return parse_identity(number.iri, None, source)
        file = "organisation" if kind in _NUMBERED_SEPARATELY else ""
        text = number.value if self._is_of_own_file(number) else f"({number.source}){number.value}"
        return parse_identity(text, None, source, file)

    def _is_of_own_file(self, number: RecordNumber) -> bool:
        return not number.iri and number.source in ("", self._file)

    # -- headings that are not used any more ---------------------------------------------------------------------------

    def _claim_formerly(self, thing: HeadedThing, numbers: Sequence[RecordNumber], names: Iterable[str] = ()) -> None:
        """Claim that numbers which are not used any more mean a thing, so that headings which cite them do."""
        identities = self._identities(numbers, thing.heading)
        first = self._authority.headings[0] if self._authority.headings else None
        scheme = self._scheme(first, thing.kind)
        former = {self._iri(thing.kind, one.key, scheme) for one in (*identities.named, *identities.others)}
        former.discard(thing.iri)
        if not former:
            return
        ties = tuple(sorted({*identities.ties, *names}))
        for address in sorted(former):
            self._draft.add_claim(address, thing.kind, EntityClaim(label=NameForm(""), ties=ties), "")
        claim = EntityClaim(label=NameForm(""), replaced=tuple(sorted(former)))
        self._draft.add_claim(thing.iri, thing.kind, claim, "")

    def _claim_replaced(self, replacements: Sequence[RelatedHeading]) -> str | None:
        """Claim that another thing is used instead; if there are several, or it is not known, name them.

        Return the thing that the record is about now.
        """
        authority = self._authority
        first = next(iter(authority.headings), None)
        topics: list[str] = []
        stated = first or next((one.headings[0] for one in replacements if one.headings), None)
        for kind in self._kinds(stated) if stated is not None else ():
            targets = [target for one in replacements if (target := self._related_thing(one, first, kind)) is not None]
            if len(replacements) == 1 and targets:
                target = targets[0]
                self._claim_formerly(
                    target,
                    [RecordNumber(authority.control_number), *authority.numbers],
                    [tie for heading in authority.headings for tie in self._ties(heading, kind)],
                )
                self._claim_old_forms(target, replacements[0])
                topics.append(target.iri)
            elif first is not None:
                own = self._claim_thing(kind)
                for target in targets:
                    self._state(own, "replacement", target)
                topics.append(own.iri)
        return next(iter(topics), None)

    def _claim_old_forms(self, target: HeadedThing, replacement: RelatedHeading) -> None:
        """Claim that the headings of this record are other forms of the name of what is used instead."""
        old = {self._form(one, target.kind) for one in self._authority.headings}
        for heading in replacement.headings:
            label = self._form(heading, target.kind)
            claim = EntityClaim(
                label=label,
                others=tuple(sorted(old - {label})),
                type=self._type_and_dates(heading, target.kind)[0],
                scheme=self._scheme(heading, target.kind),
            )
            self._draft.add_claim(target.iri, target.kind, claim, "")

    # -- other headings ------------------------------------------------------------------------------------------------

    def _relate(self, thing: HeadedThing, related: RelatedHeading) -> None:
        first = self._authority.headings[0]
        kinds = self._kinds(related.headings[0] if related.headings else first)
        if thing.kind not in kinds and thing.kind == "place":
            return  # it is stated of the concept of the same heading
        kind = thing.kind if thing.kind in kinds else kinds[0]
        other = self._related_thing(related, first, kind)
        if other is None or other.iri == thing.iri:
            return
        inverse = _INVERSE.get(related.relation)
        if inverse is not None:
            self._state(other, inverse, thing)
        else:
            self._state(thing, related.relation, other)

    def _state(self, thing: HeadedThing, relation: Relation, other: HeadedThing) -> None:
        """State a relation between two things."""
        property_ = _PROPERTIES.get(relation, {}).get(thing.kind) if thing.kind == other.kind else None
        if relation == "creator" and thing.kind == "work" and other.kind == "agent":
            claim = EntityClaim(label=NameForm(""), contributions=(Contribution(other.iri, is_primary=True),))
        else:
            claim = EntityClaim(label=NameForm(""), entities=((property_ or _RELATED, other.iri),))
        self._draft.add_claim(thing.iri, thing.kind, claim, "")

    def _related_thing(self, related: RelatedHeading, own: Heading | None, kind: Kind) -> HeadedThing | None:
        """Claim the thing of another heading, by its number or else as a heading without a number; return it.

        Without a heading there has to be a record with the number.
        """
        stated = related.headings[0] if related.headings else own
        if stated is None:
            return None
        identities = self._identities(related.numbers, stated.kind)
        scheme = self._scheme(stated, kind)
        addresses = [self._iri(kind, one.key, scheme) for one in identities.named]
        if not related.headings:
            is_known = bool(addresses) and any(map(self._is_in_catalog, related.numbers))
            return HeadedThing(addresses[0], kind, stated.kind) if is_known else None
        if not addresses:
            by_name = self._claim_by_name(related.headings, kind)
            return HeadedThing(by_name, kind, stated.kind) if by_name is not None else None
        for heading in related.headings:
            claim = EntityClaim(
                label=self._form(heading, kind),
                type=self._type_and_dates(heading, kind)[0],
                dates=dates_of_heading(heading, kind),
                links=tuple(sorted({one.iri for one in identities.named if one.iri})),
                scheme=scheme,
                aliases=tuple(sorted(set(addresses[1:]) - {addresses[0]})),
                numbers=numbers_in_files(identities.named),
                ties=identities.ties,
            )
            self._draft.add_claim(addresses[0], kind, claim, "")
        return HeadedThing(addresses[0], kind, stated.kind)

    def _claim_by_name(self, headings: Sequence[Heading], kind: Kind) -> str | None:
        """Claim the thing of a heading without a number as a bibliographic record does; return its IRI."""
        first, draft = headings[0], self._draft
        label = label_of(first, kind)
        if kind == "agent":
            names = [(name, "") for one in headings if isinstance(name := one.parts[0], mods.Name)]
            return claim_agent(draft, names)
        if kind == "place":
            return claim_place(draft, label, mods.Geographic(value=label), "")
        if kind == "concept":
            scheme = self._scheme(first, kind)
            address = claim_concept(draft, label, scheme, mods.Subject(parts=first.parts, authority=scheme), "")
        else:
            address = self._iri_by_name(first, kind) if label else None
        if address is not None:
            for heading in headings if kind != "concept" else headings[1:]:
                claim = EntityClaim(label=self._form(heading, kind), scheme=self._scheme(heading, kind))
                draft.add_claim(address, kind, claim, "")
        return address

    def _is_in_catalog(self, number: RecordNumber) -> bool:
        record = RecordId.from_control_number(self._record.source, number.value)
        return not number.iri and self._draft.is_in_catalog(record)


def _links_of_equivalents(authority: Authority) -> set[str]:
    return {one.iri for each in authority.equivalents for one in each.numbers if one.iri}


def _issn(authority: Authority) -> str:
    found = (issn(one.value) for one in authority.identifiers if one.type == "issn" and one.invalid != "yes")
    return next((one.value for one in found if one is not None and one.is_valid), "")


def _facts_of_work(heading: Heading) -> WorkFacts:
    """Return the facts of the work that a heading names, by which the works of publications find it."""
    titles = [part for part in heading.parts if isinstance(part, mods.TitleInfo)]
    return facts_of_heading(titles, [part for part in heading.parts if isinstance(part, mods.Name)])
