"""The same publication as another library would describe it.

Every function takes the generator of random numbers, so that the same seed gives the same descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, TypeVar

from msgspec.structs import replace

from bibld.model.mods import Date, Mods, Name, NamePart, OriginInfo, RelatedItem, TitleInfo
from bibld.text.names import initial_form
from bibld.text.places import ABBREVIATION_OF_PLACE
from bibld.text.romanisation import romanise_ala_lc

Value = TypeVar("Value")
TextChange = Callable[[str], str]

_FULL_PLACE = {short: long for long, short in ABBREVIATION_OF_PLACE.items()} | {
    "М": "Москва",
    "Л": "Ленинград",
    "СПб": "Санкт-Петербург",
}
_WORD = re.compile(r"\w{6,}")
_ADJECTIVE = re.compile(r"ого\b")
_BEFORE_VOWEL = re.compile(r"и(?=[аеиоуыэюяй])")
_CONSONANT_AT_END = re.compile(r"([бвгджзклмнпрстфхцчшщ])\b")
_NUMBER = re.compile(r"\d+")
_VOWELS = frozenset("аеёиоуыэюяaeiouy")
_MIN_CUT_LETTERS, _MAX_CUT_LETTERS = 3, 6
_LONG_TITLE = 4
_SHARE_WITHOUT_HEADING = 0.5
_KINDS = (
    "роман", "повести и рассказы", "учебник для вузов", "сборник статей", "справочник", "учеб. пособие", "a novel",
    "стихи", "материалы конференции", "proceedings", "a handbook", "Roman", "Festschrift", "[сборник]", "очерки",
)  # fmt: skip
_RELATED_LETTERS = str.maketrans("эыиоеґєії", "еиiаэгеиi") | {
    ord("ә"): "э",
    ord("ү"): "у",
    ord("ө"): "о",
    ord("ң"): "н",
}
_SHARE_TWICE = 0.3
_UNCERTAIN = 0.06
"""The share of dates of which another library only knows the decade."""


def reword(mods: Mods, random: Random, share: float = 1.0) -> Mods:
    """Describe a publication as another library would, with a share of the usual changes."""
    for chance, change in _CHANGES:
        if random.random() < chance * share:
            mods = change(mods, random)
    return mods


def cite(mods: Mods, random: Random) -> Mods:
    """Cite an article briefly: title, initials and family names of some authors, and what is left of host and year."""
    cited = mods
    for chance, change in _CITED:
        if random.random() < chance:
            cited = change(cited, random)
    brief = Mods(
        title_info=cited.title_info[:1],
        name=cited.name,
        origin_info=tuple(replace(info, publisher=(), place=(), edition=()) for info in cited.origin_info),
        related_item=cited.related_item,
        genre=cited.genre,
    )
    return _with_personal_names(brief, initial_form)


def title_proper(mods: Mods) -> TitleInfo:
    """Return the title proper."""
    return next((info for info in mods.title_info if info.type is None), mods.title_info[0])


def with_title(mods: Mods, title: TitleInfo) -> Mods:
    """Replace the title proper."""
    proper = title_proper(mods)
    return replace(mods, title_info=tuple(title if info is proper else info for info in mods.title_info))


def with_origins(mods: Mods, change: Callable[[OriginInfo], OriginInfo]) -> Mods:
    """Change each statement of origin."""
    return replace(mods, origin_info=tuple(change(info) for info in mods.origin_info))


def without_imprint(mods: Mods) -> Mods:
    """Remove publishers and places."""
    return with_origins(mods, lambda info: replace(info, publisher=(), place=()))


def abbreviate(text: str, random: Random) -> str:
    """Cut some of the long words before a vowel and add a full stop."""

    def cut(match: re.Match[str]) -> str:
        word = match[0]
        if random.random() < 0.3:
            return word
        length = random.randint(_MIN_CUT_LETTERS, _MAX_CUT_LETTERS)
        while length < len(word) - 2 and (word[length].lower() not in _VOWELS or word[length - 1].lower() in _VOWELS):
            length += 1
        return f"{word[:length]}." if length < len(word) - 2 else word

    return _WORD.sub(cut, text)


def pre_reform(text: str) -> str:
    """Write a text in the Russian orthography before 1918, as far as rules without a dictionary go."""
    text = _BEFORE_VOWEL.sub("і", _ADJECTIVE.sub("аго", text))
    return _CONSONANT_AT_END.sub(r"\1ъ", text)


def misspell(text: str, random: Random) -> str:
    """Leave out or double one letter, or exchange it with the next."""
    letters = [
        position for position in range(1, len(text) - 2) if text[position].isalpha() and text[position + 1].isalpha()
    ]
    if not letters:
        return text
    at = random.choice(letters)
    kind = random.randrange(3)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at] + text[at:]
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _place(text: str, random: Random) -> str:
    bare = text.strip(" [],:;")
    for other_form in (ABBREVIATION_OF_PLACE, _FULL_PLACE):
        if bare in other_form:
            return other_form[bare]
    return f"[{bare}]" if random.random() < 0.2 else bare


def _extent(text: str, random: Random) -> str:
    numbers = _NUMBER.findall(text)
    if not numbers:
        return text
    pages = max(map(int, numbers))
    pages += random.choice((0, 0, 0, 0, 1, 2, -1, 4))
    return random.choice((f"{pages} с.", f"{pages}, [{random.randint(1, 8)}] с.", f"{pages} p.", f"{pages} с. : ил."))


def _date(text: str, random: Random) -> str:
    if not text.isdigit():
        return text
    forms = f"[{text}]", f"cop. {text}", f"{text} г.", f"c{text}", text
    return f"[{text[:-1]}-?]" if random.random() < _UNCERTAIN else random.choice(forms)


def _values(values: tuple[Value, ...], change: TextChange) -> tuple[Value, ...]:
    """Change the text of each value."""
    return tuple(replace(value, value=change(value.value)) for value in values)  # type: ignore[type-var, attr-defined]


def _with_places(info: OriginInfo, change: TextChange, kinds: tuple[str | None, ...]) -> OriginInfo:
    """Change the places that are stated as terms of some kinds."""
    places = tuple(
        replace(
            place,
            place_term=tuple(
                replace(term, value=change(term.value)) if term.type in kinds else term for term in place.place_term
            ),
        )
        for place in info.place
    )
    return replace(info, place=places)


def _with_titles(mods: Mods, change: TextChange) -> Mods:
    """Change all titles, also those of related items."""

    def changed(titles: tuple[TitleInfo, ...]) -> tuple[TitleInfo, ...]:
        return tuple(
            replace(
                info,
                title=change(info.title),
                sub_title=tuple(map(change, info.sub_title)),
                part_name=tuple(map(change, info.part_name)),
            )
            for info in titles
        )

    related = tuple(
        replace(item, mods=replace(item.mods, title_info=changed(item.mods.title_info))) for item in mods.related_item
    )
    return replace(mods, title_info=changed(mods.title_info), related_item=related)


def _heading(name: Name) -> str:
    return ", ".join(part.value for part in name.name_part if part.type in (None, "family", "given"))


def _with_personal_names(mods: Mods, change: TextChange) -> Mods:
    def changed(name: Name) -> Name:
        if name.type != "personal":
            return name
        return replace(name, name_part=(NamePart(value=change(_heading(name))),))

    return replace(mods, name=tuple(map(changed, mods.name)))


def _abbreviate_publishers(mods: Mods, random: Random) -> Mods:
    change = partial(abbreviate, random=random)
    return with_origins(mods, lambda info: replace(info, publisher=_values(info.publisher, change)))


def _reword_places(mods: Mods, random: Random) -> Mods:
    return with_origins(mods, lambda info: _with_places(info, partial(_place, random=random), (None, "text")))


def _reword_dates(mods: Mods, random: Random) -> Mods:
    change = partial(_date, random=random)
    return with_origins(mods, lambda info: replace(info, date_issued=_values(info.date_issued, change)))


def _join_subtitle(mods: Mods, random: Random) -> Mods:
    title = title_proper(mods)
    joined = random.choice((" : ", ". ", ", ")).join((title.title, *title.sub_title))
    return with_title(mods, replace(title, title=joined, sub_title=()))


def _abbreviate_subtitle(mods: Mods, random: Random) -> Mods:
    title = title_proper(mods)
    return with_title(mods, replace(title, sub_title=tuple(abbreviate(text, random) for text in title.sub_title)))


def _abbreviate_title(mods: Mods, random: Random) -> Mods:
    title = title_proper(mods)
    return with_title(mods, replace(title, title=abbreviate(title.title, random)))


def _exchange_titles(mods: Mods, random: Random) -> Mods:
    """Put the first part of the subtitle before the title: ``Труды конференции : Экология``."""
    title = title_proper(mods)
    if not title.sub_title:
        return mods
    return with_title(mods, replace(title, title=title.sub_title[0], sub_title=(title.title, *title.sub_title[1:])))


def _under_title_of_part(mods: Mods, random: Random) -> Mods:
    """Describe a named part under its own name, with the set as series."""
    title = title_proper(mods)
    if not title.part_name:
        return mods
    series = RelatedItem(type="series", mods=Mods(title_info=(TitleInfo(title.title, part_number=title.part_number),)))
    own = replace(title, title=title.part_name[-1], sub_title=title.part_name[:-1], part_name=())
    return replace(with_title(mods, own), related_item=(*mods.related_item, series))


def _under_variant_title(mods: Mods, random: Random) -> Mods:
    """Take the first variant or parallel title for the title proper, and the title proper for a variant."""
    proper = title_proper(mods)
    variant = next((info for info in mods.title_info if info.type in ("alternative", "translated")), None)
    if variant is None or not variant.title:
        return mods
    others = (info for info in mods.title_info if info is not proper and info is not variant)
    exchanged = replace(proper, title=variant.title), TitleInfo(title=proper.title, type="alternative")
    return replace(mods, title_info=(*exchanged, *others))


def _name_author_in_title(mods: Mods, random: Random) -> Mods:
    """Write the author before or behind the title proper, with or without a heading."""
    name = next((name for name in mods.name if name.type == "personal"), None)
    if name is None:
        return mods
    family, _, given = _heading(name).partition(", ")
    author, title = f"{given} {family}".strip(), title_proper(mods)
    text = random.choice((f"{author}. {title.title}", f"{title.title} {author}", f"{title.title} / {author}"))
    mods = with_title(mods, replace(title, title=text))
    return replace(mods, name=mods.name[1:]) if random.random() < _SHARE_WITHOUT_HEADING else mods


def _reword_subtitle(mods: Mods, random: Random) -> Mods:
    """Add a word about the kind of the publication, or leave out the second half of the subtitle."""
    title = title_proper(mods)
    words = " ".join(title.sub_title).split()
    kind = random.choice(_KINDS)
    added = (*title.sub_title, kind) if random.random() < _SHARE_WITHOUT_HEADING else (kind, *title.sub_title)
    cut = (" ".join(words[: len(words) // 2]),) if len(words) > _LONG_TITLE else added
    return with_title(mods, replace(title, sub_title=random.choice((added, cut))))


def _shorten_title(mods: Mods, random: Random) -> Mods:
    """Leave out the first word or two of a long title."""
    title = title_proper(mods)
    words = title.title.split()
    if len(words) <= _LONG_TITLE:
        return mods
    rest = " ".join(words[random.randint(1, 2) :])
    return with_title(mods, replace(title, title=rest[0].upper() + rest[1:]))


def _reword_host(mods: Mods, random: Random) -> Mods:
    """Abbreviate or cut the titles of hosts, leave out their numbers, or leave out the hosts."""
    hosts = [item for item in mods.related_item if item.type == "host"]
    if not hosts:
        return mods
    others = tuple(item for item in mods.related_item if item.type != "host")
    if random.random() < 0.25:
        return replace(mods, related_item=others)
    changed = []
    for item in hosts:
        titles, parts = item.mods.title_info, item.mods.part
        if random.random() < 0.5:
            titles = tuple(replace(title, title=abbreviate(title.title, random), sub_title=()) for title in titles)
        elif random.random() < 0.3:
            titles = tuple(replace(title, title=" ".join(title.title.split()[:3])) for title in titles)
        if random.random() < 0.3:
            parts = tuple(replace(part, detail=part.detail[:1]) for part in parts)
        elif random.random() < 0.2:
            parts = ()
        changed.append(replace(item, mods=replace(item.mods, title_info=titles, part=parts)))
    return replace(mods, related_item=(*others, *changed))


def _without_level(mods: Mods, random: Random) -> Mods:
    return with_origins(replace(mods, genre=()), lambda info: replace(info, issuance=()))


def _misspell_title(mods: Mods, random: Random) -> Mods:
    """Misspell the title once or twice, or write it with the letters of a related alphabet."""
    title = title_proper(mods)
    text = misspell(title.title, random)
    if random.random() < _SHARE_TWICE:
        text = misspell(text, random)
    if random.random() < _SHARE_TWICE:
        text = title.title.translate(_RELATED_LETTERS)
    return with_title(mods, replace(title, title=text))


def _misspell_names(mods: Mods, random: Random) -> Mods:
    return _with_personal_names(mods, lambda name: misspell(name, random))


def _replace_subtitle(mods: Mods, random: Random) -> Mods:
    """Call the kind of the publication otherwise."""
    return with_title(mods, replace(title_proper(mods), sub_title=(random.choice(_KINDS),)))


def _reword_extents(mods: Mods, random: Random) -> Mods:
    change = partial(_extent, random=random)
    described = tuple(replace(part, extent=_values(part.extent, change)) for part in mods.physical_description)
    return replace(mods, physical_description=described)


def _change_level(mods: Mods, random: Random) -> Mods:
    level = random.choice(("multipart monograph", "monographic"))
    return with_origins(mods, lambda info: replace(info, issuance=(level,)))


def _add_mistyped_date(mods: Mods, random: Random) -> Mods:
    def change(info: OriginInfo) -> OriginInfo:
        dates = [date for date in info.date_issued if date.value.isdigit()]
        second = [Date(value=str(int(date.value) + random.choice((-2, -1, 1, 2, 10)))) for date in dates[:1]]
        return replace(info, date_issued=(*info.date_issued, *second))

    return with_origins(mods, change)


def _add_nested_number(mods: Mods, random: Random) -> Mods:
    title = title_proper(mods)
    if not title.part_number:
        return mods
    return with_title(mods, replace(title, part_number=(*title.part_number, f"Ч. {random.randint(1, 3)}")))


def _romanise(mods: Mods, random: Random) -> Mods:
    def change(info: OriginInfo) -> OriginInfo:
        info = _with_places(info, romanise_ala_lc, (None, "text", "code"))
        publisher, edition = (_values(values, romanise_ala_lc) for values in (info.publisher, info.edition))
        return replace(info, publisher=publisher, edition=edition)

    mods = _with_personal_names(_with_titles(mods, romanise_ala_lc), romanise_ala_lc)
    return with_origins(replace(mods, note=_values(mods.note, romanise_ala_lc)), change)


def _drop_yo(text: str) -> str:
    return text.replace("ё", "е").replace("Ё", "Е")


def _without_series(mods: Mods, random: Random) -> Mods:
    return replace(mods, related_item=tuple(item for item in mods.related_item if item.type != "series"))


def _cut_title(mods: Mods, random: Random) -> Mods:
    """Leave out the end of a long title, as lists of citations do."""
    title = title_proper(mods)
    words = title.title.split()
    if len(words) <= _LONG_TITLE:
        return mods
    return with_title(
        mods, replace(title, title=" ".join(words[: random.randint(_LONG_TITLE, len(words))]), sub_title=())
    )


_CITED: tuple[tuple[float, Callable[[Any, Random], Mods]], ...] = (
    (0.15, _cut_title),
    (0.3, lambda mods, random: replace(mods, name=mods.name[: random.randint(1, 3)])),
    (0.7, _reword_host),
    (0.25, lambda mods, random: replace(mods, origin_info=())),
    (0.15, _misspell_title),
    (0.1, _misspell_names),
    (0.3, _join_subtitle),
    (0.1, _abbreviate_title),
)
"""How citations vary, and how often."""

_CHANGES: tuple[tuple[float, Callable[[Any, Random], Mods]], ...] = (
    (0.5, _abbreviate_publishers),
    (0.6, _reword_places),
    (0.12, lambda mods, random: without_imprint(mods)),
    (0.3, _reword_dates),
    (0.4, lambda mods, random: _with_personal_names(mods, initial_form)),
    (0.25, lambda mods, random: replace(mods, name=mods.name[:1] if random.random() < 0.6 else mods.name[1:])),
    (0.2, lambda mods, random: with_title(mods, replace(title_proper(mods), sub_title=()))),
    (0.2, _join_subtitle),
    (0.2, _abbreviate_subtitle),
    (0.05, _abbreviate_title),
    (0.12, _misspell_title),
    (0.04, _misspell_names),
    (0.08, _replace_subtitle),
    (0.05, _exchange_titles),
    (0.3, _under_title_of_part),
    (0.06, _under_variant_title),
    (0.06, _name_author_in_title),
    (0.08, _reword_subtitle),
    (0.03, _shorten_title),
    (0.6, _reword_host),
    (0.1, _without_level),
    (0.5, lambda mods, random: _with_titles(mods, _drop_yo)),
    (0.35, _reword_extents),
    (0.2, lambda mods, random: replace(mods, physical_description=())),
    (0.5, lambda mods, random: replace(mods, identifier=())),
    (0.4, _without_series),
    (0.4, lambda mods, random: replace(mods, note=())),
    (0.25, lambda mods, random: with_origins(mods, lambda info: replace(info, edition=()))),
    (0.06, lambda mods, random: _with_titles(mods, pre_reform)),
    (0.08, _change_level),
    (0.05, _add_mistyped_date),
    (0.08, _add_nested_number),
    (0.3, _romanise),
)
"""What other libraries describe in another way, and how often."""
