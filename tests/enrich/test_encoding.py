"""Texts in the charset of a record: what is written is read again, and what cannot be is refused."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.read import charset_of, encode_text
from bibld.read._charset import Charsets, decode

CASES = [
    ("marc8", "Tolstoĭ", b"Tolsto\xe6i"),
    ("marc8", "Война", b"\x1b(NwOJNA\x1b(B"),
    ("marc8", "a б c", b"a \x1b(NB \x1b(Bc"),
    ("marc8", "ёі", b"\x1b(QDF\x1b(B"),
    ("marc8", "Łódź ©", b"\xa1\xe2od\xe2z \xc3"),
    ("marc8", "α", b"\x1b(Sa\x1b(B"),
    ("marc8", "א", b"\x1b(2`\x1b(B"),
    ("marc8", "中", b"\x1b$1!04\x1b(B"),
    ("marc8", "— “", b"&#x2014; \x1b(S2\x1b(B"),
    ("marc8", "t͡s", b"t&#x0361;s"),
    ("marc8", "😀", b"&#x1F600;"),
    ("iso5426", "Łódź", b"\xe8\xc2od\xc2z"),
    ("iso5426", "Война", b"\x1b(NwOJNA\x1b(B"),
    ("cp1251", "Война – «мир»", "Война – «мир»".encode("cp1251")),
    ("cp1251", "и\u0306", "й".encode("cp1251")),
    ("cp866", "Ёж", "Ёж".encode("cp866")),
    ("koi8-r", "мир", "мир".encode("koi8-r")),
    ("utf-8", "é中", "é中".encode()),
]


@pytest.mark.parametrize(("charset", "text", "expected"), CASES)
def test_texts_are_written_in_the_charset(charset, text, expected):
    assert encode_text(text, charset) == expected
    fixed = Charsets(None, charset, fixed=True)
    assert decode(expected, fixed).text == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("charset", "text", "named"),
    [
        ("cp1251", "café", "'é' (U+00E9 LATIN SMALL LETTER E WITH ACUTE) is not in cp1251"),
        ("koi8-r", "«", "'«' (U+00AB LEFT-POINTING DOUBLE ANGLE QUOTATION MARK) is not in koi8-r"),
        ("iso5426", "中国€", "'€' (U+20AC EURO SIGN) is not in iso5426"),
    ],
)
def test_a_character_that_a_charset_lacks_is_named(charset, text, named):
    with pytest.raises(ValueError, match="is not in") as caught:
        encode_text(text, charset)
    assert named in str(caught.value)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff&")))
def test_marc8_can_write_any_text(text):
    written = encode_text(text, "marc8")
    assert written.isascii() or b"\x1b" not in written or written.count(b"\x1b") >= 2
    assert decode(written, Charsets(None, "marc8", fixed=True)).text == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("data", "charsets", "expected"),
    [
        (b"plain", Charsets("marc8", "utf-8"), "ascii"),
        (b"plain", Charsets(None, "cp1251", fixed=True), "cp1251"),
        ("Война и мир".encode(), Charsets(None, "cp1251"), "utf-8"),
        ("Война и мир".encode("cp1251"), Charsets(None, "cp1251"), "cp1251"),
        (b"\x1b(NwOJNA\x1b(B", Charsets(None, "ascii", legacy="marc8"), "marc8"),
    ],
)
def test_the_charset_of_a_record_is_that_in_which_it_is_read(data, charsets, expected):
    assert charset_of(data, charsets) == expected
