"""Loading quads: the embedded store against rdflib, on the dump of the sample in the same run."""

import gzip
import shutil
import tempfile
from pathlib import Path

import rdflib
from _measure import run_sample, seconds

from bibld import pipeline
from bibld.store.oxigraph import Settings, open_store


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        loaded = run_sample(place / "sample")
        release, _ = pipeline.current_release(loaded)
        text = gzip.decompress((release / "bibld.nq.gz").read_bytes())
        lines = text.splitlines(keepends=True)

        def ours() -> None:
            shutil.rmtree(place / "store", ignore_errors=True)
            store = open_store(place / "store", Settings())
            store.load(lines)
            store.close()

        def theirs() -> None:
            rdflib.Dataset().parse(data=text, format="nquads")

        mine, baseline = seconds(ours), seconds(theirs, times=1)
        print(
            f"{len(lines)} quads: {len(lines) / mine:,.0f} a second on disk; "
            f"rdflib {len(lines) / baseline:,.0f} a second in memory; {baseline / mine:.1f} times as fast"
        )


if __name__ == "__main__":
    main()
