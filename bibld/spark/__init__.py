"""Run the stages on Apache Spark: the same functions on whole tables, on as many machines as there are.

In: a configuration with the table ``[engine]``. Out: tables in Parquet, and a release in parts, in the storage of the
engine. The bytes of the sorted dump are those of a run on one machine.
"""

from __future__ import annotations

from bibld.spark._run import run
from bibld.spark._session import check_version

__all__ = ["run"]

check_version()  # on a node this is the first that a task does
