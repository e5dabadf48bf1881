"""The description of a publication, property by property; each module fills a draft."""
