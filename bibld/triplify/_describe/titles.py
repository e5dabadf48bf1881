"""Titles of the resource, and how titles are written as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from bibld.model.mods import TitleInfo
from bibld.model.rdf import literal
from bibld.text.folding import fold_or_tidy, tidy
from bibld.text.romanisation import romanise, unify_transcriptions
from bibld.text.scripts import LATIN, script_of
from bibld.triplify._draft import Draft

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

    Titles proper of other records are variants if they have further words. A uniform title is that of a work.
    """
    own = [title for title in draft.mods.title_info if title.type != "uniform" or is_key_title(title)]
    proper = _titles_proper(own or list(draft.mods.title_info))
    labels: dict[str | None, str] = {}
    for title in proper:
        label = full_title(title)
        labels.setdefault(draft.languages.tag_own(label, title), label)
    for language, label in labels.items():
        draft.add("rdfs:label", literal(label, language))
    for title in proper:
        _describe_title(draft, title, draft.languages.tag_own(full_title(title), title), is_main=True)
    variants = [title for title in own if title_proper(title) and not any(title is one for one in proper)]
    if not variants:
        return
    described = {fold_or_tidy(full_title(title)) for title in proper}
    words_of_proper = [{*words.split()} for words in described]
    for title in variants:
        words = fold_or_tidy(full_title(title))
        is_shorter = title.type is None and any(
            words_of_one.issuperset(words.split()) for words_of_one in words_of_proper
        )
        if is_key_title(title) or not (is_shorter or words in described):
            described.add(words)
            is_similar = any(_have_common_word(one, words.split()) for one in words_of_proper)
            _describe_title(draft, title, _language_of_variant(draft, title, is_similar), is_main=False)


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


def is_key_title(title: TitleInfo) -> bool:
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
    node = draft.add_node("bf:title", "bf:KeyTitle" if is_key_title(title) else class_, "title")
    draft.add_text("bf:mainTitle", main_title(title), node, language)
    for text in title.sub_title:
        draft.add_text("bf:subtitle", text, node, language)
    for text in title.part_number:
        draft.add_text("bf:partNumber", text, node, language)
    for text in title.part_name:
        draft.add_text("bf:partName", text, node, language)
    if title.type == "alternative" and not is_key_title(title):
        draft.add_text("bf:variantType", title.display_label or "", node)
