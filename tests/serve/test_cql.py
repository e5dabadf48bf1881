"""Queries in CQL: what each looks for, and the diagnostic of each that cannot be answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.iris import Iris
from bibld.search import (
    BooleanCondition,
    NumberCondition,
    SearchCondition,
    TextCondition,
    YearCondition,
)
from bibld.serve._interfaces.sru.cql import MAX_CLAUSES, MAX_QUERY_LENGTH, CqlReader, sort_of_sort_keys
from bibld.serve._interfaces.sru.diagnostics import SruDiagnosticError, SruFault
from bibld.serve._interfaces.sru.indexes import CqlPrefixes

READER = CqlReader(Iris("https://data.example.org/"), {"ru-10010001": "rsl", "state library": "rsl"})
DC, BATH = "info:srw/context-set/1/dc-v1.1", "http://zing.z3950.org/cql/bath/2.0/"
TOO_MANY = " or ".join(["a"] * (MAX_CLAUSES + 1))


def written(condition: SearchCondition) -> str:
    """A condition in one line: ``title:all(war) and 1970..1980``."""
    match condition:
        case BooleanCondition(operator, left, right):
            return f"({written(left)} {operator} {written(right)})"
        case TextCondition(field, comparison, text):
            return f"{field}:{comparison}({text})"
        case NumberCondition(text, is_beginning):
            return f"number({text}{'*' if is_beginning else ''})"
        case YearCondition(first, last):
            return f"{first}..{last}"
    return "all records"


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("dinosaur", "any:all(dinosaur)"),
        ('"complete dinosaur"', "any:all(complete dinosaur)"),
        ("title = dinosaur", "title:all(dinosaur)"),
        ("dc.title = dinosaur", "title:all(dinosaur)"),
        ("bath.title all dinosaur", "title:all(dinosaur)"),
        ("DC.Title ANY dinosaur", "title:any(dinosaur)"),
        ('dc.title adj "the complete dinosaur"', "title:phrase(the complete dinosaur)"),
        ('dc.title == "complete dinosaur"', "title:complete(complete dinosaur)"),
        ('dc.title exact "complete dinosaur"', "title:complete(complete dinosaur)"),
        ('dc.title cql.exact "complete dinosaur"', "title:complete(complete dinosaur)"),
        ("dc.title scr dinosaur", "title:all(dinosaur)"),
        ("dc.title <> dinosaur", "(all records not title:all(dinosaur))"),
        ("dc.title =/relevant/cql.stem dinosaur", "title:all(dinosaur)"),
        ("srw.serverChoice = x1", "any:all(x1)"),
        ("cql.anywhere = dinosaur", "any:all(dinosaur)"),
        ("cql.allRecords = 1", "all records"),
        ("bath.name = Smith", "author:all(Smith)"),
        ("dc.creator = Smith", "author:all(Smith)"),
        ("dc.contributor = Smith", "author:all(Smith)"),
        ("subject = fish", "subject:all(fish)"),
        ("publisher = nauka", "publisher:all(nauka)"),
        ("bath.seriesTitle = atlas", "series:all(atlas)"),
        ("dc.language = rus", "language:complete(rus)"),
        ("dc.language = ru", "language:complete(rus)"),
        ('dc.language any "ru de"', "(language:complete(rus) or language:complete(ger))"),
        ("bath.possessingInstitution = RU-10010001", "library:complete(rsl)"),
        ('library = "State Library"', "library:complete(rsl)"),
        # numbers
        ("bath.isbn = 0-8044-2957-X", "number(0-8044-2957-X)"),
        ("isbn = 978080442*", "number(978080442*)"),
        ('isbn any "0804429570 5280010000"', "(number(0804429570) or number(5280010000))"),
        ("bath.issn = 0042-8795", "number(0042-8795)"),
        ("bath.lccn = n79021164", "number(n79021164)"),
        ("bath.standardIdentifier = 0042-8795", "number(0042-8795)"),
        ("9780804429570", "(any:all(9780804429570) or number(9780804429570))"),
        ('"0-8044-2957-X"', "(any:all(0-8044-2957-X) or number(0-8044-2957-X))"),
        ("rec.identifier = 01004039769", "number(01004039769)"),
        ('rec.id = "https://data.example.org/resource/rsl/1"', "number(rsl:1)"),
        ('rec.id = "https://data.example.org/record/rsl/a~2Fb"', "number(rsl:a/b)"),
        # years
        ("dc.date = 1970", "1970..1970"),
        ("dc.date = 1970-05-01", "1970..1970"),
        ("dc.date > 1970", "1971..9999"),
        ("dc.date >= 1970", "1970..9999"),
        ("dc.date < 1970", "0..1969"),
        ("dc.date <= 1970", "0..1970"),
        ('dc.date within "1970 1980"', "1970..1980"),
        ("year within 1970-1980", "1970..1980"),
        ("year <> 1970", "(all records not 1970..1970)"),
        ("year = 197?", "1970..1979"),
        ("year = 19*", "1900..1999"),
        # masks and anchors
        ("title = dino*", "title:all(dino*)"),
        ("title = dino?aur", "title:all(dino?aur)"),
        ('title = "dino* com?lete"', "title:all(dino* com?lete)"),
        (r"title = dino\*", "title:all(dino )"),
        (r'title = "the \"dino\""', 'title:all(the "dino")'),
        ("title =/unmasked dino*", "title:all(dino )"),
        ('title = "^the complete"', "title:beginning(the complete)"),
        ('title = "^the complete^"', "title:complete(the complete)"),
        # booleans
        ("a and b or c not d", "(((any:all(a) and any:all(b)) or any:all(c)) not any:all(d))"),
        ("a AND (b OR c)", "(any:all(a) and (any:all(b) or any:all(c)))"),
        ('"and" and "or"', "(any:all(and) and any:all(or))"),
        # context sets
        (f'> d = "{DC}" d.title = x', "title:all(x)"),
        (f'> "{DC}" creator = x', "author:all(x)"),
        (f'(> b = "{BATH}" b.isbn = 5280010000) and dc.title = y', "(number(5280010000) and title:all(y))"),
    ],
)
def test_a_query_is_understood(query, condition):
    assert written(READER.read(query).condition) == condition


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("", SruFault.SYNTAX),
        ("title =", SruFault.SYNTAX),
        ("a b", SruFault.SYNTAX),
        ("(a", SruFault.SYNTAX),
        ("a)", SruFault.SYNTAX),
        ('"a', SruFault.SYNTAX),
        ("a and", SruFault.SYNTAX),
        ("a sortby", SruFault.SYNTAX),
        ("x" * (MAX_QUERY_LENGTH + 1), SruFault.QUERY_LENGTH),
        ("(" * MAX_QUERY_LENGTH, SruFault.SYNTAX),
        (TOO_MANY, SruFault.BOOLEANS),
        ("x" * 600, SruFault.TERM_LENGTH),
        (" and ".join(f'"{"a " * 20}"' for _ in range(3)), SruFault.TERM_LENGTH),
        ("dc.colour = red", SruFault.INDEX),
        ("colour = red", SruFault.INDEX),
        ("pica.isb = 1", SruFault.CONTEXT_SET),
        ('> x = "http://example.org/set" x.title = 1', SruFault.CONTEXT_SET),
        ("cql.resultSetId = 1", SruFault.RESULT_SETS),
        ("title encloses x", SruFault.RELATION),
        ("title near x", SruFault.RELATION),
        ("title < x", SruFault.RELATION_OF_INDEX),
        ("isbn within 1-2", SruFault.RELATION_OF_INDEX),
        ("title =/locale=fr x", SruFault.RELATION_MODIFIER),
        ("title =/respectCase x", SruFault.RELATION_MODIFIER),
        ("a and/rel.combine=sum b", SruFault.BOOLEAN_MODIFIER),
        ("a prox b", SruFault.PROXIMITY),
        ("a prox/distance<3 b", SruFault.PROXIMITY),
        ('title = ""', SruFault.EMPTY_TERM),
        ('title = "..."', SruFault.EMPTY_TERM),
        ("isbn = ---", SruFault.EMPTY_TERM),
        (r"title = a\b", SruFault.ESCAPE),
        ('title = "a^b"', SruFault.ANCHOR_POSITION),
        ('title = "a^"', SruFault.ANCHOR_POSITION),
        ('author = "^a"', SruFault.ANCHOR),
        ('title all "^a"', SruFault.ANCHOR),
        ("title = *", SruFault.MASKED_WORD),
        ("title = di*", SruFault.MASKED_WORD),
        ("title = *saur", SruFault.MASKED_WORD),
        ("isbn = 97*", SruFault.MASKED_WORD),
        ("isbn = 978?80442", SruFault.MASK),
        ("title == dino*", SruFault.MASK),
        ("publisher = nau*", SruFault.MASK),
        ("language = ru*", SruFault.MASK),
        ('title adj "complete dino*"', SruFault.MASK_IN_PHRASE),
        (" and ".join(["title = dino*"] * 5), SruFault.MASKS),
        ("date = yesterday", SruFault.TERM_FORMAT),
        ("date > 1970-1980", SruFault.TERM_FORMAT),
        ('date within "1970 1980 1990"', SruFault.TERM_FORMAT),
        ('rec.id = "https://data.example.org/record/rsl/~ZZ"', SruFault.TERM_FORMAT),
        ("a sortBy publisher", SruFault.SORT_PATH),
        ("a sortBy colour", SruFault.SORT_PATH),
        ("a sortBy title date", SruFault.SORT_KEYS),
        ("a sortBy title/sort.missingFail", SruFault.SORT_MODIFIER),
    ],
)
def test_what_cannot_be_answered_has_its_diagnostic(query, fault):
    with pytest.raises(SruDiagnosticError) as raised:
        READER.read(query)
    assert raised.value.fault == fault


# The examples of the introduction to CQL and of the context set at the site of the Library of Congress. Those about the
# fields of dinosaurs and about proximity have a diagnostic, as the standard has it for what a server does not support.
@pytest.mark.parametrize(
    ("query", "understood"),
    [
        ("dinosaur", "any:all(dinosaur)"),
        ('"complete dinosaur"', "any:all(complete dinosaur)"),
        ('title = "complete dinosaur"', "title:all(complete dinosaur)"),
        ('title exact "the complete dinosaur"', "title:complete(the complete dinosaur)"),
        ("dinosaur or bird", "(any:all(dinosaur) or any:all(bird))"),
        ('Palomar assignment and "ice age"', SruFault.SYNTAX),  # a term of two words without quotation marks
        ("dinosaur not reptile", "(any:all(dinosaur) not any:all(reptile))"),
        ("dinosaur and bird or dinobird", "((any:all(dinosaur) and any:all(bird)) or any:all(dinobird))"),
        (
            "(bird or dinosaur) and (feathers or scales)",
            "((any:all(bird) or any:all(dinosaur)) and (any:all(feathers) or any:all(scales)))",
        ),
        (
            '"feathered dinosaur" and (yixian or jehol)',
            "(any:all(feathered dinosaur) and (any:all(yixian) or any:all(jehol)))",
        ),
        (
            "(((a and b) or (c not d) not (e or f and g)) and h not i) or j",
            "((((((any:all(a) and any:all(b)) or (any:all(c) not any:all(d))) not"
            " ((any:all(e) or any:all(f)) and any:all(g))) and any:all(h)) not any:all(i)) or any:all(j))",
        ),
        ("publicationYear < 1980", "0..1979"),
        ("lengthOfFemur > 2.4", SruFault.INDEX),
        ("bioMass >= 100", SruFault.INDEX),
        ("year > 1998", "1999..9999"),
        ('title all "complete dinosaur"', "title:all(complete dinosaur)"),
        ('title any "dinosaur bird reptile"', "title:any(dinosaur bird reptile)"),
        ("complete prox dinosaur", SruFault.PROXIMITY),
        ("ribs prox/distance<=5 chevrons", SruFault.PROXIMITY),
        ("ribs prox/unit=sentence chevrons", SruFault.PROXIMITY),
        ("dinosaur*", "any:all(dinosaur*)"),
        ("*sauria", SruFault.MASKED_WORD),
        ("man?raptor", "any:all(man?raptor)"),
        ("man?raptor*", "any:all(man?raptor*)"),
        (r'"\"quoted\""', 'any:all("quoted")'),
        ("bath.uniformTitle = a", "title:all(a)"),
        ("author = smith", "author:all(smith)"),
        ("dc.title any fish", "title:any(fish)"),
        ("dc.title any fish or dc.creator any sanderson", "(title:any(fish) or author:any(sanderson))"),
        (
            'dc.title any fish or (dc.creator any sanderson and dc.identifier = "id:1234567")',
            "(title:any(fish) or (author:any(sanderson) and number(id:1234567)))",
        ),
        ("dc.title any fish prox/unit=word/distance>3 dc.title any squirrel", SruFault.PROXIMITY),
        ("dc.title any fish sortBy dc.date/sort.ascending", "title:any(fish)"),
        ("dc.title any fish sortBy dc.date/sort.ascending dc.title/sort.descending", SruFault.SORT_KEYS),
        ('> dc = "info:srw/context-sets/1/dc-v1.1" dc.title any fish', "title:any(fish)"),
        ('> "http://deepcustard.org/" custardDepth > 10', SruFault.CONTEXT_SET),
        ('title any/relevant "cat fish"', "title:any(cat fish)"),
        ("dc.title any/rel.CORI fish", SruFault.RELATION_MODIFIER),
        ('dc.date within "2002 2005"', "2002..2005"),
        ("dateRange encloses 2003", SruFault.INDEX),
        ("dc.title =/fuzzy fish", SruFault.RELATION_MODIFIER),
        ('dc.title = "^cat"', "title:beginning(cat)"),
        ("cql.serverChoice = fish", "any:all(fish)"),
        ("cql.anywhere = fish", "any:all(fish)"),
        ("cql.allRecords = 1 NOT title = fish", "(all records not title:all(fish))"),
        ("cql.resultSetId = a and title = fish", SruFault.RESULT_SETS),
        ("bath.isbn = 0321832183", "number(0321832183)"),
        ('"Marv Throneberry"', "any:all(Marv Throneberry)"),
    ],
)
def test_the_examples_of_the_library_of_congress_are_answered(query, understood):
    try:
        found = written(READER.read(query).condition)
    except SruDiagnosticError as error:
        assert error.fault == understood
    else:
        assert found == understood


@pytest.mark.parametrize(
    ("keys", "sort"),
    [
        ("sortBy dc.date", "year"),
        ("sortBy dc.date/sort.descending", "-year"),
        ("sortby title/sort.ascending/sort.ignoreCase", "title"),
        ("", "relevance"),
        ("or b sortBy title", "title"),
    ],
)
def test_results_are_sorted_as_the_query_states(keys, sort):
    assert READER.read(f"a {keys}").sort == sort
    assert READER.read(f'> d = "{DC}" d.title = a {keys}').sort == sort


@pytest.mark.parametrize(
    ("keys", "sort"),
    [("title", "title"), ("date,,0", "-year"), ("title,dc,1,0,highValue", "title"), ('"dc.date"', "year")],
)
def test_results_are_sorted_as_the_parameter_states(keys, sort):
    assert sort_of_sort_keys(keys) == sort


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ("title,,2", SruFault.SORT_DIRECTION),
        ("title date", SruFault.SORT_KEYS),
        ("subject", SruFault.SORT_PATH),
    ],
)
def test_sort_keys_that_are_not_supported_have_their_diagnostic(keys, fault):
    with pytest.raises(SruDiagnosticError) as raised:
        sort_of_sort_keys(keys)
    assert raised.value.fault == fault


@pytest.mark.parametrize(
    ("clause", "field", "start"),
    [("dc.title = war", "title", "war"), ("bath.name", "author", ""), ('subject == "fish"', "subject", "fish")],
)
def test_a_clause_of_a_scan_is_understood(clause, field, start):
    found = READER.read_scan_clause(clause)
    assert (found.field, found.start) == (field, start)


@pytest.mark.parametrize(
    ("clause", "fault"),
    [("isbn = 1", SruFault.INDEX), ("war", SruFault.INDEX), ("title = a and b", SruFault.SYNTAX)],
)
def test_what_cannot_be_scanned_has_its_diagnostic(clause, fault):
    with pytest.raises(SruDiagnosticError) as raised:
        READER.read_scan_clause(clause)
    assert raised.value.fault == fault


WORDS = """dc.title title isbn date rec.id = == <> < all any adj within and or not prox sortBy ( ) / " \\ * ? ^ "a b"
слово 1970 > cql.allRecords \x00 \u0301 😀 /relevant 97* isbn=1 =x"""
PIECES = WORDS.split()


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(max_size=60))
def test_any_text_is_a_query_or_has_a_diagnostic(text):
    for read in (READER.read, READER.read_scan_clause):
        try:
            read(text)
        except SruDiagnosticError as error:
            assert error.fault.message and error.fault.uri.startswith("info:srw/diagnostic/1/")


def test_the_how_to_names_indexes_that_there_are():
    """In the settings of Koha, and in the stylesheet for the numbers of Bib-1."""
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "copy-cataloguing.md").read_text(encoding="utf-8")
    names = re.findall(r'<attr type="1" value="([\w.]+)"', text) + re.findall(r"\w+=((?:dc|bath|rec|cql)\.\w+)", text)
    assert len(names) > 20
    assert [CqlPrefixes().find_index(name).title for name in names]
