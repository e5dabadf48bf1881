"""Keep the links to authority files that one machine has found.

Linking looks entities up in indexes on the disk of one machine, so it is done there. A run on Spark keeps the links of
the entities that exist as they were, and removes the others.
"""

from __future__ import annotations

import shlex

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import RegisteredFile
from bibld.link import describe_link_sets
from bibld.progress import with_number
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame


def keep_links(engine: Engine) -> int:
    """Remove the links of entities that no longer have a description, and describe the link sets again.

    Reports how many entities are new, and so without links. Returns the number of links that were removed.
    """
    tables = engine.tables
    is_linked = tables.rows("links") or tables.rows("authority_files")
    if not is_linked or tables.changed().keys().isdisjoint(("links", "entities")):
        return 0
    with engine.job("triplify: links"):
        described = tables.read("entities").where("iri = founder and quads is not null").select(
            sql.col("iri").alias("entity")
        )  # fmt: skip
        removed = tables.read("links").join(described, "entity", "left_anti").count()
        if removed:
            made_by = tables.made_by(inputs=("links", "entities"))
            kept = tables.read("links").join(described, "entity", "left_semi")
            tables.write("links", made_by, kept, sort=("entity",))
            tables.write("link_sets", tables.made_by(inputs=("links", "authority_files")), _link_sets(engine))
        before = tables.before("entities").select(sql.col("iri").alias("entity"))
        new = described.join(before, "entity", "left_anti").count()
    if new and tables.rows("authority_files"):
        file = shlex.quote(str(engine.config.file))
        engine.progress.report(
            f"triplify: {with_number(new, 'new entity', 'new entities')} without links to authority files; to link, run"
            f" `bibld workspace convert {file} --to local`, then `bibld run {file} --engine local`"
        )
    return removed


def _link_sets(engine: Engine) -> DataFrame:
    links = engine.tables.read("links")
    counts = links.groupBy("link_set", "predicate", "status").count().collect()
    known = {
        row["name"]: msgspec.convert(row.asDict(), RegisteredFile)
        for row in engine.tables.read("authority_files").collect()
    }
    files: dict[str, list[RegisteredFile]] = {}
    accepted = links.where("status = 'accepted'").select("link_set", "file").distinct()
    for name, file in sorted(map(tuple, accepted.collect())):
        if file in known:
            files.setdefault(name, []).append(known[file])
    found = describe_link_sets(sorted(map(tuple, counts)), files, engine.iris)
    return small_frame(engine.spark, sorted(found.items()), "name string, quads string")
