"""Blockers: adapters that make blocking keys from feature columns; records that share a key are a candidate pair."""
