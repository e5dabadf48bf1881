"""Normalised forms of literals: a librarian can read the tables in ``forms`` and add to them.

A line of ``forms/values/FUNCTION.txt`` states texts and what the function makes of them, a line of ``forms/equal`` the
texts of which it makes the same. A comment may follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from bibld.text.dates import interval, year, years
from bibld.text.designations import part_number
from bibld.text.extents import pages
from bibld.text.folding import fold, strip_brackets
from bibld.text.keys import is_class_mark, title_key
from bibld.text.names import is_initial_form_of, other_names, person_key
from bibld.text.romanisation import romanise, transcription_key
from tests.strategies import any_texts

FORMS = Path(__file__).parent / "forms"
FUNCTIONS = {
    function.__name__: function
    for function in (
        fold, title_key, strip_brackets, person_key, other_names, is_initial_form_of, years, pages, part_number,
        romanise, transcription_key, interval, is_class_mark,
    )
}  # fmt: skip


def lines(kind: str) -> Iterator[Any]:
    for file in sorted((FORMS / kind).glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            values, _ = json.JSONDecoder().raw_decode(line)
            yield pytest.param(FUNCTIONS[file.stem], values, id=f"{file.stem}-{number}")


@pytest.mark.parametrize(("function", "line"), [*lines("values")])
def test_a_text_has_its_form(function, line):
    *texts, expected = line
    found = function(*texts)
    assert (list(found) if isinstance(found, tuple) else found) == expected


@pytest.mark.parametrize(("function", "texts"), [*lines("equal")])
def test_texts_have_one_form(function, texts):
    assert {function(text) for text in texts} == {function(texts[0])}


def test_the_year_of_a_text_is_the_first_of_its_years():
    assert (year("[1983] 1984"), year("[19--]")) == (1983, None)


@given(any_texts(80))
def test_folding_twice_is_folding_once_and_leaves_single_blanks(text: str) -> None:
    form = fold(text)
    assert fold(form) == form
    assert form == " ".join(form.split())


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
