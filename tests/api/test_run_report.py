"""``report.html`` of a workspace shows what the run did and what its release contains, without a server."""

import pytest
from click.testing import CliRunner
from lxml import html

from bibld import cli
from bibld.cli import _options
from bibld.text.translations import sentences_in
from tests.configuration import write_config

TABLE = "id,title\n" + "".join(f"{number},Book {number}\n" for number in range(30))


def report_after(folder, config):
    done = CliRunner().invoke(cli.command_line, ["run", str(config), "--quiet"])
    page = (folder / "work" / "report.html").read_text(encoding="utf-8")
    return done, html.fromstring(page)


@pytest.fixture
def config(tmp_path):
    (tmp_path / "books.csv").write_text(TABLE, encoding="utf-8")
    return write_config(tmp_path, 'label = { en = "<i>Books</i> & more" }\n', lib="books.csv")


def rows_of(root, heading):
    (table,) = root.xpath(f"//h2[. = '{heading}']/following::table[1]")
    return [[cell.text_content().strip() for cell in row.iter("th", "td")] for row in table.iter("tr")][1:]


def test_it_has_sources_stages_and_quality(config, tmp_path):
    done, root = report_after(tmp_path, config)
    assert done.exit_code == 0
    assert rows_of(root, "Sources") == [["<i>Books</i> & more lib", "30", "0", "30", "0", "0"]]
    assert {row[0] for row in rows_of(root, "Stages")} >= {"read", "dedup", "merge", "triplify", "store", "publish"}
    assert ["title_info", "100%", ""] in rows_of(root, "Quality")
    assert f"{tmp_path / 'work' / 'report.html'}" in done.stdout


def test_it_needs_nothing_from_elsewhere(config, tmp_path):
    _, root = report_after(tmp_path, config)
    assert not root.xpath("//script | //link | //img | //@src")


def test_a_source_in_doubt_is_shown_with_its_reason(config, tmp_path):
    report_after(tmp_path, config)
    (tmp_path / "books.csv").write_text("")
    done, root = report_after(tmp_path, config)
    assert done.exit_code == 4
    assert "books.csv" in " ".join(root.xpath("//*[@class='fault']/text()"))


def test_the_warnings_of_the_run_are_listed_in_the_language_of_the_terminal(config, tmp_path, monkeypatch):
    report_after(tmp_path, config)
    (tmp_path / "books.csv").write_text("")
    _, root = report_after(tmp_path, config)
    (warning,) = root.xpath("//h2[. = 'Warnings']/following::ul[1]/li")
    assert warning.text.startswith("lib: keeps its old state: books.csv")
    monkeypatch.setattr(_options, "terminal", lambda: sentences_in("ru"))
    _, root = report_after(tmp_path, config)
    (warning,) = root.xpath("//h2[. = 'Предупреждения']/following::ul[1]/li")
    assert warning.text.startswith("lib: сохраняется прежнее состояние: books.csv")


def test_a_night_without_changes_states_that_the_release_is_current(config, tmp_path):
    report_after(tmp_path, config)
    _, root = report_after(tmp_path, config)
    assert "release is current" in root.text_content()
