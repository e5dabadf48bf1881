"""Entities: their IRIs, and the claims of the records about them.

Each function ``claim_…`` adds the claims about one entity to the draft and returns the IRI of the entity, or None if
the text does not name one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from bibld.model.authorities import AUTHORITIES
from bibld.model.iris import Iris, entity_identity, web_iri
from bibld.model.mods import Controlled, Name, PhysicalLocation
from bibld.text.folding import tidy
from bibld.text.keys import entity_key
from bibld.text.libraries import find_library, is_library_code, normalise_marc_code
from bibld.text.publishers import (
    full_publisher_key,
    name_to_compare,
    publisher_key,
    publisher_label,
    shortened_name,
    words_for_body,
)
from bibld.text.romanisation import is_romanisation
from bibld.text.scripts import LATIN, has_cyrillic, script_of
from bibld.triplify._claims import EntityClaim, Kind, NameForm
from bibld.triplify._dates import life_intervals, life_years
from bibld.triplify._draft import Draft, Mention
from bibld.triplify._entity_clusters import SHORT_NAME_TIE
from bibld.triplify._headings import dates_of, heading, heading_to_compare
from bibld.triplify._identity import (
    Identity,
    is_qualified_number,
    library_key,
    name_key,
    numbers_in_files,
    parse_identity,
    parse_person_name,
    tie_of_number,
)
from bibld.triplify._languages import Languages

_ORGANISATIONS = frozenset(("corporate", "conference"))
"""Types of names that libraries may number apart from persons."""

_TYPES_OF_NUMBERS = frozenset((None, "local", "uri", *AUTHORITIES))
"""Types of identifiers of names that name no organisation, or a file with IRIs."""

_ORGANISATIONS_OF_LOC = "http://id.loc.gov/vocabulary/organizations/"
_TYPES_OF_NAMES = ("personal", "corporate", "conference", "family")

_NAMES_REMEMBERED = 16_384
_ROLES_OF_PUBLISHERS = frozenset(("pbl", "bkp", "bsl", "dst", "isb"))

NameAtPath = tuple[Name, str]
"""A name and its path in the merged description."""


def find_identities(draft: Draft, element: Name | Controlled, path: str) -> list[Identity]:
    """Return the authority identifiers of a name or term, the preferred one first."""
    links = [link for link in (element.value_uri, getattr(element, "xlink_href", None)) if link]
    identifiers = element.name_identifier if isinstance(element, Name) else ()
    if not links and not identifiers:
        return []
    source = draft.source_at(path)
    file = "organisation" if isinstance(element, Name) and element.type in _ORGANISATIONS else ""
    found = [parse_identity(one.value, one.type, source, file) for one in identifiers if one.invalid != "yes"]
    found += [parse_identity(link, None, source) for link in links if web_iri(link) is not None]
    return sorted({one for one in found if one is not None}, key=lambda one: one.rank)


def number_ties(element: Name | Controlled) -> tuple[str, ...]:
    r"""Return the ties of a heading by the numbers that it cites in files without IRIs.

    The number names its organisation: ``RU\NLR\AUTH\7``, ``(CaQ)123``; that of a name may have it as its type.
    """
    cited = [link for link in (element.value_uri, getattr(element, "xlink_href", None)) if link]
    if isinstance(element, Name):
        cited += [
            one.value if is_qualified_number(one.value) or one.type in _TYPES_OF_NUMBERS else f"({one.type}){one.value}"
            for one in element.name_identifier
            if one.invalid != "yes"
        ]
    return tuple(sorted({tie_of_number(text) for text in cited if is_qualified_number(text)}))


def links_of(identities: Iterable[Identity]) -> tuple[str, ...]:
    """Return the IRIs of authority files among identities."""
    return tuple(sorted({one.iri for one in identities if one.iri is not None}))


# -- agents ------------------------------------------------------------------------------------------------------------


def claim_agent(draft: Draft, group: Sequence[NameAtPath], roles: Iterable[str] = (), scheme: str = "") -> str | None:
    """Claim the agent that a group of names denotes.

    The best identifier names the agent. The IRIs that its other identifiers make, and its name with dates if these
    identify a person, are aliases: other records may know it by these only. ``roles`` are what the agent did for the
    publication; ``scheme`` is that of a subject heading, whose local numbers are in a separate file.
    """
    group = [(name, path) for name, path in group if heading(name)]
    if not group:
        return None
    identities_of_names = [find_identities(draft, name, path) for name, path in group]
    found = sorted({one for identities in identities_of_names for one in identities}, key=lambda one: one.rank)
    agent = draft.iris.agent(found[0].key if found else _key_of_names(group))
    for (name, path), identities in zip(group, identities_of_names, strict=True):
        aliases = {draft.iris.agent(one.key) for one in identities}
        if is_identified_by_dates(name) or (not identities and has_all_names(name)):
            aliases.add(draft.iris.agent(name_key(heading_to_compare(name), dates_of(name), name.type or "")))
        claim = msgspec.structs.replace(
            claim_of_name(draft, name),
            links=links_of(identities),
            aliases=tuple(sorted(aliases - {agent})),
            numbers=numbers_in_files(identities, scheme),
            ties=(*ties_of_name(draft, name), *number_ties(name)),
        )
        draft.add_claim(agent, "agent", claim, path)
    draft.mentions.append(_mention(draft, agent, group, roles, bool(found)))
    return agent


def is_identified_by_dates(name: Name) -> bool:
    is_dated = name.type == "personal" and any(life_years(dates_of(name)))
    return is_dated and len(heading_to_compare(name).split()) > 1


def has_all_names(name: Name) -> bool:
    """Whether two given names of a person are written out, so that hardly anybody else in a catalogue has the heading.

    The heading without dates is an alias only if the publication also names the person in a form that is identified
    better; otherwise it makes the IRI.
    """
    parsed = parse_person_name(heading_to_compare(name)) if name.type == "personal" else None
    return parsed is not None and len(parsed.given) > 1 and all(map(parsed.is_written_out, parsed.given))


def ties_of_name(draft: Draft, name: Name) -> tuple[str, ...]:
    """Return the ties of an agent with all others of the same name.

    A person is tied by the full name and the year of birth, in either script. With initials, the years of birth and of
    death must be known; if they are, a name may lack further given names (``Бердяев, Николай``). An organisation is
    tied by the heading to its headings with a number, and to the publisher of the same name; a name without a type to
    those with one.
    """
    if name.type != "personal":
        return _heading_ties(draft.iris, heading_to_compare(name), dates_of(name), name.type or "")
    parsed = parse_person_name(heading_to_compare(name))
    born, died = life_years(dates_of(name))
    if parsed is None or not parsed.given or not ((born and died) or ((born or died) and parsed.is_full)):
        return ()
    ties = [f"{parsed.key} {born or f'-{died}'}"]
    if born and died and len(parsed.given[0]) > len("zh."):
        ties.append(f"{SHORT_NAME_TIE}{parsed.family} {parsed.given[0]} {born}-{died}")
    return tuple(ties)


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _heading_ties(iris: Iris, label: str, dates: str, kind: str) -> tuple[str, ...]:
    agents = [iris.agent(name_key(label, dates, each)) for each in ([kind] if kind else _TYPES_OF_NAMES)]
    if kind == "corporate":
        agents.append(iris.publisher(entity_key(full_publisher_key(label))))
    return tuple(map(entity_identity, agents))


def _mention(draft: Draft, agent: str, group: Sequence[NameAtPath], roles: Iterable[str], has_number: bool) -> Mention:
    names = [name for name, _ in group]
    parsed = (parse_person_name(heading_to_compare(name)) for name in names if name.type == "personal")
    dates = next((dates_of(name) for name in names if dates_of(name)), "")
    records = frozenset(record for _, path in group for record in draft.records_at(path))
    return Mention(
        agent,
        names=tuple(dict.fromkeys(name for name in parsed if name is not None)),
        organisations=frozenset(publisher_key(heading(name)) for name in names if name.type != "personal"),
        short_names=frozenset(
            word for name in names if name.type in _ORGANISATIONS for word in words_for_body(_last_unit(name))
        ),
        life=life_intervals(dates),
        is_identified=has_number or any(map(is_identified_by_dates, names)),
        roles=frozenset(roles),
        records=records,
    )


def _last_unit(name: Name) -> str:
    """Return the last unit in the name of a body."""
    return next((part.value for part in reversed(name.name_part) if part.type is None), "")


def _key_of_names(group: Sequence[NameAtPath]) -> str:
    """Return the key of the fullest form: with dates, then with full given names, then Cyrillic."""
    names = [name for name, _ in group]
    name = (
        names[0]
        if len(names) == 1
        else min(
            names,
            key=lambda name: (
                not dates_of(name),
                not _is_full(name),
                script_of(heading_to_compare(name)) == LATIN,
            ),
        )
    )
    return name_key(heading_to_compare(name), dates_of(name), name.type or "")


def _is_full(name: Name) -> bool:
    parsed = parse_person_name(heading_to_compare(name)) if name.type == "personal" else None
    return parsed is not None and parsed.is_full


def claim_of_name(draft: Draft, name: Name) -> EntityClaim:
    label = heading(name)
    others = [tidy(form) for form in name.display_form]
    others += [heading(Name(name_part=other.name_part, type=name.type)) for other in name.alternative_name]
    forms = {
        draft.name_form(other, draft.languages.tag_other(other, name)) for other in others if other not in ("", label)
    }
    return EntityClaim(
        label=draft.name_form(label, draft.languages.tag_other(label, name)),
        others=tuple(sorted(forms)),
        type=name.type or "",
        dates=dates_of(name),
    )


class LibraryNames(msgspec.Struct, frozen=True):
    """What names and codes of a library state: its code, the keys of its IRIs, its names, its IRIs elsewhere."""

    code: str
    keys: tuple[str, ...]
    names: tuple[NameForm, ...]
    links: frozenset[str]


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _read_library(places: tuple[PhysicalLocation, ...]) -> LibraryNames:
    """Read the names and codes of one library.

    The table of libraries gives the names of a code, unless the record has others. A code without names stays a code.
    Only the names in the table identify a library that has a code: others (``City Library``) may be those of many.
    """
    known = [find_library(place.value, is_marc_code=place.authority == "marcorg") for place in places]
    library = next(filter(None, known), None)
    names = [
        Draft.name_form(place.value, Languages(()).tag_other(place.value, place) if place.xml_lang else None)
        for place, one in zip(places, known, strict=True)
        if one is None and place.authority is None and not is_library_code(place.value)
    ]
    if library is not None:
        code, marc_code = library.code, library.marc_code
        names = names or [Draft.name_form(text, language) for text, language in library.names]
        texts = [place.value for place, one in zip(places, known, strict=True) if one is not None]
        texts += [text for text, _ in library.names]
    else:
        code = next((place.value for place in places if place.authority == "isil" or is_library_code(place.value)), "")
        marc_code = next((place.value for place in places if place.authority == "marcorg"), "")
        code = code or marc_code
        texts = [] if code else [place.value for place in places]
    is_stated_isil = any(place.authority == "isil" and place.value == code for place in places)
    keys = [library_key(code, is_stated_isil)] if code else []
    keys += [
        library_key(text) if is_library_code(text) else name_key(text, "", "corporate") for text in dict.fromkeys(texts)
    ]
    return LibraryNames(
        code=code,
        keys=tuple(keys),
        names=tuple(names) or (Draft.name_form(code or places[0].value, None),),
        links=frozenset([f"{_ORGANISATIONS_OF_LOC}{normalise_marc_code(marc_code)}"] if marc_code else ()),
    )


def claim_library(draft: Draft, places: Sequence[tuple[PhysicalLocation, str]]) -> str | None:
    """Claim the library that holds a copy, from its names and codes, each with its path; None without any."""
    if not places:
        return None
    read = _read_library(tuple(place for place, _ in places))
    found = sorted(
        {one for place, path in places for one in find_identities(draft, place, path)}, key=lambda one: one.rank
    )
    agent, *others = (draft.iris.agent(key) for key in (*(one.key for one in found), *read.keys))
    for name in read.names:
        claim = EntityClaim(
            label=name,
            type="corporate",
            links=tuple(sorted({*links_of(found), *read.links})),
            notation=read.code,
            aliases=tuple(sorted(set(others) - {agent})) if read.code else (),
        )
        draft.add_claim(agent, "agent", claim, places[0][1])
    return agent


class _NamedPublisher(msgspec.Struct, frozen=True):
    """What a text that names a publisher means: its form, its key, the IRIs made of its key and of its full key.

    ``compared`` is its name with acronyms, see :func:`bibld.text.publishers.name_to_compare`.
    """

    label: str
    key: str
    by_name: str
    by_full_name: str
    ties: tuple[str, ...]
    compared: str


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _read_publisher(iris: Iris, text: str, is_slavic: bool) -> _NamedPublisher:
    label, key, full_key = publisher_label(text), publisher_key(text), full_publisher_key(text)
    by_name, by_full_name = (iris.publisher(entity_key(name, is_slavic=is_slavic)) for name in (key, full_key))
    ties = name_ties(iris, "publisher", full_key, label, is_slavic)
    return _NamedPublisher(label, key, by_name, by_full_name, ties, name_to_compare(text))


def claim_publisher(draft: Draft, text: str, element: Controlled, path: str) -> str | None:
    """Claim a publisher.

    If the publication names an organisation of the same name as an agent who published it, this is the publisher.
    """
    named = _read_publisher(draft.iris, text, draft.languages.is_slavic)
    if not named.label or not named.key:
        return None
    found = find_identities(draft, element, path)
    form = draft.name_form(named.label, draft.languages.tag_other(named.label, element))
    agents = [one for one in draft.mentions if named.key in one.organisations and one.roles & _ROLES_OF_PUBLISHERS]
    known = (*(draft.iris.publisher(one.key) for one in found), named.by_name, named.by_full_name)
    is_agent = bool(agents) and not found
    kind: Kind = "agent" if is_agent else "publisher"
    publisher = agents[0].agent if is_agent else known[0]
    claim = EntityClaim(
        label=form,
        type="corporate",
        links=links_of(found),
        aliases=tuple(sorted({*known} - {publisher})),
        numbers=numbers_in_files(found),
        ties=named.ties,
    )
    draft.add_claim(publisher, kind, claim, path)
    draft.add_form(publisher, kind, named.compared, path)
    return publisher


def claim_other_form(draft: Draft, entity: str, kind: Kind, stated: tuple[str, Controlled], path: str) -> None:
    """Claim another form of the name of an entity: in another script, or as other records of the publication have it.

    ``stated`` is the form with the element that it is from.
    """
    text, element = stated
    form = draft.name_form(text, draft.languages.tag_other(text, element))
    draft.add_claim(entity, kind, EntityClaim(label=form, type="" if kind == "place" else "corporate"), path)


@lru_cache(maxsize=_NAMES_REMEMBERED)
def name_ties(
    iris: Iris, kind: Literal["publisher", "series"], name: str, text: str, is_slavic: bool
) -> tuple[str, ...]:
    """Return the ties of a publisher or series with the same name in another script, or written out or abbreviated.

    ``name`` is that of which its IRI is made, ``text`` its form. A publication in a Slavic language (``is_slavic``) may
    name it in another one, and a romanised name is found in publications in other languages.
    """
    ties = []
    is_transcribed = is_slavic or is_romanisation(text)
    if is_transcribed and not has_cyrillic(text):
        key = entity_key(name, is_slavic=not is_slavic)
        ties.append(entity_identity(iris.publisher(key) if kind == "publisher" else iris.series(key)))
    if is_transcribed or has_cyrillic(text):
        shortened = shortened_name(text)
        if shortened:
            ties.append(f"{kind} {shortened}")
    return tuple(ties)
