"""Evidence of one publication that agents, publishers or series with different IRIs are the same."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from bibld.text.abbreviations import is_abbreviation
from bibld.triplify._claims import EntityClaim, NameForm
from bibld.triplify._codes import CREATOR_ROLES
from bibld.triplify._describe.agents import MOST_NAMESAKES
from bibld.triplify._draft import Draft, Form, Mention
from bibld.triplify._entity_clusters import ABBREVIATION_TIE, PUBLICATION_TIE, Interval


def tie_agents(draft: Draft) -> None:
    """Claim for each pair of persons that the publication shows to be the same that they are tied.

    These are persons with compatible names and the same years of birth and of death; and persons in the same role, none
    of whose records names both, with the same family name and the same year of birth, or with compatible names if one
    of them has no dates but a number.
    """
    by_family: dict[str, list[Mention]] = defaultdict(list)
    for mention in dict.fromkeys(draft.mentions):
        if mention.is_identified:
            for family in {name.family for name in mention.names}:
                by_family[family].append(mention)
    ties = {
        tuple(sorted((one.agent, other.agent)))
        for namesakes in by_family.values()
        if len(namesakes) <= MOST_NAMESAKES
        for one, other in combinations(namesakes, 2)
        if one.agent != other.agent and _are_the_same(one, other)
    }
    for pair in sorted(ties):
        tie = PUBLICATION_TIE + " ".join(pair)
        for agent in pair:
            claim = EntityClaim(NameForm(""), type="personal", ties=(tie,))
            draft.add_claim(agent, "agent", claim, "")


def tie_abbreviations(draft: Draft) -> None:
    """Claim for publishers and series that they may be those that other records of the publication name in full."""
    ties: dict[Form, set[str]] = defaultdict(set)
    for one, other in combinations(dict.fromkeys(draft.forms), 2):
        if (
            one.entity == other.entity
            or (one.kind == "series") != (other.kind == "series")
            or one.records & other.records
        ):
            continue
        for short, full in ((one, other), (other, one)):
            if is_abbreviation(short.text, full.text):
                for form in (one, other):
                    ties[form].add(ABBREVIATION_TIE + short.entity)
    for form, stated in ties.items():
        name_type = "" if form.kind == "series" else "corporate"
        claim = EntityClaim(NameForm(""), type=name_type, ties=tuple(sorted(stated)))
        draft.add_claim(form.entity, form.kind, claim, "")


def _are_the_same(one: Mention, other: Mention) -> bool:
    (born, died), (other_born, other_died) = one.life, other.life
    if _differ(born, other_born) or _differ(died, other_died):
        return False
    are_compatible = any(these.is_compatible(those) for these in one.names for those in other.names)
    if are_compatible and born is not None and died is not None and one.life == other.life:
        return True
    if one.records & other.records or not have_common_role(one, other):
        return False
    return (born is not None and born == other_born) or (are_compatible and (born is None or other_born is None))


def have_common_role(one: Mention, other: Mention) -> bool:
    """Whether two agents may have done the same for a publication; no stated role may be any."""
    return not one.roles or not other.roles or bool(_general(one.roles) & _general(other.roles))


def _general(roles: frozenset[str]) -> frozenset[str]:
    return roles | {"cre"} if roles & CREATOR_ROLES else roles


def _differ(one: Interval | None, other: Interval | None) -> bool:
    return one is not None and other is not None and (one[1] < other[0] or other[1] < one[0])
