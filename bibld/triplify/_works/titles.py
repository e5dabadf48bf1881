"""Titles that tie the work of a publication, and titles in other elements of a description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bibld.model.mods import RelatedItem, TitleInfo
from bibld.text.designations import is_designation
from bibld.text.folding import tidy
from bibld.text.keys import spelling_key
from bibld.text.scripts import CYRILLIC, script_of
from bibld.text.statements import name_word
from bibld.text.work_titles import (
    beginning_of_title,
    title_forms,
    work_title_key,
)
from bibld.triplify._works.facts import Titles, main_title
from bibld.triplify._works.kinds import (
    traits_of,
    without_state_of_law,
)
from bibld.triplify._works.people import Creator

_MIN_WORDS_OF_SUBTITLE, _MAX_WORDS_IN_OMNIBUS = 4, 3
_TITLE_AND_INITIALS = re.compile(r"(.{4,}?[^\W\d_]{2})\s+((?:[А-ЯЁ]\.\s?){1,2}[А-ЯЁ]\w{3,})")
_STATEMENT_OF_CONTENT = re.compile(r"^((?:[А-ЯЁA-Z][\w'-]+ (?:[А-ЯЁA-Z]\. ?){1,2}))(?=[А-ЯЁA-Z])")


def titles_of(texts: Iterable[str], creators: Sequence[Creator] = ()) -> Titles:
    """Return the forms of titles."""
    own: dict[str, None] = {}
    others: dict[str, None] = {}
    for text in texts:
        forms = title_forms(text)
        own |= dict.fromkeys(forms.main)
        others |= dict.fromkeys(forms.others)
        others |= dict.fromkeys(without_name(form, creators) for form in forms.main)
    beginnings = tuple(filter(None, map(beginning_of_title, own)))
    named = [] if creators else [found for text in own if (found := with_name(text))]
    return Titles(tuple(own), tuple(other for other in others if other and other not in own), beginnings, tuple(named))


def with_name(title: str) -> tuple[str, str] | None:
    """Return a Cyrillic title and the name that follows: «Иліада Гомера», «Русские сказки А. Н. Афанасьева».

    Without initials only the first word of two or three may be a title.
    """
    found = _TITLE_AND_INITIALS.fullmatch(title)
    if found:
        return found[1], found[2]
    words = title.split()
    is_name = (
        1 < len(words) <= 3
        and all(word[:1].isupper() for word in words)
        and script_of(title.replace(" ", "")) == CYRILLIC
    )
    return (words[0], words[-1]) if is_name else None


def without_name(title: str, creators: Sequence[Creator]) -> str:
    """Return a title without the family name of its author at its beginning or end: "The Iliad of Homer"."""
    words = title.split()
    if len(words) < 2:
        return ""
    families = {
        form.split()[0].lstrip("*~")[:4] for creator in creators for form in creator.forms if not creator.is_body
    }
    if not families:
        return ""
    first, last = (spelling_key(words[place]).replace("ch", "h")[:4] for place in (0, -1))
    if last in families:
        rest = words[:-1]
        while rest and (rest[-1].casefold() in ("of", "von", "de", "by") or rest[-1].endswith(".")):
            rest.pop()
        return " ".join(rest)
    return " ".join(words[1:]) if first in families else ""


def numbers_of(item: RelatedItem) -> list[str]:
    """Return the designations of parts that a related item has, with their units."""
    return [
        " ".join((*detail.caption[:1], number))
        for part in item.mods.part
        for detail in part.detail
        for number in detail.number
    ]


def with_part_names(title: TitleInfo) -> str:
    """Return a title with the names of the part, without its numbers."""
    names = [name for name in map(tidy, title.part_name) if name and not is_designation(name)]
    return ". ".join((main_title(title), *names))


def title_in_subtitle(text: str) -> str:
    """Return other title information that may be a title by itself: long, and not about editions or readers."""
    plain = without_state_of_law(text).strip(" ()[].,:;")
    is_title = len(plain.split()) >= _MIN_WORDS_OF_SUBTITLE and not traits_of(plain, "text") and plain[:1].islower()
    is_title = is_title and work_title_key(plain).is_specific
    return plain if is_title and not re.match(r"(?:в|in|for|для|с|пер|к|по|being)\b", plain, re.IGNORECASE) else ""


def divide_content(text: str) -> tuple[tuple[Creator, ...], str]:
    """Divide an entry of a table of contents into its author and its title: «Петров С. Сад камней»."""
    found = _STATEMENT_OF_CONTENT.match(text)
    if found is None:
        return (), text
    family, *given = found[1].replace(".", " ").split()
    return (Creator((" ".join(map(name_word, (family, *given))),)),), text[found.end() :]
