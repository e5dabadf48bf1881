r"""MARCMaker text: what people write by hand."""

import io

import pytest

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, Subfield
from bibld.protocols import Raw
from bibld.read import mrk

TEXT = r"""% a comment
% another

=LDR  00000nam0\2200000\i\450\
=001  RU\NLR\bibl\538692
=008  850312s1970\\\\ru\
% within a record
=100  \\$aкод: {dollar}5, C:\temp
=461  \0$12001\$aПамятники$v{lcub}1{rcub}{bsol}

=LDR  00000nam\a2200000\i\4500
=001  b
=245  10$aTitle
=LDR  00000nam\a2200000\i\4500
=001  c
"""

FIRST = (
    ControlField("001", "RU\\NLR\\bibl\\538692"),
    ControlField("008", "850312s1970    ru "),
    DataField("100", " ", " ", (Subfield("a", "код: $5, C:\\temp"),)),
    DataField("461", " ", "0", (Subfield("1", "2001 "), Subfield("a", "Памятники"), Subfield("v", "{1}\\"))),
)


def read(data, **settings):
    if isinstance(data, str):
        data = data.encode()
    carrier = mrk.examine(io.BytesIO(data), "f.mrk", "s", mrk.Settings(**settings))
    results = []
    for piece in carrier.raws(io.BytesIO(data)):
        try:
            results.append(carrier.parse(piece) if isinstance(piece, Raw) else piece)
        except ReadError as error:
            results.append(error)
    return results


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n")])
def test_a_file(text):
    first, second, third = read(text)
    assert first.record.leader == Leader("00000nam0 2200000 i 450 ")
    assert first.record.all_fields == FIRST
    assert first.warnings == ()
    assert second.record.all_fields[1] == DataField("245", "1", "0", (Subfield("a", "Title"),))
    assert third.record.control_number == "c"


def test_offsets_and_positions():
    data = TEXT.encode()
    carrier = mrk.examine(io.BytesIO(data), "f.mrk", "s", mrk.Settings())
    raws = list(carrier.raws(io.BytesIO(data)))
    assert [raw.origin.position for raw in raws] == [1, 2, 3]
    assert all(data[raw.origin.offset :].startswith(raw.data) and raw.data.startswith(b"=LDR") for raw in raws)


def test_another_charset():
    assert read(TEXT.encode("cp1251"), charset="cp1251")[0].record.all_fields == FIRST


def test_odd_lines_give_warnings():
    (result,) = read("=001  x\n=245  10$aTitle\nthat goes on\n=500  \\\\text\n=500  $aa\n=FMT  BK\n")
    assert result.record.all_fields == (
        ControlField("001", "x"),
        DataField("245", "1", "0", (Subfield("a", "Title that goes on"),)),
        DataField("500", " ", " ", (Subfield("a", "text"),)),
        DataField("500", " ", " ", (Subfield("a", "a"),)),
        ControlField("FMT", "BK"),
    )
    assert result.record.leader.text == " " * 24
    assert len(result.warnings) == 4


def test_a_block_without_fields_is_a_reject_and_its_neighbours_are_not():
    results = read("=001  a\n\nwhat is this\n\n=001  b\n")
    assert [isinstance(result, ReadError) for result in results] == [False, True, False]
    assert results[1].origin.position == 2


def test_a_block_that_is_too_long_is_a_reject():
    results = read("=001  a\n\n=500  $a" + "x" * 5000 + "\n\n=001  b\n", max_record_bytes=1000)
    assert [isinstance(result, ReadError) for result in results] == [False, True, False]


@pytest.mark.parametrize("head", [TEXT, "=LDR  00000nam", "=001  x\n", "\ufeff\n\n% x\n=LDR  0"])
def test_recognised(head):
    assert mrk.sniffs(head.encode())


@pytest.mark.parametrize("head", ["", "a = b", "= 1", "<xml/>", "00000nam a2200000 a 4500", "%\n" * 3000 + "x"])
def test_not_recognised(head):
    assert not mrk.sniffs(head.encode())
