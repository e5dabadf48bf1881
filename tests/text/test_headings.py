"""The table of subject headings: made of a wheel, and asked for the number of a heading."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from bibld.text import headings
from bibld.text.headings import build

HEADINGS = """id,scheme,subject
https://id.loc.gov/authorities/subjects/sh85016829,LCSH,Bridges
https://id.loc.gov/authorities/subjects/sh00000003,LCSH,"Law Day U.S.A."
https://id.loc.gov/authorities/subjects/sh2010000004,LCSH,Café society
https://id.loc.gov/authorities/subjects/sh85000005,LCSH,Twice
https://id.loc.gov/authorities/subjects/sh85000006,LCSH,TWICE
https://id.loc.gov/authorities/names/n85000007,LCSH,Tolstoy
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the table of a wheel; return its folder."""
    monkeypatch.setattr(headings, "FILE", tmp_path / "lcsh.db")
    headings.subject_heading_number.cache_clear()
    with ZipFile(tmp_path / "invenio_subjects_lcsh-2026.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr("invenio_subjects_lcsh/vocabularies/subjects_lcsh.csv", HEADINGS)
        wheel.writestr("invenio_subjects_lcsh-2026.1.2.dist-info/licenses/LICENSE", "licence of the package")
    build.main(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Bridges", "sh85016829"),
        ("BRIDGES.", "sh85016829"),
        (" bridges", "sh85016829"),
        ("Law Day U.S.A.", "sh00000003"),
        ("Cafe\u0301  society", "sh2010000004"),
        ("Bridge", None),
        ("Cafe society", None),
        ("Twice", None),
        ("Tolstoy", None),
        ("", None),
    ],
)
def test_a_heading_has_the_number_of_the_only_one_with_its_text(made: Path, text: str, number: str | None):
    assert headings.subject_heading_number(text) == number


def test_the_table_has_a_version_and_a_licence(made: Path):
    assert headings.table_version() == "2026.1.2"
    licence = (made / "headings.licences.txt").read_text("utf-8")
    assert "public domain" in licence
    assert "licence of the package" in licence


def test_without_the_table_no_heading_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(headings, "FILE", tmp_path / "lcsh.db")
    headings.subject_heading_number.cache_clear()
    assert headings.subject_heading_number("Bridges") is None
    assert headings.table_version() == ""


def test_without_the_wheel_the_message_names_what_makes_it(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="run make additions"):
        build.main(tmp_path)


@pytest.fixture(autouse=True)
def forget() -> object:
    """Forget the headings of the table of a test."""
    yield
    headings.subject_heading_number.cache_clear()
