"""Pairs made up out of real descriptions: the same book as another library would describe it, and other books that
look alike (another volume, edition, title of the author …).

Training learns from them what the judged pairs at hand do not show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

import msgspec
from msgspec.structs import replace

from bibld.dedup.score import _wordings as wordings
from bibld.dedup.score._rewording import (
    another_wording,
    changed,
    no_extent,
    no_imprint,
    origins,
    proper,
    reworded_a_little,
    with_title,
)
from bibld.model.mods import (
    Date,
    Detail,
    Edition,
    Extent,
    Genre,
    Identifier,
    Language,
    LanguageTerm,
    Mods,
    OriginInfo,
    Part,
    PartExtent,
    PhysicalDescription,
    RelatedItem,
    TitleInfo,
)

_NUMBERED = (
    ("No. {}", 1, 999), ("S. {}", 1, 3000), ("H.R. {}", 1, 15000), ("report {}", 1, 99), ("{}th Congress", 80, 116),
    ("{}", 1900, 1999), ("№ {}", 1, 99), ("за {} год", 1880, 1990), ("на {} г.", 1880, 1990), ("вып. {}", 1, 60),
    ("в {} томе", 1, 30), ("{} год", 1880, 1990), ("circular {}", 1, 900), ("Bericht {}", 1, 99),
)  # fmt: skip
_TITLES_OF_PARTS = ("Сочинения", "Письма", "Произведения", "Избранное", "Works", "Letters", "Writings", "Werke")
_LANGUAGES = ("rus", "eng", "ger", "fre", "tat", "ukr")


class Variation(msgspec.Struct, frozen=True):
    """Two descriptions of one book, or of two; ``kind`` says what was changed."""

    left: Mods
    right: Mods
    is_duplicate: bool
    kind: str


def variations(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[Variation]:
    """Pairs out of one description: three of the same book, and one for each way to be another one that it allows.

    ``others`` are descriptions of other books, whose titles and names are borrowed.
    """
    if not mods.title_info or not proper(mods).title:
        return
    whole = _without_part(mods) if random.random() < 0.2 else mods
    if random.random() < 0.3:
        whole = replace(whole, identifier=(*whole.identifier, _invented(random)))
    if random.random() < 0.1:
        whole = no_extent(whole, random)
    if random.random() < 0.1:
        whole = origins(no_extent(whole, random), lambda info: replace(info, issuance=("serial",)))
    elif random.random() < 0.1:
        whole = _within(whole, random.choice(others))
    for _ in range(3):
        yield Variation(whole, another_wording(whole, random), True, "wording")
    number = random.randint(1, 9)
    volume = in_parts(mods, number, random)
    yield Variation(volume, another_wording(_other_arrangement(volume), random), True, "volume arranged otherwise")
    yield Variation(volume, another_wording(volume, random), True, "volume")
    yield from _titles_that_begin_alike(whole, others, random)
    yield from _numbered_titles(whole, random)
    yield Variation(volume, another_wording(_within_the_set(volume, others, random), random), True, "volume of a part")
    for kind, change in _DIFFERENCES:
        left = volume if kind in _OF_VOLUMES else whole
        other = random.choice(others)
        other_book = change(left, other, random)
        if kind in _IN_ANOTHER_SERIES:
            other_book = _other_series(other_book, other, random)
        yield Variation(left, reworded_a_little(other_book, random), False, kind)


def _titles_that_begin_alike(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[Variation]:
    """Two books of a cycle, which differ in nothing but the second half of their titles."""
    title = proper(mods)
    ends = [proper(other).title for other in random.sample(others, min(2, len(others))) if other.title_info]
    if len(set(ends)) == 2:
        one, other = (with_title(mods, replace(title, title=f"{title.title}. {end}")) for end in ends)
        yield Variation(one, reworded_a_little(other, random), False, "other book of a cycle")
        yield Variation(one, another_wording(one, random), True, "book of a cycle")


def _numbered_titles(mods: Mods, random: Random) -> Iterator[Variation]:
    """Two reports, bills or years of one title, which differ in a number."""
    title = proper(mods)
    wording, lowest, highest = random.choice(_NUMBERED)
    one, other = random.sample(range(lowest, highest), 2)
    if random.random() < 0.5:
        one, other = one, one + random.choice((-2, -1, 1, 2))
    held = [
        with_title(mods, replace(title, sub_title=(*title.sub_title, wording.format(number))))
        if random.random() < 0.5
        else with_title(mods, replace(title, title=f"{title.title} {wording.format(number)}"))
        for number in (one, other)
    ]
    other_book = _aged(_paged(_numbered(held[1], random), random, 0.5), random, (0, 0, 0, 0, 1))
    yield Variation(held[0], reworded_a_little(other_book, random), False, "other number")
    yield Variation(held[0], another_wording(held[0], random), True, "number")


def in_parts(mods: Mods, number: int, random: Random) -> Mods:
    """The description as that of a volume, where it is none yet."""
    title = proper(mods)
    if title.part_number:
        return mods
    word = random.choice(("Т.", "Ч.", "Кн.", "Вып.", "v.", "Bd."))
    return with_title(mods, replace(title, part_number=(f"{word} {number}",)))


def _within(mods: Mods, host: Mods) -> Mods:
    """The description as that of an article in another publication."""
    if not host.title_info:
        return mods
    part = Part(extent=(PartExtent(unit="pages", start="5", end="17"),))
    held = RelatedItem(type="host", mods=Mods(title_info=(proper(host),), part=(part,)))
    other_book = replace(mods, genre=(Genre(value="article"),), related_item=(held,), identifier=())
    return no_imprint(no_extent(other_book, Random(0)), Random(0))


def _other_series(mods: Mods, other: Mods, random: Random) -> Mods:
    """With the series of another book, or none, mostly."""
    borrowed = tuple(item for item in other.related_item if item.type == "series") if random.random() < 0.7 else ()
    if random.random() < 0.4:
        return mods
    return replace(mods, related_item=(*(item for item in mods.related_item if item.type != "series"), *borrowed))


def _without_part(mods: Mods) -> Mods:
    return with_title(mods, replace(proper(mods), part_number=(), part_name=()))


def _other_arrangement(mods: Mods) -> Mods:
    """A volume under the title of its set, as one under its number with the set as host."""
    title = proper(mods)
    if any(item.type == "host" for item in mods.related_item):
        return mods
    number = " ".join(title.part_number)
    host = RelatedItem(
        type="host",
        mods=Mods(
            title_info=(TitleInfo(title=title.title, sub_title=title.sub_title),),
            part=(Part(detail=(Detail(type="volume", number=(number,)),)),),
        ),
    )
    own = TitleInfo(title=" ".join((number, *title.part_name)), part_number=title.part_number)
    return replace(with_title(mods, own), related_item=(*mods.related_item, host))


def _within_the_set(mods: Mods, others: Sequence[Mods], random: Random) -> Mods:
    """A volume under the title of a part of its set, with the set as host."""
    title = proper(mods)
    if any(item.type == "host" for item in mods.related_item):
        return mods
    part = random.choice(others)
    own = random.choice(_TITLES_OF_PARTS) if random.random() < 0.7 or not part.title_info else proper(part).title
    number = Part(detail=(Detail(type="volume", number=title.part_number),))
    host = RelatedItem(
        type="host", mods=Mods(title_info=(replace(title, part_number=(), part_name=()),), part=(number,))
    )
    held = with_title(mods, replace(title, title=own, sub_title=()))
    return replace(held, related_item=(*mods.related_item, host))


def _other_volume(mods: Mods, other: Mods, random: Random) -> Mods:
    title = proper(mods)
    number = random.choice(("1", "2", "3", "4", "10"))
    if any(number in text for text in title.part_number):
        number = "12"
    other_book = replace(title, part_number=(f"{title.part_number[0].split(' ')[0]} {number}",))
    if title.part_name or random.random() < 0.3:
        other_book = replace(other_book, part_name=(proper(other).title,) if other.title_info else ())
    return _aged(_paged(_numbered(with_title(mods, other_book), random), random, 0.7), random, (0, 0, 0, 1, 2))


def _whole_set(mods: Mods, other: Mods, random: Random) -> Mods:
    other_book = _numbered(_without_part(mods), random)
    extent = f"{random.randint(2, 12)} т."
    return replace(other_book, physical_description=(PhysicalDescription(extent=(Extent(value=extent),)),))


def _other_edition(mods: Mods, other: Mods, random: Random) -> Mods:
    number = random.randint(2, 9)
    text = random.choice(
        (f"{number}-е изд., перераб. и доп.", f"Изд. {number}-е", f"{number}th ed.", f"{number}-е изд.")
    )
    other_book = _paged(_numbered(mods, random), random, 0.8)
    is_stated = any(info.edition for info in mods.origin_info)
    other_book = _aged(other_book, random, (1, 1, 2, 2, 3, 4, 5, 7, 10, 0) if is_stated else (1, 1, 2, 3, 5, 10))
    return origins(other_book, lambda info: replace(info, edition=(Edition(value=text),)))


def _reprint(mods: Mods, other: Mods, random: Random) -> Mods:
    other_book = _aged(_numbered(mods, random), random, (2, 3, 4, 5, 6, 8, 12, 20, 40, 60))
    if random.random() < 0.5:
        other_book = replace(other_book, origin_info=_borrowed_imprint(other_book.origin_info, other.origin_info))
    if random.random() < 0.3:
        other_book = origins(other_book, lambda info: replace(info, edition=(Edition(value="Репр. изд."),)))
    return other_book


def _other_title(mods: Mods, other: Mods, random: Random) -> Mods:
    if not other.title_info:
        return _other_volume(in_parts(mods, 1, random), other, random)
    borrowed = proper(other)
    kept = proper(mods).sub_title if random.random() < 0.3 else borrowed.sub_title
    other_book = with_title(mods, replace(proper(mods), title=borrowed.title, sub_title=kept))
    return _aged(_paged(_numbered(other_book, random), random, 0.9), random, (0, 0, 1, 2, 5))


def _other_author(mods: Mods, other: Mods, random: Random) -> Mods:
    other_book = replace(_paged(_numbered(mods, random), random, 0.6), name=other.name, note=())
    if random.random() < 0.5:
        other_book = replace(other_book, origin_info=_borrowed_imprint(other_book.origin_info, other.origin_info))
    return _aged(other_book, random, (0, 0, 0, 1, 2, 3, 5, 10))


def _only_other_author(mods: Mods, other: Mods, random: Random) -> Mods:
    return replace(_numbered(mods, random), name=other.name, note=())


def _translation(mods: Mods, other: Mods, random: Random) -> Mods:
    held = {term.value for language in mods.language for term in language.language_term}
    code = random.choice([code for code in _LANGUAGES if code not in held])
    other_book = replace(mods, language=(Language(language_term=(LanguageTerm(value=code, type="code"),)),))
    other_book = replace(other_book, origin_info=_borrowed_imprint(other_book.origin_info, other.origin_info))
    return _aged(_paged(_numbered(other_book, random), random, 0.9), random, (0, 1, 2, 3, 5, 8))


def _serial(mods: Mods, other: Mods, random: Random) -> Mods:
    """The serial of which the left side is an issue, or a book of its title."""
    if any("serial" in info.issuance for info in mods.origin_info):
        return origins(_paged(mods, random, 1.0), lambda info: replace(info, issuance=("monographic",)))
    other_book = no_extent(_numbered(mods, random), random)
    return origins(other_book, lambda info: replace(info, issuance=("serial",)))


def _numbered(mods: Mods, random: Random) -> Mods:
    """With other identifiers, or none."""
    if random.random() < 0.4:
        return replace(mods, identifier=())
    return replace(mods, identifier=(_invented(random),))


def _invented(random: Random) -> Identifier:
    kind = random.choice(("isbn", "isbn", "issn", "lccn", "nbn", "doi"))
    return Identifier(value=wordings.isbn(random), type=kind)


def _aged(mods: Mods, random: Random, steps: Sequence[int]) -> Mods:
    """As many years later or earlier as one of the steps says."""
    step = random.choice(steps) * random.choice((1, 1, -1))

    def moved(date: Date) -> Date:
        return replace(date, value=str(int(date.value) + step)) if date.value.isdigit() else date

    return origins(
        mods,
        lambda info: replace(
            info,
            date_issued=changed(info.date_issued, moved),
            copyright_date=changed(info.copyright_date, moved),
        ),
    )


def _paged(mods: Mods, random: Random, chance: float) -> Mods:
    """With another number of pages, mostly."""
    if random.random() > chance:
        return mods
    extent = Extent(value=f"{random.randint(24, 640)} с.")
    return replace(mods, physical_description=(PhysicalDescription(extent=(extent,)),))


def _borrowed_imprint(own: tuple[OriginInfo, ...], other: tuple[OriginInfo, ...]) -> tuple[OriginInfo, ...]:
    publishers = tuple(publisher for info in other for publisher in info.publisher)
    places = tuple(place for info in other for place in info.place)
    return tuple(
        replace(info, publisher=publishers or info.publisher, place=places or info.place) if info.publisher else info
        for info in own
    )


_IN_ANOTHER_SERIES = frozenset({"other edition", "reprint", "other author", "translation"})
_OF_VOLUMES = frozenset({"other volume", "whole set"})
_DIFFERENCES: tuple[tuple[str, Callable[[Mods, Mods, Random], Mods]], ...] = (
    ("other volume", _other_volume),
    ("whole set", _whole_set),
    ("other edition", _other_edition),
    ("reprint", _reprint),
    ("other title", _other_title),
    ("other author", _other_author),
    ("only other author", _only_other_author),
    ("translation", _translation),
    ("serial", _serial),
)
"""The ways to be another publication that looks alike."""
