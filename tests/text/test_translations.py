"""Finished sentences in another language: the pattern of a message is found by its words, its values are kept."""

import re
import shutil

import pytest
from babel.messages.catalog import Catalog

from bibld.text import translations
from bibld.text.translations import Sentences, language_of_terminal, sentences_in
from tests.docs.pages import script

MESSAGES = {
    "{folder}: cannot be written: {error}; free some space": "{folder}: не записать: {error}; освободите место",
    "no space is left": "нет места",
    "{file} is not in {folder}": "в {folder} нет {file}",
    ("{number} record", "{number} records"): ("{number} запись", "{number} записи", "{number} записей"),
    "nothing was found": "ничего не найдено",
    "warning: {message}": "внимание: {message}",
    "since the last run: {changed}": "с прошлого запуска: {changed}",
    "{number} new": "новых {number}",
}


@pytest.fixture
def russian(monkeypatch) -> Sentences:
    catalogue = Catalog(locale="ru")
    for key, text in MESSAGES.items():
        catalogue.add(key, text)
    catalogue.add("read", "чтение", context="stage")
    monkeypatch.setattr(translations, "_entries", lambda tag, kind: (each for each in catalogue if each.id))
    translations.catalogue_of.cache_clear()
    yield Sentences("ru")
    translations.catalogue_of.cache_clear()


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("nothing was found", "ничего не найдено"),
        ("a: cannot be written: no space is left; free some space", "a: не записать: нет места; освободите место"),
        ("/a: cannot be written: [Errno 5] EIO; free some space", "/a: не записать: [Errno 5] EIO; освободите место"),
        ("x.mrc is not in data", "в data нет x.mrc"),
        ("1 record", "1 запись"),
        ("3 records", "3 записи"),
        ("1,235 records", "1\u00a0235 записей"),
        ("since the last run: 2 records, 3 new", "с прошлого запуска: 2 записи, новых 3"),
        ("warning: rsl: nothing was found", "внимание: rsl: ничего не найдено"),
        ("dump.mrc record 7 (byte 5): no space is left", "dump.mrc record 7 (byte 5): нет места"),
        ("nothing was found\n5 records", "ничего не найдено\n5 записей"),
        ("no message of ours", "no message of ours"),
        ("", ""),
        ("12: 34", "12: 34"),
        ("of records", "of records"),
    ],
)  # fmt: skip
def test_a_sentence_is_translated_with_its_values(russian, english, expected):
    assert russian.text(english) == expected


def test_a_word_depends_on_its_context(russian):
    assert russian.word("stage", "read") == "чтение"
    assert russian.word("column", "read") == "read"


def test_english_is_not_touched():
    assert sentences_in("en").text("nothing was found") == "nothing was found"


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("rsl.mrc record 1 (byte 0)", "rsl.mrc, запись 1 (байт 0)"),
        ("in all: 4.1 s", "всего: 4,1 с"),
        (
            'a.mrc: the stated charset is koi8-r, but the bytes look like cp866; write charset = "cp866" or "auto"; if'
            " letters are right, write max_misread = 100 in the source",
            'a.mrc: указана кодировка koi8-r, но байты похожи на cp866; напишите charset = "cp866" или "auto"; если'
            " буквы верны, напишите в источнике max_misread = 100",
        ),
        ("in all: 3 h 05 min", "всего: 3 ч 05 мин"),
        ("composite: title 12 and author 4", "composite: 12 знаков заглавия и 4 знака автора"),
        ("live, founder of a cluster with a:1.5, b:007", "действует, первая запись кластера вместе с a:1.5, b:007"),
        ("a:1 and b:2: same, score 0.922 is at least 0.55", "a:1 и b:2: одна публикация, оценка 0,922 не ниже 0,55"),
    ],
)
def test_numbers_units_places_and_keys_are_those_of_the_language(english, expected):
    assert Sentences("ru").text(english) == expected


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("records", 1234567, "1\xa0234\xa0567"),
        ("kind", "wrong-check-digit", "Неверные контрольные цифры"),
        ("kind", "a kind of the user", "a kind of the user"),
        ("state", "current, served", "текущий, отдаётся сервером"),
        ("outcome", "related", "другое издание, том или форма"),
        ("material", "print monograph / print volume", "печать книга / печать том"),
        ("carrier", "iso2709", "iso2709"),
        ("reason", "split: другая печать", "отделено: другая печать"),
        ("title", "new", "new"),
        ("is_private", False, "нет"),
    ],
)
def test_values_of_tables_are_in_words_where_the_column_has_codes(column, value, expected):
    assert Sentences("ru").cell(column, value) == expected
    assert Sentences("en").cell(column, value) == (f"{value:,}" if isinstance(value, int) and value else str(value))


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("language", "rus, dan, xxx", "русский, датский, xxx"),
        ("kind", "text, monographic, Текст", "текст, книга, Текст"),
        ("title", "rus", "rus"),
    ],
)
def test_the_codes_of_a_card_are_in_words(line, text, expected):
    assert Sentences("ru").card_value(line, text) == expected


def test_a_value_that_leads_back_to_itself_ends(russian):
    assert russian.text("warning: " * 400 + "x").endswith("x")


@pytest.mark.parametrize(
    ("environment", "tag"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "ru_RU"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "BIBLD_LANG": "en"}, "en"),
        ({"BIBLD_LANG": "RU"}, "ru"),
        ({"BIBLD_LANG": "xx"}, "en"),
        ({"LANG": "", "LC_ALL": "ru"}, "ru"),
    ],
)
def test_the_language_of_commands_is_that_of_the_user(environment, tag):
    assert language_of_terminal(environment) == tag


SCRIPT = script("messages")
LANGUAGES = [tag for tag in translations.languages() if tag != "en"]


KINDS = {
    "messages": (SCRIPT.messages, translations._PLACE),
    "pages": (SCRIPT.page_messages, re.compile(r"%\((\w+)\)s")),
}


def entries_of(language: str, kind: str):
    return [each for entries in SCRIPT.stored(language, kind).values() for each in entries.items()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_message_of_the_code_has_a_translation_and_no_other_text_has_one(language, kind):
    expected = {(message.text, message.context): message.plural for message in KINDS[kind][0]()}
    found = entries_of(language, kind)
    translated = {message[::2] for message, texts in found if all(texts)}
    assert not sorted(expected.keys() - translated), f"python docs/messages.py {language} adds the entries"
    assert not {message[::2] for message, _ in found} - expected.keys(), (
        f"python docs/messages.py {language} takes them out"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_forms_and_the_places_of_its_message(language, kind):
    forms = Catalog(locale=language).num_plurals
    plurals = {(message.text, message.context): message.plural for message in KINDS[kind][0]()}
    places, wrong = KINDS[kind][1], []
    for message, texts in entries_of(language, kind):
        one, many, _ = message
        wrong += [message] if plurals.get(message[::2]) and len(texts) != forms else []
        wrong += [text for text in texts if text and set(places.findall(text)) != set(places.findall(many or one))]
    assert not wrong


def test_a_new_language_has_an_empty_entry_for_each_message(tmp_path, monkeypatch):
    shutil.copytree(SCRIPT.LOCALES, tmp_path / "locale", ignore=shutil.ignore_patterns("messages"))
    monkeypatch.setattr(SCRIPT, "LOCALES", tmp_path / "locale")
    monkeypatch.setattr(SCRIPT, "messages", lambda: {SCRIPT.Message("{number} row", "{number} rows"): "cli"})
    expected = len(SCRIPT.page_messages())
    assert SCRIPT.complete("de") >= expected + 1
    assert SCRIPT.stored("de", "messages") == {"cli": {("{number} row", "{number} rows", ""): ("", "")}}
    file = tmp_path / "locale" / "de" / "pages" / "search.po"
    translated = file.read_text(encoding="utf-8").replace(
        'msgid "Records"\nmsgstr ""', 'msgid "Records"\nmsgstr "Sätze"'
    )
    translated += '\nmsgid "a message that was"\nmsgstr "x"\n'
    file.write_text(translated, encoding="utf-8")
    assert SCRIPT.complete("de") >= expected
    kept = SCRIPT.stored("de", "pages")["search"]
    assert kept["Records", "", ""] == ("Sätze",)
    assert ("a message that was", "", "") not in kept
