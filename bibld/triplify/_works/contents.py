"""What a publication contains: the works that its title and its tables of contents name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bibld.model.mods import Mods, TitleInfo
from bibld.text.designations import is_designation
from bibld.text.work_titles import work_title_key
from bibld.triplify._works.kinds import TRANSLATION, traits_of

_MAX_CONTENTS, _MAX_WORDS = 30, 6
_CONTENTS_IN_NOTE = re.compile(
    r"\W*(?:(?:из|в) )?(?:содерж\w*|contents|inhalt|enth\w*)[^:]{0,20}:\s*(.+)", re.IGNORECASE
)
_BETWEEN_SENTENCES = re.compile(r"(?<=\w\w)[.!?]\s+(?=[^\W\d_])")
_KINDS_OF_ONE = ("genre:prose", "genre:drama", "genre:verse")
_BETWEEN_NAMES = re.compile(r" ; |\. ")
_BETWEEN_CONTENTS = re.compile(r"\s*(?:--|—|;)\s*|\.\s+[—–-]\s+|(?<=\w)\.?\s+(?=(?:Т|Vol|Bd|Кн)\.\s*\d+\s*[:.])")
_VOLUME_LABEL = re.compile(r"^\s*(?:Т|Vol|V|Bd|Кн|Ч)\.?\s*[\dIVX]+\s*[:.]\s*", re.IGNORECASE)
_AND_OTHERS = re.compile(r"\s*\[?(?:и др|i dr|etc|u\.a|et al)\.?\]?\s*$")


def titles_in_title(title: TitleInfo, traits: Sequence[str]) -> list[str]:
    """Return the titles of an omnibus: «Гроза. Лес : пьесы», «Часы ; Пакет», «Избранное : Поединок : Гамбринус».

    Two that a full stop divides may be one title, unless the kind of the work is known to be literature.
    """
    pieces = [piece.strip() for piece in title.title.split(" ; ")]
    if len(pieces) == 1 and not title.part_number and not any(trait.startswith("kind") for trait in traits):
        sentences = [piece.strip() for piece in _BETWEEN_SENTENCES.split(title.title.rstrip("."))]
        is_literature = any(trait.startswith("genre") for trait in traits)
        if len(sentences) > (1 if is_literature else 2) and all(map(_may_be_sentence, sentences)):
            pieces = sentences
    further = [piece.strip() for text in title.sub_title for piece in text.split(" : ")]
    if len(further) > 1 and any(map(_may_be_title, further)) and all(map(_may_be_in_omnibus, further)):
        pieces += further
    further = [piece for text in title.sub_title for piece in text.split(" ; ")[1:]]
    pieces += [piece for piece in further if _may_be_title(piece) or _is_of_stories(piece)]
    if len(pieces) == 1 and len(title.part_name) == 1 and not title.part_number:
        pieces = _BETWEEN_NAMES.split(title.part_name[0])
    return pieces if len(pieces) > 1 else []


def _may_be_sentence(piece: str) -> bool:
    """Whether a sentence of a title proper may be the title of a work by itself."""
    return (
        piece[:1].isupper()
        and len(piece.split()) <= _MAX_WORDS
        and piece[-1:] != "."
        and not is_designation(piece)
        and not work_title_key(piece).is_generic
    )


def _may_be_title(piece: str) -> bool:
    """Whether other title information may be the title of a work by itself."""
    return _may_be_sentence(piece) and not traits_of(piece, "text")


def _is_of_stories(piece: str) -> bool:
    """Whether other title information names further works by their kind: «Мастер и Маргарита : роман ; Рассказы»."""
    return piece[:1].isupper() and "genre:stories" in traits_of(piece, "text")


def _may_be_in_omnibus(piece: str) -> bool:
    """Whether a piece of other title information may name a work or several, and not the kind of a single one."""
    is_kind = any(trait in _KINDS_OF_ONE for trait in traits_of(piece, "text"))
    return piece[:1].isupper() and not is_kind and not is_designation(piece) and not TRANSLATION.search(piece)


def stated_contents(mods: Mods, notes: Iterable[str]) -> list[str]:
    """Return the tables of contents, and the notes on contents."""
    found = [match[1] for note in notes if (match := _CONTENTS_IN_NOTE.match(note))]
    return [*(contents.value for contents in mods.table_of_contents), *found]


def entries_of_contents(stated: Iterable[str]) -> Iterator[str]:
    """Yield the entries of tables of contents, without their statements of responsibility."""
    for contents in stated:
        pieces = _BETWEEN_CONTENTS.split(contents)
        if len(pieces) == 1:
            pieces = _BETWEEN_SENTENCES.split(contents)
        for piece in pieces[:_MAX_CONTENTS]:
            text = _AND_OTHERS.sub("", _VOLUME_LABEL.sub("", piece.partition(" / ")[0])).strip(" .")
            if len(text) > 2:
                yield text
