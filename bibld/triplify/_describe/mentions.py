"""Which agent of the publication another text of its description means: a name with a title, or a publisher."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from bibld.model.mods import Name
from bibld.text.names import family_and_given
from bibld.text.publishers import AUTHOR, acronym, back_reference, publisher_key, publisher_label
from bibld.triplify._codes import CREATOR_ROLES
from bibld.triplify._dates import life_intervals
from bibld.triplify._draft import Draft, Life, Mention
from bibld.triplify._headings import dates_of, heading, heading_to_compare
from bibld.triplify._identity import RomanisedName, parse_person_name

_NAMES_REMEMBERED = 16_384


def find_mentioned(draft: Draft, name: Name) -> str | None:
    """Return the only agent that the publication names with the same heading; None if there is none, or a second one.

    The author in a linking entry, or of a work that the publication contains, is the agent of the same heading. A
    linking entry has no type of the name.
    """
    person = parse_person_name(heading_to_compare(name)) if name.type in (None, "personal") else None
    body = publisher_key(heading(name)) if name.type != "personal" else None
    life = life_intervals(dates_of(name))
    return _only_agent(
        mention
        for mention in draft.mentions
        if (person in mention.names or body in mention.organisations)
        and "subject" not in mention.roles
        and not lives_differ(life, mention.life)
    )


def find_publisher(draft: Draft, text: str) -> str | None:
    """Return the only agent of the publication that the text of a publisher means; None if it may be somebody else.

    The text is the name of a person (``Tendai R. Mwanaka``), or refers to a heading of the record: ``The Bureau`` to
    the body whose last unit is a bureau, ``FDA`` to that with these initials, ``the author`` to the creator.
    """
    word = back_reference(text) or acronym(text)
    if word == AUTHOR:
        return _only_agent(mention for mention in draft.mentions if mention.names and _is_creator(mention))
    if word:
        return _only_agent(mention for mention in draft.mentions if word in mention.short_names)
    person = _parse_name_of_person(publisher_label(text))
    if person is None:
        return None
    return _only_agent(mention for mention in draft.mentions if any(map(person.is_compatible, mention.names)))


def lives_differ(one: Life, other: Life) -> bool:
    """Whether two persons were born, or died, in different years."""
    return any(
        these is not None and those is not None and (these[1] < those[0] or those[1] < these[0])
        for these, those in zip(one, other, strict=True)
    )


def _only_agent(mentions: Iterable[Mention]) -> str | None:
    agents = {mention.agent for mention in mentions}
    return agents.pop() if len(agents) == 1 else None


def _is_creator(mention: Mention) -> bool:
    return not mention.roles.isdisjoint(CREATOR_ROLES)


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _parse_name_of_person(text: str) -> RomanisedName | None:
    """Parse a name with the given names first, or after a comma; None for one without given names."""
    parts = family_and_given(text)
    person = parse_person_name(", ".join(parts) if parts is not None else text)
    return person if person is not None and person.given else None
