"""A release from the tables: dumps in parts, the patch, the descriptions, the change feed."""

from bibld.spark._output.release import last_manifest, needed_tables, publish_release, remove_releases

__all__ = ["Release", "last_manifest", "needed_tables", "publish_release", "remove_releases"]
