"""Words for roles."""

import pytest

from bibld.model.relators import TERM_OF_RELATOR, relator_of


@pytest.mark.parametrize("code", TERM_OF_RELATOR)
def test_every_term_of_the_list_has_its_code(code):
    assert relator_of(TERM_OF_RELATOR[code]) == code
    assert relator_of(TERM_OF_RELATOR[code].upper() + ".") == code


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("исполн", "prf"),
        ("Отв. ред.", "edt"),
        ("отв.ред.", "edt"),
        ("авт.-сост.", "com"),
        ("[сост.]", "com"),
        ("Дирижёр", "cnd"),
        ("ed.", "edt"),
        ("joint author", "aut"),
        ("", None),
        ("...", None),
        ("придворный поэт", None),
    ],
)
def test_what_cataloguers_write_has_a_code_where_it_is_known(words, code):
    assert relator_of(words) == code
