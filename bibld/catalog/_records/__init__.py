"""Source records, packed and compressed, with their rejects and counts."""
