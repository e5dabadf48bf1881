"""Works: that of the publication, and those that its description names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec.structs import replace

from bibld.model.authorities import read_authority_iri
from bibld.model.iris import web_iri
from bibld.model.mods import Controlled, Mods, Name, RelatedItem, TitleInfo
from bibld.model.rdf import expand, iri
from bibld.text.folding import tidy
from bibld.text.keys import entity_key
from bibld.text.work_titles import parse_uniform_title, work_title_key
from bibld.triplify._claims import Contribution, EntityClaim, NameForm
from bibld.triplify._codes import CONTENT_OF_RESOURCE, loc
from bibld.triplify._describe.agents import group_names
from bibld.triplify._describe.entities import NameAtPath, claim_agent, find_identities, links_of
from bibld.triplify._describe.mentions import find_mentioned
from bibld.triplify._describe.titles import full_title, is_key_title, title_proper
from bibld.triplify._draft import Draft
from bibld.triplify._headings import dates_of, heading
from bibld.triplify._identity import Identity, numbers_in_files, years_with_hyphen
from bibld.triplify._languages import Languages
from bibld.triplify._works import NamedWork, WorkFacts, facts_of_heading

_BIBFRAME = expand("bf:")
_RELATIONS = frozenset(
    ("translationOf", "derivativeOf", "partOf", "hasPart", "precededBy", "succeededBy", "relatedTo", "expressionOf")
)


class _Manifested(Enum):
    """What a publication manifests: a work of BIBFRAME, which has a language, or one of RDA, which has none."""

    IN_A_LANGUAGE = "expression"
    IN_ANY_LANGUAGE = "work"
    NOT_KNOWN = "either"


_MANIFESTED = {
    expand("bf:instanceOf"): _Manifested.IN_A_LANGUAGE,
    "http://rdaregistry.info/Elements/m/P30139": _Manifested.IN_A_LANGUAGE,
    "http://rdaregistry.info/Elements/m/object/P30139": _Manifested.IN_A_LANGUAGE,
    "http://rdaregistry.info/Elements/m/P30135": _Manifested.IN_ANY_LANGUAGE,
    "http://rdaregistry.info/Elements/m/object/P30135": _Manifested.IN_ANY_LANGUAGE,
    "https://id.oclc.org/worldcat/ontology/hasWork": _Manifested.NOT_KNOWN,
}
"""Relations of a publication to what it manifests (MARC 21 758 $4): in RDA, ``has expression`` and ``has work``."""

_MANIFESTED_IN_WORDS = {
    "has expression manifested": _Manifested.IN_A_LANGUAGE,
    "expression manifested": _Manifested.IN_A_LANGUAGE,
    "has work manifested": _Manifested.IN_ANY_LANGUAGE,
    "work manifested": _Manifested.IN_ANY_LANGUAGE,
    "has work": _Manifested.NOT_KNOWN,
}
"""The same in words (758 $i)."""

_UNTITLED = TitleInfo(title="[Untitled]")
_ELEMENTS_OF_WORKS = frozenset(("title_info", "name", "physical_description", "genre", "language", "subject"))


def describe_work(draft: Draft) -> None:
    """Claim the work of the publication, with all that the other parts of the description stated of it.

    Its IRI belongs to the founder of the cluster; those of the other members lead to it. Its uniform title is the
    preferred one, unless that is the title of the whole that the work is a part of, or one such as "Works"; that of the
    whole does not identify the work.
    """
    works = draft.works
    work = draft.iris.work_of(draft.merged.cluster.founder)
    draft.add("bf:instanceOf", iri(work))
    draft.add_to_work("bf:hasInstance", draft.subject)
    _add_content_type(draft)
    identified, of_original = _identified(draft)
    if works.original is not None:
        _relate(draft, "bf:translationOf", works.original, "original", of_original)
    if works.host is not None and not draft.has_related_work("bf:partOf"):
        _relate(draft, "bf:partOf", works.host, "host")
    for place, base in enumerate(works.bases, 1):
        _relate(draft, "bf:derivativeOf", base, f"base{place}")
    for place, content in enumerate(works.contents, 1):
        _relate(draft, "bf:hasPart", content, f"part{place}")
    uniform = [] if works.original is not None else _uniform_titles(draft.mods)
    found = _find_identities(draft, identified, "")
    aliases = {draft.iris.work_of(member) for member in draft.merged.cluster.members}
    aliases |= {draft.iris.work(one.key) for one in found}
    own = (title for title in works.own.titles if title not in uniform)
    titles = [(title, draft.languages.tag_own(title_proper(title), title)) for title in own]
    named = [(title, draft.languages.tag_related(title_proper(title), title)) for title in uniform]
    is_of_work = not works.own.facts.part and not any(work_title_key(title.title).is_generic for title in uniform)
    titles = [*named, *titles] if is_of_work else [*titles, *named]
    titles = [(title, tag) for title, tag in titles if title_proper(title)] or [(_UNTITLED, "en")]
    claim = replace(
        _claim_of_titles(draft, titles, found, works.own.facts),
        aliases=tuple(sorted(aliases - {work})),
        entities=tuple(sorted(set(draft.related_to_work))),
        contributions=tuple(sorted(set(draft.contributions_to_work))),
        values=tuple(sorted(set(draft.values_of_work))),
        related_links=tuple(sorted(set(_related_links(draft)))),
    )
    draft.add_claim(work, "work", claim, "")


def _uniform_titles(mods: Mods) -> list[TitleInfo]:
    return [title for title in mods.title_info if title.type == "uniform" and not is_key_title(title)]


def _identified(draft: Draft) -> tuple[list[TitleInfo], list[TitleInfo]]:
    """Return titles with the links of the work of the publication, and with those of the work that it translates.

    A work in the sense of RDA has no language: in the description of a translation its link is that of the original,
    as is that of a uniform title without a language. The uniform title of a part is that of its host.
    """
    own: list[TitleInfo] = []
    of_original: list[TitleInfo] = []
    is_translation = draft.works.original is not None
    for title in () if draft.works.own.facts.part else _uniform_titles(draft.mods):
        has_language = bool(parse_uniform_title(full_title(title)).language)
        (of_original if is_translation and not has_language else own).append(title)
    for item in draft.mods.related_item:
        title = TitleInfo(value_uri=item.xlink_href)
        manifested = _manifested(item)
        if manifested is _Manifested.IN_A_LANGUAGE or (manifested is not None and not is_translation):
            own.append(title)
        elif manifested is _Manifested.IN_ANY_LANGUAGE:
            of_original.append(title)
    return own, of_original


def is_manifested(item: RelatedItem) -> bool:
    """Whether a related item is, by its IRI, a work or an expression that the publication manifests."""
    return _manifested(item) is not None


def _manifested(item: RelatedItem) -> _Manifested | None:
    if web_iri(item.xlink_href) is None:
        return None
    if item.other_type_uri is not None:
        return _MANIFESTED.get(item.other_type_uri)
    return _MANIFESTED_IN_WORDS.get(tidy(item.other_type or "").lower())


def _related_links(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield links to works of others that are related to that of the publication in another way.

    Only the IRI is known of them, and the relation is stated. The work that a translation manifests may be either.
    """
    for item in draft.mods.related_item:
        link = web_iri(item.xlink_href)
        found = read_authority_iri(link) if link is not None else None
        manifested = _manifested(item)
        if manifested is not None:
            is_related = manifested is _Manifested.NOT_KNOWN and draft.works.original is not None
        else:
            is_related = item.mods == Mods() and (item.other_type_uri is not None or item.other_type is not None)
        if is_related and found is not None and found.iri:
            yield relation_of_works(item) or "bf:relatedTo", found.iri


def relation_of_works(item: RelatedItem) -> str | None:
    """Return the property that a related item states for works, as a term of BIBFRAME; None without one."""
    local = (item.other_type_uri or "").removeprefix(_BIBFRAME)
    return f"bf:{local}" if local in _RELATIONS else None


def _relate(draft: Draft, predicate: str, named: NamedWork, role: str, identified: Sequence[TitleInfo] = ()) -> None:
    """Claim another work that the description names, and relate the work of the publication to it.

    ``identified`` have links of that work.
    """
    languages = Languages.originals_from_mods(draft.mods) if role == "original" else draft.languages
    titles = [(title, languages.tag_related(full_title(title), title)) for title in named.titles]
    role = "" if named.is_identified else role
    work = _claim_named(draft, titles, group_names(draft, list(named.names)), identified, named.path, named.facts, role)
    if work is not None:
        draft.relate_work(predicate, work)


def _add_content_type(draft: Draft) -> None:
    """State the content type after the kind of resource, if the description has no term for it."""
    if not any(predicate == "bf:content" for predicate, _ in draft.values_of_work):
        for kind in draft.mods.type_of_resource:
            code = CONTENT_OF_RESOURCE.get(tidy(kind.value).lower())
            if code is not None:
                draft.add_to_work("bf:content", loc("contentTypes", code))


def access_point(names: Sequence[Name], title: TitleInfo) -> str:
    """Return the heading of a work: its creators with their dates, and its title."""
    creators = (", ".join(filter(None, (heading(name), dates_of(name)))) for name in names)
    return ". ".join(filter(None, (*(creator.rstrip(".") for creator in creators), full_title(title))))


def claim_work(
    draft: Draft,
    titles: Sequence[tuple[TitleInfo, str | None]],
    creators: Sequence[Sequence[NameAtPath]],
    identified: Sequence[Controlled],
    path: str,
) -> str | None:
    """Claim the work with a title and creators, which are agents; return its IRI, or None if it has no title.

    ``titles`` are the forms of its title with their language tags, ``creators`` the forms of the name of each creator;
    the first form makes the heading. ``identified`` are elements whose authority identifiers are those of the work. The
    links of a name in such a heading are those of the work too, so the agent is not linked with them.
    """
    names = [name for forms in creators for name, _ in forms]
    facts = facts_of_heading([title for title, _ in titles], names, draft.works.own.facts.form)
    first_names = [forms[0][0] for forms in creators]
    return _claim_named(draft, titles, creators, (*identified, *first_names), path, facts)


def _claim_named(
    draft: Draft,
    titles: Sequence[tuple[TitleInfo, str | None]],
    creators: Sequence[Sequence[NameAtPath]],
    identified: Sequence[Controlled],
    path: str,
    facts: WorkFacts,
    role: str = "",
) -> str | None:
    """Claim a work that the publication names; the links of ``identified`` are its own, those of creators are not.

    One that nothing but the publication identifies has an IRI of its ``role`` in the publication.
    """
    if not titles or not title_proper(titles[0][0]):
        return None
    title = titles[0][0]
    first_names = [forms[0][0] for forms in creators]
    found = _find_identities(draft, identified, path)
    agents = [_claim_creator(draft, forms) for forms in creators]
    if found or not role:
        work = draft.iris.work(found[0].key if found else _key(access_point(first_names, title), first_names, facts))
    else:
        work = draft.iris.work_of(draft.merged.cluster.founder, role)
    languages = facts.language.split() if facts.origin == "original" else ()
    claim = replace(
        _claim_of_titles(draft, titles, found, facts),
        others=_other_titles(draft, titles, access_point(first_names, title)),
        values=tuple(("bf:language", loc("iso639-2", code)) for code in languages),
        contributions=tuple(sorted({Contribution(agent, is_primary=True) for agent in agents if agent is not None})),
    )
    draft.add_claim(work, "work", claim, path)
    return work


def _claim_of_titles(
    draft: Draft, titles: Sequence[tuple[TitleInfo, str | None]], found: Sequence[Identity], facts: WorkFacts
) -> EntityClaim:
    title, language = titles[0]
    return EntityClaim(
        label=draft.name_form(title_proper(title), language),
        others=_other_titles(draft, titles),
        links=links_of(found),
        numbers=numbers_in_files(found),
        work=facts,
    )


def _other_titles(
    draft: Draft, titles: Sequence[tuple[TitleInfo, str | None]], heading_of_work: str = ""
) -> tuple[NameForm, ...]:
    """Return the further forms of the title of a work, and its heading, which is in the language of the first form."""
    (title, language), *variants = titles
    forms = {draft.name_form(title_proper(variant), tag) for variant, tag in variants if title_proper(variant)}
    if heading_of_work:
        forms.add(draft.name_form(heading_of_work, language))
    return tuple(sorted(forms - {draft.name_form(title_proper(title), language)}))


def _find_identities(draft: Draft, elements: Sequence[Controlled], path: str) -> list[Identity]:
    """Return the identities of a work that elements of its heading state, the preferred one first."""
    links = map(_links_only, elements)
    return sorted({one for each in links for one in find_identities(draft, each, path)}, key=lambda one: one.rank)


def _claim_creator(draft: Draft, forms: Sequence[NameAtPath]) -> str | None:
    names = [(_without_links(name), path) for name, path in forms]
    return find_mentioned(draft, names[0][0]) or claim_agent(draft, names)


def _key(stated: str, names: Sequence[Name], facts: WorkFacts) -> str:
    """Return the key of a heading; the original of a translated volume has its number beside the title."""
    is_dated = any(years_with_hyphen(dates_of(name)) for name in names)
    more = (facts.part,) if facts.part and facts.origin == "original" else ()
    return entity_key(stated, "work", *more, is_slavic=is_dated)


def _links_only(element: Controlled) -> Controlled:
    """Return an element with its links alone: numbers in a name that are no links are those of the name."""
    return replace(element, name_identifier=()) if isinstance(element, Name) else element


def _without_links(name: Name) -> Name:
    identifiers = tuple(one for one in name.name_identifier if web_iri(one.value) is None)
    return replace(name, value_uri=None, authority_uri=None, xlink_href=None, name_identifier=identifiers)


def is_work(item: RelatedItem) -> bool:
    """Whether a related item is a heading of a name and a title, and nothing else that a publication has."""
    mods: Mods = item.mods
    used = {field for field in mods.__struct_fields__ if getattr(mods, field)}
    is_uniform = any(title.type == "uniform" for title in mods.title_info)
    is_heading = {"title_info", "name"} <= used or (bool(mods.title_info) and bool(web_iri(item.xlink_href)))
    return item.type in (None, "constituent") and (is_heading or is_uniform) and used <= _ELEMENTS_OF_WORKS


def claim_related_work(
    draft: Draft, item: RelatedItem, titles: Sequence[tuple[TitleInfo, str | None]], path: str
) -> str | None:
    """Claim the work that a related item is, from its titles with their language tags; its link is that of the work."""
    names = [(name, f"{path}/name/{index}") for index, name in enumerate(item.mods.name) if tidy(heading(name))]
    link = TitleInfo(value_uri=item.xlink_href)
    identified = (link, *(title for title, _ in titles))
    return claim_work(draft, titles, group_names(draft, names), identified, path)
