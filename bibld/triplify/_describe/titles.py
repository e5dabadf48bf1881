"""Titles of the resource, and how titles are written as text."""

from __future__ import annotations

from functools import lru_cache

from bibld.model.mods import TitleInfo
from bibld.model.rdf import literal
from bibld.text.folding import tidy
from bibld.triplify._draft import Draft

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
        draft.add("schema:name", literal(label, language))
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
