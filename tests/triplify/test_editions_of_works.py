"""Which publications are editions of one work, from what two brief descriptions state."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bibld.model import mods as m
from bibld.triplify._claims import Assertion, EntityClaim, NameForm
from bibld.triplify._entity_clusters import EntityProfile, cluster_component, components
from bibld.triplify._works import find_works


def publication(
    title: str,
    *subtitles: str,
    author: str = "",
    stated: str = "",
    language: str = "rus",
    kind: str = "text",
    uniform: str = "",
    **others: str,
) -> m.Mods:
    """Return a description; ``others`` are the number and name of a part, a note, and a class of SuDoc."""
    note, sudoc = others.get("note", ""), others.get("sudoc", "")
    parts = [(others[key],) if key in others else () for key in ("number", "name")]
    titles = [m.TitleInfo(title=title, sub_title=subtitles, part_number=parts[0], part_name=parts[1])]
    titles += [m.TitleInfo(title=uniform, type="uniform", name_title_group="1")] * bool(uniform)
    names = [m.Name(name_part=(m.NamePart(author),), type="personal", usage="primary")] if author else []
    notes = [m.Note(stated, type="statement of responsibility")] * bool(stated) + [m.Note(note)] * bool(note)
    term = m.LanguageTerm(language, type="code")
    return m.Mods(
        title_info=tuple(titles),
        name=tuple(names),
        type_of_resource=(m.TypeOfResource(kind),),
        language=(m.Language(language_term=(term,)),),
        note=tuple(notes),
        classification=(m.Classification(sudoc, authority="sudocs"),) if sudoc else (),
    )


def are_one_work(*publications: m.Mods) -> list[list[int]]:
    """Return the numbers of the publications of each work."""
    profiles = []
    for number, one in enumerate(publications):
        facts = find_works(one).own.facts
        claim = EntityClaim(NameForm("work"), ties=facts.ties, work=facts)
        profiles.append(EntityProfile.from_assertions(f"http://localhost/work/{number}", [Assertion("work", claim)]))
    found = [cluster.members for component in components(profiles, {}) for cluster in cluster_component(component, {})]
    return sorted(sorted(int(member.rpartition("/")[2]) for member in members) for members in found)


LERMONTOV = publication("Герой нашего времени", "роман", author="Лермонтов, Михаил Юрьевич")
HAMLET = publication("Гамлет", author="Шекспир, Вильям", stated="В. Шекспир ; пер. с англ. Б. Пастернака")
IDIOT = publication("Идиот", author="Достоевский, Ф. М.")

SAME = {
    "romanised": (LERMONTOV, publication("Geroĭ nashego vremeni", author="Lermontov, M. I͡U.")),
    "old orthography": (
        publication("Мертвыя души", author="Гоголь, Н. В."),
        publication("Мертвые души", author="Гоголь, Николай"),
    ),
    "audiobook": (
        LERMONTOV,
        publication("Герой нашего времени", author="Лермонтов, М. Ю.", kind="sound recording-nonmusical"),
    ),
    "no author": (LERMONTOV, publication("Герой нашего времени", "сочинение М. Лермонтова")),
    "pseudonym": (
        publication("Мать", author="Горький, Максим"),
        publication("Мать", "повѣсть", author="Пешков, А. М.", stated="М. Горькій"),
    ),
    "alternative title": (
        publication("Тартюф, или Обманщик", author="Мольер"),
        publication("Тартюф", author="Мольер, Жан Батист"),
    ),
    "one translator": (
        HAMLET,
        publication("Гамлет, принц датский", author="Шекспир, У.", stated="пер. Бориса Пастернака"),
    ),
    "uniform title": (
        publication("Ten little niggers", author="Christie, Agatha", language="eng"),
        publication("And then there were none", author="Christie, A.", language="eng", uniform="Ten little niggers"),
    ),
    "number in words": (
        publication("12 стульев", author="Ильф, И."),
        publication("Двенадцать стульев", author="Ильф, Илья"),
    ),
    "title of numbers": (
        publication("1984", author="Orwell, George", language="eng"),
        publication("Nineteen eighty-four", "a novel", author="Orwell, G.", language="eng"),
    ),
    "recording of music": (
        publication("Симфония № 5", "соч. 64", author="Чайковский, П. И.", kind="notated music"),
        publication("Пятая симфония", author="Чайковский, П.", kind="sound recording-musical"),
    ),
    "vowels of titles and names": (
        publication("Пространный христианский катехизис", author="Филарет"),
        publication("Пространный христианскій катихизисъ", author="Филарет"),
    ),
    "film in two languages": (
        publication("Metropolis", author="Lang, Fritz", language="ger", kind="moving image"),
        publication("Метрополис", author="Ланг, Ф.", kind="moving image"),
    ),
    "other number of a symphony": (
        publication("Симфония № 9", "соч. 95", author="Дворжак, А.", kind="notated music"),
        publication("Симфония № 5", "соч. 95", author="Дворжак, А.", kind="sound recording-musical"),
    ),
    "other title in a note": (
        publication("Сокол с Мальты", author="Хэммет, Д.", note="Др. рус. загл.: Мальтийский сокол; ориг.: The falcon"),
        publication("Мальтийский сокол", author="Хэммет, Дэшил"),
    ),
    "volume by its own title": (
        publication("Теоретическая физика", author="Ландау, Л. Д.", number="Т. 1", name="Механика"),
        publication("Механика", author="Ландау, Л. Д."),
    ),
    "name in the title": (
        publication("Народные русские сказки А. Н. Афанасьева"),
        publication("Народныя русскія сказки", author="Афанасьев, А. Н."),
    ),
    "volume in two editions": (
        publication("Тихий Дон", author="Шолохов, М. А.", number="Кн. 1"),
        publication("Тихий Дон", "роман", author="Шолохов, М.", number="Книга первая"),
    ),
}
DIFFERENT = {
    "author": (publication("Мать", author="Горький, М."), publication("Мать", author="Чапек, К.")),
    "translator": (HAMLET, publication("Гамлет", author="Шекспир, В.", stated="В. Шекспир ; пер. Н. Полевого")),
    "language": (HAMLET, publication("Hamlet", author="Shakespeare, William", language="eng")),
    "volume": (
        publication("Война и мир", author="Толстой, Л. Н.", number="Т. 1"),
        publication("Война и мир", author="Толстой, Л. Н.", number="Т. 2"),
    ),
    "class": (
        publication("Физика", "учеб. для 7 кл.", author="Перышкин, А. В."),
        publication("Физика", "учеб. для 8 кл.", author="Перышкин, А. В."),
    ),
    "abridged": (IDIOT, publication("Идиот", "в сокращении", author="Достоевский, Ф. М.")),
    "libretto": (IDIOT, publication("Идиот", "либретто", author="Достоевский, Ф. М.")),
    "film": (IDIOT, publication("Идиот", author="Достоевский, Ф. М.", kind="moving image")),
    "abridged, in a note": (IDIOT, publication("Идиот", author="Достоевский, Ф. М.", note="Сокращенный вариант")),
    "a chapter": (IDIOT, publication("Идиот", "глава из романа", author="Достоевский, Ф. М.")),
    "omnibus": (IDIOT, publication("Идиот", "роман ; Рассказы", author="Достоевский, Ф. М.")),
    "two plays": (
        publication("Гроза. Лес", "пьесы", author="Островский, А. Н."), publication("Гроза", author="Островский, А. Н.")
    ),
    "play after the poem": (
        publication("Горянка", "поэма", author="Гамзатов, Р. Г."),
        publication("Горянка", author="Гамзатов, Р. Г.", stated="Р. Гамзатов ; по поэме «Горянка»"),
    ),
    "initial of another name": (
        publication("Гроза", author="Островский, Александр Николаевич"), publication("Гроза", author="Островский, И.")
    ),
    "other half-years": (
        publication("Reactor activities", "July 1975 to June 1976", author="Shorten, F. J.", language="eng"),
        publication("Reactor activities", "July 1976 to June 1977", author="Shorten, F. J.", language="eng"),
    ),
    "numbers of documents": (
        publication("Preparation of building codes", author="Thompson, G. N.", language="eng", sudoc="C 13.29:3"),
        publication("Preparation of building codes", author="Thompson, G. N.", language="eng", sudoc="C 13.29:5"),
    ),
    "anthology under the title of an author": (
        publication("Афоризмы житейской мудрости", author="Шопенгауэр, А."),
        publication("Афоризмы житейской мудрости", "сборник"),
    ),
    "songs of one operetta": (
        publication("Drei Musketiere", "Mein Herz ist butterweich", author="Benatzky, R.", kind="notated music"),
        publication("Drei Musketiere", "Wenn du treulos bist", author="Benatzky, R.", kind="notated music"),
    ),
    "piece of a set of preludes": (
        publication("Прелюдии", "соч. 28", author="Шопен, Ф.", kind="notated music"),
        publication("Прелюдия № 15", "соч. 28", author="Шопен, Ф.", kind="notated music"),
    ),
    "stories of this name": (
        publication("Муму", "рассказ", author="Тургенев, И. С."),
        publication("Муму", "повести и рассказы", author="Тургенев, И. С."),
    ),
    "generic title": (
        publication("Стихотворения", author="Блок, А. А."), publication("Стихотворения", author="Блок, Александр")
    ),
    "thesis and book": (
        publication("Поэтика Чехова", "дис. ... д-ра филол. наук", author="Чудаков, А. П."),
        publication("Поэтика Чехова", author="Чудаков, А. П."),
    ),
    "sonatas without a number": (
        publication("Sonatas", author="Corelli, Arcangelo", kind="notated music"),
        publication("Sonatas", author="Corelli, Arcangelo", kind="notated music"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_editions_of_one_work(pair: tuple[m.Mods, m.Mods]) -> None:
    assert are_one_work(*pair) == [[0, 1]]


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_different_works(pair: tuple[m.Mods, m.Mods]) -> None:
    assert are_one_work(*pair) == [[0], [1]]


def test_a_translation_without_a_translator_belongs_to_the_only_one() -> None:
    unstated = publication("Гамлет", author="Шекспир, Уильям", stated="пер. с англ.")
    other = publication("Гамлет", author="Шекспир, В.", stated="пер. М. Лозинского")
    assert are_one_work(HAMLET, unstated) == [[0, 1]]
    assert are_one_work(HAMLET, unstated, other) == [[0], [1], [2]]


def test_the_original_of_a_translation_is_the_work_in_the_other_language() -> None:
    hero = publication("A hero of our time", author="Lermontov, M. I͡U.", language="eng")
    note = m.Note("Translation of: Geroĭ nashego vremeni")
    original = find_works(replace(hero, note=(note,))).original
    assert original is not None
    assert original.titles[0].title == "Geroĭ nashego vremeni"
    assert set(original.facts.ties) & set(find_works(LERMONTOV).own.facts.ties)


def test_a_volume_is_part_of_its_set() -> None:
    volume = find_works(publication("Война и мир", author="Толстой, Л. Н.", number="Т. 1"))
    assert volume.host is not None
    assert set(volume.host.facts.ties) & set(
        find_works(publication("Война и мир", author="Толстой, Л.")).own.facts.ties
    )


def test_an_omnibus_contains_the_works_in_its_title() -> None:
    found = find_works(publication("Илиада ; Одиссея", author="Гомер"))
    assert [content.titles[0].title for content in found.contents] == ["Илиада", "Одиссея"]
