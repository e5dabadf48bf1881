"""Count the quads of a record: in all, by what they describe, by graph, and by predicate; and entities with links.

`python benchmarks/quads.py` makes a workspace of the sample, of 5,000 synthetic records and, with `BIBLD_TEST_DATA`, of
the real files, and counts the quads of each. `python benchmarks/quads.py CONFIG ...` counts those of existing
workspaces instead; they are made again in memory from the merged descriptions. `--predicates 40` also lists the
predicates that cost most. Links are those to authority files; an entity has a number if it has a link or a number whose
file has no IRIs.
"""

import argparse
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from _measure import real_config, run, run_sample, source_table, write_config
from _synthetic.catalogue import Catalogue
from _synthetic.marc import write_marc

import bibld
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.model.rdf import PREFIXES, graph_of, term
from bibld.triplify import to_quads

SYNTHETIC_RECORDS = 5_000
TYPE, IDENTIFIED_BY = term("rdf:type"), term("bf:identifiedBy")
CLASSES = {
    "bf:Person": "persons",
    "bf:Organization": "organisations",
    "bf:Meeting": "meetings",
    "bf:Place": "places",
    "skos:Concept": "concepts",
}
"""Class of entities whose links are counted → its name."""
ENTRIES_IN_DEFAULT_GRAPH, ENTRIES_IN_NAMED_GRAPH = 3, 6
"""The index entries that Oxigraph stores for a quad."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", type=Path, metavar="CONFIG")
    parser.add_argument("--predicates", type=int, default=0, metavar="N", help="list the N predicates that cost most")
    asked = parser.parse_args()
    for file in asked.configs:
        describe(str(file), bibld.Workspace(file).config, asked.predicates)
    if asked.configs:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, config in workspaces(Path(folder)):
            describe(name, config, asked.predicates)


def workspaces(folder: Path) -> Iterator[tuple[str, Config]]:
    """Make workspaces with merged descriptions; yield a name for each, and its configuration."""
    yield "sample", run_sample(folder / "sample", "merge")
    synthetic = folder / "synthetic"
    synthetic.mkdir()
    files = [path for path, _ in write_marc(Catalogue(SYNTHETIC_RECORDS, 1), synthetic / "library")]
    tables = "".join(source_table(name, path) for name, path in zip("ab", files, strict=True))
    yield "synthetic", run(write_config(synthetic, tables), "merge")
    if "BIBLD_TEST_DATA" in os.environ:
        real = folder / "real"
        real.mkdir()
        yield "real files", run(real_config(Path(os.environ["BIBLD_TEST_DATA"]), real), "merge")


def describe(name: str, config: Config, predicates: int) -> None:
    """Print the figures of a workspace whose records are merged."""
    iris = Iris(config.dataset.base)
    groups: Counter[str] = Counter()
    graphs: Counter[str] = Counter()
    by_predicate: Counter[tuple[str, str, str]] = Counter()
    entities: dict[str, set[str]] = defaultdict(set)
    linked: set[str] = set()
    numbered: set[str] = set()
    total = size = 0
    with Catalog(config.workspace, read_only=True) as catalog:
        founders = list(catalog.linkage.founders())
        records = sum(len(catalog.linkage.members(founder)) for founder in founders)
        edges = (
            edge
            for founder in founders
            if len(members := catalog.linkage.members(founder)) > 1
            for edge in catalog.linkage.edges_among(members)
        )
        descriptions = (catalog.descriptions.merged(founder) for founder in founders)
        for line in to_quads(descriptions, iris, edges, config.triplify):
            subject, predicate, value = line.split(" ", 2)
            graph = (graph_of(line) or "").strip("<>").removeprefix(iris.base)
            group = subject[1:].removeprefix(iris.base).partition("/")[0]
            if not subject.startswith(f"<{iris.base}"):
                group = "external scheme"
            elif "#" in subject:
                group += " values" if "#value-" in subject else " nodes"
            total += 1
            size += len(line.encode())
            groups[group] += 1
            if graph.startswith("graph/links-"):
                linked.add(subject)
            elif predicate == IDENTIFIED_BY:
                numbered.add(subject)
            elif predicate == TYPE and (kind := CLASSES.get(shorten(value.split(" ")[0], iris))):
                entities[f"{kind} of {subject.split('/')[-2]}" if kind == "concepts" else kind].add(subject)
            graphs[graph] += 1
            if predicates:
                by_predicate[group, graph, shorten(predicate, iris)] += 1
    default = graphs[""]
    entries = default * ENTRIES_IN_DEFAULT_GRAPH + (total - default) * ENTRIES_IN_NAMED_GRAPH
    print(
        f"{name}: {records:,} records, {len(founders):,} publications, {total:,} quads:"
        f" {total / records:.1f} a record, {entries / records:.1f} index entries, {size / records:,.0f} bytes"
    )
    for title, counts in (("subjects", groups), ("graphs", graphs)):
        shown = (f"{key or 'default'} {count / records:.2f}" for key, count in counts.most_common(14))
        print(f"  {title}: {', '.join(shown)}")
    for kind, found in sorted(entities.items(), key=lambda entry: -len(entry[1]))[:14]:
        with_link, with_number = len(found & linked), len(found & (linked | numbered))
        of_numbered = f", {with_link / with_number:.1%} of those with a number" if with_number else ""
        print(f"  {len(found):,} {kind}: {with_link / len(found):.1%} with a link{of_numbered}")
    for (group, graph, predicate), count in by_predicate.most_common(predicates):
        print(f"  {count / records:7.3f}  {group:18} {predicate:32} {graph}")


@cache
def shorten(predicate: str, iris: Iris) -> str:
    """Return a predicate as a compact IRI."""
    text = predicate.strip("<>")
    for prefix, namespace in (*PREFIXES.items(), ("bibld", iris.term(""))):
        if text.startswith(namespace):
            return f"{prefix}:{text.removeprefix(namespace)}"
    return text


if __name__ == "__main__":
    main()
