"""From conversions to records: which version of each record is in force, what was deleted, and the counts of a load."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as sql

from bibld import harvest, ingest
from bibld.catalog import RecordStatus, digest
from bibld.errors import DamagedFileError
from bibld.ingest import (
    COUNTED,
    LASTING,
    Inspection,
    LoadResult,
    RecordState,
    RecordVersion,
    SourceRules,
    VersionKind,
    load_versions,
)
from bibld.model.authority import AUTHORITY_FLAVOURS
from bibld.model.origin import Origin, RecordId
from bibld.spark._engine import Engine
from bibld.spark._frames import SCHEMAS, map_groups, small_frame, spark_schema
from bibld.spark._reading import FilePlan

VERSION = 2

_ID = ["source", "control_number"]


def readings_version(fingerprints: Mapping[str, str], records: str) -> str:
    """Return the version of the table ``readings`` beside this version of ``records``.

    The records may come from elsewhere later, if the workspace is run on one machine and moved back.
    """
    return digest("readings", sorted(fingerprints.items()), records)


class Load:
    """The loads of all sources of one run, as tables."""

    def __init__(
        self, engine: Engine, inspections: Sequence[Inspection], plans: Sequence[FilePlan], conversions: DataFrame
    ) -> None:
        self._engine = engine
        self._tables = engine.tables
        self._inspections = inspections
        self._plans = plans
        self._conversions = conversions
        self._loaded = {one.source.id for one in inspections}
        self._refused = {  # what servers sent and is no record
            one.source.id: list(harvest.rejected_records(engine.config, one.source)) for one in inspections
        }
        before = {row.source: row for row in self._tables.before("loads").collect()}
        self._kept_loads = {name: row for name, row in before.items() if name not in self._loaded}
        # The sources that the configuration does not contain any more, with their live records.
        live = dict.fromkeys(sorted(before.keys() - {source.id for source in engine.config.sources}), 0)
        if live:
            with engine.job("read: count records of removed sources"):
                records = self._tables.before("records").where(sql.col("status") == str(RecordStatus.LIVE))
                rows = records.where(sql.col("source").isin(*live)).groupBy("source").count().collect()
                live |= {source: int(number) for source, number in rows}
        self._spared = {} if engine.options.allow_deletes else {source: rows for source, rows in live.items() if rows}
        self._removed = sorted(live.keys() - self._spared.keys())
        self._withheld: set[str] = set()
        self._warned: set[str] = set()
        self._faults: dict[str, str] = {}
        self._read: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()
        self._unnamed: Counter[str] = Counter()

    @property
    def is_idle(self) -> bool:
        """Whether no source is loaded, and no records of a removed one are deleted."""
        return not self._inspections and not self._removed

    @property
    def withheld(self) -> list[str]:
        """The sources whose deletions are not done."""
        return sorted(self._withheld)

    # -- files -------------------------------------------------------------------------------------------------------

    def count_files(self, converted_now: Sequence[FilePlan]) -> None:
        """Count the pieces of each file; find what is wrong with files."""
        is_reject = sql.col("kind") != ""
        is_damaged = sql.col("kind") == DamagedFileError.__name__
        with self._engine.job("read: count records"):
            rows = (
                self._conversions.groupBy("carrier")
                .agg(
                    sql.count("*").alias("read"),
                    sql.count_if(is_reject).alias("rejected"),
                    sql.count("made_by").alias("records"),
                    sql.count_if(is_reject & sql.col("control_number").isNull()).alias("unnamed"),
                    *(sql.count_if(sql.array_contains("warnings", each)).alias(each) for each in COUNTED),
                    sql.count_if(sql.col("flavour").isin(*AUTHORITY_FLAVOURS)).alias("authorities"),
                    sql.max_by(
                        sql.struct("position", "byte_offset", "reason"), sql.when(is_damaged, sql.col("position"))
                    ).alias("damage"),
                )
                .collect()
            )
        found = {int(row.carrier): row.asDict() for row in rows}
        now = {plan.carrier for plan in converted_now}
        authorities: Counter[str] = Counter()
        for plan in self._plans:
            name, counts = plan.inspected.file.name, found.get(plan.carrier, defaultdict(int))
            self._read[plan.source] += counts["read"]
            self._rejected[plan.source] += counts["rejected"]
            self._unnamed[plan.source] += counts["unnamed"]
            authorities[plan.source] += counts["authorities"]
            if plan.carrier in now:
                for warning in ingest.file_warnings(plan.source, name, counts, counts["records"]):
                    self._engine.progress.warn(warning)
                if any(counts[warning] for warning in LASTING):
                    self._warned.add(plan.source)
            if damage := counts["damage"]:
                origin = Origin(plan.source, name, damage.position, damage.byte_offset)
                self._faults[plan.source] = str(DamagedFileError(origin, damage.reason))
            if counts["records"] != plan.inspected.records:
                self._faults[plan.source] = ingest.changed_file_fault(name)
        for source, refused in self._refused.items():
            self._read[source] += len(refused)
            self._rejected[source] += len(refused)
            self._unnamed[source] += sum(not error.control_number for error in refused)
        self._warn_of_other_kinds([source for source, found in authorities.items() if 0 < found < self._read[source]])

    def _warn_of_other_kinds(self, sources: Sequence[str]) -> None:
        """Warn of authority records and publications with one number in the sources that have both."""
        if not sources:
            return
        is_authority = sql.col("flavour").isin(*AUTHORITY_FLAVOURS)
        numbered = self._conversions.where((sql.col("kind") == "") & sql.col("source").isin(*sources))
        kinds = numbered.groupBy(*_ID[:1], "identity").agg(sql.count_distinct(is_authority).alias("kinds"))
        with self._engine.job("read: compare numbers of authority records and publications"):
            rows = kinds.where("kinds > 1").groupBy("source").count().collect()
        for source, found in sorted((row.source, int(row["count"])) for row in rows):
            self._warned.add(source)
            self._engine.progress.warn(ingest.other_kind_warning(source, found))

    # -- records -----------------------------------------------------------------------------------------------------

    def load_versions(self) -> None:
        """Write the table ``settled``: what the versions of each id make of its record."""
        engine, tables = self._engine, self._tables
        rules = dict.fromkeys(self._removed, SourceRules(loses_missing=True))
        for one in self._inspections:
            source = one.source
            is_complete = source.config.complete and source.id not in self._faults and not one.gaps
            listed = frozenset(record.control_number for record in ingest.listed_deletions(engine.config, source))
            rules[source.id] = SourceRules(is_complete, listed)
        active = tables.before("active_suppression").where("value = ''")
        named = tables.before("register_ordinal").join(sql.broadcast(active), "ordinal").select(*_ID).collect()
        suppressed = frozenset(map(tuple, named))
        spared = sorted(
            (error.origin.source, RecordId.from_control_number(error.origin.source, error.control_number))
            for refused in self._refused.values()
            for error in refused
            if error.control_number
        )
        files = [(plan.carrier, plan.file_number) for plan in self._plans]

        def states() -> DataFrame:
            compute = partial(_load_record, engine.broadcast((rules, suppressed)))
            refused = [(record.source, record.control_number, int(VersionKind.REJECTED)) for _, record in spared]
            order = ("kind", "file_number", "position")
            return map_groups(self._versions(files, refused), RecordVersion, compute, SCHEMAS["settled"], _ID, order)

        made_by = tables.made_by(
            "versions of records",
            VERSION,
            [[source, one.loses_missing, sorted(one.listed)] for source, one in sorted(rules.items())],
            sorted(suppressed),
            spared,
            files,
            [tables.committed.tables.get(name) for name in ("records", "register_ordinal")],
            inputs=["conversions"],
        )
        engine.step("settled", made_by, "read: load versions", states)

    def _versions(self, files: Sequence[tuple[int, int]], refused: Sequence[Sequence[Any]]) -> DataFrame:
        """Return what is known about each id; columns that a kind of rows does not have are missing or null."""
        spark, tables = self._engine.spark, self._tables
        order = small_frame(spark, files, "carrier long, file_number long")
        read = self._conversions.where("identity IS NOT NULL").join(sql.broadcast(order), "carrier")
        kind = sql.when(sql.col("kind") == "", int(VersionKind.CONVERTED)).otherwise(int(VersionKind.REJECTED))
        versions = read.select(
            "source",
            sql.col("identity").alias("control_number"),
            kind.alias("kind"),
            "file_number",
            "position",
            "carrier",
            "made_by",
            "is_deleted",
        )
        registered = tables.before("register_ordinal").select(*_ID, "ordinal")
        stored = tables.before("records").select(*_ID, "position", "carrier", "made_by", "status")
        rejected = small_frame(spark, refused, "source string, control_number string, kind int")
        for frame in (
            registered.withColumn("kind", sql.lit(int(VersionKind.REGISTERED))),
            stored.withColumn("kind", sql.lit(int(VersionKind.STORED))),
            rejected,
        ):
            versions = versions.unionByName(frame, allowMissingColumns=True)
        return versions

    # -- results -----------------------------------------------------------------------------------------------------

    def count(self) -> None:
        """Count what the loads change, withhold deletions that are too many, and note both."""
        with self._engine.job("read: count changes"):
            rows = {row.source: row for row in _counts(self._tables.read("settled")).collect()}
        for inspection in self._inspections:
            self._engine.log.note_load(self._result(inspection, rows.get(inspection.source.id)))
        for source in self._removed:
            row = rows.get(source)
            self._engine.progress.report(ingest.removed_source_report(source, int(row.absent) if row else 0))
            del self._kept_loads[source]

    def note_spared(self) -> None:
        """Note the removed sources whose records are not deleted; that needs no load, so a night costs little."""
        for source, live in self._spared.items():
            stored = self._tables.before("records").where((sql.col("source") == source) & _has_record())
            named = stored.orderBy("ordinal")
            self._engine.log.note_withheld(self._withhold(source, ingest.removed_source_reason(live), named))

    def _result(self, inspection: Inspection, row: Row | None) -> LoadResult:
        source = inspection.source
        counts: dict[str, int] = defaultdict(int)
        if row is not None:
            counts |= {name: value or 0 for name, value in row.asDict().items() if name != "source"}
        is_damaged = False
        if counts["missing"]:
            is_unnamed = (sql.col("source") == source.id) & sql.col("control_number").isNull()
            is_damaged = self._unnamed[source.id] > self._tables.before("rejects").where(is_unnamed).count()
        reason = ingest.reason_to_withhold(source.config, counts["deletions"], counts["live"], is_damaged)
        withheld = None
        if reason and not self._engine.options.allow_deletes:
            is_named = sql.col("is_missing") | sql.col("is_listed") | sql.col("deletion_carrier").isNotNull()
            named = self._tables.read("settled").where((sql.col("source") == source.id) & is_named)
            ordered = named.orderBy(sql.col("ordinal").asc_nulls_last(), "first_file", "first_position")
            withheld = self._withhold(source.id, reason, ordered)
        done = withheld is None
        supersedes = counts["deletion_supersedes"] if done else 0
        return LoadResult(
            source=source.id,
            read=self._read[source.id],
            converted=counts["converted"] - supersedes,
            superseded=counts["superseded"] + supersedes,
            rejected=self._rejected[source.id],
            deleted=counts["deleted"] + counts["deferred"],
            new=counts["new"],
            changed=counts["changed" if done else "changed_at_most"],
            restored=counts["restored" if done else "restored_at_most"],
            absent=counts["absent"] if done else 0,
            withdrawn=counts["withdrawn"] if done else 0,
            withheld=withheld,
            fault=self._faults.get(source.id, ""),
        )

    def _withhold(self, source: str, reason: str, named: DataFrame) -> ingest.Withheld:
        """Note that the deletions of these records are not done."""
        self._withheld.add(source)
        rows = named.select("control_number").toLocalIterator()
        records = (RecordId(source, row.control_number) for row in rows)
        return ingest.withhold(self._engine.config.workspace, source, records, reason)

    def warn_of_unknown_deletions(self) -> None:
        """Warn of control numbers in lists of deletions that were never seen."""
        for inspection in self._inspections:
            listed = ingest.listed_deletions(self._engine.config, inspection.source)
            if not listed:
                continue
            rows = [(record.control_number,) for record in listed]
            wanted = small_frame(self._engine.spark, rows, "control_number string")
            is_own = sql.col("source") == inspection.source.id
            found = self._tables.read("register_ordinal").where(is_own).join(sql.broadcast(wanted), "control_number")
            known = {row.control_number for row in found.select("control_number").collect()}
            unknown = [record for record in listed if record.control_number not in known]
            for record in unknown:
                self._engine.progress.detail(f"read: {inspection.source.config.deletes}: {record} was never seen")
            if unknown:
                self._warned.add(inspection.source.id)
                self._engine.progress.warn(ingest.unknown_deletions_warning(inspection.source, unknown))

    def note_readings(self, known: Mapping[str, str]) -> None:
        """Write the table ``readings``: sources that need not be read again as long as their files stay.

        ``known`` are those of the last run; of sources that were not loaded they stay.
        """
        doubtful = self._warned | self._withheld | self._faults.keys()
        clean = {
            one.source.id: one.fingerprint
            for one in self._inspections
            if one.fingerprint and not one.gaps and not one.warnings and one.source.id not in doubtful
        }
        kept = {source: fingerprint for source, fingerprint in known.items() if source not in self._loaded}
        rows = sorted((clean | kept).items())
        made_by = readings_version(dict(rows), self._tables.version("records"))
        self._tables.write_rows("readings", made_by, rows)

    def final(self, settled: DataFrame, statuses: Mapping[int, RecordStatus]) -> DataFrame:
        """Return the settled records with their final place and status: deletions are done unless withheld.

        ``statuses`` are those that suppressions give to records with a description, by ordinal.
        """
        is_done = ~sql.col("source").isin(sorted(self._withheld)) if self._withheld else sql.lit(True)
        withdrawn = is_done & sql.col("deletion_carrier").isNotNull()
        removed = is_done & (sql.col("is_missing") | sql.col("is_listed")) & _has_record()
        status = sql.when(withdrawn, str(RecordStatus.DELETED)).when(removed, str(RecordStatus.MISSING))
        final = settled.select(
            "ordinal",
            "source",
            "control_number",
            sql.when(withdrawn, sql.col("deletion_carrier")).otherwise(sql.col("carrier")).alias("carrier"),
            sql.when(withdrawn, sql.col("deletion_position")).otherwise(sql.col("position")).alias("position"),
            status.otherwise(sql.col("status")).alias("status"),
            "status_before",
            (sql.col("was_seen") | withdrawn | removed).alias("is_of_run"),
            (sql.col("is_same") & ~withdrawn).alias("is_same"),
        )
        if not statuses:
            return final
        rows = [(ordinal, str(status)) for ordinal, status in sorted(statuses.items())]
        given = small_frame(self._engine.spark, rows, "ordinal long, given string")
        suppressed = sql.when(_has_record(), sql.col("given"))
        final = final.join(sql.broadcast(given), "ordinal", "left")
        return final.withColumn("status", sql.coalesce(suppressed, "status")).drop("given")

    def write_records(self, final: DataFrame, settings: object) -> None:
        """Write the table ``records``; that of the last run stays if nothing is different."""
        tables = self._tables
        before = tables.committed.tables.get("records")
        made_by = tables.made_by("records", VERSION, settings, inputs=["settled", "register_ordinal"])
        if tables.is_complete("records", made_by):
            tables.use("records", made_by)
            return
        with self._engine.job("read: write records"):
            is_changed = ~sql.col("is_same") | (sql.col("status") != sql.col("status_before"))
            if before and final.where(is_changed).isEmpty():
                tables.use("records", before)
                return
            run = sql.lit(tables.number).cast("long")
            contents = self._conversions.where("kind = ''").drop("source", "identity", "control_number")
            key = ["carrier", "position"]
            # Looking up the rows without contents, instead of sorting both sides, leaves the contents as they are.
            read = final.where("carrier IS NOT NULL").hint("shuffle_hash").join(contents, key).withColumn("run", run)
            kept = final.where("carrier IS NULL").select("ordinal", "status", "is_of_run")
            stored = tables.before("records").drop("status").join(kept, "ordinal")
            stored = stored.withColumn("run", sql.when(sql.col("is_of_run"), run).otherwise(sql.col("run")))
            names = SCHEMAS["records"].names
            tables.write("records", made_by, read.select(names).unionByName(stored.select(names)))

    def write_rejects(self) -> None:
        """Write the tables ``rejects`` and ``loads``; sources that were not loaded keep theirs."""
        engine, tables = self._engine, self._tables
        kept = sorted(self._kept_loads)
        files = [(plan.carrier, plan.inspected.file.name) for plan in self._plans]
        order = small_frame(engine.spark, files, "carrier long, file string")
        names = SCHEMAS["rejects"].names
        rejects = self._conversions.where("kind <> ''").join(sql.broadcast(order), "carrier").select(names)
        refused = [
            (*msgspec.structs.astuple(error.origin), error.control_number, type(error).__name__, error.reason,
             error.original)
            for errors in self._refused.values()
            for error in errors
        ]  # fmt: skip
        frame = rejects.unionByName(small_frame(engine.spark, refused, spark_schema("rejects")))
        if kept:
            frame = frame.unionByName(tables.before("rejects").where(sql.col("source").isin(kept)))
        stored = tables.committed.tables.get("rejects") if kept else ""
        made_by = tables.made_by("rejects", VERSION, kept, files, refused, stored, inputs=["conversions"])
        with engine.job("read: write rejects"):
            tables.write("rejects", made_by, frame, sort=["source", "file", "position"])
        loads = [tuple(row) for row in self._kept_loads.values()]
        loads += [
            (load.source, tables.number, load.read, load.converted, load.superseded, load.rejected, load.deleted)
            for load in engine.log.loads
            if load.source in self._loaded
        ]
        tables.write_rows("loads", digest("loads", loads), loads)


# -- in tasks --------------------------------------------------------------------------------------------------------


def _load_record(
    shared: Broadcast[tuple[dict[str, SourceRules], frozenset[tuple[str, str]]]],
    record: tuple[str, str],
    versions: Iterator[RecordVersion],
) -> list[RecordState]:
    rules, suppressed = shared.value
    state = load_versions(versions, rules.get(record[0], SourceRules()), record in suppressed)
    return [] if state is None else [state]


# -- columns ---------------------------------------------------------------------------------------------------------


def _has_record() -> Column:
    return sql.col("status").isin(str(RecordStatus.LIVE), str(RecordStatus.SUPPRESSED))


def _counts(settled: DataFrame) -> DataFrame:
    """Return the counts of each source."""
    is_withdrawn = sql.col("deletion_carrier").isNotNull()
    is_deleted = sql.col("is_missing") | sql.col("is_listed")
    was_live = sql.col("status_before") == str(RecordStatus.LIVE)
    stays = ~is_withdrawn & ~sql.col("is_listed")
    return settled.groupBy("source").agg(
        *(sql.sum(name).alias(name) for name in ("converted", "superseded", "deleted")),
        sql.count_if(was_live).alias("live"),
        sql.count_if(sql.col("is_new")).alias("new"),
        sql.count_if(sql.col("is_missing")).alias("missing"),
        sql.count_if(is_deleted | is_withdrawn).alias("deletions"),
        sql.count_if(is_deleted & was_live).alias("absent"),
        sql.count_if(is_withdrawn).alias("deferred"),
        sql.count_if(is_withdrawn & was_live).alias("withdrawn"),
        sql.count_if(sql.col("deletion_supersedes")).alias("deletion_supersedes"),
        sql.count_if(sql.col("is_changed") & stays).alias("changed"),
        sql.count_if(sql.col("is_changed")).alias("changed_at_most"),
        sql.count_if(sql.col("is_restored") & stays).alias("restored"),
        sql.count_if(sql.col("is_restored")).alias("restored_at_most"),
    )
