"""The trees of classifications: every class is reached from the main ones, and has its captions."""

import pytest

from bibld.text.class_divisions import SCHEMES, beginnings, caption, path_to, subclasses


def classes(scheme: str, mark: str = "") -> list[str]:
    below = subclasses(scheme, mark)
    return [*below, *(each for one in below for each in classes(scheme, one))]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_class_is_reached_by_the_classes_above_it(scheme):
    for mark in classes(scheme):
        *above, last = path_to(scheme, mark)
        assert mark in subclasses(scheme, last), mark
        assert all(
            each in subclasses(scheme, before) for before, each in zip(["", *above], above, strict=False) if each
        )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_main_classes_have_captions_in_both_languages(scheme):
    main = subclasses(scheme, "")
    assert all(caption(scheme, mark, language) for mark in main for language in ("ru", "en"))
    assert not any(caption(scheme, mark, "ru") == caption(scheme, mark, "en") for mark in main)


@pytest.mark.parametrize("mark", ["x", "8x", "Ш", " ", "99999"])
def test_what_is_no_class_has_no_path(mark):
    assert path_to("udc", mark) == []


def test_a_letter_of_the_bbk_is_that_of_both_editions_and_may_be_latin():
    assert {"rubbk/Т", "rubbk/T", "bbk/63"} <= set(beginnings("bbk", "Т"))
    assert beginnings("udc", "82") == ["udc/82"]
    assert caption("bbk", "84", "en") == "Fiction, poetry and plays"
