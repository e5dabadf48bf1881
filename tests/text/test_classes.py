"""The main class that a class mark belongs to."""

import pytest

from bibld.text.classes import captions, main_class, subclass_of_lcc


@pytest.mark.parametrize(
    ("scheme", "mark", "expected"),
    [
        ("rubbk", "Ш5(2=Р)53-4", "Ш"),
        ("rubbk", "Т3(2)", "Т"),
        ("rubbk", "T3(2)", "Т"),
        ("rubbk", "У.я431", "У"),
        ("bbk", "84(2Рос=Рус)6", "Ш"),
        ("lbc", "32.973.202", "З"),
        ("rubbk", "63.3(2)622.88", "Т"),
        ("rubbk", "47.2", "П"),
        ("rubbk", "20я73", "Б"),
        ("rubbk", "85.154/159", "Щ"),
        ("rubbk", "Щ", "Щ"),
        ("rubbk", "Р121.1(4Р351-4Ки)я431", "Р"),
        ("rubbk", "Р4я73", "Р"),
        ("rubbk", "Р4Фр", "Ш"),
        ("rubbk", "Р1", None),
        ("rubbk", "Р2-1", None),
        ("rubbk", "Р5", "Р"),
        ("rubbk", "821.161", None),
        ("rubbk", "2", None),
        ("rubbk", "Сказки", None),
        ("udc", "821.161.1-3", "8"),
        ("udc", "94(470)", "9"),
        ("udc", "811.161.1'38", "8"),
        ("udc", "632.95 U58", "6"),
        ("udc", "663/664", "6"),
        ("udc", "76.03/.09", "7"),
        ("udc", "5/6", None),
        ("udc", "37+159.9", None),
        ("udc", "(091)", None),
        ("udc", "4", None),
        ("udc", "929Иванов", None),
        ("ddc", "821.914", None),
        ("", "84", None),
    ],
)
def test_a_mark_belongs_to_the_main_class_that_it_begins_with(scheme, mark, expected):
    assert main_class(scheme, mark) == expected


def test_main_classes_have_names_in_russian_and_english():
    assert captions("rubbk", "Т") == (("История. Исторические науки", "ru"), ("History", "en"))
    assert captions("rubbk", "Т3(2)") == captions("ddc", "8") == captions("", "") == ()


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("PR6013.R735 Z5 1998", "PR"),
        ("QA76.73 .P98", "QA"),
        ("E302.6.F8 V46", "E"),
        ("Z 1019", "Z"),
        ("WM 172", None),
        ("MLCS 83/4 (H)", None),
        ("Microfilm 12", None),
        ("PR", None),
        ("XY12", None),
        ("QA12345", None),
    ],
)
def test_a_call_number_begins_with_its_subclass(mark, expected):
    assert subclass_of_lcc(mark) == expected
