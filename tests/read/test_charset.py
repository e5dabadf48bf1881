"""The charset is found whatever the file declares; one that the configuration names is used."""

import io

import pytest

from bibld.errors import ConfigError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin
from bibld.read import iso2709

RUSSIAN = [
    ("Преступление и наказание", "Ф. М. Достоевский", "Роман в шести частях с эпилогом"),
    ("Война и мир", "Л. Н. Толстой", "Роман-эпопея о событиях Отечественной войны"),
    ("Методика преподавания русского языка", "А. В. Текучёв", "Учебное пособие для студентов"),
    ("Строительная механика", "Под ред. И. И. Иванова", "Сборник задач"),
]
MARC21 = "00000nam  2200000 i 4500"
UNIMARC = "00000nam0 2200000 i 450 "
CYRILLIC = ["cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic"]


def russian(index, leader=UNIMARC, declared="0102"):
    title, author, note = RUSSIAN[index]
    tag = "245" if leader == MARC21 else "200"
    fields = [ControlField("001", str(index))]
    if leader == UNIMARC:
        fields.append(DataField("100", subfields=(Subfield("a", f"20040301d1970    m  y0rusy{declared}    ca"),)))
    fields += [
        DataField(tag, "1", " ", (Subfield("a", title), Subfield("f", author))),
        DataField("300", " ", " ", (Subfield("a", note),)),
    ]
    return MarcRecord(Origin("s", "f", 1, 0), Leader(leader), tuple(fields))


def raw_record(*bodies, leader=MARC21):
    """A record of fields 500 whose bytes are given."""
    fields = [b"  \x1fa" + body + b"\x1e" for body in bodies]
    directory, start = b"", 0
    for field in fields:
        directory += b"500%04d%05d" % (len(field), start)
        start += len(field)
    base = 25 + len(directory)
    head = b"%05d" % (base + start + 1) + leader[5:12].encode() + b"%05d" % base + leader[17:].encode()
    return head + directory + b"\x1e" + b"".join(fields) + b"\x1d"


def read(data, charset="auto"):
    carrier = iso2709.examine(io.BytesIO(data), "f", "s", iso2709.Settings(charset=charset))
    return carrier, [carrier.parse(raw) for raw in carrier.raws(io.BytesIO(data))]


def notes(parsed):
    return [field.first("a") for field in parsed.record.fields("500")]


@pytest.mark.parametrize("leader", [MARC21, UNIMARC])
@pytest.mark.parametrize("charset", [*CYRILLIC, "utf-8"])
def test_russian_records_are_recognised_in_every_charset(charset, leader):
    records = [russian(index, leader) for index in range(len(RUSSIAN))]
    carrier, found = read(b"".join(to_iso2709(record, charset) for record in records))
    assert carrier.charset == charset
    assert [parsed.record.all_fields for parsed in found] == [record.all_fields for record in records]
    assert [parsed.warnings for parsed in found] == [()] * len(records)


@pytest.mark.parametrize(
    ("code", "declared"), [("50  ", "utf-8"), ("79  ", "cp866"), ("89  ", "cp1251"), ("99  ", "koi8-r")]
)
def test_what_unimarc_declares_is_reported_but_not_believed(code, declared):
    carrier, found = read(b"".join(to_iso2709(russian(index, declared=code), "iso8859-5") for index in range(4)))
    assert carrier.declared == declared
    assert carrier.charset == "iso8859-5"
    assert found[0].record.fields("200").__next__().first("a") == RUSSIAN[0][0]


def test_what_marc21_declares_is_reported():
    assert read(raw_record(b"plain"))[0].declared == "marc8"
    assert read(raw_record(b"plain", leader="00000nam a2200000 i 4500"))[0].declared == "utf-8"


@pytest.mark.parametrize("main", CYRILLIC)
def test_a_utf8_record_in_a_file_of_another_charset_is_right(main):
    data = b"".join(to_iso2709(russian(index), main) for index in (0, 1, 2)) + to_iso2709(russian(3), "utf-8")
    carrier, found = read(data)
    assert carrier.charset == main
    assert [parsed.record.all_fields for parsed in found] == [russian(index).all_fields for index in range(4)]
    assert found[3].warnings == (f"read as utf-8, though most of the file is {main}",)


def test_a_cp1251_record_in_a_utf8_file_is_right():
    data = b"".join(to_iso2709(russian(index), "utf-8") for index in (0, 1, 2)) + to_iso2709(russian(3), "cp1251")
    carrier, found = read(data)
    assert carrier.charset == "utf-8"
    assert found[3].record.all_fields == russian(3).all_fields
    assert found[3].warnings == ("read as cp1251, though most of the file is utf-8",)


def test_a_record_of_capitals_is_not_taken_for_another_charset():
    title = DataField("500", subfields=(Subfield("a", "СОБРАНИЕ СОЧИНЕНИЙ В ДЕСЯТИ ТОМАХ"),))
    capitals = MarcRecord(Origin("s", "f", 1, 0), Leader(UNIMARC), (title,))
    data = b"".join(to_iso2709(russian(index), "koi8-r") for index in range(4)) + to_iso2709(capitals, "koi8-r")
    assert read(data)[1][4].record.all_fields == (title,)


def test_the_configured_charset_wins():
    data = to_iso2709(russian(0), "koi8-r")
    carrier, (parsed,) = read(data, "windows-1251")
    assert carrier.charset == "cp1251"
    assert next(parsed.record.fields("200")).first("a") == RUSSIAN[0][0].encode("koi8-r").decode("cp1251")


@pytest.mark.parametrize("charset", ["cp1252x", "utf-16", "rot13", "punycode", ""])
def test_a_charset_that_cannot_be_is_a_fault_of_the_configuration(charset):
    with pytest.raises(ConfigError, match="is not a charset of bibliographic records"):
        read(raw_record(b"x"), charset)


def test_some_broken_bytes_cost_only_themselves():
    text = "Žluťoučký kůň úpěl ďábelské ódy"
    body = text.encode().replace("ů".encode(), b"\xc5", 1)
    _, (parsed,) = read(raw_record(body, leader="00000nam a2200000 i 4500"))
    assert notes(parsed) == [text.replace("ů", "\ufffd", 1)]
    assert parsed.warnings == ("1 byte sequence not in utf-8 replaced by U+FFFD",)


def test_a_replacement_character_that_the_record_brings_is_no_repair():
    _, (parsed,) = read(raw_record("Bro\ufffdken ключ".encode()))
    assert parsed.warnings == ()


MARC8 = [
    (b"Dvo\xe9r\xe2ak", "Dvořák"),
    (b"\xe8Uber", "Über"),
    (b"\xb2re og \xb1\xf1a", "øre og łą"),
    (b"i\xebo\xeca", "io\ufe20a\ufe21"),
    (b"\x1b(NmOSKWA\x1b(B 1970", "Москва 1970"),
    (b"\x1b$1!NW!_c\x1b(B.", None),
    (b"H\x1bb2\x1bsO", "H₂O"),
    (b"\x1bga\x1bs-particles", "α-particles"),
    (b"\x88The \x89end", "\x98The \x9cend"),
    (b"ch&#x01CE;i \xe2e", "chǎi é"),
    (b"\x1b(S!a\x1b(B", None),
]


@pytest.mark.parametrize(("body", "text"), MARC8)
def test_marc8(body, text):
    carrier, (parsed,) = read(raw_record(body, b"\xe2ecole", b"Espa\xe4na"))
    assert carrier.charset == "marc8"
    assert parsed.warnings == ()
    assert notes(parsed)[1:] == ["école", "España"]
    if text is None:
        pymarc = pytest.importorskip("pymarc.marc8")
        text = pymarc.marc8_to_unicode(body)
    assert notes(parsed)[0] == text


def test_escapes_alone_make_ascii_bytes_marc8():
    carrier, (parsed,) = read(raw_record(b"\x1b(NmOSKWA\x1b(B"))
    assert (carrier.charset, notes(parsed)) == ("marc8", ["Москва"])


def test_every_subfield_of_marc8_begins_with_the_default_sets():
    _, (parsed,) = read(raw_record(b"\x1b(NmOSKWA", b"Moscow", b"\xe2e"))
    assert notes(parsed) == ["Москва", "Moscow", "é"]


def test_what_is_not_in_marc8_is_replaced_and_counted():
    _, (parsed,) = read(raw_record(b"bad \xff here", b"\xe2e\xe2e\xe2e\xe2e\xe2e\xe2e\xe2e\xe2e\xe2e\xe2e"), "marc8")
    assert notes(parsed)[0] == "bad \ufffd here"
    assert parsed.warnings == ("1 byte sequence not in marc8 replaced by U+FFFD",)


def test_unimarc_without_cyrillic_is_iso_5426():
    carrier, (parsed,) = read(raw_record(b"\xc2ecole fran\xd0caise", b"\x88L'\x89\xe1uvre", leader=UNIMARC))
    assert carrier.charset == "iso5426"
    assert notes(parsed)[0] == "école française"
    assert notes(parsed)[1] == "\x98L'\x9cÆuvre"


@pytest.mark.parametrize("leader", [MARC21, UNIMARC])
def test_latin1_where_the_marks_of_the_standard_make_no_sense(leader):
    text = "Été à l'école, où les élèves ont déjà mangé, café, forêt, blé"
    carrier, (parsed,) = read(raw_record(text.encode("latin-1"), leader=leader))
    assert (carrier.charset, notes(parsed)) == ("iso8859-1", [text])


@pytest.mark.parametrize("charset", ["cp1251", "koi8-r", "utf-8"])
def test_marks_of_non_sorting_text_survive(charset):
    marks = ("\x88", "\x89") if charset == "utf-8" else ("", "")
    body = "{}The {}Россия: годовой отчёт".format(*marks).encode(charset)
    if charset != "utf-8":
        body = b"\x88" + body.replace(b"The ", b"The \x89")
    filling = "Собрание сочинений в десяти томах".encode(charset)
    _, (parsed,) = read(raw_record(body, filling, filling))
    assert notes(parsed)[0] == "\x98The \x9cРоссия: годовой отчёт"


def test_the_letters_of_cp866_are_no_marks():
    title = "Италия и Йемен"
    filling = "Собрание сочинений в десяти томах"
    _, (parsed,) = read(raw_record(title.encode("cp866"), filling.encode("cp866")))
    assert notes(parsed) == [title, filling]
