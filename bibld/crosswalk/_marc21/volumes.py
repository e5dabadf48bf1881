"""Volumes whose record states the set in 773, and those whose title depends on that of the set (leader/19)."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._designations import is_generic_title, split_designation
from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.fixed import leader_code
from bibld.crosswalk._texts import chop
from bibld.model.marc import DataField
from bibld.model.mods import TitleInfo

_MONOGRAPH = "m"
_INDEPENDENT_TITLE, _DEPENDENT_TITLE = "b", "c"
"""Leader/19."""

_CONTINUED = ("...", "…")


class StatedTitle(NamedTuple):
    """The title of a linked resource as one text gives it: ``Title : subtitle / responsibility``."""

    title: str
    sub_title: str
    responsibility: str


def stated_title(text: str) -> StatedTitle:
    """Divide a title at the marks of ISBD.

    >>> stated_title("Обзор происшествий : [в 3 ч.] / соч. А. Вейдемейера")
    StatedTitle(title='Обзор происшествий', sub_title='[в 3 ч.]', responsibility='соч. А. Вейдемейера')
    """
    titles, _, responsibility = text.partition(" / ")
    title, _, sub_title = titles.partition(" : ")
    return StatedTitle(chop(title), chop(sub_title), responsibility.strip())


def is_volume(view: Marc21View) -> bool:
    """Whether the record describes a volume of the set in 773: its leader or its title states that."""
    if leader_code(view, 7) != _MONOGRAPH or not view.has("773"):
        return False
    in_leader = leader_code(view, 19) in (_INDEPENDENT_TITLE, _DEPENDENT_TITLE)
    return in_leader or any(is_generic_title(chop(field.first("a") or "")) for field in view.fields("245"))


def with_designation(title: TitleInfo) -> TitleInfo:
    """Return a title whose part number is the designation at the end of its remainder, where it has no part."""
    if not title.sub_title or title.part_number or title.part_name:
        return title
    sub_title, designation = split_designation(title.sub_title[0])
    if not designation:
        return title
    return replace(title, sub_title=(sub_title,) if sub_title else (), part_number=(designation,))


def title_in_set(field: DataField, own: TitleInfo, view: Marc21View) -> TitleInfo:
    """Return the title of a volume: that of the set with the title in 245 as its part, where that one is dependent."""
    stated = stated_title(next((text for link in view.fields("773") for text in link.values("t")), ""))
    if not stated.title or not is_volume(view) or view.is_alternate(field) or own.part_number or own.part_name:
        return own
    is_number = is_generic_title(own.title)
    is_dependent = leader_code(view, 19) == _DEPENDENT_TITLE or own.title.startswith(_CONTINUED)
    if not (is_number or is_dependent) or own.title.casefold().startswith(stated.title.casefold()):
        return own
    part = f"{own.non_sort or ''}{own.title}"
    return TitleInfo(
        title=stated.title,
        sub_title=(stated.sub_title,) if stated.sub_title else (),
        part_number=(part,) if is_number else (),
        part_name=own.sub_title if is_number else (part, *own.sub_title),
    )
