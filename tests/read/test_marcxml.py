"""MARC in XML is read record by record, whatever its namespace, wrapper and charset."""

import io

import pytest

from bibld.model.marc import ControlField, DataField, Leader, Subfield
from bibld.read import marcxml
from tests.read.carriers import LEADER, read_all, shown

SLIM = "http://www.loc.gov/MARC21/slim"
PREFIXED, DEFAULT = f' xmlns:m="{SLIM}"', f' xmlns="{SLIM}"'


def element(number, prefix="", attributes="", extra=""):
    p = f"{prefix}:" if prefix else ""
    return (
        f"<{p}record{attributes}><{p}leader>{LEADER}</{p}leader>"
        f'<{p}controlfield tag="001">id{number}</{p}controlfield>'
        f'<{p}datafield tag="245" ind1="1" ind2=" ">'
        f'<{p}subfield code="a">Ёлка &amp; {number}</{p}subfield></{p}datafield>'
        f"{extra}</{p}record>"
    )


def fields(number):
    return (ControlField("001", f"id{number}"), DataField("245", "1", " ", (Subfield("a", f"Ёлка & {number}"),)))


def records(*elements, root=f'<collection xmlns="{SLIM}">'):
    return root + "\n".join(elements) + "</collection>"


FORMS = {
    "MARCXML": records(element(1), element(2)),
    "MARCXML with a prefix": records(element(1, "marc"), element(2, "marc"), root=f'<collection xmlns:marc="{SLIM}">'),
    "MarcXchange": records(
        element(1, attributes=' format="MARC21" type="Bibliographic"'),
        element(2),
        root='<collection xmlns="info:lc/xmlns/marcxchange-v1">',
    ),
    "MarcXchange 2": records(element(1), element(2), root='<collection xmlns="info:lc/xmlns/marcxchange-v2">'),
    "UNISlim": records(element(1), element(2), root='<collection xmlns="http://www.rusmarc.ru/shema/UNISlim.xsd">'),
    "no namespace": records(element(1), element(2), root="<collection>"),
    "each record with its own namespace": records(
        element(1, attributes=f' xmlns="{SLIM}"'), element(2, attributes=f" xmlns='{SLIM}'"), root="<all>"
    ).replace("</collection>", "</all>"),
    "OAI-PMH": '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>'
    + "".join(
        f"<record><header><identifier>{n}</identifier></header><metadata>{element(n, 'm', PREFIXED)}"
        "</metadata></record>"
        for n in (1, 2)
    )
    + '<record><header status="deleted"><identifier>3</identifier></header></record>'
    + "<resumptionToken>x</resumptionToken></ListRecords></OAI-PMH>",
    "SRU": '<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><records>'
    + "".join(
        f"<record><recordSchema>marcxml</recordSchema><recordData>{element(n, attributes=DEFAULT)}"
        "</recordData></record>"
        for n in (1, 2)
    )
    + "</records></searchRetrieveResponse>",
    "turbomarc": '<collection xmlns="http://www.indexdata.com/turbomarc">'
    + "".join(
        f'<r><l>{LEADER}</l><c001>id{n}</c001><d245 i1="1" i2=" "><sa>Ёлка &amp; {n}</sa></d245></r>' for n in (1, 2)
    )
    + "</collection>",
    "comments and CDATA that show records": records(
        f"<!-- {element(8)} <record> -->", element(1), f"<![CDATA[<record>{element(9)}</record>]]>", element(2)
    ),
    "an attribute with an angle bracket": records(element(1, attributes=' note="a>b"'), element(2)),
    "a processing instruction": records("<?x <record> ?>", element(1), element(2)),
    "a document type": f'<!DOCTYPE collection [<!ENTITY e "<record>">]>{records(element(1), element(2))}',
    "a comment within a record": records(element(1, extra="<!-- </record> -->"), element(2)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_records(name):
    results = read_all(marcxml, FORMS[name])
    assert shown(results) == "RR"
    assert [result.record.all_fields for result in results] == [fields(1), fields(2)]
    assert results[0].record.leader == Leader(LEADER)
    assert [result.warnings for result in results] == [(), ()]


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_recognised(name):
    assert marcxml.sniffs(FORMS[name].encode())


def test_other_xml_is_not_taken_for_marc():
    assert not marcxml.sniffs(b'<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo/></mods>')
    assert not marcxml.sniffs(b'<record><header/><metadata><dc xmlns="http://purl.org/dc/"/></metadata></record>')
    assert not marcxml.sniffs(b"00000nam a2200000 a 4500")


@pytest.mark.parametrize("charset", ["windows-1251", "koi8-r", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_charsets(charset):
    declared = {"utf-16-le": "utf-16", "utf-16-be": "utf-16", "utf-8-sig": "utf-8"}.get(charset, charset)
    data = f'<?xml version="1.0" encoding="{declared}"?>\n{FORMS["MARCXML"]}'.encode(charset)
    assert marcxml.sniffs(data)
    results = read_all(marcxml, data)
    assert [result.record.all_fields for result in results] == [fields(1), fields(2)]


def test_a_charset_that_is_not_declared_is_detected():
    notes = '<datafield tag="500" ind1=" " ind2=" "><subfield code="a">Собрание сочинений</subfield></datafield>'
    results = read_all(marcxml, records(element(1, extra=notes), element(2, extra=notes)).encode("cp1251"))
    assert [result.record.all_fields[:2] for result in results] == [fields(1), fields(2)]


def test_the_configured_charset_wins():
    data = ('<?xml version="1.0" encoding="utf-8"?>' + FORMS["MARCXML"]).encode("koi8-r")
    assert read_all(marcxml, data, charset="koi8-r")[0].record.all_fields == fields(1)


MALFORMED = {
    "a wrong end tag": element(2).replace("</subfield>", "</wrong>"),
    "an ampersand": element(2).replace("&amp;", "&"),
    "an entity": element(2).replace("&amp;", "&nbsp;"),
    "not closed": element(2).replace("</record>", ""),
    "an open tag": element(2).replace('ind2=" ">', 'ind2=" "'),
    "no field": "<record><leader>x</leader></record>",
    "nothing": "<record/>",
    "a start tag that is not closed": element(2).replace("<record>", "<record "),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_record_is_one_reject(name):
    results = read_all(marcxml, records(element(1), MALFORMED[name], element(3)))
    assert shown(results) == "RER"
    assert [results[0].record.all_fields, results[2].record.all_fields] == [fields(1), fields(3)]
    assert results[1].origin.position == 2
    assert results[1].original.startswith(b"<record")


def test_an_unclosed_comment_is_text():
    results = read_all(marcxml, records(element(1), "<!-- never closed", element(2)))
    assert [result.record.all_fields for result in results] == [fields(1), fields(2)]


def test_a_file_that_ends_within_a_record():
    results = read_all(marcxml, records(element(1), element(2))[:-40])
    assert shown(results) == "RE"
    assert "the file ends within this record" in results[1].reason


def test_offsets_lead_to_the_bytes_of_the_record():
    data = FORMS["OAI-PMH"].encode()
    carrier = marcxml.examine(io.BytesIO(data), "f", "s", marcxml.Settings())
    raws = list(carrier.raws(io.BytesIO(data)))
    assert [data[raw.origin.offset :][: len(raw.data)] for raw in raws] == [raw.data for raw in raws]
    assert all(raw.data.startswith(b"<m:record") and raw.data.endswith(b"</m:record>") for raw in raws)


def test_records_are_the_same_however_the_file_is_divided_into_chunks():
    data = FORMS["comments and CDATA that show records"].encode()

    class Slow(io.BytesIO):
        def read(self, size=-1, /):
            return super().read(min(size, 7) if size > 0 else 7)

    carrier = marcxml.examine(Slow(data), "f", "s", marcxml.Settings())
    assert [raw.data for raw in carrier.raws(Slow(data))] == [raw.data for raw in carrier.raws(io.BytesIO(data))]


def test_a_prefix_that_is_declared_nowhere_is_forgiven():
    (result,) = read_all(marcxml, element(1, "marc"))
    assert result.record.all_fields == fields(1)


def test_bytes_and_characters_that_xml_cannot_hold_cost_only_themselves():
    data = records(element(1), element(2, extra="<x/>")).encode().replace(b"id1", b"i\x01d\xff1&#x2;")
    first, second = read_all(marcxml, data)
    assert first.record.control_number == "id\ufffd1"
    assert set(first.warnings) == {
        "1 byte sequence not in utf-8 replaced by U+FFFD",
        "2 characters illegal in XML dropped",
    }
    assert second.warnings == ("element <x> within the record ignored",)


def test_a_record_that_is_too_long_is_one_reject():
    long = '<datafield tag="500" ind1=" " ind2=" "><subfield code="a">' + "x" * 2_000_000 + "</subfield></datafield>"
    results = read_all(marcxml, records(element(1), element(2, extra=long), element(3)), max_record_bytes=600_000)
    assert shown(results) == "RER"
    assert results[2].record.all_fields == fields(3)


def test_a_field_may_be_longer_than_that_of_iso_2709_and_than_a_text_of_libxml2():
    note = ("word " * 2_400_000).strip()
    long = f'<datafield tag="520" ind1=" " ind2=" "><subfield code="a">{note}</subfield></datafield>'
    (result,) = read_all(marcxml, records(element(1, extra=long)))
    (field,) = result.record.fields("520")
    assert [subfield.value for subfield in field.subfields] == [note]


def test_embedded_fields_of_unislim():
    nested = (
        '<datafield tag="461" ind1=" " ind2="0"><s1><controlfield tag="001">vol</controlfield></s1>'
        '<s1><datafield tag="200" ind1="1" ind2=" "><subfield code="a">Собрание</subfield></datafield></s1></datafield>'
    )
    (result,) = read_all(marcxml, element(1, extra=nested))
    inner = (ControlField("001", "vol"), DataField("200", "1", " ", (Subfield("a", "Собрание"),)))
    assert result.record.all_fields[-1] == DataField("461", " ", "0", (), inner)


def test_what_is_incomplete_is_repaired_with_a_warning():
    (result,) = read_all(
        marcxml,
        "<record><leader>00000nam</leader><datafield tag='245'><subfield>x</subfield></datafield>"
        "<datafield ind1=' ' ind2=' '><subfield code='a'>lost</subfield></datafield></record>",
    )
    assert result.record.leader.text == "00000nam".ljust(24)
    assert result.record.all_fields == (DataField("245", " ", " ", (Subfield(" ", "x"),)),)
    assert any("'lost'" in warning for warning in result.warnings)
    assert any("leader of 8 characters" in warning for warning in result.warnings)


def test_entities_are_never_expanded():
    bomb = '<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    results = read_all(marcxml, bomb + records(element("&b;"), element("&f;"), element(1)))
    assert shown(results) == "EER"
