"""Candidate pairs: the join of key runs, and the sieve for pairs that are not worth a look."""
