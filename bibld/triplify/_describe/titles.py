"""Titles of the resource, and how titles are written as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from bibld.model.iris import web_iri
from bibld.model.mods import Controlled, Mods, Name, RelatedItem, TitleInfo
from bibld.model.rdf import literal
from bibld.text.folding import tidy
from bibld.text.keys import entity_key
from bibld.triplify._claims import EntityClaim
from bibld.triplify._describe.entities import NameAtPath, claim_agent, dates_of, find_identities, heading
from bibld.triplify._draft import Draft
from bibld.triplify._identity import years_with_hyphen

_NODE_CLASSES = {
    "alternative": "bf:VariantTitle",
    "translated": "bf:ParallelTitle",
    "abbreviated": "bf:AbbreviatedTitle",
    "uniform": "bf:Title",
}
_TITLES_REMEMBERED = 256
"""Enough for the titles of one publication, each of which is written several times."""


@lru_cache(maxsize=_TITLES_REMEMBERED)
def title_proper(title: TitleInfo) -> str:
    """Return a title with its parts, without the subtitle."""
    parts = [text for text in map(tidy, (main_title(title), *title.part_number, *title.part_name)) if text]
    return ". ".join([*(text.rstrip(".") for text in parts[:-1]), *parts[-1:]])


def main_title(title: TitleInfo) -> str:
    """Return the text of a title with its non-sorting beginning."""
    gap = "" if not title.non_sort or title.non_sort[-1:] in " '’-" else " "
    return f"{title.non_sort or ''}{gap}{title.title}"


@lru_cache(maxsize=_TITLES_REMEMBERED)
def full_title(title: TitleInfo) -> str:
    """Return title proper and subtitles, as a label."""
    return " : ".join(filter(None, (title_proper(title), *map(tidy, title.sub_title))))


def main_titles(titles: tuple[TitleInfo, ...]) -> list[TitleInfo]:
    """Return the titles that are not variants of another; the variants if there are no others."""
    with_text = [title for title in titles if title_proper(title)]
    return [title for title in with_text if title.type is None] or with_text


def is_plain_variant(title: TitleInfo) -> bool:
    """Whether ``dcterms:alternative`` states all that is known of a variant, so that it needs no node."""
    has_parts = title.sub_title or title.part_number or title.part_name
    return title.type == "alternative" and not has_parts and not tidy(title.display_label or "")


def describe_titles(draft: Draft) -> None:
    """Describe titles and variants by labels, properties and a node for each."""
    titles = draft.mods.title_info
    mains = main_titles(titles)
    labels: dict[str | None, str] = {}
    for title in mains:
        label = full_title(title)
        labels.setdefault(draft.languages.tag_own(label, title), label)
    for language, label in labels.items():
        draft.add("rdfs:label", literal(label, language))
    has_main = any(title.type is None for title in mains)
    described: set[tuple[str, ...]] = set()
    for title in titles:
        proper = title_proper(title)
        words = (title.type or "", proper, *title.sub_title)
        if proper and words not in described:
            described.add(words)
            _describe_title(draft, title, proper, is_main=title.type is None or not has_main)


def _describe_title(draft: Draft, title: TitleInfo, proper: str, is_main: bool) -> None:
    is_own = title.type in (None, "alternative", "abbreviated")
    language = (draft.languages.tag_own if is_own else draft.languages.tag_other)(full_title(title), title)
    draft.add_text("dcterms:title" if is_main else "dcterms:alternative", proper, language=language)
    if not is_main and is_plain_variant(title):
        return
    node = draft.add_node("bf:title", _NODE_CLASSES.get(title.type or "", "bf:Title"), "title")
    draft.add_text("bf:mainTitle", main_title(title), node, language)
    for text in title.sub_title:
        draft.add_text("bf:subtitle", text, node, language)
    for text in title.part_number:
        draft.add_text("bf:partNumber", text, node, language)
    for text in title.part_name:
        draft.add_text("bf:partName", text, node, language)
    if title.type == "alternative":
        draft.add_text("bf:variantType", title.display_label or "", node)


_ELEMENTS_OF_WORKS = frozenset(("title_info", "name", "physical_description", "genre", "language", "subject"))


def access_point(names: Sequence[Name], title: TitleInfo) -> str:
    """Return the heading of a work: its creators with their dates, and its title."""
    creators = (", ".join(filter(None, (heading(name), dates_of(name)))) for name in names)
    return ". ".join(filter(None, (*(creator.rstrip(".") for creator in creators), full_title(title))))


def claim_work(
    draft: Draft,
    title: TitleInfo,
    names: Sequence[NameAtPath],
    identified: Sequence[Controlled],
    path: str,
    language: str | None = None,
) -> str | None:
    """Claim the work with a title and creators, which are agents; return its IRI, or None if it has no title.

    ``identified`` are elements whose authority identifiers are those of the work. The links of a name in such a heading
    are those of the work too, so the agent is not linked with them.
    """
    label = full_title(title)
    if not label:
        return None
    elements = [*identified, *(name for name, _ in names)]
    found = [one for element in elements for one in find_identities(draft, _links_only(element), path)]
    found = sorted(set(found), key=lambda one: one.rank)
    stated = access_point([name for name, _ in names], title)
    creators = [claim_agent(draft, [(_without_links(name), name_path)]) for name, name_path in names]
    work = draft.iris.work(found[0].key if found else _key(stated, [name for name, _ in names]))
    others = (draft.name_form(stated, language),) if stated != label else ()
    claim = EntityClaim(
        label=draft.name_form(label, language),
        others=others,
        links=tuple(sorted({one.iri for one in found if one.iri is not None})),
        creators=tuple(sorted({creator for creator in creators if creator is not None})),
    )
    draft.add_claim(work, "work", claim, path)
    return work


def _key(stated: str, names: Sequence[Name]) -> str:
    is_dated = any(years_with_hyphen(dates_of(name)) for name in names)
    return entity_key(stated, "work", is_slavic=is_dated)


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
    is_heading = {"title_info", "name"} <= used or (bool(mods.title_info) and bool(web_iri(item.xlink_href)))
    return item.type in (None, "constituent") and is_heading and used <= _ELEMENTS_OF_WORKS


def claim_related_work(draft: Draft, item: RelatedItem, path: str, language: str | None) -> str | None:
    """Claim the work that a related item is; its link is that of the work."""
    titles = main_titles(item.mods.title_info)
    names = [(name, f"{path}/name/{index}") for index, name in enumerate(item.mods.name) if tidy(heading(name))]
    link = TitleInfo(value_uri=item.xlink_href)
    return claim_work(draft, titles[0], names, (link, *titles), path, language) if titles else None
