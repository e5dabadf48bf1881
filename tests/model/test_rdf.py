"""Lines of N-Quads: the order that those who split them by graph need."""

from bibld.model.rdf import replace_entities, split_graphs


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
