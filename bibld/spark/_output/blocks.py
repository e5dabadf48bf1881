"""All quads of a run in blocks of lines: one of each cluster and entity, of the links, and of the sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

import msgspec
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from bibld.model.rdf import replace_objects
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._stream import rows_of

TABLES = ("statements", "entities", "links", "link_sets")
"""The tables that contain all quads but those about the sources."""


class Owner(IntEnum):
    """What owns a block, in the order of the dumps."""

    CLUSTER = 0
    ENTITY = 1
    LINK = 2
    LINK_SET = 3
    SOURCES = 4
    DESCRIPTION = 5
    """Lines that only documents have: about the dataset, and about withdrawn records."""


class Block(msgspec.Struct, frozen=True, gc=False):
    """The quads of one owner, those of the default graph first.

    ``owner`` is what it is, ``number`` the founder of a cluster (else 0), ``name`` an IRI or another text (else empty).
    """

    owner: int
    number: int
    name: str
    quads: bytes
    moved: str | None

    @property
    def lines(self) -> bytes:
        """The quads as they are published: they point to the founders of entities."""
        return replace_objects(self.quads, msgspec.json.decode(self.moved)) if self.moved else self.quads


KEY = ("owner", "number", "name")
"""The columns that name the owner of a block; the dumps are sorted by them."""


def blocks_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
    """Yield the blocks in batches of Arrow."""
    return rows_of(batches, Block)


def all_blocks(
    engine: Engine, source_statements: Iterable[str], versions: Mapping[str, str] | None = None
) -> DataFrame:
    """Return the blocks of this run, or those of certain versions of the tables.

    ``source_statements`` are the lines about the sources, which are in no table.
    """

    def read(name: str) -> DataFrame:
        return engine.tables.read(name) if versions is None else engine.tables.stored(name, versions[name])

    clusters = read("statements").select(
        _owner(Owner.CLUSTER), sql.col("founder").alias("number"), _text("").alias("name"), "quads", "moved"
    )
    entities = (
        read("entities")
        .where(sql.col("quads").isNotNull())
        .select(_owner(Owner.ENTITY), _no_number(), sql.col("iri").alias("name"), "quads", "moved")
    )
    key = sql.concat_ws(" ", "entity", "link_set", "target")
    links = (
        read("links")
        .where("quad <> ''")
        .select(
            _owner(Owner.LINK),
            _no_number(),
            key.alias("name"),
            sql.concat("quad", _text("\n")).cast("binary").alias("quads"),
            _text(None).alias("moved"),
        )
    )
    sets = read("link_sets").select(
        _owner(Owner.LINK_SET),
        _no_number(),
        "name",
        sql.col("quads").cast("binary").alias("quads"),
        _text(None).alias("moved"),
    )
    sources = block_of_lines(engine, Owner.SOURCES, source_statements)
    return clusters.unionByName(entities).unionByName(links).unionByName(sets).unionByName(sources)


def block_of_lines(engine: Engine, owner: Owner, lines: Iterable[str]) -> DataFrame:
    """Return one block of lines that are in no table."""
    row = Block(int(owner), 0, "", "".join(lines).encode(), None)
    columns = "owner long, number long, name string, quads binary, moved string"
    return small_frame(engine.spark, [msgspec.structs.astuple(row)], columns)


def _owner(owner: Owner) -> Column:
    return sql.lit(int(owner)).cast("long").alias("owner")


def _no_number() -> Column:
    return sql.lit(0).cast("long").alias("number")


def _text(text: str | None) -> Column:
    return sql.lit(text).cast("string")
