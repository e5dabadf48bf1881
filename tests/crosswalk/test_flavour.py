"""How records of UNIMARC and MARC 21 are distinguished, and how its subfields are counted."""

import pytest

from bibld.crosswalk import convert, marc21, sniff
from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import Tally, Writes, subfields_of
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.protocols import Row

ORIGIN = Origin("s", "f.mrc", 1, 0)
MARC21, UNIMARC, EMPTY = "00000nam a2200000 i 4500", "00000nam0 2200000   450 ", "00000nam a2200000   4500"


def record(leader, **fields):
    made = [
        ControlField(tag[1:], text) if tag < "f010" else DataField(tag[1:], " ", " ", (Subfield("a", text),))
        for tag, text in fields.items()
    ]
    return MarcRecord(ORIGIN, Leader(leader), tuple(made))


CODED = "20050412d2004    m  y0rusy50      ca"


@pytest.mark.parametrize(
    ("leader", "fields", "expected"),
    [
        (MARC21, {"f245": "Title"}, False),
        (UNIMARC, {"f245": "Title", "f200": "Title", "f100": CODED}, False),
        (MARC21, {"f200": "Title"}, True),
        (MARC21, {"f008": "x" * 40, "f200": "Title"}, True),
        (MARC21, {"f100": CODED}, True),
        (MARC21, {"f100": CODED[:33]}, False),
        (MARC21, {"f100": CODED[:34]}, True),
        (MARC21, {"f100": CODED.replace("d2004", "x2004")}, False),
        (MARC21, {"f100": "Tolstoy, Leo, who wrote a great many books"}, False),
        (UNIMARC, {"f300": "Note"}, True),
        (UNIMARC, {"f008": "x" * 40, "f300": "Note"}, False),
        (MARC21, {"f300": "Note"}, False),
        (EMPTY, {}, False),
        (UNIMARC, {}, True),
        ("", {}, False),
    ],
)
def test_the_family_of_a_record_is_recognised_by_its_fields_then_by_its_leader(leader, fields, expected):
    made = record(leader, **fields)
    assert is_unimarc(made) is expected
    assert (marc21.sniffs(made), sniff(made) == "marc21") == (not expected, not expected)


@pytest.mark.parametrize(
    ("leader", "coded"),
    [
        ("     cx  j22     3  45  ", "19850708afrey50      ba0"),
        (" cx j22 3 45            ", "19850708afrey50 ba0"),
        ("00000nam0 2200000   450 ", "20010803 rusy50      ca"),
    ],
)
def test_an_authority_of_unimarc_is_refused_even_if_its_leader_is_damaged(leader, coded):
    with pytest.raises(CrosswalkError, match="authority record"):
        convert(record(leader, f100=coded, f250="Informatique"))


def test_the_dates_of_a_publication_are_no_authority_data():
    assert convert(record(UNIMARC, f100="20050412duuuu    m  y0rusy50      ca", f200="Title"))[0] == "rusmarc"


def test_every_occurrence_of_a_subfield_is_counted():
    tally = Tally()
    for _ in range(2):
        tally.add("marc21", ["245$a", "650$a", "650$a"], ["650$a"], [])
    tally.add("marc21", [], [], ["999$a"])
    rows = {row.name: (row.seen, row.mapped, row.private, row.unmapped) for row in tally.rows(Writes({}))}
    assert rows == {"245$a": (2, 2, 0, 0), "650$a": (4, 2, 2, 0), "999$a": (1, 0, 0, 1)}


def test_the_subfields_of_a_record_are_those_with_text():
    described = record(MARC21, f001="1", f245="Title", f500=" ")
    assert subfields_of(described) == ("001", "245$a")
    assert subfields_of(Row(ORIGIN, (("title", "T"), ("shelf", "")))) == ("title", "shelf")
    assert subfields_of(Mods()) == ()
