"""Titles of the resource, and how titles are written as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from msgspec.structs import replace

from bibld.model.iris import web_iri
from bibld.model.mods import Controlled, Mods, Name, RelatedItem, TitleInfo
from bibld.model.rdf import literal
from bibld.text.folding import fold_or_tidy, tidy
from bibld.text.keys import entity_key
from bibld.text.romanisation import romanise, unify_transcriptions
from bibld.text.scripts import LATIN, script_of
from bibld.triplify._claims import EntityClaim
from bibld.triplify._describe.agents import group_names
from bibld.triplify._describe.entities import NameAtPath, claim_agent, dates_of, find_identities, heading
from bibld.triplify._describe.mentions import find_mentioned
from bibld.triplify._draft import Draft
from bibld.triplify._identity import years_with_hyphen

_NODE_CLASSES = {
    "alternative": "bf:VariantTitle",
    "translated": "bf:ParallelTitle",
    "abbreviated": "bf:AbbreviatedTitle",
}
KEY_TITLE = "key title"
"""``@displayLabel`` of the key title of a serial (ISO 3297)."""

_MIN_LETTERS_OF_WORD = 4
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
    return title.type in (None, "alternative") and not has_parts and not tidy(title.display_label or "")


def describe_titles(draft: Draft) -> None:
    """Describe the title proper, in each script of the record that it is from, and its variants.

    Titles proper of other records are variants if they have further words. A uniform title is the title of the work.
    """
    own = [title for title in draft.mods.title_info if title.type != "uniform" or _is_key_title(title)]
    proper = _titles_proper(own or list(draft.mods.title_info))
    labels: dict[str | None, str] = {}
    for title in proper:
        label = full_title(title)
        labels.setdefault(draft.languages.tag_own(label, title), label)
    for language, label in labels.items():
        draft.add("rdfs:label", literal(label, language))
    described = {fold_or_tidy(full_title(title)) for title in proper}
    words_of_proper = [{*fold_or_tidy(full_title(title)).split()} for title in proper]
    for title in proper:
        _describe_title(draft, title, draft.languages.tag_own(full_title(title), title), is_main=True)
    for title in own:
        words = fold_or_tidy(full_title(title))
        is_variant = title_proper(title) and not any(title is one for one in proper)
        is_shorter = title.type is None and any(
            words_of_one.issuperset(words.split()) for words_of_one in words_of_proper
        )
        if is_variant and (_is_key_title(title) or not (is_shorter or words in described)):
            described.add(words)
            is_similar = any(_have_common_word(one, words.split()) for one in words_of_proper)
            _describe_title(draft, title, _language_of_variant(draft, title, is_similar), is_main=False)
    for title in draft.mods.title_info if own else ():
        if title.type == "uniform" and title_proper(title) and not _is_key_title(title):
            work = draft.add_node("bf:instanceOf", "bf:Work", "work")
            draft.add_text("rdfs:label", full_title(title), work)


def _titles_proper(titles: Sequence[TitleInfo]) -> list[TitleInfo]:
    """Return the preferred title, and the same in other scripts: one that its record pairs with it, or a romanisation.

    Takes one of each script.
    """
    mains = main_titles(tuple(titles))
    found: dict[str | None, TitleInfo] = {}
    for title in mains:
        preferred = mains[0]
        is_pair = preferred.alt_rep_group is not None and title.alt_rep_group == preferred.alt_rep_group
        if title is preferred or is_pair or _romanised(title) == _romanised(preferred):
            found.setdefault(script_of(title.title), title)
    return list(found.values())


def _romanised(title: TitleInfo) -> str:
    return unify_transcriptions(romanise(title_proper(title)))


def _is_key_title(title: TitleInfo) -> bool:
    return title.display_label == KEY_TITLE


def _have_common_word(words: Set[str], others: Iterable[str]) -> bool:
    return any(word in words and len(word) >= _MIN_LETTERS_OF_WORD for word in others)


def _language_of_variant(draft: Draft, title: TitleInfo, is_similar: bool) -> str | None:
    """Return the language tag of a variant.

    In Latin letters it may be in any language, unless it has a word of the title proper (``is_similar``), or the record
    states its language or pairs it with another script.
    """
    text = full_title(title)
    is_stated = title.lang or title.xml_lang or title.alt_rep_group
    is_own = title.type in (None, "alternative", "abbreviated")
    is_own = is_own and bool(is_similar or is_stated or script_of(text) != LATIN)
    return (draft.languages.tag_own if is_own else draft.languages.tag_other)(text, title)


def _describe_title(draft: Draft, title: TitleInfo, language: str | None, is_main: bool) -> None:
    proper = title_proper(title)
    draft.add_text("dcterms:title" if is_main else "dcterms:alternative", proper, language=language)
    if not is_main and is_plain_variant(title):
        return
    class_ = "bf:Title" if is_main else _NODE_CLASSES.get(title.type or "", "bf:VariantTitle")
    node = draft.add_node("bf:title", "bf:KeyTitle" if _is_key_title(title) else class_, "title")
    draft.add_text("bf:mainTitle", main_title(title), node, language)
    for text in title.sub_title:
        draft.add_text("bf:subtitle", text, node, language)
    for text in title.part_number:
        draft.add_text("bf:partNumber", text, node, language)
    for text in title.part_name:
        draft.add_text("bf:partName", text, node, language)
    if title.type == "alternative" and not _is_key_title(title):
        draft.add_text("bf:variantType", title.display_label or "", node)


_ELEMENTS_OF_WORKS = frozenset(("title_info", "name", "physical_description", "genre", "language", "subject"))


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
    (title, language), *variants = titles
    label = full_title(title)
    if not label:
        return None
    first_names = [forms[0][0] for forms in creators]
    elements = map(_links_only, (*identified, *first_names))
    found = sorted(
        {one for element in elements for one in find_identities(draft, element, path)}, key=lambda one: one.rank
    )
    stated = access_point(first_names, title)
    agents = [_claim_creator(draft, forms) for forms in creators]
    work = draft.iris.work(found[0].key if found else _key(stated, first_names))
    others = {(stated, language), *((full_title(variant), tag) for variant, tag in variants)} - {(label, language)}
    claim = EntityClaim(
        label=draft.name_form(label, language),
        others=tuple(sorted(draft.name_form(text, tag) for text, tag in others)),
        links=tuple(sorted({one.iri for one in found if one.iri is not None})),
        entities=tuple(sorted({("dcterms:creator", agent) for agent in agents if agent is not None})),
    )
    draft.add_claim(work, "work", claim, path)
    return work


def _claim_creator(draft: Draft, forms: Sequence[NameAtPath]) -> str | None:
    names = [(_without_links(name), path) for name, path in forms]
    return find_mentioned(draft, names[0][0]) or claim_agent(draft, names)


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
