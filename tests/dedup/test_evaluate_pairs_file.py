"""The pairs file, as people and their spreadsheets write it."""

import pytest

from bibld import config
from bibld.catalog import Catalog
from bibld.dedup.pair_files import read_pairs
from bibld.errors import ConfigError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

ONE, OTHER, THIRD = r"rsl:01004039769", r"nlr:RU\NLR\bibl\538692", "slavica:ocm00035782"
PAIR = Pair.from_records(RecordId.parse(ONE), RecordId.parse(OTHER))


@pytest.fixture
def read(sample, tmp_path):
    """Read a pairs file with this content."""

    def read(content):
        file = tmp_path / "pairs.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with Catalog(config.load(sample).workspace, read_only=True) as catalog:
            return read_pairs(file, catalog)

    return read


@pytest.fixture
def faults(read):
    """What is wrong with a pairs file."""

    def faults(content):
        with pytest.raises(ConfigError) as caught:
            read(content)
        return caught.value.faults

    return faults


@pytest.mark.parametrize(
    "content",
    [
        f"left,right,label\n{ONE},{OTHER},1\n",
        f"\ufeffleft,right,label\n{ONE},{OTHER},1\n",
        f"\ufeff{ONE},{OTHER},1\n",
        f"left,right,label\r\n{ONE},{OTHER},1\r\n",
        f"\n\nleft,right,label\n\n{ONE},{OTHER},1\n,,\n",
        f"left;right;label\n{ONE};{OTHER};1\n",
        f"left\tright\tlabel\n{ONE}\t{OTHER}\t1\n",
        f'"left","right","label"\n"{ONE}"," {OTHER} "," 1 "\n',
        f"Record A,Record B, LABEL ,kind,remark\n{OTHER},{ONE},Duplicate,,seen\n",
        f"left,right\n{ONE},{OTHER}\n",
        f"rsl,nlr\n{ONE},{OTHER.removeprefix('nlr:')}\n",
        f"one,another,note\n{ONE},{OTHER},seen,and,more\n",
        f"id,id,label\n{ONE},{OTHER},TRUE\n",
        f"{ONE},{OTHER}\n",
        f"{ONE},{OTHER},1\n",
        "left,right\n01004039769,RU\\NLR\\bibl\\538692\n",
    ],
)
def test_one_true_pair_can_be_written_in_many_forms(read, content):
    (found,) = read(content)
    assert (found.pair, found.is_duplicate, found.kind) == (PAIR, True, "")


def test_a_repeated_pair_counts_once_in_either_order(read):
    found = read(
        f"left,right,label,kind\n{ONE},{OTHER},1,first\n{OTHER},{ONE},1,again\n{ONE},{THIRD},0,\n{ONE},{OTHER},1,\n"
    )
    assert [(item.is_duplicate, item.kind) for item in found] == [(True, "first"), (False, "")]


def test_the_verdicts_of_people_are_labels(read):
    found = read(
        f"left,right,label,reason\n{ONE},{OTHER},same,\n{ONE},{THIRD},related,a part\n{OTHER},{THIRD},different,\n"
    )
    assert [item.is_duplicate for item in found] == [True, False, False]


def test_a_contradiction_names_both_lines(faults):
    (fault,) = faults(f"left,right,label\n{ONE},{OTHER},1\n\n{OTHER},{ONE},0\n")
    assert fault.startswith("pairs.csv line 4: ")
    assert fault.endswith("have the other label in line 2")
    assert ONE in fault and OTHER in fault


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "pairs.csv: is empty; it needs a header, such as left,right,label, and a pair a line"),
        (" \n\n", "pairs.csv: is empty; it needs a header, such as left,right,label, and a pair a line"),
        ("left,right,label\n", "pairs.csv: has a header, but no pairs"),
        ("left right\n", "pairs.csv: needs a header and at least two columns of record ids"),
        (
            f"label,left,right\n1,{ONE},{OTHER}\n",
            "pairs.csv: the first two columns must be record ids, not label and left",
        ),
        (
            f"left,right,match\n{ONE},{OTHER},1\n{ONE},{THIRD},0\n",
            'pairs.csv: there is no column "label"; is it the one called "match"? Rename it',
        ),
        (
            f"left,right,label\n{ONE},{OTHER},perhaps\n",
            'pairs.csv line 2: the label "perhaps" is not one of 1, duplicate, true, same, 0, not_duplicate, false, '
            "different, related",
        ),
        (
            f"left,right,label\n{ONE},{OTHER}\n",
            "pairs.csv line 2: there is no label; it must be one of 1, duplicate, true, same, 0, not_duplicate, false, "
            "different, related",
        ),
        (f"left,right,label\n{ONE},,1\n", "pairs.csv line 2: needs two record ids"),
        (f"left,right\n{ONE}\n", "pairs.csv line 2: needs two record ids"),
        (
            f"left,right\n{ONE},01004039769\n",
            f"pairs.csv line 2: a pair needs two different records, but {ONE} is named twice",
        ),
        (
            f'left,right\n"rsl:0,1",{OTHER}\n',
            'pairs.csv line 2: record "rsl:0,1" not found in the catalog; was it loaded?',
        ),
        (
            f"left,right\nrsl:0,1,{OTHER}\n",
            'pairs.csv line 2: record "rsl:0" not found in the catalog; was it loaded? '
            "(the line has more cells than the first one; an id with a comma needs quotes)",
        ),
        (
            "left,right\nRU\\NO,rsl:\x00\n",
            'pairs.csv line 2: record "RU\\NO" not found in the catalog; was it loaded?',
        ),
        (
            f"rsl:0,{OTHER},1\n",
            'pairs.csv line 1: record "rsl:0" not found in the catalog; was it loaded?',
        ),
        (
            f'left,right\n{ONE},{OTHER}\n"{ONE},{THIRD}\n',
            "pairs.csv line 3: the row is not CSV: unexpected end of data; what follows was not read",
        ),
    ],
)
def test_unusable_content_is_reported(faults, content, fault):
    assert faults(content) == (fault,)


def test_the_first_twenty_faults_are_reported_at_once_with_their_lines(faults):
    reported = faults(
        f"left,right\n{ONE},rsl:no\n{ONE},{OTHER}\n" + "".join(f"rsl:no{number},{ONE}\n" for number in range(40))
    )
    assert reported[0].startswith('pairs.csv line 2: record "rsl:no" not found ')
    assert reported[1].startswith('pairs.csv line 4: record "rsl:no0" not found ')
    assert len(reported) == 21
    assert reported[-1] == "pairs.csv: 21 more lines cannot be used"


def test_a_row_of_more_than_one_line_is_reported_with_its_first(faults):
    assert faults(f'left,right,why\n{ONE},{OTHER},"two\nlines"\nrsl:no,{OTHER},"two\nlines"\n')[0].startswith(
        "pairs.csv line 4: "
    )


def test_an_ambiguous_control_number_is_refused_with_the_ids(read, faults, sample):
    with Catalog(config.load(sample).workspace) as catalog, catalog.commit():
        catalog.register._connection.execute(
            "INSERT INTO ordinal (source, control_number) VALUES ('slavica', '01004039769')"
        )
        deleted = catalog.register.ordinal(RecordId("slavica", "01004039769"))
        live = catalog.register.ordinal(RecordId.parse(THIRD))
    content = f"left,right\n01004039769,{OTHER}\n"
    by_source = f"Slavica,right\n01004039769,{OTHER}\n"
    assert read(content)[0].pair == PAIR, "a record that is not live is not found"
    with Catalog(config.load(sample).workspace) as catalog, catalog.commit():
        catalog.records._connection.execute("UPDATE record SET ordinal = ? WHERE ordinal = ?", (deleted, live))
    (found,) = read(by_source)
    assert RecordId("slavica", "01004039769") in (found.pair.left, found.pair.right)
    (fault,) = faults(content)
    assert fault == (
        'pairs.csv line 2: "01004039769" is the control number of 2 records; '
        "write one of rsl:01004039769, slavica:01004039769"
    )


def test_a_file_in_another_charset_or_no_file_is_reported(faults, sample, tmp_path):
    (fault,) = faults(b"left,right\nrsl:\xff,nlr:1\n")
    assert "is not UTF-8; save the file as UTF-8" in fault
    with (
        Catalog(config.load(sample).workspace, read_only=True) as catalog,
        pytest.raises(ConfigError, match="not found"),
    ):
        read_pairs(tmp_path / "none.csv", catalog)
