"""Values that the API returns: results of queries, cells of tables, records, titles, and the time of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

import bibld
from bibld._api.configured import run_time
from bibld._api.sparql import Triple, table_of_graph, table_of_results
from bibld._api.tables import main_title
from bibld.catalog import PersonVerdict
from bibld.model.linkage import Pair
from bibld.model.mods import Mods, TitleInfo

XSD = "http://www.w3.org/2001/XMLSchema#"


def solutions(*variables: str, **terms: dict[str, str]) -> bibld.Table:
    document = {"head": {"vars": variables}, "results": {"bindings": [terms] if terms else []}}
    return table_of_results(msgspec.json.encode(document))


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ({"type": "literal", "value": "7", "datatype": f"{XSD}integer"}, 7),
        ({"type": "literal", "value": "1978", "datatype": f"{XSD}gYear"}, 1978),
        ({"type": "literal", "value": "0.5", "datatype": f"{XSD}decimal"}, 0.5),
        ({"type": "literal", "value": "1e3", "datatype": f"{XSD}double"}, 1000.0),
        ({"type": "literal", "value": "many", "datatype": f"{XSD}integer"}, "many"),
        ({"type": "literal", "value": "much", "datatype": f"{XSD}double"}, "much"),
        ({"type": "literal", "value": "true", "datatype": f"{XSD}boolean"}, True),
        ({"type": "literal", "value": "1", "datatype": f"{XSD}boolean"}, True),
        ({"type": "literal", "value": "false", "datatype": f"{XSD}boolean"}, False),
        ({"type": "literal", "value": "7"}, "7"),
        ({"type": "literal", "value": "Мир", "xml:lang": "ru"}, "Мир"),
        ({"type": "uri", "value": "http://x/"}, "http://x/"),
        ({"type": "bnode", "value": "b1"}, "_:b1"),
    ],
)
def test_numbers_and_booleans_are_python_values_and_other_terms_are_text(term, value):
    found = solutions("v", v=term)[0].v
    assert (type(found), found) == (type(value), value)


def test_variables_are_columns_with_usable_names_and_unbound_ones_are_none():
    table = solutions("1", "class", "x", x={"type": "literal", "value": "a"})
    assert table.columns == ("v1", "class_", "x")
    assert (table[0].v1, table[0].class_, table[0].x) == (None, None, "a")
    empty = solutions("x")
    assert (empty.columns, len(empty)) == (("x",), 0)


@pytest.mark.parametrize("answer", [True, False])
def test_the_answer_to_ask_is_one_row(answer):
    body = msgspec.json.encode({"head": {}, "boolean": answer})
    assert [row.answer for row in table_of_results(body)] == [answer]


def test_a_graph_is_a_sorted_table_of_triples():
    body = '<b:> <p:> "a . b" .\n<a:> <p:> "ж"@ru .\n'.encode()
    assert list(table_of_graph(body)) == [Triple("<a:>", "<p:>", '"ж"@ru'), Triple("<b:>", "<p:>", '"a . b"')]
    assert len(table_of_graph(b"")) == 0


class Cell(msgspec.Struct, frozen=True):
    value: object


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (0.123456, "0.1235"),
        ((1, 2), "1; 2"),
        ((), ""),
        ("a\n  b", "a b"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        (7, "7"),
    ],
)
def test_a_cell_is_shown_on_one_short_line(value, shown):
    line = repr(bibld.Table(Cell, [Cell(value)])).splitlines()[1]
    assert line == shown


@pytest.mark.parametrize(
    ("count", "size"),
    [(0, "[0 rows]"), (1, "[1 row]"), (20, "[20 rows]"), (1200, "[1,200 rows; the first 20 are shown]")],
)
def test_a_table_states_its_size(count, size):
    table = bibld.Table(Cell, [Cell(1)] * count)
    assert repr(table).splitlines()[-1] == size
    assert len(repr(table).splitlines()) == min(count, 20) + 2
    assert f"<p>{size}</p>" in table._repr_html_()


def test_a_table_with_other_columns_is_another_table():
    class Other(msgspec.Struct, frozen=True):
        other: object

    assert bibld.Table(Cell, []) != bibld.Table(Other, [])
    assert bibld.Table(Cell, [Cell(1)]) == bibld.Table(Cell, [Cell(1)])
    assert bibld.Table(Cell, []) != []


def record(*fields: bibld.DataField | bibld.ControlField) -> bibld.Record:
    origin = bibld.Origin("s", "f", 1, 0)
    marc = bibld.MarcRecord(origin, bibld.Leader("00000nam a2200000 i 4500"), fields)
    return bibld.Record(origin, marc, b"", (), "iso2709", "utf-8")


def test_values_of_a_record_are_those_of_the_named_subfields_in_their_order():
    def field(tag: str, *subfields: tuple[str, str]) -> bibld.DataField:
        return bibld.DataField(tag, " ", " ", tuple(bibld.Subfield(*each) for each in subfields))

    found = record(
        bibld.ControlField("001", "7"),
        field("650", ("a", "War"), ("x", "History")),
        field("245", ("a", "Title"), ("b", "rest")),
        field("650", ("a", "Peace")),
    )
    assert found.values("650") == ["War", "History", "Peace"]
    assert found.values("650", "a") == ["War", "Peace"]
    assert found.values("650", "z") == []
    assert found.values("999") == []
    assert [each.tag for each in found.fields()] == ["650", "245", "650"]
    assert [each.tag for each in found.fields("245", "999")] == ["245"]
    assert (found.control_number, found.values("001")) == ("7", ["7"])
    assert record().control_number is None


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        ((), ""),
        ((TitleInfo("A"), TitleInfo("B")), "A"),
        ((TitleInfo("War", non_sort="The ", sub_title=("a", "b")),), "The War : a : b"),
    ],
)
def test_lists_show_the_first_title_with_its_subtitles(titles, shown):
    assert main_title(Mods(title_info=titles)) == shown


@pytest.mark.parametrize(
    ("relation", "reason", "text"),
    [
        ("", "", "nlr:2 rsl:1: related, by anna"),
        ("part_of", "", "nlr:2 rsl:1: related (part_of), by anna"),
        ("part_of", "vol. 2", "nlr:2 rsl:1: related (part_of), by anna: vol. 2"),
    ],
)
def test_a_verdict_is_written_as_one_line(relation, reason, text):
    pair = Pair.from_records(bibld.RecordId("rsl", "1"), bibld.RecordId("nlr", "2"))
    stored = PersonVerdict(pair, "related", "anna", reason, relation, "2026-01-01", 1)
    row = bibld.VerdictRow.from_verdict(stored)
    assert str(row) == text
    assert row.given == "2026-01-01"


def test_the_time_of_a_run_is_now_or_what_the_environment_states(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert run_time() == datetime(2026, 1, 1, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(10**30))
    with pytest.raises(bibld.ConfigError, match="seconds since 1970"):
        run_time()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = datetime.now(UTC).replace(microsecond=0)
    assert before <= run_time() <= datetime.now(UTC)
    assert run_time().microsecond == 0
