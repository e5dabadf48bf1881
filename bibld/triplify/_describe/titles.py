"""Titles."""

from __future__ import annotations

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


def title_proper(title: TitleInfo) -> str:
    """Title with its parts, without what stands in the subtitle."""
    parts = [tidy(f"{title.non_sort or ''}{_gap(title)}{title.title}")]
    parts += [tidy(part) for part in (*title.part_number, *title.part_name)]
    return ". ".join(part.rstrip(".") if index + 1 < len(parts) else part for index, part in enumerate(parts) if part)


def _gap(title: TitleInfo) -> str:
    return "" if not title.non_sort or title.non_sort[-1:] in " '’-" else " "


def full_title(title: TitleInfo) -> str:
    """Title proper and subtitles, as a label."""
    return " : ".join(filter(None, (title_proper(title), *map(tidy, title.sub_title))))


def main_titles(titles: tuple[TitleInfo, ...]) -> list[TitleInfo]:
    """The titles that are not variants of another; where there are only variants, these."""
    said = [title for title in titles if title_proper(title)]
    return [title for title in said if title.type is None] or said


def describe_titles(draft: Draft) -> None:
    """Labels, titles, variants, and a node for each."""
    titles = draft.mods.title_info
    mains = main_titles(titles)
    labels: dict[str | None, str] = {}
    for title in mains:
        label = full_title(title)
        labels.setdefault(draft.languages.of_own(label, title), label)
    for language, label in labels.items():
        draft.say("rdfs:label", literal(label, language))
        draft.say("schema:name", literal(label, language))
    has_main = any(title.type is None for title in mains)
    described: set[tuple[str, ...]] = set()
    for title in titles:
        proper = title_proper(title)
        words = (title.type or "", proper, *title.sub_title)
        if proper and words not in described:
            described.add(words)
            _describe(draft, title, proper, is_main=title.type is None or not has_main)


def _describe(draft: Draft, title: TitleInfo, proper: str, is_main: bool) -> None:
    own = draft.languages.of_own if title.type in (None, "alternative", "abbreviated") else draft.languages.of_other
    language = own(full_title(title), title)
    draft.text("dcterms:title" if is_main else "dcterms:alternative", proper, language=language)
    if not is_main:
        draft.text("schema:alternateName", proper, language=language)
    node = draft.node("title")
    draft.say("bf:title", node)
    draft.a(_NODE_CLASSES.get(title.type or "", "bf:Title"), node)
    draft.text("bf:mainTitle", f"{title.non_sort or ''}{_gap(title)}{title.title}", node, language)
    for text in title.sub_title:
        draft.text("bf:subtitle", text, node, language)
        if is_main:
            draft.text("rdau:P60493", text, language=language)
    for text in title.part_number:
        draft.text("bf:partNumber", text, node, language)
    for text in title.part_name:
        draft.text("bf:partName", text, node, language)
    if title.type == "alternative" and title.display_label:
        draft.text("bf:variantType", title.display_label, node)
