"""The results of the example queries on the sample, as CSV files in ``ontology/queries``.

``python -m tests.ontology.query_results`` runs the sample and writes them again. Read the difference before you commit
it: each changed row is a change of the published data.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pyoxigraph as ox

from bibld import Workspace, config, pipeline
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.serve import ontology as resources
from bibld.serve.ontology import ExampleQuery, example_queries

RUN_TIME = datetime(2026, 1, 1, tzinfo=UTC)


def result_file(example: ExampleQuery) -> Path:
    """Return the file with the expected result of a query."""
    return resources.folder("ontology") / "queries" / f"{example.name}.csv"


def result(store: ox.Store, sparql: str) -> list[str]:
    """Return the result of a query as lines of CSV; the first names the variables, the others are sorted."""
    found = store.query(sparql, use_default_graph_as_union=True)
    assert isinstance(found, ox.QuerySolutions)
    header, *rows = found.serialize(format=ox.QueryResultsFormat.CSV).decode().split("\r\n")
    return [header, *sorted(row for row in rows if row)]


def values_query(example: ExampleQuery, among: int = 10_000) -> str:
    """Return the query for the values of the variable and their frequency, from the first solutions of ``values``."""
    prefixes = "\n".join(line for line in example.sparql.splitlines() if line.startswith("PREFIX "))
    chosen = f"{{ SELECT {example.variable} {example.values} LIMIT {among} }}"
    return (
        f"{prefixes}\nSELECT {example.variable} (COUNT(*) AS ?frequency) {chosen}"
        f" GROUP BY {example.variable} ORDER BY DESC(?frequency) {example.variable}"
    )


def with_value(example: ExampleQuery, term: str) -> str:
    """Return the query with another value (a term in N-Triples) to start from."""
    pattern = re.compile(rf"VALUES {re.escape(example.variable)} {{[^{{}}]*}}")
    return pattern.sub(lambda found: f"VALUES {example.variable} {{ {term} }}", example.sparql)


def open_release(sample: Config) -> ox.Store:
    """Return the store of the current release."""
    release, _ = pipeline.current_release(sample)
    return ox.Store.read_only(str(release / "store"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(resources.folder("sample_data"), Path(folder) / "sample")
        file = Path(folder) / "sample" / "bibld.toml"
        Workspace(file).run(at=RUN_TIME)
        sample = config.load(file)
        store = open_release(sample)
        for old in (resources.folder("ontology") / "queries").glob("*.csv"):
            old.unlink()
        for example in example_queries(Iris(sample.dataset.base)):
            lines = result(store, example.sparql)
            result_file(example).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
            print(f"{example.name}: {len(lines) - 1} rows")


if __name__ == "__main__":
    main()
