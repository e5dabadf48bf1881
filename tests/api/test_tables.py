"""Tables: lists of structs that become data frames."""

import sys

import msgspec
import pytest

import bibld


class Line(msgspec.Struct, frozen=True):
    name: str
    score: float
    reasons: tuple[str, ...] = ()
    origin: bibld.Origin | None = None


def lines(count: int = 2) -> bibld.Table[Line]:
    origin = bibld.Origin("s", "f", 1, 0)
    return bibld.Table(Line, (Line(f"n<{number}>", number / 3, ("one", "two"), origin) for number in range(count)))


def test_a_table_is_a_list():
    table = lines(30)
    assert (len(table), table[1].name, table[-1].name) == (30, "n<1>", "n<29>")
    assert table.columns == ("name", "score", "reasons", "origin")
    assert isinstance(table[2:4], bibld.Table) and [row.name for row in table[2:4]] == ["n<2>", "n<3>"]
    assert table == lines(30) and table != lines(29) and table[1] in table


def test_a_table_shows_its_first_rows():
    text = repr(lines(30))
    assert text.splitlines()[0].split() == ["name", "score", "reasons", "origin"]
    assert text.endswith("[30 rows; the first 20 are shown]")
    assert repr(lines(1)).endswith("[1 row]")
    assert "0.3333" in repr(lines()) and "one; two" in repr(lines())
    html = lines(30)._repr_html_()
    assert "n&lt;1&gt;" in html and html.count("<tr>") == 21


def test_rows_become_dictionaries_of_plain_values():
    assert lines(1).to_dicts() == [
        {"name": "n<0>", "score": 0.0, "reasons": ["one", "two"], "origin": "f record 1 (byte 0)"}
    ]


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("polars", "to_polars")])
def test_data_frames(package, method):
    pytest.importorskip(package)
    frame = getattr(lines(3), method)()
    assert list(frame.columns) == ["name", "score", "reasons", "origin"]
    assert list(frame["name"]) == ["n<0>", "n<1>", "n<2>"]
    assert len(getattr(lines(0), method)()) == 0


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("polars", "to_polars")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(package, method, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=f"pip install {package}"):
        getattr(lines(), method)()
