"""The two databases: tables, formats, backups, checks."""
