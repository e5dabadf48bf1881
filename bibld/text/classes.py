"""The main classes of classifications, and which of them a class mark belongs to.

The names of the main classes of the UDC and of the Library-Bibliographical Classification (BBK) are those of any
textbook, in our words; the tables themselves (UDC Summary: CC BY-SA 3.0; the BBK and Dewey's: all rights reserved) are
not here. The subclasses of the Library of Congress Classification are in the public domain.
"""

from __future__ import annotations

import re

_UDC = {
    "0": ("Знание и наука в целом. Информация. Библиотеки", "Knowledge and science in general. Information. Libraries"),
    "1": ("Философия. Психология", "Philosophy. Psychology"),
    "2": ("Религия", "Religion"),
    "3": ("Общественные науки", "Social sciences"),
    "5": ("Математика. Естественные науки", "Mathematics. Natural sciences"),
    "6": ("Прикладные науки. Медицина. Техника", "Applied sciences. Medicine. Technology"),
    "7": ("Искусство. Игры. Спорт", "Arts. Games. Sport"),
    "8": ("Языкознание. Литература", "Linguistics. Literature"),
    "9": ("География. Биографии. История", "Geography. Biography. History"),
}
_BBK = {
    "А": ("Общенаучное знание; раньше: марксизм-ленинизм", "General knowledge; formerly Marxism-Leninism"),
    "Б": ("Естественные науки в целом", "Natural sciences in general"),
    "В": ("Физико-математические науки", "Mathematics and physics"),
    "Г": ("Химические науки", "Chemistry"),
    "Д": ("Науки о Земле", "Earth sciences"),
    "Е": ("Биологические науки", "Biology"),
    "Ж": ("Техника и технические науки в целом", "Technology in general"),
    "З": ("Энергетика. Радиоэлектроника", "Power engineering. Electronics"),
    "И": ("Горное дело", "Mining"),
    "К": ("Технология металлов. Машиностроение. Приборостроение", "Metalworking. Mechanical engineering"),
    "Л": ("Химическая технология. Пищевые производства", "Chemical technology. Food industry"),
    "М": ("Технология древесины. Лёгкая промышленность. Полиграфия", "Wood technology. Light industry. Printing"),
    "Н": ("Строительство", "Building"),
    "О": ("Транспорт", "Transport"),
    "П": ("Сельское и лесное хозяйство", "Agriculture and forestry"),
    "Р": ("Здравоохранение. Медицинские науки", "Health. Medicine"),
    "С": ("Общественные науки в целом", "Social sciences in general"),
    "Т": ("История. Исторические науки", "History"),
    "У": ("Экономика. Экономические науки", "Economics"),
    "Ф": ("Политика. Политические науки", "Politics"),
    "Х": ("Право. Юридические науки", "Law"),
    "Ц": ("Военное дело. Военная наука", "Military science"),
    "Ч": ("Культура. Наука. Просвещение", "Culture. Scholarship. Education"),
    "Ш": ("Филологические науки. Художественная литература", "Philology. Literature"),
    "Щ": ("Искусство. Искусствознание", "Arts"),
    "Э": ("Религия", "Religion"),
    "Ю": ("Философия. Психология", "Philosophy. Psychology"),
    "Я": ("Литература универсального содержания", "Works of general content"),
}
_MAIN_CLASSES = {"udc": _UDC, **dict.fromkeys(("rubbk", "bbk", "lbc"), _BBK)}

_LETTER_OF_DIGITS = {
    "1": "А", "20": "Б", "22": "В", "24": "Г", "26": "Д", "28": "Е", "30": "Ж", "31": "З", "32": "З", "33": "И",
    "34": "К", "35": "Л", "36": "Л", "37": "М", "38": "Н", "39": "О", "4": "П", "5": "Р", "60": "С", "63": "Т",
    "65": "У", "66": "Ф", "67": "Х", "68": "Ц", "7": "Ч", "80": "Ш", "81": "Ш", "82": "Ш", "83": "Ш", "84": "Ш",
    "85": "Щ", "86": "Э", "87": "Ю", "88": "Ю", "9": "Я",
}  # fmt: skip
"""How marks of the edition of the BBK for public libraries begin → the letter in that for research libraries."""
_BBK_MARK = re.compile(r"(?:([А-Я])(?=[\d.,(я{]|$)|(\d{1,2})(?=[.,(=~я/\s]|$))")
LATIN_LETTERS = str.maketrans("ABEKMHOPCTXY", "АВЕКМНОРСТХУ")
"""Latin letters that are typed for Cyrillic ones in marks of the BBK, as a table for ``str.translate``."""

_FICTION = re.compile(r"Р4[А-Я]")
_OF_TWO_EDITIONS = re.compile(r"Р[124](?![\d.я])")
"""Р1, Р2 and Р4 are fiction on the shelves of the Russian State Library (Р4 with the country: Р4Фр), and medicine in
the tables for research libraries, which divide them by digits and standard subdivisions (Р121.1, Р4я73)."""

_UDC_MARK = re.compile(r"(\d)\d{0,2}(?:\.\d+)*(?:/(?P<last>\d)\d*[\d.]*)?(?:[^\w+].*)?")


def main_class(scheme: str, mark: str) -> str | None:
    """Return the mark of the main class that a mark belongs to; None if the mark does not decide it.

    >>> main_class("rubbk", "84(2Рос=Рус)6"), main_class("rubbk", "Т3(2)"), main_class("udc", "821.161.1-3")
    ('Ш', 'Т', '8')
    >>> main_class("udc", "5/6"), main_class("ddc", "821")
    (None, None)
    """
    classes = _MAIN_CLASSES.get(scheme)
    if classes is _UDC:
        udc = _UDC_MARK.fullmatch(mark)
        is_one = udc is not None and udc["last"] in (None, udc[1]) and "+" not in mark
        return udc[1] if udc is not None and is_one and udc[1] in _UDC else None
    bbk = _BBK_MARK.match(mark[:1].translate(LATIN_LETTERS) + mark[1:]) if classes is _BBK else None
    if classes is _BBK and _FICTION.match(mark):
        return "Ш"
    if bbk is None or _OF_TWO_EDITIONS.match(bbk.string):
        return None
    letter = bbk[1] or _LETTER_OF_DIGITS.get(bbk[2]) or _LETTER_OF_DIGITS.get(bbk[2][0])
    return letter if letter in _BBK else None


def captions(scheme: str, mark: str) -> tuple[tuple[str, str], ...]:
    """Return the names of a main class, each with its language tag; none for another class."""
    names = _MAIN_CLASSES.get(scheme, {}).get(mark, ())
    return tuple(zip(names, ("ru", "en"), strict=False))


def digits_of_letter(letter: str) -> list[str]:
    """Return the beginnings of marks of the edition of the BBK for public libraries for a letter of the other one."""
    return [digits for digits, other in _LETTER_OF_DIGITS.items() if other == letter]


_SECOND_LETTERS_OF_LCC = {
    "A": "CEGIMNPSYZ", "B": "CDFHJLMPQRSTVX", "C": "BCDEJNRST", "D": "ABCDEFGHJKLPQRSTUX", "E": "", "F": "",
    "G": "ABCEFNRTV", "H": "ABCDEFGJMNQSTVX", "J": "ACFJKLNQSVXZ", "K": "DEFJKZ", "L": "ABCDEFGHJT", "M": "LT",
    "N": "ABCDEKX", "P": "ABCDEFGHJKLMNQRSTZ", "Q": "ABCDEHKLMPR", "R": "ABCDEFGJKLMSTVXZ", "S": "BDFHK",
    "T": "ACDEFGHJKLNPRSTX", "U": "ABCDEFGH", "V": "ABCDEFGKM", "Z": "A",
}  # fmt: skip
_LCC_MARK = re.compile(r"([A-Z])([A-Z]?) ?\d{1,4}(?!\d)")


def subclass_of_lcc(mark: str) -> str | None:
    """Return the letters of a call number of the Library of Congress Classification, if they are those of a subclass.

    >>> subclass_of_lcc("PR6013.R735 Z5 1998"), subclass_of_lcc("WM 172"), subclass_of_lcc("MLCS 83/4")
    ('PR', None, None)
    """
    found = _LCC_MARK.match(mark)
    return found[1] + found[2] if found is not None and found[2] in _SECOND_LETTERS_OF_LCC.get(found[1], "-") else None
