"""What commands print: tables, counts, pairs side by side, and plots."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import click
import pytest

from bibld.cli import _options
from bibld.cli._options import count_of, is_interactive, print_question, print_table
from bibld.cli.evaluate import Panel, Series, svg
from bibld.dedup.review import Question
from bibld.dedup.side_by_side import ComparedValue


@pytest.fixture
def terminal(monkeypatch, capsys):
    """A terminal of some width; returns the lines that a question prints there."""

    def lines(question: Question, columns: int = 80) -> list[str]:
        monkeypatch.setattr(_options, "get_terminal_size", lambda fallback: _Size(columns))
        print_question(question, "3 of 9: ")
        return click.unstyle(capsys.readouterr().out).splitlines()

    return lines


class _Size:
    def __init__(self, columns: int) -> None:
        self.columns = columns


def question(
    *compared: tuple[str, str, str],
    reasons: tuple[str, ...] = (),
    relation: str = "",
    would_decide: tuple[str, ...] = (),
) -> Question:
    values = tuple(ComparedValue.from_texts(*one) for one in compared)
    return Question("rsl:1", "nlr:2", 0.61234, "model", reasons, relation, values, ("https://x.org/1",), would_decide)


def test_a_pair_is_printed_side_by_side_with_the_reasons_for_asking(terminal):
    asked = question(
        ("title", "война и мир", "война и мир"),
        ("year", "1978", "1979"),
        ("isbn", "", "5280010000"),
        ("author", "Толстой\x1b[2J", ""),
        reasons=("The years\x07 differ.",),
        relation="other edition",
        would_decide=("different year; if that is a mistake, the two are the same",),
    )
    assert terminal(asked) == [
        "3 of 9: score 0.612, up for review by model",
        f"{'':<28} {'rsl:1':<24} │ nlr:2",
        f"{'':<28} {'─' * 24}─┼─{'─' * 24}",
        f"= equal       {'title':<14} {'война и мир':<24} │ война и мир",
        f"≠ different   {'year':<14} {'1978':<24} │ 1979",
        f"? only in nlr {'isbn':<14} {'–':<24} │ 5280010000",
        f"? only in rsl {'author':<14} {'Толстой�[2J':<24} │ –",
        "",
        "  The years� differ.",
        "  to find out: different year; if that is a mistake, the two are the same",
        "  if they are not the same: other edition",
        "  https://x.org/1",
        "",
    ]


def test_a_long_value_goes_on_below_its_column(terminal):
    lines = terminal(question(("title", "слово " * 6, "короткое")))[3:-3]
    head = f"≠ different {'title':<14}"
    assert lines == [
        f"{head} {'слово слово слово слово':<25} │ короткое",
        f"{'':<{len(head)}} {'слово слово':<25} │",
    ]


@pytest.mark.parametrize(("columns", "width"), [(20, 17), (60, 17), (100, 37), (160, 67), (400, 67)])
def test_the_columns_share_the_width_of_the_terminal_within_bounds(terminal, columns, width):
    line = terminal(question(("year", "1", "1")), columns)[3]
    assert line.index("│") == len("= equal ") + 14 + 1 + width + 1


def test_the_words_that_differ_are_coloured(monkeypatch):
    printed = []
    monkeypatch.setattr(click, "echo", lambda text="", **style: printed.append(text))
    print_question(question(("imprint", "Москва : Наука, 1970", "М. : Наука, 1970"), ("names", "Блок", "")), "")
    lines = [line for line in printed if "│" in line]

    def yellow(text):
        return click.style(text, fg="yellow")

    assert lines[0].startswith(yellow("≠")) and yellow("Москва") in lines[0] and yellow("М") in lines[0]
    assert yellow("Наука") not in lines[0]
    assert "\x1b[33m" not in lines[1]


def test_a_table_has_texts_to_the_left_and_numbers_to_the_right(capsys):
    print_table(["name", "n", "mixed"], [["records", 12000, "x"], ["a", 7, 5]])
    assert capsys.readouterr().out.splitlines() == [
        "name          n  mixed",
        "records  12,000  x",
        "a             7  5",
    ]


@pytest.mark.parametrize(
    ("number", "plural", "text"),
    [(0, "", "0 files"), (1, "", "1 file"), (2, "", "2 files"), (1234, "", "1,234 files"), (2, "filae", "2 filae")],
)
def test_a_count_has_its_noun_in_the_right_number(number, plural, text):
    assert count_of(number, "file", plural) == text


def test_a_plot_draws_each_line_between_its_axes_with_another_colour():
    series = [Series("first <", [(0.0, 0.0), (1.0, 1.0)], 0), Series("second", [(0.5, 0.5)], 1, "dashed")]
    drawn = svg("A & B", [Panel("Precision & recall", "recall", series)])
    root = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    lines = root.findall(f"{space}polyline")
    assert [line.get("points") for line in lines] == ["56.0,372.0 520.0,40.0", "288.0,206.0"]
    assert len({line.get("stroke") for line in lines}) == 2
    assert [line.get("stroke-dasharray") for line in lines] == [None, "6 4"]
    texts = [(text.text, text.get("x"), text.get("y")) for text in root.findall(f"{space}text")]
    assert ("Precision & recall", "56", "24") in texts
    assert ("recall", "288.0", "412") in texts
    assert [(text, x) for text, x, _ in texts[-2:]] == [("first <", "532"), ("second", "532")]
    assert [y for _, _, y in texts[-2:]] == ["56", "76"]
    shares = [text for text, _, _ in texts if re.fullmatch(r"[01]\.\d", text)]
    assert sorted(shares) == sorted(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"] * 2)
    assert ("0.0", "48.0", "376.0") in texts
    assert ("1.0", "48.0", "44.0") in texts
    assert ("1.0", "520.0", "390.0") in texts
    assert len(root.findall(f"{space}line")) == 12


def test_panels_are_side_by_side_and_an_axis_can_be_logarithmic():
    one = [Series("cheap", [(0.1, 0.5)], 0, "point"), Series("dear", [(100.0, 1.0)], 1, "point")]
    root = ElementTree.fromstring(svg("", [Panel("", "cost", one, "recall", is_log=True), Panel("", "", [])]))
    space = "{http://www.w3.org/2000/svg}"
    circles = [(mark.get("cx"), mark.get("cy")) for mark in root.findall(f"{space}circle")]
    assert circles == [("56.0", "206.0"), ("520.0", "40.0")], "from 0.1 to 100, and half way up to the top"
    ticks = [text.text for text in root.findall(f"{space}text") if text.get("y") == "390.0"]
    assert ticks == ["0.1", "1", "10", "100", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert root.get("viewBox") == "0 0 1160 420"
    assert svg("", []).endswith("</svg>\n")


@pytest.mark.parametrize(("stdin", "stdout"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_person_is_asked_only_if_input_and_output_are_a_terminal(monkeypatch, stdin, stdout):
    for name, value in (("stdin", stdin), ("stdout", stdout)):
        monkeypatch.setattr(f"sys.{name}.isatty", lambda value=value: value)
    assert is_interactive() is (stdin and stdout)
