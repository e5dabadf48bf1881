"""A run with its report."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from bibld import pipeline
from bibld.config import Config
from bibld.pipeline import Summary
from bibld.progress import Progress
from bibld.report import write_report


def run_stages(config: Config, at: datetime, progress: Progress, **options: object) -> Summary:
    """Run the stages as ``pipeline.run`` does, and write ``report.html``; raises ``StageError``."""
    summary = pipeline.run(config, at, progress, **options)
    return replace(summary, report=str(write_report(config, summary, at.isoformat(timespec="seconds"))))
