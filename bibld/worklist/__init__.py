"""The worklist of a library: what is wrong in its records, and what to write instead.

In: a ``MarcRecord`` of MARC 21, RUSMARC or UNIMARC, and a catalog after a run. Out: the faults of a record
(:class:`FormatChecker`), which ``ingest`` stores with it, and the lines of a source (:class:`SourceWorklist`): faults
of the format, duplicates, contradictions with other libraries, and missing numbers of authority records. The formats
are defined in the Avram schema language (https://format.gbv.de/schema/avram/specification), in the folder ``schemas``;
the profile of a library in the same language adds to them (:func:`load_profile`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.worklist._avram import FORMATS as FORMATS
from bibld.worklist._avram import FormatDefinition as FormatDefinition
from bibld.worklist._avram import load_format as load_format
from bibld.worklist._avram import load_profile as load_profile
from bibld.worklist._avram import read_definition as read_definition
from bibld.worklist._checker import FormatChecker as FormatChecker
from bibld.worklist._checker import InspectionRules as InspectionRules
from bibld.worklist._checker import checker_for as checker_for
from bibld.worklist._checker import inspect_record as inspect_record
from bibld.worklist._checker import inspection_digest as inspection_digest
from bibld.worklist._checker import read_findings as read_findings
from bibld.worklist._faults import FormatFault as FormatFault
from bibld.worklist._faults import FormatFindings as FormatFindings
from bibld.worklist._faults import RecordLink as RecordLink
from bibld.worklist._faults import WorkKind as WorkKind
from bibld.worklist._faults import WorklistPart as WorklistPart
from bibld.worklist._faults import describe_fault as describe_fault

if TYPE_CHECKING:
    from bibld.worklist._lines import SourceWorklist as SourceWorklist
    from bibld.worklist._lines import WorklistLine as WorklistLine
    from bibld.worklist._trend import WorklistCount as WorklistCount
    from bibld.worklist._trend import compare_worklist as compare_worklist
    from bibld.worklist._trend import record_worklist as record_worklist
    from bibld.worklist._trend import worklist_counts as worklist_counts
else:

    def __getattr__(name: str) -> object:
        """Import what needs the catalog on first use: inspecting records does not need it."""
        if not name.startswith("_"):
            from bibld.worklist import _lines, _trend

            for module in (_lines, _trend):
                found = getattr(module, name, None)
                if getattr(found, "__module__", "") == module.__name__:
                    return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
