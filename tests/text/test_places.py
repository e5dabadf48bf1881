"""Towns that catalogues shorten, and codes of countries."""

import re

import pytest

from bibld.text.places import MARC_COUNTRY_OF_ISO, expand_place, is_unknown_imprint, place_key


@pytest.mark.parametrize(
    ("stated", "full"),
    [
        ("М.", "Москва"),
        ("[М.]", "Москва"),
        ("М", "Москва"),
        ("СПб.", "Санкт-Петербург"),
        ("Спб", "Санкт-Петербург"),
        ("Л.", "Ленинград"),
        ("Пг.", "Петроград"),
        ("К.", "Киев"),
        ("Новосиб.", "Новосибирск"),
        ("Ростов н/Д.", "Ростов-на-Дону"),
        ("Дубна (Моск. обл.)", "Дубна (Моск. обл.)"),
        ("[Дубна]", "[Дубна]"),
        ("M.", "M."),
        ("", ""),
    ],
)
def test_an_abbreviated_town_has_its_full_name_and_any_other_text_stays(stated, full):
    assert expand_place(stated) == full


def test_codes_have_the_form_of_their_lists_and_each_country_its_own():
    assert all(
        re.fullmatch("[A-Z]{2}", iso) and re.fullmatch("[a-z]{2,3}", m) for iso, m in MARC_COUNTRY_OF_ISO.items()
    )
    once = [marc for iso, marc in MARC_COUNTRY_OF_ISO.items() if iso not in ("HK", "MO")]
    assert len(set(once)) == len(once)


@pytest.mark.parametrize(
    ("forms", "key"),
    [
        (("М.", "[Москва]", "Moskva"), "moskva"),
        (("N.Y.", "New York, N.Y.", "New York"), "nev ork"),
        (("Л.", "Leningrad"), "leningrad"),
        (("Дубна",), "dubna"),
        (("", "[...]"), ""),
    ],
)
def test_all_forms_of_a_place_have_one_key(forms, key):
    assert {place_key(form) for form in forms} == {key}


@pytest.mark.parametrize(
    ("text", "is_unknown"),
    [("[S.l. : s.n.]", False), ("[s.n.]", True), ("Б. м.", True), ("[Б.г.]", True), ("1999", True), ("", True),
     ("Publisher not identified", True), ("М.", False), ("б. и. Наука", False)],
)  # fmt: skip
def test_an_imprint_without_letters_or_that_states_so_is_unknown(text, is_unknown):
    assert is_unknown_imprint(text) is is_unknown
