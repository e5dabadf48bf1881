"""Dublin Core in XML becomes rows whose columns the crosswalk of tables knows."""

import pytest

from bibld import crosswalk
from bibld.errors import ReadError
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, file_frame, read

DC = 'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
ONE = f"""<oai_dc:dc {DC}><dc:title>Книга о море</dc:title>
<dc:creator>Иванов, Иван</dc:creator><dc:contributor>Петров, П.</dc:contributor>
<dc:date>1999</dc:date><dc:identifier>urn:isbn:978-5-17-080115-2</dc:identifier>
<dc:identifier>https://library.example.org/1</dc:identifier><dc:identifier>doi:10.1000/182</dc:identifier>
<dc:subject>Sea</dc:subject><dc:language>rus</dc:language><dc:publisher>Наука</dc:publisher></oai_dc:dc>"""
WRAPPED = f"<record><header><identifier>oai:x:1</identifier></header><metadata>{ONE}</metadata></record>"


def rows(tmp_path, text):
    path = tmp_path / "dc.xml"
    path.write_text(text, encoding="utf-8")
    file = HarvestedFile("s", path.name, path)
    examined = examine(file)
    assert examined.reader == "dublincore"
    return [examined.carrier.parse(raw).record for raw in read(file, examined) if isinstance(raw, Raw)], examined


def test_a_record_becomes_a_row_with_the_identifier_of_its_header(tmp_path):
    (row,), _ = rows(tmp_path, f'<?xml version="1.0"?><records>{WRAPPED}</records>')
    cells = dict(row.cells)
    assert cells["id"] == "oai:x:1"
    assert (cells["isbn"], cells["doi"]) == ("978-5-17-080115-2", "10.1000/182")
    flavour, converted = crosswalk.convert(row)
    mods = converted.mods
    assert flavour == "columns"
    assert mods.title_info[0].title == "Книга о море"
    assert mods.record_identifier == "oai:x:1"
    assert {one.type for one in mods.identifier} == {"isbn", "doi"}
    assert mods.origin_info[0].date_issued[0].value == "1999"
    assert mods.location[0].url[0].value == "https://library.example.org/1"
    assert [name.role[0].role_term[0].value for name in mods.name] == ["aut", "ctb"]
    assert converted.unmapped == ()


def test_bare_records_are_known_by_their_first_identifier(tmp_path):
    found, examined = rows(tmp_path, f"<list>{ONE}{ONE.replace('Книга', 'Ода')}</list>")
    assert [dict(row.cells)["id"] for row in found] == ["urn:isbn:978-5-17-080115-2"] * 2
    assert file_frame("dublincore", examined.carrier).suffix == ".xml"


def test_a_record_without_text_is_rejected(tmp_path):
    empty = f"<record><header><identifier>oai:x:2</identifier></header><metadata><oai_dc:dc {DC}/></metadata></record>"
    with pytest.raises(ReadError, match="no element of Dublin Core has text"):
        rows(tmp_path, f"<records>{WRAPPED}{empty}</records>")


def test_marc_and_mods_keep_their_readers(tmp_path):
    path = tmp_path / "both.xml"
    path.write_text(
        f'<records xmlns:dc="http://purl.org/dc/elements/1.1/"><record xmlns="http://www.loc.gov/MARC21/slim">'
        f'<leader>00000nam a2200000 a 4500</leader><controlfield tag="001">1</controlfield></record>{ONE}</records>',
        encoding="utf-8",
    )
    assert examine(HarvestedFile("s", path.name, path)).reader == "marcxml"
