"""Check the published data against the shapes of the ontology (SHACL Core, https://www.w3.org/TR/shacl/).

Blocks of N-Quads come in, a report goes out. The checks are compiled from the shapes graph itself, so that a change of
``ontology/shapes.ttl`` needs no change here; constructs that cannot be checked are refused. Blocks are streamed through
all cores, and memory does not grow with the data. The data graph is the union of all graphs.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from bibld.progress import Progress, Silent
from bibld.validate._passes import Blocks as Blocks
from bibld.validate._passes import run_passes
from bibld.validate._report import CheckedShape as CheckedShape
from bibld.validate._report import Example as Example
from bibld.validate._report import ShapeFinding as ShapeFinding
from bibld.validate._report import ValidationReport as ValidationReport
from bibld.validate._report import make_report, write_shacl_report
from bibld.validate._report import meaning_of as meaning_of
from bibld.validate._shapes import SEVERITIES as SEVERITIES
from bibld.validate._shapes import Severity as Severity
from bibld.validate._shapes import ShapesGraph as ShapesGraph
from bibld.validate._shapes import read_shapes as read_shapes


class ReportSettings(msgspec.Struct, frozen=True):
    """What is reported, and where.

    Results of a lesser severity than ``severity`` are left out. Of each constraint at most ``limit`` results are
    described in ``report_file``, a ``sh:ValidationReport`` (0: all); all are counted.
    """

    report_file: Path | None = None
    severity: Severity = "info"
    limit: int = 1000


def validate(
    blocks: Blocks,
    shapes: ShapesGraph,
    folder: Path,
    settings: ReportSettings | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> ValidationReport:
    """Check blocks of N-Quads against shapes (of :func:`read_shapes`).

    ``blocks`` begins a pass over the data, two or more times; each block consists of entire lines. Temporary files are
    put into ``folder``. Raises ``StageError``.
    """
    settings = settings or ReportSettings()
    outcome = run_passes(blocks, shapes, workers, settings.limit, folder, progress or Silent())
    if settings.report_file is not None:
        write_shacl_report(outcome, shapes, settings.severity, settings.report_file)
    return make_report(outcome, shapes, settings.severity)
