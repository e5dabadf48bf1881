"""Pairs for review are in order, verdicts are checked together, and the expected clusters are shown."""

import csv
import io

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bibld import config, pipeline, progress
from bibld.catalog import Catalog, PersonVerdict, StoredEdge, Verdicts, encode_edge
from bibld.dedup import review
from bibld.dedup.pair_files import LABELS, LabelledPair, add_verdicts, questions_csv, read_verdicts
from bibld.dedup.side_by_side import ComparedValue
from bibld.errors import ConfigError
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId
from bibld.text.translations import sentences_in
from tests.dedup.conftest import CLOCK

NOW = "2026-01-01T00:00:00+00:00"


@pytest.fixture
def opened(sample):
    loaded = config.load(sample)
    with Catalog(loaded.workspace, read_only=True) as catalog, Verdicts(loaded.workspace) as verdicts:
        yield loaded, catalog, verdicts


def clusters(catalog):
    return [catalog.linkage.cluster(founder).members for founder in catalog.linkage.founders(least=2)]


def give(verdicts, *new, **asked):
    return review.store_verdicts(verdicts, new, NOW, **asked)


def same(one, other, **asked):
    return PersonVerdict(Pair.from_records(one, other), "same", "anna", **asked)


def different(one, other, **asked):
    return PersonVerdict(Pair.from_records(one, other), "different", "anna", **asked)


# -- the pairs that wait ---------------------------------------------------------------------------------------------


def waiting(loaded, catalog, **asked):
    return list(review.undecided_pairs(catalog, loaded, **asked))


def test_every_pair_for_review_waits_once_and_those_with_a_verdict_do_not(opened):
    loaded, catalog, verdicts = opened
    pairs = waiting(loaded, catalog)
    assert len(pairs) == len(set(pairs)) == catalog.linkage.count_for_review() > 10
    assert {catalog.edge(pair).verdict.decision for pair in pairs} == {"review"}
    assert all(review.load_question(catalog, loaded, pair) for pair in pairs)
    (given,) = give(verdicts, different(pairs[0].left, pairs[0].right))
    assert set(waiting(loaded, catalog)) == set(pairs[1:])
    with verdicts.transaction():
        verdicts.withdraw(given)
    assert waiting(loaded, catalog) == pairs


def test_the_queue_is_that_of_every_limit(opened, monkeypatch):
    """Where few pairs of each tenth are looked at, the others follow, nearest to the middle first."""
    loaded, catalog, _ = opened
    pairs = waiting(loaded, catalog)
    monkeypatch.setattr(review, "_PAIRS_OF_TENTH", 2)
    few = waiting(loaded, catalog)
    assert set(few) == set(pairs)
    tenths = {int(10 * catalog.edge(pair).score.value) for pair in pairs}
    rest = few[2 * len(tenths) :]
    assert rest
    distances = [abs(catalog.edge(pair).score.value - 0.8) for pair in rest]
    assert distances == sorted(distances)


@pytest.fixture
def queue(opened, records):
    """Stores pairs for review (left and right source, rule, score) in place of all others, and returns their queue."""
    loaded, _, verdicts = opened
    free = {source: [one for one in records if one.source == source] for source in ("rsl", "nlr", "slavica")}
    with Catalog(loaded.workspace) as catalog:

        def queue(*kinds, decided=0):
            catalog.linkage.drop_edges()
            stored, names = [], {}
            for position, (left, right, rule, score) in enumerate(kinds):
                ends = free[left][position], free[right][position + 1]
                pair, verdict = Pair.from_records(*ends), Verdict("review", rule)
                body = encode_edge(Edge(pair, Score(score), verdict, ""))
                ordinals = sorted(map(catalog.register.ordinal, ends))
                stored.append(StoredEdge(*ordinals, score, "review", "review", body, ""))
                names[pair] = (f"{left}-{right}", rule, score)
            catalog.linkage.put_edges(stored)
            for pair in list(names)[:decided]:
                give(verdicts, different(pair.left, pair.right))
            return [names[pair] for pair in review.undecided_pairs(catalog, loaded)]

        yield queue


MANY, FEW, OTHER = ("rsl", "nlr", "model", 0.82), ("rsl", "nlr", "year", 0.81), ("rsl", "slavica", "model", 0.83)


@pytest.mark.parametrize(
    ("kinds", "decided", "first"),
    [
        ([FEW, MANY, MANY], 0, ["model", "year", "model"]),
        ([MANY, FEW], 0, ["year", "model"]),
        ([MANY, MANY, MANY, FEW, FEW], 0, ["model", "year", "model", "year", "model"]),
        ([MANY, MANY, MANY, FEW], 1, ["year", "model", "model"]),
        ([MANY, MANY, MANY, FEW, FEW], 2, ["year", "year", "model"]),
    ],
)
def test_kinds_take_turns_and_the_frequent_and_uncertain_ones_are_first(queue, kinds, decided, first):
    assert [rule for _, rule, _ in queue(*kinds, decided=decided)] == first


def test_the_first_questions_are_of_different_kinds(queue):
    kinds = [
        (*sources, rule, score)
        for sources in (("rsl", "nlr"), ("rsl", "slavica"))
        for rule in ("model", "year", "carrier")
        for score in (0.31, 0.45, 0.77)
    ]
    found = queue(*(kind for kind in kinds for _ in range(2)))
    assert len(set(found[: len(kinds)])) == len(kinds)
    assert set(found[len(kinds) :]) == set(found[: len(kinds)])
    assert found == queue(*(kind for kind in kinds for _ in range(2))), "the order is the same each time"


def test_of_a_kind_the_most_uncertain_pair_is_first(queue):
    scores = (0.85, 0.81, 0.89, 0.82)
    assert [score for *_, score in queue(*(("rsl", "nlr", "model", score) for score in scores))] == sorted(scores)


def test_different_values_are_marked(opened):
    loaded, catalog, _ = opened
    for pair in review.undecided_pairs(catalog, loaded):
        for one in review.load_question(catalog, loaded, pair).compared:
            assert one.left or one.right
            assert (one.sign == "?") == (not (one.left and one.right))
            assert one.sign == "=" or one.left != one.right
            assert str(one).startswith(one.sign)


def test_the_queue_can_be_limited_to_one_source(opened):
    loaded, catalog, _ = opened
    every, chosen = waiting(loaded, catalog), waiting(loaded, catalog, source="slavica")
    assert chosen == [pair for pair in every if "slavica" in (pair.left.source, pair.right.source)]


def test_a_decided_pair_is_not_in_the_queue(opened):
    loaded, catalog, _ = opened
    one, other, *_ = clusters(catalog)[0]
    assert review.load_question(catalog, loaded, Pair.from_records(one, other)) is None


# -- verdicts of people ---------------------------------------------------------------------------------------------


@pytest.fixture
def records(opened):
    """Some records, alone in their clusters."""
    _, catalog, _ = opened
    clustered = {record for members in clusters(catalog) for record in members}
    every = (catalog.register.record(ordinal) for ordinal, _ in catalog.records.made_by())
    return [record for record in every if record not in clustered]


def test_verdicts_that_contradict_each_other_through_other_records_are_all_refused(opened, records):
    _, _, verdicts = opened
    one, two, three, four = records[:4]
    give(verdicts, same(one, two), same(three, four))
    places = {Pair.from_records(two, three): "x.csv line 2", Pair.from_records(one, four): "x.csv line 3"}
    with pytest.raises(ConfigError) as caught:
        give(verdicts, same(two, three), different(one, four), locations=places)
    (fault,) = caught.value.faults
    assert "cannot be kept apart (x.csv line 3)" in fault
    assert fault.count("is the same as") == 3
    assert "decided by anna" in fault and "x.csv line 2" in fault
    assert len(verdicts.current()) == 2
    give(verdicts, same(two, three))
    with pytest.raises(ConfigError, match="correct or withdraw one of these"):
        give(verdicts, different(one, four))


@pytest.mark.parametrize(
    ("decision", "label", "labels"),
    [
        ("same", None, [True]),
        ("different", None, [False]),
        ("related", None, [False]),
        ("same", True, [True]),
        ("related", False, [False]),
        ("different", True, 'labels.csv: .* have another label, but anna decided "different"; correct'),
        ("same", False, r"withdraw the verdict: bibld review \S+bibld.toml --withdraw \w+:"),
    ],
)
def test_a_verdict_is_a_label_and_may_not_contradict_one(opened, records, decision, label, labels):
    loaded, catalog, verdicts = opened
    pair = Pair.from_records(*records[:2])
    give(verdicts, PersonVerdict(pair, decision, "anna"))
    of_file = [] if label is None else [LabelledPair(pair, label, "", 2.0)]
    if isinstance(labels, str):
        with pytest.raises(ConfigError, match=labels):
            add_verdicts(of_file, catalog, "labels.csv", loaded.file)
    else:
        found = add_verdicts(of_file, catalog, "labels.csv", loaded.file)
        assert [one.is_duplicate for one in found] == labels
        assert found[: len(of_file)] == of_file, "the weight is that of the file"


def test_an_earlier_verdict_about_the_same_pair_does_not_contradict(opened, records):
    _, _, verdicts = opened
    give(verdicts, same(*records[:2]))
    give(verdicts, different(*records[:2]))
    assert [one.decision for one in verdicts.current()] == ["different"]
    review.withdraw_verdict(verdicts, Pair.from_records(*records[:2]))
    assert [one.decision for one in verdicts.current()] == ["same"]
    review.withdraw_verdict(verdicts, Pair.from_records(*records[:2]))
    with pytest.raises(ConfigError, match="no verdict of a person"):
        review.withdraw_verdict(verdicts, Pair.from_records(*records[:2]))


def test_an_old_contradiction_does_not_prevent_other_verdicts(opened, records):
    _, _, verdicts = opened
    one, two, three, four, five = records[:5]
    with verdicts.transaction():  # as two people may give who write at once
        verdicts.add([same(one, two), same(two, three), different(one, three)], NOW)
    assert len(give(verdicts, same(four, five))) == 1
    with pytest.raises(ConfigError):
        give(verdicts, same(three, one), different(two, three), same(one, two))


# -- out of a cluster, and into one ------------------------------------------------------------------------------------


def run(loaded):
    pipeline.run(loaded, CLOCK, progress.Silent(), until="dedup")


def joined(loaded, catalog, verdicts, records):
    """Make one cluster of four records."""
    four = sorted(records[:4], key=catalog.register.ordinal)
    give(verdicts, *(same(four[0], other) for other in four[1:]))
    assert review.preview_clusters(catalog, loaded, four) == [tuple(four)]
    run(loaded)
    assert catalog.cluster_of(four[0]).members == tuple(four)
    return four


def test_a_record_can_be_split_off_and_joined_again(opened, records):
    loaded, catalog, verdicts = opened
    one, two = next(members for members in clusters(catalog) if len(members) == 2)
    before = clusters(catalog)
    split = review.split_verdicts(catalog, [two], "anna", "another printing")
    assert split == [different(one, two, reason="split: another printing")]
    give(verdicts, *split)
    assert review.preview_clusters(catalog, loaded, [two]) == [(one,), (two,)]
    run(loaded)
    assert catalog.cluster_of(one).members == (one,)
    assert review.split_verdicts(catalog, [], "anna") == []
    assert len(review.withdraw_split_verdicts(verdicts, [one])) == 1
    assert review.withdraw_split_verdicts(verdicts, [one]) == []
    run(loaded)
    assert clusters(catalog) == before


def test_records_that_are_split_off_at_once_form_one_cluster(opened, records):
    loaded, catalog, verdicts = opened
    one, two, three, four = joined(loaded, catalog, verdicts, records)
    give(verdicts, same(three, four))
    give(verdicts, *review.split_verdicts(catalog, [three, four], "anna"))
    pairs = {one_.pair for one_ in verdicts.current() if one_.decision == "different"}
    assert pairs == {Pair.from_records(left, right) for left in (one, two) for right in (three, four)}
    expected = review.preview_clusters(catalog, loaded, [three])
    assert expected == [(one, two), (three, four)]
    run(loaded)
    assert [catalog.cluster_of(record).members for record in (one, three)] == expected
    assert len(review.withdraw_split_verdicts(verdicts, [three, four])) == 4
    run(loaded)
    assert catalog.cluster_of(one).members == (one, two, three, four), "the verdict before is in force again"


def test_all_records_that_cannot_be_split_off_are_reported_at_once(opened, records):
    _, catalog, _ = opened
    pair = clusters(catalog)[0]
    with pytest.raises(ConfigError) as caught:
        review.split_verdicts(catalog, [records[0], *pair], "anna")
    assert len(caught.value.faults) == 2
    assert "nothing to split it from" in caught.value.faults[0]
    assert "are their whole cluster" in caught.value.faults[1]


def test_expected_clusters_respect_the_verdicts_of_people(opened, records):
    loaded, catalog, verdicts = opened
    (one, two), (three, four) = clusters(catalog)[:2]
    give(verdicts, different(one, three))
    give(verdicts, same(two, three))
    expected = review.preview_clusters(catalog, loaded, [two, three])
    run(loaded)
    assert expected == sorted(
        {catalog.cluster_of(record).members for record in (one, two, three, four)},
        key=lambda members: catalog.register.ordinal(members[0]),
    )
    assert not any(one in members and three in members for members in expected)


# -- spreadsheets ----------------------------------------------------------------------------------------------------


def written(folder, text, encoding="utf-8", name="x.csv"):
    file = folder / name
    file.write_bytes(text.encode(encoding))
    return file


def faults(file, catalog):
    with pytest.raises(ConfigError) as caught:
        read_verdicts(file, catalog, "anna")
    return caught.value.faults


ENGLISH = sentences_in("en")


def read(file, catalog):
    return [one.verdict for one in read_verdicts(file, catalog, "anna")]


def test_pairs_exported_for_russian_people_are_read_back_as_their_excel_saves_them(opened, tmp_path):
    loaded, catalog, _ = opened
    asked = [review.load_question(catalog, loaded, pair) for pair in review.undecided_pairs(catalog, loaded)]
    text = "".join(questions_csv(asked, sentences_in("ru")))
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=";"))
    answers = ("одна", "Разные", "связанные")
    for row, answer in zip(rows, answers, strict=False):
        row |= {"решение": answer, "причина": "видела; сверено", "отношение": "перевод" * (answer == "связанные")}
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0], delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    (tmp_path / "x.csv").write_bytes(out.getvalue().encode("cp1251", "replace"))
    found = read(tmp_path / "x.csv", catalog)
    assert [one.pair for one in found] == [one.pair for one in asked[:3]]
    assert [(one.decision, one.relation) for one in found] == [
        ("same", ""),
        ("different", ""),
        ("related", "translation"),
    ]
    assert {one.reason for one in found} == {"видела; сверено"}


def test_exported_pairs_can_be_read_with_their_verdicts(opened, tmp_path):
    loaded, catalog, _ = opened
    asked = [review.load_question(catalog, loaded, pair) for pair in review.undecided_pairs(catalog, loaded)]
    text = "".join(questions_csv(asked, ENGLISH))
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [Pair(RecordId.parse(row["left"]), RecordId.parse(row["right"])) for row in rows] == [
        one.pair for one in asked
    ]
    assert {"because", "would decide"} < rows[0].keys()
    assert read(written(tmp_path, text), catalog) == [], "no verdict is written yet"
    labels = ("same", "0", "related")
    for row, label in zip(rows, labels, strict=False):
        row |= {"label": label, "reason": f"saw, it; {label}"}
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0], delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        found = read(written(tmp_path, out.getvalue(), encoding), catalog)
        assert [one.pair for one in found] == [one.pair for one in asked[:3]]
        assert [one.decision for one in found] == ["same", "different", "related"]
        assert [one.reason for one in found] == [f"saw, it; {label}" for label in labels]
        assert found[2].relation == asked[2].relation


def test_no_exported_cell_is_a_formula():
    cells = (("=", "=1+1", "=1+1"), ("+", "+cmd", "x"), ("@", "@x", "@x"))
    asked = review.Question(
        left="rsl:1",
        right="nlr:2",
        score=0.5,
        by="model",
        reasons=("-1",),
        relation="",
        compared=tuple(
            ComparedValue.from_texts(name, left, right)
            for name, (_, left, right) in zip(("title", "names", "imprint"), cells, strict=True)
        ),
    )
    rows = list(csv.reader(io.StringIO("".join(questions_csv([asked], ENGLISH)).removeprefix("\ufeff"))))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in rows[1])
    assert "'=1+1" in rows[1] and "≠ +cmd | x" in rows[1]


def test_every_label_gives_its_decision(opened, records, tmp_path):
    _, catalog, _ = opened
    for label, decision in LABELS.items():
        text = f"a,b,LABEL,extra\n\n{records[0]},{records[1]}, {label.upper()} ,x\n"
        (one,) = read(written(tmp_path, text), catalog)
        assert (one.decision, one.person, one.reason) == (decision, "anna", "")


def test_a_row_may_name_person_reason_and_relation(opened, records, tmp_path):
    _, catalog, _ = opened
    text = (
        "left\tright\tlabel\trelation\treason\tperson\n"
        f'{records[1]}\t{records[0].control_number}\trelated\tpart_of\t"vol. 2\nof 3"\tboris\n'
    )
    (one,) = read(written(tmp_path, text), catalog)
    assert one == PersonVerdict(Pair.from_records(*records[:2]), "related", "boris", "vol. 2 of 3", "part_of")


def test_all_faults_are_reported_with_their_lines(opened, records, tmp_path):
    _, catalog, _ = opened
    one, two, three = records[:3]
    text = f"""left,right,label,relation,reason,person
{one},{two},1,,,
{one},nobody:5,1,,,
{one},{one},0,,,
{two},{three},perhaps,,,
{two},{three},same,part_of,,
{two},{three},related,cousin,,
{two},{one},0,,,
{two},{three},,,"because
of this",
{two},{three},1,,why,anna,more
{two},{three},1,,,{"x" * 200}
{two},{three},1,,a\x00b,
{two}
,,,,,
{two},{three},1,,"open
"""
    found = faults(written(tmp_path, text), catalog)
    assert [fault.partition(": ")[0] for fault in found] == [
        f"x.csv line {line}" for line in (3, 4, 5, 6, 7, 9, 11, 12, 13, 16, 8)
    ]
    for fault, words in zip(
        found,
        (
            "record 'nobody:5' not found",
            "two different records",
            "'perhaps' is none of 1, duplicate",
            "a relation goes with the label related",
            "'cousin' is none of same_set",
            "no label",
            "more cells than the header",
            "a person's name",
            "control characters",
            "what follows was not read",
            "in x.csv line 2",
        ),
        strict=True,
    ):
        assert words in fault


def test_a_truncated_row_gives_no_verdict(opened, records, tmp_path):
    _, catalog, _ = opened
    assert read(written(tmp_path, f"left,right,label\n{records[0]}\n"), catalog) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("left,right\n", "needs two columns of record ids"),
        ("label,left,right\n", "needs two columns of record ids"),
        ("left,right,label,label\n", "has label twice"),
        ("left right label\n", "needs two columns"),
    ],
)
def test_a_file_without_a_proper_header_is_refused(opened, tmp_path, text, words):
    (fault,) = faults(written(tmp_path, text), opened[1])
    assert words in fault


def test_a_file_that_is_not_text_is_refused(opened, tmp_path):
    _, catalog, _ = opened
    assert "x.csv line 2: is not UTF-8" in faults(written(tmp_path, "a,b,label\nш,ш,1\n", "cp1251"), catalog)[0]
    assert "not found" in faults(tmp_path / "nowhere.csv", catalog)[0]
    assert "cannot be read" in faults(tmp_path, catalog)[0]
    long = "a,b,label\n" + "x" * 200_000 + ",b,1\n"
    assert "x.csv line 2" in faults(written(tmp_path, long), catalog)[0]


cells = st.sampled_from(
    ["left", "label", "person", "relation", "rsl:01004039769", "rsl:01002003420", "1", "related", '"']
)
ends = st.sampled_from([",", ";", "\n", "\r\n", "\r", "\x00", "\t"])


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=60), st.lists(st.one_of(cells, ends)).map(lambda some: "".join(some).encode())))
@example(b"left,right,label\nrsl:01004039769,rsl:01002003420,1")
def test_any_bytes_are_verdicts_or_refused(opened, tmp_path, data):
    file = tmp_path / "any.csv"
    file.write_bytes(data)
    try:
        assert all(isinstance(one, PersonVerdict) for one in read(file, opened[1]))
    except ConfigError as error:
        assert all(fault.startswith("any.csv") for fault in error.faults)


def test_two_people_may_give_the_same_verdict_in_one_file(opened, records, tmp_path):
    _, catalog, verdicts = opened
    one, two = records[:2]
    text = f"a,b,label,person\n{one},{two},1,anna\n{two},{one},same,boris\n"
    give(verdicts, *read(written(tmp_path, text), catalog))
    assert [given.person for given in verdicts.current()] == ["boris"]
