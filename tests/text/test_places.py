"""Towns that catalogues shorten, and codes of countries."""

import re

import pytest

from bibld.text.places import MARC_COUNTRY_OF_ISO, expand_place


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
