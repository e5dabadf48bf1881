"""One value in several forms: what a librarian takes for the same, which form is shown, and what is noted."""

from __future__ import annotations

import msgspec
import pytest

from bibld.model.linkage import Merged
from bibld.model.mods import (
    Date,
    Edition,
    Identifier,
    Mods,
    Name,
    NameIdentifier,
    NamePart,
    Note,
    OriginInfo,
    TitleInfo,
)
from bibld.model.mods_plan import words_of
from tests.merge.books import (
    NLR,
    RSL,
    SLAVICA,
    by,
    extent,
    in_language,
    not_shown,
    of,
    person,
    published,
    series,
    spellings,
)

TOLSTOY = "Толстой, Лев Николаевич"


def headings(result: Merged) -> list[str]:
    return [", ".join(part.value for part in name.name_part) for name in result.mods.name]


def titles(result: Merged) -> list[str]:
    return [" : ".join((info.title, *info.sub_title)) for info in result.mods.title_info]


@pytest.mark.parametrize(
    "short",
    [
        person("Толстой, Л. Н."),
        person("Толстой Л.Н."),
        person("Толстой, Л."),
        person("Толстой, Лев"),
        person("Толстой, Л. Н. (Лев Николаевич)"),
        person("Толстой, Лев Николаевич"),
        person("Толстой, Л. Н.", "1828-"),
        person("Толстой, Л. Н.", "1828-1910"),
    ],
    ids=lambda name: name.name_part[0].value,
)
def test_a_name_is_absorbed_by_its_only_fuller_form(short):
    full = person(TOLSTOY, "1828-1910")
    for pair in ((short, full), (full, short)):
        result = of(*(Mods(name=(name,)) for name in pair))
        assert headings(result) == [f"{TOLSTOY}, 1828-1910"]
        (source,) = [one for one in result.sources if one.path == "name/0"]
        assert set(source.records) == {RSL, NLR}
        (words,) = [words for path, (words, _) in not_shown(result).items() if path == "name/0#1"]
        assert words == " ".join(part.value for part in short.name_part)


def test_dates_in_the_heading_are_dates():
    result = of(Mods(name=(person("Толстой, Л. Н."),)), Mods(name=(person(f"{TOLSTOY}, 1828-1910"),)))
    assert headings(result) == [f"{TOLSTOY}, 1828-1910"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (person("Толстой, Леонид"), person(TOLSTOY)),
        (person("Толстой, А. Н."), person(TOLSTOY)),
        (person("Толстая, Л. Н."), person(TOLSTOY)),
        (person("Толстой, Л. Н.", "1869-1945"), person(TOLSTOY, "1828-1910")),
        (person("Толстой, Л. Н.", "1830-"), person(TOLSTOY, "1828-1910")),
        (person(TOLSTOY, "1910-"), person(TOLSTOY, "1828-1910")),
        (person("Толстой, Л. Н. (физик)"), person(TOLSTOY)),
        (Name((NamePart("Наука"),), type="corporate"), Name((NamePart("Наука, изд-во"),), type="corporate")),
    ],
    ids=str,
)
def test_names_that_are_no_forms_of_each_other_remain_separate(one, other):
    assert len(of(Mods(name=(one,)), Mods(name=(other,))).mods.name) == 2


def test_of_two_fuller_forms_neither_absorbs():
    result = of(
        Mods(name=(person("Толстой, Л. Н."),)),
        Mods(name=(person(TOLSTOY),)),
        Mods(name=(person("Толстой, Лука Нилович"),)),
    )
    assert headings(result) == ["Толстой, Л. Н.", TOLSTOY, "Толстой, Лука Нилович"]
    assert not_shown(result) == {}


def test_forms_that_grow_fuller_step_by_step_are_one_name():
    result = of(*(Mods(name=(person(heading),)) for heading in ("Толстой, Л.", "Толстой, Л. Н.", TOLSTOY)))
    assert headings(result) == [TOLSTOY]


def test_two_names_of_one_record_are_two_people():
    both = (person("Толстой, Л. Н."), person(TOLSTOY))
    assert len(of(Mods(name=both), Mods(name=(person(TOLSTOY),))).mods.name) == 2
    father_and_son = (person("Дюма, А."), person("Дюма, А. А."))
    assert len(of(Mods(name=father_and_son), Mods(name=(person("Дюма, Александр Александрович"),))).mods.name) == 3


def test_names_with_different_numbers_in_one_authority_file_remain_separate():
    def numbered(heading: str, number: str, kind: str) -> Mods:
        return Mods(name=(person(heading, identifier=NameIdentifier(number, type=kind)),))

    assert len(of(numbered("Толстой, Л. Н.", "1", "viaf"), numbered(TOLSTOY, "2", "viaf")).mods.name) == 2
    (name,) = of(numbered("Толстой, Л. Н.", "1", "local"), numbered(TOLSTOY, "2", "local")).mods.name
    assert [one.value for one in name.name_identifier] == ["1", "2"]


def test_a_name_keeps_the_roles_and_the_rank_of_all_its_forms():
    short = Name((NamePart("Толстой, Л. Н."),), type="personal", usage="primary", display_form=("Л. Н. Толстой",))
    (name,) = of(Mods(name=(short,)), Mods(name=(person(TOLSTOY, role="aut"),))).mods.name
    assert name.name_part[0].value == TOLSTOY
    assert (name.usage, name.display_form) == ("primary", ("Л. Н. Толстой",))
    assert [role.role_term[0].value for role in name.role] == ["aut"]


@pytest.mark.parametrize(
    ("short", "full"),
    [("М.", "Москва"), ("СПб.", "Санкт-Петербург"), ("[Л.]", "Ленинград"), ("Ростов н/Д", "Ростов-на-Дону")],
)
def test_an_abbreviated_town_is_the_town(short, full):
    for places in ((short, full), (full, short)):
        result = of(*(Mods(origin_info=published(place)) for place in places))
        (place,) = result.mods.origin_info[0].place
        assert place.place_term[0].value == full
        assert [words for path, (words, _) in not_shown(result).items() if "place" in path] == [short]


def test_petrograd_is_not_st_petersburg():
    result = of(Mods(origin_info=published("Пг.")), Mods(origin_info=published("СПб.")))
    assert len(result.mods.origin_info[0].place) == 2


def test_an_isbn_is_shown_with_its_hyphens_and_both_spellings_are_kept():
    with_hyphens, without = (Identifier(text, type="isbn") for text in ("5-280-00710-3", "5280007103"))
    for pair in ((with_hyphens, without), (without, with_hyphens)):
        result = of(*(Mods(identifier=(one,)) for one in pair))
        assert result.mods.identifier == (with_hyphens,)
        holder = RSL if pair[0] is without else NLR
        assert spellings(result) == {"identifier/0": {"5280007103": {holder}}}


def test_isbn_10_and_isbn_13_are_one_number_and_both_forms_are_kept():
    result = of(*(Mods(identifier=(Identifier(text, type="isbn"),)) for text in ("5-7107-6512-0", "978-5-7107-6512-8")))
    assert [one.value for one in result.mods.identifier] == ["978-5-7107-6512-8"]
    assert not_shown(result) == {"identifier/0#1": ("5-7107-6512-0", {RSL})}


@pytest.mark.parametrize(
    ("forms", "shown"),
    [
        (("349 с.", "349, [2] с."), ["349, [2] с."]),
        (("349, [2] с.", "349 с."), ["349, [2] с."]),
        (("349 с.", "349, [2] с. : ил. ; 22 см"), ["349, [2] с. : ил. ; 22 см"]),
        (("349 с.", "350 с."), ["349 с."]),
        (("349 с.", "349, [2] с.", "349, [3] с."), ["349 с."]),
        (("349 стр.", "349, [2] с."), ["349, [2] с."]),
        (("22 см", "349 с. ; 22 см"), ["22 см"]),
        (("349 p.", "349 с. ; 22 см"), ["349 p."]),
        (("349 с. ; 22 см : ил.", "349 с. : ил. ; 22 см"), ["349 с. ; 22 см : ил."]),
        (("349 p. : ill.", "349 pages : illus. ; 23 cm"), ["349 pages : illus. ; 23 cm"]),
    ],
    ids=str,
)
def test_an_extent_is_shown_in_its_fullest_form(forms, shown):
    result = of(*(Mods(physical_description=extent(form)) for form in forms))
    (description,) = result.mods.physical_description
    assert [one.value for one in description.extent] == shown
    assert {words for words, _ in not_shown(result).values()} == set(forms) - set(shown)


def test_a_date_in_brackets_is_the_date_and_is_shown_without():
    for dates in (("[1999]", "1999"), ("1999", "[1999]")):
        result = of(*(Mods(origin_info=published("Москва", "Наука", date)) for date in dates))
        assert [date.value for date in result.mods.origin_info[0].date_issued] == ["1999"]
        assert list(spellings(result)["origin_info/0/date_issued/0"]) == ["[1999]"]


def test_a_copyright_date_is_another_date():
    result = of(*(Mods(origin_info=published("Москва", "Наука", date)) for date in ("1999", "cop. 1998")))
    assert not_shown(result)["origin_info/0/date_issued#1"] == ("cop. 1998", {NLR})


def test_a_series_without_its_number_is_that_with_the_only_number_there_is():
    name = "Литературные памятники"
    (item,) = of(Mods(related_item=series(name)), Mods(related_item=series(name, "вып. 5"))).mods.related_item
    assert item.mods.title_info[0].part_number == ("вып. 5",)
    (item,) = of(Mods(related_item=series(name, "Вып. 5")), Mods(related_item=series(name, "5"))).mods.related_item
    items = (series(name), series(name, "вып. 5"), series(name, "вып. 6"))
    assert len(of(*(Mods(related_item=item) for item in items)).mods.related_item) == 3


def test_a_title_without_subtitle_is_that_with_the_only_subtitle_there_is():
    with_subtitle = TitleInfo("Война и мир", sub_title=("роман в четырех томах",))
    in_one = TitleInfo("Война и мир : роман в четырех томах")
    result = of(*(Mods(title_info=(title,)) for title in (TitleInfo("Война и мир."), with_subtitle, in_one)))
    assert result.mods.title_info == (with_subtitle,)
    assert not_shown(result) == {"title_info/0#1": ("Война и мир.", {RSL})}
    other = TitleInfo("Война и мир", sub_title=("сочинение графа Л. Н. Толстого",))
    assert (
        len(
            of(
                *(Mods(title_info=(title,)) for title in (TitleInfo("Война и мир"), with_subtitle, other))
            ).mods.title_info
        )
        == 3
    )


# --- scripts


def test_in_a_russian_book_the_title_in_cyrillic_comes_first():
    romanised = (TitleInfo("Anna Karenina", sub_title=("roman v vosʹmi chasti͡akh",)),)
    books = (
        Mods(title_info=romanised, language=in_language("rus")),
        Mods(title_info=(TitleInfo("Анна Каренина", sub_title=("Роман в 8 ч.",)),), language=in_language("rus")),
        Mods(title_info=(TitleInfo("Анна Каренина", sub_title=("роман в восьми частях",)),)),
    )
    assert titles(of(*books)) == [
        "Анна Каренина : роман в восьми частях",
        "Anna Karenina : roman v vosʹmi chasti͡akh",
        "Анна Каренина : Роман в 8 ч.",
    ]


def test_in_an_english_book_the_title_in_latin_letters_comes_first():
    books = (
        Mods(title_info=(TitleInfo("Грамматика русского языка"),), language=in_language("eng")),
        Mods(title_info=(TitleInfo("A Russian grammar"),), language=in_language("eng")),
    )
    assert titles(of(*books)) == ["A Russian grammar", "Грамматика русского языка"]


@pytest.mark.parametrize("codes", [(), ("und",), ("rus", "eng")])
def test_where_the_script_is_not_known_for_sure_the_fullest_title_comes_first(codes):
    books = (
        Mods(title_info=(TitleInfo(title),), language=in_language(*codes)) for title in ("Слово", "A longer title")
    )
    assert titles(of(*books))[0] == "A longer title"


def test_a_title_in_the_script_of_the_publication_that_replaces_its_romanisation_is_the_main_title():
    books = (
        Mods(title_info=(TitleInfo("Война и мир", part_number=("1",)), TitleInfo("Война и мир"))),
        Mods(title_info=(TitleInfo("Voĭna i mir"),), language=in_language("eng")),
    )
    assert titles(of(*books, policies=by("fill"))) == ["Voĭna i mir", "Война и мир"]


def test_an_alternative_title_is_never_the_main_one():
    titled = Mods(title_info=(TitleInfo("Roman"), TitleInfo("Роман о войне и мире", type="alternative")))
    assert titles(of(titled, Mods(language=in_language("rus"))))[0] == "Roman"


def test_a_name_in_cyrillic_replaces_its_romanisation_and_others_keep_their_place():
    romanised = (person("Bulgakov, Mikhail", "1891-1940"), person("Simonov, Konstantin"))
    cyrillic = (person("Булгаков, Михаил Афанасьевич", "1891-1940"), person("Булгаков, Михаил", "1891-1940"))
    books = (
        Mods(name=romanised, language=in_language("rus")),
        Mods(name=cyrillic[1:]),
        Mods(name=cyrillic[:1]),
    )
    result = of(*books)
    assert headings(result) == ["Булгаков, Михаил Афанасьевич, 1891-1940", "Simonov, Konstantin"]
    assert [words_of(other) for other in result.mods.name[0].alternative_name] == ["Bulgakov, Mikhail 1891-1940"]


def test_a_name_stays_paired_with_its_romanisation_when_a_fuller_form_is_shown():
    def pair(*headings: str) -> Mods:
        return Mods(name=tuple(msgspec.structs.replace(person(heading), alt_rep_group="01") for heading in headings))

    full = Mods(name=(person("Улицкая, Людмила Евгеньевна"),), language=in_language("rus"))
    names = of(full, pair("Ulit͡skai͡a, Li͡udmila", "Улицкая, Людмила")).mods.name
    assert [name.alt_rep_group for name in names] == ["01", "01"]
    names = of(full, pair("Ulit͡skai͡a, Li͡udmila", "Улицкая, Людмила"), pair("Petrov, A.", "Петров, А.")).mods.name
    assert [name.alt_rep_group for name in names] == [None, "01", "01", "01"]


def test_places_publishers_and_statements_in_cyrillic_come_first():
    romanised = OriginInfo(script="Latn", publisher=published("", "Nauka")[0].publisher)
    books = (
        Mods(origin_info=(romanised, *published("Moskva", "Nauka"))),
        Mods(origin_info=published("М.", "Наука"), language=in_language("rus")),
    )
    first, second = of(*books).mods.origin_info
    assert [place.place_term[0].value for place in first.place] == ["М.", "Moskva"]
    assert [publisher.value for publisher in first.publisher] == ["Наука", "Nauka"]
    assert second == romanised


def test_what_is_filled_with_a_romanisation_is_shown_in_the_script_of_the_publication():
    def edition(text: str) -> tuple[OriginInfo, ...]:
        return (OriginInfo(edition=(Edition(text),)),)

    books = (Mods(origin_info=edition("Izd. 2-e")), Mods(origin_info=edition("Изд. 2-е"), language=in_language("rus")))
    result = of(*books)
    assert [one.value for one in result.mods.origin_info[0].edition] == ["Изд. 2-е"]
    assert not_shown(result) == {"origin_info/0/edition/0#1": ("Izd. 2-e", {RSL})}


def test_an_extent_in_english_gives_way_to_that_of_the_same_pages_in_russian():
    books = (
        Mods(physical_description=extent("475 p. ; 23 cm."), language=in_language("rus")),
        Mods(physical_description=extent("475 с. ; 23 см")),
    )
    (description,) = of(*books).mods.physical_description
    assert [one.value for one in description.extent] == ["475 с. ; 23 см"]


def test_only_the_romanised_form_of_the_chosen_record_is_shown_in_cyrillic_under_fill():
    books = (
        Mods(title_info=(TitleInfo("Voĭna i mir"),), language=in_language("rus")),
        Mods(title_info=(TitleInfo("Война и мир"), TitleInfo("Роман"))),
    )
    result = of(*books, policies=by("fill", "title_info"))
    assert titles(result) == ["Война и мир"]
    assert not_shown(result) == {"title_info/0#1": ("Voĭna i mir", {RSL}), "title_info#1": ("Роман", {NLR})}
    assert titles(of(*books)) == ["Война и мир", "Voĭna i mir", "Роман"]


def test_a_coded_date_remains_separate():
    coded = OriginInfo(date_issued=(Date("1999", encoding="marc"), Date("1999")))
    (info,) = of(Mods(origin_info=(coded,)), Mods(origin_info=published("", "", "[1999]"))).mods.origin_info
    assert info.date_issued == coded.date_issued


def test_three_libraries_and_one_name_in_all_its_forms():
    names = (person("Толстой, Л. Н.", role="aut"), person("Tolstoĭ, Lev Nikolaevich"), person(TOLSTOY, "1828-1910"))
    result = of(*(Mods(name=(name,), language=in_language("rus")) for name in names))
    assert headings(result) == [f"{TOLSTOY}, 1828-1910"]
    assert [words_of(other) for other in result.mods.name[0].alternative_name] == ["Tolstoĭ, Lev Nikolaevich"]
    holders = {source.path: set(source.records) for source in result.sources}
    assert holders["name/0"] == {RSL, SLAVICA, NLR}


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        (person("Пикетти, Тома", "1971-"), person("Piketty, Thomas"), True),
        (person("Шекспир, Уильям", "1564-1616"), person("Shakespeare, William", "1564-1616"), True),
        (person("Пикетти, Тома", role="aut"), person("Piketty, Thomas", role="trl"), False),
        (person("Дюма, Александр", "1802-1870"), person("Dumas, Alexandre", "1824-1895"), False),
        (person("Иванов, А. П."), person("Ivanov, A. V."), False),
        (person("Иванов, Александр"), person("Ivanov, Alekseĭ"), False),
        (person("Иванова, А."), person("Ivanov, A."), False),
        (person("Петров, В. (химик)"), person("Petrov, V."), False),
    ],
)
def test_a_person_whom_two_libraries_write_otherwise_is_one_and_two_persons_are_two(one, other, is_one):
    names = of(Mods(name=(one,), language=in_language("rus")), Mods(name=(other,))).mods.name
    assert len(names) == (1 if is_one else 2)
    assert names[0].name_part == one.name_part


@pytest.mark.parametrize(
    ("one", "stated", "other", "otherwise_stated", "is_one"),
    [
        ("Шекспир, Вильям", "Вильям Шекспир", "Шекспир, Уильям", "У. Шекспир", True),
        ("Толкиен, Джон Рональд Руэл", "Дж. Толкиен", "Толкин, Д. Р. Р.", "", True),
        ("Салтыков, М. Е.", "Щедрин", "Салтыков-Щедрин, Михаил Евграфович", "", True),
        ("Арутюнова, Нина Давидовна", "", "Арутюнова-Штаерман, Н. Д.", "", True),
        ("Прутков, Козьма", "", "Козьма Прутков", "", True),
        ("Конан Дойл, Артур", "", "Дойл, Артур Конан", "", True),
        ("Толстой", "", "Толстой, Лев Николаевич", "", True),
        # A pseudonym is known by the statement of the record that has the real name.
        ("Акунин, Борис", "Борис Акунин", "Чхартишвили, Григорий Шалвович", "Б. Акунин", True),
        ("Купала, Янка", "", "Луцэвіч, Іван Дамінікавіч", "Янка Купала", True),
        ("Купала, Янка", "", "Луцэвіч, Іван Дамінікавіч", "", False),
        ("Ли, А. А.", "", "Петров, П. П.", "Литературный музей", False),
        ("Афанасьев, Александр Николаевич", "", "Пропп, В. Я.", "А. Н. Афанасьев ; подгот. В. Я. Пропп", False),
        ("Гримм, Якоб", "Якоб Гримм", "Гримм, Вильгельм", "В. Гримм", False),
        ("Стругацкий, Аркадий", "А. Стругацкий", "Стругацкий, Борис", "А. и Б. Стругацкие", False),
        ("Иванова, П.", "П. Иванова", "Иванов, П.", "П. Иванов", False),
    ],
)
def test_the_only_creators_of_one_publication_are_one_if_their_names_or_statements_show_it(
    one, stated, other, otherwise_stated, is_one
):
    def book(heading: str, statement: str, *more: Name) -> Mods:
        note = (Note(statement, type="statement of responsibility"),) if statement else ()
        return Mods(name=(person(heading), *more), note=note, language=in_language("rus"))

    others = of(book(one, stated), book(other, otherwise_stated)).mods.name[1:]
    assert len(others) == (0 if is_one else 1)
    with_editor = person("Петров, А. А.", role="edt")
    assert len(of(book(one, stated, with_editor), book(other, otherwise_stated)).mods.name) == len(others) + 2
    with_another_author = person("Петров, А. А.")
    assert len(of(book(one, stated, with_another_author), book(other, otherwise_stated)).mods.name) > len(others) + 1


def test_a_pseudonym_is_another_name_of_the_person_and_a_misprint_is_not():
    def book(heading: str) -> Mods:
        statement = Note("Б. Акунин", type="statement of responsibility")
        return Mods(name=(person(heading),), note=(statement,), language=in_language("rus"))

    def other_names(*forms: str) -> list[str]:
        (name,) = of(*map(book, forms)).mods.name
        return [part.value for other in name.alternative_name for part in other.name_part]

    assert other_names("Акунин, Борис", "Чхартишвили, Григорий Шалвович") == ["Акунин, Борис"]
    assert other_names("Акунин, Борис", "Аккунин, Б.") == []


def test_two_names_with_the_same_years_of_life_are_of_one_person_where_nobody_else_is_stated():
    dates = "1868-1936"
    real, pseudonym = person("Пешков, Алексей Максимович", dates), person("Горький, Максим", dates)
    assert len(of(Mods(name=(real,)), Mods(name=(pseudonym,))).mods.name) == 1
    assert len(of(Mods(name=(real, person("Чехов, А. П."))), Mods(name=(pseudonym,))).mods.name) == 3


def test_persons_that_one_record_has_side_by_side_stay_two():
    both = Mods(name=(person("Ivanov, Ivan"), person("Ivanov, Ilʹi︠a︡")))
    assert len(of(Mods(name=(person("Иванов, И."),), language=in_language("rus")), both).mods.name) == 3
