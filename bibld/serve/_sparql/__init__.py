"""The SPARQL 1.1 protocol over a release: queries are looked at, then run in processes that can be killed."""
