"""Fields that a carrier writes in an unusual or a wrong way: their content is kept, and a warning reports them."""

import json

import pytest

from bibld.errors import ReadError
from bibld.read import aleph, csv, iso2709, marcjson, marcxml, mods, mrk, yaz
from tests.read.carriers import LEADER, lines_of, read_all

TITLE = "245 10$aTitle"

# -- JSON --------------------------------------------------------------------------------------------------------------


def in_json(fields):
    return json.dumps({"leader": LEADER, "fields": fields})


def data_field(**content):
    return [{"245": content}]


IN_PLACE = {"ind1": "1", "ind2": "0"}
JSON_FIELDS = {
    "a text instead of a field": (["x", {"001": "1"}], ["001 1"], ['no field in "x"']),
    "a list that is too short": ([["245", "1", "0", "a"], {"001": "1"}], ["001 1"], ["no field in ["]),
    "the shortest list": ([["245", "1", "0", "a", "Title"]], [TITLE], []),
    "a list with a code without text": ([["245", "1", "0", "a", "Title", "c"]], [TITLE], ['no field in ["c"]']),
    "a list with a text without code": ([["245", "1", "0", "_", "", "a", "Title"]], [TITLE], []),
    "a list without indicators": ([["245", None, "", "a", "T"]], ["245   $aT"], []),
    "lists of control fields": ([["001", "", "", "_", "1"], ["LDR", None, None, "_", LEADER]], ["001 1"], []),
    "a tag without content": ([{"tag": "001", "data": "1"}, {"tag": "245"}], ["001 1", "245   "], []),
    "several control fields of a tag": ([{"001": ["1", "2"]}], ["001 1", "001 2"], []),
    "a number as control field": ([{"001": 17}], ["001 17"], []),
    "a list of objects as control field": ([{"001": "1"}, {"245": [{"a": "x"}]}], ["001 1"], ["no fi"]),
    "a key that is none of a field": (
        data_field(**IN_PLACE, subfields=[{"a": "Title"}], note=1), [TITLE], ["245: the key 'note' ignored"],
    ),
    "both indicators in one text": (data_field(ind="10", subfields=[{"a": "Title"}]), [TITLE], []),
    "one of two indicators in one text": (data_field(ind="1", s=[{"a": "T"}]), ["245 1 $aT"], []),
    "indicators under their long names": (
        data_field(indicator1="1", indicator2="0", subfield={"a": "Title"}), [TITLE], [],
    ),
    "empty indicators": (data_field(ind1="", ind2=None, subfields=[{"a": "T"}]), ["245   $aT"], []),
    "no indicators": (data_field(subfields=[{"a": "T"}]), ["245   $aT"], []),
    "a text instead of a subfield": (
        data_field(**IN_PLACE, subfields=["x", {"a": "Title"}]), [TITLE], ['no field in "x"'],
    ),
    "one subfield with several texts": (data_field(subfields=[{"a": ["x", "y"]}, {"b": None}]), ["245   $ax$ay"], []),
    "subfields with code and value": (
        data_field(subfields=[{"code": "a", "data": "x"}, {"code": "b"}]), ["245   $ax$b"], [],
    ),
    "a code of two characters": (
        data_field(subfields=[{"ab": "x"}]), ["245   $ax"], ["245: a subfield with the code 'ab'"],
    ),
    "an empty code": (data_field(subfields=[{"": "x"}]), ["245   $ x"], ["245: a subfield with the code ''"]),
    "a number as text": (data_field(subfields=[{"a": 978}]), ["245   $a978"], []),
    "a line end in a text": (data_field(subfields=[{"a": "x \n  y"}]), ["245   $ax y"], []),
    "characters that XML cannot hold": (
        data_field(subfields=[{"a": "x\x01\x02y"}]), ["245   $axy"], ["2 characters illegal in XML dropped"],
    ),
    "one character that XML cannot hold": (
        data_field(subfields=[{"a": "\x0bx"}]), ["245   $ax"], ["1 character illegal in XML dropped"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JSON_FIELDS)
def test_an_odd_field_in_json(name):
    fields, expected, warnings = JSON_FIELDS[name]
    (result,) = read_all(marcjson, in_json(fields))
    assert result.record.leader.text == LEADER
    assert lines_of(result.record.all_fields) == expected
    assert len(result.warnings) == len(warnings), result.warnings
    for warning, begin in zip(result.warnings, warnings, strict=True):
        assert warning.startswith(begin)


def test_keys_beside_leader_and_fields_give_a_warning_and_numbers_of_databases_do_not():
    (result,) = read_all(marcjson, json.dumps({"leader": LEADER, "_id": 5, "v": 1, "x": 1, "fields": [{"001": "1"}]}))
    assert result.warnings == ("the key 'x' beside leader and fields ignored",)


@pytest.mark.parametrize("leader, warning", [(LEADER[:-1], "leader of 23 characters"), (LEADER + "0", "leader of 25 ")])
def test_a_leader_in_json_that_is_not_24_characters_is_made_so(leader, warning):
    (result,) = read_all(marcjson, json.dumps({"leader": leader, "fields": [{"001": "1"}]}))
    assert result.record.leader.text == leader.ljust(24)[:24]
    assert len(result.warnings) == 1 and result.warnings[0].startswith(warning)


@pytest.mark.parametrize("value", ['{"leader":"x"}', '{"fields":[]}', '{"leader":"x","fields":[["245"]]}'])
def test_an_object_without_a_field_is_rejected(value):
    (result,) = read_all(marcjson, value)
    assert isinstance(result, ReadError)
    assert "the object has no field of MARC" in str(result)


def test_json_that_is_nested_too_deeply_is_rejected_and_the_next_record_is_read():
    deep = '{"leader":"x","fields":' + "[" * 100_000 + "]" * 100_000 + "}"
    first, second = read_all(marcjson, f"{deep}\n{in_json([{'001': '1'}])}\n")
    assert isinstance(first, ReadError)
    assert "nested too deeply" in str(first)
    assert second.record.control_number == "1"


@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be"])
def test_json_in_utf_16_is_read(charset):
    (result,) = read_all(marcjson, in_json([{"245": {"subfields": [{"a": "Мир"}]}}]).encode(charset))
    assert lines_of(result.record.all_fields) == ["245   $aМир"]


def test_a_charset_that_the_configuration_names_is_used_for_json():
    data = json.dumps({"leader": LEADER, "fields": [{"001": "Мир"}]}, ensure_ascii=False).encode("koi8-r")
    (result,) = read_all(marcjson, data, charset="koi8-r")
    assert result.record.control_number == "Мир"


# -- lines -------------------------------------------------------------------------------------------------------------

NO_LEADER = "no leader"
LINES = {
    "aleph: text before the first subfield": (
        aleph, "000000001 24510 L Tit$$bRest\n",
        ["001 000000001", "245 10$aTit$bRest"], [NO_LEADER, "245: text before the first subfield"],
    ),
    "aleph: an empty subfield": (
        aleph, "000000001 24510 L $$$$aTitle\n",
        ["001 000000001", TITLE], [NO_LEADER, "245: a subfield without code and text dropped"],
    ),
    "aleph: the number of the system is used only if there is no 001": (
        aleph, "000000001 001   L 7\n000000001 008   L a^b\n", ["001 7", "008 a b"], [NO_LEADER],
    ),
    "mrk: an empty subfield": (
        mrk, f"=LDR  {LEADER}\n=245  10$$aTitle\n", [TITLE], ["245: a subfield without code and text dropped"],
    ),
    "mrk: no subfield": (
        mrk, f"=LDR  {LEADER}\n=245  10Title\n=246  1\\\n=00a  x\\y\n=008  x\\y\n=FMT  BK\n",
        [TITLE, "246 1 ", "00a x\\y", "008 x y", "FMT BK"], ["245: no subfield", "246: no subfield"],
    ),
    "mrk: three characters before the first subfield": (
        mrk, f"=LDR  {LEADER}\n=245  10x$bRest\n",
        ["245 10$ax$bRest"], ["245: 3 characters before the first subfield, not 2 indicators"],
    ),
    "mrk: one character before the first subfield": (
        mrk, f"=LDR  {LEADER}\n=245  1$aTitle\n",
        ["245 1 $aTitle"], ["245: 1 characters before the first subfield, not 2 indicators"],
    ),
    "mrk: a comment within a record and a continued line": (
        mrk, f"=LDR  {LEADER}\n=245  10$aTi\n% comment\ntle\n",
        ["245 10$aTi tle"], ["a line without = taken as the rest of the line before"],
    ),
    "mrk: a line without a tag before the first": (
        mrk, "garbage\n=001  1\n", ["001 1"], [NO_LEADER, "no tag in 'garbage'"],
    ),
    "yaz: no subfield": (
        yaz, f"{LEADER}\n001 1\n245 10Title\n246 1\n",
        ["001 1", TITLE, "246 1 "], ["245: no subfield", "246: no subfield"],
    ),
    "yaz: a tag of letters without subfields": (yaz, f"{LEADER}\nFMT BK\n", ["FMT BK"], []),
    "yaz: a text that begins like a subfield is one": (
        yaz, f"{LEADER}\n245 10 $a One $b Two \n", ["245 10$aOne$bTwo "], [],
    ),
    "yaz: a dollar within a word is text": (
        yaz, f"{LEADER}\n245 10 $a US$b x $c 5 $ 6\n", ["245 10$aUS$b x$c5 $ 6"], [],
    ),
    "yaz: a continued line, a comment and a line before the first field": (
        yaz, f"{LEADER}\nx\n<!-- note -->\n245 10 $a One\n  two\n",
        ["245 10$aOne two"], ["no tag in 'x'", "a line without a tag taken as the rest of the line before"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_an_odd_line(name):
    adapter, text, expected, warnings = LINES[name]
    (result,) = read_all(adapter, text)
    assert lines_of(result.record.all_fields) == expected
    assert sorted(result.warnings) == sorted(warnings)


@pytest.mark.parametrize(
    "adapter, text",
    [(aleph, "000000001 24510 L $$aTitle\n"), (mrk, "=245  10$aTitle\n"), (yaz, f"{LEADER}\n245 10 $a Title\n")],
)
def test_a_block_of_lines_that_is_longer_than_allowed_is_rejected_and_the_next_is_read(adapter, text):
    second = text.replace("000000001", "000000002")
    long = text + (text.splitlines()[-1] + "\n") * 5
    first, after = read_all(adapter, f"{long}\n{second}", max_record_bytes=len(text) + 5)
    assert isinstance(first, ReadError)
    assert first.reason.startswith(f"a record of {len(long)} bytes, more than {len(text) + 5} ")
    assert TITLE in lines_of(after.record.all_fields)
    assert after.record.origin.offset == len(long) + 1


@pytest.mark.parametrize("adapter, text", [(mrk, "=245  10$aTitle\n"), (yaz, f"{LEADER}\n245 10 $a Title\n")])
def test_a_byte_order_mark_belongs_to_no_record_of_lines(adapter, text):
    (result,) = read_all(adapter, "\ufeff" + text)
    assert lines_of(result.record.all_fields) == [TITLE]
    assert result.record.origin.offset == 3


def test_a_block_of_lines_may_be_as_long_as_allowed():
    text = "=245  10$aTitle\n"
    (result,) = read_all(mrk, text, max_record_bytes=len(text))
    assert lines_of(result.record.all_fields) == [TITLE]


def test_carriage_returns_are_no_part_of_a_text():
    for adapter, text in (
        (mrk, f"=LDR  {LEADER}\r\n=245  10$aTitle\r\n"),
        (yaz, f"{LEADER}\r\n245 10 $a Title\r\n"),
        (aleph, f"000000001 LDR   L {LEADER}\r\n000000001 24510 L $$aTitle\r\n"),
    ):
        (result,) = read_all(adapter, text)
        assert (result.record.leader.text, lines_of(result.record.all_fields)[-1]) == (LEADER, TITLE)


def test_a_leader_of_lines_that_is_too_long_gives_a_warning_and_one_without_its_last_blanks_does_not():
    for leader, warnings in ((LEADER + "0", ("leader of 25 characters",)), (LEADER[:22], ()), (LEADER + " ", ())):
        (result,) = read_all(mrk, f"=LDR  {leader}\n=001  1\n")
        assert result.record.leader.text == leader.ljust(24)[:24]
        assert result.warnings == warnings


# -- XML ---------------------------------------------------------------------------------------------------------------


def in_xml(*elements):
    return f"<collection><record><leader>{LEADER}</leader>{''.join(elements)}</record></collection>"


XML = {
    "a datafield that is a control field": (
        '<datafield tag="001">1</datafield>', ["001 1"], ["001: a datafield that is a control field"],
    ),
    "text outside of subfields": (
        '<datafield tag="245" ind1="1" ind2="0">Ti<subfield code="b">x</subfield> y</datafield>',
        ["245 10$aTi$bx"], ["245: text outside of subfields"],
    ),
    "an element that is not known": (
        '<controlfield tag="001">1</controlfield><strange/>',
        ["001 1"], ["element <strange> within the record ignored"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", XML)
def test_an_odd_element(name):
    elements, expected, warnings = XML[name]
    (result,) = read_all(marcxml, in_xml(elements))
    assert lines_of(result.record.all_fields) == expected
    assert list(result.warnings) == warnings


@pytest.mark.parametrize(
    "reference, text", [("&#233;", "é"), ("&#xE9;", "é"), ("&#1;", ""), ("&#xFFFF;", ""), ("&#0;", "")]
)
def test_references_to_characters_that_xml_cannot_hold_are_dropped_and_others_kept(reference, text):
    elements = f'<controlfield tag="001">1{reference}&#1;2</controlfield>'
    (result,) = read_all(marcxml, in_xml(elements))
    assert lines_of(result.record.all_fields) == [f"001 1{text}2"]
    dropped = 1 if text else 2
    assert result.warnings == (f"{dropped} character{'s' if dropped > 1 else ''} illegal in XML dropped",)


def test_mods_that_is_well_formed_and_has_a_wrong_root_is_rejected():
    (result,) = read_all(mods, "<x:mods xmlns:x='http://elsewhere.org/'><x:note>n</x:note></x:mods>")
    assert isinstance(result, ReadError)


# -- tables ------------------------------------------------------------------------------------------------------------


def test_a_row_that_is_longer_than_allowed_is_rejected_and_the_next_is_read():
    table = f"id,title\n1,{'x' * 50}\n2,y\n"
    first, second = read_all(csv, table, max_record_bytes=20)
    assert isinstance(first, ReadError)
    assert first.reason.startswith("a row of more than 20 bytes")
    assert second.record.cells == (("id", "2"), ("title", "y"))
    assert (first.origin.offset, second.record.origin.offset) == (9, 62)


def test_a_row_may_be_as_long_as_allowed():
    table = f"id,title\n1,{'x' * 17}\n"
    (row,) = read_all(csv, table, max_record_bytes=20)
    assert row.record.cells == (("id", "1"), ("title", "x" * 17))


@pytest.mark.parametrize(
    "line, cells, warnings",
    [
        ("1,2,,", {"a": "1", "b": "2"}, ()),
        ("1", {"a": "1"}, ()),
        (",2", {"b": "2"}, ()),
        ("1,2,3", {"a": "1", "b": "2", "column 3": "3"}, ("3 cells, though the table has 2 columns",)),
        ('" x ", "y"', {"a": "x", "b": "y"}, ()),
        ('x"y,z', {"a": 'x"y', "b": "z"}, ()),
    ],
)
def test_the_cells_of_a_row(line, cells, warnings):
    (row,) = read_all(csv, f"a,b\n{line}\n")
    assert dict(row.record.cells) == cells
    assert row.warnings == warnings


def test_a_column_without_a_name_is_called_by_its_number():
    (row,) = read_all(csv, "id,,year,\n1,x,2001\n", delimiter=",")
    assert row.record.cells == (("id", "1"), ("column 2", "x"), ("year", "2001"))


def test_an_empty_row_is_rejected_and_a_blank_line_is_none():
    first, second = read_all(csv, "a,b\n,\n\n1,2\n")
    assert "the row has no cell with text" in str(first)
    assert second.record.cells == (("a", "1"), ("b", "2"))


@pytest.mark.parametrize(
    "head, is_table",
    [
        ("a,b\n1,2\n", True),
        ("a\n1\n", False),
        ("a,a\n1,2\n", False),
        ("a,b\n", False),
        ("a,b\n1\n", False),
        ("a,b\n1,2,3\n", True),
        ("a,b\n1,2,3,4\n", False),
        ("1,b\n1,2\n", False),
        (f"{'a' * 65},b\n1,2\n", False),
        (f"{'a' * 64},b\n1,2\n", True),
        ("a,b,\n1,2,\n", True),
        ("a,b\n1,\0\n", False),
        ("a,b\n1,\x1e\n", False),
        ("", False),
        ("a,b\n1,2\nx", True),
    ],
)
def test_which_files_are_taken_for_tables(head, is_table):
    assert csv.sniffs(head.encode()) == is_table


# -- ISO 2709 ----------------------------------------------------------------------------------------------------------


def record_of(*fields, directory=None, leader=LEADER):
    """A record of tags and bytes; ``directory`` replaces the right one."""
    body = b"".join(content + b"\x1e" for _, content in fields)
    start, right = 0, b""
    for tag, content in fields:
        right += b"%s%04d%05d" % (tag.encode(), len(content) + 1, start)
        start += len(content) + 1
    directory = right if directory is None else directory
    base = 25 + len(directory)
    length = base + len(body) + 1
    head = b"%05d" % length + leader[5:12].encode() + b"%05d" % base + leader[17:].encode()
    return head + directory + b"\x1e" + body + b"\x1d"


BEFORE = "characters before the first subfield, not 2 indicators"
CONTENTS = {
    "no indicators": ("245", b"\x1faTitle", "245   $aTitle", f"245: 0 {BEFORE}"),
    "one indicator": ("245", b"1\x1faTitle", "245 1 $aTitle", f"245: 1 {BEFORE}"),
    "text before the first subfield": ("245", b"10Tit\x1fbRest", "245 10$aTit$bRest", f"245: 5 {BEFORE}"),
    "an empty subfield": ("245", b"10\x1f\x1faTitle", TITLE, "245: 1 subfield without code and text dropped"),
    "empty subfields": ("245", b"10\x1f\x1faTitle\x1f", TITLE, "245: 2 subfields without code and text dropped"),
    "no delimiter": ("245", b"10Title", TITLE, "245: no subfield delimiter"),
    "no delimiter, one indicator": ("245", b"1 Title", "245 1 $aTitle", "245: no subfield delimiter"),
    "neither delimiter nor indicators": ("245", b"Title", "245   $aTitle", "245: no subfield delimiter"),
    "nothing but indicators": ("245", b"10", "245 10", "245: no subfield delimiter"),
    "a tag of letters": ("FMT", b"BK", "FMT BK", None),
    "a delimiter in a control field": (
        "001", b"\x1fa1", "001 a1", "001: subfield delimiters in a control field dropped",
    ),
    "a tag that is no control field": ("010", b"  \x1fa1", "010   $a1", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_an_odd_field_of_iso_2709(name):
    tag, content, expected, warning = CONTENTS[name]
    (result,) = read_all(iso2709, record_of((tag, content)))
    assert lines_of(result.record.all_fields) == [expected]
    assert len(result.warnings) == (warning is not None)
    assert warning is None or result.warnings[0].startswith(warning)


FIELDS = [("001", b"1"), ("245", b"10\x1faTitle"), ("500", b"  \x1faNote")]
READ = ["001 1", TITLE, "500   $aNote"]
DIRECTORIES = {
    "without one entry in the middle": (b"001000200000500000900012", READ[::2], "1 field without a directory entry"),
    "without two entries": (b"245001000002", READ[1:2], "2 fields without a directory entry dropped"),
    "with a wrong start": (b"001000200000245001000009500000900012", READ, "directory does not fit the fields"),
    "with letters for numbers": (b"001000200000245xxxxxxxxx500000900012", READ, "directory does not fit the fields"),
    "with entries in another order": (b"245001000002001000200000500000900012", [READ[1], READ[0], READ[2]], None),
    "with three bytes too many at its end": (b"001000200000245001000002500000900012xyz", READ, "directory of 39 bytes"),
    "with five bytes too many at its beginning": (
        b"xyzab001000200000245001000002500000900012", READ, "directory of 41",
    ),
    "with an entry that has no field": (
        b"001000200000245001000002300000900099500000900012", READ, "no field for the directory entries 300",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIRECTORIES)
def test_a_directory(name):
    directory, expected, warning = DIRECTORIES[name]
    (result,) = read_all(iso2709, record_of(*FIELDS, directory=directory))
    assert lines_of(result.record.all_fields) == expected
    assert bool(result.warnings) == (warning is not None)
    assert warning is None or any(one.startswith(warning) for one in result.warnings), result.warnings


def test_a_field_terminator_within_the_directory_is_passed_over_if_the_leader_knows_better():
    data = record_of(*FIELDS)
    directory_with_terminator = data[:40] + b"\x1e" + data[41:]
    (result,) = read_all(iso2709, directory_with_terminator)
    assert "field terminator within the directory" in result.warnings
    assert [one.tag for one in result.record.all_fields][::2] == ["001", "500"]


def test_a_record_that_is_longer_than_allowed_is_rejected_and_one_of_that_length_is_read():
    data = record_of(*FIELDS)
    for maximum, kinds in ((len(data) - 1, [False, False]), (len(data) - 2, [True, True])):
        found = read_all(iso2709, data * 2, max_record_bytes=maximum)
        assert [isinstance(one, ReadError) for one in found] == kinds
        assert [one.origin.offset if isinstance(one, ReadError) else one.record.origin.offset for one in found] == [
            0,
            len(data),
        ]


@pytest.mark.parametrize(
    "data, reason",
    [
        (record_of(*FIELDS)[:50], "the file ends within this record; fetch it again (50 of "),
        (b"garbage", "the last 7 bytes of the file have no record terminator"),
    ],
)
def test_what_follows_the_last_terminator(data, reason):
    complete, rest = read_all(iso2709, record_of(*FIELDS) + data)
    assert lines_of(complete.record.all_fields) == READ
    assert rest.reason.startswith(reason)


@pytest.mark.parametrize(
    "leader, text, warnings",
    [
        (f" {LEADER} ", LEADER, ()),
        (f"\n  {LEADER}\n", LEADER, ()),
        (f"\n  {LEADER[:19]}\n", LEADER[:19].ljust(24), ("leader of 19 characters",)),
        (f" {LEADER[:22]}", f" {LEADER[:22]} ", ("leader of 23 characters",)),
    ],
)
def test_blanks_around_a_leader_in_xml_are_dropped(leader, text, warnings):
    data = (
        f'<collection><record><leader>{leader}</leader><controlfield tag="001">1</controlfield></record></collection>'
    )
    (result,) = read_all(marcxml, data)
    assert (result.record.leader.text, result.warnings) == (text, warnings)
