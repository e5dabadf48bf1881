"""Merge and triplify over the tables: the functions of one machine, called for groups of rows."""

from bibld.spark._data.descriptions import describe_clusters, merge_clusters
from bibld.spark._data.entities import cluster_entities, keep_links, point_to_founders

__all__ = ["cluster_entities", "describe_clusters", "keep_links", "merge_clusters", "point_to_founders"]
