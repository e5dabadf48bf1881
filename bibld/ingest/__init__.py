"""Take a source from its files into the catalog: harvest, read, crosswalk record by record, rejects, takedown.

The files are inspected first; a source in doubt keeps its old state, and too many deletions are withheld.

In: a configured source, or raw records. Out: source records in the catalog with their MODS (:class:`Intake`), or
conversions in the order of the input (:class:`ConversionPool`). A suppression file (``[publish] suppress``) is read and
applied here too, because it changes what every later stage sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.ingest._conversion import COUNTED as COUNTED
from bibld.ingest._conversion import LASTING as LASTING
from bibld.ingest._conversion import PUNCTUATED as PUNCTUATED
from bibld.ingest._conversion import TABLE_COLUMNS as TABLE_COLUMNS
from bibld.ingest._conversion import Conversion as Conversion
from bibld.ingest._conversion import Job as Job
from bibld.ingest._conversion import changed_file_fault as changed_file_fault
from bibld.ingest._conversion import conversion_job as conversion_job
from bibld.ingest._conversion import convert_record as convert_record
from bibld.ingest._conversion import file_context as file_context
from bibld.ingest._conversion import file_warnings as file_warnings
from bibld.ingest._conversion import identify as identify
from bibld.ingest._conversion import inspection_rules as inspection_rules
from bibld.ingest._conversion import other_kind_warning as other_kind_warning
from bibld.ingest._conversion import record_made_by as record_made_by
from bibld.ingest._conversion import settings_digest as settings_digest
from bibld.ingest._conversion import table_row as table_row
from bibld.ingest._export import Exported as Exported
from bibld.ingest._export import export_mods as export_mods
from bibld.ingest._export import export_originals as export_originals
from bibld.ingest._inspection import Doubt as Doubt
from bibld.ingest._inspection import Inspected as Inspected
from bibld.ingest._inspection import InspectedFile as InspectedFile
from bibld.ingest._inspection import Inspection as Inspection
from bibld.ingest._inspection import SourceFile as SourceFile
from bibld.ingest._inspection import files_fingerprint as files_fingerprint
from bibld.ingest._inspection import inspect_file as inspect_file
from bibld.ingest._inspection import inspect_sources as inspect_sources
from bibld.ingest._inspection import source_files as source_files
from bibld.ingest._inspection import unpacked as unpacked

if TYPE_CHECKING:
    from bibld.ingest._load import Intake as Intake
    from bibld.ingest._load import original_of as original_of
    from bibld.ingest._load import public_original_of as public_original_of
    from bibld.ingest._log import LoadResult as LoadResult
    from bibld.ingest._log import SourceLog as SourceLog
    from bibld.ingest._log import Withheld as Withheld
    from bibld.ingest._log import clear_withheld as clear_withheld
    from bibld.ingest._log import describe_sources as describe_sources
    from bibld.ingest._log import fetch_sources as fetch_sources
    from bibld.ingest._log import listed_deletions as listed_deletions
    from bibld.ingest._log import reason_to_withhold as reason_to_withhold
    from bibld.ingest._log import removed_source_reason as removed_source_reason
    from bibld.ingest._log import removed_source_report as removed_source_report
    from bibld.ingest._log import unknown_deletions_warning as unknown_deletions_warning
    from bibld.ingest._log import with_former_sources as with_former_sources
    from bibld.ingest._log import withhold as withhold
    from bibld.ingest._pool import ConversionPool as ConversionPool
    from bibld.ingest._takedown import SuppressionRequest as SuppressionRequest
    from bibld.ingest._takedown import apply_suppressions as apply_suppressions
    from bibld.ingest._takedown import note_values_not_found as note_values_not_found
    from bibld.ingest._takedown import read_suppressions as read_suppressions
    from bibld.ingest._takedown import report_suppressions as report_suppressions
    from bibld.ingest._takedown import resolve_suppressions as resolve_suppressions
    from bibld.ingest._versions import RecordState as RecordState
    from bibld.ingest._versions import RecordVersion as RecordVersion
    from bibld.ingest._versions import SourceRules as SourceRules
    from bibld.ingest._versions import VersionKind as VersionKind
    from bibld.ingest._versions import load_versions as load_versions


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what needs the catalog or processes on first use: inspecting and converting files needs neither."""
        if not name.startswith("_"):
            from bibld.ingest import _load, _log, _pool, _takedown, _versions

            for module in (_log, _load, _pool, _takedown, _versions):
                found = getattr(module, name, None)
                if getattr(found, "__module__", "") == module.__name__:
                    return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
