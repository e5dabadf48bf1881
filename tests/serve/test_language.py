"""Languages of pages: each has its plurals, numbers, dates and names."""

import ast
import re
from importlib import resources
from pathlib import Path

import jinja2
import pytest
from markupsafe import Markup

from bibld.link._names import NameRelation
from bibld.model.report import GrowthPoint, Report
from bibld.serve._language import PageLanguage, choose_page_language, language_named, message
from bibld.serve._pages.codes import class_name, main_class_of
from bibld.serve._pages.environment import make_environment
from bibld.serve._pages.report_pictures import ReportPictures

PACKAGE = Path(str(resources.files("bibld.serve")))
PLACE = re.compile(r"%\((\w+)\)s")


@pytest.mark.parametrize("file", sorted(path.name for path in (PACKAGE / "templates").glob("*.html")))
def test_templates_call_gettext_with_literals_only(file):
    """A message may contain markup, so a value must not become one."""
    environment = jinja2.Environment(extensions=["jinja2.ext.i18n"])
    tree = environment.parse((PACKAGE / "templates" / file).read_text(encoding="utf-8"))
    for call in tree.find_all(jinja2.nodes.Call):
        if isinstance(call.node, jinja2.nodes.Name) and call.node.name in ("_", "gettext", "ngettext"):
            texts = call.args[: 2 if call.node.name == "ngettext" else 1]
            assert all(isinstance(text, jinja2.nodes.Const) for text in texts), call


def test_messages_of_templates_are_translated_when_they_are_compiled():
    made = make_environment(language_named("ru"), "/", {})
    template = made.from_string(
        """{{ _("Search") }} {% if x %}{{ x or _("a <b>%%</b>") }}{% endif %}{{ _("Search: %(query)s", query=x) }}"""
    )
    assert template.render(x="<i>") == "Найти &lt;i&gt;Поиск: &lt;i&gt;"
    assert made.from_string('{{ "" or _("a <b>%%</b>") }}').render() == "a <b>%</b>"
    made.globals["_"] = None
    assert made.from_string('{{ _("Search") }}').render() == "Найти"


def test_a_message_within_a_message_is_translated_too():
    deleted = message("The record was deleted from its source.")
    text = message(
        "The record %(record)s was withdrawn on %(date)s, and no other one replaces it. %(reason)s",
        record="a/1", date="2026-01-02", reason=deleted,
    )  # fmt: skip
    assert text.endswith(". The record was deleted from its source.")
    assert language_named("ru").text(text).endswith(". Запись удалена из источника.")


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("{{ text | long_class }}", "a" * 120, ""),
        ("{{ text | long_class }}", "a" * 121, ' class="long"'),
        ("{{ text | long_class }}", "a" * 301, ' class="very-long"'),
        ("{{ text | shortened }}", "слово " * 40, "слово " * 40),
        ("{{ text | shortened }}", "слово : " * 40, "слово : " * 24 + "слово …"),
        ("{{ text | shortened }}", "文" * 241, "文" * 200 + " …"),
        ("{{ text | parted }}", "История--Сибирь -- 16 в.", "История\u00a0— Сибирь\u00a0— 16 в."),
    ],
)
def test_long_titles_and_headings_are_written_so_that_they_fit(template, text, expected):
    made = make_environment(language_named("ru"), "/", {})
    assert made.from_string(template).render(text=text) == expected


def test_modules_mark_messages_that_are_literals():
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message":
                assert isinstance(node.args[0], ast.Constant), f"{file.name}:{node.lineno}"


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 записей"), (1, "1 запись"), (2, "2 записи"), (5, "5 записей"), (11, "11 записей"), (21, "21 запись")],
)
def test_plurals_are_those_of_the_language(number, words):
    assert language_named("ru").plural("%(num)s record", "%(num)s records", number) == words


@pytest.mark.parametrize(
    ("tag", "number", "day", "language"),
    [
        ("en", "1,234,567.5", "22 November 2026", "Church Slavic"),
        ("ru", "1\u00a0234\u00a0567,5", "22 ноября 2026\u202fг.", "церковнославянский"),
    ],
)
def test_numbers_dates_and_names_are_those_of_the_language(tag, number, day, language):
    here = PageLanguage(tag)
    assert here.number(1234567.5) == number
    assert here.date("2026-11-22T10:11:12+00:00").replace("\u00a0", "\u202f") == day
    assert here.name_of_language("chu") == language


def test_what_is_not_known_stays_as_it_is():
    russian = language_named("ru")
    assert russian.text("100 % new") == "100 % new"
    assert russian.text("") == ""
    assert russian.date("[1912?]") == "[1912?]"
    assert russian.name_of_language("q1x") == "q1x"
    assert russian.name_of_country("XQ") == "XQ"


def test_a_message_is_its_english_text_and_has_its_values_for_pages():
    made = message("There is no form .%(suffix)s of this document.", suffix="50%")
    assert made == "There is no form .50% of this document."
    assert language_named("en").text(made) == made
    assert language_named("ru").text(made) == "У этого документа нет формы .50%."


@pytest.mark.parametrize(
    ("query", "cookie", "accepted", "tag"),
    [
        ("", "", "", "en"),
        ("", "", "de, ru;q=0.5", "ru"),
        ("", "", "ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        ("", "lang=ru", "en", "ru"),
        ("", "a=1; lang=ru; b=2", "", "ru"),
        ("", "xlang=ru", "", "en"),
        ("", "lang=xx", "ru", "ru"),
        ("lang=en", "lang=ru", "ru", "en"),
        ("q=a&lang=ru", "", "en", "ru"),
        ("lang=xx", "lang=ru", "", "ru"),
        ("slang=ru", "", "", "en"),
        ("lang=%FF", "", "", "en"),
        ("", "", "ru," * 500, "ru"),
    ],
)
def test_the_address_then_the_cookie_then_the_browser_choose_the_language(query, cookie, accepted, tag):
    assert choose_page_language(query, cookie, accepted) == tag


def test_a_template_is_compiled_once_for_each_language(monkeypatch):
    compiled = []
    generate = jinja2.Environment._generate

    def counted(environment, *arguments, **named):
        compiled.append(environment.language.tag)
        return generate(environment, *arguments, **named)

    monkeypatch.setattr(jinja2.Environment, "_generate", counted)
    language = PageLanguage("en")
    for mount in ("/", "/lod/"):
        template = make_environment(language, mount, {}).get_template("layout.html")
        assert template.environment.globals["mount"] == mount
    make_environment(PageLanguage("ru"), "/", {}).get_template("layout.html")
    assert compiled == ["en", "ru"]


@pytest.mark.parametrize("relation", [each for each in NameRelation if each != NameRelation.DIFFERENT])
def test_each_relation_of_names_has_words(relation):
    sentence = f"{relation.value}: Smith and Sons"
    words = language_named("ru").sentence(sentence)
    assert words.endswith(": Smith and Sons") and words != sentence


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("score 0.433 is at least 0.55", "оценка 0,433 не ниже 0,55"),
        ("score 0.433 is between 0.2 and 0.75", "оценка 0,433 между 0,2 и 0,75"),
        ("score 0.433 is below 0.2", "оценка 0,433 ниже 0,2"),
        ("they are different parts: 1 and 2", "это разные части: 1 и 2"),
        ("equal: title, year", "совпадает: основное заглавие, год издания"),
        ("different: year (1970 and 1971), names", "различается: год издания (1970 и 1971), имена"),
        ("not stated by the file: title, year", "не указано в файле: основное заглавие, год издания"),
        ("not stated by the catalogue: year", "не указано в каталоге: год издания"),
        ("heading equal but for a qualifier: Smith and Sons", "заголовок совпадает, кроме уточнения: Smith and Sons"),
        ("other form equal: Smith and Sons", "совпадает другая форма имени: Smith and Sons"),
        ("born 1912 in both", "год рождения у обоих — 1912"),
        ("another scheme (none)", "другая схема: здесь её нет"),
        ("another scheme (gnd)", "другая схема (gnd)"),
        ("the languages differ: rus, eng", "языки различаются: rus, eng"),
        ("1 other record fits, too", "подходит ещё 1 запись"),
        ("3 other records fit, too", "подходят ещё 3 записи"),
        (
            "no dates to compare; 0.2 other people of this name are to be expected",
            "даты не сравнить; других людей с таким именем ожидается 0,2",
        ),
        (
            "nlr does not state the year; if it is not as in rsl, the two are different",
            "в записи nlr не указано: год издания; если там не то же, что в rsl, это разные публикации",
        ),
        ("a rule of a plug-in", "a rule of a plug-in"),
    ],
)
def test_sentences_that_are_stored_are_shown_in_the_language_of_the_page(stored, expected):
    assert language_named("en").sentence(stored) == stored
    assert language_named("ru").sentence(stored) == expected


@pytest.mark.parametrize(("tag", "labels"), [
    ("en", ["98 · 22 Sep 2026", "100 · 30 Sep 2026"]), ("ru", ["98 · 22.09.2026", "100 · 30.09.2026"]),
])  # fmt: skip
def test_dates_of_the_picture_of_growth_are_those_of_the_language_and_have_room_on_a_phone(tag, labels):
    days = {98: "2026-09-22T01:00:00Z", 100: "2026-09-30T01:00:00Z"}
    growth = tuple(GrowthPoint(release, day, 3, 2, 1, 4, 50) for release, day in days.items())
    pictures = ReportPictures(Report(100, days[100], growth=growth), language_named(tag), str, "/")
    picture = pictures.growth()
    assert [row[0].value for row in picture.rows] == labels
    assert re.findall(r'class="quiet"[^>]*>([^<]+)', picture.wide) == labels


def test_classes_that_a_library_uses_for_fiction_are_not_called_medicine():
    english, russian = language_named("en"), language_named("ru")
    names = {mark: class_name(*main_class_of("rubbk", mark), english) for mark in ("Р2", "Р5")}
    assert names == {"Р2": "Fiction, or medicine", "Р5": "Health. Medicine"}
    assert class_name(*main_class_of("rubbk", "84"), russian) == "Филологические науки. Художественная литература"
    assert class_name(*main_class_of("udc", "82"), english) == "Linguistics. Literature"
    assert class_name(*main_class_of("lcc", "PG"), english) == "Language and literature"
    assert class_name(*main_class_of("ddc", "82"), russian) == "Литература"
    assert class_name(*main_class_of("other", "82"), russian) == ""


@pytest.mark.parametrize("value", ["мир", "a & b", "<script>", "it's", '"', Markup("<b>"), 5, None, ""])
def test_values_are_escaped_on_pages_as_jinja_does(value):
    environment = make_environment(language_named("en"), "/", {})
    source = (
        "{% macro cell(x) %}<td>{{ x }}</td>{% endmacro %}{% set y %}{{ value }}{% endset %}{{ cell(value) }}{{ y }}"
    )
    plain = jinja2.Environment(autoescape=True)
    assert environment.from_string(source).render(value=value) == plain.from_string(source).render(value=value)
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string("{{ missing }}").render()
