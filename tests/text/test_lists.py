"""Lists that people fill in are read as Excel, LibreOffice and editors save them."""

import codecs

import pytest

from bibld.errors import ConfigError
from bibld.text.lists import read_list, read_rows

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
