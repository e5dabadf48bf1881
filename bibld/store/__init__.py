"""Store: quads in, a SPARQL triple store out."""
