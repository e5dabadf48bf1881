"""What breaks the laws of imports today. Delete an entry when it is repaired; never add one.

The entries of ``bibld.dedup`` alone remain until the package is rebuilt.
"""

from __future__ import annotations

# (importing module, private module of another package)
PRIVATE_MODULES = {
    ("bibld.cli._checking", "bibld.catalog._database.check"),
    ("bibld.cli._checking", "bibld.dedup._index.check"),
    ("bibld.cli._review_session", "bibld.catalog._register.verdicts"),
    ("bibld.cli._review_session", "bibld.dedup._verdict_table"),
    ("bibld.cli._verdicts", "bibld.dedup._verdict_table"),
    ("bibld.cli.catalog", "bibld.catalog._database.backup"),
    ("bibld.cli.join", "bibld.catalog._register.verdicts"),
    ("bibld.cli.review", "bibld.catalog._register.verdicts"),
    ("bibld.cli.review", "bibld.dedup._verdict_table"),
    ("bibld.cli.split", "bibld.catalog._register.verdicts"),
    ("bibld.cli.train", "bibld.dedup._labels"),
    ("bibld.cli.train", "bibld.dedup.score._trees"),
    ("bibld.dedup._index.check", "bibld.catalog._database.check"),
    ("bibld.dedup._pairs.sieve_trees", "bibld.dedup.score._steps"),
    ("bibld.dedup._verdict_table", "bibld.catalog._register.verdicts"),
    ("bibld.dedup.review", "bibld.catalog._register.verdicts"),
    ("bibld.dedup.train", "bibld.dedup.score._comparison"),
    ("bibld.dedup.train", "bibld.dedup.score._steps"),
    ("bibld.dedup.train", "bibld.dedup.score._trees"),
    ("bibld.dedup.train", "bibld.dedup.score._variations"),
    ("bibld.dedup.train", "bibld.dedup.score._words"),
}

# A package, and the groups of modules or packages directly inside it that import each other.
CYCLES = {
    "bibld.catalog": [{"__init__", "_database", "_records", "_register", "_results"}],
    "bibld.dedup": [{"_index", "_keys", "_pairs", "score"}, {"_cluster", "_judge"}],
    "bibld.dedup._cluster": [{"cluster_kernels", "clusters"}],
    "bibld.dedup.score": [{"_step_kernels", "_steps"}],
}

# Modules that import others by a computed name and should not.
DYNAMIC_IMPORTS = {
    "bibld.config._checker",
    "bibld.dedup._first_use",
}
