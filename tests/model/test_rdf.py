"""Lines of N-Quads: the order that those who split them by graph need."""

import pytest

from bibld.model.rdf import line_in_default_graph, move_to_default_graph, replace_entities, split_graphs

PROVENANCE, LINKS = b"<https://e.org/graph/provenance>", b"<https://e.org/graph/links-viaf>"
PLAIN, NAMED, LINK = b'<s> <p> "a" .\n', b'<s> <q> "b" %s .\n' % PROVENANCE, b"<s> <r> <o> %s .\n" % LINKS


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ([PLAIN, NAMED], [PLAIN, b'<s> <q> "b" .\n']),
        ([PLAIN, LINK, NAMED], [PLAIN, b'<s> <q> "b" .\n', LINK]),
        ([PLAIN, NAMED, NAMED, LINK], [PLAIN, b'<s> <q> "b" .\n', b'<s> <q> "b" .\n', LINK]),
        ([NAMED, LINK, NAMED], [b'<s> <q> "b" .\n', b'<s> <q> "b" .\n', LINK]),
        ([PLAIN, LINK], [PLAIN, LINK]),
        ([b"<s> <p> %s .\n" % PROVENANCE], [b"<s> <p> %s .\n" % PROVENANCE]),
        ([b'<s> <p> "b %s ." .\n' % PROVENANCE], [b'<s> <p> "b %s ." .\n' % PROVENANCE]),
        ([], []),
    ],
)
def test_the_lines_of_one_graph_are_moved_to_the_default_graph_and_no_others(block, expected):
    assert move_to_default_graph(b"".join(block), PROVENANCE) == b"".join(expected)
    assert move_to_default_graph(b"".join(block), b"") == b"".join(block)


def test_a_line_of_one_graph_is_moved_to_the_default_graph():
    lines = [line.rstrip(b"\n") for line in (PLAIN, NAMED, LINK)]
    assert [line_in_default_graph(line, PROVENANCE) for line in lines] == [lines[0], b'<s> <q> "b" .', lines[2]]
    assert [line_in_default_graph(line, b"") for line in lines] == lines


def test_the_lines_of_each_graph_stay_together_where_an_entity_is_replaced():
    book, node, old = (
        "<https://e.org/resource/a/1>",
        "<https://e.org/resource/a/1#agent/old>",
        "https://e.org/agent/old",
    )
    agent, label, sources = "<https://e.org/p/agent>", "<https://e.org/p/label>", "<https://e.org/graph/provenance>"
    before = [
        f"{book} {agent} <{old}> .\n",
        f'{node} {label} "Old" .\n',
        f'{book} {label} "<a> \\"Book\\" ." {sources} .\n',
        f'{node} {label} "Node" {sources} .\n',
    ]
    after = replace_entities("".join(before).encode(), {old: "https://e.org/agent/new"})
    assert after.decode() == "".join(before).replace("agent/old", "agent/new")
    assert split_graphs(after)[0].count(b"\n") == 2
