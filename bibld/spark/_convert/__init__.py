"""Move a workspace between the engines: from its two databases to tables, and back.

Nothing is computed: rows are copied, through files on the machine that has the databases. What was copied before a
conversion was interrupted is not copied again.
"""
