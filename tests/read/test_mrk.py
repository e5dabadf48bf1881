r"""MARCMaker text: what people write by hand."""

import io

import pytest

from bibld.model.marc import ControlField, DataField, Leader, Subfield
from bibld.read import mrk
from tests.read.carriers import read_all, shown

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


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n")])
def test_a_file(text):
    first, second, third = read_all(mrk, text)
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
    assert read_all(mrk, TEXT.encode("cp1251"), charset="cp1251")[0].record.all_fields == FIRST


def test_a_block_without_fields_is_a_reject_and_its_neighbours_are_not():
    results = read_all(mrk, "=001  a\n\nwhat is this\n\n=001  b\n")
    assert shown(results) == "RER"
    assert results[1].origin.position == 2


@pytest.mark.parametrize("head", [TEXT, "=LDR  00000nam", "=001  x\n", "\ufeff\n\n% x\n=LDR  0"])
def test_recognised(head):
    assert mrk.sniffs(head.encode())


@pytest.mark.parametrize("head", ["", "a = b", "= 1", "<xml/>", "00000nam a2200000 a 4500", "%\n" * 3000 + "x"])
def test_not_recognised(head):
    assert not mrk.sniffs(head.encode())
