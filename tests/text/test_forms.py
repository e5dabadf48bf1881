"""Normalised forms of literals, case by case: a librarian can read this table and add to it."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from bibld.text.dates import year, years
from bibld.text.designations import part_number
from bibld.text.extents import pages
from bibld.text.folding import fold, strip_brackets
from bibld.text.keys import title_key
from bibld.text.names import is_initial_form_of, other_names, person_key
from bibld.text.romanisation import romanise, transcription_key
from tests.strategies import any_texts


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Анна Каренина : роман в восьми частях /", "анна каренина роман в восьми частях"),
        ("ЁЛКА", "елка"),
        ("Чайковский", "чайковский"),
        ("Чайковский", "чайковский"),  # й as two characters
        ("за́мок", "замок"),  # a stress mark
        ("Київ", "київ"),
        ("Voĭna i mir", "voina i mir"),
        ("t͡sarʹ", "tsar"),
        ("t︠s︡arʹ", "tsar"),
        ("Café — ÇÀ", "cafe ca"),
        ("Łódź, Ærø, Straße", "lodz aero strasse"),
        ("L'homme", "lhomme"),
        ("м’ята", "мята"),
        ("ﬁnal № 5²", "final no 52"),
        ("C++ и C#", "c++ и c#"),
        ("«Война» [и] мир…", "война и мир"),
        ("Каби\u00adнет", "кабинет"),  # a soft hyphen
        ("Римский-Корсаков", "римский корсаков"),
        ("\t a \u00a0 b \n", "a b"),
        ("٣", "3"),
        ("", ""),
        (" / ", ""),
    ],
)
def test_folded(text: str, form: str) -> None:
    assert fold(text) == form


@given(any_texts(80))
def test_folding_twice_is_folding_once_and_leaves_single_blanks(text: str) -> None:
    form = fold(text)
    assert fold(form) == form
    assert form == " ".join(form.split())


@pytest.mark.parametrize(
    "forms",
    [
        ("Война и мир", "Voĭna i mir", "Vojna i mir", "Voyna i mir", "VOINA I MIR", "Война и миръ"),
        ("Преступление и наказание", "Prestuplenie i nakazanie", "Prestuplenije i nakazanije"),
        ("Чехов, Антон Павлович", "Chekhov, Anton Pavlovich", "Čehov, Anton Pavlovič", "Čekhov, Anton Pavlovič"),
        ("Достоевский, Фёдор", "Dostoevskiĭ, Fëdor", "Dostoevskij, Fedor", "Dostoyevsky, Fyedor"),
        ("Цветаева", "T͡Svetaeva", "Cvetaeva", "Tsvetayeva"),
        ("Щукин", "Shchukin", "Ŝukin", "Ščukin"),
        ("Литературные памятники", "Literaturnye pami͡atniki", "Literaturnye pamâtniki", "Literaturnye pamjatniki"),
        ("Юность", "I͡Unostʹ", "Ûnostʹ", "Junost'", "Yunost"),
        ("Эйзенштейн", "Ėĭzenshteĭn", "Èjzenštejn", "Eyzenshteyn"),
        ("Подъезд", "Podʺezd", "Podʺezd", "Pod''ezd"),
        ("сочиненіе", "sochinenīe", "сочинение", "sočinenie"),
        ("Мѣсяцъ", "Mi͡esi͡at͡sʺ", "Месяц", "Mesi͡at͡s"),
        ("Исторія", "Istorii͡a", "История", "Istorija", "Istoriâ"),
        ("Александр", "Aleksandr", "Alexandr"),
        ("Сходство", "Skhodstvo", "Shodstvo"),
        ("Київ", "Kyïv", "Kiïv"),
        ("ў", "ŭ"),
        ("Мoсква", "Москва"),  # the first о is a Latin letter
        ("Забайкальскiй", "Забайкальскій"),  # a Latin i
        ("Әдәбият", "Ädäbiyat"),
        ("Җырлар", "Zhyrlar"),
        ("Башҡорт", "Bashkort"),
        ("Қазақ тілі", "Kazak tılı"),
        ("Чӑваш кӗнеки", "Chăvash kĕneki"),
        ("Саха тыла", "Sakha tyla"),
        ("Ўзбекистон", "Ŭzbekiston"),
        ("Тоҷикистон", "Tojikiston"),
        ("Кыргыз эли", "Kyrgyz eli"),
        ("Монгол үсэг", "Mongol üseg"),
        ("Ирӕттӕ", "Irættæ"),
        ("Њива и љубав", "Njiva i ljubav"),
        ("Ѓорѓи Ќосев", "Ǵorǵi Ḱosev"),
        ("ѿ ꙗзыка", "от языка"),
        ("საქართველოს ისტორია", "Sakʻartʻvelos istoria"),
        ("Հայաստան", "Hayastan"),
        ("ΕΛΛΑΔΑ", "Ellada"),
        ("战争与和平", "Zhan zheng yu he ping"),
        ("トルストイ", "torusutoi"),
    ],
)
def test_all_forms_of_a_word_have_one_romanised_key(forms: tuple[str, ...]) -> None:
    assert {romanise(form) for form in forms} == {romanise(forms[0])}


@pytest.mark.parametrize(
    "forms",
    [
        ("Чайковский", "Chaĭkovskiĭ", "Tchaikovsky", "Tchaïkovski", "Tschaikowski", "Čajkovskij", "Czajkowski"),
        ("Пушкин", "Pushkin", "Puschkin", "Puszkin", "Puškin"),
        ("Шостакович", "Shostakovich", "Schostakowitsch", "Szostakowicz"),
        ("Хрущёв", "Khrushchëv", "Khrouchtchev", "Hruŝëv"),
        ("Булгаков", "Bulgakov", "Boulgakov", "Bulgakow"),
        ("Зубов", "Zubov", "Zouboff", "Zuboff"),
        ("Бородин", "Borodin", "Borodine"),
        ("Достоевский", "Dostoevsky", "Dostoyevsky", "Dostoïevski", "Dostojewski"),
    ],
)
def test_the_transcriptions_of_a_name_for_readers_of_other_languages_have_one_key(forms: tuple[str, ...]) -> None:
    assert {transcription_key(form) for form in forms} == {transcription_key(forms[0])}


@pytest.mark.parametrize(
    "forms",
    [
        (
            "Россия в XIX веке",
            "Россия в ХIХ веке",
            "Россия в 19-м веке",
            "Rossii\u0361a v XIX veke",
            "Россия в xix веке",
        ),
        ("Россия в XX веке", "Россия в ХХ веке"),  # Cyrillic letters
        ("Симфония № 3", "Симфония №3", "Simfonii\u0361a No. 3", "Симфония III", "Симфония Nr. 3"),
        ("Петр I и Карл XII", "Петр 1 и Карл 12"),
        ("X съезд партии", "10-й съезд партии"),
        ("Henry V", "Henry 5"),
        ("The 19th century", "19th century", "The 19 century"),
        ("Das Kapital", "Kapital"),
        ("L'année 1812", "L’année 1812"),
        ("Двадцать пять лет", "25 лет"),
        ("Третья конференция", "3-я конференция", "III конференция", "Третьей конференция"),
        ("Двадцать первый век", "XXI век", "21-й век"),
        ("The Second World", "2nd World", "Second world"),
    ],
)
def test_a_title_has_one_key_however_its_numbers_and_articles_are_written(forms: tuple[str, ...]) -> None:
    assert {title_key(form) for form in forms} == {title_key(forms[0])}


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("I, Robot", "i robot"),  # no number
        ("V Moskve", "v moskve"),  # a preposition
        ("Избранное В. Гюго", "izbrannoe v gugo"),
        ("Works of V. Hugo", "vorks of v hugo"),
        ("В лесах. И на горах", "v lesah i na gorah"),
        ("V lesakh. I na gorakh", "v lesah i na gorah"),
        ("MIX", "miks"),
        ("Civil War", "tsivil var"),
        ("Фауст I", "faust 1"),
        ("Фауст II", "faust 2"),
        ("The", "the"),
        ("А", "a"),
        ("", ""),
    ],
)
def test_only_numbers_and_articles_of_a_title_are_replaced(title: str, key: str) -> None:
    assert title_key(title) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [("Война и мир", "Война и миф"), ("Толстой", "Толстая"), ("жар", "шар"), ("мат", "мать сыра"), ("1", "2")],
)
def test_different_words_keep_different_keys(one: str, other: str) -> None:
    assert romanise(one) != romanise(other)


@given(any_texts(80))
def test_a_romanised_key_is_its_own_key_and_has_no_cyrillic_russian(text: str) -> None:
    key = romanise(text)
    assert romanise(key) == key
    assert not set(key) & set("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")


@pytest.mark.parametrize(
    ("text", "form"),
    [("[Москва]", "Москва"), ("197[8?]", "1978?"), (" [б. и.] , [1911] ", "б. и. , 1911"), ("[", ""), ("", "")],
)
def test_without_brackets(text: str, form: str) -> None:
    assert strip_brackets(text) == form


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("Толстой, Лев Николаевич", "толстой лев николаевич"),
        ("Толстой, Лев Николаевич, 1828-1910.", "толстой лев николаевич"),
        ("Толстой, Лев Николаевич (1828-1910; писатель)", "толстой лев николаевич"),
        ("Толстой Л.Н.", "толстой л н"),
        ("Толстой, Л. Н.", "толстой л н"),
        ("Л.Н. Толстой", "толстой л н"),
        ("Салтыков-Щедрин, М. Е.", "салтыков щедрин м е"),
        ("Верн, Ж.-Ж.", "верн ж ж"),
        ("Tolstoĭ, Lev Nikolaevich,", "tolstoi lev nikolaevich"),
        ("Петров, А. Б., р. 1950", "петров а б"),
        ("Smith, John, b. 1950", "smith john"),
        ("Smith, John, 1950-", "smith john"),
        ("Екатерина II, 1729-1796", "екатерина ii"),
        ("Гомер", "гомер"),
        ("Лев Николаевич Толстой", "толстой лев николаевич"),
        ("Толстой Лев Николаевич", "толстой лев николаевич"),
        ("Anna Andreevna Akhmatova", "akhmatova anna andreevna"),
        ("Alon Y. Halevy", "halevy alon y"),
        ("Бальзак, Оноре де", "бальзак оноре де"),
        ("де Бальзак, Оноре", "бальзак оноре де"),
        ("Van der Waals, J. D.", "waals j d van der"),
        ("Ли, Ван", "ли ван"),
        ("Де", "де"),
        ("А. Ли", "ли а"),
        ("А. Б.", "а б"),  # initials alone
        ("А", "а"),
        ("", ""),
    ],
)
def test_person_key(heading: str, key: str) -> None:
    assert person_key(heading) == key


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Горький, Максим (псевд.; наст. имя Пешков Алексей Максимович; 1868-1936)", ["Пешков Алексей Максимович"]),
        ("наст. фам. Голиков", ["Голиков"]),
        ("наст. имя и фам.: Каган, Лазарь Моисеевич, 1893-1937", ["Каган, Лазарь Моисеевич"]),
        ("настоящее имя — Чхартишвили Григорий", ["Чхартишвили Григорий"]),
        ("pseud. of Charles Dodgson", ["Charles Dodgson"]),
        ("псевд.", []),
        ("псевд.; 1868-1936", []),
        ("писатель", []),
        ("", []),
    ],
)
def test_real_names_and_pseudonyms_are_found_beside_a_heading(text: str, names: list[str]) -> None:
    assert other_names(text) == names


@pytest.mark.parametrize(
    ("short", "long", "is_one"),
    [
        ("Толстой, Л. Н.", "Толстой, Лев Николаевич", True),
        ("Толстой, Л.", "Толстой, Лев Николаевич", True),
        ("Толстой Л.Н.", "Толстой, Лев Николаевич", True),
        ("Л.Н. Толстой", "Толстой, Лев Николаевич, 1828-1910", True),
        ("Толстой, Лев", "Толстой, Лев Николаевич", True),
        ("Лондон, Дж.", "Лондон, Джек", True),
        ("Zhdanov, V. A.", "Zhdanov, Vladimir Aleksandrovich", True),
        ("Толстой, А. Н.", "Толстой, Лев Николаевич", False),
        ("Толстой, Л. К.", "Толстой, Лев Николаевич", False),
        ("Толстой, Лев Николаевич", "Толстой, Л. Н.", False),
        ("Толстой, Л. Н.", "Толстой, Л. Н.", False),
        ("Толстой", "Толстой, Лев Николаевич", False),
        ("Толстая, Л. Н.", "Толстой, Лев Николаевич", False),
        ("Толстой, Нико", "Толстой, Николай", False),
        ("", "", False),
    ],
)
def test_is_initial_form_of(short: str, long: str, is_one: bool) -> None:
    assert is_initial_form_of(short, long) is is_one


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970", (1970,)),
        ("[1978?]", (1978,)),
        ("cop. 2003", (2003,)),
        ("c2003.", (2003,)),
        ("1868-1869", (1868, 1869)),
        ("1898/99", (1898, 1899)),
        ("1898-99", (1898, 1899)),
        ("1999/00", (1999,)),
        ("2003-10-01", (2003,)),
        ("2003-10", (2003,)),
        ("2003/10/01", (2003,)),
        ("18[98]", (1898,)),
        ("янв. 1703", (1703,)),
        ("1983 [т.е. 1984]", (1983, 1984)),
        ("5743 [1982 or 1983]", (1982, 1983)),
        ("MCMXCIX", (1999,)),
        ("M DCC LXXXVI", (1786,)),
        ("М.DCC.LXXXVI", (1786,)),
        ("MCMXCIX [1998]", (1998,)),
        ("19860428120000", ()),
        ("[198-?]", ()),
        ("[19--]", ()),
        ("М. : Наука", ()),
        ("М. И.", ()),
        ("0999", ()),
        ("0000", ()),
        ("0000-0050", ()),
        ("0000-1868", (1868,)),
        ("2100", ()),
        ("", ()),
        ("1950-40", (1950,)),  # earlier than the first year
        ("1950/40", (1950,)),
        ("1905/06", (1905, 1906)),
        ("1905-06", (1905,)),  # a month
        ("1905-12", (1905,)),
        ("1905-13", (1905, 1913)),
        ("1905/05", (1905,)),
        ("1000, 2099", (1000, 2099)),
        ("MMXCIX", (2099,)),
        ("MMC", ()),
        ("M.DCCC", (1800,)),
        ("M.DCC", ()),  # too short for a numeral with full stops
        ("M. D., MDCCC", (1800,)),
    ],
)
def test_years(text: str, expected: tuple[int, ...]) -> None:
    assert years(text) == expected
    assert year(text) == (expected[0] if expected else None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("349, [2] с.", 349),
        ("911 с., 8 л. ил.", 911),
        ("xii, 366 p.", 366),
        ("xii, 366 p., [8] leaves of plates", 366),
        ("XVI, 520 с., [1] л. портр.", 520),
        ("[4], 250, [2] с. ;", 250),
        ("48, 520 с.", 520),
        ("520, 48 с.", 520),
        ("[4], [16] с.", 16),
        ("[16] с.", 16),
        ("1 v. (350 p.)", 350),
        ("1 online resource (xii, 366 pages)", 366),
        ("366 S.", 366),
        ("412 стр", 412),
        ("120 s. : il.", 120),
        ("С. 76-132", None),
        ("с. 76—132", None),
        ("P. 12-34", None),
        ("76-132 с.", None),
        ("6 т.", None),
        ("6 v. ; 20 cm.", None),
        ("150 л.", None),
        ("20 см", None),
        ("xvi p.", None),
        ("", None),
    ],
)
def test_pages(text: str, number: int | None) -> None:
    assert pages(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Т. 3", "3"),
        ("т.3", "3"),
        ("Том третий", "3"),
        ("vol. III", "3"),
        ("v. 3", "3"),
        ("Vol. V", "5"),
        ("V", "5"),
        ("Часть вторая", "2"),
        ("Ч. ІІ", "2"),  # Ukrainian letters for a numeral
        ("Кн. ХII", "12"),  # a Cyrillic Х
        ("Вып. 012", "12"),
        ("2nd part", "2"),
        ("2-я книга", "2"),
        ("Второй том", "2"),
        ("Четвёртая часть", "4"),
        ("Bd. 2, 1. Teil", "2 1"),
        ("Т. 1, кн. 2", "1 2"),
        ("[Ч.] 2", "2"),
        ("№ 5", "5"),
        ("Ч. А", "a"),
        ("Part C", "c"),
        ("Серия Б, вып. 3", "b 3"),
        ("Т. 3, доп.", "3"),
        ("Часть", "chast"),
        ("0", "0"),
        ("", ""),
    ],
)
def test_part_number(text: str, number: str) -> None:
    assert part_number(text) == number


@given(any_texts())
@example("1" * 10_000)
@example("[" * 2_000 + "p")
@example("M" * 2_000)
@example("1, " * 2_000)
@example("Толстой" + ", " * 2_000)
def test_no_text_is_too_strange(text: str) -> None:
    found = years(text)
    assert all(1000 <= number <= 2099 for number in found)
    assert (pages(text) or 0) <= 99_999
    assert part_number(text) == " ".join(part_number(text).split())
    assert person_key(text) == fold(person_key(text))
    assert not is_initial_form_of(text, text)
