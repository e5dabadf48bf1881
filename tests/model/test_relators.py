"""Words for roles."""

import pytest

from bibld.model.relators import TERM_OF_RELATOR, relator_of, relators_of


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
        ("joint ed.", "edt"),
        ("tr.", "trl"),
        ("comp.", "com"),
        ("ill.", "ill"),
        ("supposed author", "att"),
        ("Hrsg.", "edt"),
        ("Herausgeberin", "edt"),
        ("Übers.", "trl"),
        ("Verf.", "aut"),
        ("Verfasser eines Vorworts", "wpr"),
        ("Mitwirkender", "ctb"),
        ("Herausgebendes Organ", "isb"),
        ("éd.", "edt"),
        ("trad.", "trl"),
        ("préf.", "wpr"),
        ("säveltäjä", "cmp"),
        ("науч. ред.", "edt"),
        ("гл. ред", "edt"),
        ("под ред.", "edt"),
        ("ред.-сост.", "edc"),
        ("худож.", "ill"),
        ("авт. предисл.", "aui"),
        ("пер.", "trl"),
        ("Отв ред", "edt"),
        ("", None),
        ("...", None),
        ("придворный поэт", None),
    ],
)
def test_what_cataloguers_write_has_a_code_where_it_is_known(words, code):
    assert relator_of(words) == code


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("ed. and tr.", ("edt", "trl")),
        ("author, editor.", ("aut", "edt")),
        ("author of afterword, colophon, etc.", ("aft",)),
        ("сост. и ред.", ("com", "edt")),
        ("Hrsg. und Übers.", ("edt", "trl")),
        ("ред.-сост.", ("edc",)),
        ("editor, author, editor", ("edt", "aut")),
        ("editor and friend", ()),
        (" and ", ()),
        ("", ()),
    ],
)
def test_roles_that_are_joined_are_all_known_or_none_is(words, codes):
    assert relators_of(words) == codes
