"""Lists that people fill in are read as Excel, LibreOffice and editors save them."""

import codecs

import pytest

from bibld.errors import ConfigError
from bibld.text.lists import read_list, read_rows, table_lines
from bibld.text.translations import sentences_in, source_word

TABLE = [["record", "value", "reason"], ["rsl:1", "", "решение суда"], ["rsl:2", "Бабель, Исаак", "просьба; письмо 5"]]


def saved(separator: str, end: str = "\r\n") -> str:
    def cell(text: str) -> str:
        return f'"{text}"' if separator in text else text

    return "".join(separator.join(map(cell, row)) + end for row in TABLE)


@pytest.mark.parametrize(
    ("program", "data"),
    [
        ("Excel: CSV (разделитель — запятая)", saved(";").encode("cp1251")),
        ("Excel: CSV (MS-DOS)", saved(";").encode("cp866")),
        ("Excel: CSV (Macintosh)", saved(";").encode("mac-cyrillic")),
        ("Excel: CSV UTF-8", codecs.BOM_UTF8 + saved(";").encode()),
        ("Excel: Текст Юникод", saved("\t").encode("utf-16")),
        ("Excel with a line that names the separator", ("sep=;\r\n" + saved(";")).encode("cp1251")),
        ("LibreOffice: UTF-8", saved(",", "\n").encode()),
        ("LibreOffice: windows-1251, tabs", saved("\t", "\n").encode("cp1251")),
        ("an old editor of Unix", saved(",", "\n").encode("koi8-r")),
        ("an editor, with blank lines", saved(";", "\n\n;;\n").encode("cp1251")),
    ],
)
def test_a_table_is_read_whatever_program_saved_it(tmp_path, program, data):
    (tmp_path / "list.csv").write_bytes(data)
    assert [cells for _, cells in read_rows(tmp_path / "list.csv", "records")] == TABLE


@pytest.mark.parametrize(
    ("text", "charset"),
    [("нет", "cp1251"), ("Анна", "cp1251"), ("ИВАНОВ", "cp1251"), ("«Война и мир»", "cp1251"), ("РНБ № 5", "cp1251")],
)
def test_a_word_is_enough(tmp_path, text, charset):
    (tmp_path / "list.txt").write_bytes(f"rsl:1;{text}\n".encode(charset))
    assert read_list(tmp_path / "list.txt", "records") == f"rsl:1;{text}\n"


@pytest.mark.parametrize("data", ["a;Müller\n".encode("cp1252"), b"a\n\xff\n", "a;été, Šárka\n".encode("cp1250")])
def test_what_is_surely_neither_utf_8_nor_russian_is_refused(tmp_path, data):
    (tmp_path / "list.csv").write_bytes(data)
    with pytest.raises(ConfigError, match=r"list\.csv line \d: is not UTF-8; save the file as UTF-8"):
        read_list(tmp_path / "list.csv", "records")


def test_rows_have_the_numbers_of_their_first_lines(tmp_path):
    (tmp_path / "list.csv").write_bytes('sep=;\na;b\n\n"c\nd";e\nf;g\n'.encode("cp1251"))
    assert [number for number, _ in read_rows(tmp_path / "list.csv", "records")] == [2, 4, 6]


@pytest.mark.parametrize(
    ("language", "first"), [("en", "\ufeffleft,right,label"), ("ru", "\ufeffлевая;правая;решение")]
)
def test_a_list_to_fill_in_is_in_the_language_of_people_and_opens_in_their_spreadsheet(language, first):
    lines = table_lines("review list", ("left", "right", "label"), [["a:1", "=1+1", ""]], sentences_in(language))
    separator = sentences_in(language).separator
    assert "".join(lines) == f"{first}\r\na:1{separator}'=1+1{separator}\r\n"


@pytest.mark.parametrize(
    ("context", "word", "expected"),
    [
        ("review list", "Решение", "label"),
        ("review list", "label", "label"),
        ("review label", " разные ", "different"),
        ("list relation", "другое издание", "other_edition"),
        ("link decision", "отклонить", "rejected"),
        ("suppression list", "основание", "reason"),
        ("suppression list", "прочее", "прочее"),
    ],
)
def test_columns_and_answers_are_read_in_every_language(context, word, expected):
    assert source_word(context, word) == expected
