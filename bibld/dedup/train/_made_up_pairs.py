"""Pairs made up from real descriptions: the same publication as another library would describe it, and others that are
similar (another volume, edition, title of the author …).

Training learns from them what the labelled pairs do not show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

import msgspec
from msgspec.structs import replace

from bibld.dedup.train._rewording import cite, reword, title_proper, with_origins, with_title, without_imprint
from bibld.model import mods as m
from bibld.model.mods import Mods

_NUMBERED = (
    ("No. {}", 1, 999), ("S. {}", 1, 3000), ("H.R. {}", 1, 15000), ("report {}", 1, 99), ("{}th Congress", 80, 116),
    ("{}", 1900, 1999), ("№ {}", 1, 99), ("за {} год", 1880, 1990), ("на {} г.", 1880, 1990), ("вып. {}", 1, 60),
    ("в {} томе", 1, 30), ("{} год", 1880, 1990), ("circular {}", 1, 900), ("Bericht {}", 1, 99),
)  # fmt: skip
_TITLES_OF_PARTS = ("Сочинения", "Письма", "Произведения", "Избранное", "Works", "Letters", "Writings", "Werke")
_GENERIC_TITLES = (
    "Стихотворения", "Избранное", "Сочинения", "Рассказы", "Повести", "Пьесы", "Стихи", "Сказки",
    "Избранные произведения", "Математика", "Отчет", "Poems", "Selected works", "Essays", "Plays", "Letters",
    "Gedichte", "Werke", "Poésies",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]{6,}")
_PAGES = re.compile(r"(?<!\d)\d{2,4}(?!\d)")
_LANGUAGES = ("rus", "eng", "ger", "fre", "tat", "ukr")
_MINOR = 0.5
"""The share of changes of wording in a description of another publication."""


class MadeUpPair(msgspec.Struct, frozen=True):
    """Two descriptions of one publication, or of two; ``kind`` names what was changed."""

    left: Mods
    right: Mods
    is_duplicate: bool
    kind: str


def make_pairs(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield pairs made from one description: some of the same publication, and one for each way to be another one.

    ``others`` are descriptions of other publications, whose titles and names are borrowed.
    """
    if not mods.title_info or not title_proper(mods).title:
        return
    book = _without_part(mods) if random.random() < 0.2 else mods
    if random.random() < 0.3:
        book = replace(book, identifier=(*book.identifier, _made_up_identifier(random)))
    if random.random() < 0.1:
        book = replace(book, physical_description=())
    if random.random() < 0.1:
        serial = replace(book, physical_description=())
        book = with_origins(serial, lambda info: replace(info, issuance=("serial",)))
    elif random.random() < 0.1:
        book = _as_article(book, random.choice(others), random)
    for _ in range(3):
        yield MadeUpPair(book, reword(book, random), True, "wording")
    volume = _as_volume(mods, random.randint(1, 9), random)
    yield MadeUpPair(volume, reword(_under_its_number(volume), random), True, "volume arranged otherwise")
    yield MadeUpPair(volume, reword(volume, random), True, "volume")
    yield from _books_of_a_cycle(book, others, random)
    yield from _numbered_titles(book, random)
    yield MadeUpPair(volume, reword(_under_title_of_part(volume, others, random), random), True, "volume of a part")
    yield from _articles(mods, others, random)
    yield from _named_parts(book, others, random)
    yield from _under_other_heading(book, random.choice(others), random)
    yield from _serials(book, others, random)
    yield from _thesis(book, random)
    yield from _generic_titles(book, random.choice(others), random)
    for kind, change, is_of_volume, has_other_series in _DIFFERENCES:
        left = volume if is_of_volume else book
        other = random.choice(others)
        other_book = change(left, other, random)
        if has_other_series:
            other_book = _with_other_series(other_book, other, random)
        yield MadeUpPair(left, reword(other_book, random, _MINOR), False, kind)


def _books_of_a_cycle(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield two books of a cycle, whose titles differ in the second half only."""
    title = title_proper(mods)
    ends = [title_proper(other).title for other in random.sample(others, min(2, len(others))) if other.title_info]
    if len(set(ends)) == 2:
        one, other = (with_title(mods, replace(title, title=f"{title.title}. {end}")) for end in ends)
        yield MadeUpPair(one, reword(other, random, _MINOR), False, "other book of a cycle")
        yield MadeUpPair(one, reword(one, random), True, "book of a cycle")


def _numbered_titles(mods: Mods, random: Random) -> Iterator[MadeUpPair]:
    """Yield two reports, bills or years of one title, which differ in a number."""
    title = title_proper(mods)
    wording, lowest, highest = random.choice(_NUMBERED)
    one, other = random.sample(range(lowest, highest), 2)
    if random.random() < 0.5:
        one, other = one, one + random.choice((-2, -1, 1, 2))
    left, right = (
        with_title(mods, replace(title, sub_title=(*title.sub_title, wording.format(number))))
        if random.random() < 0.5
        else with_title(mods, replace(title, title=f"{title.title} {wording.format(number)}"))
        for number in (one, other)
    )
    other_book = _with_other_year(_with_other_numbers(right, random, 0.5), random, (0, 0, 0, 0, 1))
    yield MadeUpPair(left, reword(other_book, random, _MINOR), False, "other number")
    yield MadeUpPair(left, reword(left, random), True, "number")


def _as_volume(mods: Mods, number: int, random: Random) -> Mods:
    title = title_proper(mods)
    if title.part_number:
        return mods
    word = random.choice(("Т.", "Ч.", "Кн.", "Вып.", "v.", "Bd."))
    return with_title(mods, replace(title, part_number=(f"{word} {number}",)))


def _as_article(mods: Mods, host: Mods, random: Random) -> Mods:
    if not host.title_info:
        return mods
    title = replace(title_proper(host), part_number=(), part_name=())
    item = m.RelatedItem(type="host", mods=Mods(title_info=(title,), part=(_part_of_host(random),)))
    article = replace(mods, genre=(m.Genre(value="article"),), related_item=(item,), identifier=())
    return without_imprint(replace(article, physical_description=()))


def _part_of_host(random: Random) -> m.Part:
    start = random.randint(3, 400)
    volume, issue = (m.Detail(type=kind, number=(str(random.randint(1, 60)),)) for kind in ("volume", "issue"))
    details = random.choice(((), (volume,), (issue,), (volume, issue)))
    return m.Part(detail=details, extent=(m.PartExtent(unit="pages", start=str(start), end=str(start + 12)),))


def _articles(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield an article as it was printed and as it was first online, and three others: of its title elsewhere, of its
    host, of its host and author."""
    host, other = random.choice(others), random.choice(others)
    article = _as_article(_without_part(mods), host, random)
    if not article.related_item or not other.title_info:
        return
    yield MadeUpPair(article, reword(article, random), True, "article")
    online_first = _with_other_year(article, random, (1,))
    yield MadeUpPair(article, reword(online_first, random), True, "article online first")
    elsewhere = _as_article(_without_part(mods), other, random)
    elsewhere = _with_other_year(_with_names_of(elsewhere, other, random), random, (0, 1, 2, 5))
    yield MadeUpPair(article, reword(elsewhere, random, _MINOR), False, "article of its title")
    title = title_proper(other)
    nearby = with_title(article, replace(title, part_number=(), part_name=()))
    nearby = _with_names_of(nearby, other, random)
    hosts = article.related_item
    if random.random() < 0.8:
        hosts = tuple(replace(item, mods=replace(item.mods, part=(_part_of_host(random),))) for item in hosts)
    nearby = replace(nearby, related_item=hosts)
    yield MadeUpPair(article, reword(nearby, random, _MINOR), False, "article of its host")
    by_author = replace(nearby, name=article.name, note=article.note)
    yield MadeUpPair(article, reword(by_author, random, _MINOR), False, "article of its host and author")
    yield from _citations(article, (elsewhere, nearby, by_author), random)


def _citations(article: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield brief citations of an article with it and with each other; and one of another article, or of the same text
    in another host one to three years before or after."""
    yield MadeUpPair(article, cite(article, random), True, "citation")
    yield MadeUpPair(cite(article, random), cite(article, random), True, "two citations")
    yield MadeUpPair(article, cite(random.choice(others), random), False, "citation of another article")
    elsewhere = replace(article, related_item=others[0].related_item)
    yield MadeUpPair(article, cite(_with_other_year(elsewhere, random, (1, 2, 3)), random), False, "printed elsewhere")


def _named_parts(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield a part that has a name and no number twice, and another part of the same publication."""
    title = title_proper(mods)
    names = [title_proper(one).title for one in random.sample(others, min(2, len(others))) if one.title_info]
    if len(set(names)) == 2:
        part, other_part = (with_title(mods, replace(title, part_name=(name,))) for name in names)
        yield MadeUpPair(part, reword(part, random), True, "named part")
        other_part = _with_other_numbers(_with_other_year(other_part, random, (0, 0, 1, 2, 5)), random, 0.6)
        yield MadeUpPair(part, reword(other_part, random, _MINOR), False, "other named part")
    yield from _of_one_series(mods, names)


def _of_one_series(mods: Mods, names: Sequence[str]) -> Iterator[MadeUpPair]:
    """Yield a book of a series under its title, and another one under that of the series."""
    title = title_proper(mods)
    if len(set(names)) == 2:
        series = m.RelatedItem(type="series", mods=Mods(title_info=(m.TitleInfo(title=title.title),)))
        book = with_title(mods, m.TitleInfo(title=names[0]))
        book = replace(book, related_item=(*mods.related_item, series))
        yield MadeUpPair(book, with_title(mods, replace(title, part_name=(names[1],))), False, "other book of a series")


def _other_word(mods: Mods, other: Mods, random: Random) -> Mods:
    """Exchange a word of the title: "Advice for parents", "Advice for nurses"."""
    title = title_proper(mods)
    borrowed = _WORD.findall(title_proper(other).title) if other.title_info else []
    words = list(_WORD.finditer(title.title))
    if not words or not borrowed or random.random() < 0.5:
        return _other_title(mods, other, random)
    word, found = random.choice(borrowed), random.choice(words)
    text = f"{title.title[: found.start()]}{word}{title.title[found.end() :]}"
    return _with_other_numbers(with_title(mods, replace(title, title=text)), random, 0.7)


def _under_other_heading(mods: Mods, other: Mods, random: Random) -> Iterator[MadeUpPair]:
    """Yield a book under another name of its author, who is called the same in the statement of responsibility, or not;
    and without a heading, or under an editor."""
    if not (mods.name and other.name):
        return
    statements = _statements(mods) if random.random() < 0.5 else ()
    renamed = replace(reword(mods, random, _MINOR), name=(*other.name[:1], *mods.name[1:]), note=statements)
    yield MadeUpPair(mods, renamed, True, "under another heading")
    headings = random.choice(((), other.name[-1:], (*mods.name[1:], *other.name[:1])))
    yield MadeUpPair(mods, replace(reword(mods, random, _MINOR), name=headings), True, "under an editor or its title")


def _generic_titles(mods: Mods, other: Mods, random: Random) -> Iterator[MadeUpPair]:
    """Yield a book with a title that many have, and another author's book of it in the same year or the next."""
    book = with_title(mods, m.TitleInfo(title=random.choice(_GENERIC_TITLES)))
    other_book = _with_names_of(_with_other_identifier(book, random), other, random)
    if random.random() < 0.5:  # books of a series have the same pages, more often than not
        other_book = _with_pages_moved(other_book, random)
    if mods.name and other.name:
        yield MadeUpPair(
            book, reword(_with_other_year(other_book, random, (0, 0, 1)), random, _MINOR), False, "its title"
        )
    yield MadeUpPair(book, reword(book, random), True, "generic title")


def _serials(mods: Mods, others: Sequence[Mods], random: Random) -> Iterator[MadeUpPair]:
    """Yield a serial whose subtitle and publisher changed, and another serial of its title."""
    other = random.choice(others)
    if not other.title_info:
        return
    title = replace(title_proper(mods), part_number=(), part_name=())
    serial = with_origins(
        replace(with_title(mods, title), physical_description=(), name=()),
        lambda info: replace(info, issuance=("serial",)),
    )
    if random.random() < 0.6:
        serial = replace(serial, identifier=(_made_up_identifier(random, ("issn",)),))
    renewed = with_title(
        serial, replace(title, sub_title=title_proper(other).sub_title if random.random() < 0.5 else ())
    )
    if random.random() < 0.4:
        renewed = _with_imprint_of(renewed, other)
    yield MadeUpPair(serial, reword(renewed, random, _MINOR), True, "serial")
    namesake = _with_other_year(_with_imprint_of(_with_other_identifier(serial, random), other), random, (0, 5, 12, 30))
    namesake = with_title(namesake, replace(title, sub_title=title_proper(other).sub_title))
    yield MadeUpPair(serial, reword(namesake, random, _MINOR), False, "serial of its title")


def _thesis(mods: Mods, random: Random) -> Iterator[MadeUpPair]:
    """Yield a thesis with its abstract, and with itself."""
    title = title_proper(mods)
    degree = random.choice(("канд. ист. наук", "д-ра техн. наук", "канд. филол. наук : 10.02.01"))
    thesis, abstract = (
        _with_extent(with_title(mods, replace(title, sub_title=(text,))), f"{pages} с.")
        for text, pages in (
            (f"{random.choice(('дис.', 'диссертация'))} ... {degree}", random.randint(110, 480)),
            (f"{random.choice(('автореф. дис.', 'автореферат дис.', 'Автореферат диссертации'))} ... {degree}",
             random.randint(14, 48)),
        )
    )  # fmt: skip
    yield MadeUpPair(thesis, reword(abstract, random, _MINOR), False, "abstract of a thesis")
    one = random.choice((thesis, abstract))
    yield MadeUpPair(one, reword(one, random, _MINOR), True, "thesis")


def _with_other_series(mods: Mods, other: Mods, random: Random) -> Mods:
    """Replace the series by those of another book, or none, mostly."""
    borrowed = tuple(item for item in other.related_item if item.type == "series") if random.random() < 0.7 else ()
    if random.random() < 0.4:
        return mods
    return replace(mods, related_item=(*(item for item in mods.related_item if item.type != "series"), *borrowed))


def _without_part(mods: Mods) -> Mods:
    return with_title(mods, replace(title_proper(mods), part_number=(), part_name=()))


def _with_host(mods: Mods, title: m.TitleInfo, numbers: tuple[str, ...]) -> Mods:
    part = m.Part(detail=(m.Detail(type="volume", number=numbers),))
    host = m.RelatedItem(type="host", mods=Mods(title_info=(title,), part=(part,)))
    return replace(mods, related_item=(*mods.related_item, host))


def _under_its_number(mods: Mods) -> Mods:
    """Describe a volume under its number, with its set as host."""
    title = title_proper(mods)
    if any(item.type == "host" for item in mods.related_item):
        return mods
    number = " ".join(title.part_number)
    own = m.TitleInfo(title=" ".join((number, *title.part_name)), part_number=title.part_number)
    return _with_host(with_title(mods, own), m.TitleInfo(title=title.title, sub_title=title.sub_title), (number,))


def _under_title_of_part(mods: Mods, others: Sequence[Mods], random: Random) -> Mods:
    """Describe a volume under the title of a part of its set, with the set as host."""
    title = title_proper(mods)
    if any(item.type == "host" for item in mods.related_item):
        return mods
    part = random.choice(others)
    own = random.choice(_TITLES_OF_PARTS) if random.random() < 0.7 or not part.title_info else title_proper(part).title
    volume = with_title(mods, replace(title, title=own, sub_title=()))
    return _with_host(volume, replace(title, part_number=(), part_name=()), title.part_number)


def _other_volume(mods: Mods, other: Mods, random: Random) -> Mods:
    title = title_proper(mods)
    number = random.choice(("1", "2", "3", "4", "10"))
    if any(number in text for text in title.part_number):
        number = "12"
    volume = replace(title, part_number=(f"{title.part_number[0].split(' ')[0]} {number}",))
    if title.part_name or random.random() < 0.3:
        volume = replace(volume, part_name=(title_proper(other).title,) if other.title_info else ())
    return _with_other_year(_with_other_numbers(with_title(mods, volume), random, 0.7), random, (0, 0, 0, 1, 2))


def _complete_set(mods: Mods, other: Mods, random: Random) -> Mods:
    return _with_extent(_with_other_identifier(_without_part(mods), random), f"{random.randint(2, 12)} т.")


def _other_edition(mods: Mods, other: Mods, random: Random) -> Mods:
    number = random.randint(2, 9)
    text = random.choice(
        (f"{number}-е изд., перераб. и доп.", f"Изд. {number}-е", f"{number}th ed.", f"{number}-е изд.")
    )
    other_book = _with_other_numbers(mods, random, 0.8)
    is_stated = any(info.edition for info in mods.origin_info)
    steps = (1, 1, 2, 2, 3, 4, 5, 7, 10, 0) if is_stated else (1, 1, 2, 3, 5, 10)
    other_book = _with_other_year(other_book, random, steps)
    return with_origins(other_book, lambda info: replace(info, edition=(m.Edition(value=text),)))


def _reprint(mods: Mods, other: Mods, random: Random) -> Mods:
    other_book = _with_other_identifier(mods, random)
    other_book = _with_other_year(other_book, random, (2, 3, 4, 5, 6, 8, 12, 20, 40, 60))
    if random.random() < 0.5:
        other_book = _with_imprint_of(other_book, other)
    if random.random() < 0.3:
        other_book = with_origins(other_book, lambda info: replace(info, edition=(m.Edition(value="Репр. изд."),)))
    return other_book


def _other_title(mods: Mods, other: Mods, random: Random) -> Mods:
    if not other.title_info:
        return _other_volume(_as_volume(mods, 1, random), other, random)
    borrowed, own = title_proper(other), title_proper(mods)
    sub_title = own.sub_title if random.random() < 0.3 else borrowed.sub_title
    other_book = with_title(mods, replace(own, title=borrowed.title, sub_title=sub_title))
    return _with_other_year(_with_other_numbers(other_book, random, 0.9), random, (0, 0, 1, 2, 5))


def _other_author(mods: Mods, other: Mods, random: Random) -> Mods:
    other_book = _with_names_of(_with_other_numbers(mods, random, 0.9), other, random)
    if random.random() < 0.7:
        other_book = _with_imprint_of(other_book, other)
    return _with_other_year(other_book, random, (0, 0, 0, 1, 2, 3, 5, 10))


def _translation(mods: Mods, other: Mods, random: Random) -> Mods:
    own = {term.value for language in mods.language for term in language.language_term}
    code = random.choice([code for code in _LANGUAGES if code not in own])
    other_book = replace(mods, language=(m.Language(language_term=(m.LanguageTerm(value=code, type="code"),)),))
    other_book = _with_other_numbers(_with_imprint_of(other_book, other), random, 0.9)
    return _with_other_year(other_book, random, (0, 1, 2, 3, 5, 8))


def _serial(mods: Mods, other: Mods, random: Random) -> Mods:
    """Describe the serial of which the left side is an issue, or a book of its title."""
    if any("serial" in info.issuance for info in mods.origin_info):
        return with_origins(_with_other_pages(mods, random, 1.0), lambda info: replace(info, issuance=("monographic",)))
    serial = replace(_with_other_identifier(mods, random), physical_description=())
    return with_origins(serial, lambda info: replace(info, issuance=("serial",)))


def _with_names_of(mods: Mods, other: Mods, random: Random) -> Mods:
    """Replace the names, and the statements of responsibility by those of the other book or by none."""
    return replace(mods, name=other.name, note=_statements(other) if random.random() < 0.7 else ())


def _statements(mods: Mods) -> tuple[m.Note, ...]:
    return tuple(note for note in mods.note if note.type == "statement of responsibility")


def _next_edition(mods: Mods, other: Mods, random: Random) -> Mods:
    """Describe the edition or printing of one of the next years, which states no number."""
    other_book = _with_other_year(_with_other_identifier(mods, random), random, (1, 1, 1, 2, 3))
    other_book = with_origins(other_book, lambda info: replace(info, edition=()))
    return _with_pages_moved(other_book, random) if random.random() < 0.6 else other_book


def _namesake(mods: Mods, other: Mods, random: Random) -> Mods:
    """Describe a book of the same title by an author with the same family name and other initials."""
    own = mods.name[0] if mods.name else None
    if own is None or own.type != "personal" or not own.name_part:
        return _other_author(mods, other, random)
    family = own.name_part[0].value.partition(",")[0].split(" ")[0]
    letters = random.sample("АБВГДЕИКЛМНОПРСТЮЯ", 2)
    renamed = m.Name(type="personal", name_part=(m.NamePart(f"{family}, {letters[0]}. {letters[1]}."),))
    statement = m.Note(f"{letters[0]}. {letters[1]}. {family}", type="statement of responsibility")
    other_book = replace(_with_other_identifier(mods, random), name=(renamed, *mods.name[1:]), note=(statement,))
    return _with_pages_moved(_with_imprint_of(other_book, other), random)


def _with_pages_moved(mods: Mods, random: Random) -> Mods:
    """Add or take some pages."""

    def moved(extent: m.Extent) -> m.Extent:
        step = random.choice((-16, -8, -4, 2, 4, 8, 12, 16, 32))
        return replace(extent, value=_PAGES.sub(lambda found: str(max(8, int(found[0]) + step)), extent.value, count=1))

    described = tuple(replace(part, extent=tuple(map(moved, part.extent))) for part in mods.physical_description)
    return replace(mods, physical_description=described)


def _with_other_identifier(mods: Mods, random: Random) -> Mods:
    """Replace the identifiers by another one, or none."""
    if random.random() < 0.4:
        return replace(mods, identifier=())
    return replace(mods, identifier=(_made_up_identifier(random),))


def _made_up_identifier(
    random: Random, kinds: Sequence[str] = ("isbn", "isbn", "issn", "lccn", "nbn", "doi")
) -> m.Identifier:
    kind = random.choice(kinds)
    return m.Identifier(value=made_up_isbn(random), type=kind)


def made_up_isbn(random: Random) -> str:
    """Return a valid ISBN of thirteen digits."""
    stem = "978" + "".join(str(random.randrange(10)) for _ in range(9))
    total = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(stem))
    return stem + str(-total % 10)


def _with_other_year(mods: Mods, random: Random, steps: Sequence[int]) -> Mods:
    """Move the dates by one of the steps, in years, to later or earlier."""
    step = random.choice(steps) * random.choice((1, 1, -1))

    def moved(dates: tuple[m.Date, ...]) -> tuple[m.Date, ...]:
        return tuple(
            replace(date, value=str(int(date.value) + step)) if date.value.isdigit() else date for date in dates
        )

    return with_origins(
        mods,
        lambda info: replace(info, date_issued=moved(info.date_issued), copyright_date=moved(info.copyright_date)),
    )


def _with_other_numbers(mods: Mods, random: Random, chance: float) -> Mods:
    """Replace the identifiers, and the number of pages by chance."""
    return _with_other_pages(_with_other_identifier(mods, random), random, chance)


def _with_other_pages(mods: Mods, random: Random, chance: float) -> Mods:
    return mods if random.random() > chance else _with_extent(mods, f"{random.randint(24, 640)} с.")


def _with_extent(mods: Mods, extent: str) -> Mods:
    return replace(mods, physical_description=(m.PhysicalDescription(extent=(m.Extent(value=extent),)),))


def _with_imprint_of(mods: Mods, other: Mods) -> Mods:
    publishers = tuple(publisher for info in other.origin_info for publisher in info.publisher)
    places = tuple(place for info in other.origin_info for place in info.place)
    return with_origins(
        mods,
        lambda info: (
            replace(info, publisher=publishers or info.publisher, place=places or info.place)
            if info.publisher
            else info
        ),
    )


_DIFFERENCES: tuple[tuple[str, Callable[[Mods, Mods, Random], Mods], bool, bool], ...] = (
    ("other volume", _other_volume, True, False),
    ("complete set", _complete_set, True, False),
    ("other edition", _other_edition, False, True),
    ("reprint", _reprint, False, True),
    ("other title", _other_title, False, False),
    ("other author", _other_author, False, True),
    ("translation", _translation, False, True),
    ("next edition", _next_edition, False, False),
    ("namesake", _namesake, False, False),
    ("other word of the title", _other_word, False, False),
    ("serial", _serial, False, False),
)
"""The ways to be another publication that is similar; whether they are of volumes, and whether the series changes."""
