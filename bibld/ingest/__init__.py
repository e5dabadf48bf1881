"""Take a source from its files into the catalog: harvest, read, crosswalk record by record, rejects, takedown.

The files are inspected first; a source in doubt keeps its old state, and too many deletions are withheld.

In: a configured source, or raw records. Out: source records in the catalog with their MODS (:class:`Intake`), or
conversions in the order of the input (:class:`ConversionPool`). A suppression file (``[publish] suppress``) is read and
applied here too, because it changes what every later stage sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.ingest._conversion import (
    ENCODED_TWICE,
    TABLE_COLUMNS,
    Conversion,
    Job,
    changed_file_fault,
    conversion_job,
    convert_record,
    encoded_twice_warning,
    file_context,
    identify,
    record_made_by,
    settings_digest,
    table_row,
)
from bibld.ingest._export import Exported, export_mods, export_originals
from bibld.ingest._inspection import (
    Doubt,
    Inspected,
    InspectedFile,
    Inspection,
    SourceFile,
    files_fingerprint,
    inspect_file,
    inspect_sources,
    source_files,
    unpacked,
)

if TYPE_CHECKING:
    from bibld.ingest._load import Intake, original_of, public_original_of
    from bibld.ingest._log import (
        LoadResult,
        SourceLog,
        Withheld,
        clear_withheld,
        describe_sources,
        fetch_sources,
        listed_deletions,
        reason_to_withhold,
        removed_source_reason,
        removed_source_report,
        unknown_deletions_warning,
        with_former_sources,
        withhold,
    )
    from bibld.ingest._pool import ConversionPool
    from bibld.ingest._takedown import (
        SuppressionRequest,
        apply_suppressions,
        read_suppressions,
        report_suppressions,
        resolve_suppressions,
        values_not_found,
    )
    from bibld.ingest._versions import RecordState, RecordVersion, SourceRules, VersionKind, load_versions

__all__ = [
    "ENCODED_TWICE",
    "TABLE_COLUMNS",
    "Conversion",
    "ConversionPool",
    "Doubt",
    "Exported",
    "Inspected",
    "InspectedFile",
    "Inspection",
    "Intake",
    "Job",
    "LoadResult",
    "RecordState",
    "RecordVersion",
    "SourceFile",
    "SourceLog",
    "SourceRules",
    "SuppressionRequest",
    "VersionKind",
    "Withheld",
    "apply_suppressions",
    "changed_file_fault",
    "clear_withheld",
    "conversion_job",
    "convert_record",
    "describe_sources",
    "encoded_twice_warning",
    "export_mods",
    "export_originals",
    "fetch_sources",
    "file_context",
    "files_fingerprint",
    "identify",
    "inspect_file",
    "inspect_sources",
    "listed_deletions",
    "load_versions",
    "original_of",
    "public_original_of",
    "read_suppressions",
    "reason_to_withhold",
    "record_made_by",
    "removed_source_reason",
    "removed_source_report",
    "report_suppressions",
    "resolve_suppressions",
    "settings_digest",
    "source_files",
    "table_row",
    "unknown_deletions_warning",
    "unpacked",
    "values_not_found",
    "with_former_sources",
    "withhold",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what needs the catalog or processes on first use: inspecting and converting files needs neither."""
        if name in __all__:
            from bibld.ingest import _load, _log, _pool, _takedown, _versions

            for module in (_log, _load, _pool, _takedown, _versions):
                if hasattr(module, name):
                    return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
