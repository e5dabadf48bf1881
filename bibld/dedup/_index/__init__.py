"""The index: features of all living records on disk, in segments that never change."""
