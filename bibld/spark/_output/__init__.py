"""A release from the tables: dumps in parts, the patch, the descriptions, the change feed."""

from bibld.spark._output.release import Release, publish_release, remove_releases

__all__ = ["Release", "publish_release", "remove_releases"]
