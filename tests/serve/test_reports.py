"""Reports of a release: the newest validation, in the language of the page, and reasons without names of classes."""

from __future__ import annotations

import msgspec
import pytest

from bibld.model.iris import Iris
from bibld.model.report import SHAPES_FILE, ShapeFigure, Validation
from bibld.serve._language import language_named
from bibld.serve._pages.codes import reject_words
from bibld.serve._pages.reports import shape_words
from bibld.serve.ontology import ontology_text


def test_the_last_validation_of_a_workspace_is_read(tmp_path):
    assert Validation.read(tmp_path) == Validation()
    (tmp_path / "reports").mkdir()
    found = Validation(3, (ShapeFigure("publication", "A text.", "violation", 2),))
    (tmp_path / "reports" / SHAPES_FILE).write_bytes(msgspec.json.encode(found))
    assert Validation.read(tmp_path) == found
    (tmp_path / "reports" / SHAPES_FILE).write_bytes(b"[1, {")
    assert Validation.read(tmp_path) == Validation(), "what this version cannot read is none"


def test_every_name_and_message_of_a_shape_has_russian_words():
    shapes = ontology_text("shapes.ttl", Iris("https://data.example.org/"))
    russian, english = (shape_words(shapes, tag) for tag in ("ru", "en"))
    assert russian["An ISBN-13 has thirteen digits without hyphens."] == "ISBN-13: тринадцать цифр без дефисов."
    assert russian["place"] == "место"
    assert set(russian) == set(english)
    assert all(key == value for key, value in english.items())
    assert len(russian) > 50


@pytest.mark.parametrize(("tag", "words"), [("en", "unreadable"), ("ru", "не читается")])
def test_a_reader_sees_no_name_of_a_class(tag, words):
    language = language_named(tag)
    assert reject_words("ReadError: no directory: N bytes", language) == f"{words}: no directory: N bytes"
    assert reject_words("something else", language) == "something else"
