"""The SPARQL 1.1 protocol over a release: queries are checked, then run in processes that can be killed."""
