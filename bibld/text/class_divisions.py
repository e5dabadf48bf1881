"""The tree of the UDC, the Library-Bibliographical Classification (BBK) and Dewey's: two levels, with captions.

The captions are in our words (see :mod:`bibld.text.classes` for why). Below the two levels there are the marks
themselves.
"""

from __future__ import annotations

from bibld.text.classes import LATIN_LETTERS, captions, digits_of_letter

SCHEMES = {"udc": ("udc",), "bbk": ("rubbk", "bbk", "lbc"), "ddc": ("ddc",)}
"""Classification → the schemes in which records state its marks."""

_MAX_DIVIDED = {"udc": 2, "bbk": 1, "ddc": 2}
"""Characters of a mark up to which a classification is divided further."""

_DDC = """
0 Информатика. Информация. Общие вопросы|Computing. Information. General works
1 Философия. Психология|Philosophy. Psychology
2 Религия|Religion
3 Общественные науки|Social sciences
4 Языки|Languages
5 Естественные науки. Математика|Natural sciences. Mathematics
6 Техника. Медицина|Technology. Medicine
7 Искусство. Отдых|Arts. Recreation
8 Литература|Literature
9 История. География|History. Geography
"""
_UDC = """
00 Наука и культура в целом|Science and culture in general
01 Библиография. Каталоги|Bibliographies. Catalogues
02 Библиотечное дело|Librarianship
03 Энциклопедии. Справочники|Encyclopaedias. Reference works
05 Периодические издания|Serial publications
06 Организации. Съезды. Музеи|Organisations. Congresses. Museums
07 Газеты. Журналистика|Newspapers. Journalism
08 Издания смешанного содержания|Works of mixed content
09 Рукописи. Редкие книги|Manuscripts. Rare books
11 Метафизика|Metaphysics
13 Философия духа|Philosophy of mind and spirit
14 Философские системы|Philosophical systems
15 Психология|Psychology
16 Логика. Теория познания|Logic. Theory of knowledge
17 Этика|Ethics
26 Иудаизм|Judaism
27 Христианство|Christianity
28 Ислам|Islam
30 Методы общественных наук|Methods of the social sciences
31 Статистика. Демография. Социология|Statistics. Demography. Sociology
32 Политика|Politics
33 Экономика|Economics
34 Право|Law
35 Государственное управление. Военное дело|Public administration. Military affairs
36 Социальная помощь. Страхование|Social welfare. Insurance
37 Образование|Education
39 Этнография. Обычаи. Фольклор|Ethnography. Customs. Folklore
4 Языкознание (прежние таблицы)|Linguistics (former tables)
50 Естественные науки в целом. Охрана природы|Natural sciences in general. Conservation
51 Математика|Mathematics
52 Астрономия. Геодезия|Astronomy. Geodesy
53 Физика|Physics
54 Химия|Chemistry
55 Геология. Науки о Земле|Geology. Earth sciences
56 Палеонтология|Palaeontology
57 Биология|Biology
58 Ботаника|Botany
59 Зоология|Zoology
60 Биотехнология|Biotechnology
61 Медицина|Medicine
62 Инженерное дело|Engineering
63 Сельское и лесное хозяйство|Agriculture and forestry
64 Домоводство|Household
65 Управление. Связь. Транспорт|Management. Communication. Transport
66 Химическая технология|Chemical technology
67 Отрасли промышленности|Industries and crafts
68 Изделия. Точные приборы|Assembled products. Instruments
69 Строительство|Building
71 Градостроительство. Ландшафт|Planning of towns and landscapes
72 Архитектура|Architecture
73 Скульптура|Sculpture
74 Рисунок. Дизайн. Ремёсла|Drawing. Design. Crafts
75 Живопись|Painting
76 Графика|Prints
77 Фотография. Кино|Photography. Film
78 Музыка|Music
79 Театр. Игры. Спорт|Theatre. Games. Sport
80 Филология в целом|Philology in general
81 Языкознание. Языки|Linguistics. Languages
82 Литература. Литературоведение|Literature. Literary studies
88 Славянские литературы (прежние таблицы)|Slavic literatures (former tables)
90 Археология. Краеведение|Archaeology. Local studies
91 География|Geography
92 Биографии. Генеалогия|Biography. Genealogy
93 Историческая наука|Study of history
94 История стран|History of countries
"""
_BBK = """
20 Естественные науки в целом|Natural sciences in general
22 Физико-математические науки|Mathematics and physics
24 Химия|Chemistry
26 Науки о Земле|Earth sciences
28 Биология|Biology
30 Техника в целом|Technology in general
31 Энергетика|Power engineering
32 Радиоэлектроника. Вычислительная техника|Electronics. Computing
33 Горное дело|Mining
34 Технология металлов. Машиностроение|Metalworking. Mechanical engineering
35 Химическая технология|Chemical technology
36 Пищевые производства|Food industry
37 Древесина. Лёгкая промышленность. Полиграфия|Wood. Light industry. Printing
38 Строительство|Building
39 Транспорт|Transport
4 Сельское и лесное хозяйство|Agriculture and forestry
5 Медицина|Medicine
60 Общественные науки в целом|Social sciences in general
63 История|History
65 Экономика|Economics
66 Политика|Politics
67 Право|Law
68 Военное дело|Military science
7 Культура. Наука. Образование|Culture. Science. Education
80 Филология в целом|Philology in general
81 Языкознание|Linguistics
82 Фольклор|Folklore
83 Литературоведение|Literary studies
84 Художественная литература|Fiction, poetry and plays
85 Искусство|Arts
86 Религия|Religion
87 Философия|Philosophy
88 Психология|Psychology
9 Литература универсального содержания|Works of general content
"""


def _read(table: str) -> dict[str, tuple[str, str]]:
    """Read lines of a mark, its Russian caption and its English one."""
    lines = (line.partition(" ") for line in table.strip().splitlines())
    return {mark: (names.partition("|")[0], names.partition("|")[2]) for mark, _, names in lines}


_CAPTIONS = {"udc": _read(_UDC), "bbk": _read(_BBK), "ddc": _read(_DDC)}
_LETTERS_OF_BBK = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ"


def caption(scheme: str, mark: str, language: str) -> str:
    """Return the caption of a class of one of ``SCHEMES`` in Russian (``ru``) or English; empty if it has none."""
    names = dict(zip(("ru", "en"), _CAPTIONS[scheme].get(mark, ()), strict=False))
    names |= {tag: name for name, tag in captions(scheme, mark)}
    return names.get(language) or names.get("en", "")


def subclasses(scheme: str, mark: str) -> list[str]:
    """Return the marks of the classes below one, or of the main ones below an empty mark.

    >>> subclasses("bbk", "Ю")[-2:], subclasses("udc", "821")
    (['87', '88'], [])
    """
    if not mark:
        return list(_LETTERS_OF_BBK if scheme == "bbk" else "0123456789")
    if len(mark) > _MAX_DIVIDED[scheme] or (scheme == "bbk" and mark.isdecimal()):
        return []
    if scheme == "bbk":
        return [*(f"{mark}{digit}" for digit in range(10)), *digits_of_letter(mark)]
    return [f"{mark}{digit}" for digit in range(10)]


def path_to(scheme: str, mark: str) -> list[str]:
    """Return the marks of the classes above one, beginning with an empty one; none if the tree does not have it.

    >>> path_to("udc", "821"), path_to("bbk", "84"), path_to("ddc", "x")
    (['', '8', '82'], ['', 'Ш'], [])
    """
    found = [""]
    while below := next((each for each in subclasses(scheme, found[-1]) if _contains(scheme, each, mark)), ""):
        if below == mark:
            return found
        found.append(below)
    return []


def _contains(scheme: str, above: str, mark: str) -> bool:
    return mark.startswith(above) or mark in subclasses(scheme, above)


def beginnings(scheme: str, mark: str) -> list[str]:
    """Return what the marks of a class begin with, each after its scheme: ``udc/82``.

    A letter of the BBK has the numbers of the edition for public libraries, too, and may be a Latin one.
    """
    marks = [mark]
    if scheme == "bbk":
        marks += [chr(latin) + mark[1:] for latin, letter in LATIN_LETTERS.items() if chr(letter) == mark[:1]]
        marks += digits_of_letter(mark)
    return [f"{each}/{one}" for each in SCHEMES[scheme] for one in marks]
