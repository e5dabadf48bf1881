"""Who created, translated or edited the work of a publication, as keys of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from bibld.model.mods import Mods, Name, Role
from bibld.text.folding import tidy
from bibld.text.keys import body_key
from bibld.text.names import other_names
from bibld.text.scripts import has_cyrillic, repair_initials
from bibld.text.statements import (
    CYRILLIC_NAME,
    Responsibility,
    StatedName,
    are_one_name,
    composer_in_title,
    name_word,
    read_statement,
)
from bibld.triplify._claims import BETWEEN_FORMS, BODY
from bibld.triplify._codes import CREATOR_ROLES, CREATOR_ROLES_OF_CONTENT, CREATOR_ROLES_OF_MAIN_ENTRY
from bibld.triplify._headings import heading, heading_to_compare, roles_of

STATEMENT = "statement of responsibility"
_CACHED = 1 << 14
_TRANSLATORS = frozenset(("trl", "adp"))
_MAX_CREATORS = 6
_MAX_FORMS = 5
_CREATORS_OF_WORK = CREATOR_ROLES | frozenset(("arr",))
_CREATORS_OF_CONTENT = {**CREATOR_ROLES_OF_CONTENT, "moving image": frozenset(("drt", "fmd"))}


class Creator(msgspec.Struct, frozen=True):
    """A person or body that created a work: the forms of the name as keys, and where it is in the description."""

    forms: tuple[str, ...]
    names: tuple[tuple[Name, str], ...] = ()

    @property
    def key(self) -> str:
        """All forms as one text."""
        return BETWEEN_FORMS.join(self.forms)

    @property
    def is_body(self) -> bool:
        """Whether it is no person."""
        return self.forms[0].startswith(BODY)


class People(msgspec.Struct, frozen=True):
    """The creators of a work, its translators, and others who took part, as keys."""

    creators: tuple[Creator, ...] = ()
    translators: tuple[str, ...] = ()
    retellers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_translated: bool = False
    is_retold: bool = False


def find_people(mods: Mods, is_of_translators: bool = False) -> People:
    """Return who created, translated, retold or edited a publication, from its names and statements.

    ``is_of_translators``: the statement of an anonymous work names its translators.
    """
    stated = _statements(mods)
    creators, translators, retellers, others = _divide(mods, stated)
    found = _with_statement(_grouped(creators), stated)
    if not found and retellers:
        found, retellers = _grouped(retellers), []
        stated = stated._replace(retellers=(), is_retold=False)
    is_anonymous = not found and is_of_translators
    if not found and not is_anonymous:
        found = [Creator(_forms_of_stated(name)) for name in stated.authors[:_MAX_CREATORS] if not translators]
    if not found:
        in_titles = [name for title in mods.title_info for text in title.sub_title for name in composer_in_title(text)]
        found = [Creator(_forms_of_stated(name)) for name in in_titles[:1]]
    translating = _keys(
        [
            *(key for name, _ in translators for key in forms_of_heading(name)[:1]),
            *_texts(stated.translators),
            *(_texts(stated.authors) if is_anonymous else ()),
        ]
    )
    return People(
        tuple(found[:_MAX_CREATORS]),
        translating,
        _keys([*(key for name, _ in retellers for key in forms_of_heading(name)[:1]), *_texts(stated.retellers)]),
        _keys([*(key for name, _ in others for key in forms_of_heading(name)[:1]), *_texts(stated.others)]),
        bool(translators) or stated.is_translated,
        bool(retellers) or stated.is_retold,
    )


def creators_of_heading(names: Iterable[tuple[Name, str]]) -> tuple[Creator, ...]:
    """Return the names of a heading as creators."""
    return tuple(_grouped([(name, path) for name, path in names if heading(name)])[:_MAX_CREATORS])


def _keys(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:_MAX_CREATORS]


def _texts(names: Iterable[StatedName]) -> list[str]:
    return [name.text for name in names]


def _statements(mods: Mods) -> Responsibility:
    """Return what the statements of responsibility together state."""
    found = [read_statement(note.value) for note in mods.note if note.type == STATEMENT]
    if len(found) == 1:
        return found[0]
    if not found:
        return Responsibility()
    return Responsibility(
        tuple(dict.fromkeys(name for one in found for name in one.authors)),
        tuple(dict.fromkeys(name for one in found for name in one.translators)),
        tuple(dict.fromkeys(name for one in found for name in one.retellers)),
        tuple(dict.fromkeys(name for one in found for name in one.others)),
        any(one.is_translated for one in found),
        any(one.is_retold for one in found),
    )


NamesAtPaths = list[tuple[Name, str]]


def _divide(mods: Mods, stated: Responsibility) -> tuple[NamesAtPaths, NamesAtPaths, NamesAtPaths, NamesAtPaths]:
    """Divide the names into creators, translators, retellers and others."""
    creators: NamesAtPaths = []
    translators: NamesAtPaths = []
    retellers: NamesAtPaths = []
    others: NamesAtPaths = []
    allowed = _CREATORS_OF_WORK.union(
        *(_CREATORS_OF_CONTENT.get(tidy(kind.value).lower(), ()) for kind in mods.type_of_resource),
    )
    for index, name in enumerate(mods.name):
        if not heading(name):
            continue
        codes = _codes(name.role)
        entry = (name, f"name/{index}")
        if ("trl" in codes and not codes & {"aut"}) or (not name.role and _is_translator(name, stated)):
            translators.append(entry)
        elif "adp" in codes and not codes & {"aut"}:
            retellers.append(entry)
        elif codes & allowed or (name.usage == "primary" and (not name.role or codes & CREATOR_ROLES_OF_MAIN_ENTRY)):
            creators.append(entry)
        elif not name.role and (name.type != "personal" or _is_author(name, stated)):
            (creators if name.type == "personal" else others).append(entry)
        else:
            others.append(entry)
    return creators, translators, retellers, others


@lru_cache(_CACHED)
def _codes(roles: tuple[Role, ...]) -> frozenset[str]:
    return frozenset(roles_of([Name(role=roles)])[0])


def _is_author(name: Name, stated: Responsibility) -> bool:
    """Whether the statement of responsibility names a person without a role first."""
    own = as_names(forms_of_heading(name))
    return any(are_one_name(one, author) for one in own for author in stated.authors)


def _is_translator(name: Name, stated: Responsibility) -> bool:
    """Whether the statement of responsibility names a person as the translator, and not as an author."""
    if not stated.translators or name.type != "personal" or _is_author(name, stated):
        return False
    own = as_names(forms_of_heading(name))
    return any(are_one_name(one, translator) for one in own for translator in stated.translators)


def _grouped(names: Sequence[tuple[Name, str]]) -> list[Creator]:
    """Return creators; names that a record pairs in two scripts, and equal ones, are one."""
    groups: dict[str, list[tuple[Name, str]]] = {}
    for number, (name, path) in enumerate(names):
        pair = f"pair {name.alt_rep_group}" if name.alt_rep_group else f"{number}"
        groups.setdefault(pair, []).append((name, path))
    found: list[Creator] = []
    for group in groups.values():
        forms = tuple(dict.fromkeys(form for name, _ in group for form in forms_of_heading(name)))[:_MAX_FORMS]
        same = next((place for place, one in enumerate(found) if set(one.forms) & set(forms)), None)
        if same is None:
            found.append(Creator(forms, tuple(group)))
        else:
            old = found[same]
            found[same] = Creator(tuple(dict.fromkeys((*old.forms, *forms)))[:_MAX_FORMS], (*old.names, *group))
    return found


def _with_statement(creators: list[Creator], stated: Responsibility) -> list[Creator]:
    """Add the authors that the statement names: as another name of the only creator, or as further creators."""
    if not creators or not stated.authors or creators[0].is_body:
        return creators
    known = [as_names(one.forms) for one in creators]
    new = [
        author for author in stated.authors if not any(are_one_name(name, author) for names in known for name in names)
    ]
    if not new:
        return creators
    is_one_person = len(creators) == 1 and len(new) == len(stated.authors) == 1
    if is_one_person:
        first = creators[0]
        forms = tuple(dict.fromkeys((*first.forms, *_forms_of_stated(new[0]))))[:_MAX_FORMS]
        return [msgspec.structs.replace(first, forms=forms)]
    return [*creators, *(Creator(_forms_of_stated(author)) for author in new)]


def _forms_of_stated(name: StatedName) -> tuple[str, ...]:
    return (name.text,)


@lru_cache(_CACHED)
def forms_of_heading(name: Name) -> tuple[str, ...]:
    """Return the keys of a heading: of the person, also of each part of a double name and of other names that it
    states; of a body with ``=`` before."""
    text = heading_to_compare(name)
    if name.type not in ("personal", None, "family"):
        return (BODY + " " + body_key(text),)
    stated = [text, *(other for part in name.name_part if part.type != "date" for other in other_names(part.value))]
    stated += [heading(Name(name_part=one.name_part, type="personal")) for one in name.alternative_name]
    found: dict[str, None] = {}
    for one in stated:
        found |= dict.fromkeys(_person_forms(one))
    return tuple(found)[:_MAX_FORMS] or (BODY + " " + body_key(text),)


def _person_forms(text: str) -> list[str]:
    text = repair_initials(text)
    before, comma, after = text.partition(",")
    outside, _, inside = after.partition("(")
    families = before.partition("(")[0].split()
    if not comma and len(families) > 1 and len(families[0].rstrip(".")) == 1:
        given = [name_word(word) for word in families[:-1]]
        families = families[-1:]
    elif not comma and len(families) > 1:
        given = [name_word(word) for word in families[1:]]
        families = families[:1]
    else:
        given = [name_word(word) for word in outside.replace(".", " ").split() if word[0].isalpha()]
    full = [name_word(word) for word in inside.strip(" )").replace(".", " ").split() if word[0].isalpha()]
    if (
        full
        and given
        and len(full) >= len(given)
        and all(one[:1] == two[:1] for one, two in zip(full, given, strict=False))
    ):
        given = full
    words = [word for word in families if not word.islower()] or families
    family = "".join(map(name_word, words))
    if not family:
        return []
    mark = CYRILLIC_NAME if has_cyrillic(before) else ""
    family = mark + family
    given = [word for word in given if word]
    forms = [" ".join((family, *given))]
    if not comma and given and len(given[-1]) > 1 and len(families) == 1:
        forms.append(" ".join((mark + given[-1], family.lstrip(mark), *given[:-1])))
    if "-" in before and all(len(part) > 2 for part in before.split("-")):
        forms += [" ".join((mark + name_word(part), *given)) for part in before.split("-")]
    return forms


def as_names(forms: Iterable[str]) -> list[StatedName]:
    """Return keys of names as names."""
    return [StatedName(words[0], tuple(words[1:])) for form in forms if (words := form.split())]
