"""The same book as another library would describe it: what training makes pairs of one book from."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from msgspec.structs import replace

from bibld.dedup.score import _wordings as wordings
from bibld.model.mods import Date, Mods, Name, NamePart, OriginInfo, TitleInfo
from bibld.text.names import initial_form
from bibld.text.romanisation import romanise_ala_lc

Held = TypeVar("Held")


def another_wording(mods: Mods, random: Random) -> Mods:
    """Describe a publication as another library would."""
    for chance, change in _WORDINGS:
        if random.random() < chance:
            mods = change(mods, random)
    return mods


def reworded_a_little(mods: Mods, random: Random) -> Mods:
    for chance, change in _WORDINGS:
        if random.random() < chance / 2:
            mods = change(mods, random)
    return mods


def proper(mods: Mods) -> TitleInfo:
    """The title proper."""
    return next((info for info in mods.title_info if info.type is None), mods.title_info[0])


def with_title(mods: Mods, title: TitleInfo) -> Mods:
    held = proper(mods)
    return replace(mods, title_info=tuple(title if info is held else info for info in mods.title_info))


def changed(values: tuple[Held, ...], change: Callable[[Held], Held]) -> tuple[Held, ...]:
    return tuple(change(value) for value in values)


def origins(mods: Mods, change: Callable[[OriginInfo], OriginInfo]) -> Mods:
    return replace(mods, origin_info=changed(mods.origin_info, change))


def _publishers(mods: Mods, random: Random) -> Mods:
    def change(info: OriginInfo) -> OriginInfo:
        return replace(
            info,
            publisher=changed(info.publisher, lambda one: replace(one, value=wordings.abbreviated(one.value, random))),
        )

    return origins(mods, change)


def _places(mods: Mods, random: Random) -> Mods:
    def change(info: OriginInfo) -> OriginInfo:
        places = tuple(
            replace(
                held,
                place_term=tuple(
                    replace(term, value=wordings.place(term.value, random)) if term.type != "code" else term
                    for term in held.place_term
                ),
            )
            for held in info.place
        )
        return replace(info, place=places)

    return origins(mods, change)


def no_imprint(mods: Mods, random: Random) -> Mods:
    return origins(mods, lambda info: replace(info, publisher=(), place=()))


def _dates(mods: Mods, random: Random) -> Mods:
    return origins(
        mods,
        lambda info: replace(
            info,
            date_issued=changed(info.date_issued, lambda one: replace(one, value=wordings.date(one.value, random))),
        ),
    )


def _named(mods: Mods, change: Callable[[str], str]) -> Mods:
    def rewritten(name: Name) -> Name:
        if name.type != "personal":
            return name
        parts = [part for part in name.name_part if part.type in (None, "family", "given")]
        heading = change(", ".join(part.value for part in parts))
        return replace(name, name_part=(NamePart(value=heading),))

    return replace(mods, name=changed(mods.name, rewritten))


def _initials(mods: Mods, random: Random) -> Mods:
    return _named(mods, initial_form)


def _fewer_names(mods: Mods, random: Random) -> Mods:
    return replace(mods, name=mods.name[:1] if random.random() < 0.6 else mods.name[1:])


def _no_subtitle(mods: Mods, random: Random) -> Mods:
    return with_title(mods, replace(proper(mods), sub_title=()))


def _joined_subtitle(mods: Mods, random: Random) -> Mods:
    title = proper(mods)
    joined = random.choice((" : ", ". ", ", ")).join((title.title, *title.sub_title))
    return with_title(mods, replace(title, title=joined, sub_title=()))


def _short_subtitle(mods: Mods, random: Random) -> Mods:
    title = proper(mods)
    return with_title(
        mods, replace(title, sub_title=changed(title.sub_title, lambda one: wordings.abbreviated(one, random)))
    )


def _misspelt(mods: Mods, random: Random) -> Mods:
    return with_title(mods, replace(proper(mods), title=wordings.misspelt(proper(mods).title, random)))


def _no_yo(mods: Mods, random: Random) -> Mods:
    return _titles(mods, lambda text: text.replace("ё", "е").replace("Ё", "Е"))


def _titles(mods: Mods, change: Callable[[str], str]) -> Mods:
    def rewritten(info: TitleInfo) -> TitleInfo:
        return replace(
            info,
            title=change(info.title),
            sub_title=changed(info.sub_title, change),
            part_name=changed(info.part_name, change),
        )

    related = changed(
        mods.related_item,
        lambda item: replace(item, mods=replace(item.mods, title_info=changed(item.mods.title_info, rewritten))),
    )
    return replace(mods, title_info=changed(mods.title_info, rewritten), related_item=related)


def _pre_reform(mods: Mods, random: Random) -> Mods:
    return _titles(mods, wordings.pre_reform)


def _other_level(mods: Mods, random: Random) -> Mods:
    level = random.choice(("multipart monograph", "monographic"))
    return origins(mods, lambda info: replace(info, issuance=(level,)))


def _coded_date(mods: Mods, random: Random) -> Mods:
    """With a second date that contradicts the first, as coded dates do that were mistyped."""

    def added(info: OriginInfo) -> OriginInfo:
        dates = [date for date in info.date_issued if date.value.isdigit()]
        second = [Date(value=str(int(date.value) + random.choice((-2, -1, 1, 2, 10)))) for date in dates[:1]]
        return replace(info, date_issued=(*info.date_issued, *second))

    return origins(mods, added)


def _nested_number(mods: Mods, random: Random) -> Mods:
    title = proper(mods)
    if not title.part_number:
        return mods
    return with_title(mods, replace(title, part_number=(*title.part_number, f"Ч. {random.randint(1, 3)}")))


def _romanised(mods: Mods, random: Random) -> Mods:
    change = romanise_ala_lc
    mods = _named(_titles(mods, change), change)
    return origins(
        replace(mods, note=changed(mods.note, lambda one: replace(one, value=change(one.value)))),
        lambda info: replace(
            info,
            publisher=changed(info.publisher, lambda one: replace(one, value=change(one.value))),
            edition=changed(info.edition, lambda one: replace(one, value=change(one.value))),
            place=tuple(
                replace(held, place_term=changed(held.place_term, lambda term: replace(term, value=change(term.value))))
                for held in info.place
            ),
        ),
    )


def _extents(mods: Mods, random: Random) -> Mods:
    return replace(
        mods,
        physical_description=tuple(
            replace(
                held,
                extent=changed(held.extent, lambda one: replace(one, value=wordings.extent(one.value, random))),
            )
            for held in mods.physical_description
        ),
    )


def no_extent(mods: Mods, random: Random) -> Mods:
    return replace(mods, physical_description=())


def _no_identifiers(mods: Mods, random: Random) -> Mods:
    return replace(mods, identifier=())


def _no_series(mods: Mods, random: Random) -> Mods:
    return replace(mods, related_item=tuple(item for item in mods.related_item if item.type != "series"))


def _no_statement(mods: Mods, random: Random) -> Mods:
    return replace(mods, note=())


def _no_edition(mods: Mods, random: Random) -> Mods:
    return origins(mods, lambda info: replace(info, edition=()))


_Change = Callable[[Mods, Random], Mods]
_WORDINGS: tuple[tuple[float, _Change], ...] = (
    (0.5, _publishers),
    (0.6, _places),
    (0.12, no_imprint),
    (0.3, _dates),
    (0.4, _initials),
    (0.25, _fewer_names),
    (0.2, _no_subtitle),
    (0.2, _joined_subtitle),
    (0.2, _short_subtitle),
    (0.12, _misspelt),
    (0.5, _no_yo),
    (0.35, _extents),
    (0.2, no_extent),
    (0.5, _no_identifiers),
    (0.4, _no_series),
    (0.4, _no_statement),
    (0.25, _no_edition),
    (0.06, _pre_reform),
    (0.08, _other_level),
    (0.05, _coded_date),
    (0.08, _nested_number),
    (0.3, _romanised),
)
"""How often another library writes a thing in another way."""
