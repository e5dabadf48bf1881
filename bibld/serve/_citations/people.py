"""The people of a reference: each once, although descriptions name them in two scripts and with initials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from bibld.model import mods as m
from bibld.model.card import name_text
from bibld.text.names import is_initial_form_of, person_key
from bibld.text.romanisation import romanise, transcription_key
from bibld.text.scripts import has_cyrillic

_IN_PARENTHESES = re.compile(r"\(([^()]*)\)")


class Person(msgspec.Struct, frozen=True):
    """A person or organisation; an organisation, and a person without a family name, has ``family`` only.

    ``other_forms`` are headings with the name in another script or with initials.
    """

    family: str
    given: str = ""
    is_organisation: bool = False
    other_forms: tuple[str, ...] = ()

    @property
    def initials(self) -> str:
        """The initials of the given names: ``Л. Н.``, ``Ж.-Ж.``; particles stay as they are."""
        words = re.sub(r"\.(?=\w)", ". ", self.given).split()
        return " ".join(map(_initial, words))

    @property
    def heading(self) -> str:
        """The name as a heading: the family name first."""
        return ", ".join(filter(None, (self.family, self.given)))

    @property
    def spoken(self) -> str:
        """The name with the given names first."""
        return " ".join(filter(None, (self.given, self.family)))


def people_of(names: Sequence[m.Name], is_russian: bool) -> tuple[Person, ...]:
    """Return each person once: of a name in two scripts the form in the script of the title."""
    found: list[Person] = []
    linked: dict[str, int] = {}
    for name in names:
        person = person_of(name)
        if not person.family:
            continue
        group = name.alt_rep_group or ""
        at = linked.get(group) if group else None
        if at is None:
            at = next((at for at, each in enumerate(found) if is_same_person(each, person)), len(found))
        found[at : at + 1] = [_merged(found[at], person, is_russian) if at < len(found) else person]
        if group:
            linked[group] = at
    return tuple(found)


def person_of(name: m.Name) -> Person:
    """Return the person or organisation that a name in a description is."""
    parts = {kind: plain(" ".join(p.value for p in name.name_part if p.type == kind)) for kind in ("family", "given")}
    if name.type not in (None, "personal", "family"):
        text = ". ".join(plain(part.value).rstrip(".") for part in name.name_part if part.type != "date")
        return Person(text or plain(name_text(name)), "", is_organisation=True)
    if parts["family"]:
        return Person(parts["family"].rstrip("."), _full_given(parts["given"]))
    text = next((part.value for part in name.name_part if part.type is None and part.value), "")
    family, _, given = plain(text or parts["given"] or name_text(name)).partition(",")
    return Person(family.strip(), _full_given(given))


def find_person(person: Person, headings: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the key of the only heading that names a person; empty if none does, or more than one.

    ``headings`` are pairs of a key and the forms of a name. They can be in another script, with dates, with a title of
    nobility or with initials. A heading with the same names precedes those with initials.
    """
    forms = [(key, name) for key, names in headings for name in names]
    wanted = _key(person.heading)
    equal = {key for key, name in forms if wanted and _key(name) == wanted}
    if not equal and person.is_organisation:
        return ""
    found = equal or {key for key, name in forms if _is_form_of(person.heading, name)}
    return found.pop() if len(found) == 1 else ""


def is_same_person(one: Person, other: Person) -> bool:
    """Whether two names can be one person: in two scripts initials suffice, as names are translated, too."""
    if has_cyrillic(one.family) == has_cyrillic(other.family):
        headings = _latin_heading(one.heading), _latin_heading(other.heading)
        return person_key(headings[0]) == person_key(headings[1]) or _is_form_of(*headings)
    names = [(transcription_key(each.family), romanise(each.given)[:1]) for each in (one, other)]
    return names[0] == names[1]


def plain(text: str) -> str:
    """Return a text on one line, without what separated it from the next part of the description."""
    return " ".join(text.split()).strip(" /:;,=")


def _merged(present: Person, person: Person, is_russian: bool) -> Person:
    is_better = has_cyrillic(present.family) != is_russian and has_cyrillic(person.family) == is_russian
    best, other = (person, present) if is_better else (present, person)
    forms = dict.fromkeys((*present.other_forms, other.heading))
    forms.pop(best.heading, None)
    return msgspec.structs.replace(best, other_forms=tuple(forms))


def _key(heading: str) -> str:
    return person_key(_latin_heading(heading))


def _is_form_of(one: str, other: str) -> bool:
    """Whether one of two headings is the other one with initials or without a patronymic."""
    one, other = _latin_heading(one), _latin_heading(other)
    return is_initial_form_of(one, other) or is_initial_form_of(other, one)


def _latin_heading(heading: str) -> str:
    """Return the family name and the given names in a form that is equal for all scripts, without what follows."""
    family, given = [*_IN_PARENTHESES.sub("", heading).split(","), "", ""][:2]
    given = "" if any(map(str.isdigit, given)) else given
    return ", ".join(filter(None, map(transcription_key, (family, given))))


def _full_given(given: str) -> str:
    """Return given names; those in parentheses, which write out initials, instead of these."""
    full = _IN_PARENTHESES.findall(given)
    return plain(full[0] if full and full[0].strip() else _IN_PARENTHESES.sub("", given))


def _initial(word: str) -> str:
    if not word[0].isupper():
        return word
    parts = [part for part in re.split(r"[-‐]", word) if part]
    return "-".join(f"{part[0]}." for part in parts) or word
