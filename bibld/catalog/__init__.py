"""The memory between runs."""
