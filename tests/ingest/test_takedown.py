"""The list of suppressions: a line that cannot be understood stops the run, one that matches nothing is reported."""

from pathlib import Path

import pytest

from bibld import config
from bibld.errors import ConfigError
from bibld.ingest import SuppressionRequest, read_suppressions
from tests.configuration import write_config


@pytest.fixture
def read(tmp_path: Path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "books.mrc").write_bytes(b"")
    file = write_config(tmp_path, '[publish]\nsuppress = "lists/suppress.csv"\n', lib="books.mrc")

    def read(text: bytes | str | None) -> tuple[SuppressionRequest, ...]:
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / "lists" / "suppress.csv").write_bytes(data)
        return read_suppressions(config.load(file))

    return read


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lists_are_read_in_the_forms_that_spreadsheets_save(read, delimiter, mark):
    text = f'{mark}Record,Value,Reason\r\nlib:1,,court\r\n\r\nlib:2,"A; ""b""\n c\t,d", letter \r\n'
    if delimiter != ",":
        text = text.replace('"A; ""b""\n c\t,d"', "\0").replace(",", delimiter).replace("\0", '"A; ""b""\n c\t,d"')
    assert read(text) == (
        SuppressionRequest("suppress.csv line 2", "lib:1", "", "court"),
        SuppressionRequest("suppress.csv line 4", "lib:2", 'A; "b" c ,d', "letter"),
    )


def test_the_columns_may_be_in_any_order(read):
    assert read("reason,record,value\nx,lib:1,y\n") == (SuppressionRequest("suppress.csv line 2", "lib:1", "y", "x"),)


def test_a_list_with_only_a_header_has_no_requests(read):
    assert read("record,value,reason\n") == ()


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (None, ["suppress.csv: not found; name the list of suppressions for publish.suppress"]),
        (b"record,value,reason\nlib:1,\xff,x\n", ["suppress.csv line 2: is not UTF-8; save the file as UTF-8"]),
        ("", ["suppress.csv: is empty"]),
        ("lib:1,,x\n", ["suppress.csv line 1: the columns must be record,value,reason"]),
        ("record,values,reason\nlib:1,a,x\n", ["suppress.csv line 1: the columns must be record,value,reason"]),
        (
            "record,value,reason\nlib:1,Tolstoy, Leo,x\nlib:2,a\n,a,x\n",
            [
                "suppress.csv line 2: has 4 cells, not 3",
                "suppress.csv line 3: has 2 cells, not 3",
                "suppress.csv line 4: the cell record is empty; write an id or an IRI",
            ],
        ),
        ('record,value,reason\nlib:1,,x\nlib:2,"a"b,x\n', ["suppress.csv line 3: "]),
    ],
)
def test_all_lines_that_cannot_be_understood_are_reported_at_once(read, text, faults):
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert len(caught.value.faults) == len(faults)
    assert all(fault in found for fault, found in zip(faults, caught.value.faults, strict=True))
