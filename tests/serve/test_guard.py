"""No query opens a connection or writes: it is refused before it is evaluated."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.errors import BadQueryError
from bibld.model.sparql.lexer import TOKEN
from bibld.serve._sparql.guard import ForbiddenQueryError, check_query

REFUSED = [
    "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "SELECT * { service silent ?x { ?s ?p ?o } }",
    "SELECT * { SeRvIcE<http://127.0.0.1/>{ ?s ?p ?o } }",
    "SELECT * { ?s ?p 1.SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "SELECT * { S\\u0045RVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "SELECT * { \\U00000053ERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    'SELECT * { ?s ?p "a" SERVICE <http://127.0.0.1/> { ?s ?p "b" } }',
    "SELECT * { # a comment\n SERVICE # another\n <http://127.0.0.1/> { ?s ?p ?o } }",
    'SELECT * { ?s ?p "#" . SERVICE <http://127.0.0.1/> { ?s ?p ?o } }',
    "SELECT * { ?s <http://x/#a> ?o . SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "PREFIX ex: <http://x/> SELECT * { ?s ex:a\\#b ?o . SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "PREFIX ex: <http://x/> SELECT * { ?s ex:a\\'b ?o . SERVICE <http://127.0.0.1/> { ?s ex:c\\'d ?o } }",
    "PREFIX : <http://x/> SELECT * { SERVICE:x { ?s ?p ?o } }",
    "SELECT * { ?s ?p '''a'b''' . SERVICE <http://127.0.0.1/> { ?s ?p '''c''' } }",
    'SELECT * { ?s ?p """a"b""" SERVICE <http://127.0.0.1/> { ?s ?p "" } }',
    "SELECT * { FILTER(?a <?b) SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "SELECT * { \\u0023\nSERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "LOAD <http://127.0.0.1/>",
    "INSERT DATA { <a:a> <a:b> <a:c> }",
    "PREFIX ex: <http://x/> DELETE WHERE { ?s ?p ?o }",
    "BASE <http://x/> # c\n drop all",
    "SELECT * { ?s ?p ?o } ; LOAD <http://127.0.0.1/>",
    # what a lexer takes for an IRI is "less than" to a parser, and what follows is no string and no comment to it
    "SELECT * { FILTER(?a<'c>') SERVICE <http://127.0.0.1/> { ?s ?p ?o } } # '",
    "SELECT * { FILTER(1<5#c> '''\n) SERVICE <http://127.0.0.1/> { ?s ?p ?o } } # '''",
    "SELECT * { FILTER(1<'a>'&&1<'b>'&&1<'c>') SERVICE <http://127.0.0.1/> { ?s ?p ?o } } # '",
    'SELECT * { FILTER(1<\'a>"""\') SERVICE <http://127.0.0.1/> { ?s ?p ?o } } # """',
    # keywords that parsers take apart without a space
    "SELECT * { ?s ?p trueSERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
    "SELECT * { SERVICESILENT<http://127.0.0.1/>{ ?s ?p ?o } }",
    "PREFIX : <http://x/> SELECT * { ?s ?p trueSERVICE:x { ?s ?p ?o } }",
    "PREFIX : <http://x/> SELECT * { SERVICESILENT:x { ?s ?p ?o } }",
    "PREFIX : <http://x/> SELECT * { SERVICE: { ?s ?p ?o } }",
    "PREFIX : <http://x/> SELECT * { ?a ?b :c.SERVICE:x { ?s ?p ?o } }",
    "PREFIX : <http://x/> SELECT * { ?a ?b ?c # {\n SERVICE:x # }\n { ?s ?p ?o } }",
    "SELECT * { \\u005cu0053ERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
    "SELECT * { ?s <'\\u0041> 'a' . SERVICE <http://127.0.0.1/> { ?s ?p ?o } } # '",
    "INSERTDATA { <a:a> <a:b> <a:c> }",
    "BASE<http://x/>LOAD<http://127.0.0.1/>",
]


@pytest.mark.parametrize("query", REFUSED)
def test_what_would_write_or_connect_is_refused(query):
    with pytest.raises(ForbiddenQueryError):
        check_query(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?service ?load ?insert }",
        'SELECT * { ?s ?p "SERVICE <http://x/> LOAD" }',
        "SELECT * { ?s ?p '''it's SERVICE''' }",
        "SELECT * { ?s <http://x/SERVICE> ?o } # SERVICE",
        "PREFIX ex: <http://x/> SELECT * { ?s ex:services ?o ; ex:load ?x }",
        'SELECT * { ?s ?p "a\\"SERVICE" }',
        "ASK { ?s ?p 'x'@en-service }",
        "SELECT (<http://x/a>(?b) AS ?c) { FILTER(?a < 3 && ?b > 2) }",
        "PREFIX service: <http://x/> SELECT * { ?s service:x ?o }",
        "PREFIX service: <http://x/> SELECT * { ?s a service:Offer ; service:price ?o . OPTIONAL { ?o service:x ?y } }",
        "PREFIX Service: <http://x/> SELECT * FROM Service:g { GRAPH Service:g { ?s ?p ?o } }",
        "PREFIX ex: <http://x/> SELECT * { ?s ex:service ?service . ?o ex:service _:service }",
        "PREFIX load: <http://x/> SELECT * { ?s load:load ?load } # LOAD",
        "SELECT * { ?s <http://x/#service> '#SERVICE' ; <http://x/#b> \"it's SERVICE\" }",
        "SELECT * { ?s ?p ?o FILTER(?o<5 && ?o>3 && ?s = <http://x/#a>) } # it's SERVICE",
    ],
)
def test_the_words_are_allowed_where_they_are_not_keywords(query):
    assert check_query(query).form in ("SELECT", "ASK")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM <http://x/> { ?s ?p ?o }", True),
        ("SELECT * FROM NAMED <http://x/> { GRAPH ?g { ?s ?p ?o } }", True),
        ("SELECT * { ?from ?p 'FROM' }", False),
    ],
)
def test_a_dataset_in_the_query_is_seen(query, expected):
    assert check_query(query).has_dataset is expected


@pytest.mark.parametrize("query", ['SELECT * { ?s ?p "open }', "SELECT * { ?s ?p '''open' }", 'ASK { ?s ?p "a\n" }'])
def test_a_string_that_is_not_closed_is_bad(query):
    with pytest.raises(BadQueryError, match="not closed"):
        check_query(query)


@given(st.text() | st.text(alphabet="\"'\\#<>{} SERVICElu0053:?.\n"))
def test_any_text_is_accepted_or_refused(text):
    try:
        check_query(text)
    except BadQueryError:
        return


@given(st.sampled_from(REFUSED[:2]), st.data())
def test_no_escape_of_any_letter_hides_a_keyword(query, data):
    start = query.upper().index("SERVICE")
    at = data.draw(st.integers(start, start + 6))
    form = data.draw(st.sampled_from(("\\u{:04X}", "\\u{:04x}", "\\U{:08X}")))
    with pytest.raises(ForbiddenQueryError):
        check_query(query[:at] + form.format(ord(query[at])) + query[at + 1 :])


LONG = 256 * 1024
UNITS = ["_", "1", "a", "a.", ".", "-", "a-1.", "ж", ":", "a:", "::a", "%", "?", "$", "@", "@a-", "<", "<a", "\\", "{"]
UNITS += ["#", "'a'", '"a"', "'''a'b'''", "?a", "@a", "<a>", "a:b\\.", "#\n", " ", "a "]


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_hostile_text_is_read_in_one_pass(unit):
    """Without one pass this takes minutes; what makes it one pass is tested below."""
    text = unit * (LONG // len(unit))
    assert check_query(f"SELECT * {{ {text}\n }}").form == "SELECT"


@pytest.mark.parametrize("opening", ['"', "'", '"""', "'''", '"""a"', "'''a''b'", '"a\\'])
def test_a_long_string_that_is_not_closed_is_found_out_at_once(opening):
    for filler in ("a", "\\n", "''" if opening[0] == '"' else '""'):
        with pytest.raises(BadQueryError, match="not closed"):
            check_query(f"SELECT * {{ ?s ?p {opening}{filler * (LONG // len(filler))}")


@given(st.text(max_size=60) | st.text(alphabet="_a1.-:%?$@<>#\\ \n\"'", max_size=60))
def test_nothing_that_a_long_token_could_begin_with_is_left_between_tokens(text):
    """So the search never begins again within a run that it has gone over before: its work is linear."""
    tokens = list(TOKEN.finditer(text))
    ends = [0, *(token.end() for token in tokens)]
    starts = [*(token.start() for token in tokens), len(text)]
    assert not any(re.search(r"[\w.:\-#\"']", text[end:start]) for end, start in zip(ends, starts, strict=True))
    for before, after in itertools.pairwise(tokens):
        assert before.lastgroup != "run" or after.lastgroup != "run" or before.end() < after.start()
