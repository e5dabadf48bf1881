"""What the bytes of records show about their charset, and how MARC-8 is decoded."""

from unicodedata import normalize

import pytest

from bibld.read import _charset, _marc8
from bibld.text import cyrillic


def settle(charset="auto", declared=None, legacy="marc8", samples=()):
    return _charset.settle_charsets(charset, declared, legacy, samples)


@pytest.mark.parametrize(
    "samples, main, other",
    [
        ([], "ascii", ""),
        ([b"plain"], "ascii", ""),
        (["Мир".encode()], "utf-8", ""),
        ([b"plain", "Мир".encode()], "utf-8", ""),
        (["Мир".encode(), b"\xe2ecole"], "marc8", "utf-8"),
        (["Мир".encode(), "é".encode(), b"\xe2ecole"], "utf-8", "marc8"),
        ([b"\xe2ecole"], "marc8", ""),
        ([b"\x1b(NmOSKWA\x1b(B"], "marc8", ""),
    ],
)
def test_the_charset_of_most_records_is_that_of_the_file(samples, main, other):
    found = settle(samples=samples)
    assert (found.main, found.other, found.fixed) == (main, other, False)


def test_a_configured_charset_is_fixed():
    assert settle("windows-1251", "utf-8") == _charset.Charsets("utf-8", "cp1251", legacy="marc8", fixed=True)


@pytest.mark.parametrize(
    "data, is_utf8",
    [
        (b"plain", True),
        ("éé".encode() + b"\xe9", True),
        ("é".encode() + b"\xe9", False),
        ("ééé".encode() + b"\xe9", True),
        (b"\xe9", False),
        ("éé\ufffd".encode() + b"\xe9", True),
    ],
)
def test_a_record_with_few_broken_bytes_among_many_right_ones_is_utf_8(data, is_utf8):
    charsets = _charset.Charsets(None, "utf-8", other="cp1252")
    decoded = _charset.decode(data, charsets)
    assert (not decoded.warnings or decoded.warnings[0].endswith("not in utf-8 replaced by U+FFFD")) == is_utf8


def test_replaced_bytes_are_counted_in_any_charset():
    charsets = _charset.Charsets(None, "cp1251", fixed=True)
    decoded = _charset.decode(b"\x98 \xef\xbf\xbd", charsets)
    assert decoded.warnings == ("1 byte sequence not in cp1251 replaced by U+FFFD",)
    utf8 = _charset.Charsets(None, "utf-8", fixed=True)
    decoded = _charset.decode(b"\xe9 \xef\xbf\xbd \xe9", utf8)
    assert decoded.warnings == ("2 byte sequences not in utf-8 replaced by U+FFFD",)


def test_ascii_bytes_need_no_charset_unless_they_have_escapes():
    for main in ("utf-8", "cp1251", "ascii"):
        assert _charset.decode(b"plain", _charset.Charsets(None, main)) == _charset.Decoded("plain")
    escaped = b"\x1b(NmOSKWA\x1b(B"
    for legacy in ("marc8", "iso8859-1"):
        assert _charset.decode(escaped, _charset.Charsets(None, "utf-8", legacy=legacy)).text == "Москва"
    assert not _charset.is_beyond_ascii(b"plain \x1b without a set")
    assert _charset.is_beyond_ascii(escaped)


@pytest.mark.parametrize(
    "reference, text",
    [
        ("&#x01CE;", "ǎ"),
        ("&#x0020;", " "),
        ("&#x001F;", "&#x001F;"),
        ("&#x10FFFF;", "\U0010ffff"),
        ("&#x110000;", "&#x110000;"),
        ("&#xD7FF;", "\ud7ff"),
        ("&#xD800;", "&#xD800;"),
        ("&#xDFFF;", "&#xDFFF;"),
        ("&#xE000;", "\ue000"),
        ("&#x41;", "&#x41;"),
    ],
)
def test_references_in_marc8_are_characters_unless_no_text_can_have_them(reference, text):
    assert _marc8.decode(b"\xe2e " + reference.encode(), "marc8") == ("é " + text, 0)


@pytest.mark.parametrize(
    "data, text, wrong",
    [
        (b"\x1b(NmOSKWA\x1b(Bx", "Москваx", 0),
        (b"\x1b)N\xedOSKWA", "МOSKWA", 0),
        (b"\x1b-N\xedOSKWA", "МOSKWA", 0),
        (b"\x1b)N\xed\xcf\x1b)!E\xe2e", "Моé", 0),
        (b"\x1b,NmO", "Мо", 0),
        (b"\x1b$1!NW\x1b(B.", None, 0),
        (b"\x1b$)1\xa1\xce\xd7.", None, 0),
        (b"\x1b$,1!NW\x1b(B.", None, 0),
        (b"H\x1bb2\x1bsO", "H₂O", 0),
        (b"m\x1bp2\x1bs", "m²", 0),
        (b"\x1bga\x1bs", "α", 0),
        (b"a\x1b?b\x1b(Bc", "a?bc", 1),
        (b"\x1b(N\x7f\x1b(B", "\ufffd", 1),
        (b"\x1b(B\xe2", "\u0301", 0),
        (b"\x1b(B\xe2\xe3e", "e\u0301\u0302", 0),
    ],
)
def test_escapes_designate_the_sets_of_both_sides(data, text, wrong):
    found, count = _marc8.decode(data, "marc8")
    if text is None:
        assert found == _marc8.decode(b"\x1b$1!NW\x1b(B.", "marc8")[0]
        assert (len(found), "\ufffd" in found) == (2, False)
    else:
        assert found == normalize("NFC", text)
    assert count == wrong


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"\xe2ecole", True),
        (b"ecole \xe2 5", False),
        (b"\xe2e" * 9 + b"\xe2 5", True),
        (b"\xe2e" * 8 + b"\xe2 5", False),
        (b"\xb2re og \xb1", True),
        (b"\xff" + b"\xb2" * 9, True),
        (b"\xff" + b"\xb2" * 8, False),
    ],
)
def test_bytes_are_likely_marc8_if_marks_precede_letters_and_codes_are_assigned(data, expected):
    assert _marc8.is_plausible(data, "marc8") is expected


@pytest.mark.parametrize(
    "text, odd",
    [
        ("мир", False),
        ("МИр", True),
        ("МИРмир", False),
        ("мирмирмирм «»", False),
        ("мир «»", True),
        ("МИР", True),
        ("plain", False),
    ],
)
def test_a_record_is_odd_in_a_charset_if_it_has_few_letters_or_more_capitals(text, odd):
    assert cyrillic.is_odd(text.encode("cp1251"), "cp1251") is odd


def test_the_score_of_a_text_without_letters_beyond_ascii_is_zero():
    assert cyrillic.score("plain") == 0.0
    assert cyrillic.score("Преступление и наказание") > cyrillic.SURE > cyrillic.score("Été")
