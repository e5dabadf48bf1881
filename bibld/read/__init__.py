"""Read: the bytes of one carrier in, records with their original bytes out."""
