"""Class marks are distinguished from headings of the same classification."""

import pytest

from bibld.text.class_marks import is_class_mark


@pytest.mark.parametrize(
    "mark",
    [
        "Р1",
        "Ш5(2=Р)1",
        "84(2Рос=Рус)6-44",
        "821.161.1",
        "823.914",
        "83.3(2Рос=Рус)1-8Толстой Л. Н.",
        "17.07.31",
        "[Fic]",
    ],
)
def test_numbers_of_a_classification_are_class_marks(mark):
    assert is_class_mark("rubbk", mark) and is_class_mark("ddc", mark)
    assert not is_class_mark("lcsh", mark)


@pytest.mark.parametrize(
    "heading",
    ["Художественная литература--Русская литература 19 в.--Проза", "Россия", "История -- 20 в.", "Права, свободы"],
)
def test_headings_in_words_are_none(heading):
    assert not is_class_mark("rubbk", heading)
