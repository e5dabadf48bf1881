"""Names that matching compares: of those who made a publication, of its translators, and of its publishers."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache

from bibld.model.mods import AlternativeName, Mods, Name, Role
from bibld.text.folding import strip_brackets
from bibld.text.keys import body_key, spelling_key
from bibld.text.names import other_names, person_key
from bibld.text.part_units import words_of
from bibld.text.romanisation import spell_carons
from bibld.text.scripts import repair_initials

STATEMENT = "statement of responsibility"
"""The type of notes that state who made a publication."""

_CACHED = 1 << 14
_other_names = lru_cache(_CACHED)(other_names)
_NOT_RESPONSIBLE = words_of(
    "pbl prt bsl fmo own dnr bnd dst dte ins mfr pop rps his "
    "publisher printer bookseller owner donor binder distributor dedicatee издатель типография владелец"
)
"""Roles (codes, or last words) of those who did not make the content: printers, booksellers, former owners."""
_PUBLISHES = words_of("pbl prt publisher printer издатель типография")
_TRANSLATES = words_of("trl 730 translator переводчик übersetzer traducteur tłumacz перекладач")
_TRANSLATED_BY = re.compile(
    r"(?:[Пп]ер\.|[Пп]еревод\w*|[Пп]ерев\.|[Tt]ransl(?:\.|ated)(?: by)?|[Üü]bers(?:\.|etzt)?(?: von)?"
    r"|[Tt]rad(?:\.|uit)(?: par)?)"
    r"\s*(?:(?:с|со|from|aus)(?: the)? [\w.]+\s+)?(?:[А-ЯA-Z]\.[ -]?){1,2}([А-ЯЁA-Z][\w-]{3,})"
)
_STEMS_OF_TRANSLATED = ("пер", "Пер", "rans", "bers", "rad")
_LETTERS_OF_FAMILY_NAME = 4
_PARTS_OF_HEADING = (None, "family", "given")


def heading_of(name: Name | AlternativeName) -> str:
    """Return a name as a heading: family name first, without dates and titles."""
    parts = [part for part in name.name_part if part.type in _PARTS_OF_HEADING]
    if len(parts) == 2 and parts[0].type == "family":
        return f"{parts[0].value}, {parts[1].value}"
    return " ".join([part.value for part in parts])


def names_of(mods: Mods) -> Iterator[str]:
    """Yield all names; behind a name its other forms, each with a mark."""
    groups: dict[str, list[str]] = {}
    for number, name in enumerate(mods.name):
        if name.role and all(_is_among(_NOT_RESPONSIBLE, role) for role in name.role):
            continue
        is_personal = name.type == "personal"
        forms = groups.setdefault(name.alt_rep_group or str(-number - 1), [])
        forms.append(name_key(heading_of(name), is_personal))
        forms += [name_key(heading_of(other), is_personal) for other in name.alternative_name]
        if is_personal:
            if (spelled := spell_carons(heading_of(name))) != heading_of(name):
                forms.append(name_key(spelled, True))
            texts = [part.value for part in name.name_part if part.type != "date"]
            forms += [name_key(other, True) for text in (*texts, *name.description) for other in _other_names(text)]
    known: set[str] = set()
    for forms in groups.values():
        first, *others = dict.fromkeys(filter(None, forms)) or ("",)
        if first and first not in known:
            known.add(first)
            yield first
            yield from (f"{other} =" for other in others)


def translators_of(mods: Mods) -> Iterator[str]:
    """Yield the beginnings of the family names of translators, from headings and statements of responsibility."""
    for name in mods.name:
        if any(_is_among(_TRANSLATES, role) for role in name.role):
            yield _beginning_of_family_name(name_key(heading_of(name), True))
    for note in mods.note:
        if note.type == STATEMENT and any(stem in note.value for stem in _STEMS_OF_TRANSLATED):
            yield from (
                _beginning_of_family_name(spelling_key(family)) for family in _TRANSLATED_BY.findall(note.value)
            )


def publishers_of(mods: Mods) -> Iterator[str]:
    """Yield the publishers of the imprint; if it has none, the headings of publishers and printers."""
    stated = [publisher.value for info in mods.origin_info for publisher in info.publisher]
    headings = (heading_of(name) for name in mods.name if any(_is_among(_PUBLISHES, role) for role in name.role))
    yield from (spelling_key(strip_brackets(publisher)) for publisher in stated or headings)


def _beginning_of_family_name(name: str) -> str:
    """Return as much of a family name as is the same in all cases."""
    return name.partition(" ")[0][:_LETTERS_OF_FAMILY_NAME].rstrip("aeiou")


def _is_among(roles: Container[str], role: Role) -> bool:
    """Return whether a role is one of some roles; of several words the last one counts."""
    return any(term.value.casefold().strip(" .?").rpartition(" ")[2] in roles for term in role.role_term)


@lru_cache(_CACHED)
def name_key(heading: str, is_personal: bool) -> str:
    """Return the key of the heading of a person or a body."""
    return spelling_key(person_key(repair_initials(heading))) if is_personal else body_key(heading)
