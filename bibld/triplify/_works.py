"""Which work a publication is an edition of, and what identifies a work that a description names."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.model.mods import Mods, Name, TitleInfo


class WorkFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What decides whether two works are the same.

    ``form`` is what the work is made of: ``text`` (printed, electronic or read aloud), ``music`` (score or
    performance), ``film`` and so on. ``language`` is the ISO 639-2 code of the language of a text. ``creators`` and
    ``translators`` are keys of names. ``part`` is the designation of a part, empty for a whole. Works with an equal
    text among their ``ties`` may be the same.
    """

    form: str = "text"
    language: str = ""
    creators: tuple[str, ...] = ()
    translators: tuple[str, ...] = ()
    part: str = ""
    ties: tuple[str, ...] = ()


class NamedWork(msgspec.Struct, frozen=True):
    """A work that a description names: the forms of its title, the preferred one first, its creators, its facts.

    ``names`` are the names of the creators with their paths in the description (``name/0``).
    """

    titles: tuple[TitleInfo, ...]
    names: tuple[tuple[Name, str], ...]
    facts: WorkFacts
    path: str


class PublicationWorks(msgspec.Struct, frozen=True):
    """The work of a publication, and what the publication states of its relations to other works.

    ``original`` is the work that it is a translation of, ``whole`` the set, serial or collection that it is a part of,
    ``bases`` are works that it is derived from (an adaptation, a libretto, an abridgement), ``contents`` those that it
    contains.
    """

    own: NamedWork
    original: NamedWork | None = None
    whole: NamedWork | None = None
    bases: tuple[NamedWork, ...] = ()
    contents: tuple[NamedWork, ...] = ()


def find_works(mods: Mods) -> PublicationWorks:
    """Return the works that a description names, from all its elements but the headings of other works."""
    titles = (
        [t for t in mods.title_info if t.type == "uniform"]
        or [t for t in mods.title_info if t.type is None]
        or list(mods.title_info)
    )
    titles = titles[:1] or [TitleInfo(title="[Untitled]")]
    names = tuple((n, f"name/{i}") for i, n in enumerate(mods.name) if n.usage == "primary")
    return PublicationWorks(NamedWork(tuple(titles), names, facts_of_heading(titles, [n for n, _ in names]), ""))


def facts_of_heading(
    titles: Sequence[TitleInfo], creators: Sequence[Name], form: str = "text", language: str = ""
) -> WorkFacts:
    """Return the facts of a work that a heading of a name and a title names (600, 700 with $t; 130, 240)."""
    from bibld.text.keys import spelling_key, title_key

    t = " ".join(p.value for n in creators for p in n.name_part if p.type is None)
    ties = (f"work {spelling_key(t)}|{title_key(titles[0].title)}",) if t and titles[0].title else ()
    return WorkFacts(form=form, ties=ties)
