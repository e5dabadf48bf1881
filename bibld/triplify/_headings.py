"""Names as headings, and what an agent did by the roles of its names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from bibld.model.mods import Mods, Name, Role
from bibld.model.relators import TERM_OF_RELATOR, relators_of
from bibld.text.folding import fold, tidy, trim
from bibld.triplify._codes import (
    CREATOR_ROLES,
    CREATOR_ROLES_OF_CONTENT,
    CREATOR_ROLES_OF_MAIN_ENTRY,
    ROLES_WITHOUT_CONTRIBUTION,
)

_NAMES_REMEMBERED = 16_384
_ROMAN_NUMERAL = re.compile(r"[IVXLCM]+\.?")
_RELATOR_IRI = re.compile(r"https?://(?:www\.)?id\.loc\.gov/vocabulary/relators/([a-z]{3})")


@lru_cache(maxsize=_NAMES_REMEMBERED)
def heading(name: Name) -> str:
    """Return a name as a heading, without dates."""
    parts: dict[str | None, list[str]] = {}
    for part in name.name_part:
        parts.setdefault(part.type, []).append(tidy(part.value))
    stems = [trim(part) for part in parts.get(None, ()) if trim(part)]
    family, given = " ".join(parts.get("family", ())), " ".join(parts.get("given", ()))
    if family or given:
        stems.append(f"{family}, {given}" if family and given else family or given)
    stem = _join_parts(stems, ". " if name.type == "corporate" else ", ")
    if not stem:
        stem = next((trim(form) for form in name.display_form if tidy(form)), "")
    if not stem or "termsOfAddress" not in parts:
        return stem
    return _join_parts([stem, *filter(None, map(trim, parts["termsOfAddress"]))], ", ")


def _join_parts(parts: Sequence[str], between: str) -> str:
    """Join the parts of a heading; a blank is enough before a qualifier in parentheses."""
    others = (f" {part}" if part.startswith("(") else f"{between}{part}" for part in parts[1:])
    return "".join((*parts[:1], *others))


@lru_cache(maxsize=_NAMES_REMEMBERED)
def heading_to_compare(name: Name) -> str:
    """Return a name as a heading, without dates and terms of address other than the numerals of rulers.

    A name of one word without dates needs its terms: ``Alexander, of Aphrodisias``.
    """
    if not any(part.type == "termsOfAddress" for part in name.name_part):
        return heading(name)
    parts = (
        part for part in name.name_part if part.type != "termsOfAddress" or _ROMAN_NUMERAL.fullmatch(trim(part.value))
    )
    stem = heading(Name(name_part=tuple(parts), display_form=name.display_form, type=name.type))
    return stem if len(stem.split()) > 1 or (stem and dates_of(name)) else heading(name)


def dates_of(name: Name) -> str:
    """Return the dates of a name, as stated."""
    return next((trim(tidy(part.value)) for part in name.name_part if part.type == "date"), "")


def roles_of(names: Sequence[Name]) -> tuple[list[str], list[str]]:
    """Return the relator codes of an agent, and the terms of roles that have no code, each once."""
    codes: dict[str, None] = {}
    terms: dict[str, None] = {}
    for name in names:
        for role in name.role:
            found = _codes_of(role)
            codes.update(dict.fromkeys(found))
            if not found:
                terms.update(dict.fromkeys(tidy(stated.value) for stated in role.role_term if tidy(stated.value)))
    return list(codes), list(terms)


def _codes_of(role: Role) -> list[str]:
    found: dict[str, None] = {}
    for stated in role.role_term:
        value = tidy(stated.value)
        links = (match[1] for text in (value, stated.value_uri or "") if (match := _RELATOR_IRI.fullmatch(text)))
        link = next(links, None)
        code = value.lower().rstrip(" .,")
        is_code = code in TERM_OF_RELATOR and (stated.authority in (None, "marcrelator") or code != value)
        named = relators_of(value)
        if link is not None:
            found[link] = None
        elif is_code and not (named and stated.type == "text"):
            found[code] = None
        else:
            found |= dict.fromkeys(named)
    return list(found)


class Roles(msgspec.Struct, frozen=True):
    """What an agent did for a resource.

    ``terms`` are roles without a code; ``is_primary``: the resource is entered under the agent; ``is_creator``: the
    roles, or without one the main entry, make the agent a creator.
    """

    codes: tuple[str, ...]
    terms: tuple[str, ...]
    is_primary: bool
    is_creator: bool

    @classmethod
    def from_names(cls, mods: Mods, names: Sequence[Name]) -> Roles:
        """Return the roles that the names of one agent state.

        A record that is entered under a name without a role has it as that of the creator; a sound recording may also
        be entered under a performer, who is one if the note on performers names the agent. A role that another record
        states is stronger, unless it is no part in the content.
        """
        codes, terms = roles_of(names)
        contents = frozenset(tidy(kind.value).lower() for kind in mods.type_of_resource)
        is_primary = any(name.usage == "primary" for name in names)
        is_silent = not terms and ROLES_WITHOUT_CONTRIBUTION.issuperset(codes)
        is_entry = is_silent and any(name.usage == "primary" and not name.role for name in names)
        if is_entry and any(map(_is_recording, contents)) and any(_is_performer(mods, name) for name in names):
            codes, is_entry = [*codes, "prf"], False
        is_creator = is_entry or any(
            code in CREATOR_ROLES
            or (is_primary and code in CREATOR_ROLES_OF_MAIN_ENTRY)
            or any(code in CREATOR_ROLES_OF_CONTENT.get(content, ()) for content in contents)
            for code in codes
        )
        return cls(tuple(codes), tuple(terms), is_primary, is_creator)

    def dublin_core(self) -> list[str]:
        """Return the properties of DCMI that lead to the agent; none for one who had no part in the content."""
        if self.is_creator:
            return ["dcterms:creator"]
        has_no_part = bool(self.codes) and not self.terms and ROLES_WITHOUT_CONTRIBUTION.issuperset(self.codes)
        return ["dcterms:publisher"] * ("pbl" in self.codes) + ["dcterms:contributor"] * (not has_no_part)


def _is_recording(content: str) -> bool:
    return content.startswith("sound recording")


def _is_performer(mods: Mods, name: Name) -> bool:
    """Whether the note on performers has all words of a name."""
    words = set(fold(heading(name)).split())
    return any(words <= set(fold(note.value).split()) for note in mods.note if note.type == "performers")
