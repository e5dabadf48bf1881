"""Scripts of texts, and languages by their codes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from bibld.text.languages import language_tag, usual_script
from bibld.text.scripts import (
    CYRILLIC,
    LATIN,
    first_foreign_script,
    has_cyrillic,
    has_latin,
    has_non_latin,
    repair_lookalikes,
    script_of,
    script_of_character,
)
from tests.strategies import any_texts


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("rus", "ru"),
        ("RUS", "ru"),
        ("ger", "de"),
        ("deu", "de"),
        ("grc", "grc"),
        ("zh-Hant", "zh-Hant"),
        ("und", None),
        ("mul", None),
        ("", None),
        ("русский", None),
        ("en_US", None),
        ("x" * 9, None),
    ],
)
def test_codes_of_languages_are_tags_of_bcp_47(code, tag):
    assert language_tag(code) == tag


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Толстой", "Cyrl"),
        ("Tolstoĭ ʹ", "Latn"),
        ("Τολστόι", "Grek"),
        ("トルストイ", "CJK"),
        ("Tолстой", None),
        ("12", None),
    ],
)
def test_the_script_is_that_of_all_letters(text, script):
    assert script_of(text) == script


def test_quick_tests_of_scripts_decide_as_the_names_of_the_characters_do():
    for code in range(0x1100):  # before the scripts of East Asia
        character = chr(code)
        expected = script_of_character(character) if character.isalpha() else None
        is_modifier = unicodedata.category(character) == "Lm"
        for text in (character, f"{character} 1."):
            assert script_of(text) == (None if is_modifier else expected), hex(code)
        if not is_modifier and character.isalpha():
            assert script_of(f"Ж{character}") == (CYRILLIC if expected == CYRILLIC else None), hex(code)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Tolstoy", "Latn"),
        ("Ḥayyim Việt", "Latn"),
        ("Tolstoy = Толстой = Τολστόι", "Cyrl"),
        ("— Τολστόι, Толстой", "Grek"),
        ("戦争と平和", "Jpan"),
        ("戰爭與和平", "Hani"),
        ("戰爭 Толстой", "Hani"),
        ("大韓民國 헌법", "Kore"),
        ("ܡܠܟܐ", "Syrc"),
        ("עברית", "Hebr"),
        ("١٩٩٠", "Arab"),
        ("Ͱ", "Grek"),  # the first character after Latin and its marks
        ("漢字 abc", "Hani"),
        ("", "Latn"),
    ],
)
def test_the_first_script_beyond_latin_is_that_of_the_text(text, script):
    assert first_foreign_script(text) == script


@given(any_texts())
def test_ways_to_ask_for_the_script_agree(text):
    if script_of(text) == LATIN:
        assert not has_cyrillic(text)
    if has_cyrillic(text):
        assert has_non_latin(text)
        assert first_foreign_script(text) != LATIN
    if text.isascii():
        assert has_latin(text) == any(map(str.isalpha, text))


@pytest.mark.parametrize(
    ("language", "script"),
    [
        ("rus", "Cyrl"),
        ("ru", "Cyrl"),
        ("scc", "Cyrl"),
        ("scr", "Latn"),
        ("chm", "Cyrl"),
        ("gre", "Grek"),
        ("jpn", "CJK"),
        ("arc", "Hebr"),
        ("syr", "Syrc"),
        ("eng", "Latn"),
        ("???", "Latn"),
    ],
)
def test_languages_have_a_usual_script(language, script):
    assert usual_script(language) == script


@pytest.mark.parametrize(
    ("text", "cyrillic", "latin", "other"),
    [
        ("Tolstoĭ", False, True, False),
        ("Толстой", True, False, True),
        ("Τολστόι", False, False, True),
        ("Tолстой", True, True, True),
        ("戦争", False, False, True),
        ("1869 — ?", False, False, False),
        ("", False, False, False),
    ],
)
def test_letters_of_scripts_are_found(text, cyrillic, latin, other):
    assert (has_cyrillic(text), has_latin(text), has_non_latin(text)) == (cyrillic, latin, other)


@pytest.mark.parametrize(
    ("typed", "repaired"),
    [
        ("\u041coсква", "\u041cосква"),  # the first о is a Latin letter
        ("Cобрание cочинений", "Собрание сочинений"),  # both с are Latin letters
        ("Mеxaника", "Механика"),
        ("Забайкальскiй край", "Забайкальскій край"),
        ("Mоsсоw", "Moscow"),  # three Cyrillic letters
        ("в ХIX веке", "в XIX веке"),  # a Cyrillic Х
        ("IIІ съезд", "III съезд"),  # the last І is Cyrillic
        ("Sпутник", "Sпутник"),  # no Cyrillic letter looks like S
        ("3D-модель USB", "3D-модель USB"),
        ("Москва and Moscow", "Москва and Moscow"),
        ("", ""),
    ],
)
def test_a_word_of_two_scripts_is_written_in_one_if_the_letters_look_the_same(typed: str, repaired: str) -> None:
    assert repair_lookalikes(typed) == repaired


@given(any_texts(80))
def test_repairing_twice_is_repairing_once(text: str) -> None:
    assert repair_lookalikes(repair_lookalikes(text)) == repair_lookalikes(text)
